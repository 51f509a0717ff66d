// Whole runs of `shapelint profile` on traces made here.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/trace/recorder_support.hpp"

using shapelint::tests::Ran;
using shapelint::tests::Recorder;
using shapelint::tests::run;

namespace {

// One layer of which every product has sizes of its own, except for the output's and its gradient's.
const std::string model = R"(
[model]
hidden_size = 1024
num_layers = 1
num_attention_heads = 8
intermediate_size = 4096
vocab_size = 50257
vocab_padding_multiple = 1
tie_word_embeddings = false
[run]
micro_batch_size = 1
sequence_length = 2048
)";

constexpr const char* gemm = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x4_tn";

void product(Recorder& to, const std::string& a, const std::string& b, double time_us,
             bool backward = false) {
  to.op("aten::mm", "[[" + a + "],[" + b + "]]", {{gemm, time_us}},
        backward ? std::vector<std::string>{"autograd::engine::evaluate_function: MmBackward0"}
                 : std::vector<std::string>{});
}

// The gradients of y = x W, x of `rows` x `in`.
void gradients(Recorder& to, const std::string& rows, const std::string& in, const std::string& out,
               double dx_us, double dw_us) {
  product(to, rows + "," + out, out + "," + in, dx_us, true);
  product(to, out + "," + rows, rows + "," + in, dw_us, true);
}

void step(Recorder& to, int number, bool is_whole, bool in_parts) {
  to.begin_step(number);
  to.op("aten::embedding", "[[50257,1024],[1,2048]]",
        {{"at::native::(anonymous namespace)::indexSelectLargeIndex", 10}});
  to.op("aten::native_layer_norm", "[[1,2048,1024]]", {{"at::native::vectorized_layer_norm_kernel", 10}});
  if (in_parts) {
    for (int i = 0; i < 3; ++i) product(to, "2048,1024", "1024,1024", 20);
  } else {
    product(to, "2048,1024", "1024,3072", 60);
  }
  to.op("aten::_flash_attention_forward", "[[1,2048,8,128]]", {{"flash_fwd_kernel", 40}});
  product(to, "2048,1024", "1024,1024", 21);
  product(to, "2048,1024", "1024,4096", 80);
  to.op("aten::gelu", "[[1,2048,4096]]", {{"at::native::vectorized_elementwise_kernel", 12}});
  // Two kernels for one product: their times are of the product.
  to.op("aten::addmm", "[[1024],[2048,4096],[4096,1024]]", {{gemm, 81}, {"cublasLt::splitKreduce_kernel", 4}},
        {"aten::linear"});
  if (is_whole) {
    product(to, "2048,1024", "1024,50257", 1900);
    gradients(to, "2048", "1024", "50257", 1800, 1700);
    gradients(to, "2048", "4096", "1024", 82, 83);
    gradients(to, "2048", "1024", "4096", 84, 85);
    gradients(to, "2048", "1024", "1024", 22, 23);
    to.op("aten::_flash_attention_backward", "[[1,2048,8,128]]", {{"flash_bwd_dq_dk_dv_loop_kernel", 90}},
          {"autograd::engine::evaluate_function: Flash"});
    if (!in_parts) gradients(to, "2048", "1024", "3072", 61, 62);
    to.op("aten::_foreach_add_", "[]",
          {{"at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>", 300}});
    to.op("somebody::own", "[]", {{"kernel_of_theirs", 50}});
  }
  to.wait(100);
  to.end_step();
}

std::string trace(bool in_parts = false) {
  Recorder recorder;
  step(recorder, 1, false, in_parts);
  step(recorder, 2, true, in_parts);
  step(recorder, 3, true, in_parts);
  step(recorder, 4, true, in_parts);
  return recorder.finish();
}

