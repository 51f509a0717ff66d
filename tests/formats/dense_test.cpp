// Dense parts of recommenders, from the commands that train them.
#include <string>
#include <vector>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

formats::ReadResult read(const std::string& command) {
  text::MemoryFileSystem files;
  files.files["run.sh"] = command + "\n";
  return formats::read_any(files, "run.sh");
}

std::string layers(const model::Reading& reading) {
  std::string out;
  for (const model::Layer& each : reading.setup.model.conv) {
    out += each.name + " " +
           (each.kind == model::LayerKind::matmul
                ? std::to_string(each.rows) + " x " + std::to_string(each.columns) + " x " +
                      std::to_string(each.depth)
                : std::to_string(each.in_channels) + " -> " + std::to_string(each.out_channels)) +
           "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("DLRM's dense part is read from its command", "[formats]") {
  const formats::ReadResult result = read(
      "python dlrm_s_pytorch.py --arch-sparse-feature-size=64 --arch-mlp-bot=\"13-512-256-64\" "
      "--arch-mlp-top=\"512-512-256-1\" --data-generation=dataset --data-set=terabyte "
      "--mini-batch-size=2048");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.dialect == "dlrm");
  const model::Reading& reading = result.readings.front();
  // 27 vectors of 64 meet each other: 351 pairs, beside the 64 that the MLP made.
  CHECK(layers(reading) ==
        "bottom1 13 -> 512\nbottom2 512 -> 256\nbottom3 256 -> 64\ninteraction 27 x 27 x 64\n"
        "top1 415 -> 512\ntop2 512 -> 512\ntop3 512 -> 256\ntop4 256 -> 1\n");
  CHECK(reading.setup.plan.micro_batch_size == 2048);
  CHECK(reading.complete);
  CHECK(model::parameter_count(reading.setup) == 154'944 + 607'233);
}

TEST_CASE("torchrec's DLRM has cross layers where its interaction is DCN", "[formats]") {
  const std::string command =
      "torchrun --nproc_per_node 8 dlrm_main.py --embedding_dim 128 --dense_arch_layer_sizes \"512,256,128\" "
      "--over_arch_layer_sizes \"1024,1024,512,256,1\" --batch_size 2048";
  const formats::ReadResult dot = read(command);
  REQUIRE(dot.readings.size() == 1);
  CHECK(layers(dot.readings.front()).find("top1 479 -> 1024") != std::string::npos);
  const formats::ReadResult crossed =
      read(command + " --interaction_type=dcn --dcn_num_layers=3 --dcn_low_rank_dim=512");
  REQUIRE(crossed.readings.size() == 1);
  CHECK(layers(crossed.readings.front()) ==
        "bottom1 13 -> 512\nbottom2 512 -> 256\nbottom3 256 -> 128\n"
        "cross1 3456 -> 512\ncross2 512 -> 3456\ncross1 3456 -> 512\ncross2 512 -> 3456\n"
        "cross1 3456 -> 512\ncross2 512 -> 3456\n"
        "top1 3456 -> 1024\ntop2 1024 -> 1024\ntop3 1024 -> 512\ntop4 512 -> 256\ntop5 256 -> 1\n");
}

TEST_CASE("a width that is no number is an error at its flag", "[formats]") {
  const formats::ReadResult result =
      read("python dlrm_s_pytorch.py --arch-mlp-bot=\"13-wide-64\" --arch-mlp-top=\"512-1\"");
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors.front().message == "`13-wide-64` is not a list of layer widths");
}
