// Did-you-mean.
#include "base/strings.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("a100", "a100") == 0);
  CHECK(edit_distance("a100", "h100") == 1);
  CHECK(edit_distance("hiden_size", "hidden_size") == 1);
  CHECK(edit_distance("hidden_szie", "hidden_size") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("aab", "aba") == 1);
  CHECK(edit_distance("hidden_size", "hidden_sizes") == 1);
  CHECK(edit_distance("num_layers", "num_hidden_layers") == 7);
}

TEST_CASE("the nearest name is found, a far one is not") {
  constexpr std::array<std::string_view, 3> names{"hidden_size", "head_dim", "vocab_size"};
  CHECK(nearest_name("hiddensize", names) == "hidden_size");
  CHECK(nearest_name("HIDDEN-SIZE", names) == "hidden_size");
  CHECK(nearest_name("vocabsize", names) == "vocab_size");
  CHECK(nearest_name("learning_rate", names).empty());
  // Of two as near the one that begins alike.
  const std::vector<std::string_view> gpus = {"a10", "h100", "h20"};
  CHECK(nearest_name("h10", gpus) == "h100");
  const std::vector<std::string_view> variables = {"parts", "params"};
  CHECK(nearest_name("parms", variables) == "params");
  CHECK(did_you_mean("head_dm", names) == "did you mean `head_dim`?");
  // What other programs call it.
  const std::vector<std::string_view> formats{"fp32", "fp16", "bf16"};
  CHECK(did_you_mean("bfloat16", formats) == "did you mean `bf16`?");
  CHECK(did_you_mean("Float16", formats) == "did you mean `fp16`?");
  CHECK(did_you_mean("float8", formats).empty());
}