nlohmann::json profiled(const std::string& content, const std::vector<std::string>& more = {}) {
  shapelint::text::MemoryFileSystem files;
  files.files = {{"trace.json", content}, {"model.toml", model}};
  std::vector<std::string> args{"profile", "trace.json", "--model", "model.toml", "--format", "json"};
  args.insert(args.end(), more.begin(), more.end());
  const Ran ran = run(args, files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return nlohmann::json::parse(ran.out);
}

// "calls of expected, measured us, by" of an operation.
std::string row(const nlohmann::json& report, const std::string& name, const std::string& pass) {
  for (const auto& each : report["rows"]) {
    for (const auto& op : each["operations"]) {
      if (op["name"] != name || op["pass"] != pass) continue;
      if (each["measured_us"].is_null()) return "not seen";
      return fmt::format("{} of {}, {:.0f} us, {}", each["calls"].get<double>(),
                         each["expected_calls"].get<double>(), each["measured_us"].get<double>(),
                         each["matched_by"].get<std::string>());
    }
  }
  return "no row";
}

std::string error_of(const std::string& content) {
  shapelint::text::MemoryFileSystem files;
  files.files = {{"trace.json", content}, {"model.toml", model}};
  const Ran ran = run({"profile", "trace.json", "--model", "model.toml", "--gpu", "a100"}, files);
  CHECK(ran.code == 2);
  CHECK(ran.out.empty());
  return ran.err;
}

}  // namespace

TEST_CASE("each predicted product is found by its sizes and its pass", "[trace]") {
  const nlohmann::json report = profiled(trace());
  CHECK(report["gpu"] == "a100-sxm4-80gb");  // as the trace says
  CHECK(row(report, "layer.attention.qkv", "forward") == "1 of 1, 60 us, shape");
  CHECK(row(report, "layer.attention.qkv", "grad_input") == "1 of 1, 61 us, shape");
  CHECK(row(report, "layer.attention.qkv", "grad_weight") == "1 of 1, 62 us, shape");
  CHECK(row(report, "layer.attention.output", "forward") == "1 of 1, 21 us, shape");
  CHECK(row(report, "layer.mlp.up", "forward") == "1 of 1, 80 us, shape");
  CHECK(row(report, "layer.mlp.down", "forward") == "1 of 1, 85 us, shape");
  CHECK(row(report, "layer.mlp.down", "grad_input") == "1 of 1, 82 us, shape");
  CHECK(row(report, "layer.mlp.up", "grad_weight") == "1 of 1, 85 us, shape");
  CHECK(row(report, "head.logits", "forward") == "1 of 1, 1900 us, shape");
  CHECK(row(report, "head.logits", "grad_weight") == "1 of 1, 1700 us, shape");
  CHECK(row(report, "layer.attention.flash", "forward") == "1 of 1, 40 us, name");
  CHECK(row(report, "layer.attention.flash", "backward") == "1 of 1, 90 us, name");
  CHECK(row(report, "optimizer.adam", "update") == "1 of 2, 300 us, name");
}

TEST_CASE("what no operation is predicted for is said to be unexplained", "[trace]") {
  const nlohmann::json report = profiled(trace());
  REQUIRE(report["unexplained"].size() == 1);
  CHECK(report["unexplained"][0]["what"] == "kernel_of_theirs");
  CHECK(report["unexplained"][0]["kind"] == "");
  const double all = report["kernels_us"].get<double>();
  CHECK(report["explained_us"].get<double>() == Approx(all - 50));
  CHECK(report["classified_us"].get<double>() == Approx(all - 50));
}

TEST_CASE("the step is the median of the whole ones, and the GPU's idle time is told", "[trace]") {
  const nlohmann::json report = profiled(trace());
  const nlohmann::json& used = report["traces"][0];
  CHECK(used["steps"] == 4);
  CHECK(used["whole_steps"] == 3);  // the first lacks its backward pass
  CHECK(used["step"] == "ProfilerStep#2");
  // From the wait at its end to the first kernel of the next step: 100 us, and its launch.
  CHECK(used["idle_us"].get<double>() == Approx(109));
  CHECK(used["launch_late_us"].get<double>() == Approx(0));
}

TEST_CASE("a product that is called in parts is one operation", "[trace]") {
  const nlohmann::json report = profiled(trace(true));
  CHECK(row(report, "layer.attention.qkv", "forward") == "3 of 3, 60 us, shape");
  CHECK(row(report, "layer.attention.output", "forward") == "1 of 1, 21 us, shape");
}

TEST_CASE("a size that differs is told beside the operation that is nearly it", "[trace]") {
  const nlohmann::json report = profiled(trace(), {"--vocab-size", "50304"});
  CHECK(row(report, "head.logits", "forward") == "not seen");
  CHECK(report["unexplained"][0]["what"] == "a GEMM of 2048 x 50257 x 1024");
  CHECK(report["unexplained"][0]["hint"] == "head.logits is predicted as 2048 x 50304 x 1024");
}

