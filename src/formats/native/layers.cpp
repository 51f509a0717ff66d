// The layers of a convolutional network in the native file: [[conv]].
#include <algorithm>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "formats/native/internal.hpp"
#include "formats/native/keys.hpp"
#include "model/cnn/cnn.hpp"

namespace shapelint::formats {

namespace {

using model::Layer;
using model::LayerKind;
using text::Kind;
using text::NodeRef;

constexpr int deepest_block = 16;  // blocks inside blocks

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  for (const ConvKey& each : conv_keys) names.push_back(each.key);
  for (const ConvOther& each : conv_others) names.push_back(each.key);
  return names;
}

class LayerReader {
 public:
  LayerReader(const text::Document& document, model::Reading& reading, std::vector<Error>& errors)
      : document_(document), reading_(reading), errors_(errors) {}

  void read() {
    const NodeRef root = document_.root();
    read_image(root["model"]);
    reading_.setup.model.conv = list(root["conv"], "`conv`", "write a table `[[conv]]` for each layer", 0);
    if (root["conv"].is(Kind::list) && root["conv"].size() == 0) {
      errors_.push_back(root["conv"].error("`conv` is empty", "write a table `[[conv]]` for each layer"));
    }
  }

 private:
  void read_image(const NodeRef& table) {
    if (!table.is(Kind::table)) return;
    model::ModelSpec& spec = reading_.setup.model;
    for (const NodeRef node : table) {
      const std::string_view key = node.key();
      if (key == "batch_norm") {
        batch_norm_ = boolean_value(document_, node, key, errors_).value_or(false);
      } else if (key == "bias") {
        bias_ = boolean_value(document_, node, key, errors_);
      } else if (key == "in_channels" || key.starts_with("image")) {
        if (key != "in_channels" && key != "image" && key != "image_height" && key != "image_width") continue;
        const std::int64_t largest = key == "in_channels" ? largest_channels : largest_image;
        const std::int64_t value = integer_value(document_, node, key, {1, largest}, errors_).value_or(1);
        if (key == "in_channels") spec.image_channels = value;
        if (key == "image" || key == "image_height") spec.image_height = value;
        if (key == "image" || key == "image_width") spec.image_width = value;
        reading_.layers.push_back({-1, std::string(key), node.span(), node.key_span(), node.path()});
      }
    }
    one_spelling(table, "image");
  }

  std::vector<Layer> list(const NodeRef& node, std::string_view what, std::string_view hint, int depth) {
    std::vector<Layer> out;
    bool tables = node.is(Kind::list);
    for (const NodeRef each : node) tables = tables && each.is(Kind::table);
    if (!tables) {
      errors_.push_back(
          node.error(fmt::format("{} is {}", what,
                                 node.is(Kind::list) ? "not a list of tables"
                                                     : std::string(text::describe(node.kind()))),
                     std::string(hint)));
      return out;
    }
    if (depth > deepest_block) {
      errors_.push_back(node.error(fmt::format("blocks are nested more than {} deep", deepest_block)));
      return out;
    }
    for (const NodeRef each : node) out.push_back(layer(each, depth));
    return out;
  }

  Layer layer(const NodeRef& table, int depth) {
    Layer out;
    out.id = next_++;
    reading_.layers.push_back({out.id, "", table.span(), table.key_span(), table.path()});
    read_type(table, out);
    const bool linear = out.kind == LayerKind::linear;
    out.batch_norm = batch_norm_ && (out.kind == LayerKind::conv || out.kind == LayerKind::block);
    for (const NodeRef node : table) read_key(node, out, depth);
    if (!table["bias"]) out.bias = linear ? !out.batch_norm : bias_.value_or(!out.batch_norm);
    for (const std::string_view shorthand : {"kernel", "image", "padding"}) one_spelling(table, shorthand);
    check_kind(table, out);
    return out;
  }

