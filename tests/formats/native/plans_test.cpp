// Several plans of one model.
#include <string>

#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using tests::native;
using tests::native_errors;

namespace {

const std::string shape =
    "[model]\nhidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 8\nvocab_size = 32000\n";

}  // namespace

TEST_CASE("each plan is a reading, whose keys go before the file's own", "[native]") {
  const formats::NativeFile file = native(shape +
                                          "[run]\nmicro_batch_size = 4\nsequence_length = 512\n"
                                          "[parallel]\ntensor = 2\n"
                                          "[[plan]]\nname = \"rollout\"\nruns = 100\n"
                                          "run = { mode = \"decode\", context_length = 256 }\n"
                                          "[[plan]]\nname = \"update\"\n"
                                          "run = { micro_batch_size = 1 }\nparallel = { tensor = 4 }\n");
  REQUIRE(file.readings.size() == 2);
  const model::Reading& rollout = file.readings[0];
  CHECK(rollout.part == "rollout");
  CHECK(rollout.runs_in_whole == 100);
  CHECK(rollout.setup.plan.mode == model::Mode::decode);
  CHECK(rollout.setup.plan.micro_batch_size == 4);
  CHECK(rollout.setup.plan.tensor == 2);
  const model::Reading& update = file.readings[1];
  CHECK(update.runs_in_whole == 1);
  CHECK(update.setup.plan.mode == model::Mode::train);
  CHECK(update.setup.plan.micro_batch_size == 1);
  CHECK(update.setup.plan.sequence_length == 512);
  CHECK(update.setup.plan.tensor == 4);
  CHECK(update.setup.model.hidden_size == 1024);
  CHECK(update.origins[model::FieldId::tensor].key_path == "plan[1].parallel.tensor");
}

TEST_CASE("what is wrong with a plan is told with its place, and what is wrong with all once", "[native]") {
  CHECK(native_errors(shape + "[[plan]]\nrun = { sequence_length = 512 }\n") ==
        "6:1: `name` is missing from `[[plan]]`; reports use it\n");
  CHECK(native_errors(shape + "[[plan]]\nname = \"a\"\nruns = 0\nrun = { sequence_length = 8 }\n") ==
        "8:8: `runs` is `0`; write how often the plan runs per iteration: above 0 and at most 1e9\n");
  CHECK(native_errors(shape + "[[plan]]\nname = \"a\"\nruns = \"x\"\nrun = { sequence_length = 8 }\n") ==
        "8:8: `runs` is a string; write how often the plan runs per iteration: above 0 and at most 1e9\n");
  CHECK(native_errors(shape + "[[plan]]\nname = \"a\"\nrums = 2\nrun = { sequence_length = 8 }\n") ==
        "8:1: unknown key `rums` in `[[plan]]`; did you mean `runs`?\n");
  CHECK(native_errors(shape + "[[plan]]\nname = \"a\"\nrun = { sequence_length = 8, tensor = 2 }\n") ==
        "8:30: unknown key `tensor` in `[run]`; write it as `tensor` in `[parallel]`\n");
  CHECK(native_errors("plan = 3\n[run]\nsequence_length = 8\n" + shape) ==
        "1:8: `plan` is an integer; write a table for each: `[[plan]]`\n");
  CHECK(native_errors("[run]\nsequence_length = 8\n" + shape +
                      "[[plan]]\nname = \"a\"\n[[plan]]\nname = \"a\"\n") ==
        "11:8: two plans are called `a`; reports and `--model` call each by its name\n");
  const std::string two = "[[plan]]\nname = \"a\"\n[[plan]]\nname = \"b\"\n";
  CHECK(native_errors(
            "[run]\nsequence_length = 8\n[model]\nhidden_size = 8\nnum_layers = 1\nvocab_size = 9\n" + two) ==
        "3:2: `num_attention_heads` is missing from `[model]`\n");
}

TEST_CASE("a layer's keys and values are borrowed from one that makes them", "[native]") {
  CHECK(
      native_errors(shape + "shared_key_value_layers = 4\n[run]\nsequence_length = 8\n") ==
      "6:27: `shared_key_value_layers` is `4`, and the model has 4 with attention; one of them computes the "
      "K and V that the others read\n");
}

TEST_CASE("a spectrogram is halved, so what becomes a token is a power of two", "[native]") {
  CHECK(native_errors(shape + "input = \"spectrogram\"\ninput_size = 80\ninput_reduction = 6\n[run]\n"
                              "sequence_length = 8\n") ==
        "8:19: `input_reduction` is `6`, not a power of two; each convolution halves the frames\n");
}
