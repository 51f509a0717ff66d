// Files of contracts, read, and all of them together.
#include "contracts/book.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "catalog/catalog.hpp"
#include "expr/expression.hpp"
#include "gpu/registry.hpp"
#include "rules/scope/variables.hpp"
#include "text/table_reader.hpp"

namespace shapelint::contracts {

namespace {

using rules::Text;
using text::Kind;
using text::NodeRef;

constexpr std::array<std::string_view, 4> outcome_names{"refuses", "pads", "falls-back", "slower"};
constexpr std::array<std::string_view, 4> outcome_sentences{"refuses", "pads", "falls back", "is slower"};
// `attention` has its projections, `experts` their router and their copies of rows on one GPU; with `.kernel`
// behind it only what the kernel itself computes is meant. What is of a `tower` binds towers of images and
// sound, and nothing else does.
constexpr std::array<std::string_view, 12> layer_names{
    "any",       "attention", "attention.kernel", "mlp",         "experts",   "experts.kernel",
    "embedding", "linear",    "communication",    "state-space", "optimizer", "tower"};
constexpr std::array<std::string_view, 2> file_keys{"package", "contract"};
constexpr std::array<std::string_view, 6> package_keys{"name",    "repository", "branch",
                                                       "version", "commit",     "date"};
constexpr std::array<std::string_view, 22> contract_keys{
    "unless",  "name",  "since",   "until",   "with",   "architectures", "modes", "dtypes",
    "recipes", "layer", "summary", "why",     "when",   "demands",       "size",  "outcome",
    "blame",   "set",   "factor",  "instead", "source", "issues"};
constexpr std::string_view example_key = "example";
constexpr std::array<std::string_view, 5> source_keys{"file", "line", "lines", "commit", "fingerprint"};
constexpr std::array<std::string_view, 4> example_keys{"config", "gpu", "says", "meets"};

class ContractReader : text::TableReader {
 public:
  ContractReader(bool check, std::vector<Error>& errors)
      : TableReader(errors), check_(check), errors_(errors) {}

  std::vector<Contract> read(NodeRef root) {
    std::vector<Contract> out;
    if (!root.is(Kind::table)) {
      errors_.push_back(root.error("the file is empty", "it needs `[package]` and `[[contract]]`"));
      return out;
    }
    text::check_keys(root, file_keys, errors_);
    const Package package = read_package(root);
    if (!root["contract"]) errors_.push_back(root.error("there is no `[[contract]]`"));
    for (const NodeRef node : list(root["contract"])) out.push_back(read_contract(node, package));
    return out;
  }

 private:
  std::int64_t integer_or(NodeRef node, std::int64_t fallback) {
    if (!node) return fallback;
    const auto value = node.as_integer();
    if (value && *value >= 1) return *value;
    errors_.push_back(node.error("expected a whole number from 1 on"));
    return fallback;
  }

  void unknown(NodeRef node, std::string_view kind, std::span<const std::string_view> known) {
    const auto name = node.as_string();
    if (!name) {
      errors_.push_back(node.error(fmt::format("expected a string, found {}", text::describe(node.kind()))));
      return;
    }
    std::string hint = did_you_mean(*name, known);
    if (hint.empty()) hint = fmt::format("one of {}", fmt::join(known, ", "));
    errors_.push_back(
        with_code(node.error(fmt::format("`{}` is not a known {}", *name, kind), std::move(hint)),
                  ErrorCode::unknown_name));
  }

  // The position of a name among others.
  std::optional<std::size_t> choice(NodeRef node, std::string_view kind,
                                    std::span<const std::string_view> known) {
    const auto name = node.as_string();
    const auto found = std::find(known.begin(), known.end(), name.value_or(""));
    if (name && found != known.end()) return static_cast<std::size_t>(found - known.begin());
    unknown(node, kind, known);
    return std::nullopt;
  }

  std::vector<std::int64_t> choices(NodeRef node, model::FieldId field) {
    std::vector<std::int64_t> out;
    for (const NodeRef item : list(node)) {
      const auto index = choice(item, model::info(field).name, model::info(field).choices);
      if (index) out.push_back(static_cast<std::int64_t>(*index));
    }
    return out;
  }

  void version(NodeRef node, std::string_view value) {
    if (value.empty() || parse_version(value)) return;
    errors_.push_back(node.error(fmt::format("`{}` is not a version", value), "such as `0.24.1`"));
  }

  Text expression(NodeRef table, std::string_view key) {
    const NodeRef node = table[key];
    const Text out{string_or(node, {}), node};
    if (check_ && !out.value.empty()) check_expression(out);
    return out;
  }

