// What a kernel or a framework demands of the sizes that one rank holds, and what comes of it where they are
// others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/recipe.hpp"
#include "model/fields.hpp"
#include "rules/book/rule.hpp"
#include "text/document.hpp"

namespace shapelint::contracts {

// Versions of packages, as far as their numbers go.

// The numbers at the beginning: `v2.8.3.post1` is 2.8.3.
using Version = std::vector<std::int64_t>;

// Nothing where it does not begin with a number.
std::optional<Version> parse_version(std::string_view text);

// As far as both have numbers: 0.24 and 0.24.1 are equal.
int compare(const Version& a, const Version& b);

// What happens where sizes do not meet the demand.
enum class Consequence : std::uint8_t {
  refuses,     // the run stops, or does not start
  pads,        // zeros fill the sizes up: `set` says to what, or `factor` how much longer it takes
  falls_back,  // another kernel runs: `factor` as long, or as `set` says
  slower       // the same one takes `factor` as long
};
std::string_view name(Consequence outcome);      // "falls-back", as files write it
std::string_view sentence(Consequence outcome);  // "falls back"
std::span<const std::string_view> outcomes();

// Which part of the model a contract is about, for tables and for what `factor` multiplies.
std::span<const std::string_view> layers();

struct Package {
  std::string_view name;        // name in its package index: `vllm`, `megatron-core`
  std::string_view repository;  // OWNER/NAME on GitHub
  std::string_view version;     // that was read
  std::string_view commit;
  std::string_view date;
};

// Lines of a package's source, found again by what they say.
struct SourceLines {
  std::string_view file;
  std::int64_t line = 0;  // of the first line, at the commit; 0: not counted
  std::int64_t lines = 1;
  std::string_view commit;       // empty: the package's
  std::string_view fingerprint;  // of the lines without blanks (scripts/contracts-check)
};

struct Example {
  std::string_view config;  // a native file
  std::string_view gpu = "h100";
  std::string_view says;  // part of the message; may be empty
  bool meets = false;
};

// Views point into the document, which a Book keeps.
struct Contract {
  std::string id;  // PACKAGE/NAME
  std::string_view name;
  Package package;
  // Versions that it is known for: from `since` (empty: the one that was read) to before `until`, and no
  // newer than the one that was read.
  std::string_view since;
  std::string_view until;
  std::vector<std::string_view> with;           // packages that must be in the stack, too
  std::vector<std::string_view> unless;         // packages that see to the demand where they are in the stack
  std::vector<std::string_view> architectures;  // of GPUs; empty: of all
  std::vector<std::int64_t> modes;              // values of the field; empty: of all
  std::vector<std::int64_t> dtypes;
  std::vector<std::int64_t> recipes;
  std::string_view layer;
  std::string_view summary;  // a noun phrase: "expert width per GPU a multiple of the FP8 block 128"
  std::string_view why;
  rules::Text when;     // further conditions on the model; empty: always
  rules::Text demands;  // what must hold
  rules::Text size;     // that fails, in fields: `moe_intermediate_size / expert_tensor`
  Consequence outcome = Consequence::refuses;
  std::vector<std::string_view> blame;  // fields, the first that a file states is pointed at
  std::vector<std::pair<model::FieldId, rules::Text>> set;
  rules::Text factor;
  std::string_view instead;  // the other kernel
  std::vector<SourceLines> sources;
  std::vector<std::string_view> issues;  // OWNER/NAME#NUMBER
  std::vector<Example> examples;
  bool is_own = false;  // somebody's, not built in: a file pays for what is evaluated of it
};

}  // namespace shapelint::contracts
