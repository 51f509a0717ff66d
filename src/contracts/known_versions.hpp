// Versions of a stack beside those whose contracts are known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/stack.hpp"

namespace shapelint::contracts {

// Whether the version is past the newest that any contract of the package was read at.
bool is_past_known(const Book& book, const StackPackage& package);

// The same, with the newest version that contracts are known of in the place of a newer one: what that
// demands, the next most likely demands.
Stack as_known(const Book& book, Stack stack);

// What is said of versions that are not the known ones, a sentence for each: "vllm 9.9 is newer than …".
std::vector<std::string> version_notes(const Book& book, const Stack& stack);

// The first package of a stack none of whose contracts is about training, as of engines that serve; empty:
// another.
std::string_view serves_alone(const Book& book, const Stack& stack);

}  // namespace shapelint::contracts
