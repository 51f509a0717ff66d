// Readings as JSON.
#include <array>
#include <sstream>

#include "cli/commands/show/show.hpp"
#include "model/cnn/cnn.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/show.hpp"

namespace shapelint::cli {

namespace {

std::vector<std::int64_t> size_of(const model::Feature& feature) {
  return {feature.height, feature.width, feature.channels};
}

void add_layers(const model::Reading& reading, objects::ShownModel& out) {
  constexpr std::array<std::string_view, 7> kinds{"conv",   "linear", "pool",       "add",
                                                  "concat", "matmul", "elementwise"};
  const model::Network network = model::resolve(reading.setup.model);
  for (const model::LayerShape& shape : network.layers) {
    out.layers.push_back({shape.name,
                          std::string(kinds.at(static_cast<std::size_t>(shape.kind))),
                          shape.count,
                          size_of(shape.in),
                          size_of(shape.out),
                          {shape.kernel_height, shape.kernel_width},
                          shape.stride,
                          shape.groups,
                          model::parameters_of(shape),
                          static_cast<double>(model::multiply_adds(shape))});
  }
  out.multiply_adds = static_cast<double>(model::size_of(network).multiply_adds);
}

void add_groups(const model::ModelSpec& model, objects::ShownModel& out) {
  const std::vector<model::LayerGroup> list = model::layer_list(model);
  if (list.size() < 2) return;
  for (const model::LayerGroup& group : list) {
    objects::LayerGroup each{group.count, {}};
    for (const model::LayerKey& key : model::layer_keys()) {
      const std::int64_t value = group.layer.*key.member;
      if (value < 0) continue;
      api::Scalar& into = each.fields[std::string(key.name)];
      into = value;
      if (!key.choices.empty()) into = std::string(model::name_of(model, key, value));
    }
    out.layer_groups.push_back(std::move(each));
  }
}

// For a CNN, the fields that concern one.
void choose_fields(const model::Reading& reading, api::Model& out) {
  std::vector<api::Value> kept;
  std::size_t place = 0;  // values are in the order of fields()
  for (const model::FieldInfo& info : model::fields()) {
    api::Value& value = out.values[place++];
    if (!reading.setup.model.conv.empty() && !model::concerns_networks(info.id)) continue;
    kept.push_back(std::move(value));
    if (shown_kind(reading, info.id) != model::origin(reading, info.id).kind)
      kept.back().origin = api::origin_of(shown_kind(reading, info.id));
  }
  out.values = std::move(kept);
}

objects::ShownModel shown(const model::Reading& reading, bool fields_only, api::Sources& sources) {
  objects::ShownModel out;
  static_cast<api::Model&>(out) = api::model_of(reading, sources, true);
  choose_fields(reading, out);
  for (const model::Extra& each : reading.extras) out.exports[each.name] = each.value;
  if (fields_only || !reading.complete || !model::unresolved(reading).empty()) return out;
  if (reading.setup.model.conv.empty()) {
    add_groups(reading.setup.model, out);
  } else {
    add_layers(reading, out);
  }
  for (const PerRank& each : per_rank(reading)) out.per_rank[std::string(each.name)] = each.value;
  for (const model::Op& op : model::lower(reading.setup).ops) out.operations.push_back(api::shape_of(op));
  return out;
}

}  // namespace

std::string show_json(const std::vector<ShownFile>& files, bool fields_only, const Io& io) {
  api::Sources sources(&io.files);
  objects::ShowResult result;
  for (const ShownFile& file : files) {
    sources.remember(file.path, file.text);
    objects::ShownFile& each = result.files.emplace_back();
    each.path = file.path;
    if (file.result.recognised) each.dialect = file.result.dialect;
    for (const model::Reading& reading : file.result.readings)
      each.models.push_back(shown(reading, fields_only, sources));
    each.gpus = file.gpus;
    if (!file.gpus.empty()) each.gpus_from = file.gpus_from;
    each.notes = api::notes_of(file.result.notes, sources);
  }
  result.problems = io.problems;
  std::ostringstream out;
  const bool failed = !io.problems.empty();
  objects::write_document("show", failed ? objects::Status::failed : objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace shapelint::cli
