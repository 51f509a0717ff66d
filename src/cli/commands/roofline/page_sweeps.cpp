// What the interactive page sweeps when nobody says.
#include "cli/commands/roofline/page_sweeps.hpp"

#include <algorithm>
#include <set>

#include "model/fields.hpp"

namespace shapelint::cli {

namespace {

constexpr std::int64_t least_steps = 8;  // of a dimension that is swept on both sides of the file's value
constexpr std::int64_t most_values = 80;

suggest::RangeRequest range_of(model::FieldId field, const std::set<std::int64_t>& values) {
  suggest::RangeRequest range;
  range.field = field;
  range.values.assign(values.begin(), values.end());
  return range;
}

// A quarter to both sides, in steps of 32 or more, and the value itself.
std::set<std::int64_t> around(std::int64_t own) {
  constexpr std::int64_t fine = 32;
  std::int64_t step = fine;
  while (own / 2 / step > most_values) step *= 2;
  if (own < 4 * least_steps * step / 2) return {};
  std::set<std::int64_t> out{own};
  const std::int64_t middle = own / step * step;
  const std::int64_t reach = own / 4 / step * step;
  for (std::int64_t value = middle - reach; value <= middle + reach; value += step) out.insert(value);
  return out;
}

// Every value from a little below the file's to a little beyond the next multiple of 64: alignment changes
// from one to the next.
std::set<std::int64_t> vocabularies(std::int64_t own) {
  constexpr std::int64_t beyond = 8;
  constexpr std::int64_t aligned = 64;
  std::set<std::int64_t> out;
  const std::int64_t last = (own / aligned + 1) * aligned + beyond;
  for (std::int64_t value = std::max<std::int64_t>(1, own - beyond); value <= last; ++value)
    out.insert(value);
  return out;
}

// Powers of two from `low` to `high` and the file's own value, unless that is far outside.
std::set<std::int64_t> doublings(std::int64_t low, std::int64_t high, std::int64_t own) {
  std::set<std::int64_t> out;
  for (std::int64_t value = low; value <= high; value *= 2) out.insert(value);
  if (own >= low && own <= high) out.insert(own);
  return out;
}

// Counts of heads that divide the hidden size into heads of usual widths, with as many groups as there are.
std::set<std::int64_t> heads(const model::Setup& setup) {
  const model::ModelSpec& model = setup.model;
  constexpr std::int64_t narrowest = 32;
  constexpr std::int64_t widest = 256;
  std::set<std::int64_t> out;
  const bool grouped = model.num_key_value_heads < model.num_attention_heads;
  for (std::int64_t count = 1; count <= model.hidden_size / narrowest; ++count) {
    const bool divides = model.hidden_size % count == 0 && count % setup.plan.tensor == 0 &&
                         (!grouped || count % model.num_key_value_heads == 0);
    if (divides && model.hidden_size / count <= widest) out.insert(count);
  }
  return out;
}

}  // namespace

std::vector<suggest::RangeRequest> page_sweeps(const model::Reading& reading) {
  const model::Setup& setup = reading.setup;
  const model::Plan& plan = setup.plan;
  const bool network = !setup.model.conv.empty();
  const bool decodes = plan.mode == model::Mode::decode;
  std::vector<suggest::RangeRequest> out;
  const auto add = [&](model::FieldId field, const std::set<std::int64_t>& values) {
    constexpr std::size_t least_values = 3;
    if (values.size() >= least_values) out.push_back(range_of(field, values));
  };
  const bool few = plan.mode == model::Mode::train && !network;
  const auto batches = [&] {
    add(model::FieldId::micro_batch_size, doublings(1, few ? 64 : 1024, plan.micro_batch_size));
  };
  if (network) {
    batches();
    return out;
  }
  if (decodes) {
    batches();
    add(model::FieldId::context_length, doublings(256, 131'072, plan.context_length));
    std::set<std::int64_t> budgets = doublings(32, 4096, plan.prefill_tokens);
    budgets.insert(0);
    add(model::FieldId::prefill_tokens, budgets);
  }
  add(model::FieldId::hidden_size, around(setup.model.hidden_size));
  add(model::FieldId::intermediate_size, around(setup.model.intermediate_size));
  add(model::FieldId::num_attention_heads, heads(setup));
  if (setup.model.lm_head) add(model::FieldId::vocab_size, vocabularies(setup.model.vocab_size));
  if (!decodes) {
    batches();
    add(model::FieldId::sequence_length, doublings(256, 65'536, plan.sequence_length));
  }
  return out;
}

}  // namespace shapelint::cli