  void check_expression(const Text& text) {
    std::vector<Error> found;
    const auto compiled = expr::compile(text.value, rules::variable_names(), found);
    if (compiled) {
      for (const std::int32_t used : compiled->used()) {
        const auto index = static_cast<std::size_t>(used);
        const rules::Level level = rules::level_of(index);
        if (level == rules::Level::model || level == rules::Level::gpu) continue;
        found.push_back(
            {fmt::format("`{}` is not a variable of model or GPU", rules::variable_names()[index]),
             {},
             {},
             {}});
      }
    }
    for (Error& error : found) {
      errors_.push_back(text.node.error(fmt::format("{} in `{}`", error.message, text.value), error.hint));
    }
  }

  Package read_package(NodeRef root) {
    Package out;
    const NodeRef node = root["package"];
    if (!node.is(Kind::table)) {
      errors_.push_back(root.error("the table `[package]` is missing"));
      return out;
    }
    text::check_keys(node, package_keys, errors_);
    out.name = required(node, "name");
    out.repository = required(node, "repository");
    out.version = required(node, "version");
    out.commit = required(node, "commit");
    out.date = required(node, "date");
    version(node["version"], out.version);
    return out;
  }

  Contract read_contract(NodeRef node, const Package& package) {
    Contract out;
    text::check_keys(node, contract_keys, errors_, example_key);
    out.package = package;
    out.name = required(node, "name");
    out.id = fmt::format("{}/{}", package.name, out.name);
    out.since = string_or(node["since"], {});
    out.until = string_or(node["until"], {});
    version(node["since"], out.since);
    version(node["until"], out.until);
    for (const NodeRef item : list(node["with"])) out.with.push_back(string_or(item, {}));
    for (const NodeRef item : list(node["unless"])) out.unless.push_back(string_or(item, {}));
    read_architectures(node["architectures"], out);
    out.modes = choices(node["modes"], model::FieldId::mode);
    out.dtypes = choices(node["dtypes"], model::FieldId::dtype);
    out.recipes = choices(node["recipes"], model::FieldId::recipe);
    out.layer = required(node, "layer");
    if (node["layer"]) choice(node["layer"], "kind of layer", layer_names);
    out.summary = required(node, "summary");
    out.why = string_or(node["why"], {});
    out.when = expression(node, "when");
    out.demands = expression(node, "demands");
    if (out.demands.value.empty()) errors_.push_back(node.error("the key `demands` is missing"));
    out.size = expression(node, "size");
    if (!node["outcome"]) errors_.push_back(node.error("the key `outcome` is missing"));
    if (node["outcome"]) {
      const auto index = choice(node["outcome"], "outcome", outcome_names);
      out.outcome = static_cast<Consequence>(index.value_or(0));
    }
    for (const NodeRef item : list(node["blame"])) {
      if (field(item) != model::no_field) out.blame.push_back(string_or(item, {}));
    }
    for (const NodeRef child : node["set"]) read_set(node["set"], child, out);
    out.factor = expression(node, "factor");
    out.instead = string_or(node["instead"], {});
    check_outcome(node, out);
    read_sources(node, out);
    for (const NodeRef item : list(node[example_key])) read_example(item, out);
    return out;
  }

  model::FieldId field(NodeRef node) {
    const model::FieldId id = model::find_field(string_or(node, {}));
    if (id == model::no_field && node.as_string()) {
      errors_.push_back(with_code(node.error(fmt::format("unknown field `{}`", *node.as_string()),
                                             did_you_mean(*node.as_string(), model::field_names())),
                                  ErrorCode::unknown_name));
    }
    return id;
  }

  void read_set(NodeRef table, NodeRef child, Contract& out) {
    const model::FieldId id = model::find_field(child.key());
    if (id == model::no_field) {
      errors_.push_back(with_code(child.key_error(fmt::format("unknown field `{}`", child.key()),
                                                  did_you_mean(child.key(), model::field_names())),
                                  ErrorCode::unknown_name));
      return;
    }
    out.set.emplace_back(id, expression(table, child.key()));
  }

  // What each outcome has to say.
  void check_outcome(NodeRef node, const Contract& contract) {
    const bool has_cost = !contract.set.empty() || !contract.factor.value.empty();
    if (contract.outcome == Consequence::refuses && has_cost) {
      errors_.push_back(node["outcome"].error("what is refused has no cost", "leave out `set` and `factor`"));
    }
    if (contract.outcome == Consequence::pads && !has_cost) {
      errors_.push_back(node["outcome"].error("what is padded needs `set` or `factor`",
                                              "fields and their padded sizes, or how much longer it takes"));
    }
    if (contract.outcome == Consequence::falls_back && contract.instead.empty()) {
      errors_.push_back(node["outcome"].error("the key `instead` is missing", "what runs in its place"));
    }
  }

  void read_architectures(NodeRef node, Contract& out) {
    for (const NodeRef item : list(node)) {
      const std::string_view id = string_or(item, {});
      if (gpu::find_architecture_file(id) != nullptr) {
        out.architectures.push_back(id);
        continue;
      }
      std::vector<std::string_view> known;
      for (const text::Document& each : catalog::builtin("gpus/architectures"))
        known.push_back(gpu::id_of(each));
      unknown(item, "architecture", known);
    }
  }

