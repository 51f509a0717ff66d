// Reads a GPU's file, and fills in what follows from what it states.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "gpu/fields.hpp"
#include "gpu/registry.hpp"
#include "text/table_reader.hpp"

namespace shapelint::gpu {

namespace {

using text::Document;
using text::NodeRef;

// Keys of a profile that are not figures.
struct PlainKey {
  std::string_view name;
  text::ValueType type;
  std::string_view doc;
};
constexpr std::array plain_keys{
    PlainKey{"kind", text::ValueType::text, "`gpu` (default) or `architecture`"},
    PlainKey{"aliases", text::ValueType::texts, "other names that `--gpu` takes"},
    PlainKey{"architecture", text::ValueType::text, "name of a file of gpus/architectures"},
    PlainKey{"based_on", text::ValueType::text, "known GPU whose figures are used if this profile has none"},
    PlainKey{"sources", text::ValueType::texts, "sources of figures without their own"},
    PlainKey{"notes", text::ValueType::texts, "notes that `gpus NAME` prints"},
    PlainKey{"confidence", text::ValueType::text, "default for the figures"},
    PlainKey{"power_limit_w", text::ValueType::number, "below `tdp_w`: long compute runs slower"},
    PlainKey{"clock_mhz", text::ValueType::number, "clock that `nvidia-smi --lock-gpu-clocks` sets"},
    PlainKey{"measured", text::ValueType::table, "figures that were measured"},
    PlainKey{"calibration", text::ValueType::table, "constants that `calibrate` fits"},
    PlainKey{"attention", text::ValueType::table, "fused kernels"},
    PlainKey{"errors", text::ValueType::table, "prediction error of each effect"}};
constexpr auto plain_names = [] {
  std::array<std::string_view, plain_keys.size()> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = plain_keys[i].name;
  return out;
}();
// What follows from the stated figures. Idempotent, so that a profile based on another can be completed
// again.
void complete(Gpu& gpu) {
  const auto at = [](DType dtype) { return static_cast<std::size_t>(dtype); };
  gpu.peak_tflops = gpu.tensor_tflops;
  const double fp32 = std::max(gpu.tensor_tflops[at(DType::fp32)], gpu.peak_fp32_cuda_tflops);
  gpu.peak_tflops[at(DType::fp32)] = fp32;
  // Without a tensor core for the type: tf32 is a way to compute fp32 products; fp16 has CUDA-core
  // instructions, slow ones on some GPUs, so frameworks compute in fp32 where that is faster; bf16 is always
  // computed in fp32.
  double& tf32 = gpu.peak_tflops[at(DType::tf32)];
  double& fp16 = gpu.peak_tflops[at(DType::fp16)];
  double& bf16 = gpu.peak_tflops[at(DType::bf16)];
  if (tf32 == 0) tf32 = fp32;
  if (fp16 == 0) fp16 = std::max(gpu.peak_fp16_cuda_tflops, fp32);
  if (bf16 == 0) bf16 = fp32;
  if (gpu.tensor_clock_mhz == 0) gpu.tensor_clock_mhz = gpu.boost_clock_mhz;
  if (gpu.compute_capability.empty()) gpu.compute_capability = gpu.architecture.compute_capability;

  const Measured& measured = gpu.measured;
  const auto first = [](std::initializer_list<double> values) {
    for (const double value : values) {
      if (value > 0) return value;
    }
    return 0.0;
  };
  gpu.dram_measured_gb_s =
      first({measured.dram_copy_gb_s, measured.dram_triad_gb_s, measured.dram_read_gb_s});
  gpu.gemm_achievable_tflops = first({measured.gemm_bf16_p99_tflops, measured.gemm_bf16_mamf_tflops,
                                      measured.gemm_bf16_community_tflops, measured.gemm_fp16_tflops});
}

// A profile that is used must have these; everything else may be unknown. A key that is stated but wrong has
// its own error.
constexpr std::array<std::string_view, 6> required_names{"architecture",        "sm_count",
                                                         "boost_clock_mhz",     "peak_fp32_cuda_tflops",
                                                         "dram_bandwidth_gb_s", "l2_size_mib"};

void check_complete(const Gpu& gpu, const Document& document, std::vector<Error>& errors) {
  std::string missing;
  for (const std::string_view key : required_names) {
    if (document.root()[key] || document.root()["based_on"]) continue;
    missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", key);
  }
  if (!missing.empty()) {
    errors.push_back(Error{"a GPU needs also " + missing,
                           "state it, or start from a known GPU with `based_on = \"h100\"`",
                           std::string(document.path()),
                           {}});
  }
  if (gpu.sm_count_full_die != 0 && gpu.sm_count > gpu.sm_count_full_die) {
    const NodeRef stated = document.root()["sm_count"];
    const NodeRef at = stated ? stated : document.root()["sm_count_full_die"];
    errors.push_back(value_of(at).error(
        fmt::format("`sm_count` is {}, but the full die has only {}", gpu.sm_count, gpu.sm_count_full_die)));
  }
}

// Peaks by these factors, with them what products reached, and the L2's bandwidth.
void scale(Gpu& gpu, double tensor_cores, double cuda_cores) {
  for (double& peak : gpu.tensor_tflops) peak *= tensor_cores;
  gpu.peak_fp32_cuda_tflops *= cuda_cores;
  gpu.peak_fp16_cuda_tflops *= cuda_cores;
  gpu.l2_bandwidth_gb_s *= cuda_cores;
  Measured& measured = gpu.measured;
  for (double* reached :
       {&measured.gemm_bf16_p99_tflops, &measured.gemm_bf16_mamf_tflops, &measured.gemm_bf16_community_tflops,
        &measured.gemm_fp16_tflops, &measured.gemm_fp8_p99_tflops, &measured.gemm_fp8_mamf_tflops,
        &measured.gemm_int8_p99_tops, &measured.gemm_nvfp4_p99_tflops}) {
    *reached *= tensor_cores;
  }
}

void scale_to(Gpu& gpu, std::int64_t sm_count) {
  const double factor = static_cast<double>(sm_count) / static_cast<double>(gpu.sm_count);
  gpu.sm_count = sm_count;
  scale(gpu, factor, factor);
  complete(gpu);
}

// Constants that were fitted to `gpu` are now those of a relative.
void carry_over(Calibration& calibration, std::string_view from) {
  if (calibration.status != "calibrated") return;
  calibration.status = "architecture";
  calibration.source = fmt::format("constants of {}: {}", from, calibration.source);
  for (GemmCalibration& each : calibration.gemm) each.own = false;
}

// Of an uncalibrated product: the constants in its architecture's file, if there are any.
Calibration shared_calibration(NodeRef architecture, std::vector<Error>& errors) {
  Calibration calibration;
  const NodeRef table = architecture["calibration"];
  if (!table) return calibration;
  expect_table(table, errors);
  read_calibration(table, calibration, errors);
  // Constants that were not fitted are no calibration.
  const bool is_estimated = value_of(table["estimated"]).as_boolean().value_or(false);
  calibration.status = is_estimated ? "uncalibrated" : "architecture";
  return calibration;
}

// A profile's own limit, of a board that is set lower than it was built for.
void limit(NodeRef stated, std::string_view key, std::string_view unit, Result<Gpu> (*limited)(Gpu, double),
           Gpu& gpu, std::vector<Error>& errors) {
  if (!stated) return;
  const auto number = value_of(stated).as_number();
  if (!number) {
    errors.push_back(value_of(stated).error(
        fmt::format("`{}` is {}, expected {}", key, text::describe(value_of(stated).kind()), unit)));
    return;
  }
  if (auto variant = limited(gpu, *number)) {
    gpu = *std::move(variant);
  } else {
    errors.push_back(value_of(stated).error(variant.error().message, variant.error().hint));
  }
}

// A profile may be based on one that is based on another; a longer chain is a loop.
constexpr int max_bases = 8;

Gpu read_profile(const Document& document, std::vector<Error>& errors, std::span<const Document> own,
                 int depth) {
  const NodeRef root = document.root();
  Gpu gpu;
  if (const NodeRef base = root["based_on"]) {
    const auto name = base.as_string();
    if (!name) {
      errors.push_back(base.error(
          fmt::format("`based_on` is {}, expected the name of a GPU", text::describe(base.kind()))));
    } else if (depth == max_bases) {
      errors.push_back(base.error(fmt::format("`{}` is based on itself, through others", id_of(document))));
    } else if (const auto file = find_profile(*name, own); !file) {
      errors.push_back(base.error(file.error().message, file.error().hint));
    } else if (*file == &document || id_of(**file) == id_of(document)) {
      errors.push_back(base.error(fmt::format("`{}` is based on itself", id_of(document))));
    } else {
      gpu = read_profile(**file, errors, own, depth + 1);
      gpu.aliases.clear();
      carry_over(gpu.calibration, gpu.id);
    }
  }
  gpu.id = id_of(document);

  if (const NodeRef named = root["architecture"]) {
    const auto id = named.as_string();
    if (!id) {
      errors.push_back(named.error(
          fmt::format("`architecture` is {}, expected the name of one", text::describe(named.kind()))));
    } else if (auto found = find_architecture(*id, own)) {
      gpu.architecture = *std::move(found);
      gpu.compute_capability.clear();
      const NodeRef shared = find_architecture_file(*id, own)->root();
      gpu.calibration = shared_calibration(shared, errors);
      gpu.attention = read_attention(shared["attention"], errors);
      gpu.errors = {};
      read_effect_errors(shared["errors"], gpu.errors, errors);
    } else if (found.error().span) {
      errors.push_back(found.error());
    } else {
      errors.push_back(named.error(found.error().message, found.error().hint));
    }
  }
  // A new number of SMs scales the peaks that the base has; those stated here are read over them.
  const auto sm_count = value_of(root["sm_count"]).as_integer();
  if (gpu.sm_count > 0 && sm_count && *sm_count > 0) scale_to(gpu, *sm_count);

  if (const NodeRef kind = root["kind"]; kind && kind.as_string() != "gpu") {
    errors.push_back(kind.error("unknown profile kind", "write `gpu` (the default) or `architecture`"));
  }
  read_fields<Gpu>(root, "", gpu_fields(), plain_names, gpu, errors);
  expect_table(root["measured"], errors);
  read_fields<Gpu>(root["measured"], "measured", gpu_fields(), {}, gpu, errors);
  for (std::string& alias : read_strings(root["aliases"], errors)) gpu.aliases.push_back(std::move(alias));
  check_remarks(root, errors);
  if (const NodeRef attention = root["attention"]) gpu.attention = read_attention(attention, errors);
  read_effect_errors(root["errors"], gpu.errors, errors);
  if (const NodeRef calibration = root["calibration"]) {
    expect_table(calibration, errors);
    // Constants that somebody fitted to another GPU are a relative's, wherever they are written.
    const bool borrowed = calibration["borrowed"].as_boolean().value_or(false);
    // Kinds of products that were not fitted keep the constants that the GPU had; the errors of those that
    // were are their own.
    bool has_recipes = false;
    bool has_others = false;
    for (std::size_t i = 0; i < constant_set_names.size(); ++i) {
      if (!calibration[constant_set_names[i]]) continue;
      gpu.calibration.gemm[i].errors = {};
      gpu.calibration.gemm[i].own = !borrowed;
      (is_of_recipe(static_cast<ConstantSet>(i)) ? has_recipes : has_others) = true;
    }
    // What was measured of fp8 alone says nothing of the products that steps are made of.
    const bool only_recipes = has_recipes && !has_others;
    const std::string source = only_recipes ? gpu.calibration.source : std::string();
    if (!only_recipes) gpu.calibration.status = borrowed ? "architecture" : "calibrated";
    read_calibration(calibration, gpu.calibration, errors);
    if (only_recipes) gpu.calibration.source = source;
  }
  if (gpu.name.empty()) gpu.name = gpu.id;
  complete(gpu);
  limit(root["clock_mhz"], "clock_mhz", "MHz", with_clock, gpu, errors);
  limit(root["power_limit_w"], "power_limit_w", "watts", with_power_limit, gpu, errors);
  check_complete(gpu, document, errors);
  return gpu;
}

}  // namespace

std::span<const std::string_view> required_keys() {
  return required_names;
}

std::vector<text::KeyInfo> plain_profile_keys() {
  std::vector<text::KeyInfo> out;
  for (const PlainKey& key : plain_keys) out.push_back({key.name, key.doc, key.type});
  return out;
}

Gpu read_gpu(const Document& document, std::vector<Error>& errors, std::span<const Document> own) {
  std::vector<Error> found;
  Gpu gpu = read_profile(document, found, own, 0);
  // The reader goes by its tables; people go by lines. Errors without a line come last.
  const auto place = [&](const Error& error) {
    const std::int64_t begin = error.span ? error.span->begin : std::numeric_limits<std::int64_t>::max();
    return std::tuple(error.path != document.path(), std::string_view(error.path), begin);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Error& a, const Error& b) { return place(a) < place(b); });
  std::move(found.begin(), found.end(), std::back_inserter(errors));
  return gpu;
}

