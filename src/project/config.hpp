// The linter's configuration: .shapelint.toml, shapelint.toml, or [tool.shapelint] of pyproject.toml. The
// closest file counts, alone, unless it says `extend`; paths in a file are relative to its folder.
// docs/reference/config-file.md describes it, docs/schema/shapelint-config.schema.json for editors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "rules/engine/lint.hpp"
#include "rules/finding.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"
#include "text/files.hpp"

namespace shapelint::project {

inline constexpr std::array<std::string_view, 3> levels{"info", "warning", "error"};  // as rules::Severity

// A name and where the configuration states it, for errors that only others can find (a GPU, a rule).
struct Name {
  std::string value;
  std::string path;  // of the configuration file
  Span span;
};

// A glob of paths. Without a slash it is matched with the file's name, at any depth; with one, with the path
// from `folder` on.
struct Pattern {
  std::string folder;
  std::string glob;
};

struct FileIgnores {
  Pattern match;
  std::vector<Name> rules;
};

// [[files]]: what else holds for some files.
struct FileOverrides {
  Pattern match;
  std::vector<Name> gpus;  // empty: as otherwise
  std::vector<model::Override> overrides;
};

// [[ignore-keys]]: a suppression for files that cannot hold comments.
struct KeyIgnore {
  Pattern match;
  std::string key;  // key path as findings give it
  std::vector<Name> rules;
  std::string reason;
  std::string path;  // of the configuration file
  Span span;
};

struct SeveritySetting {
  Name rule;
  std::optional<rules::Severity> severity;  // nothing: off
};

struct ParameterSetting {
  Name rule;
  Name parameter;
  double value = 0;
};

struct Config {
  std::string path;                  // of the file; empty: there is none
  std::string working_directory;     // that relative paths, of folders and of patterns, start from
  std::vector<std::string> sources;  // every file read, the first extended one first
  std::optional<std::vector<Name>> gpus;
  std::optional<std::vector<Name>> stack;
  std::optional<std::vector<Name>> select;
  std::vector<Name> extend_select;
  std::vector<Name> ignore;
  std::vector<FileIgnores> per_file_ignores;
  std::vector<Pattern> exclude;
  std::optional<double> min_gain;
  std::optional<rules::Severity> fail_level;
  std::optional<rules::Severity> min_severity;
  std::optional<rules::Shape> shape;
  std::optional<std::int64_t> head_multiple;
  std::vector<SeveritySetting> severities;
  std::vector<ParameterSetting> parameters;
  std::vector<std::string> rule_folders;
  std::vector<std::string> gpu_folders;
  std::vector<std::string> contract_folders;
  std::vector<std::string> format_folders;
  std::vector<std::string> model_folders;
  std::optional<std::string> baseline;
  std::optional<std::string> rule_url;  // an address with {code} or {name} in it
  std::vector<FileOverrides> files;
  std::vector<KeyIgnore> ignore_keys;
};

// Reads one configuration file and those it extends. Every error found is appended: unknown keys (with a
// did-you-mean), wrong types, files that extend each other in a circle. What it names lies in its repository,
// or in its own folder when there is none, unless `allow_outside`: a stranger's configuration must not have
// others' files read, named in messages, or written.
Config read_config(const text::FileSystem& files, const std::string& path,
                   std::vector<text::LocatedError>& errors, bool allow_outside = false);

// The file that applies to `path`: in its folder or the closest one above. Empty when there is none.
// pyproject.toml counts only when it has [tool.shapelint].
std::string find_config(const text::FileSystem& files, std::string_view path);

// Whether a path lies in the repository of a configuration, or in its folder when there is none.
bool is_in_repository(const text::FileSystem& files, const std::string& config, const std::string& path);

// Relative paths start from `working_directory`.
bool matches(const Pattern& pattern, std::string_view path, std::string_view working_directory);

// What a configuration says of one file.
struct FileSettings {
  std::vector<Name> gpus;  // empty: it does not say
  std::vector<model::Override> overrides;
  std::vector<Name> ignore;  // of all files and of this one
  std::vector<const KeyIgnore*> ignore_keys;
};
FileSettings settings_for(const Config& config, std::string_view path);

// The configuration as TOML, every value that is set, and the files that it came from as comments.
std::string show(const Config& config, std::string_view path);

// JSON schemas (draft 7) of a configuration file, and of a model in the native format.
std::string schema();
std::string native_schema();

using ConfigOfFolder = std::map<std::string, std::string>;

// As find_config() without it (project/config.hpp). What was found for a folder is asked of `known`, and
// added to it: files of many folders share those above.
std::string find_config(const text::FileSystem& files, std::string_view path, ConfigOfFolder& known);

}  // namespace shapelint::project
