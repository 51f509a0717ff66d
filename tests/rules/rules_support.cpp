// Configurations and GPUs for tests of rules and searches.
#include "tests/rules/rules_support.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include "base/number.hpp"
#include "formats/native/native.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::tests {

model::Reading read(const std::string& config) {
  std::vector<Error> errors;
  const auto document = text::parse_toml("model.toml", config);
  REQUIRE(document);
  const auto file = formats::read_native(*document, errors);
  for (const Error& error : errors) UNSCOPED_INFO(error.message + "; " + error.hint);
  UNSCOPED_INFO(config);
  REQUIRE(file);
  return file->readings[0];
}

std::vector<gpu::Gpu> gpus(const std::vector<std::string>& names) {
  std::vector<gpu::Gpu> out;
  for (const std::string& name : names) {
    const auto gpu = gpu::find_gpu(name);
    REQUIRE(gpu);
    out.push_back(*gpu);
  }
  return out;
}

std::string listing(const std::vector<rules::Finding>& findings) {
  std::string out;
  for (const rules::Finding& finding : findings) {
    const std::string_view field =
        finding.blamed == model::no_field ? std::string_view{"?"} : model::info(finding.blamed).name;
    out += fmt::format("{} {} (gain {})\n", finding.code, field, percent(finding.gain));
  }
  return out;
}

const rules::Finding* find(const rules::LintResult& result, std::string_view code) {
  for (const rules::Finding& finding : result.findings) {
    if (finding.code == code) return &finding;
  }
  return nullptr;
}

std::string changes_text(const std::vector<rules::Change>& changes) {
  std::string out;
  for (const rules::Change& change : changes) {
    out += fmt::format("{}{} {} -> {}", out.empty() ? "" : ", ", model::info(change.field).name, change.from,
                       change.to);
  }
  return out;
}

std::string random_config() {
  const auto pick = [](std::initializer_list<std::int64_t> values) {
    return *rc::gen::elementOf(std::vector(values));
  };
  const std::int64_t heads = pick({8, 12, 16, 20, 25, 32, 36, 40});
  const std::int64_t head_dim = pick({60, 64, 72, 80, 96, 100, 128, 145});
  const std::int64_t hidden = heads * head_dim + pick({0, 0, 0, 2});
  const std::int64_t groups = pick({0, 0, 1, 4, 6});
  const std::int64_t width = pick({0, 8 * hidden / 3, 3 * hidden + 1, 4 * hidden, 4 * hidden + 64});
  const std::int64_t tensor = pick({1, 1, 1, 2, 3, 4});
  const std::int64_t pipeline = pick({1, 1, 2, 5});
  std::string out =
      fmt::format("[model]\nhidden_size = {}\nnum_layers = {}\nnum_attention_heads = {}\nvocab_size = {}\n",
                  hidden, pick({8, 13, 24}), heads, pick({32000, 32768, 50257, 50304, 128256}));
  if (groups > 0 && groups <= heads) out += fmt::format("num_key_value_heads = {}\n", groups);
  if (width > 0) out += fmt::format("intermediate_size = {}\nmlp_gated = {}\n", width, pick({0, 1}) != 0);
  out +=
      fmt::format("[run]\nmicro_batch_size = {}\nsequence_length = {}\nattention = \"{}\"\nmode = \"{}\"\n",
                  pick({1, 2, 4}), pick({512, 2000, 2048, 4095}), pick({0, 1}) != 0 ? "flash" : "unfused",
                  pick({0, 0, 1}) != 0 ? "prefill" : "train");
  out += fmt::format("[parallel]\ntensor = {}\npipeline = {}\n", tensor, pipeline);
  return out;
}

}  // namespace shapelint::tests
