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

// In the order of the reference page.
std::vector<Key> keys();

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