Result<Gpu> with_sm_count(Gpu gpu, std::int64_t sm_count) {
  const std::int64_t most = gpu.sm_count_full_die > 0 ? gpu.sm_count_full_die : gpu.sm_count * 2;
  if (sm_count < 1 || sm_count > most) {
    return Error{fmt::format("{} SMs are implausible for `{}`", sm_count, gpu.id),
                 fmt::format("this GPU has {}, the full die {}", gpu.sm_count, most),
                 {},
                 {}};
  }
  if (sm_count == gpu.sm_count) return gpu;
  scale_to(gpu, sm_count);
  carry_over(gpu.calibration, fmt::format("{} with another number of SMs", gpu.id));
  return gpu;
}

Result<Gpu> with_clock(Gpu gpu, double mhz) {
  constexpr double least_share = 0.1;  // of the boost clock
  if (!(mhz >= least_share * gpu.boost_clock_mhz && mhz <= gpu.boost_clock_mhz)) {
    return Error{fmt::format("{} MHz are implausible for `{}`", exact(mhz), gpu.id),
                 fmt::format("its own clock is {} MHz", exact(gpu.boost_clock_mhz)),
                 {},
                 {}};
  }
  if (mhz == gpu.boost_clock_mhz) return gpu;
  const double cuda_cores = mhz / gpu.boost_clock_mhz;
  const double tensor_cores = std::min(1.0, mhz / gpu.tensor_clock_mhz);
  scale(gpu, tensor_cores, cuda_cores);
  for (GemmCalibration& each : gpu.calibration.gemm) {
    GemmConstants& c = each.constants;
    for (double* rate : {&c.sm_dram_gb_s, &c.resident_sm_gb_s, &c.sm_feed_gb_s, &c.l2_feed_sm_gb_s}) {
      *rate *= tensor_cores;
    }
    c.k_step_ns /= tensor_cores;
    // A clock that power does not allow for long is not missed where it is never reached.
    c.power_drop = 1 - std::min(1.0, (1 - c.power_drop) / tensor_cores);
  }
  gpu.boost_clock_mhz = mhz;
  gpu.tensor_clock_mhz = std::min(gpu.tensor_clock_mhz, mhz);
  complete(gpu);
  carry_over(gpu.calibration, fmt::format("{} at another clock", gpu.id));
  return gpu;
}

