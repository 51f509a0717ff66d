// Names of other files of the same repository, read when something first asks for them.
#include <algorithm>

#include <fmt/format.h>

#include "text/errors.hpp"
#include "text/python/run.hpp"
#include "text/python/scan.hpp"

namespace shapelint::text::python {

namespace {

constexpr std::size_t max_files = 200;
constexpr std::size_t most_source_bytes = std::size_t{8} << 20;

std::string parent(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

std::string below(const std::string& folder, std::string_view name) {
  if (name.empty()) return folder;
  return folder == "." ? std::string(name) : folder + "/" + std::string(name);
}

std::string dotted(const Imported& import, const Module& module) {
  std::string out;
  if (import.dots > 0) {
    // `.x` in package a.b is a.b.x.
    std::string_view package = module.name;
    const int up = import.dots - (module.path.ends_with("__init__.py") ? 1 : 0);
    for (int i = 0; i < up; ++i)
      package = package.substr(0, package.rfind('.') == std::string_view::npos ? 0 : package.rfind('.'));
    out = package;
  }
  if (!import.module.empty()) out += (out.empty() ? "" : ".") + std::string(import.module);
  return out;
}

}  // namespace

void Interpreter::bind_imports(const Module& module, const Statement& statement, Frame& frame) {
  for (std::uint32_t i = 0; i < statement.imports.count; ++i) {
    const std::uint32_t at = statement.imports.first + i;
    const Imported& each = module.syntax.imports[at];
    if (each.name == "*") {
      const Module* const other = find_module(dotted(each, module), module, each.dots, each.module);
      if (other == nullptr) continue;
      for (const Entry& entry : other->names.entries) {
        if (entry.key.starts_with('_') || spend()) continue;
        Entry& copied = frame.names->set(entry.key, entry.value);
        copied.key_span = entry.key_span;
        copied.where = entry.where;
      }
      continue;
    }
    Object& record = make(dotted(each, module));
    record.module = &module;
    record.statement = at;
    Value value;
    value.kind = ValueKind::awaited;
    value.object = &record;
    // `import a.b` binds `a`.
    const bool binds_first = each.name.empty() && each.as == each.module;
    std::string_view bound = each.as;
    if (binds_first) bound = bound.substr(0, bound.find('.'));
    if (binds_first && bound != each.module) {
      value = Value{};
      value.kind = ValueKind::named;
      value.text = bound;
    }
    if (bound.empty()) continue;
    ++values_;
    frame.names->set(bound, std::move(value)).where = nullptr;
  }
}

Value Interpreter::resolve(const Value& awaited) {
  const Object& record = *awaited.object;
  const Imported& import = record.module->syntax.imports[record.statement];
  const std::string name(import.name);
  Value out;
  if (const Module* const module = find_module(record.type, *record.module, import.dots, import.module)) {
    if (name.empty()) {
      out.kind = ValueKind::module;
      out.text = record.type;
      out.object = const_cast<Object*>(&module->names);
      return out;
    }
    Value holder;
    holder.kind = ValueKind::module;
    holder.text = record.type;
    holder.object = const_cast<Object*>(&module->names);
    // What a package imports of itself lies below it.
    if (module != record.module && holder.object->find(name) != nullptr) {
      if (depth_ >= max_depth_of_calls) return unknown("it is nested too deep");
      depth_ += 4;
      out = attribute(holder, name);
      depth_ -= 4;
      return out;
    }
  }
  if (!name.empty()) {
    const std::string inner = record.type.empty() ? name : record.type + "." + name;
    const std::string path = import.module.empty() ? name : std::string(import.module) + "." + name;
    if (const Module* const module = find_module(inner, *record.module, import.dots, path)) {
      out.kind = ValueKind::module;
      out.text = inner;
      out.object = const_cast<Object*>(&module->names);
      return out;
    }
  }
  out.kind = ValueKind::named;
  out.text = record.type.empty() ? name : name.empty() ? record.type : record.type + "." + name;
  return out;
}

// Once for each: most packages that a file imports lie in no repository.
bool Interpreter::is_folder(const std::string& path) {
  if (!has_folder_) return true;
  const auto [found, is_new] = folders_.try_emplace(path, false);
  if (is_new) found->second = has_folder_(path);
  return found->second;
}

// Below the roots, or, of a relative import, next to the importing file.
const Module* Interpreter::find_module(const std::string& name, const Module& from, int dots,
                                       std::string_view module) {
  if (!read_ || depth_ + 8 >= max_depth_of_calls) return nullptr;
  std::string path(module);
  std::replace(path.begin(), path.end(), '.', '/');
  if (dots > 0) {
    std::string folder = parent(from.path);
    for (int i = 1; i < dots; ++i) folder = parent(folder);
    return read_either(below(folder, path), name, path.empty());
  }
  if (path.empty()) return nullptr;
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  by_name_[name] = nullptr;
  const bool is_deep = path.find('/') != std::string::npos;
  const std::string first = path.substr(0, path.find('/'));
  for (const std::string& root : roots_) {
    for (const std::string_view source : {"", "src"}) {
      const std::string folder = below(root, source);
      if (!source.empty() && !is_folder(folder)) continue;
      if (is_deep && !is_folder(below(folder, first))) continue;
      if (const Module* const found = read_either(below(folder, path), name, false)) {
        by_name_[name] = found;
        return found;
      }
    }
  }
  return nullptr;
}

const Module* Interpreter::read_either(const std::string& stem, const std::string& name, bool only_package) {
  const Module* found = only_package ? nullptr : read_module(stem + ".py", name);
  return found != nullptr ? found : read_module(stem + "/__init__.py", name);
}

const Module* Interpreter::read_module(const std::string& path, const std::string& name) {
  if (const auto found = by_path_.find(path); found != by_path_.end()) return found->second;
  if (modules_.size() >= max_files) return nullptr;
  auto source = read_(path);
  if (!source) return nullptr;
  bytes_ += source->size();
  charge_text(source->size());
  if (source->size() > most_source_bytes) return nullptr;
  const int depth = depth_;
  depth_ += 6;
  const Module* module = nullptr;
  try {
    module = &load(path, name, *std::move(source));
  } catch (const Unclosed&) {
    module = nullptr;
  } catch (const TooMuch&) {
    module = nullptr;
  }
  depth_ = depth;
  return module;
}

}  // namespace shapelint::text::python
