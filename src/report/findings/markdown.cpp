// A comment for a pull request.
#include <algorithm>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "lint/phrases.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"

namespace shapelint::report {

namespace {

// GitHub refuses longer comments; what is left over holds the closing lines.
constexpr std::size_t longest_comment = 65'536;
constexpr std::size_t room_for_closing = 500;

// Number of backticks from here.
std::size_t run_at(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of('`', at), text.size()) - at;
}

// Where a run of exactly that many begins, or npos.
std::size_t closing_run(std::string_view text, std::size_t from, std::size_t size) {
  for (std::size_t at = text.find('`', from); at < text.size(); at = text.find('`', at)) {
    const std::size_t run = run_at(text, at);
    if (run == size) return at;
    at += run;
  }
  return std::string_view::npos;
}

std::string cell_code(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

// Text in a table cell: nothing in it is markup, except that `code` in backticks is code.
std::string cell(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') {
      // Code ends with as many backticks as it begins with (CommonMark, "Code spans"); others are text.
      const std::size_t size = run_at(text, i);
      const std::size_t close = closing_run(text, i + size, size);
      for (std::size_t j = i; close == std::string_view::npos && j < i + size; ++j) out += "\\`";
      if (close != std::string_view::npos) out += cell_code(text.substr(i, close + size - i));
      i = (close == std::string_view::npos ? i : close) + size - 1;
    } else if (c == '|') {
      out += "\\|";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '@') {
      out += "&#64;";  // notifies no user
    } else {
      if (std::string_view("\\*_[]#>~&").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// Code whose text may hold backticks, in a table cell.
std::string code(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t at = text.find('`'); at < text.size(); at = text.find('`', at)) {
    longest = std::max(longest, run_at(text, at));
    at += run_at(text, at);
  }
  const std::string fence(longest + 1, '`');
  // A backtick must not touch the fence; one blank at each end is taken off again.
  const bool touches = !text.empty() && (text.front() == '`' || text.back() == '`');
  const std::string_view blank = touches ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, blank, cell_code(text), blank, fence);
}

// An address that ends where the link does: a repository's configuration may say what it is.
std::string address(std::string_view url) {
  return percent_encoded(url, "-._~:/?#@!$&'*+,;=%");
}

// "7.3 ± 2.1 % of the step"; empty where no cost is known.
std::string cost_of(const rules::Finding& finding) {
  if (finding.gain <= 0) return {};
  const std::string_view unit =
      finding.proposals.empty() ? "of the step" : lint::saving_unit(finding.proposals.front());
  return fmt::format("{} {}", lint::share(finding.gain, finding.gain_error), unit);
}

std::string row(const Item& item) {
  std::string place = item.path;
  if (item.region) place += fmt::format(":{}", item.region->begin.line);
  std::string cost = item.finding == nullptr         ? std::string("not read")
                     : item.finding->certain_to_fail ? std::string("does not run")
                                                     : cost_of(*item.finding);
  std::string proposal;
  if (item.tie.fixed_by != nullptr) {
    proposal = fixed_by_text(item.tie);
  } else if (item.finding != nullptr && !item.finding->proposals.empty()) {
    proposal = lint::changes_text(item.finding->proposals.front().changes);
    if (!item.tie.also_fixes.empty()) proposal += "; " + also_fixes_text(item.tie);
  }
  const std::string rule =
      item.url.empty() ? cell(item.code) : fmt::format("[{}]({})", cell(item.code), address(item.url));
  return fmt::format("| {} | {} {} | {} | {} | {} |\n", code(place), rules::name(item.severity), rule,
                     cell(message_with_models(item) + (item.label.empty() ? "" : ": " + item.label)), cost,
                     cell(proposal));
}

}  // namespace

std::string markdown(const lint::Report& report) {
  const std::vector<Item> all = items(report);
  std::string out = "<!-- shapelint -->\n### shapelint: ";
  const std::string hidden = lint::hidden_text(report.models);
  if (all.empty()) return out + "nothing to improve\n" + (hidden.empty() ? "" : '\n' + hidden + ".\n");
  std::size_t numbers[3] = {0, 0, 0};
  for (const Item& item : all) ++numbers[static_cast<std::size_t>(item.severity)];
  std::string counts;
  const auto add = [&](rules::Severity severity, std::string_view noun) {
    const std::size_t number = numbers[static_cast<std::size_t>(severity)];
    if (number > 0) counts += (counts.empty() ? "" : ", ") + counted(number, noun);
  };
  add(rules::Severity::error, "error");
  add(rules::Severity::warning, "warning");
  add(rules::Severity::info, "info");
  out += counts + "\n\n| where | rule | what | cost | fix |\n|---|---|---|---:|---|\n";
  std::size_t shown = 0;
  for (const Item& item : all) {
    const std::string line = row(item);
    if (out.size() + line.size() + room_for_closing > longest_comment) break;
    out += line;
    ++shown;
  }
  if (shown < all.size()) out += fmt::format("\n{} more are not shown here.\n", all.size() - shown);
  if (!hidden.empty()) out += '\n' + hidden + ".\n";
  out += "\n`shapelint explain CODE` has the reasons and further fixes.\n";
  return out;
}

}  // namespace shapelint::report
