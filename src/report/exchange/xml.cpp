// Formats in XML: Checkstyle's, which most CI servers read, and JUnit's, which show test results.
#include "report/exchange/exchange.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/formats.hpp"
#include "report/items.hpp"
#include "report/style.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

std::string xml_escaped(std::string_view text) {
  std::string out;
  std::string clean = printable(text);
  // U+FFFE and U+FFFF are no characters of XML.
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = clean.find(none); at != std::string::npos; at = clean.find(none, at))
      clean.replace(at, none.size(), "\xEF\xBF\xBD");
  }
  for (const char c : clean) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '#':
        // No runner's `##[…` (text::without_commands).
        out += out.ends_with('#') ? "&#35;" : "#";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string checkstyle(const lint::Report& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  std::string open;
  bool is_open = false;
  for (const Item& item : items(report)) {
    if (!is_open || item.path != open) {
      if (is_open) out += "  </file>\n";
      out += fmt::format("  <file name=\"{}\">\n", xml_escaped(item.path));
      open = item.path;
      is_open = true;
    }
    out += "    <error";
    if (item.region) {
      out += fmt::format(" line=\"{}\" column=\"{}\"", item.region->begin.line, item.region->begin.column);
    }
    std::string message = item.message;
    for (const std::string& detail : item.details) message += '\n' + detail;
    out += fmt::format(" severity=\"{}\" message=\"{}\" source=\"shapelint.{}\"/>\n",
                       rules::name(item.severity), xml_escaped(message), xml_escaped(item.code));
  }
  return out + (is_open ? "  </file>\n" : "") + "</checkstyle>\n";
}

// JUnit's XML as Jenkins' junit-10.xsd has it: a suite per file, a case per problem, and one case that passes
// for a file without any. An info is no failure: its case passes and says it in its output. What was not
// looked at is a skipped case.

namespace {

enum class Outcome : std::uint8_t { passed, skipped, failed, broken };

struct Case {
  Outcome outcome = Outcome::passed;
  std::string name;
  std::string classname;
  std::string type;     // of what is no pass
  std::string message;  // the same
  std::string body;     // may be empty
};

// The models of one file.
struct File {
  std::vector<Case> cases;
  std::set<std::string> models;  // their names
  bool is_checked = false;       // any of them
};

Outcome outcome_of(const Item& item) {
  if (item.finding == nullptr) return Outcome::broken;
  if (item.severity != rules::Severity::info) return Outcome::failed;
  return item.finding->brief.empty() ? Outcome::passed : Outcome::skipped;
}

std::string place_of(const Item& item) {
  if (!item.region) return item.path;
  return fmt::format("{}:{}:{}", item.path, item.region->begin.line, item.region->begin.column);
}

// "gpt.toml:5:14: SL101 vocab-misaligned, vision, on h100-sxm": what identifies a test over many runs,
// so without the message, which has the values in it.
std::string name_of(const Item& item) {
  std::string name = place_of(item) + ": " + item.code;
  if (item.rule != item.code) name += " " + item.rule;
  if (item.finding == nullptr) return name;
  if (!item.region && !item.finding->key_path.empty()) name += ", " + text::one_line(item.finding->key_path);
  if (!item.models.empty()) name += ", " + item.models;
  if (!item.finding->gpu.empty()) name += ", on " + item.finding->gpu;
  return name;
}

Case case_of(const Item& item) {
  Case out;
  out.outcome = outcome_of(item);
  out.name = name_of(item);
  out.classname = "shapelint." + item.code;
  out.type = rules::name(item.severity);
  out.message = item.message;
  out.body = place_of(item);
  if (out.outcome == Outcome::passed) out.body += '\n' + item.message;
  for (const std::string& detail : item.details) out.body += '\n' + detail;
  return out;
}

Case whole_file(const std::string& path, bool is_checked) {
  Case out;
  out.name = path + (is_checked ? ": no findings" : ": not checked");
  out.classname = "shapelint";
  if (is_checked) return out;
  out.outcome = Outcome::skipped;
  out.type = "info";
  out.message = "too little is known about the model to predict a step";
  return out;
}

// Readers know a test by its class and name, so a name that is there already gets a number.
void make_names_unique(std::map<std::string, File>& files) {
  std::map<std::string, std::size_t> times;
  for (auto& [path, file] : files) {
    for (Case& each : file.cases) {
      const std::size_t number = ++times[each.classname + '\n' + each.name];
      if (number > 1) each.name += fmt::format(" ({})", number);
    }
  }
}

std::string element_of(const Case& each) {
  std::string out = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\"",
                                xml_escaped(each.name), xml_escaped(each.classname));
  if (each.outcome == Outcome::passed && each.body.empty()) return out + "/>\n";
  out += ">\n      ";
  if (each.outcome == Outcome::passed) {
    out += fmt::format("<system-out>{}</system-out>", xml_escaped(each.body));
  } else {
    const std::string_view element = each.outcome == Outcome::skipped  ? "skipped"
                                     : each.outcome == Outcome::failed ? "failure"
                                                                       : "error";
    out += fmt::format("<{0} message=\"{1}\" type=\"{2}\">{3}</{0}>", element, xml_escaped(each.message),
                       xml_escaped(each.type), xml_escaped(each.body));
  }
  return out + "\n    </testcase>\n";
}