  void read_type(const NodeRef& table, Layer& out) {
    const bool block = table["layers"] || table["branches"];
    if (block) out.kind = LayerKind::block;
    const NodeRef node = table["type"];
    if (!node) return;
    const auto type = node.as_string();
    const auto known = type ? std::find(conv_types.begin(), conv_types.end(), *type) : conv_types.end();
    if (known == conv_types.end()) {
      std::string hint = type ? did_you_mean(*type, conv_types) : std::string();
      if (hint.empty()) hint = fmt::format("expected one of {}", types());
      errors_.push_back(node.error(
          fmt::format("`type` is {}", type ? fmt::format("`{}`", *type) : written(document_, node)), hint));
      return;
    }
    constexpr LayerKind kinds[] = {LayerKind::conv,     LayerKind::conv,         LayerKind::linear,
                                   LayerKind::max_pool, LayerKind::average_pool, LayerKind::global_pool,
                                   LayerKind::block};
    const LayerKind kind = kinds[static_cast<std::size_t>(known - conv_types.begin())];
    if (block != (kind == LayerKind::block)) {
      errors_.push_back(node.error(
          fmt::format("`type` is `{}`, {} `layers` or `branches`", *known, block ? "with" : "without"),
          "only a block contains layers"));
      return;
    }
    out.kind = kind;
    out.depthwise = *known == "depthwise";
  }

  static std::string types() {
    std::string out;
    for (const std::string_view each : conv_types)
      out += fmt::format("{}`{}`", out.empty() ? "" : ", ", each);
    return out;
  }

  void read_key(const NodeRef& node, Layer& out, int depth) {
    const std::string_view key = node.key();
    const auto number = std::find_if(conv_keys.begin(), conv_keys.end(),
                                     [&](const ConvKey& each) { return each.key == key; });
    if (number != conv_keys.end()) {
      reading_.layers.push_back({out.id, std::string(key), node.span(), node.key_span(), node.path()});
      if (key == "padding" && node.as_string() == std::string_view("same")) {
        out.padding_same = true;
        return;
      }
      const auto value = integer_value(document_, node, key, {number->minimum, number->maximum}, errors_);
      if (!value) return;
      out.*(number->member) = *value;
      if (number->second != nullptr) out.*(number->second) = *value;
      return;
    }
    const auto other = std::find_if(conv_others.begin(), conv_others.end(),
                                    [&](const ConvOther& each) { return each.key == key; });
    if (other == conv_others.end()) {
      errors_.push_back(with_code(
          node.key_error(fmt::format("unknown key `{}` in `[[conv]]`", key), did_you_mean(key, key_names())),
          ErrorCode::unknown_name));
    } else if (other->flag != nullptr) {
      if (const auto value = boolean_value(document_, node, key, errors_)) out.*(other->flag) = *value;
      reading_.layers.push_back({out.id, std::string(key), node.span(), node.key_span(), node.path()});
    } else if (key == "name") {
      const auto name = node.as_string();
      if (name && !name->empty()) out.name = std::string(*name);
      if (!name)
        errors_.push_back(
            node.error(fmt::format("`name` is {}", written(document_, node)), "write a string"));
    } else if (key == "layers") {
      out.layers =
          list(node, "`layers`", "write a list of tables: `layers = [{ out_channels = 64 }]`", depth + 1);
    } else if (key == "branches") {
      read_branches(node, out, depth);
    }
  }

  void read_branches(const NodeRef& node, Layer& out, int depth) {
    if (!node.is(Kind::list) || node.size() == 0) {
      errors_.push_back(node.error(
          fmt::format("`branches` is {}", node.is(Kind::list) ? "empty" : written(document_, node)),
          "write a list of lists of layers; an empty list is the identity"));
      return;
    }
    reading_.layers.push_back({out.id, "branches", node.span(), node.key_span(), node.path()});
    for (const NodeRef each : node) {
      out.branches.push_back(
          list(each, "a branch", "write a list of tables: `[{ out_channels = 64 }]`", depth + 1));
    }
  }

  // A shorthand for both sides with one of the sides.
  void one_spelling(const NodeRef& table, std::string_view shorthand) {
    for (const std::string_view part : {"_height", "_width"}) {
      const std::string full = std::string(shorthand) + std::string(part);
      if (!table[shorthand] || !table[full]) continue;
      errors_.push_back(
          table[full].key_error(fmt::format("`{}` and `{}` are both stated", shorthand, full),
                                fmt::format("`{}` means both sides; leave one out", shorthand)));
    }
  }

