// Writing values into a document.
#include "text/python/run.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "text/errors.hpp"
#include "text/python/scan.hpp"

namespace shapelint::text::python {

namespace {

// Texts of a file, and those that are added up from them.
constexpr std::size_t max_text_bytes = 2 * static_cast<std::size_t>(max_source_bytes);
// Values of calls are often the same ones again.
constexpr std::size_t max_nodes = 450'000;

// `DType.bfloat16`, `torch.bfloat16`: a constant says more by its value than by its name.
bool names_member(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view last = dotted.substr(dot + 1);
  return std::any_of(last.begin(), last.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

class Writer {
 public:
  Writer(TreeBuilder& tree, const Module& module) : tree_(tree), module_(module) {}

  void add(std::int32_t parent, std::string_view key, const Value& value, Span key_span, Span around,
           int depth) {
    const bool is_here = value.where == &module_;
    const Span span = is_here ? value.span : around;
    if (tree_.pool_size() > max_text_bytes || tree_.size() > static_cast<std::size_t>(max_values))
      throw TooMuch{static_cast<std::size_t>(span.begin)};
    const auto leaf = [&](Kind kind) { return tree_.add(parent, kind, key, key_span, span); };
    const auto open = [&](std::string_view reason) { tree_.set_note(leaf(Kind::unknown), reason); };
    switch (value.kind) {
      case ValueKind::none:
        leaf(Kind::null);
        return;
      case ValueKind::boolean:
        return tree_.set_boolean(leaf(Kind::boolean), value.integer != 0);
      case ValueKind::integer:
        return tree_.set_integer(leaf(Kind::integer), value.integer);
      case ValueKind::number:
        return tree_.set_number(leaf(Kind::number), value.number);
      case ValueKind::string:
        return tree_.set_string(leaf(Kind::string), value.text);
      case ValueKind::named:
        if (names_member(value.text)) return tree_.set_string(leaf(Kind::string), value.text);
        return open(fmt::format("`{}` comes from a file that is not read", value.text));
      case ValueKind::list:
      case ValueKind::tuple:
      case ValueKind::table:
      case ValueKind::instance:
      case ValueKind::type:
        if (depth > deepest) return open("it is nested too deep");
        if (tree_.size() > max_nodes) return open("it is too large");
        return entries(
            leaf(value.kind == ValueKind::list || value.kind == ValueKind::tuple ? Kind::list : Kind::table),
            value, span, depth);
      case ValueKind::unknown:
        return open(value.text.empty() ? "its syntax is not evaluated" : value.text);
      case ValueKind::awaited:
        return open("it is imported");
      case ValueKind::builtin:
        return open(fmt::format("`{}` is not from this file", value.text));
      default:
        return open("it is a function");
    }
  }

 private:
  // Blocks of layers of layers; a document may be deeper by what stands around.
  static constexpr int deepest = 24;

  void entries(std::int32_t index, const Value& value, Span span, int depth) {
    const bool is_list = value.kind == ValueKind::list || value.kind == ValueKind::tuple;
    if (value.kind == ValueKind::instance || value.kind == ValueKind::type)
      tree_.set_string(tree_.add(index, Kind::string, "()", {}, span), value.object->type);
    for (const Entry& each : value.object->entries) {
      if (tree_.size() > max_nodes && depth > 0) return;
      const bool is_code = each.value.kind == ValueKind::function || each.value.kind == ValueKind::builtin ||
                           each.value.kind == ValueKind::module || each.value.kind == ValueKind::awaited ||
                           (each.value.kind == ValueKind::type && value.kind != ValueKind::table);
      if ((is_code && !is_list) || each.key.starts_with("()")) continue;
      add(index, is_list ? std::string_view{} : std::string_view(each.key), each.value,
          each.where == &module_ && !is_list ? each.key_span : Span{}, span, depth + 1);
    }
  }

  TreeBuilder& tree_;
  const Module& module_;
};

}  // namespace

void write(TreeBuilder& tree, std::int32_t parent, std::string_view key, const Value& value,
           const Module& module, Span key_span, Span around) {
  Writer(tree, module).add(parent, key, value, key_span, around, 0);
}

}  // namespace shapelint::text::python
