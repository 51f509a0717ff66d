// What the roofline says would help never asks for memory that is not there.
#include "suggest/serving/remedies.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <rapidcheck.h>

#include "base/number.hpp"
#include "suggest/edit/footprint.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;

namespace {

// The plan that a remedy stands for, where it is one that may need more memory.
std::optional<model::Setup> applied(const model::Setup& start, const suggest::Remedy& remedy) {
  model::Setup out = start;
  if (remedy.id == "larger-batch") {
    const std::string arrow = " → ";
    out.plan.micro_batch_size = std::stoll(remedy.change.substr(remedy.change.find(arrow) + arrow.size()));
  } else if (remedy.id == "less-recomputation") {
    out.plan.recompute = model::Recompute::none;
  } else if (remedy.id == "smaller-tensor") {
    out.plan.tensor /= 2;
  } else {
    return std::nullopt;
  }
  return out;
}

std::size_t count(const std::vector<suggest::Remedy>& remedies, std::string_view id) {
  std::size_t found = 0;
  for (const suggest::Remedy& each : remedies) found += each.id == id ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("no remedy turns a run that fits into one that does not", "[serving]") {
  std::size_t seen = 0;
  CHECK(rc::check([&] {
    const std::string name = *rc::gen::elementOf(std::vector<std::string>{"rtx4090", "l40", "a100"});
    const gpu::Gpu gpu = tests::gpus({name}).front();
    model::Setup start = tests::read(tests::random_config()).setup;
    if (*rc::gen::arbitrary<bool>()) start.plan.recompute = model::Recompute::full;
    const double usable = suggest::usable_bytes(gpu.dram_size_gb);
    const double needs = suggest::memory_bytes(start);
    for (const suggest::Remedy& remedy : suggest::remedies(gpu, start, {})) {
      const auto setup = applied(start, remedy);
      if (!setup) continue;
      ++seen;
      RC_LOG(fmt::format("{} of {}: {}", fixed(needs / 1e9, 1), fixed(usable / 1e9, 1), remedy.change));
      RC_ASSERT(suggest::memory_bytes(*setup) <= std::max(usable, needs));
    }
  }));
  CHECK(seen > 0);
}

TEST_CASE("a batch that does not fit is not told to grow", "[serving]") {
  const std::string model =
      "[model]\nhidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 50304\n"
      "[run]\nsequence_length = 2048\nmicro_batch_size = 1\n";
  const model::Setup setup = tests::read(model).setup;  // 55 GB
  CHECK(count(suggest::remedies(tests::gpus({"a100"}).front(), setup, {}), "larger-batch") == 1);
  CHECK(count(suggest::remedies(tests::gpus({"rtx4090"}).front(), setup, {}), "larger-batch") == 0);
}
