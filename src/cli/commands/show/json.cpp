// Readings as JSON.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/show/reading.hpp"
#include "model/cnn/cnn.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "model/op_names.hpp"
#include "model/unresolved.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

namespace {

using Json = nlohmann::ordered_json;
using model::FieldInfo;
using model::FieldType;
using model::Origin;

Json value_of(const FieldInfo& field, const model::Setup& setup) {
  const std::int64_t value = field.get(setup);
  if (field.type == FieldType::boolean) return value != 0;
  if (field.type == FieldType::choice) return std::string(field.choices[static_cast<std::size_t>(value)]);
  return value;
}

Json notes_of(const std::vector<model::Note>& notes, Places& places) {
  Json out = Json::array();
  for (const model::Note& note : notes) {
    Json entry{{"message", note.message}, {"path", note.path}};
    if (note.span.end > note.span.begin) entry["line"] = places.of(note.path, note.span).line;
    out.push_back(std::move(entry));
  }
  return out;
}

Json fields_of(const model::Reading& reading, Places& places) {
  Json out = Json::object();
  for (const model::FieldInfo& info : model::fields()) {
    if (!reading.setup.model.conv.empty() && !model::concerns_networks(info.id)) continue;
    const Origin& origin = reading.origins[info.id];
    Json field;
    field["value"] = origin.kind == Origin::Kind::unknown ? Json(nullptr) : value_of(info, reading.setup);
    field["origin"] = kind_name(shown_kind(reading, info.id));
    if (origin.kind == Origin::Kind::stated) {
      const text::Place place = places.of(origin.path, origin.span);
      field["key"] = origin.key_path;
      field["path"] = origin.path;
      field["line"] = place.line;
      field["column"] = place.column;
    }
    if (!origin.note.empty()) field["note"] = origin.note;
    out[std::string(info.name)] = std::move(field);
  }
  return out;
}

Json op_of(const model::Op& op) {
  Json out{{"name", op.name},
           {"kind", model::name(op.kind)},
           {"pass", model::name(op.pass)},
           {"dtype", name(op.dtype)},
           {"count", op.count}};
  const auto add = [&](const char* key, const model::Dim& dim) {
    out[key] = dim.value;
    if (!dim.expression.empty()) out[std::string(key) + "_from"] = dim.expression;
  };
  if (op.kind == model::OpKind::gemm) {
    add("batch", op.batch);
    add("m", op.m);
    add("n", op.n);
    add("k", op.k);
  } else if (op.kind == model::OpKind::attention) {
    add("sequences", op.attention.sequences);
    add("heads", op.attention.heads);
    add("key_value_heads", op.attention.key_value_heads);
    add("query_length", op.attention.query_length);
    add("key_length", op.attention.key_length);
    add("head_dim", op.attention.head_dim);
    add("value_head_dim", op.attention.value_head_dim);
    if (op.attention.window > 0) out["window"] = op.attention.window;
  } else if (op.kind == model::OpKind::scan) {
    add("sequences", op.attention.sequences);
    add("length", op.attention.query_length);
    add("key_heads", op.attention.key_value_heads);
    add("value_heads", op.attention.heads);
    add("key_dim", op.attention.head_dim);
    add("value_dim", op.attention.value_head_dim);
    add("chunk", op.attention.key_length);
  } else {
    out["bytes"] = op.bytes;
  }
  return out;
}

Json size_of(const model::Feature& feature) {
  return Json::array({feature.height, feature.width, feature.channels});
}

// A CNN's layers with every size known.
void add_layers(const model::Reading& reading, Json& out) {
  constexpr std::array<std::string_view, 7> kinds{"conv",   "linear", "pool",       "add",
                                                  "concat", "matmul", "elementwise"};
  const model::Network network = model::resolve(reading.setup.model);
  Json layers = Json::array();
  for (const model::LayerShape& shape : network.layers) {
    layers.push_back({{"name", shape.name},
                      {"kind", kinds[static_cast<std::size_t>(shape.kind)]},
                      {"count", shape.count},
                      {"input", size_of(shape.in)},
                      {"output", size_of(shape.out)},
                      {"kernel", Json::array({shape.kernel_height, shape.kernel_width})},
                      {"stride", shape.stride},
                      {"groups", shape.groups},
                      {"parameters", model::parameters_of(shape)},
                      {"multiply_adds", model::multiply_adds(shape)}});
  }
  out["layers"] = std::move(layers);
  out["multiply_adds"] = model::size_of(network).multiply_adds;
}

// A model whose layers are not all alike, as its list: how many follow each other, and what they have
// otherwise than the model's fields say.
void add_list(const model::ModelSpec& model, Json& out) {
  const std::vector<model::LayerGroup> list = model::layer_list(model);
  if (list.size() < 2) return;
  Json layers = Json::array();
  for (const model::LayerGroup& group : list) {
    Json each{{"count", group.count}};
    for (const model::LayerKey& key : model::layer_keys()) {
      const std::int64_t value = group.layer.*key.member;
      if (value < 0) continue;
      if (key.choices.empty()) {
        each[std::string(key.name)] = value;
      } else {
        each[std::string(key.name)] = model::name_of(model, key, value);
      }
    }
    layers.push_back(std::move(each));
  }
  out["layers"] = std::move(layers);
}

Json to_json(const model::Reading& reading, bool fields_only, Places& places) {
  Json out;
  out["name"] = reading.name;
  out["dialect"] = reading.dialect;
  out["part"] = reading.part;
  out["model_type"] = reading.model_type;
  out["complete"] = reading.complete;
  out["fields"] = fields_of(reading, places);
  Json extras = Json::object();
  for (const model::Extra& each : reading.extras) extras[each.name] = each.value;
  out["values"] = std::move(extras);
  out["notes"] = notes_of(reading.notes, places);
  if (fields_only || !reading.complete || !model::unresolved(reading).empty()) return out;
  if (!reading.setup.model.conv.empty()) add_layers(reading, out);
  if (reading.setup.model.conv.empty()) add_list(reading.setup.model, out);
  Json shares = Json::object();
  for (const PerRank& each : per_rank(reading)) shares[std::string(each.name)] = each.value;
  out["per_rank"] = std::move(shares);
  out["parameters"] = model::parameter_count(reading.setup);
  out["active_parameters"] = model::active_parameter_count(reading.setup);
  Json ops = Json::array();
  for (const model::Op& op : model::lower(reading.setup).ops) ops.push_back(op_of(op));
  out["ops"] = std::move(ops);
  return out;
}

}  // namespace

std::string show_json(const std::vector<ShownFile>& files, bool fields_only, Places& places) {
  Json all = Json::array();
  for (const ShownFile& file : files) {
    Json entry;
    entry["path"] = file.path;
    entry["dialect"] = file.result.recognised ? Json(file.result.dialect) : Json(nullptr);
    Json models = Json::array();
    for (const model::Reading& reading : file.result.readings) {
      models.push_back(to_json(reading, fields_only, places));
    }
    entry["models"] = std::move(models);
    if (!file.gpus.empty()) {
      entry["gpus"] = file.gpus;
      entry["gpus_from"] = file.gpus_from;
    }
    entry["notes"] = notes_of(file.result.notes, places);
    all.push_back(std::move(entry));
  }
  return text::json_text(all, 1) + "\n";
}

}  // namespace shapelint::cli
