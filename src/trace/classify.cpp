// Patterns of a data file.
#include "trace/classify.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/glob.hpp"
#include "base/names.hpp"
#include "catalog/catalog.hpp"
#include "text/table_reader.hpp"

namespace shapelint::trace {

namespace {

using text::NodeRef;

constexpr std::array<std::string_view, 7> kind_names{"product", "attention", "collective", "memory",
                                                     "scan",    "host",      "other"};
constexpr std::array<std::string_view, 1> file_keys{"class"};
constexpr std::array<std::string_view, 5> class_keys{"name", "kind", "ops", "kernels", "operators"};

// C++ names of kernels run to thousands of letters, of which the template's last arguments tell nothing more.
constexpr std::size_t longest_name = 2048;

class Reader : text::TableReader {
 public:
  explicit Reader(std::vector<Error>& errors) : TableReader(errors), errors_(errors) {}

  void read(NodeRef root, std::vector<Class>& out) {
    text::check_keys(root, file_keys, errors_);
    for (const NodeRef node : list(root["class"])) {
      text::check_keys(node, class_keys, errors_);
      Class each;
      each.name = required(node, "name");
      const std::string_view kind = required(node, "kind");
      const auto* const found = std::find(kind_names.begin(), kind_names.end(), kind);
      if (found == kind_names.end())
        errors_.push_back(node["kind"].error(fmt::format("`{}` is not a kind", kind),
                                             fmt::format("one of {}", fmt::join(kind_names, ", "))));
      else
        each.kind = static_cast<Kind>(found - kind_names.begin());
      each.ops = texts(node["ops"]);
      each.kernels = texts(node["kernels"]);
      each.operators = texts(node["operators"]);
      out.push_back(std::move(each));
    }
  }

 private:
  std::vector<std::string_view> texts(NodeRef node) {
    std::vector<std::string_view> out;
    for (const NodeRef each : list(node)) out.push_back(string_or(each, {}));
    return out;
  }

  std::vector<Error>& errors_;
};

bool fits(const std::vector<std::string_view>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return glob_matches(pattern, text, Glob::name); });
}

}  // namespace

std::vector<Class> read_classes(std::span<const text::Document> documents, std::vector<Error>& errors) {
  std::vector<Class> out;
  Reader reader(errors);
  for (const text::Document& document : documents) reader.read(document.root(), out);
  return out;
}

const std::vector<Class>& classes() {
  static const std::vector<Class> all = [] {
    std::vector<Error> errors;  // a test sees to it that there are none
    return read_classes(catalog::builtin("traces"), errors);
  }();
  return all;
}

std::size_t Classifier::of(const Kernel& kernel) {
  const std::uint64_t key = std::uint64_t{kernel.launcher} << 32U | kernel.name;
  const auto [entry, is_new] = known_.try_emplace(key, no_class);
  if (!is_new) return entry->second;
  const std::string_view name = std::string_view(trace_.names[kernel.name]).substr(0, longest_name);
  const std::string_view path =
      kernel.launcher == none ? std::string_view{} : trace_.launchers[kernel.launcher].path;
  const std::vector<Class>& all = classes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!fits(all[i].kernels, name) && (path.empty() || !fits(all[i].operators, path))) continue;
    entry->second = i;
    break;
  }
  return entry->second;
}

}  // namespace shapelint::trace
