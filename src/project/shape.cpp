// Trained models and those to train.
#include "project/shape.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "catalog/known_models.hpp"
#include "formats/dialect/paths.hpp"
#include "model/assumed.hpp"
#include "rules/scope/compare.hpp"

namespace shapelint::project {

namespace {

// Headers of weights, and graphs that were exported with them.
constexpr std::array<std::string_view, 4> weight_dialects{"gguf", "safetensors", "safetensors-index", "onnx"};
// A model's own description, which its weights lie beside; other files of these dialects may be anything.
constexpr std::array<std::string_view, 2> described_in{"config.json", "params.json"};

bool is_weights(std::string_view path) {
  const std::string_view name = formats::file_name(path);
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends(".bin") || ends(".bin.index.json"))
    return name.starts_with("pytorch_model") || name.starts_with("model");
  return ends(".safetensors") || ends(".safetensors.index.json") || ends(".gguf") || ends(".pth");
}

std::string equal_model(const model::Reading& reading) {
  if (reading.runs_in_whole > 0) return {};  // half of an encoder-decoder, which the known models are not
  for (const catalog::KnownModel& known : catalog::known_models()) {
    if (rules::is_near(reading, known) && rules::compare(reading, known).differences.empty())
      return title_of(known);
  }
  return {};
}

// A file with nothing but a model's shape, for those that name it.
bool is_preset(const model::Reading& reading) {
  return reading.dialect == "maxtext" && formats::file_name(formats::folder_of(reading.path)) == "models";
}

// Why the model is taken to be trained; empty: it is not.
std::string trained_because(const model::Reading& reading, const text::FileSystem& files) {
  const model::Mode mode = reading.setup.plan.mode;
  if (mode == model::Mode::decode || mode == model::Mode::prefill) return "the model is served, not trained";
  if (reading.setup.plan.adapters) return "adapters are trained on a model that is there";
  if (model::extra(reading, "names_published") > 0) return "the file names a published model";
  if (std::find(weight_dialects.begin(), weight_dialects.end(), reading.dialect) != weight_dialects.end())
    return "the file holds trained weights";
  if (const std::string named = model::published_shape(reading); !named.empty())
    return fmt::format("it is that of {}", named);
  const std::string_view name = formats::file_name(reading.path);
  if (is_preset(reading)) {
    if (const std::string known = equal_model(reading); !known.empty())
      return fmt::format("it is that of {}", known);
  }
  if (std::find(described_in.begin(), described_in.end(), name) == described_in.end()) return {};
  if (reading.dialect != "huggingface" && reading.dialect != "meta") return {};
  if (const std::string known = equal_model(reading); !known.empty())
    return fmt::format("it is that of {}", known);
  return lies_beside_weights(reading.path, files) ? "weights lie beside the file" : "";
}

}  // namespace

bool lies_beside_weights(const std::string& path, const text::FileSystem& files) {
  const auto beside = files.list(formats::folder_of(path));
  return beside && std::any_of(beside->begin(), beside->end(),
                               [](const std::string& each) { return is_weights(each); });
}

ShapeChoice shape_of(std::optional<rules::Shape> asked, const model::Reading& reading,
                     const text::FileSystem& files, bool names_shape) {
  if (asked) return {*asked, {}};
  if (names_shape) return {};
  std::string because = trained_because(reading, files);
  if (because.empty()) return {};
  return {rules::Shape::fixed, std::move(because)};
}

std::string shape_note(const ShapeChoice& choice) {
  if (choice.because.empty()) return {};
  return fmt::format("shape {}: {} (`--shape free` proposes other sizes)",
                     rules::shape_names[static_cast<std::size_t>(choice.shape)], choice.because);
}

}  // namespace shapelint::project
