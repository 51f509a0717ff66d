// The list of dialects. A start of the program reads none of them whole: how their files are recognised is
// read of those that speak the syntax at hand, and the rest of the one that is found.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "formats/dialect/dialect.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// A dialect of the list. What is read late is read once, whoever of several threads asks first.
class ListedDialect {
 public:
  explicit ListedDialect(text::Document document);

  std::string_view name() const { return name_; }
  std::int64_t order() const { return order_; }
  bool flags() const { return flags_; }
  bool supports_syntax(std::string_view syntax) const;
  const std::vector<Test>& recognise() const;
  // With the tables of the dialect that it is like.
  const Dialect& whole() const;

 private:
  friend class Dialects;
  void read(std::vector<Error>& errors) const;

  text::Document document_;
  std::string_view name_;
  text::NodeRef syntax_;
  std::int64_t order_;
  bool flags_;
  const ListedDialect* like_ = nullptr;
  mutable std::once_flag tests_are_read_;
  mutable std::vector<Test> tests_;
  mutable std::once_flag is_read_;
  mutable std::optional<Dialect> whole_;
};

// The dialects to choose from, in the order in which they are tried.
class Dialects {
 public:
  using List = std::vector<std::unique_ptr<ListedDialect>>;

  // The built-in ones and those of a user's documents, which go first. Errors of these are appended; what is
  // built in has none.
  Dialects(std::span<const text::Document> users, std::vector<Error>& errors);
  static const Dialects& builtin();

  const List& listed() const { return listed_; }
  // Each read whole.
  std::vector<const Dialect*> all() const;
  // nullptr: none has this name.
  const Dialect* find(std::string_view name) const;
  // Rules that hold for every dialect where it says nothing itself.
  const Dialect& common() const;

 private:
  List listed_;
  std::unique_ptr<const ListedDialect> common_;
};

// Mistakes in their expressions.

// Syntax, and names that are neither a field nor one of the dialect's own values, in the dialects that
// `documents` describe: the others stay unread. Reading does not look for them: an expression with a mistake
// gives nothing.
void check_expressions(std::span<const text::Document> documents, const Dialects& dialects,
                       std::vector<Error>& errors);

}  // namespace shapelint::formats
