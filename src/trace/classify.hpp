// What kernels are, by their names and by what launched them (traces/kernels.toml).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"
#include "trace/trace.hpp"

namespace shapelint::trace {

// What the sizes of an operator's inputs say of the matrix product that it is.

// `[[4096, 1024], [], [1024]]`; what is nested deeper reads as empty.
std::vector<std::vector<std::int64_t>> parse_sizes(std::string_view text);

// Whether it is one of `aten::mm` and its like.
bool multiplies(std::string_view op);
// For such an operator: k is 0 if the sizes are not those of a GEMM. `is_whole`: the operator launches
// nothing but what the product needs.
Product product_of(std::string_view op, std::string_view sizes, bool& is_whole);

// The same product, whichever way round: m <= n.
Product canonical(Product product);

// host: the framework's own time, in traces of a CPU.
enum class Kind : std::uint8_t { product, attention, collective, memory, scan, host, other };

struct Class {
  std::string_view name;
  Kind kind = Kind::other;
  std::vector<std::string_view> ops;  // patterns of predicted operations' names; collective: kinds
  std::vector<std::string_view> kernels;
  std::vector<std::string_view> operators;
};

// Views point into the documents. Errors are appended.
std::vector<Class> read_classes(std::span<const text::Document> documents, std::vector<Error>& errors);
// The built-in ones.
const std::vector<Class>& classes();

inline constexpr std::size_t no_class = static_cast<std::size_t>(-1);

// Each pair of name and launcher of a trace's kernels once.
class Classifier {
 public:
  explicit Classifier(const Trace& trace) : trace_(trace) {}
  // Index into classes(); no_class: unknown.
  std::size_t of(const Kernel& kernel);

 private:
  const Trace& trace_;
  std::unordered_map<std::uint64_t, std::size_t> known_;
};

}  // namespace shapelint::trace
