// The table of the ways to divide a model over GPUs.
#include "contracts/fits.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "contracts/check.hpp"
#include "gpu/registry.hpp"
#include "rules/book/rule.hpp"
#include "tests/catch.hpp"
#include "tests/contracts/own_book_support.hpp"

using namespace shapelint;

namespace {

const std::string qwen3_235b = R"([model]
hidden_size = 4096
num_layers = 94
num_attention_heads = 64
num_key_value_heads = 4
head_dim = 128
vocab_size = 151936
mlp_gated = true
[model.moe]
num_experts = 128
experts_per_token = 8
intermediate_size = 1536
[run]
mode = "decode"
dtype = "fp8"
recipe = "block128"
micro_batch_size = 16
context_length = 4096
)";

std::vector<contracts::FitRow> rows_of(const std::string& config, std::vector<std::int64_t> counts,
                                       const std::vector<std::string>& stack) {
  const model::Reading reading = test::read_config(config);
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  std::vector<Error> errors;
  const contracts::Book& book = contracts::builtin_contracts();
  contracts::Checker checker(book, contracts::parse_stack(book, stack, errors));
  REQUIRE(errors.empty());
  return contracts::fits({&reading, &*gpu, &rules::builtin_rules(), &checker, std::move(counts), {}});
}

// "tensor 8, expert 1: refused: vllm/block-fp8-experts 1536 / 8 = 192"
std::string told(const contracts::FitRow& row) {
  std::string out = fmt::format("tensor {}, pipeline {}, expert {}: {}", row.tensor, row.pipeline, row.expert,
                                name(row.fit));
  for (const contracts::Verdict& each : row.unmet)
    out += fmt::format("; {} {}", each.contract->id, each.numbers);
  return out;
}

std::string told(const std::vector<contracts::FitRow>& rows, std::int64_t tensor, std::int64_t expert) {
  for (const contracts::FitRow& row : rows) {
    if (row.tensor == tensor && row.expert == expert && row.pipeline == 1) return told(row);
  }
  return "no such row";
}

}  // namespace

TEST_CASE("Qwen3-235B-A22B in fp8 runs on 8 GPUs with whole experts, not with split ones", "[contracts]") {
  // vllm-project/vllm#17569
  const auto rows = rows_of(qwen3_235b, {8}, {"vllm==0.24"});
  CHECK(told(rows, 8, 1) == "tensor 8, pipeline 1, expert 1: refused; vllm/block-fp8-experts 1536 / 8 = 192");
  CHECK(told(rows, 8, 8) == "tensor 8, pipeline 1, expert 8: runs");
  CHECK(std::is_partitioned(rows.begin(), rows.end(),
                            [](const contracts::FitRow& row) { return row.fit != contracts::Fit::refused; }));
}

TEST_CASE("every way over 8 GPUs uses 8 GPUs, once", "[contracts]") {
  for (const std::int64_t count : {1, 3, 6, 7, 8, 24}) {
    const auto rows = rows_of(qwen3_235b, {count}, {"vllm"});
    std::set<std::string> seen;
    for (const contracts::FitRow& row : rows) {
      CHECK(row.tensor * row.pipeline * row.data * row.context == count);
      CHECK(seen.insert(fmt::format("{} {} {} {} {}", row.tensor, row.pipeline, row.data, row.context,
                                    row.expert))
                .second);
    }
    CHECK_FALSE(rows.empty());
  }
}

TEST_CASE("number formats are given with their recipes", "[contracts]") {
  const auto format = [](std::string_view text) {
    const auto parsed = contracts::parse_format(text);
    return parsed ? contracts::name(*parsed) : parsed.error().message + "; " + parsed.error().hint;
  };
  CHECK(format("bf16") == "bf16");
  CHECK(format("fp8:block128") == "fp8:block128");
  CHECK(format("fp8:nvfp4") ==
        "`nvfp4` is not a recipe of fp8; one of none, tensor, row, block128, mxfp8, nvfp4, mxfp4");
  CHECK(format("f8") == "`f8` is not a known dtype; did you mean `fp8`?");
}

TEST_CASE("an engine's rows are held to the share of the memory that it takes") {
  const auto usable = [](const std::string& more, const std::string& package) {
    return rows_of(qwen3_235b + more, {8}, {package}).front().usable_gb;
  };
  // GB of 10^9 bytes, less 2 and 5 % for what is not asked for
  const auto of = [](double gigabytes) { return (gigabytes * 1.073741824 - 2) / 1.05; };
  CHECK(usable("", "sglang") == Approx(of(81091.0 / 1024)));
  CHECK(usable("memory_percent = 90\n", "vllm") == Approx(of(0.9 * 81091 / 1024)));
  CHECK(usable("memory_percent = 50\n", "vllm") == Approx(of(0.5 * 81091 / 1024)));
}
