// A package of contracts of a test's own, and models to hold against contracts.
#pragma once

#include <string>

#include "contracts/book.hpp"
#include "model/reading.hpp"

namespace shapelint::test {

// The package `ours`, version 1.0, with these contracts in TOML.
contracts::Book book_of(const std::string& contracts);

// What a native file says of its one model.
model::Reading read_config(const std::string& config);

}  // namespace shapelint::test
