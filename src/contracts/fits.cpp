// Which ways of dividing a model over GPUs run.
#include "contracts/fits.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "base/units.hpp"
#include "model/derive.hpp"
#include "model/reading.hpp"
#include "rules/engine/conditions.hpp"
#include "rules/scope/launch.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::contracts {

namespace {

using model::FieldId;
using model::Mode;

constexpr std::array<std::string_view, 6> fit_names{"runs",       "pads",         "is slower",
                                                    "falls back", "does not fit", "refused"};

Fit fit_of(const FitRow& row) {
  const auto any = [&](Consequence outcome) {
    return std::any_of(row.unmet.begin(), row.unmet.end(),
                       [&](const Verdict& each) { return each.contract->outcome == outcome; });
  };
  if (!row.broken.empty() || any(Consequence::refuses)) return Fit::refused;
  if (row.memory_gb > row.usable_gb || suggest::lacks_cache(row.capacity)) return Fit::too_large;
  if (any(Consequence::falls_back)) return Fit::falls_back;
  if (any(Consequence::slower)) return Fit::slower;
  return any(Consequence::pads) ? Fit::pads : Fit::runs;
}

class Fitter {
 public:
  explicit Fitter(const FitRequest& request)
      : request_(request), broken_(*request.rules, *request.reading), start_(*request.reading) {
    const model::Plan& plan = start_.setup.plan;
    sequences_ = plan.micro_batch_size * std::max<std::int64_t>(1, plan.data);
    if (plan.mode == Mode::decode) sequences_ *= std::max<std::int64_t>(1, plan.pipeline);
  }

  std::vector<FitRow> rows(std::int64_t gpus) {
    std::vector<FitRow> out;
    for (const Layout& layout : layouts(start_.setup, gpus, false)) {
      FitRow row;
      static_cast<Layout&>(row) = layout;
      for (const std::int64_t zero : zero_stages(layout.data * layout.context)) {
        row.zero = zero;
        for (const Format& format : formats()) out.push_back(fill(row, format));
      }
    }
    sort(out);
    return out;
  }

 private:
  std::vector<Format> formats() const {
    if (!request_.formats.empty()) return request_.formats;
    return {Format{start_.setup.plan.dtype, start_.setup.plan.recipe}};
  }

  // What data-parallel ranks may share, unless the file says: nothing, the optimizer's states (Megatron's
  // distributed optimizer), all of it (FSDP).
  std::vector<std::int64_t> zero_stages(std::int64_t ranks) const {
    const std::int64_t own = start_.setup.plan.zero;
    if (start_.setup.plan.mode != Mode::train || is_stated(*request_.reading, FieldId::zero)) return {own};
    if (ranks <= 1 || !start_.setup.model.conv.empty()) return {own};
    return {0, 1, 3};
  }

  FitRow fill(FitRow row, const Format& format) {
    model::Reading reading = start_;
    row.format = format;
    model::give(reading, FieldId::tensor, row.tensor);
    model::give(reading, FieldId::pipeline, row.pipeline);
    model::give(reading, FieldId::context, row.context);
    model::give(reading, FieldId::data, row.data);
    model::give(reading, FieldId::expert, row.expert);
    model::give(reading, FieldId::expert_tensor, row.expert_tensor);
    if (reading.setup.plan.mode == Mode::train) model::give(reading, FieldId::zero, row.zero);
    model::give(reading, FieldId::dtype, static_cast<std::int64_t>(format.dtype));
    model::give(reading, FieldId::recipe, static_cast<std::int64_t>(format.recipe));
    if (reading.setup.plan.mode != Mode::train) {
      const std::int64_t shares = start_.setup.plan.mode == Mode::decode ? row.data * row.pipeline : row.data;
      model::give(reading, FieldId::micro_batch_size,
                  std::max<std::int64_t>(1, (sequences_ + shares - 1) / shares));
    }
    reading.setup.plan.gradient_accumulation = rules::micro_batches_kept(start_, reading.setup.plan);
    model::rederive(reading.setup, reading.origins);
    const model::Setup& setup = reading.setup;
    for (const std::string_view code : words_of(broken_.of(setup))) row.broken.emplace_back(code);
    if (!row.broken.empty()) {
      const rules::Rule* rule = request_.rules->find(row.broken.front());
      if (rule != nullptr) row.broken_summary = rule->summary;
    }
    std::vector<Verdict> all;
    if (request_.checker != nullptr) all = request_.checker->check(reading, setup, *request_.gpu);
    for (Verdict& each : all) {
      if (!each.meets) row.unmet.push_back(std::move(each));
    }
    row.memory_gb = suggest::memory_bytes(as_run(setup, row.unmet)) / bytes_per_gb;
    row.usable_gb = suggest::usable_bytes(gpu::memory_gib(*request_.gpu), setup) / bytes_per_gb;
    row.capacity = suggest::capacity_of(*request_.gpu, as_run(setup, row.unmet));
    row.fit = fit_of(row);
    if (row.fit == Fit::refused) return row;
    row.price = price(setup, row.unmet, *request_.gpu);
    row.tokens_per_s =
        row.price.tokens_per_step / row.price.time_us * us_per_s * static_cast<double>(row.data);
    return row;
  }

