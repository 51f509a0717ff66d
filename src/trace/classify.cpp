// Patterns of a data file.
#include "trace/classify.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/catalog.hpp"
#include "text/table_reader.hpp"

namespace shapelint::trace {

namespace {

using Sizes = std::vector<std::vector<std::int64_t>>;

enum class Form : std::uint8_t {
  matrices,   // A[m,k] B[k,n]
  batches,    // the same of [batch, …]
  weight,     // A[…,k] B[n,k]
  broadcast,  // A[…,m,k] B[…,k,n]
  grouped     // A[rows,k] B[groups,k,n]: the rows are shared out
};

struct Operator {
  std::string_view name;
  Form form = Form::matrices;
  std::size_t first = 0;  // of the inputs
  bool is_whole = true;
};

constexpr std::array<Operator, 16> operators{{
    {"aten::mm", Form::matrices, 0, true},
    {"aten::addmm", Form::matrices, 1, true},
    {"aten::addmm_", Form::matrices, 1, true},
    {"aten::_addmm_activation", Form::matrices, 1, true},
    {"aten::_scaled_mm", Form::matrices, 0, true},
    {"aten::_int_mm", Form::matrices, 0, true},
    {"aten::bmm", Form::batches, 0, true},
    {"aten::baddbmm", Form::batches, 1, true},
    {"aten::baddbmm_", Form::batches, 1, true},
    {"aten::mkldnn_linear", Form::weight, 0, true},
    {"mkldnn::_linear_pointwise", Form::weight, 0, true},
    {"aten::_grouped_mm", Form::grouped, 0, true},
    {"aten::_scaled_grouped_mm", Form::grouped, 0, true},
    {"aten::linear", Form::weight, 0, false},
    {"aten::matmul", Form::broadcast, 0, false},
    {"aten::mv", Form::broadcast, 0, true},
}};

std::int64_t rows_of(const std::vector<std::int64_t>& size) {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < size.size(); ++i) rows *= size[i];
  return rows;
}

}  // namespace

std::vector<std::vector<std::int64_t>> parse_sizes(std::string_view text) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  Sizes out;
  int depth = 0;
  std::int64_t number = -1;
  const auto end_number = [&] {
    if (number >= 0 && depth == 2 && !out.empty()) out.back().push_back(number);
    number = -1;
  };
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = std::min(most, (number < 0 ? 0 : number) * 10 + (c - '0'));
      continue;
    }
    end_number();
    if (c == '[') {
      ++depth;
      if (depth == 2) out.emplace_back();
      if (depth > 2 && !out.empty()) out.back().clear();
    } else if (c == ']') {
      --depth;
    }
  }
  return out;
}

bool multiplies(std::string_view op) {
  return std::any_of(operators.begin(), operators.end(),
                     [&](const Operator& each) { return each.name == op; });
}

Product product_of(std::string_view op, std::string_view sizes, bool& is_whole) {
  const auto* found =
      std::find_if(operators.begin(), operators.end(), [&](const Operator& each) { return each.name == op; });
  if (found == operators.end()) return {};
  const Sizes all = parse_sizes(sizes);
  if (all.size() < found->first + 2) return {};
  const std::vector<std::int64_t>& a = all[found->first];
  const std::vector<std::int64_t>& b = all[found->first + 1];
  is_whole = found->is_whole;
  switch (found->form) {
    case Form::matrices:
      if (a.size() == 2 && b.size() == 2 && a[1] == b[0]) return {1, a[0], b[1], a[1]};
      break;
    case Form::batches:
      if (a.size() == 3 && b.size() == 3 && a[2] == b[1]) return {a[0], a[1], b[2], a[2]};
      break;
    case Form::weight:
      if (!a.empty() && b.size() == 2 && a.back() == b[1]) return {1, rows_of(a), b[0], b[1]};
      break;
    case Form::broadcast:
      if (a.empty() || b.empty()) break;
      if (b.size() == 1 && a.back() == b[0]) return {1, rows_of(a), 1, b[0]};
      if (b.size() == 2 && a.back() == b[0]) return {1, rows_of(a), b[1], b[0]};
      if (a.size() >= 3 && a.size() == b.size() && a.back() == b[b.size() - 2])
        return {rows_of(a) / std::max<std::int64_t>(1, a[a.size() - 2]), a[a.size() - 2], b.back(), a.back()};
      break;
    case Form::grouped:
      if (a.size() == 2 && b.size() == 3 && a[1] == b[1])
        return {b[0], std::max<std::int64_t>(1, a[0] / std::max<std::int64_t>(1, b[0])), b[2], a[1]};
      break;
  }
  return {};
}

Product canonical(Product product) {
  if (product.m > product.n) std::swap(product.m, product.n);
  return product;
}

namespace {

using text::NodeRef;

constexpr std::array<std::string_view, 7> kind_names{"product", "attention", "collective", "memory",
                                                     "scan",    "host",      "other"};

// C++ names of kernels run to thousands of letters, of which the template's last arguments tell nothing more.
constexpr std::size_t longest_name = 2048;

namespace class_file {

using text::Key;
using text::TableReader;
using text::Presence::required;
template <auto member>
constexpr auto value = text::value<TableReader, member>;

constexpr text::KeyValue<Class, TableReader> kind{
    [](TableReader& reader, NodeRef node, Class& into) {
      if (const auto index = reader.choice(node, "kind", kind_names)) into.kind = static_cast<Kind>(*index);
    },
    text::ValueType::text};

constexpr std::array class_keys{
    Key<Class, TableReader>{"name", value<&Class::name>, "as comparisons print it", required},
    Key<Class, TableReader>{"kind", kind, "how it is compared", required},
    Key<Class, TableReader>{"ops", value<&Class::ops>, "patterns of predicted operations"},
    Key<Class, TableReader>{"kernels", value<&Class::kernels>, "patterns of kernels' names"},
    Key<Class, TableReader>{"operators", value<&Class::operators>, "patterns of what launched them"}};

struct ClassFile {
  std::vector<Class> classes;
};
constexpr std::array file_keys{Key<ClassFile, TableReader>{
    "class", text::tables<TableReader, &ClassFile::classes, class_keys>, "the first that matches counts"}};

}  // namespace class_file

bool fits(const std::vector<std::string_view>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return glob_matches(pattern, text, Glob::name); });
}

}  // namespace

std::vector<Class> read_classes(std::span<const text::Document> documents, std::vector<Error>& errors) {
  class_file::ClassFile file;
  text::TableReader reader(errors);
  for (const text::Document& document : documents)
    text::TableReader::read_table(reader, document.root(), class_file::file_keys, file);
  return std::move(file.classes);
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
