// A package of contracts of a test's own.
#pragma once

#include <string>

#include "contracts/book.hpp"

namespace shapelint::test {

// The package `ours`, version 1.0, with these contracts in TOML.
contracts::Book book_of(const std::string& contracts);

}  // namespace shapelint::test