  static std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (end > 0) out.push_back(text.substr(0, end));
      text.remove_prefix(std::min(text.size(), end + 1));
    }
    return out;
  }

  static void sort(std::vector<FitRow>& rows) {
    const auto group = [](const FitRow& row) {
      return row.fit == Fit::refused ? 2 : row.fit == Fit::too_large ? 1 : 0;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const FitRow& a, const FitRow& b) {
      if (group(a) != group(b)) return group(a) < group(b);
      if (group(a) == 1) return a.memory_gb < b.memory_gb;
      return a.tokens_per_s > b.tokens_per_s;
    });
  }

  const FitRequest& request_;
  rules::BrokenRules broken_;
  model::Reading start_;
  std::int64_t sequences_ = 1;
};

}  // namespace

std::string_view name(Fit fit) {
  return fit_names[static_cast<std::size_t>(fit)];
}

std::string name(const Format& format) {
  const std::string_view dtype = shapelint::name(format.dtype);
  return format.recipe == Recipe::none ? std::string(dtype)
                                       : fmt::format("{}:{}", dtype, shapelint::name(format.recipe));
}

Result<Format> parse_format(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view first = text.substr(0, colon);
  Format out;
  bool is_known = false;
  std::vector<std::string_view> known;
  for (const DTypeInfo& each : dtypes) {
    known.push_back(each.name);
    if (each.name != first) continue;
    out.dtype = each.dtype;
    is_known = true;
  }
  if (!is_known) {
    std::string hint = did_you_mean(first, known);
    if (hint.empty())
      hint = fmt::format("expected one of {}, with `:RECIPE` after it", fmt::join(known, ", "));
    return Error{fmt::format("`{}` is not a known dtype", first), std::move(hint), {}, {}};
  }
  if (colon == std::string_view::npos) return out;
  const auto recipe = parse_recipe(text.substr(colon + 1));
  if (!recipe || !goes_with(*recipe, out.dtype)) {
    return Error{fmt::format("`{}` is not a recipe of {}", text.substr(colon + 1), first),
                 fmt::format("one of {}", fmt::join(recipe_names, ", ")),
                 {},
                 {}};
  }
  out.recipe = *recipe;
  return out;
}

Result<std::vector<Format>> parse_formats(const std::vector<std::string>& texts) {
  std::vector<Format> out;
  for (const std::string& text : texts) {
    const auto format = parse_format(text);
    if (!format) return format.error();
    out.push_back(*format);
  }
  return out;
}

std::vector<FitRow> fits(const FitRequest& request) {
  Fitter fitter(request);
  std::vector<FitRow> out;
  for (const std::int64_t count : request.counts) {
    std::vector<FitRow> rows = fitter.rows(count);
    out.insert(out.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  }
  return out;
}

}  // namespace shapelint::contracts
