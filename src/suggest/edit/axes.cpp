// Values for the fields of a search.
#include "suggest/edit/axes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "model/mixer.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;

// Reach of the usual axes, as shares of the present value. Parameters and aspect together leave hidden_size
// and num_layers less room than that.
constexpr double hidden_reach = 0.16;
constexpr double layers_reach = 0.25;
constexpr double intermediate_reach = 0.25;
constexpr std::int64_t least_multiple = 64;     // of widths: 128 bytes of 16-bit elements
constexpr std::int64_t most_width_values = 32;  // per axis: the multiple grows until there are fewer
constexpr std::size_t most_range_values = 1'000'000;

// Widths of a mixer's keys and values that models have and kernels are built for; half to twice the present
// one.
constexpr std::array<std::int64_t, 6> mixer_dims{16, 32, 64, 96, 128, 256};

bool is_near(std::int64_t value, std::int64_t present) {
  return 2 * value >= present && value <= 2 * present;
}

std::vector<std::int64_t> usual_mixer_dims(std::int64_t present) {
  std::vector<std::int64_t> out;
  std::copy_if(mixer_dims.begin(), mixer_dims.end(), std::back_inserter(out),
               [&](std::int64_t each) { return is_near(each, present); });
  return out;
}

std::vector<std::int64_t> multiples(std::int64_t value, double reach, std::int64_t multiple) {
  const double low = static_cast<double>(value) * (1 - reach);
  const double high = static_cast<double>(value) * (1 + reach);
  while ((high - low) / static_cast<double>(multiple) > static_cast<double>(most_width_values)) multiple *= 2;
  std::vector<std::int64_t> out;
  const auto first =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(low / static_cast<double>(multiple))));
  for (std::int64_t at = first * multiple; static_cast<double>(at) <= high; at += multiple) out.push_back(at);
  return out;
}

// What the search tries when only the field to vary is given.
std::vector<std::int64_t> usual_values(const Problem& problem, FieldId field,
                                       const std::vector<std::int64_t>& hidden_sizes) {
  const model::Setup& start = problem.start;
  const std::int64_t value = model::get(start, field);
  const std::int64_t tensor = std::max<std::int64_t>(1, start.plan.tensor);
  if (field == FieldId::hidden_size) return multiples(value, hidden_reach, least_multiple);
  if (field == FieldId::intermediate_size || field == FieldId::moe_intermediate_size) {
    const std::int64_t ranks = field == FieldId::intermediate_size ? tensor : start.plan.expert_tensor;
    return multiples(value, intermediate_reach, least_multiple * std::max<std::int64_t>(1, ranks));
  }
  if (field == FieldId::head_dim) return usual_head_dims(value);
  for (std::size_t which = 0; which < model::most_mixers; ++which) {
    const model::MixerFields& fields = model::mixer_fields[which];
    if (field == fields.key_dim || field == fields.value_dim) return usual_mixer_dims(value);
    if (field != fields.value_heads) continue;
    // As many values as now, in heads of another width.
    std::vector<std::int64_t> out;
    const model::Mixer& mixer = start.model.mixers[which];
    const std::int64_t columns = model::value_columns(mixer);
    for (const std::int64_t each : usual_mixer_dims(mixer.value_dim)) {
      if (columns % each == 0) out.push_back(columns / each);
    }
    return out;
  }
  if (field == FieldId::vocab_size || field == FieldId::vocab_padding_multiple) {
    // More padding than the nearest multiple only costs. Each rank's rows are padded to the framework's.
    const std::int64_t ranks = field == FieldId::vocab_size ? tensor : 1;
    std::vector<std::int64_t> out;
    for (const std::int64_t multiple : {least_multiple, 2 * least_multiple, 4 * least_multiple}) {
      out.push_back((value + multiple * ranks - 1) / (multiple * ranks) * (multiple * ranks));
      if (out.back() % (2 * multiple * ranks) == 0) break;
    }
    return out;
  }
  if (field == FieldId::num_layers) {
    const std::int64_t stages = std::max<std::int64_t>(1, start.plan.pipeline);
    std::vector<std::int64_t> out;
    const auto reach = static_cast<std::int64_t>(std::ceil(layers_reach * static_cast<double>(value)));
    for (std::int64_t at = std::max<std::int64_t>(1, value - reach); at <= value + reach; ++at) {
      if (at % stages == 0) out.push_back(at);
    }
    return out;
  }
  if (field == FieldId::num_attention_heads && problem.links.head_dim_from_hidden) {
    std::vector<std::int64_t> out;
    for (const std::int64_t hidden : hidden_sizes) {
      for (const std::int64_t each : usual_head_dims(start.model.head_dim)) {
        if (hidden % each == 0) out.push_back(hidden / each);
      }
    }
    return out;
  }
  if (field == FieldId::micro_batch_size) {
    std::vector<std::int64_t> out;
    constexpr std::int64_t largest_factor = 8;
    const bool is_kept =
        start.plan.mode == model::Mode::train && model::extra(*problem.reading, "fixes_batch") > 0;
    if (!is_kept) {
      for (std::int64_t at = 1; at <= largest_factor * value; at *= 2) out.push_back(at);
      return out;
    }
    // Micro-batches that make up what the file says a step takes.
    const std::int64_t sequences = value * std::max<std::int64_t>(1, start.plan.gradient_accumulation);
    for (std::int64_t at = 1; at <= std::min(sequences, largest_factor * value); ++at) {
      if (sequences % at == 0) out.push_back(at);
    }
    return out;
  }
  constexpr double reach = 0.02;
  return neighbourhood(*problem.reading, field, reach).values;
}

