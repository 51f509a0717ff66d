// The options of `shapelint roofline`.
#include <array>

#include "cli/commands/roofline/roofline.hpp"
#include "cli/model_input.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 3> roofline_formats{"text", "json", "csv"};

}  // namespace

std::vector<Option> roofline_options(RooflineOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc =
           "models: files, folders with a config.json, published ones (`org/Name`) in the local Hugging Face "
           "cache; `-` reads standard input",
       .set = into(options.files),
       .many = true,
       .required = true},
      model_option(options.model),
      {.names = "--over",
       .value = "FIELD=LOW:HIGH:STEP",
       .doc = "throughput, latency and arithmetic intensity over these values of a field; also "
              "FIELD=LOW:HIGH:*FACTOR and FIELD=A,B,C",
       .set = into(options.over)},
      {.names = "--prefill-chunk",
       .value = "N",
       .doc = "prompt tokens per forward pass (chunked prefill) [default: all]",
       .set = into(options.prefill_chunk)},
      {.names = "--draft",
       .value = "FILE",
       .doc =
           "draft model for speculative decoding (`--speculative-tokens`), with the parallelism of its file",
       .set = into(options.draft)},
      {.names = "--output-tokens",
       .value = "N",
       .doc = "new tokens per sequence: price a whole batch from prompts to last token, as serving "
              "benchmarks do",
       .set = into(options.output_tokens)},
      {.names = "--top",
       .value = "N",
       .doc = "rows of the table of operations, 0 for all; with several GPUs or files, also print it",
       .set = into(options.top)},
      format_option(
          options.format, roofline_formats,
          "text, json (docs/schema/shapelint-roofline.schema.json) or csv (a row per operation, with "
          "--over a row per value)"),
      {.names = "--plot",
       .value = "FILE.svg",
       .doc = "draw the roofline; FILE.png writes both (needs rsvg-convert or resvg). Several GPUs: one file "
              "each, "
              "named before the extension",
       .set = into(options.pictures.plot)},
      {.names = "--waterfall",
       .value = "FILE.svg",
       .doc = "draw where the time of the step goes, loss by loss; also FILE.png",
       .set = into(options.pictures.waterfall)},
      {.names = "--report",
       .value = "FILE.html",
       .doc = "write an interactive page: roofline, losses, operations, sweeps (over --over, batch, lengths "
              "and dimensions) and findings",
       .set = into(options.pictures.page)},
  };
  all.push_back(stack_option(options.project));
  append(all, model_input_options(options.project));
  all.push_back(dimension_option(options.project.request.dimensions));
  return all;
}

}  // namespace shapelint::cli