  void check_kind(const NodeRef& table, const Layer& layer) {
    const auto refuse = [&](std::string_view key, std::string_view of, std::string_view hint) {
      if (table[key])
        errors_.push_back(table[key].key_error(fmt::format("`{}` of {}", key, of), std::string(hint)));
    };
    if (layer.depthwise) refuse("groups", "a depthwise layer", "its groups are its input channels");
    if (layer.kind == LayerKind::linear) {
      for (const std::string_view key :
           {"kernel", "kernel_height", "kernel_width", "stride", "padding", "groups"})
        refuse(key, "a linear layer", "a linear layer reads all pixels at once");
    }
    if (layer.kind == LayerKind::block) {
      for (const ConvKey& key : conv_keys) {
        if (key.key != "repeat") refuse(key.key, "a block", "write it into the layers of the block");
      }
      if (table["layers"] && table["branches"])
        errors_.push_back(
            table["branches"].key_error("`layers` and `branches` are both stated",
                                        "one block has one of them; put the other into a second block"));
    } else {
      refuse("residual", "a single layer", "only blocks have one: `layers = [...]`");
    }
    if (layer.kind == LayerKind::max_pool || layer.kind == LayerKind::average_pool ||
        layer.kind == LayerKind::global_pool) {
      for (const std::string_view key : {"out_channels", "groups", "bias", "batch_norm"})
        refuse(key, "a pool", "it has no weights and as many channels as its input");
      if (layer.kind != LayerKind::global_pool && !table["kernel"] && !table["kernel_height"])
        errors_.push_back(table.error("`kernel` is missing from a pool", "write it, such as `kernel = 2`"));
    }
    const auto even = [](std::int64_t kernel) { return kernel % 2 == 0; };
    if (layer.padding_same && (even(layer.kernel_height) || even(layer.kernel_width))) {
      errors_.push_back(table["padding"].error("`padding` is `same` for an even kernel",
                                               "`same` needs an odd kernel; write a number"));
    }
  }

  const text::Document& document_;
  model::Reading& reading_;
  std::vector<Error>& errors_;
  std::int32_t next_ = 0;
  bool batch_norm_ = false;
  std::optional<bool> bias_;
};

}  // namespace

void read_network(const text::Document& document, model::Reading& reading, std::vector<Error>& errors) {
  LayerReader(document, reading, errors).read();
}

void check_network(const text::Document& document, const model::Reading& reading,
                   std::vector<Error>& errors) {
  const std::string path(document.path());
  for (const model::LayerProblem& each : model::resolve(reading.setup.model).problems) {
    const model::LayerOrigin* place = model::find_layer_key(reading, each.layer, each.key);
    if (place == nullptr) place = model::find_layer_key(reading, each.layer, "");
    errors.push_back({each.message, each.hint, path, place != nullptr ? place->span : Span{}});
  }
  const model::Plan& plan = reading.setup.plan;
  const auto refuse = [&](model::FieldId field, std::string message, std::string hint) {
    const model::Origin& origin = reading.origins[field];
    std::optional<Span> span;
    if (origin.kind == model::Origin::Kind::stated) span = origin.span;
    errors.push_back({std::move(message), std::move(hint), path, span});
  };
  if (plan.mode == model::Mode::decode) {
    refuse(model::FieldId::mode, "a convolutional network has no decoding",
           "use `train`, or `prefill` for a forward pass alone");
  }
  for (const model::FieldId field :
       {model::FieldId::tensor, model::FieldId::pipeline, model::FieldId::expert, model::FieldId::context}) {
    const std::int64_t degree = model::get(reading.setup, field);
    if (degree > 1) {
      refuse(field, fmt::format("`{}` is {} together with `[[conv]]`", model::info(field).name, degree),
             "convolutional networks are split over images only: `data`");
    }
  }
}

}  // namespace shapelint::formats