std::map<std::string, File> files_of(const lint::Report& report) {
  std::map<std::string, File> files;
  for (const lint::ModelReport& model : report.models) {
    File& file = files[tidy_path(model.path)];
    file.models.insert(model.reading.name);
    file.is_checked = file.is_checked || !model.result.gpus.empty();
  }
  for (const Item& item : items(report, Which::shown_and_gaps)) {
    files[item.path].cases.push_back(case_of(item));
  }
  if (const std::string left_out = suppressed_text(report); !left_out.empty()) {
    Case suppressed;
    suppressed.outcome = Outcome::skipped;
    suppressed.name = "shapelint: suppressed findings";
    suppressed.classname = "shapelint";
    suppressed.type = "info";
    suppressed.message = left_out;
    files["shapelint"].cases.push_back(std::move(suppressed));
  }
  // A report without a case counts as a broken one.
  if (files.empty()) {
    files["shapelint"].cases.push_back(whole_file("shapelint", false));
    files["shapelint"].cases.back().message = "no file was checked";
  }
  for (auto& [path, file] : files) {
    if (file.models.empty()) continue;  // what others inherit from, or what could not be read
    const bool has_result = std::any_of(file.cases.begin(), file.cases.end(),
                                        [](const Case& each) { return each.outcome != Outcome::skipped; });
    if (!has_result || !file.is_checked) file.cases.push_back(whole_file(path, file.is_checked));
  }
  make_names_unique(files);
  return files;
}

}  // namespace

std::string junit(const lint::Report& report) {
  using ByOutcome = std::array<std::size_t, 4>;  // by outcome
  const auto number = [](const ByOutcome& counts, Outcome outcome) {
    return counts.at(static_cast<std::size_t>(outcome));
  };
  std::size_t tests = 0;
  ByOutcome all{};
  std::string body;
  for (const auto& [path, file] : files_of(report)) {
    ByOutcome counts{};
    std::string cases;
    for (const Case& each : file.cases) {
      ++counts.at(static_cast<std::size_t>(each.outcome));
      ++all.at(static_cast<std::size_t>(each.outcome));
      cases += element_of(each);
    }
    tests += file.cases.size();
    body += fmt::format(
        "  <testsuite name=\"{0}\" file=\"{0}\" tests=\"{1}\" failures=\"{2}\" errors=\"{3}\" "
        "skipped=\"{4}\" "
        "time=\"0\">\n{5}  </testsuite>\n",
        xml_escaped(path), file.cases.size(), number(counts, Outcome::failed),
        number(counts, Outcome::broken), number(counts, Outcome::skipped), cases);
  }
  // The schema knows no `skipped` of all suites.
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"shapelint\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "time=\"0\">\n{}</testsuites>\n",
      tests, number(all, Outcome::failed), number(all, Outcome::broken), body);
}

}  // namespace shapelint::report
