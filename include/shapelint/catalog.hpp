// What the library knows: GPUs, rules, and the fields that describe a model and how it is run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapelint/common.hpp"
#include "shapelint/files.hpp"

namespace shapelint::api {

// Peak rates of a number format; 0: the GPU cannot multiply it. Dense, with fp32 accumulation.
struct PeakRate {
  std::string dtype;  // fp32, tf32, fp16, bf16, fp8, int8, fp4
  double tflops = 0;
  bool tensor_cores = false;
};

// Figures of vendors' documents; 0: not known, or there is no such unit.
struct Gpu {
  std::string id;  // `a100-sxm4-80gb`
  std::string name;
  std::string vendor;
  std::vector<std::string> aliases;
  std::string architecture;        // `ampere`
  std::string compute_capability;  // `8.0`
  std::int64_t sm_count = 0;       // compute units on AMD
  std::vector<PeakRate> peaks;
  double dram_bandwidth_gb_s = 0;
  double dram_gb = 0;
  double l2_mib = 0;     // MiB are 2^20 bytes
  double link_gb_s = 0;  // per direction, within a node
  double boost_clock_mhz = 0;
  double tdp_w = 0;
  std::string calibration;  // how well predictions are backed: calibrated, architecture, uncalibrated …
  std::string calibration_source;
};

// Which GPUs a question is about. None named: those that the file or its configuration names, else A100 and
// H100.
struct GpuSelection {
  std::vector<std::string> names{};        // ids or aliases
  std::vector<std::string> files{};        // paths of profiles of your own (TOML)
  std::optional<std::int64_t> sm_count{};  // of the one GPU that is named, instead of its profile's
};

// All that are built in.
SHAPELINT_API std::vector<Gpu> gpus();
// By id or alias; case, `-` and `_` make no difference. Error: invalid-option, with a did-you-mean.
SHAPELINT_API Result<Gpu> find_gpu(std::string_view name);

enum class Severity : std::uint8_t { info, warning, error };
// What a finding's gain rests on: the cost model alone, measurements on this GPU, or arithmetic.
enum class Confidence : std::uint8_t { estimated, measured, certain };
SHAPELINT_API std::string_view name(Severity severity);      // `warning`
SHAPELINT_API std::string_view name(Confidence confidence);  // `measured`

struct RuleParameter {
  std::string name;
  double value = 0;
  std::string doc;
};

struct Rule {
  std::string code;  // `SL101`
  std::string name;  // `vocab-misaligned`
  std::string since;
  std::string status;  // preview, stable, deprecated; all but stable ones run only when they are selected
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::estimated;
  std::string scope;      // what it is evaluated on: model, gemm, attention …
  std::string effect;     // what it finds: slower, fails, advice
  std::string summary;    // one line
  std::string mechanism;  // one or two sentences: why this costs time
  std::string page;       // all of the above and more, as Markdown
  std::vector<std::string> sources;
  std::vector<RuleParameter> parameters;
};

// All that are built in, by code.
SHAPELINT_API std::vector<Rule> rules();
// By code or name, in any case. Error: invalid-option, with a did-you-mean.
SHAPELINT_API Result<Rule> find_rule(std::string_view code_or_name);

enum class FieldType : std::uint8_t { integer, boolean, choice };

// Something that can be said of a model or of how it is run; Setting sets it.
struct Field {
  std::string name;     // `hidden_size`
  std::string section;  // of the native file: model, model.moe, model.mla, run, parallel
  std::string key;      // there: `num_experts` of `moe_num_experts`
  FieldType type = FieldType::integer;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::vector<std::string> choices;  // FieldType::choice
  std::string unit;                  // may be empty
  std::string doc;
};
SHAPELINT_API std::vector<Field> fields();

// A field's value instead of what the file says: {"micro_batch_size", "8"}, {"dtype", "fp8"},
// {"sequence_parallel", "true"}.
struct Setting {
  std::string field;
  std::string value;
  std::string label{};  // what messages call it, such as a flag; the field's name unless it is given
};

}  // namespace shapelint::api
