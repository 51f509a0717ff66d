// All contracts together.
#include "contracts/book.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/budget.hpp"
#include "catalog/catalog.hpp"

namespace shapelint::contracts {

namespace {

constexpr std::size_t comparisons_per_unit = 2;

}  // namespace

Book::Book(std::span<const text::Document> documents, bool check, std::vector<Error>& errors,
           std::size_t known)
    : documents_(documents.begin(), documents.end()) {
  for (const text::Document& document : documents_) {
    const bool is_known = static_cast<std::size_t>(&document - documents_.data()) < known;
    for (Contract& each : read_contracts(document.root(), check && !is_known, errors)) {
      charge(1 + contracts_.size() / comparisons_per_unit);
      each.is_own = check && !is_known;
      const auto same = std::find_if(contracts_.begin(), contracts_.end(),
                                     [&](const Contract& other) { return other.id == each.id; });
      if (same == contracts_.end()) {
        contracts_.push_back(std::move(each));
      } else {
        *same = std::move(each);
      }
    }
  }
  std::sort(contracts_.begin(), contracts_.end(),
            [](const Contract& a, const Contract& b) { return a.id < b.id; });
}

const Contract* Book::find(std::string_view id) const {
  for (const Contract& each : contracts_) {
    if (each.id == id || each.name == id) return &each;
  }
  return nullptr;
}

std::vector<std::string_view> Book::ids() const {
  std::vector<std::string_view> out;
  for (const Contract& each : contracts_) out.push_back(each.id);
  return out;
}

std::vector<std::string_view> Book::packages() const {
  std::vector<std::string_view> out;
  for (const Contract& each : contracts_) out.push_back(each.package.name);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string_view Book::newest(std::string_view package) const {
  std::string_view out;
  for (const Contract& each : contracts_) {
    if (each.package.name != package) continue;
    const auto here = parse_version(each.package.version);
    const auto best = parse_version(out);
    if (here && (!best || compare(*best, *here) < 0)) out = each.package.version;
  }
  return out;
}

std::vector<text::Document> builtin_documents(std::string_view package) {
  constexpr std::string_view all = "contracts/";
  std::vector<text::Document> out;
  for (const catalog::EmbeddedFolder& each : catalog::embedded_folders()) {
    if (!each.path.starts_with(all) || (!package.empty() && each.path.substr(all.size()) != package))
      continue;
    const std::span<const text::Document> documents = each.documents();
    out.insert(out.end(), documents.begin(), documents.end());
  }
  return out;
}

const Book& builtin_contracts() {
  static const Book book = [] {
    const Uncharged kept;
    std::vector<Error> none;  // tests see to it that there are none
    return Book(builtin_documents(), false, none);
  }();
  return book;
}

const Book& builtin_contracts_of(std::string_view package) {
  static std::mutex mutex;
  static std::map<std::string, Book, std::less<>> books;
  const std::lock_guard lock(mutex);
  const auto known = books.find(package);
  if (known != books.end()) return known->second;
  const Uncharged kept;
  std::vector<Error> none;
  return books.emplace(package, Book(builtin_documents(package), false, none)).first->second;
}

}  // namespace shapelint::contracts
