// What `show` prints of a file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::When;

struct NetworkLayer {
  std::string name;
  std::string kind;
  std::int64_t count = 1;
  std::vector<std::int64_t> input;
  std::vector<std::int64_t> output;
  std::vector<std::int64_t> kernel;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
  std::int64_t parameters = 0;
  double multiply_adds = 0;
};
template <class Visitor>
void describe(Visitor& of, const NetworkLayer*) {
  of.type("NetworkLayer", "A layer of a CNN, with every size known.");
  of("name", &NetworkLayer::name, "");
  of("kind", &NetworkLayer::kind, "conv, linear, pool, add, concat, matmul, elementwise");
  of("count", &NetworkLayer::count, "how often it follows itself");
  of("input", &NetworkLayer::input, "height, width, channels");
  of("output", &NetworkLayer::output, "height, width, channels");
  of("kernel", &NetworkLayer::kernel, "height, width");
  of("stride", &NetworkLayer::stride, "");
  of("groups", &NetworkLayer::groups, "");
  of("parameters", &NetworkLayer::parameters, "");
  of("multiply_adds", &NetworkLayer::multiply_adds, "of one image");
}

struct LayerGroup {
  std::int64_t count = 1;
  std::map<std::string, api::Scalar> fields;
};
template <class Visitor>
void describe(Visitor& of, const LayerGroup*) {
  of.type("LayerGroup", "Layers of a model that follow each other and are alike.");
  of("count", &LayerGroup::count, "how many");
  of("fields", &LayerGroup::fields, "fields that differ from the model's");
}

struct ShownModel : api::Model {
  std::map<std::string, double> exports;
  std::vector<LayerGroup> layer_groups;
  std::vector<NetworkLayer> layers;
  double multiply_adds = 0;
  std::map<std::string, std::int64_t> per_rank;
  std::vector<api::OperationShape> operations;
};
template <class Visitor>
void describe(Visitor& of, const ShownModel*) {
  of.type("ShownModel", "A model as read, and derived values.");
  of.base(static_cast<const api::Model*>(nullptr));
  of("values", &ShownModel::exports, "intermediate values of the config format", When::unless_empty);
  of("layer_groups", &ShownModel::layer_groups, "of a model whose layers are not all alike",
     When::unless_empty);
  of("layers", &ShownModel::layers, "of a CNN", When::unless_empty);
  of("multiply_adds", &ShownModel::multiply_adds, "of a CNN and one image", When::unless_empty);
  of("per_rank", &ShownModel::per_rank, "widths of one rank, rounded up", When::unless_empty);
  of("operations", &ShownModel::operations, "of one rank", When::unless_empty);
}

struct ShownFile {
  std::string path;
  std::string dialect;
  std::vector<ShownModel> models;
  std::vector<std::string> gpus;
  std::string gpus_from;
  std::vector<api::Note> notes;
};
template <class Visitor>
void describe(Visitor& of, const ShownFile*) {
  of.type("ShownFile", "A file as read.");
  of("path", &ShownFile::path, "");
  of("dialect", &ShownFile::dialect, "null: not recognized", When::or_null);
  of("models", &ShownFile::models, "");
  of("gpus", &ShownFile::gpus, "ids of those that the file or its configuration names", When::unless_empty);
  of("gpus_from", &ShownFile::gpus_from, "place of their names", When::unless_empty);
  of("notes", &ShownFile::notes, "why it is not understood, or what in it was not");
}

struct ShowResult {
  std::vector<ShownFile> files;
  std::vector<api::Error> problems;
};
template <class Visitor>
void describe(Visitor& of, const ShowResult*) {
  of.type("ShowResult", "Files as read.");
  of("files", &ShowResult::files, "");
  of("problems", &ShowResult::problems, "");
}

}  // namespace shapelint::objects
