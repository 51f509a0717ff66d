// `shapelint gemm`: explains one GEMM, or predicts a table of them.
#include "cli/commands/commands.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "calibrate/tables.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/output.hpp"
#include "cost/kernels/gemm.hpp"
#include "gpu/gpu.hpp"
#include "gpu/registry.hpp"
#include "model/op.hpp"
#include "report/formats.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, model::layouts.size()> layout_names{"tn", "nn", "nt", "tt"};
constexpr std::array<std::string_view, 2> formats{"text", "csv"};
constexpr std::array<std::string_view, 3> timings{"auto", "in-step", "as-measured"};
constexpr std::array<std::string_view, dtypes.size()> dtype_names{"fp32", "tf32", "fp16", "bf16",
                                                                  "fp8",  "int8", "fp4"};
constexpr std::int64_t largest_size = 1'000'000'000'000;
constexpr std::string_view added_columns =
    "predicted_us,bound,tile_m,tile_n,split_k,waves,alignment_efficiency,tile_efficiency,wave_efficiency,"
    "ideal_us,rejected_dims";

cost::Timing timing_of(const GemmOptions& options) {
  if (options.timing == 0) return options.shapes.empty() ? cost::Timing::in_step : cost::Timing::as_measured;
  return options.timing == 1 ? cost::Timing::in_step : cost::Timing::as_measured;
}

bool runs(const gpu::Gpu& gpu, const cost::GemmShape& shape, Io& io) {
  if (!can_multiply(gpu, shape.dtype)) {
    print_error(io, gpu::cannot_multiply({&gpu, 1}, shape.dtype));
    return false;
  }
  if (gpu::can_scale(gpu, shape.recipe)) return true;
  print_error(io, fmt::format("`recipe` {} is not supported by {}", name(shape.recipe), gpu.id),
              "choose another GPU, or `tensor`, `row` or `block128`");
  return false;
}

// A line of the waterfall: what this loss costs, on the way from the ideal time to the predicted one.
std::string waterfall_line(std::string_view what, double share, double before_us, double after_us) {
  return fmt::format("  {:<26} {:>10}  {:>8}\n", what, fmt::format("+{}", duration(after_us - before_us)),
                     fmt::format("x{}", fixed(1 / share, 3)));
}

// `fp8`, or `fp8 (block128)`.
std::string format_of(const cost::GemmShape& shape) {
  if (shape.recipe == Recipe::none) return std::string(name(shape.dtype));
  return fmt::format("{} ({})", name(shape.dtype), name(shape.recipe));
}

// What the constants of a product were fitted to.
std::string constants_of(const gpu::Gpu& gpu, const cost::GemmShape& shape) {
  const gpu::ConstantSet set = gpu::constants_for(gpu.calibration, shape.dtype, shape.recipe);
  const gpu::GemmCalibration& calibration = gpu.calibration.gemm[static_cast<std::size_t>(set)];
  if (calibration.source.empty()) return "defaults, not fitted to this dtype";
  if (set == gpu::constant_set(shape.dtype, shape.recipe)) return calibration.source;
  return fmt::format("of `{}`, since nothing of `{}` was measured: {}",
                     gpu::constant_set_names[static_cast<std::size_t>(set)], name(shape.recipe),
                     calibration.source);
}

std::string explain(const gpu::Gpu& gpu, const cost::GemmShape& shape, const cost::OpCost& cost) {
  const cost::Efficiency& e = cost.efficiency;
  const double even_us = cost.ideal_us / e.rest;
  const double exact_us = even_us / e.wave;
  const double aligned_us = exact_us / e.tile;
  const double flops = 2.0 * static_cast<double>(shape.batch) * static_cast<double>(shape.m) *
                       static_cast<double>(shape.n) * static_cast<double>(shape.k);
  std::string out = fmt::format("{}{} x {} x {} (m n k), {}, {}, on {}\n\n",
                                shape.batch > 1 ? fmt::format("{} x ", shape.batch) : "", shape.m, shape.n,
                                shape.k, format_of(shape), model::name(shape.layout), gpu.name);
  out += fmt::format("  {:<26} {:>10}\n", "ideal (roofline)", duration(cost.ideal_us));
  const double others_us = cost.quantize_us;
  if (others_us > 0)
    out += fmt::format("  {:<26} {:>10}\n", "quantization, included below", duration(others_us));
  out += fmt::format(
      "  {:<26} {:>10}  {:>8}\n", "sustained rate, launch, ramp",
      fmt::format("{}{}", even_us >= cost.ideal_us ? "+" : "-", duration(std::abs(even_us - cost.ideal_us))),
      fmt::format("x{}", fixed(1 / e.rest, 3)));
  out += waterfall_line("wave quantization", e.wave, even_us, exact_us);
  out += waterfall_line("tile quantization", e.tile, exact_us, aligned_us);
  out += waterfall_line("misaligned dimensions", e.alignment, aligned_us, cost.time_us);
  out += fmt::format("  {:<26} {:>10}  {:.4g} TFLOP/s, {} of peak\n\n", "predicted", duration(cost.time_us),
                     flops / cost.time_us * 1e-6,
                     percent(flops / cost.time_us * 1e-6 / peak_tflops(gpu, shape.dtype)));
  out += fmt::format("tile {} x {}, split-K {}, {} waves, bound: {}\n", cost.tile_m, cost.tile_n,
                     cost.split_k, fixed(cost.waves, 2), cost::name(cost.bound));
  const std::string constants = constants_of(gpu, shape);
  out += (constants.starts_with("constants of ") ? "" : "constants: ") + constants + '\n';
  return out;
}

