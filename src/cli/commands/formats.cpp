// Lists dialects, or shows some in full.
#include "cli/commands/commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "cli/output.hpp"
#include "formats/read.hpp"
#include "formats/recognise.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/lists.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

namespace {

using formats::Dialect;
using formats::KeyTest;
using report::labelled;
using report::Role;
using report::Style;

std::string listed(const std::vector<KeyTest>& tests, std::string_view between) {
  std::string out;
  for (const KeyTest& each : tests)
    out += fmt::format("{}`{}`", out.empty() ? "" : between, formats::written(each));
  return out;
}

// "`a` and `b`, and 2 of `c`, `d`, `e`, and not `f`".
std::string sentence(const formats::Test& test) {
  std::vector<std::string> parts;
  if (!test.has.empty()) parts.push_back(listed(test.has, " and "));
  if (!test.any.empty()) parts.push_back(fmt::format("{} of {}", test.at_least, listed(test.any, ", ")));
  if (!test.lacks.empty()) parts.push_back(fmt::format("not {}", listed(test.lacks, ", ")));
  if (!test.file.empty()) parts.push_back(fmt::format("in a file called `{}`", test.file));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string in_full(const Dialect& dialect, const Style& style) {
  std::string out = fmt::format("{}: {}\n\n", style.paint(Role::strong, dialect.name), dialect.title);
  out += labelled("syntax", fmt::format("{}", fmt::join(dialect.syntax, ", ")), style);
  for (const formats::Test& test : dialect.recognise) out += labelled("has", sentence(test), style);
  std::vector<std::string> keys;
  for (const formats::Inherit& each : dialect.inherit) {
    for (const formats::KeyPath& key : each.keys)
      keys.push_back(fmt::format("`{}`", fmt::join(key.components, ".")));
  }
  out += labelled("builds on", fmt::format("{}", fmt::join(keys, ", ")), style);
  out += labelled("like", dialect.like, style);
  out += labelled("source", dialect.source, style);
  out += labelled("data file", dialect.path, style);
  if (dialect.example.text.empty()) return out;
  out += fmt::format("\n{}\n", style.paint(Role::strong, dialect.example.file));
  std::string_view rest = dialect.example.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += fmt::format("  {}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::string table(std::span<const Dialect* const> dialects, const Style& style) {
  std::size_t width = 0;
  for (const Dialect* each : dialects) width = std::max(width, each->name.size());
  constexpr std::size_t syntax_width = 18;
  std::string out;
  for (const Dialect* each : dialects) {
    out +=
        fmt::format("{}  {:<{}}  {}\n", style.paint(Role::strong, fmt::format("{:<{}}", each->name, width)),
                    fmt::format("{}", fmt::join(each->syntax, ", ")), syntax_width, each->title);
  }
  return out +
         "\n`shapelint formats NAME` shows one with an example; `shapelint show --why FILE` shows why a "
         "file\n"
         "is, or is not, one of them.\n";
}

objects::ListedFormat listed(const Dialect& dialect) {
  objects::ListedFormat out;
  out.name = dialect.name;
  out.title = dialect.title;
  out.syntax = {dialect.syntax.begin(), dialect.syntax.end()};
  for (const formats::Test& test : dialect.recognise) out.recognised_by.push_back(sentence(test));
  out.like = dialect.like;
  out.source = dialect.source;
  out.path = dialect.path;
  out.example = {dialect.example.file, dialect.example.text};
  return out;
}

}  // namespace

std::vector<Option> formats_options(FormatsOptions& options) {
  std::vector<Option> all{
      {.names = "NAME",
       .value = "NAME",
       .doc = "format to show in full, with an example [default: table of all]",
       .set = into(options.names),
       .many = true},
      format_option(options.format, text_or_json),
  };
  append(all, configuration_options(options.project));
  return all;
}

ExitCode list_formats(const FormatsOptions& options, Io& io) {
  const auto project = open_project(options.project, {}, io);
  if (!project) return ExitCode::error;
  const project::Configured& here = project->here();
  const formats::Dialects& dialects = project::dialects_of(here);
  std::vector<const Dialect*> chosen;
  std::vector<std::string_view> known;
  for (const auto& each : dialects.listed()) known.push_back(each->name());
  if (options.names.empty()) chosen = dialects.all();
  bool failed = false;
  for (const std::string& name : options.names) {
    if (const Dialect* found = dialects.find(name)) {
      chosen.push_back(found);
    } else {
      print_error(io, fmt::format("unknown config format `{}`", name), did_you_mean(name, known));
      failed = true;
    }
  }
  if (failed) return ExitCode::error;
  const Style style = out_style(io);
  if (text_or_json[options.format] == "json") {
    objects::FormatList list;
    for (const Dialect* each : chosen) list.formats.push_back(listed(*each));
    objects::write_document("formats", objects::Status::ok, list, io.out);
  } else if (options.names.empty()) {
    io.out << table(chosen, style);
  } else {
    for (std::size_t i = 0; i < chosen.size(); ++i)
      io.out << (i > 0 ? "\n" : "") << in_full(*chosen[i], style);
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
