// Values that a file states, or leaves to a file that is not there, and that only the run knows.
#pragma once

#include <algorithm>
#include <vector>

#include "model/reading.hpp"

namespace shapelint::model {

// One remark for each such field. A reading that has any cannot be priced.
inline std::vector<const Remark*> unresolved(const Reading& reading) {
  std::vector<const Remark*> out;
  for (const Remark& each : reading.remarks) {
    if (each.kind == Remark::Kind::unresolved) out.push_back(&each);
  }
  return out;
}

inline bool is_unresolved(const Reading& reading, FieldId field) {
  return std::any_of(reading.remarks.begin(), reading.remarks.end(), [&](const Remark& each) {
    return each.kind == Remark::Kind::unresolved && each.field == field;
  });
}

// Sizes of a transformer without which nothing can be predicted, and of which nobody says anything.
inline std::vector<FieldId> missing_sizes(const Reading& reading) {
  std::vector<FieldId> out;
  for (const FieldId field : {FieldId::hidden_size, FieldId::num_layers, FieldId::num_attention_heads,
                              FieldId::vocab_size, FieldId::sequence_length}) {
    const ModelSpec& model = reading.setup.model;
    if (field == FieldId::vocab_size && !model.lm_head) continue;
    // Nothing of attention is asked of a model whose layers are all of another kind that is known.
    if (field == FieldId::num_attention_heads && model.mixers[0].kind != MixerKind::none &&
        model.num_layers > 0 && model.layers_without_attention >= model.num_layers)
      continue;
    if (!is_known(reading, field) && !is_unresolved(reading, field)) out.push_back(field);
  }
  return out;
}

// Whether a step that decodes makes sense: images and sound are read whole, and a diffusion transformer
// computes all of its patches in every pass.
inline bool decodes(const ModelSpec& model) {
  const bool is_diffusion = model.diffusion.modulation > 0 || model.diffusion.text_joined;
  return !is_diffusion && (model.causal || model.input == Input::vocabulary);
}

}  // namespace shapelint::model
