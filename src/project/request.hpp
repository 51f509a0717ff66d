// What the caller says itself, on a command line or in an editor's settings. It goes before what files say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/read.hpp"
#include "model/reading.hpp"
#include "rules/book/select.hpp"
#include "rules/finding.hpp"
#include "text/document.hpp"

namespace shapelint::project {

struct GpuRequest {
  std::vector<std::string> names;
  std::vector<text::Document> profiles;       // of the caller's own: asked for, too, and found by name
  std::optional<std::int64_t> sm_count;       // of the one GPU that is asked for
  std::optional<std::int64_t> clock_mhz;      // the same
  std::optional<std::int64_t> power_limit_w;  // the same
};

struct Request {
  GpuRequest gpus;
  std::string config;          // this configuration instead of the closest to each file
  bool isolated = false;       // no configuration, unless `config` names one
  bool allow_outside = false;  // what a configuration names may lie outside of its repository
  std::string model_cache;     // see formats::ReadOptions
  std::vector<model::Override> overrides;
  std::vector<formats::GraphDimension> dimensions;
  std::optional<double> min_gain;
  std::optional<rules::Severity> fail_level;
  std::optional<rules::Severity> min_severity;
  std::optional<rules::Shape> shape;
  std::optional<std::int64_t> head_multiple;
  std::vector<std::string> stack;  // packages with contracts: `vllm==0.24`
  std::vector<std::string> select;
  std::vector<std::string> extend_select;
  std::vector<std::string> ignore;
};

}  // namespace shapelint::project
