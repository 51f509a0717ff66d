// What the tests of the readers share.
#include "tests/text/text_support.hpp"

#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace shapelint::text {

std::string outline(NodeRef node) {
  if (!node) return "absent";
  switch (node.kind()) {
    case Kind::table:
    case Kind::list: {
      const bool is_table = node.is(Kind::table);
      std::string inside;
      for (const NodeRef child : node) {
        if (!inside.empty()) inside += ", ";
        inside += is_table ? fmt::format("{}: {}", child.key(), outline(child)) : outline(child);
      }
      return is_table ? "{" + inside + "}" : "[" + inside + "]";
    }
    case Kind::string:
      return fmt::format("\"{}\"", *node.as_string());
    case Kind::integer:
      return fmt::format("{}", *node.as_integer());
    case Kind::number: {
      const std::string shown = fmt::format("{}", *node.as_number());
      return shown.find_first_of(".en") == std::string::npos ? shown + ".0" : shown;
    }
    case Kind::boolean:
      return *node.as_boolean() ? "true" : "false";
    case Kind::null:
      return "null";
    case Kind::unknown:
      return fmt::format("unknown({})", node.note());
  }
  return "?";
}

std::string outline(const Error& error, std::string_view source) {
  if (!error.span) return error.message;
  return fmt::format("{} @ \"{}\"", error.message, bytes_at(source, *error.span));
}

namespace {

std::string random_text() {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", "B", "7", "_", "-", " ", "\"", "'", "\\", "/", "#", ":", ": ", "é", "😀", "\n", "\t", "yes", "1e3",
      "null", "~", "{", "]", ",", "&", "*", "!", "|", ">", "%", "@", "$", "0x1", "1_000", "1:30", "=", "<<"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

}  // namespace

nlohmann::json random_tree(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      // Odd, so that more than one digit is written: YAML reads 5e-06, without a point, as a text.
      return static_cast<double>(2 * *rc::gen::inRange(-50000, 50000) + 1) * 1.25e-7;
    case 4:
    case 5:
      return random_text();
    case 6: {
      nlohmann::json list = nlohmann::json::array();
      const int size = *rc::gen::inRange(0, 5);
      for (int i = 0; i < size; ++i) list.push_back(random_tree(depth - 1));
      return list;
    }
    default: {
      nlohmann::json table = nlohmann::json::object();
      const int size = *rc::gen::inRange(0, 5);
      for (int i = 0; i < size; ++i) table[random_text()] = random_tree(depth - 1);
      return table;
    }
  }
}

bool same(const nlohmann::json& want, NodeRef got) {
  if (want.is_object()) {
    if (!got.is(Kind::table) || got.size() != want.size()) return false;
    for (const auto& [key, value] : want.items()) {
      if (!same(value, got[key])) return false;
    }
    return true;
  }
  if (want.is_array()) {
    if (!got.is(Kind::list) || got.size() != want.size()) return false;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!same(want[i], got[i])) return false;
    }
    return true;
  }
  if (want.is_string()) return got.as_string() == want.get<std::string>();
  if (want.is_boolean()) return got.as_boolean() == want.get<bool>();
  if (want.is_number_integer()) return got.as_integer() == want.get<std::int64_t>();
  if (want.is_number()) return got.as_number() == want.get<double>();
  return got.is(Kind::null);
}

}  // namespace shapelint::text
