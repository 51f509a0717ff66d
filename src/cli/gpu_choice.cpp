// From options to GPUs.
#include "cli/gpu_choice.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/registry.hpp"
#include "text/toml.hpp"

namespace shapelint::cli {

std::vector<Option> gpu_options(GpuChoice& choice) {
  return {
      {.names = "--gpu",
       .value = "NAMES",
       .doc = "GPUs by name, with commas between them; `shapelint gpus` lists them",
       .set = into_list(choice.names),
       .many = true},
      {.names = "--gpu-file",
       .value = "FILE",
       .doc = "a GPU described in a file of your own (docs/adding-a-gpu.md)",
       .set = into(choice.files),
       .many = true},
      {.names = "--sm-count",
       .value = "N",
       .doc = "number of SMs, where a product is sold with several",
       .set = into(choice.sm_count)},
  };
}

std::vector<text::Document> read_gpu_files(std::span<const std::string> paths, const Io& io,
                                           std::vector<report::ReportError>& errors) {
  std::vector<text::Document> documents;
  for (const std::string& path : paths) {
    auto content = io.files.read(path, text::max_source_bytes);
    if (!content) {
      errors.push_back({content.error(), {}});
      continue;
    }
    const std::string source = *content;
    auto document = text::parse_toml(path, *std::move(content));
    if (document) {
      documents.push_back(*std::move(document));
    } else {
      errors.push_back({document.error(), source});
    }
  }
  return documents;
}

ChosenGpus choose_gpus(const GpuChoice& choice, std::span<const std::string> otherwise, const Io& io,
                       std::vector<text::Document> own) {
  ChosenGpus chosen;
  std::vector<text::Document> from_files = read_gpu_files(choice.files, io, chosen.errors);
  const std::size_t file_count = from_files.size();
  std::move(own.begin(), own.end(), std::back_inserter(from_files));
  const std::span<const text::Document> known = from_files;

  std::vector<const text::Document*> documents;
  const auto add = [&](const text::Document* document) {
    if (std::find(documents.begin(), documents.end(), document) == documents.end()) {
      documents.push_back(document);
    }
  };
  const bool none_named = choice.names.empty() && choice.files.empty();
  for (const std::string& name : none_named ? otherwise : std::span<const std::string>(choice.names)) {
    if (const auto found = gpu::find_profile(name, known)) {
      add(*found);
    } else {
      chosen.errors.push_back({found.error(), {}});
    }
  }
  for (const text::Document& document : known.first(file_count)) add(&document);

  for (const text::Document* document : documents) {
    std::vector<Error> errors;
    gpu::Gpu gpu = gpu::read_gpu(*document, errors, known);
    if (errors.empty() && choice.sm_count) {
      if (auto changed = gpu::with_sm_count(gpu, *choice.sm_count)) {
        gpu = *std::move(changed);
      } else {
        errors.push_back(changed.error());
      }
    }
    if (errors.empty()) chosen.gpus.push_back(std::move(gpu));
    for (Error& error : errors) {
      // An error in a profile that this one is based on points into another file.
      std::string source;
      for (const text::Document& each : known) {
        if (each.path() == error.path) source = each.source();
      }
      chosen.errors.push_back({std::move(error), std::move(source)});
    }
  }
  return chosen;
}

}  // namespace shapelint::cli
