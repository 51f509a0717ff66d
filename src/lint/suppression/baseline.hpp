// Known findings that are not reported again, keyed by what stays when a file is edited elsewhere: path,
// rule, key path and value, never a line. The file is JSON; paths in it are relative to its folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "rules/finding.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

struct BaselineKey {
  std::string path;
  std::string rule;   // code
  std::string key;    // key path; the field in parentheses when the file does not state it
  std::string value;  // as the file writes it
  friend bool operator==(const BaselineKey&, const BaselineKey&) = default;
  friend bool operator<(const BaselineKey& a, const BaselineKey& b) {
    return std::tie(a.path, a.rule, a.key, a.value) < std::tie(b.path, b.rule, b.key, b.value);
  }
};

// `path` as the baseline calls the linted file; `source` is the text that the finding's place refers to.
BaselineKey baseline_key(const rules::Finding& finding, std::string path, std::string_view source);

using Baseline = std::map<BaselineKey, std::int64_t>;  // how often

// Errors carry the place in the file.
Result<Baseline> read_baseline(const std::string& path, std::string content);

// Whether a text is a baseline, of whatever version: what `--write-baseline` may replace.
bool is_baseline(const std::string& content);

// The file's content; the same for the same findings, whatever order they came in.
std::string baseline_text(const Baseline& baseline);

// The path of a linted file as a baseline at `baseline_path` calls it; relative ones start from
// `working_directory`.
std::string path_in_baseline(std::string_view baseline_path, std::string_view file,
                             std::string_view working_directory);

// Whether the baseline still has room for a finding, which is then counted off.
bool take(Baseline& known, const BaselineKey& key);

}  // namespace shapelint::lint
