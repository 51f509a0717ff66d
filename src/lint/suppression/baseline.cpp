// Known findings that are not reported again.
#include "lint/suppression/baseline.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/fields.hpp"
#include "text/json/json.hpp"
#include "text/source.hpp"

namespace shapelint::lint {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view format_name = "shapelint-baseline";
constexpr std::int64_t version = 1;
// Most of one kind that a file can have; sums of it stay whole numbers.
constexpr std::int64_t most_of_a_kind = 1'000'000'000;

// JSON text is UTF-8: other bytes are written as escapes that cannot be mistaken for text.
std::string utf8(std::string_view text) {
  std::string out(text);
  for (std::int64_t bad = text::first_invalid_utf8(out); bad >= 0; bad = text::first_invalid_utf8(out)) {
    const auto at = static_cast<std::size_t>(bad);
    out.replace(at, 1, fmt::format("\\x{:02x}", static_cast<unsigned char>(out[at])));
  }
  return out;
}

}  // namespace

BaselineKey baseline_key(const rules::Finding& finding, std::string path, std::string_view source) {
  BaselineKey key{std::move(path), std::string(finding.code), utf8(finding.key_path), {}};
  if (key.key.empty() && finding.blamed != model::no_field) {
    key.key = fmt::format("({})", model::info(finding.blamed).name);
  }
  const bool is_here = finding.span.begin >= 0 && finding.span.end > finding.span.begin &&
                       finding.span.end <= static_cast<std::int64_t>(source.size());
  if (is_here) {
    key.value = utf8(source.substr(static_cast<std::size_t>(finding.span.begin),
                                   static_cast<std::size_t>(finding.span.end - finding.span.begin)));
  }
  return key;
}

Result<Baseline> read_baseline(const std::string& path, std::string content) {
  const auto document = text::parse_json(path, std::move(content));
  if (!document) return document.error();
  const text::NodeRef root = document->root();
  if (root["format"].as_string() != format_name) {
    return Error{"not a shapelint baseline file", "create one with `--write-baseline`", path, {}};
  }
  if (root["version"].as_integer() != version) {
    return (root["version"] ? root["version"] : root)
        .error(fmt::format("only version {} of a baseline is supported", version),
               "create a new one with `--write-baseline`");
  }
  Baseline baseline;
  for (const text::NodeRef entry : root["findings"]) {
    const auto file = entry["path"].as_string();
    const auto rule = entry["rule"].as_string();
    const auto key = entry["key"].as_string();
    const auto value = entry["value"].as_string();
    const auto count = entry["count"].as_integer();
    if (!file || !rule || !key || !value || !count || *count < 1) {
      return entry.error("an entry needs `path`, `rule`, `key`, `value` and a `count` of 1 or more");
    }
    std::int64_t& known =
        baseline[{std::string(*file), std::string(*rule), std::string(*key), std::string(*value)}];
    known = std::min(most_of_a_kind, known + std::min(most_of_a_kind, *count));
  }
  return baseline;
}

bool is_baseline(const std::string& content) {
  const auto document = text::parse_json({}, content);
  return document && document->root()["format"].as_string() == format_name;
}

std::string baseline_text(const Baseline& baseline) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const auto& [key, count] : baseline) {
    if (count < 1) continue;
    findings.push_back(
        {{"path", key.path}, {"rule", key.rule}, {"key", key.key}, {"value", key.value}, {"count", count}});
  }
  const nlohmann::ordered_json out{
      {"format", format_name}, {"version", version}, {"findings", std::move(findings)}};
  return text::json_text(out, 2) + '\n';
}

std::string path_in_baseline(std::string_view baseline_path, std::string_view file,
                             std::string_view working_directory) {
  const fs::path here(working_directory);
  const fs::path folder = (here / baseline_path).lexically_normal().parent_path();
  const fs::path whole = (here / file).lexically_normal();
  return utf8(whole.lexically_relative(folder).generic_string());
}

bool take(Baseline& known, const BaselineKey& key) {
  const auto found = known.find(key);
  if (found == known.end() || found->second < 1) return false;
  --found->second;
  return true;
}

}  // namespace shapelint::lint
