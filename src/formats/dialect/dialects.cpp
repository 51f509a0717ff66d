// What is read of a dialect, and when.
#include "formats/dialect/dialects.hpp"

#include <algorithm>

#include "catalog/catalog.hpp"

namespace shapelint::formats {

namespace {

// The name of the file with the tables that every dialect falls back to.
constexpr std::string_view common_name = "common";

// The tables of another dialect follow after one's own.
void add_tables(Dialect& into, const Dialect& other) {
  add_rules(into.fields, other.fields);
  add_rules(into.otherwise, other.otherwise);
  into.types.insert(other.types.begin(), other.types.end());
  into.ways.insert(into.ways.end(), other.ways.begin(), other.ways.end());
  into.exports.insert(into.exports.end(), other.exports.begin(), other.exports.end());
}

}  // namespace

ListedDialect::ListedDialect(text::Document document)
    : document_(std::move(document)),
      name_(document_.root()["name"].as_string().value_or("")),
      syntax_(document_.root()["syntax"]),
      order_(order_of(document_)),
      flags_(document_.root()["flags"].as_boolean().value_or(false)) {}

bool ListedDialect::speaks(std::string_view syntax) const {
  if (syntax_.as_string() == syntax) return true;
  for (const text::NodeRef each : syntax_) {
    if (each.as_string() == syntax) return true;
  }
  return false;
}

const std::vector<Test>& ListedDialect::recognise() const {
  std::call_once(tests_are_read_, [&] {
    std::vector<Error> errors;  // whoever loads a user's file is told of them
    tests_ = load_tests(document_, errors);
  });
  return tests_;
}

void ListedDialect::read(std::vector<Error>& errors) const {
  std::call_once(is_read_, [&] {
    whole_ = load_dialect(document_, errors);
    const ListedDialect* other = like_;
    for (int links = 0; other != nullptr && other != this && links < most_likenesses; ++links) {
      std::vector<Error> of_other;  // told where it is loaded itself
      add_tables(*whole_, load_dialect(other->document_, of_other));
      other = other->like_;
    }
  });
}

const Dialect& ListedDialect::whole() const {
  std::vector<Error> errors;  // what is built in has none, and a user's are read with the list
  read(errors);
  return *whole_;
}

Dialects::Dialects(std::span<const text::Document> users, std::vector<Error>& errors) {
  for (const text::Document& document : users) listed_.push_back(std::make_unique<ListedDialect>(document));
  for (const text::Document& document : catalog::builtin("formats")) {
    auto listed = std::make_unique<ListedDialect>(document);
    if (listed->name() == common_name) {
      common_ = std::move(listed);
    } else {
      listed_.push_back(std::move(listed));
    }
  }
  for (const auto& each : listed_) {
    const auto like = each->document_.root()["like"].as_string();
    const auto other =
        std::find_if(listed_.begin(), listed_.end(), [&](const auto& one) { return one->name() == like; });
    if (like && other != listed_.end()) each->like_ = other->get();
  }
  for (std::size_t i = 0; i < users.size(); ++i) listed_[i]->read(errors);
  std::stable_sort(listed_.begin(), listed_.end(),
                   [](const auto& a, const auto& b) { return a->order() < b->order(); });
}

const Dialects& Dialects::builtin() {
  // Never destroyed: that takes as long as reading, and the end of the program frees it.
  static const Dialects& dialects = *[] {
    std::vector<Error> errors;
    return new Dialects({}, errors);
  }();
  return dialects;
}

std::vector<const Dialect*> Dialects::all() const {
  std::vector<const Dialect*> out;
  out.reserve(listed_.size());
  for (const auto& each : listed_) out.push_back(&each->whole());
  return out;
}

const Dialect* Dialects::find(std::string_view name) const {
  const auto found =
      std::find_if(listed_.begin(), listed_.end(), [&](const auto& each) { return each->name() == name; });
  return found == listed_.end() ? nullptr : &(*found)->whole();
}

const Dialect& Dialects::common() const {
  return common_->whole();
}

}  // namespace shapelint::formats
