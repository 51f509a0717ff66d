// What a Python file says, as a document.
#include "text/python/python.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "text/python/run.hpp"
#include "text/python/scan.hpp"

namespace shapelint::text {

namespace python {

namespace {

using ValueKind = Value::Kind;

// Texts of a file, and those that are added up from them.
constexpr std::size_t max_text_bytes = 2 * static_cast<std::size_t>(max_source_bytes);
// Values of calls are often the same ones again.
constexpr std::size_t most_nodes = 450'000;

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// `a.b.c` of `x/a/b/c.py`.
std::string dotted_name(std::string_view path) {
  if (!path.ends_with(".py")) return {};
  path.remove_suffix(3);
  std::string out;
  while (!path.empty()) {
    const auto slash = path.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!is_identifier(last)) break;
    if (last != "__init__" || !out.empty()) out = std::string(last) + (out.empty() ? "" : ".") + out;
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
  }
  return out;
}

std::string folder_name(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view folder = path.substr(0, slash);
  return std::string(folder.substr(folder.rfind('/') + 1));
}

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
        return open(fmt::format("`{}` is of a file that is not read", value.text));
      case ValueKind::list:
      case ValueKind::tuple:
      case ValueKind::table:
      case ValueKind::instance:
      case ValueKind::type:
        if (depth > deepest) return open("it is nested too deep");
        if (tree_.size() > most_nodes) return open("there is too much of it");
        return entries(
            leaf(value.kind == ValueKind::list || value.kind == ValueKind::tuple ? Kind::list : Kind::table),
            value, span, depth);
      case ValueKind::unknown:
        return open(value.text.empty() ? "it is written in a way that is not worked out" : value.text);
      case ValueKind::awaited:
        return open("it is imported");
      case ValueKind::builtin:
        return open(fmt::format("`{}` is not of this file", value.text));
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
      if (tree_.size() > most_nodes && depth > 0) return;
      const bool is_code = each.value.kind == ValueKind::function || each.value.kind == ValueKind::builtin ||
                           each.value.kind == ValueKind::module || each.value.kind == ValueKind::awaited ||
                           (each.value.kind == ValueKind::type && value.kind != ValueKind::table);
      if (is_code && !is_list) continue;
      add(index, is_list ? std::string_view{} : std::string_view(each.key), each.value,
          each.where == &module_ && !is_list ? each.key_span : Span{}, span, depth + 1);
    }
  }

  TreeBuilder& tree_;
  const Module& module_;
};

bool is_private(std::string_view name) {
  return name.starts_with('_');
}

class Reader {
 public:
  Reader(Interpreter& interpreter, Module& module)
      : interpreter_(interpreter), module_(module), writer_(tree_, module) {}

  TreeBuilder read() {
    const auto size = static_cast<std::int64_t>(module_.source.size());
    root_ = tree_.add(no_node, Kind::table, {}, {}, Span{0, size});
    std::vector<Entry> functions;
    // Calling a function may read files, which may add names.
    const std::vector<Entry> names = module_.names.entries;
    for (const Entry& each : names) {
      if (each.where != &module_) continue;
      if (each.value.kind == ValueKind::function) functions.push_back(each);
      if (each.value.kind == ValueKind::type && each.value.where == &module_) type(each, functions);
      const bool is_code =
          each.value.kind == ValueKind::type || each.value.kind == ValueKind::module ||
          (each.value.kind == ValueKind::function && each.value.object->statement != nothing);
      if (!is_code) add(each.key, each.value, each.key_span);
    }
    for (const Entry& each : functions) {
      if (is_private(each.key)) continue;
      const Value result = interpreter_.result_of(each.value);
      const bool is_table = result.kind == ValueKind::instance || result.kind == ValueKind::table;
      if (is_table && !result.object->entries.empty()) add(each.key + "()", result, each.key_span);
    }
    const std::string folder = folder_name(module_.path);
    if (!folder.empty()) tree_.set_string(tree_.add(root_, Kind::string, "__folder__", {}, {}), folder);
    return std::move(tree_);
  }

 private:
  void add(std::string_view key, const Value& value, Span key_span) {
    writer_.add(root_, key, value, key_span, key_span, 0);
  }

  void type(const Entry& each, std::vector<Entry>& functions) {
    const Object& object = *each.value.object;
    bool has_values = false;
    for (const Entry& member : object.entries) {
      const bool is_function = member.value.kind == ValueKind::function;
      has_values = has_values || (!is_function && member.value.kind != ValueKind::type);
      if (!is_function || member.where != &module_ || is_private(member.key)) continue;
      if (!member.value.object->is_method_of_class && !member.value.object->is_static) continue;
      Entry method = member;
      method.key = each.key + "." + member.key;
      if (member.value.object->is_method_of_class) {
        Object& bound = interpreter_.make(member.value.object->type);
        bound.module = member.value.object->module;
        bound.statement = member.value.object->statement;
        bound.around = member.value.object->around;
        bound.self = each.value;
        method.value.object = &bound;
      }
      functions.push_back(method);
    }
    if (has_values) add(each.key, each.value, each.key_span);
  }

  Interpreter& interpreter_;
  Module& module_;
  TreeBuilder tree_;
  Writer writer_;
  std::int32_t root_ = no_node;
};

}  // namespace

}  // namespace python

Result<Document> parse_python(std::string path, SharedText source, const PythonImports& imports) {
  if (const auto problem = check_source(path, source)) return *problem;
  try {
    python::Interpreter interpreter(imports.read, imports.roots);
    python::Module& module =
        interpreter.load(path, python::dotted_name(path), std::string(std::string_view(source)));
    TreeBuilder tree = python::Reader(interpreter, module).read();
    return std::move(tree).finish(std::move(path), std::move(source));
  } catch (const python::TooMuch& much) {
    return too_many_values(path, static_cast<std::int64_t>(much.at));
  } catch (const python::Unclosed& unclosed) {
    const auto at = static_cast<std::int64_t>(unclosed.at);
    return Error{"the string is never closed", {}, std::move(path), Span{at, at + 1}, ErrorCode::syntax};
  }
}

}  // namespace shapelint::text
