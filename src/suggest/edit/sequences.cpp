// Limits of engines.
#include "suggest/edit/sequences.hpp"

#include "gpu/engines.hpp"
#include "model/fields.hpp"

namespace shapelint::suggest {

std::int64_t sequences_at_a_time(double memory_gib, const model::Plan& plan) {
  if (plan.most_sequences > 0) return plan.most_sequences;
  const gpu::EngineMemory* engine =
      gpu::engine_memory(model::value_text(model::FieldId::engine, static_cast<std::int64_t>(plan.engine)));
  if (engine == nullptr) return 0;
  return memory_gib < engine->small_below_gib ? engine->small_sequences : engine->sequences;
}

}  // namespace shapelint::suggest
