// A configuration that was understood: the numbers, and where each of them came from.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/exports.hpp"
#include "model/fields.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

struct LayerKey;  // model/layer_list.hpp

struct Origin {
  enum class Kind : std::uint8_t {
    unknown,       // not stated, and there is no sensible assumption: rules that need it stay silent
    stated,        // written in the file at `span`
    command_line,  // a flag or the linter's configuration
    derived,       // computed from other fields: `note` says from which
    defaulted      // `note` says whose default
  };
  Kind kind = Kind::unknown;
  std::string path;  // stated: the file (it may be another than the one linted: inheritance)
  Span span;         // stated: the value's bytes
  Span use_span;  // stated: where the value is used, when it is written elsewhere (alias, `${…}`, `$VAR`)
  Span key_span;  // stated: the key's bytes
  std::string key_path;  // stated: `model.hidden_size`, as the file calls it
  std::string note;
  bool scales_with_width = false;  // computed from hidden_size, which it follows
  double per_unit = 0;             // stated as a ratio to hidden_size: what a ratio of 1 gives
};

// A value given on the command line or in the linter's configuration; it wins over the file's.
struct Override {
  FieldId field = no_field;
  std::int64_t value = 0;
  std::string flag;  // `--tensor`, for messages
};

// Something in the file that was not understood, or that a reader had to decide: for verbose output.
struct Note {
  std::string message;
  std::string path;
  Span span;
  std::string key_path;
};

// Something in the file that is a likely mistake whatever the shape is: for rules of scope `remark`.
struct Remark {
  enum class Kind : std::uint8_t {
    duplicate_key,
    repeated_key,  // the same, with the same value
    number_misread,
    unresolved,
    needed_key_misspelt,  // a key that is nearly one of a size without which nothing, or something else, is
                          // predicted
    key_misspelt,         // of any other field
    value_refused,        // a text that is none of those that the framework takes
    format_unmultiplied   // a number format that a named GPU has no units for
  };
  Kind kind = Kind::duplicate_key;
  std::string path;  // of the file
  Span span;         // the bytes to mark
  std::string key_path;
  std::string key;      // or several, for messages
  std::string written;  // as the file has it
  std::string meaning;  // what becomes of it, in words
  std::string instead;  // what to write, or what counts; may be empty
  FieldId field = no_field;
};

// A value that a dialect computed on the way, for rules about that dialect's own conventions.
struct Extra {
  std::string name;
  double value = 0;
  Origin origin;
};

// Where a file states a key of a layer: of a CNN by the layer's id, and -1 for the network's own
// (`in_channels` of the image); of a list of layers by the layer's place in it, the first of several for
// which one key stands.
struct LayerOrigin {
  std::int32_t layer = -1;
  std::string key;  // `out_channels`; empty: the layer as a whole
  Span span;        // the value's bytes
  Span key_span;
  std::string key_path;  // `conv[2].layers[0].out_channels`
};

struct Reading {
  std::string name;     // of the model, for headings
  std::string path;     // of the file
  std::string dialect;  // "native", …
  Setup setup;
  PerField<Origin> origins;
  std::vector<LayerOrigin> layers;  // of every key of a layer that the file states
  std::string part;                 // which model of the file: `text`, `vision`; empty when there is only one
  std::string model_type;           // as the file calls it: `llama`
  std::string checkpoint;           // that the file names for an engine or a trainer to load: `Qwen/Qwen3-8B`
  // Where the models of a file are one step together (the halves of an encoder-decoder), or its plans one
  // iteration (reinforcement learning): how often this one runs in it. 0: it is a step of its own.
  double runs_in_whole = 0;
  bool complete = true;  // enough is known to cost it: width, layers, heads, MLP
  std::vector<Note> notes;
  std::vector<Extra> extras;
  std::vector<Remark> remarks;
};

// For no_field of unknown kind.
inline const Origin& origin(const Reading& reading, FieldId id) {
  static const Origin none;
  return id == no_field ? none : reading.origins[id];
}

inline bool is_known(const Reading& reading, FieldId id) {
  return origin(reading, id).kind != Origin::Kind::unknown;
}

// In the file or on the command line: not derived, nor anybody's default.
inline bool is_stated(const Reading& reading, FieldId id) {
  const Origin::Kind kind = origin(reading, id).kind;
  return kind == Origin::Kind::stated || kind == Origin::Kind::command_line;
}

// A value that the file's dialect worked out on the way (Extra), by any name; 0 where it has none.
inline double extra_named(const Reading& reading, std::string_view name) {
  for (const Extra& each : reading.extras) {
    if (each.name == name) return each.value;
  }
  return 0;
}

// The same of those that the program knows.
inline double extra(const Reading& reading, ExportName name) {
  return extra_named(reading, name.str());
}

// nullptr when the file does not state it.
inline const LayerOrigin* find_layer_key(const Reading& reading, std::int32_t layer, std::string_view key) {
  for (const LayerOrigin& each : reading.layers) {
    if (each.layer == layer && each.key == key) return &each;
  }
  return nullptr;
}

// Where the file states `value` of layers that have it of their own.
std::vector<const LayerOrigin*> origins_of_layers(const Reading& reading, const LayerKey& key,
                                                  std::int64_t value);

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

// Sizes of a transformer that a prediction needs and that are not stated.
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

// Whether a step that decodes makes sense: an encoder reads its text, image or sound whole, and a diffusion
// transformer computes all of its patches in every pass.
inline bool decodes(const ModelSpec& model) {
  const bool is_diffusion = model.diffusion.modulation > 0 || model.diffusion.text_joined;
  return !is_diffusion && (model.causal || model.cross_attention);
}
inline constexpr std::string_view no_decoding =
    "an encoder or a diffusion transformer has no decoding step: it reads its input in one pass";

// Defaults that a prediction depends on: what is not stated of a model or its run.

// Neither stated, nor a default of the framework: our guess.
bool is_assumed(const Reading& reading, FieldId field);

// The guesses that decide what a prediction is worth: the size of a step, its number format, its attention,
// the vocabulary, and how new the software is that trains a mixture.
std::vector<FieldId> assumed_fields(const Reading& reading);

// The published model, or the config.json, that a file's reading has its shape from by name; empty: none.
std::string published_shape(const Reading& reading);

// How a run may be laid out over GPUs, one way in each framework and another in the next.
inline constexpr std::array layout_fields{FieldId::tensor,
                                          FieldId::pipeline,
                                          FieldId::virtual_pipeline,
                                          FieldId::embedding_stages,
                                          FieldId::context,
                                          FieldId::sequence_parallel,
                                          FieldId::expert};

// What a reading's extras say of those of them that no key of the file's framework sets: this, and its name.
inline constexpr std::string_view unsettable_prefix = "unsettable_";
std::string unsettable(FieldId field);

// The same of those of their values that no key gives.
std::string unsettable(FieldId field, std::int64_t value);

// The ratio to hidden_size, as decimals, that gives a value where its origin is such a ratio; empty: it is
// none.
std::string ratio_text(const Origin& origin, std::int64_t value);

// As if the command line said so: it is no longer assumed, and follows from no other field.
void give(Reading& reading, FieldId field, std::int64_t value);
// A value that follows from others, and how.
void set_derived(Reading& reading, FieldId field, std::int64_t value, std::string note);

}  // namespace shapelint::model