Result<Gpu> with_power_limit(Gpu gpu, double watts) {
  if (gpu.tdp_w <= 0) {
    return Error{fmt::format("the power limit of `{}` is unknown", gpu.id), "state `tdp_w`", {}, {}};
  }
  constexpr double least_share = 0.2;  // of its own limit; boards cannot be set lower
  if (!(watts >= least_share * gpu.tdp_w && watts <= gpu.tdp_w)) {
    return Error{fmt::format("{} W are implausible for `{}`", exact(watts), gpu.id),
                 fmt::format("its own limit is {} W", exact(gpu.tdp_w)),
                 {},
                 {}};
  }
  if (watts == gpu.tdp_w) return gpu;
  // C libraries round std::cbrt and std::hypot otherwise on other architectures, std::pow and std::sqrt not.
  const double clock = std::pow(watts / gpu.tdp_w, 1.0 / 3);
  for (GemmCalibration& each : gpu.calibration.gemm) {
    each.constants.power_drop = 1 - (1 - each.constants.power_drop) * clock;
  }
  const auto slow_down = [&](AttentionKernels& kernels) {
    for (AttentionBucket& bucket : kernels.buckets) {
      bucket.forward_efficiency *= clock;
      bucket.backward_efficiency *= clock;
    }
  };
  slow_down(gpu.attention);
  for (AttentionKernels& cudnn : gpu.attention.cudnn) slow_down(cudnn);
  gpu.tdp_w = watts;
  carry_over(gpu.calibration, fmt::format("{} with another power limit", gpu.id));
  return gpu;
}

}  // namespace shapelint::gpu
