// The tree of a file in little room, for builds that people download: what is known from the rest is left
// out, and what is left stands column by column, which compresses well.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/document.hpp"

namespace shapelint::text {

// Of a tree whose nodes stand in the order of the file, without uses and notes, as TOML's do. Where an empty
// string would be in the pool is not kept.
std::string packed_tree(std::span<const Node> nodes);
std::vector<Node> unpacked_tree(std::string_view packed);

}  // namespace shapelint::text
