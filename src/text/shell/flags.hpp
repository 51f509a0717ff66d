// From the words of a command line to flags and their values.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "text/document.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text::shell {

struct Flag {
  Text name;
  std::vector<Text> values;  // none: a flag on its own
};

struct Flags {
  std::vector<Text> command;  // words before the first flag
  std::vector<Flag> flags;
  std::vector<Text> arguments;
  Text configuration;  // the YAML file among the words that belong to no flag; empty for none
  // A word of lower-case letters, and the word behind it that is no flag: `vllm serve MODEL` has `vllm`
  // before `serve`, and that before the model. Without the folder of a program.
  std::vector<std::pair<std::string, Text>> following;
  std::vector<Flag> overrides;  // Hydra's `model.path=x`, `+trainer.nnodes=2`: the key, and one value
  // Of `docker run`: the image, and what its options set in the environment; the rest is of the command in
  // it.
  Text image;
  std::vector<Flag> environment;
};

// Words that hold several flags (`eval "$CMD"`, `bash -c "…"`) are split first.
Flags collect_flags(const std::vector<Text>& words);
// The same of every command in the words: `bash -c "cd here && python train.py --x 1"` has two. Those behind
// the first whose arguments describe no run are left out.
std::vector<Flags> collect_commands(const std::vector<Text>& words);

// Adds one word as a typed value. `beside`: the text that the word is used next to (its flag's name), which
// decides what counts as the place of use; empty for a variable.
void add_value(TreeBuilder& tree, std::int32_t parent, std::string_view key, Span key_span, const Text& word,
               const Text& beside);

// The bytes of a flag's name.
Span name_span(const Text& name);

// From the first to the last value of a flag that has some.
Span values_span(const Flag& flag);

}  // namespace shapelint::text::shell
