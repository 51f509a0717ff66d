// Leaves out what is not new.
#include "lint/suppression/known.hpp"

#include <algorithm>

#include "text/errors.hpp"

namespace shapelint::lint {

namespace {

constexpr std::string_view default_baseline = "shapelint-baseline.json";

BaselineKey key_of(const rules::Finding& finding, const std::string& path, const ModelReport& model) {
  const std::string& file = finding.path.empty() ? model.path : finding.path;
  const text::SharedText* source = source_of(model, file);
  return baseline_key(finding, path, source != nullptr ? std::string_view(*source) : std::string_view{});
}

// Takes the findings away that are known and returns how many that were.
std::size_t remove_known(Baseline& known, const std::string& path, ModelReport& model) {
  return std::erase_if(model.result.findings, [&](const rules::Finding& finding) {
    return take(known, key_of(finding, path, model));
  });
}

void add_all(Baseline& baseline, const std::string& path, const FileOutcome& outcome) {
  for (const ModelReport& model : outcome.models) {
    for (const rules::Finding& finding : model.result.findings) {
      ++baseline[key_of(finding, path, model)];
    }
  }
}

std::size_t total(const Baseline& baseline) {
  std::size_t sum = 0;
  for (const auto& [key, count] : baseline) sum += static_cast<std::size_t>(count);
  return sum;
}

}  // namespace

std::string Baselines::path_of(const project::Config& config) const {
  if (request_.off) return {};
  if (!request_.path.empty()) return request_.path;
  const bool is_made = request_.write || request_.prune;
  return config.baseline.value_or(is_made ? std::string(default_baseline) : std::string());
}

void Baselines::check(const project::Config& config, std::vector<text::LocatedError>& errors) const {
  if (!request_.write || request_.off) return;
  const std::string path = path_of(config);
  const auto old = files_.read(path, text::max_source_bytes);
  if (old ? is_baseline(*old) : old.error().code == ErrorCode::not_found) return;
  const bool is_told = std::any_of(errors.begin(), errors.end(),
                                   [&](const text::LocatedError& each) { return each.error.path == path; });
  if (is_told) return;
  Error error = old ? Error{"not a shapelint baseline file; only those are replaced",
                            "name another file, or remove this one",
                            path,
                            {}}
                    : old.error();
  errors.push_back({std::move(error), {}});
}

Baselines::One* Baselines::open(const project::Config& config, std::string& path,
                                std::vector<text::LocatedError>& errors) {
  path = path_of(config);
  if (path.empty()) return nullptr;
  const auto [found, is_new] = all_.try_emplace(path);
  if (!is_new) return found->second.get();
  found->second = std::make_unique<One>();
  if (request_.write) return found->second.get();  // whatever the old one holds
  auto content = files_.read(path, text::max_source_bytes);
  if (!content) {
    Error error = content.error();
    error.hint = "create one with `--write-baseline`";
    errors.push_back({std::move(error), {}});
    return found->second.get();
  }
  const std::string source = *content;
  auto read = read_baseline(path, *std::move(content));
  if (read) {
    found->second->known = found->second->original = *std::move(read);
  } else {
    errors.push_back({read.error(), source});
  }
  return found->second.get();
}

std::size_t Baselines::apply(const project::Config& config, const std::string& path, FileOutcome& outcome,
                             std::vector<text::LocatedError>& errors) {
  std::string baseline;
  One* one = open(config, baseline, errors);
  if (one == nullptr) return 0;
  const std::string name = path_in_baseline(baseline, path, files_.working_directory());
  one->paths.push_back(name);
  add_all(one->seen, name, outcome);
  std::size_t known = 0;
  if (request_.write) return known;
  for (ModelReport& model : outcome.models) known += remove_known(one->known, name, model);
  return known;
}

namespace {

// What the baseline knows of files that were not linted stays; of the others what is still found. Returns how
// many are no longer.
std::size_t prune(Baseline& baseline, const std::vector<std::string>& sorted_paths, const Baseline& seen) {
  std::size_t stale = 0;
  for (auto& [key, count] : baseline) {
    if (!std::binary_search(sorted_paths.begin(), sorted_paths.end(), key.path)) continue;
    const auto found = seen.find(key);
    const std::int64_t left = std::min(count, found == seen.end() ? std::int64_t{0} : found->second);
    stale += static_cast<std::size_t>(count - left);
    count = left;
  }
  return stale;
}

}  // namespace

// Others may prune the same baseline for other files: what they wrote since it was read is what is pruned
// here.
std::optional<Error> Baselines::write_one(const std::string& path, One& one, std::size_t& stale,
                                          std::size_t& left) const {
  const auto held = files_.lock(path);
  if (!held) return held.error();
  Baseline out = one.seen;
  if (request_.prune && !request_.write) {
    auto content = files_.read(path, text::max_source_bytes);
    if (!content) return content.error();
    auto now = read_baseline(path, *std::move(content));
    if (!now) return now.error();
    out = *std::move(now);
    stale = prune(out, one.paths, one.seen);
  }
  left = total(out);
  const auto written = files_.write(path, baseline_text(out));
  return written ? std::nullopt : std::optional(written.error());
}

void Baselines::write(std::vector<BaselineNote>& notes, std::vector<text::LocatedError>& errors) {
  for (const auto& [path, one] : all_) {
    std::sort(one->paths.begin(), one->paths.end());
    std::size_t stale = 0;
    if (!request_.write && !request_.prune) {
      stale = prune(one->original, one->paths, one->seen);
      if (stale > 0) notes.push_back({BaselineNote::Kind::is_stale, path, stale});
      continue;
    }
    std::size_t left = 0;
    if (auto error = write_one(path, *one, stale, left)) {
      errors.push_back({*std::move(error), {}});
    } else if (request_.write) {
      notes.push_back({BaselineNote::Kind::written, path, left});
    } else {
      notes.push_back({BaselineNote::Kind::pruned, path, stale});
    }
  }
}

std::size_t keep_only_new_findings(const project::Configured& configured, const text::Source& then,
                                   const std::string& path, FileOutcome& outcome,
                                   const text::FileSystem& files_then, const TextOptions& options) {
  Baseline known;
  add_all(known, path, lint_text(configured, then, files_then, options));
  std::size_t removed = 0;
  for (ModelReport& model : outcome.models) removed += remove_known(known, path, model);
  return removed;
}

std::size_t keep_only_new_findings(const project::Configured& configured, const GitBase& base,
                                   const std::string& path, const std::string& path_in_root,
                                   FileOutcome& outcome, const text::FileSystem& files,
                                   const TextOptions& options) {
  const auto renamed = base.renamed.find(path_in_root);
  const std::string& old_name = renamed == base.renamed.end() ? path_in_root : renamed->second;
  const std::optional<std::string> source = text_at(base, old_name);
  if (!source) return 0;
  // A file that was moved found what it inherits next to its old place.
  const std::string old_path = renamed == base.renamed.end() ? path : path_from_here(base, old_name);
  return keep_only_new_findings(configured, formats::parse(old_path, *source), path, outcome,
                                RevisionFileSystem(base, files), options);
}

}  // namespace shapelint::lint
