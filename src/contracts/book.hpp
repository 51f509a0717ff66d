// All contracts of a run: those compiled into the program, and a user's own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.hpp"

namespace shapelint::text {
struct KeyInfo;
}

namespace shapelint::contracts {

class Book {
 public:
  // One document per file. A contract of the same id replaces an earlier one. Mistakes are appended.
  Book(std::span<const text::Document> documents, bool check, std::vector<Error>& errors,
       std::size_t known = 0);

  std::span<const Contract> contracts() const { return contracts_; }  // sorted by id
  const Contract* find(std::string_view id) const;
  std::vector<std::string_view> ids() const;
  std::vector<std::string_view> packages() const;  // each once, sorted
  // The newest version of the package that any of its files was read at.
  std::string_view newest(std::string_view package) const;

  // Contracts point into documents_.
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;
  Book(Book&&) = default;
  Book& operator=(Book&&) = default;

 private:
  std::vector<text::Document> documents_;
  std::vector<Contract> contracts_;
};

// Documents of all files of contracts/, or of those in the folder of one package.
std::vector<text::Document> builtin_documents(std::string_view package = {});
// Read once.
const Book& builtin_contracts();
// Those of one package, which take a tenth of the time. Several threads may ask.
const Book& builtin_contracts_of(std::string_view package);

// The documents of one file.

// The contracts of one file. Unknown and missing keys, wrong types, names that do not exist are appended to
// `errors`, and with `check` each expression that does not compile, at its place.
std::vector<Contract> read_contracts(text::NodeRef root, bool check, std::vector<Error>& errors);
// For the schema and the reference page of files of contracts.
std::vector<text::KeyInfo> contract_file_keys();

}  // namespace shapelint::contracts
