// The options of `shapelint lint`.
#include "cli/commands/lint/lint.hpp"
#include "cli/field_options.hpp"
#include "cli/words.hpp"

namespace shapelint::cli {

namespace {

void move_to(std::vector<Option>& all, std::vector<Option> more) {
  for (Option& option : more) all.push_back(std::move(option));
}

std::vector<Option> choosing_options(LintOptions& options) {
  return {
      {.names = "--min-gain",
       .value = "SHARE",
       .doc = "leave out what saves less than this share of the step; 1% unless given",
       .set =
           [&options](std::string_view text) {
             return into_share(options.project.request.min_gain.emplace())(text);
           }},
      {.names = "--fail-level",
       .value = "LEVEL",
       .doc = "exit with 1 for findings from this severity on; warning unless given",
       .set =
           [&options](std::string_view text) {
             return into_enum(options.project.request.fail_level.emplace(), project::levels)(text);
           },
       .choices = strings(project::levels)},
      {.names = "--min-severity",
       .value = "LEVEL",
       .doc = "show findings from this severity on; warning unless given, and never above the fail level",
       .set =
           [&options](std::string_view text) {
             return into_enum(options.project.request.min_severity.emplace(), project::levels)(text);
           },
       .choices = strings(project::levels)},
      shape_option(options.project),
      {.names = "--exit-zero",
       .doc = "exit with 0 even when something is found",
       .set = into(options.exit_zero)},
      {.names = "--select",
       .value = "RULES",
       .doc = "only these rules: codes, names, or beginnings of codes such as SL1",
       .set = into_list(options.project.request.select),
       .many = true,
       .words = rule_words,
       .is_list = true},
      {.names = "--extend-select",
       .value = "RULES",
       .doc = "these rules as well, such as rules in preview",
       .set = into_list(options.project.request.extend_select),
       .many = true,
       .words = rule_words,
       .is_list = true},
      {.names = "--ignore",
       .value = "RULES",
       .doc = "not these rules",
       .set = into_list(options.project.request.ignore),
       .many = true,
       .words = rule_words,
       .is_list = true},
      {.names = "--no-ignores",
       .doc = "report also what comments and `ignore-keys` silence",
       .set = into(options.run.no_ignores)},
  };
}

std::vector<Option> known_options(LintOptions& options) {
  constexpr auto group = "Only what is new";
  return {
      {.names = "--baseline",
       .value = "FILE",
       .doc = "leave out the findings that this file knows",
       .set = into(options.run.baseline.path),
       .group = group},
      {.names = "--write-baseline",
       .doc = "write all findings to the baseline (`shapelint-baseline.json` unless named)",
       .set = into(options.run.baseline.write),
       .group = group},
      {.names = "--prune-baseline",
       .doc = "take out of the baseline what is no longer found in the files linted",
       .set = into(options.run.baseline.prune),
       .group = group},
      {.names = "--diff-base",
       .value = "REV",
       .doc = "lint files that changed since this git revision, and report what the change introduced",
       .set = into(options.run.diff_base),
       .group = group},
  };
}

std::vector<Option> fixing_options(LintOptions& options) {
  constexpr auto group = "Fixing";
  return {
      {.names = "--fix",
       .doc =
           "change values in the files so that findings go away, where that leaves what is trained as it is: "
           "the plan, and rows that no token uses (docs/how-to/fix-findings.md); `-` prints the fixed text",
       .set = into(options.fix),
       .group = group},
      {.names = "--unsafe-fixes",
       .doc = "with --fix or --diff: also what changes the shape of the model or its task",
       .set = into(options.unsafe_fixes),
       .group = group},
      {.names = "--diff",
       .doc =
           "print what --fix would change as a unified diff, and change nothing; exit with 1 if there is any",
       .set = into(options.diff),
       .group = group},
  };
}

constexpr auto file_group = "Files and configuration";

// Nobody has more processors, and threads beyond them only cost memory.
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
       .doc = "not the files that are found in a folder and match, besides those that the configuration "
              "excludes: `old_*.yaml` by name, `archive/**` by path from here; may be given again",
       .set = into(options.run.exclude),
       .many = true,
       .group = file_group},
      {.names = "--force-exclude",
       .doc = "what is excluded is left out also where it is named here",
       .set = into(options.run.force_exclude),
       .group = file_group},
      {.names = "--allow-unrecognised",
       .doc = "pass over files that are named and of which nothing can be checked, as over those found in "
              "folders",
       .set = into(options.run.allow_unrecognised),
       .group = file_group},
      {.names = "--stdin-filename",
       .value = "NAME",
       .doc = "what to call standard input, in messages and when looking for its configuration",
       .set = into(options.stdin_filename),
       .group = file_group},
      {.names = "-j,--jobs",
       .value = "N",
       .doc = "files linted at the same time; as many as there are processors unless given",
       .set = into_jobs(options.run.jobs),
       .group = file_group},
      {.names = "--watch",
       .doc = "lint again whenever a file in the named folders, or in those of the named files, changes",
       .set = into(options.watch),
       .group = file_group},
      {.names = "-v,--verbose",
       .doc =
           "print each finding in full and every way out, and say which files are passed over, what was not "
           "understood, and which configuration applies",
       .set = into(options.output.verbose),
       .group = file_group},
  };
}

}  // namespace

std::vector<Option> lint_options(LintOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc = "configuration to check (`docs/reference/formats.md` lists what is understood), a folder to "
              "search, or a "
              "published model by its name (`org/Name`: the local Hugging Face cache's, or one of over 600 "
              "that are known); `-` reads standard input",
       .set = into(options.files),
       .many = true,
       .required = true},
  };
  move_to(all, output_options(options.output));
  move_to(all, choosing_options(options));
  move_to(all, fixing_options(options));
  move_to(all, known_options(options));
  all.push_back(stack_option(options.project));
  move_to(all, configuration_options(options.project, file_group));
  move_to(all, file_options(options));
  move_to(all, gpu_options(options.project));
  move_to(all, field_options(options.project.request.overrides));
  all.push_back(dimension_option(options.project.request.dimensions));
  return all;
}

}  // namespace shapelint::cli