// Well-aligned values first, near ones before far ones: good candidates are found early.
void sort_for_search(std::vector<std::int64_t>& values, std::int64_t start) {
  const auto alignment = [](std::int64_t value) {
    constexpr int largest = 8;  // 2^8: the side of a tile
    return std::min(largest, std::countr_zero(static_cast<std::uint64_t>(value)));
  };
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::stable_sort(values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) {
    if (alignment(a) != alignment(b)) return alignment(a) > alignment(b);
    return std::abs(a - start) < std::abs(b - start);
  });
}

Error usage(std::string message, std::string hint = {}) {
  return Error{std::move(message), std::move(hint), {}, std::nullopt};
}

Result<FieldId> searched_field(std::string_view name, bool searchable) {
  const auto searched = search_fields();
  const auto search_names = model::names_of(searched);
  const FieldId field = model::find_field(name);
  if (field != model::no_field) {
    const bool known = !searchable || std::find(searched.begin(), searched.end(), field) != searched.end();
    if (known && model::info(field).type == model::FieldType::integer) return field;
    return usage(fmt::format("`{}` is not a dimension that can be varied", name),
                 fmt::format("these can: {}", fmt::join(search_names, ", ")));
  }
  std::string hint = did_you_mean(name, searchable ? search_names : model::field_names());
  if (hint.empty()) {
    hint = searchable ? fmt::format("these can be varied: {}", fmt::join(search_names, ", "))
                      : "`shapelint fields` lists them";
  }
  return with_code(usage(fmt::format("unknown field `{}`", name), std::move(hint)), ErrorCode::unknown_name);
}

template <class T>
bool is_in(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Where the framework pads the vocabulary, its option for that; the tokenizer's size stays.
FieldId vocabulary_field(const model::Reading& reading) {
  return model::extra(reading, "pads_for_tensor") > 0 ? FieldId::vocab_padding_multiple : FieldId::vocab_size;
}

}  // namespace

bool only_grows(FieldId field) {
  return field == FieldId::vocab_size || field == FieldId::sequence_length;
}

