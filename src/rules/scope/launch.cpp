// What a file says of the GPUs that its run is launched on, and of the sequences that they share.
#include "rules/scope/launch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/arithmetic.hpp"
#include "rules/scope/context.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;
using model::Origin;

// Sequences of a step, where the framework refuses a remainder, and the micro-batches that are stated, too.
constexpr std::string_view batch_name = "shared_batch";
constexpr std::string_view accumulation_name = "stated_micro_batches";

std::int64_t whole(const Context& c, model::ExportName name) {
  return static_cast<std::int64_t>(extra(*c.reading, name));
}

bool counts_ranks_itself(const Context& c) {
  return model::origin(*c.reading, FieldId::data).kind == Origin::Kind::command_line;
}

std::int64_t of_a_replica(const Context& c) {
  const model::Plan& p = plan(c);
  return std::max<std::int64_t>(1, model::times(p.tensor, p.pipeline, p.context));
}

// GPUs that the launch counts; 0 where it does not, or where the nodes that it falls back on hold no whole
// replica.
std::int64_t counted_gpus(const Context& c) {
  const std::int64_t gpus = whole(c, world_name);
  return whole(c, open_name) > 0 && gpus % of_a_replica(c) != 0 ? 0 : gpus;
}

// Micro-batches that the file states in addition to its batch; 1 where it leaves them to that.
std::int64_t stated_micro_batches(const Context& c) {
  const std::int64_t stated = whole(c, accumulation_name);
  const bool is_ours = stated == c.reading->setup.plan.gradient_accumulation;
  return std::max<std::int64_t>(1, stated > 0 && is_ours ? plan(c).gradient_accumulation : stated);
}

// For the whole run; 1 if their number is not stated.
std::int64_t known_ranks(const Context& c) {
  if (is_stated(*c.reading, FieldId::data)) return std::max<std::int64_t>(1, plan(c).data);
  return std::max<std::int64_t>(1, launched_replicas(c));
}

// The same, as far as it is certain: what a script falls back on the environment may replace.
std::int64_t certain_ranks(const Context& c) {
  return whole(c, open_name) > 0 && !counts_ranks_itself(c) ? 1 : known_ranks(c);
}

}  // namespace

std::int64_t launched_gpus(const Context& c) {
  return counts_ranks_itself(c) ? 0 : counted_gpus(c);
}

std::int64_t launched_replicas(const Context& c) {
  return counted_gpus(c) / of_a_replica(c);
}

std::int64_t stage_ranks(const Context& c) {
  const model::Plan& p = plan(c);
  const bool is_told = is_stated(*c.reading, FieldId::data);
  const std::int64_t data = is_told || c.reading->dialect == "native" ? p.data : launched_replicas(c);
  const std::int64_t ranks = model::times(data, p.tensor, p.context);
  const bool is_open = whole(c, open_name) > 0 && model::times(p.expert, p.expert_tensor) > ranks;
  return is_open ? 0 : ranks;
}

bool knows_micro_batches(const Context& c) {
  const Origin::Kind kind = model::origin(*c.reading, FieldId::gradient_accumulation).kind;
  return c.reading->dialect == "native" || whole(c, accumulation_name) > 0 ||
         kind == Origin::Kind::command_line ||
         (is_stated(*c.reading, FieldId::gradient_accumulation) && launched_replicas(c) > 0);
}

bool assumes_micro_batches(const model::Reading& reading) {
  return reading.dialect != "native" &&
         model::origin(reading, FieldId::gradient_accumulation).kind == Origin::Kind::defaulted;
}

std::int64_t shared_batch(const Context& c) {
  return plan(c).mode == model::Mode::train ? whole(c, batch_name) : 0;
}

std::int64_t batch_unit(const Context& c) {
  if (!is_stated(*c.reading, FieldId::micro_batch_size)) return 0;
  return model::times(plan(c).micro_batch_size, certain_ranks(c), stated_micro_batches(c));
}

std::int64_t sequences_of_a_rank(const model::Reading& reading) {
  Context c;
  c.reading = &reading;
  c.setup = &reading.setup;
  const model::Plan& plan = reading.setup.plan;
  const std::int64_t batch = whole(c, accumulation_name) > 0 ? 0 : shared_batch(c);
  return batch > 0 ? batch / known_ranks(c) : model::times(plan.micro_batch_size, plan.gradient_accumulation);
}

std::int64_t global_batch(const model::Plan& plan) {
  return model::times(plan.micro_batch_size, plan.gradient_accumulation, plan.data);
}

namespace {

constexpr std::int64_t usual_step_tokens = 4'194'304;

bool states_batch(const model::Reading& reading) {
  return is_stated(reading, FieldId::micro_batch_size) || is_stated(reading, FieldId::gradient_accumulation);
}

}  // namespace

std::int64_t step_sequences(const model::Reading& reading) {
  const double shared = extra(reading, "shared_batch");
  if (shared > 0) return static_cast<std::int64_t>(shared);
  const model::Plan& plan = reading.setup.plan;
  if (states_batch(reading)) return global_batch(plan);
  return std::max<std::int64_t>(1, usual_step_tokens / std::max<std::int64_t>(1, plan.sequence_length));
}

model::Reading with_usual_batch(const model::Reading& reading) {
  model::Reading out = reading;
  if (reading.setup.plan.mode != model::Mode::train || !reading.setup.model.conv.empty() ||
      states_batch(reading) || extra(reading, "shared_batch") > 0)
    return out;
  const FieldId accumulation = FieldId::gradient_accumulation;
  model::set(out.setup, accumulation,
             model::divide_up(step_sequences(reading), global_batch(out.setup.plan)));
  out.origins[accumulation].kind = Origin::Kind::stated;
  out.extras.push_back({"fixes_batch", 1, {}});
  return out;
}

std::int64_t gpus_of_plan(const model::Plan& plan) {
  return model::times(plan.tensor, plan.pipeline, plan.context, plan.data);
}

std::optional<std::int64_t> whole_micro_batches(std::int64_t batch, const model::Plan& plan) {
  const std::int64_t at_once = model::times(plan.micro_batch_size, plan.data);
  if (at_once < 1 || batch % at_once != 0) return std::nullopt;
  return batch / at_once;
}

std::int64_t micro_batches_kept(const model::Reading& reading, const model::Plan& plan) {
  const Origin::Kind kind = model::origin(reading, FieldId::gradient_accumulation).kind;
  if (plan.mode != model::Mode::train || extra(reading, "fixes_batch") <= 0 ||
      kind == Origin::Kind::command_line)
    return plan.gradient_accumulation;
  const std::int64_t at_once = std::max<std::int64_t>(1, model::times(plan.micro_batch_size, plan.data));
  return std::max<std::int64_t>(1, model::divide_up(global_batch(reading.setup.plan), at_once));
}

std::string batch_parts(const Context& c) {
  std::string out = fmt::format("`micro_batch_size` {}", plan(c).micro_batch_size);
  const std::int64_t ranks = certain_ranks(c);
  if (ranks > 1) out += fmt::format(" x {} data-parallel ranks", ranks);
  const std::int64_t micro_batches = stated_micro_batches(c);
  if (micro_batches > 1) out += fmt::format(" x {} micro-batches", micro_batches);
  return out;
}

}  // namespace shapelint::rules
