// One dialect of configuration file as data: how to recognise it and where it keeps each field.
// Loaded from formats/*.toml; docs/contributing/format.md describes the keys.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text {
struct KeyInfo;
}

namespace shapelint::formats {

// `a.b.c`, `/a.b` (from the root of the file instead of the part), `../a` (from the table around the part),
// `a.*.c` (any one child), `a.[0]`.
struct KeyPath {
  std::vector<std::string> components;
  bool absolute = false;
  int up = 0;
};

// One way to learn a value. The alternatives of a field are tried in order; the first that gives a value
// wins.
struct Alternative {
  enum class Kind : std::uint8_t {
    key,       // written in the file under one of `keys`
    derived,   // computed from other values
    fallback,  // what the framework assumes when the file says nothing
    unknown    // nothing can be said: stop here
  };
  enum class Reading : std::uint8_t {
    value,
    present,        // 1 when the key is there
    count,          // items of a list or letters of a pattern
    maximum,        // of a list
    sum,            // of a list
    leading_zeros,  // of a list of 0 and 1, or of Python's `([0]*3+[1]*58)`
    interval,       // such a list's distance between ones, or the number itself
    text,           // all that is written, for `map`
    units,          // a number, or one with `k`, `m`, `g` (of 1000) or `K`, `M`, `G` (of 1024)
    items,          // how many items a list of 0 and 1 has, or Python's `([0]*3+[1]*58)`; nothing of a number
    unrolled,       // letters of `of`, with those of `t*7` and `(tt|)*29` as often as they say
    names,          // 1 where a list or a text has `of` among its names, else 0
    number,         // of a text that lists numbers (`1,8,-1`) that in the place `of` says, the first being 1
    each,      // of values of layers (`each_head_dim`): the layer's own item of a list, or letter of a text
    is_null,   // 1 where the file states a null, which every other reading passes over
    implied,   // as `value`, but the field follows from the key, which does not state it
    known,     // as `value`, but passed over where only the run knows it
    defaulted  // 1 where it is what `${NAME:-1}` of a script falls back on, else 0
  };
  Kind kind = Kind::key;
  Reading reading = Reading::value;
  std::vector<KeyPath> keys;
  std::string when;               // expression; empty: always
  std::string value;              // expression; of `x`, what was read, for Kind::key
  std::vector<std::string> item;  // of Reading::each: keys within the item, one inside the other
  std::string of;  // of Reading::count only these items (patterns) or letters; of Reading::each an
                   // expression of the item's place; empty: the layer's own
  std::vector<std::pair<std::string, double>> map;  // patterns with `*` to numbers, in order
  // Texts that the framework takes, in capitals or not; it stops at any other. Empty: nothing is known of it.
  std::vector<std::string> choices;
  std::string note;
};

using Alternatives = std::vector<Alternative>;
// By name of a model field, or of a helper value of the dialect itself.
using FieldRules = std::map<std::string, Alternatives, std::less<>>;

// Names of per-layer values (model::layer_keys): evaluated for each layer, whose
// place, from 0, expressions call `i`.
inline constexpr std::string_view layer_prefix = "each_";

// Length of a chain of `like`, of model types and of dialects: more is a cycle.
inline constexpr int max_likenesses = 8;

// What a model type adds: `fields` go before the dialect's own, `defaults` after them.
struct ModelType {
  std::string like;
  FieldRules fields;
  FieldRules defaults;
};

// A key that is there, perhaps of a kind or with a value.
struct KeyTest {
  KeyPath path;
  std::optional<text::Kind> kind;
  std::string equals;  // patterns separated by `|`; empty: anything but absent
};

// A place in a file that may hold a model (`text_config`, `vision_config`).
struct Part {
  std::string name;
  std::vector<KeyPath> label;  // values that tell one document of a file from the others
  std::vector<KeyPath> at;
  bool each = false;          // every place that exists, not only the first
  bool named_by_key = false;  // the first key of the place is its name, without `()`
  std::vector<KeyPath> needs;
  std::vector<KeyPath> lacks;
  std::string made_by;                   // of Python: patterns of what the place is made by; empty: anything
  std::vector<KeyTest> when;             // of the whole file: all must hold
  std::vector<KeyTest> unless;           // of the whole file: none may hold
  std::vector<KeyPath> also;             // other places that hold its keys, after `at`
  std::vector<KeyPath> type;             // instead of the dialect's
  std::string fallback_type;             // when the file names none
  std::string always_type;               // whatever the file names
  std::string type_prefix;               // before what it names, where there is such a type
  std::vector<std::string> known_model;  // instead of the dialect's
  FieldRules fields;
  double runs = 0;  // in the whole that the file's models are together (model::Reading::runs_in_whole)
  bool keep_incomplete =
      false;  // worth reading without a whole shape (what is trained is named, not written)
};

// All conditions of a test must hold.
struct Test {
  std::vector<KeyTest> has;
  std::vector<KeyTest> any;
  std::int64_t at_least = 1;  // of `any`
  std::vector<KeyTest> lacks;
  std::string file;  // pattern that the path must match, too; empty: any
};

// Files that this one builds on: their values count where this one has none.
struct Inherit {
  std::vector<KeyPath> keys;        // string or list of strings that name files
  std::vector<std::string> search;  // folders relative to the naming file's; `{key}` is that key's value
  std::vector<std::string> suffixes;
  std::string mount;   // where the inherited file's values stand in this one; `*`: the key's own name
  std::string inside;  // only this part of the inherited file
  bool hydra = false;  // the list holds `group: name` tables and bare names
  std::vector<std::string> states{};    // the only fields, or sections of fields, that such a file can hold
  std::vector<std::string> defaults{};  // names of the framework's own files whose values [otherwise] has
  // Instead of keys: the file next to this one whose name has `beside` where this one's has `ending`.
  std::string ending{};
  std::string beside{};
};

// Prose instruction for fields without a direct key.
struct SettingInstruction {
  std::string field;
  std::string choice;         // only this of the field's choices; empty: any value
  bool for_serving = false;   // of runs that only infer
  bool for_sinks = false;     // of models with attention sinks; goes before what is said of all
  bool for_latent = false;    // of models with multi-head latent attention; likewise
  bool for_pipeline = false;  // of runs with pipeline parallelism; likewise
  std::string text;
};

// A small file of a dialect.
struct Example {
  std::string file;  // its name
  std::string text;
};

// Layers of a network that is no transformer, in the file's order: products with weights whose widths one
// text lists (`512-256-64`), or one product of two activations. Names are those of values that the dialect
// exports.
struct DenseLayers {
  std::string name;
  std::vector<KeyPath> widths;       // the first number that is there
  std::string otherwise;             // where the file states none
  std::string input;                 // width of what comes in; empty: the text's own first number
  std::string output;                // width that follows the text's; empty: none
  std::string rows, columns, depth;  // of a product of two activations for each sample
  std::string repeat;                // how often they stand there; empty: once
};

// A flag, and the keys whose value it is given; or what a map has for that value, and none where it has
// nothing.
struct CommandOption {
  std::string flag;
  std::vector<KeyPath> keys;
  std::vector<std::pair<std::string, std::string>> map{};  // patterns to values, in order
};

// A command line that a file holds, in any table that has what it needs. It is read as a script is.
struct Command {
  std::vector<KeyTest> when;  // of the whole file: all must hold
  std::vector<KeyPath> needs;
  std::vector<KeyPath> lacks;
  std::vector<KeyPath> script;       // lines of a shell, in a text or a list
  std::vector<KeyPath> environment;  // variables that it sees
  std::vector<KeyPath> program;      // its first words, where the file gives them
  std::vector<KeyPath> starts_by;    // else a value that says which program is started,
  std::vector<std::pair<std::string, std::string>> starts;  // by patterns
  std::vector<KeyPath> image;                               // else what the image of a container starts
  std::vector<KeyPath> model;                               // the first word behind the program
  std::vector<KeyPath> words;                               // that follow
  std::vector<CommandOption> options;                       // flags that the file has as keys
  std::vector<KeyPath> flags;                               // a table whose keys are flags
  std::string ends;                                         // words behind all
};

struct Dialect {
  std::string path;  // of its data file
  std::string name;
  std::string title;
  std::string like;   // another dialect whose tables hold where this one says nothing
  std::string whose;  // whose defaults these are, for notes
  std::string source;
  std::string package;  // that runs what its files describe, among those with contracts; empty: several may
  Example example;
  std::int64_t order = 100;
  std::vector<std::string> syntax;
  // How its framework reads `1e-5` in YAML: as PyYAML does, a string; or as a number (OmegaConf,
  // jsonargparse, a conversion to the type that is asked for).
  bool reads_exponents = false;
  bool flags = false;  // keys may carry `--`, and `-` equals `_`
  std::string writes;  // how a setting is written: `{key}: {value}`; empty: not written by hand
  std::vector<Test> recognise;
  std::vector<KeyPath> type;  // keys that name the model type
  std::vector<std::string>
      known_model;  // names of a published model: key paths, or texts with `{key}` in them
  // A file next to this one that describes the model when this one cannot (`config.json` next to weights).
  std::string beside;
  // The same, but this file says how that model is run (DeepSpeed).
  std::string runs;
  std::vector<std::string> environment;  // tables whose keys a bare `${NAME}` may name
  std::vector<std::string> exports;      // helper values that a Reading carries for rules
  std::vector<Inherit> inherit;
  std::vector<Part> parts;
  std::vector<DenseLayers> layers;
  std::vector<Command> commands;  // its files are read as these, by the dialects of commands
  FieldRules fields;
  FieldRules otherwise;  // tried after the model type's defaults
  std::vector<SettingInstruction> ways;
  std::map<std::string, ModelType, std::less<>> types;
};

// Errors (unknown keys, wrong types, unknown fields) are appended with their place; what is left is usable.
Dialect load_dialect(const text::Document& document, std::vector<Error>& errors);
// For the schema and the reference page of files of formats.
std::vector<text::KeyInfo> format_file_keys();

// These alone: how the dialect's files are recognised, and when it is tried.
std::vector<Test> load_tests(const text::Document& document, std::vector<Error>& errors);
std::int64_t order_of(const text::Document& document);

// Appends the alternatives of `from` to those of `into`.
void add_rules(FieldRules& into, const FieldRules& from);

KeyPath parse_key_path(std::string_view text);
// `a | b | c`
std::vector<KeyPath> parse_key_paths(std::string_view text);
// Any of the patterns (Glob::name) separated by `|`.
bool matches_any(std::string_view patterns, std::string_view text);

}  // namespace shapelint::formats
