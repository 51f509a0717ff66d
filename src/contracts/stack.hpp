// The packages that a model is run with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "contracts/book.hpp"
#include "model/reading.hpp"

namespace shapelint::contracts {

struct StackPackage {
  std::string name;
  std::optional<Version> version;  // absent: the newest that is known
  std::string version_text;
};
using Stack = std::vector<StackPackage>;

// Among the packages of a stack: those that the file's format and the requirements next to it name.
inline constexpr std::string_view automatic = "auto";
// In the place of packages: not even what the file's format demands is checked.
inline constexpr std::string_view nothing = "none";
inline bool is_package(std::string_view text) {
  return text != automatic && text != nothing;
}

// `vllm==0.24` or `vllm`; `-` and `_` and case make no difference. Error: no such package, or no version.
Result<StackPackage> parse_package(const Book& book, std::string_view text);

// Several; mistakes are appended.
Stack parse_stack(const Book& book, std::span<const std::string> texts, std::vector<Error>& errors);

// The packages with contracts that a requirements.txt, a pyproject.toml or a uv.lock names, by its text.
Stack stack_of_lock(const Book& book, std::string_view file_name, std::string_view text);

// Whether the contract is known to hold for the versions of the stack.
enum class VersionMatch : std::uint8_t {
  absent,  // the stack has not its package, or not all that it goes with, or one that sees to it
  holds,
  older,  // than the first version that it is known for
  newer   // than the last one
};
VersionMatch standing(const Contract& contract, const Stack& stack);

// "vllm 0.24, flashinfer-python (newest known: 0.6.18)".
std::string describe(const Book& book, const Stack& stack);

// Versions of a stack compared with those whose contracts are known.

// Whether the version is past the newest that any contract of the package was read at.
bool is_newer_than_known(const Book& book, const StackPackage& package);

// The same, with the newest version that contracts are known of in the place of a newer one: what that
// demands, the next most likely demands.
Stack at_known_versions(const Book& book, Stack stack);

// What is said of versions that are not the known ones, a sentence for each: "vllm 9.9 is newer than …".
std::vector<std::string> version_notes(const Book& book, const Stack& stack);

// The first package of a stack none of whose contracts is about training, as of engines that serve; empty:
// another.
std::string_view inference_only_package(const Book& book, const Stack& stack);

}  // namespace shapelint::contracts
