// Profilers' files: packed ones, databases, sizes, and the patterns that tell kernels apart.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#ifdef SHAPELINT_ZLIB
#include <zlib.h>
#endif
#ifdef SHAPELINT_SQLITE
#include <sqlite3.h>
#endif

#include "catalog/catalog.hpp"
#include "tests/catch.hpp"
#include "tests/source_dir.hpp"
#include "trace/classify.hpp"
#include "trace/read.hpp"
#include "trace/step.hpp"

using namespace shapelint::trace;

namespace {

namespace fs = std::filesystem;

std::string product_text(std::string_view op, std::string_view sizes) {
  bool is_whole = false;
  const Product product = product_of(op, sizes, is_whole);
  if (product.k == 0) return "none";
  return fmt::format("{} of {} x {} x {}{}", product.batch, product.m, product.n, product.k,
                     is_whole ? "" : ", with what it calls");
}

shapelint::Result<Trace> read(const std::string& content) {
  shapelint::text::MemoryFileSystem files;
  files.files = {{"trace", content}};
  std::istringstream nothing;
  return read_trace(files, "trace", nothing);
}

const std::string events =
    R"([{"args": {"stream": 3, "device": 0, "correlation": 9}, "dur": 4.5, "ts": 20, "name": "some_gemm", "cat": "kernel", "ph": "X"},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 5, "dur": 2, "pid": 1, "tid": 1, "args": {"correlation": 9}},
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 4, "dur": 9, "pid": 1, "tid": 1, "args": {"Input Dims": [[8, 4], [4, 2]]}},
        {"ph": "X", "cat": "python_function", "name": "train.py(3): step", "ts": 0, "dur": 90},
        {"ph": "M", "name": "process_name", "args": {"name": "python"}}])";

#ifdef SHAPELINT_ZLIB
std::string packed(const std::string& content) {
  z_stream state{};
  deflateInit2(&state, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, content.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  state.avail_in = static_cast<uInt>(content.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}
#endif

}  // namespace

TEST_CASE("sizes of inputs say which product an operator is", "[trace]") {
  CHECK(product_text("aten::mm", "[[8, 4], [4, 2]]") == "1 of 8 x 2 x 4");
  CHECK(product_text("aten::addmm", "[[2], [8, 4], [4, 2], [], []]") == "1 of 8 x 2 x 4");
  CHECK(product_text("aten::bmm", "[[3,8,4],[3,4,2]]") == "3 of 8 x 2 x 4");
  CHECK(product_text("aten::baddbmm", "[[3,8,2],[3,8,4],[3,4,2],[],[]]") == "3 of 8 x 2 x 4");
  CHECK(product_text("aten::linear", "[[3,8,4],[2,4],[2]]") == "1 of 24 x 2 x 4, with what it calls");
  CHECK(product_text("aten::matmul", "[[5,3,8,4],[5,3,4,2]]") == "15 of 8 x 2 x 4, with what it calls");
  CHECK(product_text("aten::_scaled_mm", "[[8,4],[4,2],[],[],[]]") == "1 of 8 x 2 x 4");
  CHECK(product_text("aten::_grouped_mm", "[[64,4],[8,4,2]]") == "8 of 8 x 2 x 4");
  CHECK(product_text("aten::mm", "[[8, 4], [5, 2]]") == "none");
  CHECK(product_text("aten::mm", "[[[8, 4], [4, 2]]]") == "none");
  CHECK(product_text("aten::mm", "") == "none");
  CHECK(product_text("aten::add", "[[8, 4], [8, 4]]") == "none");
}

TEST_CASE("events are read in any order, with their fields in any order", "[trace]") {
  const auto trace = read(events);
  REQUIRE(trace);
  CHECK(trace->events == 5);
  REQUIRE(trace->kernels.size() == 1);
  const Kernel& kernel = trace->kernels.front();
  CHECK(trace->names[kernel.name] == "some_gemm");
  CHECK(kernel.start_us == 20);
  CHECK(kernel.time_us == 4.5);
  CHECK(kernel.stream == 3);
  CHECK(kernel.launched_us == 5);
  const Launcher& launcher = trace->launchers[kernel.launcher];
  CHECK(launcher.path == "aten::mm");
  CHECK(launcher.product == Product{1, 8, 2, 4});
  CHECK(launcher.phase == Phase::forward);
}

TEST_CASE("a trace of a CPU has its operators for kernels, each with its own time", "[trace]") {
  const auto trace = read(
      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "ts": 0, "dur": 10, "pid": 1, "tid": 1},
          {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "ts": 2, "dur": 7, "pid": 1, "tid": 1},
          {"ph": "X", "cat": "cpu_op", "name": "aten::copy_", "ts": 3, "dur": 1, "pid": 1, "tid": 1}]})");
  REQUIRE(trace);
  CHECK(trace->on_cpu);
  std::string out;
  for (const Kernel& each : trace->kernels)
    out += fmt::format("{} {}, ", trace->names[each.name], each.time_us);
  CHECK(out == "aten::linear 3, aten::addmm 6, aten::copy_ 1, ");
}

