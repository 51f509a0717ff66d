// Fuzz target of what a repository says about linting it: configurations, baselines, and the rules, GPUs and
// dialects that configurations add. The first byte chooses which of them the text is.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lint/file.hpp"
#include "lint/suppression/baseline.hpp"
#include "project/project.hpp"
#include "tests/fuzz/check.hpp"

namespace {

using namespace shapelint;

constexpr const char* model =
    "[model]\nhidden_size = 768\nnum_layers = 2\nnum_attention_heads = 12\nvocab_size = 50257\n[run]\n"
    "micro_batch_size = 8\nsequence_length = 1024\n[lint]\ngpu = \"a100\"\n";

void check_baseline(const std::string& text) {
  const auto baseline = lint::read_baseline("baseline.json", text);
  if (!baseline) return fuzz::check(baseline.error(), text.size());
  // What is written is read back as it was.
  const auto again = lint::read_baseline("baseline.json", lint::baseline_text(*baseline));
  fuzz::require(again && *again == *baseline);
  for (const auto& [key, count] : *baseline) {
    fuzz::require(count > 0);
    lint::path_in_baseline("a/baseline.json", key.path, "/project");
  }
}

void check_project(const text::MemoryFileSystem& files) {
  const project::Project project({}, files);
  const project::Configured& configured = project.of("m/model.toml");
  for (const text::LocatedError& each : configured.errors) {
    fuzz::check(each.error, each.error.span ? each.source.size() : 0);
  }
  project::show(configured.config, "m/model.toml");
  for (const char* path : {"m/model.toml", "m/a/b/config.json", "/elsewhere/x.yaml"}) {
    project::settings_for(configured.config, path);
    for (const project::Pattern& each : configured.config.exclude) {
      project::matches(each, path, files.working_directory());
    }
  }
  // Rules of its own are evaluated.
  if (!configured.errors.empty() || configured.config.rule_folders.empty()) return;
  lint::lint_text(configured, formats::parse("m/model.toml", model, true), files);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<const char*, 6> names{"m/shapelint.toml", "m/.shapelint.toml", "m/pyproject.toml",
                                             "m/own/rule.toml",  "m/own/gpu.toml",    "m/own/format.toml"};
  constexpr std::array<const char*, 6> keys{"", "", "", "rule-folders", "gpu-folders", "format-folders"};
  if (size == 0) return 0;
  const Budget budget(fuzz::work, fuzz::working_bytes);
  const std::size_t which = data[0] % (names.size() + 1);
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (which == names.size()) {
    check_baseline(text);
    return 0;
  }
  text::MemoryFileSystem files;
  files.files["m/.git/HEAD"] = "";
  files.files["m/base.toml"] = "ignore = [\"SL101\"]\n";
  files.files[names.at(which)] = text;
  if (*keys.at(which) != '\0') {
    files.files["m/shapelint.toml"] = std::string(keys.at(which)) + " = [\"own\"]\n";
  }
  check_project(files);
  return 0;
}
