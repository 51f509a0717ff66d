// What tells a dialect's files from others is read, or tells only whose they are.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "formats/dialect/dialects.hpp"
#include "formats/recognise.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

using formats::Dialect;

// The last component that is a key: of `a.*` and `a.[0]` it is `a`.
std::string last_key(const formats::KeyPath& path) {
  for (auto each = path.components.rbegin(); each != path.components.rend(); ++each) {
    if (*each != "*" && !each->starts_with('[')) return *each;
  }
  return {};
}

class Keys {
 public:
  explicit Keys(const Dialect& dialect) {
    add(dialect.type);
    for (const std::string& each : dialect.known_model) add_name(each);
    for (const formats::Inherit& each : dialect.inherit) add(each.keys);
    add(dialect.fields);
    add(dialect.otherwise);
    for (const auto& [name, type] : dialect.types) {
      add(type.fields);
      add(type.defaults);
    }
    for (const formats::Part& part : dialect.parts) {
      add(part.fields);
      for (const auto* paths : {&part.at, &part.needs, &part.lacks, &part.also, &part.type, &part.label})
        add(*paths);
      for (const auto* tests : {&part.when, &part.unless}) {
        for (const formats::KeyTest& each : *tests) add(each.path);
      }
    }
    for (const formats::DenseLayers& each : dialect.layers) add(each.widths);
    for (const formats::Command& each : dialect.commands) {
      for (const formats::KeyTest& test : each.when) add(test.path);
      for (const auto* paths : {&each.needs, &each.lacks, &each.script, &each.environment, &each.program,
                                &each.starts_by, &each.image, &each.model, &each.words, &each.flags})
        add(*paths);
      for (const formats::CommandOption& option : each.options) add(option.keys);
    }
  }

  bool hold(const std::string& key) const { return keys_.contains(key); }

 private:
  void add(const formats::KeyPath& path) { keys_.insert(path.components.begin(), path.components.end()); }
  void add(const std::vector<formats::KeyPath>& paths) {
    for (const formats::KeyPath& each : paths) add(each);
  }
  void add(const formats::FieldRules& rules) {
    for (const auto& [name, alternatives] : rules) {
      for (const formats::Alternative& each : alternatives) add(each.keys);
    }
  }
  void add_name(const std::string& pattern) {
    if (pattern.find('{') == std::string::npos) return add(formats::parse_key_paths(pattern));
    for (std::size_t at = pattern.find('{'); at != std::string::npos; at = pattern.find('{', at + 1))
      add(formats::parse_key_path(pattern.substr(at + 1, pattern.find('}', at) - at - 1)));
  }

  std::set<std::string> keys_;
};

// Words of keys that say how parts of a run are laid out, how much is run at once, or how large something is.
// What recognises a file by one of these must read it, or the file is read wrongly in silence.
constexpr std::array<std::string_view, 14> telling = {
    "parallel", "tensor_", "pipeline_", "hidden_size", "num_layers", "_heads", "batch_size",
    "seq_len",  "zero",    "shard",     "precision",   "vocab_size", "dtype",  "distributed_strategy"};

// That hold such a word and say something else.
const std::set<std::string> of_something_else = {
    "output_layer_parallelism",       // how NeoX's head is cut, which its `tensor` says
    "parallel_output",                // InternEvo's head, which is never gathered
    "use_parallel",                   // MindFormers: whether there is any
    "tensor_parallel_axes",           // Levanter's names of a mesh's axes
    "rollout_batch_size",             // prompts of a rollout, which no update sees
    "device_eval_batch_size",         // of an evaluation
    "global_train_batch_size",        // of all ranks, whose number the command does not say
    "train_batch_size",               // Levanter's, of all ranks
    "hybrid_zero_optimizer",          // InternEvo's options of it
    "zero_allow_untested_optimizer",  // DeepSpeed: whether others than its own may be sharded
};

}  // namespace

TEST_CASE("what a format is recognised by is read", "[formats]") {
  std::size_t looked_at = 0;
  for (const Dialect* dialect : formats::Dialects::builtin().all()) {
    const Keys keys(*dialect);
    // Command lines are read by other dialects, whose keys these are.
    if (!dialect->commands.empty()) continue;
    for (const formats::Test& test : dialect->recognise) {
      for (const auto* tests : {&test.has, &test.any}) {
        for (const formats::KeyTest& each : *tests) {
          const std::string key = last_key(each.path);
          const bool tells = std::any_of(telling.begin(), telling.end(), [&](std::string_view word) {
            return key.find(word) != std::string::npos;
          });
          if (!tells || of_something_else.contains(key)) continue;
          INFO(dialect->name << ": " << key);
          CHECK(keys.hold(key));
          ++looked_at;
        }
      }
    }
  }
  CHECK(looked_at > 100);
}

TEST_CASE("a broken text is of the format whose keys are words of it", "[formats]") {
  const auto name = [](std::string_view source) {
    const Dialect* const found =
        formats::recognise_broken(formats::Dialects::builtin(), source, "a.yml", "yaml");
    return found == nullptr ? "" : found->name;
  };
  const std::string text =
      "{\"pipe-parallel-size\": 1, \"model-parallel-size\": 4, \"num-layers\": 36, \"hidden-size\": 5120, "
      "\"num-attention-heads\": 40 \"no-weight-tying\": true}";
  CHECK(name(text) == "neox");
  CHECK(name("").empty());
  // A part of a word is none of its keys.
  std::string joined = text;
  for (std::size_t at = 0; (at = joined.find('-', at)) != std::string::npos;) joined.replace(at, 1, "x");
  CHECK(name(joined).empty());
}
