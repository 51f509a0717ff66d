// Contracts and verdicts in words.
#include "contracts/words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shapelint::contracts {

namespace {

void add(std::string& out, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out += "; ";
  out += text;
}

std::string choices(const std::vector<std::int64_t>& values, model::FieldId field) {
  std::vector<std::string_view> names;
  for (const std::int64_t value : values) {
    names.push_back(model::info(field).choices[static_cast<std::size_t>(value)]);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string versions(const Contract& contract) {
  const Package& package = contract.package;
  if (contract.until.empty() && (contract.since.empty() || contract.since == package.version)) {
    return fmt::format("{} {}", package.name, package.version);
  }
  if (contract.until.empty())
    return fmt::format("{} {} to {}", package.name, contract.since, package.version);
  return contract.since.empty()
             ? fmt::format("{} before {}", package.name, contract.until)
             : fmt::format("{} {} to before {}", package.name, contract.since, contract.until);
}

std::string scope(const Contract& contract) {
  std::string out;
  add(out, fmt::format("{}", fmt::join(contract.architectures, ", ")));
  add(out, choices(contract.modes, model::FieldId::mode));
  add(out, choices(contract.dtypes, model::FieldId::dtype));
  add(out, choices(contract.recipes, model::FieldId::recipe));
  if (!contract.unless.empty()) add(out, fmt::format("without {}", fmt::join(contract.unless, ", ")));
  if (!contract.with.empty()) add(out, fmt::format("with {}", fmt::join(contract.with, ", ")));
  return out;
}

std::vector<std::string> addresses(const Contract& contract) {
  std::vector<std::string> out;
  for (const Source& each : contract.sources) {
    std::string lines = each.line > 0 ? fmt::format("#L{}", each.line) : std::string();
    if (each.line > 0 && each.lines > 1) lines += fmt::format("-L{}", each.line + each.lines - 1);
    out.push_back(fmt::format("https://github.com/{}/blob/{}/{}{}", contract.package.repository,
                              each.commit.empty() ? contract.package.commit : each.commit, each.file, lines));
  }
  for (const std::string_view issue : contract.issues) {
    const std::size_t hash = issue.find('#');
    out.push_back(
        hash == std::string_view::npos
            ? std::string(issue)
            : fmt::format("https://github.com/{}/issues/{}", issue.substr(0, hash), issue.substr(hash + 1)));
  }
  return out;
}

std::string outcome_words(const Contract& contract) {
  switch (contract.outcome) {
    case Outcome::refuses:
      return "rejects";
    case Outcome::pads: {
      if (contract.set.empty()) return "pads";
      std::vector<std::string> fields;
      for (const auto& [field, text] : contract.set)
        fields.push_back(fmt::format("`{}`", model::info(field).name));
      return fmt::format("pads {}", fmt::join(fields, ", "));
    }
    case Outcome::falls_back:
      return fmt::format("falls back to {}", contract.instead);
    case Outcome::slower:
      return "is slower";
  }
  return {};
}

std::string sum_words(const Verdict& verdict) {
  if (verdict.formula.empty()) return {};
  if (verdict.numbers == verdict.formula) return fmt::format("`{}`", verdict.formula);
  const bool is_plain = verdict.numbers.find('=') == std::string::npos;
  return is_plain ? fmt::format("`{}` {}", verdict.formula, verdict.numbers)
                  : fmt::format("`{}`, {}", verdict.formula, verdict.numbers);
}

std::string contracts_markdown(const Book& book) {
  std::string out =
      "# Requirements of kernels and frameworks\n\n<!-- Generated from contracts/ by the tests "
      "(UPDATE_GOLDEN=1); do not edit. -->\n\n";
  out += fmt::format(
      "{} contracts of {} packages. Each says what must hold of the sizes that one rank holds, and what "
      "comes of it where it does not: the package refuses, pads, falls back to another kernel, or is slower. "
      "`shapelint FILE "
      "--stack PACKAGE==VERSION` checks them, `shapelint fits FILE --stack PACKAGE --count 8` asks which "
      "degrees of parallelism meet them all, `shapelint contracts NAME` shows one in full. A contract binds "
      "only the GPUs, modes, number formats and recipes that it names, and the versions up to the one whose "
      "source was read. [Adding one](../contributing/requirement.md).\n",
      book.contracts().size(), book.packages().size());
  for (const std::string_view package : book.packages()) {
    const auto first = std::find_if(book.contracts().begin(), book.contracts().end(),
                                    [&](const Contract& each) { return each.package.name == package; });
    out += fmt::format("\n## {}\n\n[{}](https://github.com/{}), read at {} ({}).\n\n", package,
                       first->package.repository, first->package.repository, book.newest(package),
                       first->package.date);
    out += "| contract | demand | condition | where | otherwise | source |\n|---|---|---|---|---|---|\n";
    for (const Contract& each : book.contracts()) {
      if (each.package.name != package) continue;
      const std::vector<std::string> places = addresses(each);
      std::string links;
      for (std::size_t i = 0; i < places.size(); ++i)
        links += fmt::format("{}[{}]({})", i > 0 ? " " : "", i + 1, places[i]);
      std::string where = scope(each);
      if (!each.when.value.empty()) add(where, fmt::format("`{}`", each.when.value));
      if (!each.since.empty() || !each.until.empty()) add(where, versions(each));
      out += fmt::format("| {} | {} | `{}` | {} | {} | {} |\n", each.name, escaped(each.summary),
                         escaped(each.demands.value), escaped(where), escaped(outcome_words(each)), links);
    }
  }
  return out;
}

}  // namespace shapelint::contracts
