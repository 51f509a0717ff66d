// What `--fix` writes is linted again as a whole: it may leave findings, but brings none.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lint/fix.hpp"
#include "rules/book/rule.hpp"
#include "tests/catch.hpp"
#include "tests/source_dir.hpp"

using namespace shapelint;

namespace {

// Of findings from a severity on: rule, place and field, how often. On which of the GPUs it holds is no
// matter.
std::map<std::string, int> findings_from(rules::Severity severity, const lint::Report& report) {
  std::map<std::string, int> out;
  for (const lint::ModelReport& model : report.models) {
    for (const rules::Finding& finding : model.result.findings) {
      if (finding.severity < severity) continue;
      ++out[std::string(finding.code) + ' ' + model.reading.part + ' ' + finding.key_path + ' ' +
            (finding.blamed == model::no_field ? "" : std::string(model::info(finding.blamed).name))];
    }
  }
  return out;
}

struct Bred {
  std::vector<std::string> codes;
  std::size_t fixes = 0;
  std::size_t before = 0;
  std::size_t after = 0;
};

Bred bred_by_fixing(const std::string& path, const std::string& text, const std::string& gpu) {
  text::MemoryFileSystem memory;
  memory.files[path] = text;
  text::OverlayFileSystem files(memory);
  project::Request wanted;
  wanted.gpus.names = {gpu};
  const project::Project project(wanted, files);
  lint::FixRequest request;
  request.run.paths = {path};
  request.run.jobs = 1;
  request.run.allow_unrecognised = true;
  request.unsafe = true;
  const lint::RunOutcome before = lint::lint_files(request.run, project);
  const lint::FixOutcome out = lint::fix_files(request, project, files);
  // A run that could not start may have lesser faults once it does.
  const bool stopped = !findings_from(rules::Severity::error, before.report).empty();
  const rules::Severity severity = stopped ? rules::Severity::error : rules::Severity::warning;
  const std::map<std::string, int> then = findings_from(severity, before.report);
  const std::map<std::string, int> now = findings_from(severity, out.run.report);
  Bred bred;
  bred.fixes = out.fixes.size();
  for (const auto& [key, count] : then) bred.before += static_cast<std::size_t>(count);
  for (const auto& [key, count] : now) {
    bred.after += static_cast<std::size_t>(count);
    const auto found = then.find(key);
    if (found == then.end() || found->second < count) bred.codes.push_back(key);
  }
  return bred;
}

using None = std::vector<std::string>;

}  // namespace

TEST_CASE("fixing breeds no finding in the rules' examples", "[lint][bred]") {
  constexpr std::size_t stride = 5;
  std::size_t number = 0;
  std::size_t fixes = 0;
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    for (const rules::Example& each : rule.examples) {
      if (!each.finds || number++ % stride != 0) continue;
      const std::string file = each.file.empty() ? "model.toml" : std::string(each.file);
      INFO(rule.code << " in " << file << ":" << each.config);
      const Bred bred = bred_by_fixing(file, std::string(each.config), std::string(each.gpu));
      CHECK(bred.codes == None{});
      CHECK(bred.after <= bred.before);
      fixes += bred.fixes;
    }
  }
  CHECK(fixes > 0);
}

TEST_CASE("fixing breeds no finding in a hundred files of real repositories", "[lint][bred]") {
  const std::filesystem::path folder =
      std::filesystem::path(tests::source_dir()) / ".." / "shared" / "configs";
  if (!std::filesystem::is_directory(folder)) SHAPELINT_SKIP("there is no ../shared/configs");
  constexpr std::size_t most = 100;
  std::vector<std::filesystem::path> all;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (each.is_regular_file() && each.path().filename() != "expected.json") all.push_back(each.path());
  }
  std::sort(all.begin(), all.end());
  const std::size_t stride = std::max<std::size_t>(1, all.size() / most);
  std::size_t before = 0;
  std::size_t after = 0;
  for (std::size_t i = 0; i < all.size(); i += stride) {
    std::ifstream in(all[i]);
    std::ostringstream text;
    text << in.rdbuf();
    INFO(all[i].lexically_relative(folder).string());
    const Bred bred = bred_by_fixing(all[i].filename().string(), text.str(), i % 2 == 0 ? "h100" : "a100");
    CHECK(bred.codes == None{});
    before += bred.before;
    after += bred.after;
  }
  CHECK(after <= before);
}