  void read_sources(NodeRef node, Contract& out) {
    for (const NodeRef item : list(node["source"])) {
      text::check_keys(item, source_keys, errors_);
      SourceLines source;
      source.file = required(item, "file");
      source.line = integer_or(item["line"], 0);
      source.lines = integer_or(item["lines"], 1);
      source.commit = string_or(item["commit"], {});
      source.fingerprint = required(item, "fingerprint");
      out.sources.push_back(source);
    }
    for (const NodeRef item : list(node["issues"])) out.issues.push_back(string_or(item, {}));
    if (out.sources.empty() && out.issues.empty()) {
      errors_.push_back(node.error("neither `source` nor `issues` says where this stands"));
    }
  }

  void read_example(NodeRef node, Contract& out) {
    text::check_keys(node, example_keys, errors_);
    Example example;
    example.config = required(node, "config");
    example.gpu = string_or(node["gpu"], "h100");
    example.says = string_or(node["says"], {});
    const auto meets = node["meets"].as_boolean();
    if (!meets) errors_.push_back(node.error("an example says `meets = true` or `meets = false`"));
    example.meets = meets.value_or(false);
    out.examples.push_back(example);
  }

  bool check_;
  std::vector<Error>& errors_;
};

}  // namespace

std::string_view name(Consequence outcome) {
  return outcome_names[static_cast<std::size_t>(outcome)];
}
std::string_view sentence(Consequence outcome) {
  return outcome_sentences[static_cast<std::size_t>(outcome)];
}
std::span<const std::string_view> outcomes() {
  return outcome_names;
}
std::span<const std::string_view> layers() {
  return layer_names;
}

std::vector<Contract> read_contracts(NodeRef root, bool check, std::vector<Error>& errors) {
  return ContractReader(check, errors).read(root);
}

namespace {

constexpr std::size_t comparisons_per_unit = 2;

}  // namespace

Book::Book(std::span<const text::Document> documents, bool check, std::vector<Error>& errors,
           std::size_t known)
    : documents_(documents.begin(), documents.end()) {
  for (const text::Document& document : documents_) {
    const bool is_known = static_cast<std::size_t>(&document - documents_.data()) < known;
    for (Contract& each : read_contracts(document.root(), check && !is_known, errors)) {
      charge(1 + contracts_.size() / comparisons_per_unit);
      each.is_own = check && !is_known;
      const auto same = std::find_if(contracts_.begin(), contracts_.end(),
                                     [&](const Contract& other) { return other.id == each.id; });
      if (same == contracts_.end()) {
        contracts_.push_back(std::move(each));
      } else {
        *same = std::move(each);
      }
    }
  }
  std::sort(contracts_.begin(), contracts_.end(),
            [](const Contract& a, const Contract& b) { return a.id < b.id; });
}

const Contract* Book::find(std::string_view id) const {
  for (const Contract& each : contracts_) {
    if (each.id == id || each.name == id) return &each;
  }
  return nullptr;
}

std::vector<std::string_view> Book::ids() const {
  std::vector<std::string_view> out;
  for (const Contract& each : contracts_) out.push_back(each.id);
  return out;
}

std::vector<std::string_view> Book::packages() const {
  std::vector<std::string_view> out;
  for (const Contract& each : contracts_) out.push_back(each.package.name);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string_view Book::newest(std::string_view package) const {
  std::string_view out;
  for (const Contract& each : contracts_) {
    if (each.package.name != package) continue;
    const auto here = parse_version(each.package.version);
    const auto best = parse_version(out);
    if (here && (!best || compare(*best, *here) < 0)) out = each.package.version;
  }
  return out;
}

std::vector<text::Document> builtin_documents(std::string_view package) {
  constexpr std::string_view all = "contracts/";
  std::vector<text::Document> out;
  for (const catalog::EmbeddedFolder& each : catalog::embedded_folders()) {
    if (!each.path.starts_with(all) || (!package.empty() && each.path.substr(all.size()) != package))
      continue;
    const std::span<const text::Document> documents = each.documents();
    out.insert(out.end(), documents.begin(), documents.end());
  }
  return out;
}

const Book& builtin_contracts() {
  static const Book book = [] {
    const Uncharged kept;
    std::vector<Error> none;  // tests see to it that there are none
    return Book(builtin_documents(), false, none);
  }();
  return book;
}

const Book& builtin_contracts_of(std::string_view package) {
  static std::mutex mutex;
  static std::map<std::string, Book, std::less<>> books;
  const std::lock_guard lock(mutex);
  const auto known = books.find(package);
  if (known != books.end()) return known->second;
  const Uncharged kept;
  std::vector<Error> none;
  return books.emplace(package, Book(builtin_documents(package), false, none)).first->second;
}

}  // namespace shapelint::contracts
