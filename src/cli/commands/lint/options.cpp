// The options of `shapelint lint`.
#include "base/strings.hpp"
#include "cli/commands/lint/lint.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

namespace {

std::vector<Option> choosing_options(LintOptions& options) {
  return {
      {.names = "--min-gain",
       .value = "SHARE",
       .doc = "hide findings that save less than this share of the step [default: 1%]",
       .set =
           [&options](std::string_view text) {
             return into_share(options.project.request.min_gain.emplace())(text);
           }},
      {.names = "--fail-level",
       .value = "LEVEL",
       .doc = "exit code 1 for findings from this severity on [default: warning]",
       .set =
           [&options](std::string_view text) {
             return into_enum(options.project.request.fail_level.emplace(), project::levels)(text);
           },
       .choices = strings(project::levels)},
      {.names = "--min-severity",
       .value = "LEVEL",
       .doc = "show findings from this severity on [default: warning; at most the fail level]",
       .set =
           [&options](std::string_view text) {
             return into_enum(options.project.request.min_severity.emplace(), project::levels)(text);
           },
       .choices = strings(project::levels)},
      shape_option(options.project),
      {.names = "--exit-zero", .doc = "exit code 0 even with findings", .set = into(options.exit_zero)},
      {.names = "--select",
       .value = "RULES",
       .doc = "check only these rules: codes, names, or prefixes such as SL1",
       .set = into_list(options.project.request.select),
       .many = true,
       .words = rule_words,
       .is_list = true},
      {.names = "--extend-select",
       .value = "RULES",
       .doc = "check these rules as well, such as preview rules",
       .set = into_list(options.project.request.extend_select),
       .many = true,
       .words = rule_words,
       .is_list = true},
      {.names = "--ignore",
       .value = "RULES",
       .doc = "do not check these rules",
       .set = into_list(options.project.request.ignore),
       .many = true,
       .words = rule_words,
       .is_list = true},
      {.names = "--no-ignores",
       .doc = "also report findings that comments and `ignore-keys` silence",
       .set = into(options.run.no_ignores)},
  };
}

std::vector<Option> known_options(LintOptions& options) {
  constexpr auto group = "New findings only";
  return {
      {.names = "--baseline",
       .value = "FILE",
       .doc = "hide findings recorded in this baseline",
       .set = into(options.run.baseline.path),
       .group = group},
      {.names = "--write-baseline",
       .doc = "write all findings to the baseline [default: shapelint-baseline.json]",
       .set = into(options.run.baseline.write),
       .group = group},
      {.names = "--prune-baseline",
       .doc = "remove baseline entries that are no longer found in the linted files",
       .set = into(options.run.baseline.prune),
       .group = group},
      {.names = "--diff-base",
       .value = "REV",
       .doc = "report findings introduced since this git revision",
       .set = into(options.run.diff_base),
       .group = group},
  };
}

std::vector<Option> fixing_options(LintOptions& options) {
  constexpr auto group = "Fixing";
  return {
      {.names = "--fix",
       .doc = "fix findings in the files with changes that keep the trained model: plan and padding "
              "(docs/how-to/fix-findings.md); `-` prints the fixed text",
       .set = into(options.fix),
       .group = group},
      {.names = "--unsafe-fixes",
       .doc = "with --fix or --diff: also change the shape of the model or its task",
       .set = into(options.unsafe_fixes),
       .group = group},
      {.names = "--diff",
       .doc = "print what --fix would change as a unified diff; exit code 1 if anything",
       .set = into(options.diff),
       .group = group},
  };
}

constexpr auto file_group = "Files and configuration";

// More threads than any machine has cores only cost memory.
Setter into_jobs(std::optional<std::int64_t>& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    constexpr std::int64_t most = 1024;
    std::int64_t value = 0;
    if (into(value)(text) || value < 1 || value > most) return "a whole number from 1 to 1,024";
    target = value;
    return std::nullopt;
  };
}

std::vector<Option> file_options(LintOptions& options) {
  return {
      {.names = "--exclude",
       .value = "PATTERN",
       .doc = "skip matching files of folders, in addition to the configuration's: `old_*.yaml` by name, "
              "`archive/**` by path; repeatable",
       .set = into(options.run.exclude),
       .many = true,
       .group = file_group},
      {.names = "--force-exclude",
       .doc = "apply excludes to named files, too",
       .set = into(options.run.force_exclude),
       .group = file_group},
      {.names = "--allow-unrecognised",
       .doc = "skip named files that are not recognized, as in folders",
       .set = into(options.run.allow_unrecognised),
       .group = file_group},
      {.names = "--stdin-filename",
       .value = "NAME",
       .doc = "name of standard input, for messages and its configuration",
       .set = into(options.stdin_filename),
       .group = file_group},
      {.names = "-j,--jobs",
       .value = "N",
       .doc = "files linted in parallel [default: number of CPUs]",
       .set = into_jobs(options.run.jobs),
       .group = file_group},
      {.names = "--watch",
       .doc = "lint again when a file in these folders changes (Linux)",
       .set = into(options.watch),
       .group = file_group},
      {.names = "-v,--verbose",
       .doc = "print every finding in full with all fixes, skipped files, values that were not understood, "
              "and the configuration",
       .set = into(options.output.verbose),
       .group = file_group},
  };
}

}  // namespace

std::vector<Option> lint_options(LintOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc = "configuration (`docs/reference/formats.md` lists formats), folder, or published model "
              "(`org/Name`: from the local Hugging Face cache or a table of over 600); `-`: standard input",
       .set = into(options.files),
       .many = true,
       .required = true},
  };
  append(all, output_options(options.output));
  append(all, choosing_options(options));
  append(all, fixing_options(options));
  append(all, known_options(options));
  all.push_back(stack_option(options.project));
  append(all, configuration_options(options.project, file_group));
  append(all, file_options(options));
  append(all, gpu_options(options.project));
  append(all, field_options(options.project.request.overrides));
  all.push_back(dimension_option(options.project.request.dimensions));
  return all;
}

}  // namespace shapelint::cli