Result<RangeRequest> parse_range(std::string_view text, bool searchable) {
  constexpr std::string_view shape =
      "FIELD=LOW:HIGH, FIELD=LOW:HIGH:STEP, FIELD=LOW:HIGH:*FACTOR or FIELD=A,B,C";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return usage(fmt::format("`{}` is not a range", text), fmt::format("write {}", shape));
  }
  auto field = searched_field(text.substr(0, equals), searchable);
  if (!field) return field.error();
  RangeRequest out{*field, {}, std::string(text)};
  const model::FieldInfo& info = model::info(*field);
  const std::string_view rest = text.substr(equals + 1);
  const bool is_list = rest.find(':') == std::string_view::npos;
  std::vector<std::int64_t> numbers;
  bool multiplies = false;
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(is_list ? ',' : ':', begin), rest.size());
    if (!is_list && numbers.size() == 2 && rest.substr(begin, 1) == "*") {
      multiplies = true;
      ++begin;
    }
    const auto number = parse_integer(rest.substr(begin, end - begin));
    if (!number) {
      const std::string_view written = rest.substr(begin, end - begin);
      return usage(written.empty() ? fmt::format("`{}` has an empty value", text)
                                   : fmt::format("`{}` in `{}` is not a whole number", written, text),
                   fmt::format("write {}", shape));
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  if (!is_list && numbers.size() > 3) {
    return usage(fmt::format("`{}` has {} numbers", text, numbers.size()), fmt::format("write {}", shape));
  }
  const std::size_t limits = is_list ? numbers.size() : 2;
  for (std::size_t i = 0; i < limits; ++i) {
    if (numbers[i] < info.minimum || numbers[i] > info.maximum) {
      return usage(fmt::format("{} in `{}` is out of range for `{}`", numbers[i], text, info.name),
                   fmt::format("expected {} to {}", with_commas(info.minimum), with_commas(info.maximum)));
    }
  }
  if (is_list) {
    out.values = std::move(numbers);
    return out;
  }
  const std::int64_t step = numbers.size() == 3 ? numbers[2] : 1;
  if (numbers[0] > numbers[1]) {
    return usage(fmt::format("`{}` is empty: {} is above {}", text, numbers[0], numbers[1]));
  }
  if (multiplies) {
    if (step < 2) return usage(fmt::format("the factor of `{}` must be at least 2", text));
    if (numbers[0] < 1)
      return usage(fmt::format("`{}` multiplies from {}", text, numbers[0]), "expected 1 or more");
    for (std::int64_t at = numbers[0]; at <= numbers[1]; at *= step) out.values.push_back(at);
    return out;
  }
  if (step < 1) return usage(fmt::format("the step of `{}` must be at least 1", text));
  if (static_cast<std::size_t>((numbers[1] - numbers[0]) / step) >= most_range_values) {
    return usage(fmt::format("`{}` has more than {} values", text,
                             with_commas(static_cast<std::int64_t>(most_range_values))),
                 "give it a larger step");
  }
  for (std::int64_t at = numbers[0]; at <= numbers[1]; at += step) out.values.push_back(at);
  return out;
}

std::vector<FieldId> usual_fields(const model::Reading& reading, Shape shape) {
  const model::ModelSpec& model = reading.setup.model;
  std::vector<FieldId> out;
  if (shape == Shape::free) {
    out = {FieldId::hidden_size, FieldId::num_layers};
  } else {
    out.push_back(FieldId::micro_batch_size);
    if (reading.setup.plan.tensor > 1) out.push_back(FieldId::tensor);
  }
  if (shape == Shape::free && model.mla.kv_lora_rank == 0) {
    out.push_back(FieldId::head_dim);
    if (!links_of(reading).head_dim_from_hidden) out.push_back(FieldId::num_attention_heads);
    if (model.num_key_value_heads != model.num_attention_heads) out.push_back(FieldId::num_key_value_heads);
  }
  if (shape == Shape::fixed) {
    if (model.lm_head) out.push_back(vocabulary_field(reading));
    return out;
  }
  const bool one_width = model.moe.num_experts > 0 && links_of(reading).moe_intermediate_size;
  const bool has_key = model::extra_named(reading, model::unsettable(FieldId::intermediate_size)) <= 0;
  const bool has_dense =
      model.moe.num_experts <= 0 || model.moe.first_dense_layers > 0 || model.moe.layer_interval > 1;
  if (has_key && (one_width || has_dense)) {
    out.push_back(FieldId::intermediate_size);
  }
  if (model.moe.num_experts > 0 && !one_width) out.push_back(FieldId::moe_intermediate_size);
  if (model.lm_head) out.push_back(vocabulary_field(reading));
  return out;
}

