// A tree of names.
#include "text/header/tree.hpp"

#include "base/quoted.hpp"
#include "text/header/model_header.hpp"

namespace shapelint::text::header {

namespace {

// Names of real tensors have at most ten parts.
constexpr int most_parts = 32;

}  // namespace

Tree::Tree() {
  entries_.emplace_back();
}

std::int32_t Tree::child(std::int32_t table, std::string_view key) {
  const auto index = static_cast<std::int32_t>(entries_.size());
  const auto [at, is_new] = by_name_.try_emplace({table, std::string(key)}, index);
  if (!is_new) return at->second;
  entries_.push_back({std::string(key), {}, -1, -1, -1});
  Entry& parent = entries_[static_cast<std::size_t>(table)];
  if (parent.last_child >= 0) {
    entries_[static_cast<std::size_t>(parent.last_child)].next_sibling = index;
  } else {
    parent.first_child = index;
  }
  parent.last_child = index;
  return index;
}

bool Tree::add(std::string_view name, std::string json) {
  std::int32_t at = 0;
  for (int part = 0;; ++part) {
    if (part >= most_parts || entries_.size() >= max_header_entries) return false;
    const auto dot = name.find('.');
    at = child(at, name.substr(0, dot));
    Entry& entry = entries_[static_cast<std::size_t>(at)];
    if (dot == std::string_view::npos) {
      if (entry.json.empty() && entry.first_child < 0) entry.json = std::move(json);
      return true;
    }
    if (!entry.json.empty()) return true;
    name.remove_prefix(dot + 1);
  }
}

void Tree::write(std::int32_t table, int level, std::string& out) const {
  const std::string indent(static_cast<std::size_t>(level), ' ');
  out += "{\n";
  for (std::int32_t each = entries_[static_cast<std::size_t>(table)].first_child; each >= 0;) {
    const Entry& entry = entries_[static_cast<std::size_t>(each)];
    out += indent + ' ' + quoted(entry.key) + ": ";
    if (entry.json.empty()) {
      write(each, level + 1, out);
    } else {
      out += entry.json;
    }
    each = entry.next_sibling;
    out += each >= 0 ? ",\n" : "\n";
  }
  out += indent + '}';
}

std::string Tree::write() const {
  std::string out;
  write(0, 0, out);
  return out + '\n';
}

}  // namespace shapelint::text::header
