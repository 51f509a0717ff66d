// A comment for a pull request.
#include <algorithm>

#include <fmt/format.h>

#include "lint/phrases.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"

namespace shapelint::report {

namespace {

// GitHub refuses longer comments; what is left over holds the closing lines.
constexpr std::size_t longest_comment = 65'536;
constexpr std::size_t room_for_closing = 500;

// Text in a table cell: nothing in it is markup, except that `code` in backticks is code.
std::string cell(std::string_view text) {
  const bool has_code = std::count(text.begin(), text.end(), '`') % 2 == 0;
  bool in_code = false;
  std::string out;
  for (const char c : text) {
    if (c == '`') in_code = has_code && !in_code;
    if (c == '|') {
      out += "\\|";
    } else if (in_code || (c == '`' && has_code)) {
      out += c;
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '@') {
      out += "&#64;";  // nobody is notified
    } else {
      if (std::string_view("\\*_[]#>~`").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// Code whose text may hold backticks, in a table cell.
std::string code(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  const std::string_view fence = out.find('`') == std::string::npos ? "`" : "``";
  return fmt::format("{}{}{}{}{}", fence, fence.size() > 1 ? " " : "", out, fence.size() > 1 ? " " : "",
                     fence);
}

std::string row(const Item& item) {
  std::string place = item.path;
  if (item.region) place += fmt::format(":{}", item.region->begin.line);
  std::string cost = item.finding == nullptr         ? std::string("not read")
                     : item.finding->certain_to_fail ? std::string("does not run")
                     : item.finding->gain > 0 ? lint::share(item.finding->gain, item.finding->gain_error)
                                              : std::string{};
  std::string proposal;
  if (item.tie.mended_by != nullptr) {
    proposal = mended_text(item.tie);
  } else if (item.finding != nullptr && !item.finding->proposals.empty()) {
    proposal = lint::changes_text(item.finding->proposals.front().changes);
    if (!item.tie.mends.empty()) proposal += "; " + also_mends(item.tie);
  }
  const std::string rule =
      item.url.empty() ? cell(item.code) : fmt::format("[{}]({})", cell(item.code), item.url);
  return fmt::format("| {} | {} {} | {} | {} | {} |\n", code(place), rules::name(item.severity), rule,
                     cell(message_with_models(item)), cost, cell(proposal));
}

}  // namespace

std::string markdown(const lint::Report& report) {
  const std::vector<Item> all = items(report);
  std::string out = "<!-- shapelint -->\n### shapelint: ";
  const std::string hidden = lint::hidden_text(report);
  if (all.empty()) return out + "nothing to improve\n" + (hidden.empty() ? "" : '\n' + hidden + ".\n");
  std::size_t counted[3] = {0, 0, 0};
  for (const Item& item : all) ++counted[static_cast<std::size_t>(item.severity)];
  std::string counts;
  const auto add = [&](rules::Severity severity, std::string_view noun) {
    const std::size_t number = counted[static_cast<std::size_t>(severity)];
    if (number > 0) counts += (counts.empty() ? "" : ", ") + lint::plural(number, noun);
  };
  add(rules::Severity::error, "error");
  add(rules::Severity::warning, "warning");
  add(rules::Severity::info, "info");
  out += counts + "\n\n| where | rule | what | of the step | try |\n|---|---|---|---:|---|\n";
  std::size_t shown = 0;
  for (const Item& item : all) {
    const std::string line = row(item);
    if (out.size() + line.size() + room_for_closing > longest_comment) break;
    out += line;
    ++shown;
  }
  if (shown < all.size()) out += fmt::format("\n{} more are not shown here.\n", all.size() - shown);
  if (!hidden.empty()) out += '\n' + hidden + ".\n";
  out += "\n`shapelint explain CODE` tells why, and what else can be done.\n";
  return out;
}

}  // namespace shapelint::report
