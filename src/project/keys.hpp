// Internal to the configuration: its keys, as the reader, the schema and did-you-mean use them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "project/config.hpp"
#include "text/document.hpp"

namespace shapelint::project {

enum class KeyType : std::uint8_t { text, names, paths, share, level, shape, multiple, table, tables };

struct Key {
  std::string_view name;
  KeyType type;
  std::string_view doc;
};

inline constexpr std::array<Key, 24> keys{{
    {"extend", KeyType::text, "a configuration file that this one adds to"},
    {"gpu", KeyType::names, "GPUs to lint for, by name"},
    {"stack", KeyType::names, "packages whose requirements are checked: `vllm==0.24`; `auto`: detect them"},
    {"select", KeyType::names,
     "rules to run: codes, names, or beginnings of codes such as `SL1`; [default: all]"},
    {"extend-select", KeyType::names, "rules to run besides those of `select` or of the extended file"},
    {"ignore", KeyType::names, "rules not to run"},
    {"per-file-ignores", KeyType::table, "rules not to run for files that match a pattern"},
    {"exclude", KeyType::names, "patterns of files not to lint when they are found in a folder"},
    {"min-gain", KeyType::share,
     "leave out findings that save less than this share of the step: 0.01 or \"1%\""},
    {"fail-level", KeyType::level, "exit with 1 for findings from this severity on"},
    {"min-severity", KeyType::level,
     "show findings from this severity on, [default: warning; at most the fail level]"},
    {"shape", KeyType::shape,
     "what fixes may change of the model: `free`: all, `padding`: vocabulary, MLP and expert widths, "
     "`fixed`: vocabulary only [default: by the kind of file]"},
    {"head-multiple", KeyType::multiple,
     "proposed head counts are multiples of this, or divide it [default: 4; 1: any]"},
    {"severity", KeyType::table, "severities of rules, other than their files say"},
    {"params", KeyType::table, "parameters of rules, other than their files say"},
    {"rule-folders", KeyType::paths, "folders with rules of your own"},
    {"gpu-folders", KeyType::paths, "folders with profiles of GPUs of your own"},
    {"format-folders", KeyType::paths, "folders with descriptions of configuration formats of your own"},
    {"model-folders", KeyType::paths, "folders with shapes of models of your own, which files name"},
    {"contract-folders", KeyType::paths, "folders with your own requirements"},
    {"baseline", KeyType::text, "file with known findings, which are not reported"},
    {"rule-url", KeyType::text,
     "where your readers find the pages of the rules: an address with `{code}` or `{name}` in it"},
    {"files", KeyType::tables, "GPUs and fields of the plan for files that match a pattern"},
    {"ignore-keys", KeyType::tables, "findings to leave out by the key path of their value"},
}};

inline constexpr std::array<std::string_view, 4> severities{"info", "warning", "error", "off"};
inline constexpr std::array<std::string_view, 4> ignore_key_keys{"path", "key", "rules", "reason"};

// Writes what `table`, of the file `path`, says over what `config` has; `extend` itself is not followed.
// Appends an error, with its place, for each key that is unknown or has a value that it cannot have.
// `may_name` says of a path whether the file may name it; nothing: it may name every one.
void read_keys(const text::NodeRef& table, const std::string& path, Config& config,
               std::vector<Error>& errors, const std::function<bool(const std::string&)>& may_name = {});

// The error for one that it may not.
Error out_of_reach(const text::NodeRef& node, std::string_view key);

// A path as a file in that folder writes it.
std::string beside(const std::string& folder, std::string_view path);

}  // namespace shapelint::project
