// What a caller says in JSON.
#include "arguments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shapelint::wasm {

namespace {

// JavaScript's numbers are doubles: whole ones up to this are exact.
constexpr double largest_whole = 9007199254740991.0;

std::optional<std::int64_t> whole(const Json& given) {
  if (!given.is_number()) return std::nullopt;
  const double value = given.get<double>();
  if (value != std::floor(value) || std::abs(value) > largest_whole) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

template <class T>
struct Kind;

template <>
struct Kind<bool> {
  static constexpr const char* expected = "true or false";
  static bool read(const Json& given, bool& out) {
    if (!given.is_boolean()) return false;
    out = given.get<bool>();
    return true;
  }
};
template <>
struct Kind<double> {
  static constexpr const char* expected = "a number";
  static bool read(const Json& given, double& out) {
    if (!given.is_number()) return false;
    out = given.get<double>();
    return true;
  }
};
template <>
struct Kind<std::int64_t> {
  static constexpr const char* expected = "a whole number";
  static bool read(const Json& given, std::int64_t& out) {
    const auto value = whole(given);
    if (value) out = *value;
    return value.has_value();
  }
};
template <>
struct Kind<std::size_t> {
  static constexpr const char* expected = "a whole number from 0 on";
  static bool read(const Json& given, std::size_t& out) {
    const auto value = whole(given);
    if (!value || *value < 0) return false;
    out = static_cast<std::size_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(*value), std::numeric_limits<std::size_t>::max()));
    return true;
  }
};
template <>
struct Kind<std::string> {
  static constexpr const char* expected = "a text";
  static bool read(const Json& given, std::string& out) {
    if (!given.is_string()) return false;
    out = given.get<std::string>();
    return true;
  }
};
template <class T>
struct Kind<std::vector<T>> {
  static constexpr const char* expected = "a list of texts";
  static bool read(const Json& given, std::vector<T>& out) {
    if (!given.is_array()) return false;
    std::vector<T> values(given.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!Kind<T>::read(given[i], values[i])) return false;
    }
    out = std::move(values);
    return true;
  }
};
template <class T>
struct Kind<std::map<std::string, T>> {
  static constexpr const char* expected = "an object of names and values";
  static bool read(const Json& given, std::map<std::string, T>& out) {
    if (!given.is_object()) return false;
    for (const auto& [name, value] : given.items()) {
      if (!Kind<T>::read(value, out[name])) return false;
    }
    return true;
  }
};

constexpr std::array shapes{"free", "padding", "fixed"};
constexpr std::array severities{"info", "warning", "error"};

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

template <class Enum, std::size_t count>
void take_optional(Members& members, const char* name, const std::array<const char*, count>& names,
                   std::optional<Enum>& out) {
  if (members.find(name) == nullptr) return;
  Enum value{};
  members.take_one_of(name, names, value);
  out = value;
}

// A setting's value may be written as what it is.
std::string setting_text(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

api::ReadOptions read_of(Members& members) {
  api::ReadOptions out;
  if (const Json* settings = members.object("settings")) {
    for (const auto& [field, value] : settings->items()) out.settings.push_back({field, setting_text(value)});
  }
  std::map<std::string, double> dimensions;
  members.take("dimensions", dimensions);
  for (const auto& [name, size] : dimensions)
    out.dimensions.push_back({name, static_cast<std::int64_t>(size)});
  members.take("config", out.config);
  members.take("isolated", out.isolated);
  members.take("assume_native", out.assume_native);
  return out;
}

api::GpuSelection gpus_of(Members& members) {
  api::GpuSelection out;
  if (const Json* one = members.find("gpu"); one != nullptr && one->is_string()) {
    out.names = {one->get<std::string>()};
  } else {
    members.take("gpu", out.names);
  }
  members.take("gpu_files", out.files);
  members.take("sm_count", out.sm_count);
  return out;
}

}  // namespace

Members::Members(const Json& object, std::string name, std::vector<api::Error>& errors)
    : object_(object.is_object() ? object : empty_object()), name_(std::move(name)), errors_(errors) {
  if (!object.is_object() && !object.is_null()) {
    errors_.push_back({"invalid-option", "`" + name_ + "` is no object", {}, {}});
  }
}

Members::~Members() {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::string hint = "known are";
    for (const std::string& each : known_) hint += (hint.ends_with("are") ? " " : ", ") + each;
    errors_.push_back({"invalid-option", "`" + name_ + "` has no `" + name + "`", hint, {}});
  }
}

