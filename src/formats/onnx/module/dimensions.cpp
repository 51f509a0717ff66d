// Symbolic dimensions of a graph's inputs.
#include "formats/onnx/module/infer.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"

namespace shapelint::formats {

namespace {

class Dimensions {
 public:
  Dimensions(const GraphRequest& request, Graph& graph, Error& error)
      : request_(request), graph_(graph), error_(error) {
    for (const GraphDimension& each : request.dimensions) sizes_[each.name] = each.size;
  }

  bool fix(onnx::GraphProto& proto, const std::set<std::string>& weights) {
    bool first = true;
    for (onnx::ValueInfoProto& input : *proto.mutable_input()) {
      if (weights.contains(input.name()) || !input.type().has_tensor_type()) continue;
      if (!fix_input(input, first)) return false;
      first = false;
    }
    if (!missing_.empty()) return fail_missing();
    if (!all_are_known()) return false;
    for (auto* values : {proto.mutable_value_info(), proto.mutable_output()}) {
      for (onnx::ValueInfoProto& each : *values) replace(each);
    }
    return true;
  }

 private:
  using Dim = onnx::TensorShapeProto_Dimension;

  bool fail(std::string message, std::string hint) {
    error_.message = std::move(message);
    error_.hint = std::move(hint);
    return false;
  }

  // A name, or a sum of them such as `past_sequence_length + 1`.
  std::optional<std::int64_t> size_of(const std::string& name) const {
    const auto found = sizes_.find(name);
    if (found != sizes_.end()) return found->second;
    constexpr std::size_t longest_sum = 200;
    if (name.size() > longest_sum) return std::nullopt;
    const std::size_t plus = name.rfind(" + ");
    if (plus == std::string::npos) {
      const bool digits = !name.empty() && name.size() < 10 &&
                          std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
      return digits ? std::optional(std::int64_t{std::stoi(name)}) : std::nullopt;
    }
    const auto left = size_of(name.substr(0, plus));
    const auto right = size_of(name.substr(plus + 3));
    if (!left || !right) return std::nullopt;
    return *left + *right;
  }

  // A first dimension that is called so is not the batch: recurrent networks have time first.
  static bool is_of_time(const std::string& name) {
    for (const char* word : {"seq", "time", "frame", "length", "token", "step"}) {
      if (name.find(word) != std::string::npos) return true;
    }
    return false;
  }

  bool fix_input(onnx::ValueInfoProto& input, bool first) {
    auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
    const int rank = shape->dim_size();
    for (int i = 0; i < rank; ++i) {
      Dim& dim = *shape->mutable_dim(i);
      if (dim.has_dim_value() && dim.dim_value() > largest_graph_dimension) {
        return fail(fmt::format("input `{}` has a dimension of {}", input.name(), dim.dim_value()),
                    "no tensor is that large");
      }
      if (dim.has_dim_value() && dim.dim_value() > 0) {
        if (i == 0 && first) graph_.batch = dim.dim_value();
        continue;
      }
      // Exporters write no name, or a size of 0 or -1, for what may be anything.
      const std::string name =
          dim.dim_param().empty() ? fmt::format("{}.{}", input.name(), i) : dim.dim_param();
      const bool is_new = names_.insert(name).second;
      std::int64_t size = size_of(name).value_or(0);  // 0: not known
      if (size < 1 || size > largest_graph_dimension) size = 0;
      const bool counts_time = is_of_time(name);
      if (i == 0 && first && !counts_time) {
        graph_.symbolic_batch = size == 0;
        graph_.batch = std::max<std::int64_t>(1, size);
      }
      if (size == 0 && i == 0 && !counts_time) size = 1;
      const bool is_tokens = (i == 1 && rank <= 3) || (i == 0 && counts_time);
      if (size == 0 && is_tokens) size = std::max<std::int64_t>(0, request_.sequence_length);
      if (size == 0) {
        // A name whose size is known by now was given one where it came first.
        if (is_new) missing_.push_back({name, input.name(), i, is_tokens});
        continue;
      }
      sizes_[name] = size;
      dim.set_dim_value(size);
    }
    return true;
  }

  bool fail_missing() {
    std::string names;
    std::string options;
    bool has_tokens = false;
    constexpr std::size_t most_named = 20;
    for (const Missing& each : std::span(missing_).first(std::min(missing_.size(), most_named))) {
      names += fmt::format("{}`{}` (dimension {} of input `{}`)", names.empty() ? "" : ", ", each.name,
                           each.index, each.input);
      options +=
          fmt::format("{}--dim {}=N", options.empty() ? "" : " ",
                      each.name.find(' ') == std::string::npos ? each.name : fmt::format("'{}'", each.name));
      has_tokens = has_tokens || each.is_tokens;
    }
    if (missing_.size() > most_named) names += fmt::format(" and {} more", missing_.size() - most_named);
    return fail(fmt::format("the size of {} is not stated", names),
                fmt::format("give {} with `{}`{}", in_number(missing_.size() == 1, "it|them"), options,
                            has_tokens ? "; `--sequence-length N` sets the number of tokens" : ""));
  }

  bool all_are_known() {
    for (const GraphDimension& each : request_.dimensions) {
      if (names_.contains(each.name)) continue;
      // Parts of a sum count as well.
      const bool is_part = std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
        return name.find(" + ") != std::string::npos && name.find(each.name) != std::string::npos;
      });
      if (is_part) continue;
      const std::vector<std::string_view> names(names_.begin(), names_.end());
      std::string hint = did_you_mean(each.name, names);
      if (hint.empty()) {
        hint = names.empty() ? "all of its sizes are stated"
                             : fmt::format("it has `{}`", fmt::join(names, "`, `"));
      }
      return fail(fmt::format("the graph has no symbolic dimension `{}`", each.name), std::move(hint));
    }
    return true;
  }

  void replace(onnx::ValueInfoProto& value) const {
    if (!value.type().has_tensor_type()) return;
    for (Dim& dim : *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      if (dim.has_dim_value()) continue;
      if (const auto size = size_of(dim.dim_param())) dim.set_dim_value(*size);
    }
  }

  struct Missing {
    std::string name;
    std::string input;
    int index = 0;
    bool is_tokens = false;
  };
  const GraphRequest& request_;
  Graph& graph_;
  Error& error_;
  std::map<std::string, std::int64_t> sizes_;
  std::set<std::string> names_;
  std::vector<Missing> missing_;
};

}  // namespace

bool fix_dimensions(onnx::GraphProto& proto, const std::set<std::string>& weights,
                    const GraphRequest& request, Graph& graph, Error& error) {
  return Dimensions(request, graph, error).fix(proto, weights);
}

}  // namespace shapelint::formats
