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
    if (last != "__init__" || !out.empty()) {
      if (!out.empty()) out.insert(0, ".");
      out.insert(0, last);
    }
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

// A class of transformers' configurations, whose defaults are those of its `__init__`.
bool is_configuration(const Object& made) {
  return std::any_of(made.bases.begin(), made.bases.end(), [](const Value& base) {
    return base.kind == ValueKind::named &&
           (base.text.ends_with("PretrainedConfig") || base.text.ends_with("PreTrainedConfig"));
  });
}

bool is_private(std::string_view name) {
  return name.starts_with('_');
}

class PythonReader {
 public:
  PythonReader(Interpreter& interpreter, Module& module) : interpreter_(interpreter), module_(module) {}

  TreeBuilder read() {
    const auto size = static_cast<std::int64_t>(module_.source.size());
    root_ = tree_.add(no_node, Kind::table, {}, {}, Span{0, size});
    std::vector<Entry> functions;
    // Calling a function may read files, which may add names.
    const std::vector<Entry> names = module_.names.entries;
    charge(10 * names.size());
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
      if (is_table || each.key != "main") continue;
      // A program that gives nothing: what it makes.
      const std::vector<Entry> made = interpreter_.names_of_last_call();
      for (const Entry& one : made) {
        if (one.value.kind == ValueKind::instance) add("main()." + one.key, one.value, one.key_span);
      }
    }
    const std::string folder = folder_name(module_.path);
    if (!folder.empty()) tree_.set_string(tree_.add(root_, Kind::string, "__folder__", {}, {}), folder);
    return std::move(tree_);
  }

 private:
  void add(std::string_view key, const Value& value, Span key_span) {
    write(tree_, root_, key, value, module_, key_span, key_span);
  }

  void type(const Entry& each, std::vector<Entry>& functions) {
    Object& object = *each.value.object;
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
    if (!is_configuration(object) || object.find("__init__") == nullptr) return;
    const Value made = interpreter_.result_of(each.value);
    if (made.kind == ValueKind::instance) add(each.key + "()", made, each.key_span);
  }

  Interpreter& interpreter_;
  Module& module_;
  TreeBuilder tree_;
  std::int32_t root_ = no_node;
};

}  // namespace

}  // namespace python

Result<Document> parse_python(const std::string& path, const SharedText& source,
                              const PythonImports& imports) {
  return python::document_of(path, source, [&] {
    python::Interpreter interpreter(imports.read, imports.roots, imports.has_folder);
    return python::placed(interpreter, [&] {
      python::Module& module =
          interpreter.load(path, python::dotted_name(path), std::string(std::string_view(source)));
      return python::PythonReader(interpreter, module).read();
    });
  });
}

}  // namespace shapelint::text