const Json* Members::find(const char* name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const Json* Members::object(const char* name) {
  const Json* given = find(name);
  if (given == nullptr || given->is_object()) return given;
  wrong(name, "an object");
  return nullptr;
}

void Members::wrong(const char* name, const std::string& expected) {
  errors_.push_back(
      {"invalid-option", "`" + name_ + "." + name + "` is no value that it can have", expected, {}});
}

template <class T>
void Members::take_value(const Json& given, const char* name, T& out) {
  if (!Kind<T>::read(given, out)) wrong(name, Kind<T>::expected);
}

#define SHAPELINT_TAKE(...)                                            \
  void Members::take(const char* name, __VA_ARGS__& out) {             \
    if (const Json* given = find(name)) take_value(*given, name, out); \
  }
SHAPELINT_TAKE(bool)
SHAPELINT_TAKE(double)
SHAPELINT_TAKE(std::int64_t)
SHAPELINT_TAKE(std::size_t)
SHAPELINT_TAKE(std::string)
SHAPELINT_TAKE(std::vector<std::string>)
SHAPELINT_TAKE(std::map<std::string, std::string>)
SHAPELINT_TAKE(std::map<std::string, double>)
#undef SHAPELINT_TAKE

api::Source source_of(const Json& source, std::vector<api::Error>& errors) {
  api::Source out;
  Members members(source, "source", errors);
  members.take("path", out.path);
  members.take("text", out.text);
  members.take("base", out.base);
  return out;
}

api::LintOptions lint_options(const Json& options, std::vector<api::Error>& errors) {
  api::LintOptions out;
  Members members(options, "options", errors);
  out.read = read_of(members);
  out.gpus = gpus_of(members);
  members.take("select", out.select);
  members.take("extend_select", out.extend_select);
  members.take("ignore", out.ignore);
  take_optional(members, "shape", shapes, out.shape);
  members.take("head_multiple", out.head_multiple);
  members.take("min_gain", out.min_gain);
  take_optional(members, "fail_severity", severities, out.fail_severity);
  take_optional(members, "min_severity", severities, out.min_severity);
  members.take("with_suppressed", out.with_suppressed);
  members.take("with_fields", out.with_fields);
  members.take("with_operations", out.with_operations);
  members.take("baseline", out.baseline);
  members.take("with_known", out.with_known);
  members.take("expect_models", out.expect_models);
  members.take("allow_unrecognised", out.allow_unrecognised);
  return out;
}

api::ReadOptions read_options(const Json& options, std::vector<api::Error>& errors) {
  Members members(options, "options", errors);
  return read_of(members);
}

api::StepOptions step_options(const Json& options, std::vector<api::Error>& errors) {
  Members members(options, "options", errors);
  return {read_of(members), gpus_of(members)};
}

api::SuggestOptions suggest_options(const Json& options, std::vector<api::Error>& errors) {
  api::SuggestOptions out;
  Members members(options, "options", errors);
  out.read = read_of(members);
  out.gpus = gpus_of(members);
  members.take("model", out.model);
  members.take("vary", out.vary);
  members.take("fix", out.fix);
  members.take("ranges", out.ranges);
  members.take("where", out.where);
  take_optional(members, "shape", shapes, out.shape);
  members.take("head_multiple", out.head_multiple);
  if (const Json* given = members.object("budget")) {
    Members budget(*given, "options.budget", errors);
    budget.take("parameters", out.budget.parameters);
    budget.take("tokens", out.budget.tokens);
    budget.take("flops", out.budget.flops);
    budget.take("aspect", out.budget.aspect);
    budget.take("memory", out.budget.memory);
  }
  constexpr std::array objectives{"tokens", "mfu", "step", "prefill", "decode", "cost"};
  constexpr std::array baskets{"worst", "mean"};
  members.take_one_of("objective", objectives, out.objective);
  members.take_one_of("basket", baskets, out.basket);
  members.take("weights", out.weights);
  members.take("prices", out.prices);
  members.take("top", out.top);
  members.take("every", out.every);
  return out;
}

api::PlanOptions plan_options(const Json& options, std::vector<api::Error>& errors) {
  api::PlanOptions out;
  Members members(options, "options", errors);
  out.read = read_of(members);
  out.gpus = gpus_of(members);
  members.take("model", out.model);
  if (const Json* count = members.find("num_gpus"); count != nullptr && count->is_number_integer()) {
    out.num_gpus = count->dump();
  } else {
    members.take("num_gpus", out.num_gpus);
  }
  members.take("prices", out.prices);
  members.take("global_batch", out.global_batch);
  members.take("tokens", out.tokens);
  members.take("input_tokens", out.input_tokens);
  members.take("output_tokens", out.output_tokens);
  members.take("ttft_ms", out.ttft_ms);
  members.take("tpot_ms", out.tpot_ms);
  members.take("e2e_ms", out.e2e_ms);
  members.take("rate", out.rate);
  members.take("concurrency", out.concurrency);
  members.take("formats", out.formats);
  members.take("over", out.over);
  members.take("top", out.top);
  return out;
}

}  // namespace shapelint::wasm