// Reports a GEMM that a library rejects; its time is hypothetical. `where`: the GEMM, in words.
void report_rejected(std::string_view where, const cost::GemmShape& shape, std::size_t others, Io& io) {
  const std::string_view sides = cost::unsupported_dims(shape);
  const bool has_two = sides.size() > 1;
  print_note(
      io, fmt::format("{}{} of the {} GEMM {} of {}: cuBLASLt rejects it{}; the time is hypothetical (SL{})",
                      where,
                      has_two        ? fmt::format("n {} and k {}", shape.n, shape.k)
                      : sides == "n" ? fmt::format("n {}", shape.n)
                                     : fmt::format("k {}", shape.k),
                      name(shape.dtype), has_two ? "are not multiples" : "is not a multiple",
                      cost::demanded_multiple(shape.dtype),
                      others > 0 ? fmt::format("; {} (column `rejected_dims`)",
                                               counted(others, "more row is rejected|more rows are rejected"))
                                 : "",
                      shape.dtype == DType::fp8 ? 802 : 804));
}

DType dtype_of(const GemmOptions& options) {
  if (options.dtype < dtypes.size()) return static_cast<DType>(options.dtype);
  const double bits = info(static_cast<Recipe>(options.recipe)).operand_bits;
  return bits == 0 ? DType::bf16 : bits == 4 ? DType::fp4 : DType::fp8;
}

cost::Quantization quantization_of(const GemmOptions& options) {
  return options.with_quantization ? cost::Quantization::included : cost::Quantization::done_before;
}

// A row without what a spreadsheet would take for a formula, or a terminal for a command: another person may
// have written it.
std::string without_formulas(std::string_view line) {
  std::string out;
  while (true) {
    std::size_t end = 0;
    for (bool is_quoted = false; end < line.size() && (is_quoted || line[end] != ','); ++end)
      is_quoted = is_quoted != (line[end] == '"');
    const std::string_view written = line.substr(0, end);
    std::string field;
    const bool is_quoted = written.size() > 1 && written.front() == '"' && written.back() == '"';
    for (std::size_t i = is_quoted ? 1 : 0; i + (is_quoted ? 1 : 0) < written.size(); ++i) {
      field += written[i];
      if (is_quoted && written[i] == '"' && i + 2 < written.size() && written[i + 1] == '"') ++i;
    }
    out += report::csv_field(field);
    if (end == line.size()) return out;
    out += ',';
    line.remove_prefix(end + 1);
  }
}

ExitCode table(const GemmOptions& options, const gpu::Gpu& gpu, Io& io) {
  const auto text = table_text(options.shapes, io);
  if (!text) return ExitCode::error;
  std::vector<Error> errors;
  const calibrate::ShapeTable shapes =
      calibrate::read_shapes(*text, options.shapes, dtype_of(options), errors);
  if (print_errors(io, options.shapes, errors)) return ExitCode::error;

  cost::GemmModels models(gpu, timing_of(options), quantization_of(options));
  std::array<bool, dtypes.size()> checked{};
  std::optional<calibrate::MeasuredShape> rejected;  // the first
  std::size_t others_rejected = 0;
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "{},{}\n", without_formulas(shapes.header), added_columns);
  for (const calibrate::MeasuredShape& row : shapes.rows) {
    bool& known = checked[static_cast<std::size_t>(row.shape.dtype)];
    if (!known && !runs(gpu, row.shape, io)) return ExitCode::error;
    known = true;
    const cost::OpCost cost = predict_gemm(models.of(row.shape), row.shape);
    const std::string_view sides = cost::unsupported_dims(row.shape);
    others_rejected += !sides.empty() && rejected ? 1 : 0;
    if (!sides.empty() && !rejected) rejected = row;
    fmt::format_to(std::back_inserter(out), "{},{:.6g},{},{},{},{},{:.4g},{:.4f},{:.4f},{:.4f},{:.6g},{}\n",
                   without_formulas(row.line), cost.time_us, cost::name(cost.bound), cost.tile_m, cost.tile_n,
                   cost.split_k, cost.waves, cost.efficiency.alignment, cost.efficiency.tile,
                   cost.efficiency.wave, cost.ideal_us, sides);
    if (out.size() > (1U << 20U)) {
      io.out.write(out.data(), static_cast<std::streamsize>(out.size()));
      out.clear();
    }
  }
  io.out.write(out.data(), static_cast<std::streamsize>(out.size()));
  if (rejected)
    report_rejected(fmt::format("{}: `{}`: ", options.shapes, rejected->line), rejected->shape,
                    others_rejected, io);
  return ExitCode::clean;
}

}  // namespace

