// What the library knows: GPUs, rules, and the fields that describe a model and how it is run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapelint/common.hpp"
#include "shapelint/files.hpp"

namespace shapelint::api {

struct Gpu {
  std::string id;
  std::string name;
  std::string vendor;
  std::vector<std::string> aliases;
  std::string architecture;
  std::string compute_capability;
  std::int64_t sm_count = 0;
  std::map<std::string, double> peaks_tflops;
  std::vector<std::string> tensor_core_dtypes;
  double dram_gb_s = 0;
  std::int64_t dram_bytes = 0;
  std::int64_t l2_bytes = 0;
  double link_gb_s = 0;
  double boost_clock_mhz = 0;
  double tdp_w = 0;
  std::string calibration;
  std::string calibration_source;
};
template <class Visitor>
void describe(Visitor& of, const Gpu*) {
  of.type("Gpu", "Data-sheet figures of a GPU.");
  of("id", &Gpu::id, "`a100-sxm4-80gb`");
  of("name", &Gpu::name, "");
  of("vendor", &Gpu::vendor, "");
  of("aliases", &Gpu::aliases, "other names");
  of("architecture", &Gpu::architecture, "`ampere`");
  of("compute_capability", &Gpu::compute_capability, "`8.0`", When::unless_empty);
  of("sm_count", &Gpu::sm_count, "compute units on AMD");
  of("peaks_tflops", &Gpu::peaks_tflops,
     "by dtype: fp32, tf32, fp16, bf16, fp8, int8, fp4; dense, with fp32 accumulation");
  of("tensor_core_dtypes", &Gpu::tensor_core_dtypes, "those with tensor cores");
  of("dram_gb_s", &Gpu::dram_gb_s, "10^9 bytes per second");
  of("dram_bytes", &Gpu::dram_bytes, "memory size", When::or_null);
  of("l2_bytes", &Gpu::l2_bytes, "size of the last-level cache", When::or_null);
  of("link_gb_s", &Gpu::link_gb_s, "per direction, within a node", When::or_null);
  of("boost_clock_mhz", &Gpu::boost_clock_mhz, "", When::or_null);
  of("tdp_w", &Gpu::tdp_w, "", When::or_null);
  of("calibration", &Gpu::calibration, "basis of predictions: calibrated, architecture, uncalibrated …");
  of("calibration_source", &Gpu::calibration_source, "measurements behind them", When::unless_empty);
}

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
// Of an enum in JSON, Python and TypeScript: its name and its last member.
constexpr std::string_view type_name(Severity) {
  return "Severity";
}
constexpr Severity last_of(Severity) {
  return Severity::error;
}
constexpr std::string_view type_name(Confidence) {
  return "Confidence";
}
constexpr Confidence last_of(Confidence) {
  return Confidence::certain;
}

struct RuleParameter {
  std::string name;
  double value = 0;
  std::string doc;
};
template <class Visitor>
void describe(Visitor& of, const RuleParameter*) {
  of.type("RuleParameter", "A number of a rule that a configuration may set.");
  of("value", &RuleParameter::value, "default");
  of("doc", &RuleParameter::doc, "");
}

struct Rule {
  std::string code;
  std::string name;
  std::string since;
  std::string status;
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::estimated;
  std::string scope;
  std::string effect;
  std::string summary;
  std::string mechanism;
  std::string page;
  std::vector<std::string> sources;
  std::vector<RuleParameter> parameters;
};
template <class Visitor>
void describe(Visitor& of, const Rule*) {
  of.type("Rule", "A rule of the linter.");
  of("code", &Rule::code, "`SL101`");
  of("name", &Rule::name, "`vocab-misaligned`");
  of("since", &Rule::since, "first version");
  of("status", &Rule::status, "preview, stable, deprecated; all but stable ones run only if selected");
  of("severity", &Rule::severity, "");
  of("confidence", &Rule::confidence, "");
  of("scope", &Rule::scope, "unit of evaluation: model, gemm, attention …");
  of("effect", &Rule::effect, "slower, fails, advice");
  of("summary", &Rule::summary, "one line");
  of("mechanism", &Rule::mechanism, "why it is slow or fails, in one or two sentences");
  of("page", &Rule::page, "the whole page, as Markdown");
  of("sources", &Rule::sources, "");
  of.keyed("parameters", &Rule::parameters, &RuleParameter::name, "by name");
}

// All that are built in, by code.
SHAPELINT_API std::vector<Rule> rules();
// By code or name, in any case. Error: invalid-option, with a did-you-mean.
SHAPELINT_API Result<Rule> find_rule(std::string_view code_or_name);

enum class FieldType : std::uint8_t { integer, boolean, choice };
SHAPELINT_API std::string_view name(FieldType type);
constexpr std::string_view type_name(FieldType) {
  return "FieldType";
}
constexpr FieldType last_of(FieldType) {
  return FieldType::choice;
}

struct Field {
  std::string name;
  std::string section;
  std::string key;
  FieldType type = FieldType::integer;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::vector<std::string> choices;
  std::string unit;
  std::string doc;
};
template <class Visitor>
void describe(Visitor& of, const Field*) {
  of.type("Field", "A property of a model or of its launch config; Setting sets it.");
  of("name", &Field::name, "`hidden_size`");
  of("section", &Field::section, "table of the native file: model, model.moe, model.mla, run, parallel");
  of("key", &Field::key, "key in that table: `num_experts` of `moe_num_experts`");
  of("type", &Field::type, "");
  of("minimum", &Field::minimum, "");
  of("maximum", &Field::maximum, "");
  of("choices", &Field::choices, "allowed values of a choice", When::unless_empty);
  of("unit", &Field::unit, "", When::unless_empty);
  of("doc", &Field::doc, "");
}

SHAPELINT_API std::vector<Field> fields();

// A field's value instead of what the file says: {"micro_batch_size", "8"}, {"dtype", "fp8"},
// {"sequence_parallel", "true"}.
struct Setting {
  std::string field;
  std::string value;
  std::string label{};  // what messages call it, such as a flag; the field's name unless it is given
};

}  // namespace shapelint::api