TEST_CASE("the export of torch.autograd.profiler, which names no categories, is read", "[trace]") {
  const auto trace = read(
      R"([{"name": "aten::mm", "ph": "X", "ts": 5, "dur": 7, "tid": 1, "pid": "CPU functions", "args": {}}])");
  REQUIRE(trace);
  CHECK(trace->kernels.size() == 1);
}

TEST_CASE("of several devices the busiest is taken", "[trace]") {
  const auto trace = read(
      R"([{"ph": "X", "cat": "kernel", "name": "a", "ts": 0, "dur": 1, "args": {"device": 0}},
          {"ph": "X", "cat": "kernel", "name": "b", "ts": 0, "dur": 3, "args": {"device": 1}}])");
  REQUIRE(trace);
  CHECK(trace->other_devices == 1);
  REQUIRE(trace->kernels.size() == 1);
  CHECK(trace->names[trace->kernels.front().name] == "b");
}

#ifdef SHAPELINT_ZLIB
TEST_CASE("what gzip packed is unpacked on the way, member after member", "[trace]") {
  CHECK(read(packed(events))->kernels.size() == 1);
  const std::size_t half = events.size() / 2;
  CHECK(read(packed(events.substr(0, half)) + packed(events.substr(half)))->kernels.size() == 1);
  CHECK(read(packed(events) + std::string(8, '\0'))->kernels.size() == 1);
}

TEST_CASE("a packed file that was cut off or damaged is refused, and not what of it can be read", "[trace]") {
  std::string whole = packed(events);
  CHECK(read(whole.substr(0, whole.size() - 9)).error().message ==
        "is truncated: the gzip trailer is missing, so writing or copying it was interrupted");
  CHECK(read(whole.substr(0, 4)).error().message.starts_with("is truncated"));
  whole[40] = static_cast<char>(~whole[40]);
  const std::string damaged = read(whole).error().message;
  CHECK((damaged.starts_with("is damaged: gzip reports `") || damaged.starts_with("is not JSON at byte")));
}
#endif