std::vector<Option> gemm_options(GemmOptions& options) {
  std::vector<Option> all{
      {.names = "SIZES",
       .value = "M N K",
       .doc = "M and N of the output, and the reduction dimension K",
       .set = into(options.sizes),
       .many = true},
      {.names = "--dtype",
       .value = "TYPE",
       .doc = "dtype of the operands [default: bf16, or that of the recipe]",
       .set = into_choice(options.dtype, dtype_names),
       .choices = strings(dtype_names)},
      {.names = "--recipe",
       .value = "RECIPE",
       .doc = "scaling recipe of the GEMM alone, with 16-bit results [default: none: fp8 with quantization, "
              "as in vLLM]",
       .set = into_choice(options.recipe, recipe_names),
       .choices = strings(recipe_names)},
      {.names = "--with-quantization",
       .doc = "add the quantization of activations to a GEMM with a recipe",
       .set = into(options.with_quantization)},
      {.names = "--batch",
       .value = "N",
       .doc = "batch: independent GEMMs of this shape",
       .set = into(options.batch)},
      {.names = "--layout",
       .value = "LAYOUT",
       .doc = "tn: linear layer; nn: two row-major matrices; nt: weight gradient; tt: neither [default: tn]",
       .set = into_choice(options.layout, layout_names),
       .choices = strings(layout_names)},
      {.names = "--shapes",
       .value = "FILE.csv",
       .doc =
           "predict each row of a table with columns m, n, k and optionally batch, dtype, recipe, op, layout",
       .set = into(options.shapes)},
      format_option(options.format, formats, "format of a table: csv (its columns and the prediction's)"),
      {.names = "--timing",
       .value = "TIMING",
       .doc = "in-step: within a step; as-measured: as in the profile's benchmark [default: as-measured for "
              "a table, else in-step]",
       .set = into_choice(options.timing, timings),
       .choices = strings(timings)},
  };
  append(all, configuration_options(options.project));
  append(all, one_gpu_options(options.project));
  return all;
}

ExitCode gemm(const GemmOptions& options, Io& io) {
  const std::optional<gpu::Gpu> named = one_gpu(options.project, io);
  if (!named) return ExitCode::error;
  const gpu::Gpu& gpu = *named;
  if (!options.shapes.empty()) {
    if (!options.sizes.empty()) {
      print_error(io, "both sizes and `--shapes` are given", "give one of them");
      return ExitCode::error;
    }
    return table(options, gpu, io);
  }
  if (options.sizes.size() != 3) {
    print_error(io, counted(options.sizes.size(), "size is given|sizes are given"),
                "expected three: M, N and K");
    return ExitCode::error;
  }
  std::array<std::int64_t, 3> size{};
  for (std::size_t i = 0; i < size.size(); ++i) {
    const auto parsed = parse_integer(options.sizes[i]);
    if (!parsed || *parsed < 1 || *parsed > largest_size) {
      print_error(io, fmt::format("`{}` is not a size", options.sizes[i]),
                  "expected a whole number from 1 to 10^12");
      return ExitCode::error;
    }
    size[i] = *parsed;
  }
  if (options.batch < 1 || options.batch > largest_size) {
    print_error(io, fmt::format("`--batch {}` is not a batch size", options.batch), "expected 1 to 10^12");
    return ExitCode::error;
  }
  const cost::GemmShape shape{options.batch,
                              size[0],
                              size[1],
                              size[2],
                              dtype_of(options),
                              static_cast<model::Layout>(options.layout),
                              {},
                              static_cast<Recipe>(options.recipe)};
  if (!goes_with(shape.recipe, shape.dtype)) {
    print_error(io, fmt::format("`--recipe {}` does not apply to {}", name(shape.recipe), name(shape.dtype)),
                info(shape.recipe).operand_bits == 4 ? "use `--dtype fp4`" : "use `--dtype fp8` or `int8`");
    return ExitCode::error;
  }
  if (!runs(gpu, shape, io)) return ExitCode::error;
  if (!cost::unsupported_dims(shape).empty()) report_rejected({}, shape, 0, io);
  io.out << explain(gpu, shape, predict_gemm(gpu, shape, timing_of(options), quantization_of(options)));
  return ExitCode::clean;
}

}  // namespace shapelint::cli
