// Leaves out what is not new.
#include "lint/known.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/phrases.hpp"
#include "text/limits.hpp"

namespace shapelint::cli {

namespace {

constexpr std::string_view default_baseline = "shapelint-baseline.json";

config::BaselineKey key_of(const rules::Finding& finding, const std::string& path,
                           const report::ModelReport& model) {
  const std::string& file = finding.path.empty() ? model.path : finding.path;
  const std::string* source = report::source_of(model, file);
  return config::baseline_key(finding, path,
                              source != nullptr ? std::string_view(*source) : std::string_view{});
}

// Takes the findings away that are known and returns how many that were.
std::size_t remove_known(config::Baseline& known, const std::string& path, report::ModelReport& model) {
  return std::erase_if(model.result.findings, [&](const rules::Finding& finding) {
    return config::take(known, key_of(finding, path, model));
  });
}

void add_all(config::Baseline& baseline, const std::string& path, const FileOutcome& outcome) {
  for (const report::ModelReport& model : outcome.models) {
    for (const rules::Finding& finding : model.result.findings) {
      ++baseline[key_of(finding, path, model)];
    }
  }
}

std::size_t total(const config::Baseline& baseline) {
  std::size_t sum = 0;
  for (const auto& [key, count] : baseline) sum += static_cast<std::size_t>(count);
  return sum;
}

}  // namespace

Baselines::One* Baselines::open(const LintSetup& setup, std::string& path,
                                std::vector<report::ReportError>& errors) {
  path = !options_.baseline.empty() ? options_.baseline : setup.config.baseline.value_or("");
  if (path.empty()) {
    if (!options_.write_baseline && !options_.prune_baseline) return nullptr;
    path = default_baseline;
  }
  const auto [found, is_new] = all_.try_emplace(path);
  if (!is_new) return found->second.get();
  found->second = std::make_unique<One>();
  if (options_.write_baseline) return found->second.get();  // whatever the old one holds
  auto content = files_.read(path, text::max_source_bytes);
  if (!content) {
    Error error = content.error();
    error.hint = "`--write-baseline` makes one";
    errors.push_back({std::move(error), {}});
    return found->second.get();
  }
  const std::string source = *content;
  auto read = config::read_baseline(path, *std::move(content));
  if (read) {
    found->second->known = found->second->original = *std::move(read);
  } else {
    errors.push_back({read.error(), source});
  }
  return found->second.get();
}

std::size_t Baselines::apply(const LintSetup& setup, const std::string& path, FileOutcome& outcome,
                             std::vector<report::ReportError>& errors) {
  std::string baseline;
  One* one = open(setup, baseline, errors);
  if (one == nullptr) return 0;
  const std::string name = config::path_in_baseline(baseline, path, files_.working_directory());
  one->paths.push_back(name);
  add_all(one->seen, name, outcome);
  std::size_t known = 0;
  for (report::ModelReport& model : outcome.models) {
    if (options_.write_baseline) {
      known += model.result.findings.size();
      model.result.findings.clear();
    } else {
      known += remove_known(one->known, name, model);
    }
  }
  return known;
}

void Baselines::write(std::vector<std::string>& notes, std::vector<report::ReportError>& errors) {
  for (const auto& [path, one] : all_) {
    config::Baseline out = one->seen;
    std::size_t stale = 0;
    if (!options_.write_baseline) {
      // What the baseline knows of files that were not linted stays; of the others what is still found.
      out = one->original;
      std::sort(one->paths.begin(), one->paths.end());
      for (auto& [key, count] : out) {
        if (!std::binary_search(one->paths.begin(), one->paths.end(), key.path)) continue;
        const auto seen = one->seen.find(key);
        const std::int64_t left = std::min(count, seen == one->seen.end() ? std::int64_t{0} : seen->second);
        stale += static_cast<std::size_t>(count - left);
        count = left;
      }
    }
    if (!options_.write_baseline && !options_.prune_baseline) {
      if (stale > 0) {
        notes.push_back(fmt::format("{}: {} no longer found; `--prune-baseline` takes them out", path,
                                    stale == 1 ? "1 finding is" : fmt::format("{} findings are", stale)));
      }
      continue;
    }
    const auto written = files_.write(path, config::baseline_text(out));
    if (!written) {
      errors.push_back({written.error(), {}});
    } else if (options_.write_baseline) {
      notes.push_back(fmt::format("{}: {} written", path, report::plural(total(out), "finding")));
    } else {
      notes.push_back(fmt::format("{}: {} taken out", path, report::plural(stale, "finding")));
    }
  }
}

std::size_t leave_introduced(const LintOptions& options, const LintSetup& setup, const GitBase& base,
                             const std::string& path, const std::string& path_in_root, FileOutcome& outcome,
                             const text::FileSystem& files) {
  const auto renamed = base.renamed.find(path_in_root);
  const std::string& old_name = renamed == base.renamed.end() ? path_in_root : renamed->second;
  const std::optional<std::string> source = text_at(base, old_name);
  if (!source) return 0;
  // A file that was moved found what it inherits beside its old place.
  const std::string old_path = renamed == base.renamed.end() ? path : path_from_here(base, old_name);
  const FileOutcome old =
      lint_text(options, setup, old_path, *source, false, RevisionFileSystem(base, files));
  config::Baseline known;
  add_all(known, path, old);
  std::size_t removed = 0;
  for (report::ModelReport& model : outcome.models) {
    removed += remove_known(known, path, model);
  }
  return removed;
}

}  // namespace shapelint::cli