#ifdef SHAPELINT_SQLITE
namespace {

// A database of Nsight Systems: two ranges that are steps, an operator with its sizes, a kernel in each.
fs::path database(const std::string& more = "") {
  const fs::path path = fs::temp_directory_path() / fmt::format("shapelint-{}.sqlite", ::getpid());
  fs::remove(path);
  sqlite3* opened = nullptr;
  REQUIRE(sqlite3_open(path.string().c_str(), &opened) == SQLITE_OK);
  const std::string script =
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, "
      "correlationId INT, "
      "demangledName INT, shortName INT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, "
      "correlationId INT, "
      "bytes INT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, "
      "nameId INT);"
      "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3');"
      "INSERT INTO StringIds VALUES (1, 'nvjet_tst_128x256_64x4'), (2, 'train step 2');"
      "INSERT INTO NVTX_EVENTS VALUES (0, 90000, 59, 'train step 1', NULL, 7), (100000, 190000, 59, NULL, 2, "
      "7),"
      "(1000, 9000, 59, 'aten::mm, seq = 3, sizes = [[8, 4], [4, 2]], op_id = 5', NULL, 7),"
      "(101000, 109000, 59, 'aten::mm, seq = 4, sizes = [[8, 4], [4, 2]], op_id = 6', NULL, 7);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 3000, 7, 11, 0), (102000, 103000, 7, 12, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 25000, 0, 7, 11, 1, 1), (105000, 135000, 0, 7, "
      "12, 1, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (26000, 27000, 0, 7, 13, 4096);" +
      more;
  REQUIRE(sqlite3_exec(opened, script.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(opened);
  return path;
}

shapelint::Result<Trace> read_database(const fs::path& path) {
  const shapelint::text::RealFileSystem files({}, {path.string()});
  std::istringstream nothing;
  auto trace = read_trace(files, path.string(), nothing);
  fs::remove(path);
  return trace;
}

}  // namespace

TEST_CASE("an export of Nsight Systems is read: kernels, launches, ranges, and operators with sizes",
          "[trace]") {
  const auto trace = read_database(database());
  REQUIRE(trace);
  CHECK(trace->format == "Nsight Systems");
  CHECK(trace->device == "NVIDIA H100 80GB HBM3");
  CHECK(gpu_of(trace->device) == "h100-sxm5");
  REQUIRE(trace->kernels.size() == 3);
  CHECK(trace->names[trace->kernels[0].name] == "nvjet_tst_128x256_64x4");
  CHECK(trace->kernels[0].time_us == 20);
  CHECK(trace->launchers[trace->kernels[0].launcher].product == Product{1, 8, 2, 4});
  REQUIRE(trace->ranges.size() == 2);
  CHECK(trace->ranges[1].name == "train step 2");
  Classifier classifier(*trace);
  const auto step = choose_step(*trace, classifier, "");
  REQUIRE(step);
  CHECK(step->ranges == 2);
  CHECK(choose_step(*trace, classifier, "train step 2")->kernels.size() == 1);
}

TEST_CASE("a database without kernels, a view in their place, and a cut one are refused", "[trace]") {
  CHECK(read_database(database("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;")).error().message ==
        "is a database without kernels (the table CUPTI_ACTIVITY_KIND_KERNEL)");
  CHECK(read_database(database("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO x;"
                               "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM x;"))
            .error()
            .message == "is a database without kernels (the table CUPTI_ACTIVITY_KIND_KERNEL)");
  const fs::path path = database();
  fs::resize_file(path, 6000);
  CHECK(read_database(path).error().message.starts_with("cannot be read as SQLite: "));
}
#endif

TEST_CASE("the data file of kernels is without mistakes, and its classes are told apart", "[trace]") {
  std::vector<shapelint::Error> errors;
  const auto all = read_classes(shapelint::catalog::builtin("traces"), errors);
  CHECK(errors.empty());
  CHECK(all.size() > 10);
  const auto class_of = [](const std::string& kernel, const std::string& path = "") {
    Trace trace;
    trace.names = {kernel};
    trace.launchers.resize(1);
    trace.launchers[0].path = path;
    Kernel one;
    one.launcher = path.empty() ? none : 0;
    Classifier classifier(trace);
    const std::size_t found = classifier.of(one);
    return found == no_class ? std::string_view("unknown") : classes()[found].name;
  };
  CHECK(class_of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "all-reduce");
  CHECK(class_of("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)") == "exchange");
  CHECK(class_of("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL") == "reduce-scatter");
  CHECK(class_of("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN") == "product");
  CHECK(class_of("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64") == "product");
  CHECK(class_of("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn") == "product");
  CHECK(class_of("Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32") == "product");
  CHECK(class_of("volta_scudnn_128x64_relu_medium_nn_v1") == "convolution");
  CHECK(class_of("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>") ==
        "attention");
  CHECK(class_of("void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<…>") == "attention backward");
  CHECK(class_of("fmha_v2_flash_attention_fp16_64_128_S_128_causal_sm80_kernel_nl_tiled") == "attention");
  CHECK(class_of("void at::native::vectorized_elementwise_kernel<4, FillFunctor>",
                 "aten::gelu/aten::linear") == "activation");
  CHECK(class_of("void at::native::vectorized_elementwise_kernel<4, FillFunctor>") == "passes over memory");
  CHECK(class_of("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_3") == "normalization");
  CHECK(class_of("triton_poi_fused_add_cos_sin_0") == "passes over memory");
  CHECK(class_of("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>") == "optimizer");
  CHECK(class_of("Memcpy HtoD (Pinned -> Device)") == "copy");
  CHECK(class_of("aten::addmm") == "product");
  CHECK(class_of("somebodys_own") == "unknown");
}

TEST_CASE("drivers' names of devices find their profiles", "[trace]") {
  CHECK(gpu_of("NVIDIA A100-SXM4-80GB") == "a100-sxm4-80gb");
  CHECK(gpu_of("NVIDIA H100 80GB HBM3") == "h100-sxm5");
  CHECK(gpu_of("NVIDIA A100-PG509-200").value_or("none").starts_with("a100"));
  CHECK(gpu_of("Tesla V100-SXM2-32GB").value_or("none").starts_with("v100"));
  CHECK(gpu_of("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition") == "rtx-pro-6000-blackwell-max-q");
  CHECK(gpu_of("NVIDIA GeForce RTX 4080") == "rtx-4080");
  CHECK(gpu_of("NVIDIA GeForce RTX 4080 Laptop GPU") == std::nullopt);
  CHECK(gpu_of("somebody's accelerator") == std::nullopt);
}