TEST_CASE("alignment that costs what is predicted is confirmed, and a finding weighs what the step lost",
          "[trace]") {
  const nlohmann::json report = profiled(trace());
  REQUIRE(report["losses"][0]["id"] == "alignment");
  CHECK(report["losses"][0]["verdict"] == "confirmed");
  REQUIRE(!report["findings"].empty());
  CHECK(report["findings"][0]["code"] == "SL101");
  CHECK(report["findings"][0]["gain"].get<double>() > 0.2);
  // A head that takes no longer than its aligned neighbour would leaves nothing to save.
  std::string fast = trace();
  for (const auto& [slow, quick] :
       std::vector<std::pair<std::string, std::string>>{{"\"dur\":1900", "\"dur\":900"},
                                                        {"\"dur\":1800", "\"dur\":900"},
                                                        {"\"dur\":1700", "\"dur\":900"}}) {
    for (std::size_t at = fast.find(slow); at != std::string::npos; at = fast.find(slow, at + 1))
      fast.replace(at, slow.size(), quick);
  }
  CHECK(profiled(fast)["losses"][0]["verdict"] == "not seen");
}

TEST_CASE("communication beside computation is hidden, and the rest is waited for", "[trace]") {
  Recorder recorder;
  recorder.begin_step(1);
  recorder.op("c10d::allreduce_", "[]",
              {{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 100, 20}});
  recorder.op("aten::mm", "[[2048,1024],[1024,4096]]", {{gemm, 60}});
  recorder.wait(10);
  recorder.end_step();
  const nlohmann::json used = profiled(recorder.finish())["traces"][0];
  CHECK(used["communication_us"].get<double>() == Approx(100));
  CHECK(used["exposed_communication_us"].get<double>() == Approx(40));
}

TEST_CASE("without sizes, products that are as many as predicted are matched in their order", "[trace]") {
  std::string content = trace();
  for (std::size_t at = content.find("\"Input Dims\""); at != std::string::npos;
       at = content.find("\"Input Dims\""))
    content.replace(at, 12, "\"Unknown\"");
  // The split product's second kernel multiplies nothing.
  for (std::size_t at = content.find("cublasLt::splitKreduce"); at != std::string::npos;
       at = content.find("cublasLt::splitKreduce"))
    content.replace(at, 22, "own::reduce");
  const nlohmann::json report = profiled(content);
  CHECK(row(report, "layer.attention.qkv", "forward") == "1 of 1, 60 us, order");
  CHECK(row(report, "layer.mlp.down", "forward") == "1 of 1, 81 us, order");
  CHECK(row(report, "head.logits", "forward") == "1 of 1, 1900 us, order");
  CHECK(report["notes"][0].get<std::string>().starts_with("no sizes of operators are in the trace"));
}

TEST_CASE("a file that is no trace is refused with one error that says where", "[trace]") {
  CHECK(error_of("not JSON")
            .starts_with("error: trace.json: is not JSON at byte 2: line 1, column 2: syntax error"));
  CHECK(error_of(R"({"traceEvents": [{"ph": "X")").find("is not JSON at byte 28") != std::string::npos);
  CHECK(
      error_of(R"({"traceEvents": []})").starts_with("error: trace.json: has no kernels and no operators; "));
  CHECK(error_of("").find("is not JSON at byte 1") != std::string::npos);
  CHECK(error_of(std::string(1'000'000, '[')) ==
        "error: trace.json: is nested more than 64 levels deep: not a trace\n");
  CHECK(error_of("{\"a\": \"" + std::string(100'000, 'x')).find("is not JSON at byte") != std::string::npos);
  CHECK(error_of("SQLite format 3 and then nothing").starts_with("error: trace.json: "));
}

TEST_CASE("a trace that is not there is an error", "[trace]") {
  shapelint::text::MemoryFileSystem files;
  files.files = {{"model.toml", model}};
  const Ran ran = run({"profile", "trace.json", "--model", "model.toml"}, files);
  CHECK(ran.code == 2);
  CHECK(ran.err == "error: trace.json: cannot be read: No such file or directory\n");
}

TEST_CASE("a step that nobody named is an error", "[trace]") {
  shapelint::text::MemoryFileSystem files;
  files.files = {{"trace.json", trace()}, {"model.toml", model}};
  const Ran ran = run({"profile", "trace.json", "--model", "model.toml", "--step", "ProfileStep*"}, files);
  CHECK(ran.code == 2);
  CHECK(ran.err == "error: trace.json: has no range `ProfileStep*`; did you mean `ProfilerStep#1`?\n");
}