void set_axes(Problem& problem, const AxesRequest& request, std::vector<Error>& errors) {
  const std::size_t before = errors.size();
  const auto named = [&](const std::vector<std::string>& names) {
    std::vector<FieldId> out;
    for (const std::string& name : names) {
      const auto field = searched_field(name, true);
      field ? out.push_back(*field) : errors.push_back(field.error());
    }
    return out;
  };
  std::vector<FieldId> vary = named(request.vary);
  const std::vector<FieldId> fix = named(request.fix);
  const bool usual = request.vary.empty();
  if (usual) {
    for (const FieldId each : usual_fields(*problem.reading, request.shape)) {
      if (!is_in(fix, each) && !is_in(problem.padded, each)) vary.push_back(each);
    }
  }
  for (const std::string& name : request.fix) {
    if (is_in(request.vary, name))
      errors.push_back(usage(fmt::format("`{}` is both fixed and varied", name)));
  }
  std::vector<RangeRequest> ranges = request.ranges;
  for (const RangeRequest& range : ranges) {
    const std::string_view name = model::info(range.field).name;
    if (is_in(fix, range.field)) {
      errors.push_back(usage(fmt::format("`{}` is fixed, and `--range {}` varies it", name, range.text)));
    }
    const auto same = std::count_if(ranges.begin(), ranges.end(),
                                    [&](const RangeRequest& each) { return each.field == range.field; });
    if (same > 1 && &range == &*std::find_if(ranges.begin(), ranges.end(), [&](const RangeRequest& each) {
          return each.field == range.field;
        })) {
      errors.push_back(usage(fmt::format("`{}` has {} ranges", name, same), "give one"));
    }
    const std::int64_t now = model::get(problem.start, range.field);
    const std::int64_t least = *std::min_element(range.values.begin(), range.values.end());
    if (only_grows(range.field) && least < now) {
      errors.push_back(
          usage(fmt::format("`--range {}` goes below {}: `{}` can only grow", range.text, now, name),
                "existing rows stay, padding is added"));
    }
    if (!is_in(vary, range.field)) vary.push_back(range.field);
  }
  // The number of heads and their width follow from each other where hidden_size joins them: one is enough.
  const auto ranged = [&](FieldId field) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const RangeRequest& r) { return r.field == field; });
  };
  if (usual && problem.links.head_dim_from_hidden && is_in(vary, FieldId::head_dim) &&
      !ranged(FieldId::head_dim) &&
      (ranged(FieldId::num_attention_heads) || is_in(fix, FieldId::num_attention_heads))) {
    std::erase(vary, FieldId::head_dim);
  }
  if (errors.size() > before) return;

  std::vector<std::int64_t> hidden_sizes{problem.start.model.hidden_size};
  for (const RangeRequest& range : ranges) {
    if (range.field == FieldId::hidden_size) hidden_sizes = range.values;
  }
  if (is_in(vary, FieldId::hidden_size) && !ranged(FieldId::hidden_size))
    hidden_sizes = usual_values(problem, FieldId::hidden_size, {});
  // Heads that their KV heads do not divide are no groups to keep.
  const model::ModelSpec& model = problem.start.model;
  const bool has_groups =
      model.num_attention_heads % std::max<std::int64_t>(1, model.num_key_value_heads) == 0;
  problem.relative_groups = usual && has_groups && is_in(vary, FieldId::num_key_value_heads) &&
                            !ranged(FieldId::num_key_value_heads);
  for (const FieldId field : vary) {
    const std::int64_t now = model::get(problem.start, field);
    Axis axis{field, {}};
    const auto range =
        std::find_if(ranges.begin(), ranges.end(), [&](const RangeRequest& r) { return r.field == field; });
    if (range != ranges.end()) {
      axis.values = range->values;
    } else if (problem.relative_groups && field == FieldId::num_key_value_heads) {
      axis.values = {0, 1};
    } else {
      axis.values = usual_values(problem, field, hidden_sizes);
      axis.values.push_back(now);
      if (only_grows(field)) std::erase_if(axis.values, [&](std::int64_t value) { return value < now; });
    }
    if (!(problem.relative_groups && field == FieldId::num_key_value_heads))
      sort_for_search(axis.values, now);
    const bool known = std::any_of(problem.axes.begin(), problem.axes.end(),
                                   [&](const Axis& each) { return each.field == field; });
    if (!known) problem.axes.push_back(std::move(axis));
  }
  std::sort(problem.axes.begin(), problem.axes.end(),
            [](const Axis& a, const Axis& b) { return search_order(a.field) < search_order(b.field); });
  if (problem.axes.empty()) errors.push_back(usage("nothing is left to vary: every field is fixed"));
}

}  // namespace shapelint::suggest
