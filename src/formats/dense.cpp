// Products in a row.
#include "formats/dense.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "formats/native/keys.hpp"

namespace shapelint::formats {

namespace {

using model::Layer;
using model::LayerKind;

// `13-512-256` and `512,256` alike; nothing where a part is no width.
std::optional<std::vector<std::int64_t>> widths_of(std::string_view text) {
  std::vector<std::int64_t> out;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end) {
    std::int64_t width = 0;
    const auto [next, error] = std::from_chars(at, end, width);
    if (error != std::errc{} || width < 1 || width > largest_channels) return std::nullopt;
    out.push_back(width);
    at = next;
    while (at < end && (*at == '-' || *at == ',' || *at == ' ')) ++at;
    if (at == next && at < end) return std::nullopt;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

class Builder {
 public:
  Builder(const View& view, const Place& base, model::Reading& reading, std::vector<Error>& errors)
      : view_(view), base_(base), reading_(reading), errors_(errors) {}

  void add(const DenseLayers& dense) {
    const std::int64_t times = dense.repeat.empty() ? 1 : value(dense.repeat);
    if (times < 1) return;
    if (!dense.rows.empty()) {
      Layer layer = named(dense.name, LayerKind::matmul);
      layer.rows = value(dense.rows);
      layer.columns = value(dense.columns);
      layer.depth = value(dense.depth);
      if (layer.rows > 0 && layer.columns > 0 && layer.depth > 0) push(std::move(layer), {});
      return;
    }
    const text::NodeRef node = view_.find_first(dense.widths, base_);
    const std::string written = node ? text_of(node) : dense.otherwise;
    auto widths = widths_of(written);
    if (!widths) {
      if (node)
        errors_.push_back(node.error(fmt::format("`{}` is not a list of layer widths", written),
                                     "write it as `512-256-64`"));
      return;
    }
    std::int64_t in = dense.input.empty() ? widths->front() : value(dense.input);
    if (dense.input.empty()) widths->erase(widths->begin());
    if (!dense.output.empty()) widths->push_back(value(dense.output));
    for (std::int64_t time = 0; time < times; ++time) {
      std::int64_t number = 0;
      for (const std::int64_t width : *widths) {
        Layer layer = named(fmt::format("{}{}", dense.name, ++number), LayerKind::linear);
        layer.in_channels = in;
        layer.out_channels = in = width;
        layer.bias = true;
        if (reading_.setup.model.image_channels == 0) reading_.setup.model.image_channels = layer.in_channels;
        push(std::move(layer), node);
      }
    }
  }

 private:
  // Of a value that the dialect exports; 0 if unknown.
  std::int64_t value(std::string_view name) const {
    return static_cast<std::int64_t>(model::extra_named(reading_, name));
  }

  static std::string text_of(const text::NodeRef& node) {
    if (const auto text = node.as_string()) return std::string(*text);
    if (const auto number = node.as_integer()) return std::to_string(*number);
    std::string out;
    for (const text::NodeRef each : node) out += (out.empty() ? "" : ",") + text_of(each);
    return out;
  }

  static Layer named(std::string name, LayerKind kind) {
    Layer out;
    out.kind = kind;
    out.name = std::move(name);
    return out;
  }

  void push(Layer layer, const text::NodeRef& node) {
    layer.id = static_cast<std::int32_t>(reading_.setup.model.conv.size());
    if (node) reading_.layers.push_back({layer.id, "", node.span(), node.key_span(), node.path()});
    reading_.setup.model.conv.push_back(std::move(layer));
  }

  const View& view_;
  const Place& base_;
  model::Reading& reading_;
  std::vector<Error>& errors_;
};

}  // namespace

void add_dense_layers(const Dialect& dialect, const View& view, const Place& base, model::Reading& reading,
                      std::vector<Error>& errors) {
  if (dialect.layers.empty()) return;
  Builder builder(view, base, reading, errors);
  for (const DenseLayers& each : dialect.layers) builder.add(each);
  model::ModelSpec& model = reading.setup.model;
  model.image_height = model.image_width = 1;
  reading.complete = !model.conv.empty();
}

}  // namespace shapelint::formats
