// What `suggest --family` prints.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::When;

struct FamilyModel {
  std::int64_t target = 0;
  bool found = false;
  std::int64_t parameters = 0;
  std::map<std::string, std::int64_t> fields;
  std::vector<api::StartOnGpu> by_gpu;
};
template <class Visitor>
void describe(Visitor& of, const FamilyModel*) {
  of.type("FamilyModel", "A size of the ladder, and the model for it.");
  of("target", &FamilyModel::target, "parameters that are asked for");
  of("found", &FamilyModel::found, "a shape meets the constraints; else the rest is absent");
  of("parameters", &FamilyModel::parameters, "", When::unless_empty);
  of("fields", &FamilyModel::fields, "its shape, by name", When::unless_empty);
  of("by_gpu", &FamilyModel::by_gpu, "", When::unless_empty);
}

struct FamilyResult {
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::vector<FamilyModel> models;
};
template <class Visitor>
void describe(Visitor& of, const FamilyResult*) {
  of.type("FamilyResult", "Models of several sizes that share a head size and a vocabulary.");
  of("head_dim", &FamilyResult::head_dim, "that serves the whole ladder best");
  of("vocab_size", &FamilyResult::vocab_size, "the same");
  of("models", &FamilyResult::models, "");
}

}  // namespace shapelint::objects
