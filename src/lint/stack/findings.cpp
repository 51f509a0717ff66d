// Findings of contracts that a model does not meet.
#include "lint/stack/findings.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "contracts/check.hpp"
#include "contracts/price.hpp"
#include "lint/phrases.hpp"
#include "project/applied.hpp"
#include "rules/book/rule.hpp"
#include "rules/book/select.hpp"
#include "rules/engine/merge.hpp"
#include "suggest/edit/change.hpp"

namespace shapelint::lint {

namespace {

using contracts::Consequence;
using contracts::Contract;

constexpr std::array<std::string_view, 4> codes{"SL451", "SL452", "SL453", "SL454"};  // by Outcome
constexpr std::string_view not_checked = "SL455";

// The verdicts of one contract on the GPUs where it is not met.
struct Unmet {
  contracts::Verdict verdict;
  std::vector<std::string> gpus;
  double longer = 0;  // share of the step, on the GPU where it is largest
};

bool blames(const Contract& contract, model::FieldId field) {
  return field != model::no_field && std::find(contract.blame.begin(), contract.blame.end(),
                                               model::info(field).name) != contract.blame.end();
}

// Whether what a proposal makes of the model meets the contract on every GPU.
bool meets(const project::Applied& applied, contracts::Checker& checker, const Contract& contract,
           const model::Reading& reading, const suggest::FieldDependencies& links,
           const rules::Proposal& proposal) {
  const auto setup = suggest::apply(reading.setup, links, proposal.changes);
  return setup && std::all_of(applied.gpus.begin(), applied.gpus.end(), [&](const gpu::Gpu& gpu) {
           return checker.meets(contract, reading, *setup, gpu);
         });
}

void place(const model::Reading& reading, const Contract& contract, rules::Finding& finding) {
  for (const std::string_view name : contract.blame) {
    const model::FieldId field = model::find_field(name);
    if (finding.blamed == model::no_field) finding.blamed = field;
    if (!model::is_stated(reading, field)) continue;
    finding.blamed = field;
    break;
  }
  const model::Origin& origin = model::origin(reading, finding.blamed);
  finding.path = reading.path;
  if (origin.kind == model::Origin::Kind::stated) {
    finding.path = origin.path;
    finding.span = origin.span;
    finding.use_span = origin.use_span;
    finding.key_path = origin.key_path;
  }
  for (const std::string_view name : contract.blame) {
    const model::FieldId field = model::find_field(name);
    if (field != finding.blamed) finding.related.push_back(field);
  }
}

constexpr std::size_t longest_title = 100;  // characters that stay one line

// What runs instead is the label's, so that the title stays one line.
std::string title_with(const Unmet& unmet, const std::string& sum) {
  const Contract& contract = *unmet.verdict.contract;
  const bool rejects = contract.outcome == Consequence::refuses;
  const bool falls_back = contract.outcome == Consequence::falls_back;
  std::string out = fmt::format("{} {}", contract.package.name,
                                falls_back ? "uses a fallback kernel" : contracts::outcome_words(contract));
  const bool is_slower = contract.outcome == Consequence::slower;
  const bool is_object = rejects || (contract.outcome == Consequence::pads && contract.set.empty());
  if (!sum.empty())
    out += is_object    ? " " + sum
           : falls_back ? " for " + sum
           : is_slower  ? " at " + sum
                        : fmt::format(" ({})", sum);
  if (sum.empty() && rejects) out += " this shape";
  constexpr double percent = 100;
  constexpr double min_shown = 5e-4;
  if (unmet.longer >= min_shown)
    out += fmt::format("; the step takes {:.1f} % longer", percent * unmet.longer);
  return out;
}

// The sum that fails; of a long one its value, and the label has the whole.
std::string message_of(const Unmet& unmet) {
  std::string whole = title_with(unmet, contracts::sum_words(unmet.verdict));
  if (whole.size() <= longest_title) return whole;
  const std::string& numbers = unmet.verdict.numbers;
  const std::size_t equals = numbers.rfind("= ");
  return title_with(
      unmet, equals == std::string::npos ? std::string() : "a size per GPU of " + numbers.substr(equals + 2));
}

std::string label_of(const Unmet& unmet) {
  const Contract& contract = *unmet.verdict.contract;
  const std::string sum = contracts::sum_words(unmet.verdict);
  const bool is_long = title_with(unmet, sum).size() > longest_title;
  const std::string whole = is_long ? sum + "; " : "";
  if (contract.outcome == Consequence::refuses) return fmt::format("{}requires: {}", whole, contract.summary);
  if (contract.outcome == Consequence::falls_back)
    return fmt::format("{}runs {}; requires: {}", whole, contract.instead, contract.summary);
  return whole + std::string(contract.summary);
}

// Whether the rule's finding says no more than the contract's: of the same field, on GPUs of the contract's.
bool says_the_same(const rules::Finding& finding, const rules::Rule& rule, const Unmet& unmet,
                   std::size_t gpus) {
  const Contract& contract = *unmet.verdict.contract;
  const auto has = [](const auto& list, std::string_view wanted) {
    return std::find(list.begin(), list.end(), wanted) != list.end();
  };
  if (!has(rules::contracts_of(rule), contract.id) || !blames(contract, finding.blamed)) return false;
  return finding.gpu.empty() ? unmet.gpus.size() == gpus : has(unmet.gpus, finding.gpu);
}

// One fact in one place: the contract's finding takes over what rules propose against the same, as far as it
// meets the contract, and theirs are taken away.
void take_over(const project::Configured& configured, const project::Applied& applied,
               contracts::Checker& checker, const Unmet& unmet, ModelReport& model, rules::Finding& finding) {
  const suggest::FieldDependencies links = suggest::links_of(model.reading);
  std::erase_if(model.result.findings, [&](rules::Finding& other) {
    const rules::Rule* rule = configured.rules->find(other.code);
    if (rule == nullptr || !says_the_same(other, *rule, unmet, applied.gpus.size())) return false;
    for (rules::Proposal& each : other.proposals) {
      if (meets(applied, checker, *unmet.verdict.contract, model.reading, links, each))
        finding.proposals.push_back(std::move(each));
    }
    if (!finding.proposals.empty() && finding.how.empty()) finding.how = std::move(other.how);
    finding.number = other.number;
    return true;
  });
}

// What stops a run is not answered with what the package refuses for a field that both are about.
void drop_refused(const project::Applied& applied, contracts::Checker& checker, const Contract& contract,
                  ModelReport& model) {
  if (contract.outcome != Consequence::refuses) return;
  const auto is_blamed = [&](model::FieldId field) { return blames(contract, field); };
  const suggest::FieldDependencies links = suggest::links_of(model.reading);
  for (rules::Finding& finding : model.result.findings) {
    if (!finding.certain_to_fail) continue;
    if (!is_blamed(finding.blamed) &&
        std::none_of(finding.related.begin(), finding.related.end(), is_blamed)) {
      continue;
    }
    std::erase_if(finding.proposals, [&](const rules::Proposal& proposal) {
      return !meets(applied, checker, contract, model.reading, links, proposal);
    });
  }
}

// Whether nothing is left to tell of an implied stack's contract: it does not refuse, or a rule that stops
// the run has found the same, which it says itself or which is of no other fields than the contract's.
bool is_told(const rules::RuleBook& book, const Contract& contract, const ModelReport& model) {
  if (contract.outcome != Consequence::refuses) return true;
  const auto is_blamed = [&](model::FieldId field) { return blames(contract, field); };
  const auto tells = [&](const rules::Finding& finding) {
    const rules::Rule* rule = book.find(finding.code);
    // A contract, which knows versions, says more than advice does.
    if (!finding.certain_to_fail || (rule != nullptr && rule->effect == rules::FindingKind::advice))
      return false;
    const auto named = rule == nullptr ? std::vector<std::string_view>{} : rules::contracts_of(*rule);
    return std::find(named.begin(), named.end(), contract.id) != named.end() ||
           (is_blamed(finding.blamed) &&
            std::all_of(finding.related.begin(), finding.related.end(), is_blamed));
  };
  return std::any_of(model.result.findings.begin(), model.result.findings.end(), tells);
}

rules::Finding finding_of(const rules::Rule& rule) {
  rules::Finding out;
  out.code = rule.code;
  out.rule = rule.name;
  out.severity = rule.severity;
  out.confidence = rule.confidence;
  out.why = rule.mechanism;
  return out;
}

std::string_view step_of(model::Mode mode) {
  if (mode == model::Mode::train) return "a training step";
  return mode == model::Mode::prefill ? "a prefill" : "a step that decodes";
}

// What of a stack that somebody asked for was not looked at.
void add_unchecked(const project::Configured& configured, const project::Applied& applied,
                   const contracts::Book& book, const contracts::Checker& checker, bool binds,
                   ModelReport& model) {
  const rules::Rule* rule = configured.rules->find(not_checked);
  if (rule == nullptr || !rules::is_selected(*rule, applied.rules)) return;
  const auto add = [&](std::string message, std::string brief) {
    rules::Finding finding = finding_of(*rule);
    finding.message = std::move(message);
    finding.brief = "not checked: " + std::move(brief);
    finding.path = model.path;
    model.result.findings.push_back(std::move(finding));
  };
  const bool is_found_by_itself =
      std::find(applied.stack.begin(), applied.stack.end(), contracts::automatic) != applied.stack.end();
  const bool knows_all = checker.older().empty() && checker.newer().empty();
  if (!binds && knows_all && !is_found_by_itself) {
    const std::string stack = contracts::describe(book, checker.stack());
    const std::string_view step = step_of(model.reading.setup.plan.mode);
    add(fmt::format("no requirement of the stack applies to {}: {}", step, stack),
        fmt::format("{}: no requirement applies to {}", stack, step));
  }
  for (const auto* list : {&checker.older(), &checker.newer()}) {
    if (list->empty()) continue;
    const std::string what =
        fmt::format("{} of {} unknown for so {} a version", counted(list->size(), "requirement"),
                    list->front()->package.name, list == &checker.older() ? "old" : "new");
    add(what + ", and not checked", what);
  }
}

}  // namespace

FileStack stack_of(const project::Configured& configured, const project::Applied& applied,
                   const model::Reading& reading, const text::FileSystem& files) {
  FileStack out;
  const project::AskedStack asked = project::asked_stack(configured, applied.stack, reading, files);
  if (asked.stack.empty()) return out;
  out.is_implied = asked.is_implied;
  out.book = asked.book;
  out.checker = std::make_shared<contracts::Checker>(*asked.book, asked.stack);
  std::vector<const gpu::Gpu*> gpus;
  for (const gpu::Gpu& each : applied.gpus) gpus.push_back(&each);
  out.on_stack = std::make_shared<const suggest::OnStack>(contracts::on_stack(
      out.checker, reading, gpus, out.is_implied ? contracts::Runs::as_written : contracts::Runs::as_stack));
  return out;
}

void add_contracts(const project::Configured& configured, const project::Applied& applied,
                   const FileStack& stack, ModelReport& model) {
  if (stack.checker == nullptr) return;
  contracts::Checker& checker = *stack.checker;
  std::map<const Contract*, Unmet> all;
  bool binds = false;
  for (const gpu::Gpu& gpu : applied.gpus) {
    const std::vector<contracts::Verdict> verdicts = checker.check(model.reading, model.reading.setup, gpu);
    binds = binds || !verdicts.empty();
    for (const contracts::Verdict& each : verdicts) {
      if (each.meets || (stack.is_implied && is_told(*configured.rules, *each.contract, model))) continue;
      const auto [entry, is_new] = all.try_emplace(each.contract);
      Unmet& unmet = entry->second;
      if (is_new) unmet.verdict = each;
      unmet.gpus.push_back(gpu.id);
      const contracts::Price price = contracts::price(model.reading.setup, {&each, 1}, gpu);
      unmet.longer = std::max(unmet.longer, price.time_us / price.as_written_us - 1);
    }
  }
  for (const auto& [contract, unmet] : all) {
    const rules::Rule* rule = configured.rules->find(codes[static_cast<std::size_t>(contract->outcome)]);
    if (rule == nullptr || !rules::is_selected(*rule, applied.rules)) continue;
    rules::Finding finding = finding_of(*rule);
    if (unmet.gpus.size() < applied.gpus.size()) finding.gpu = fmt::format("{}", fmt::join(unmet.gpus, ", "));
    finding.message = message_of(unmet);
    finding.label = label_of(unmet);
    finding.certain_to_fail = contract->outcome == Consequence::refuses;
    finding.aside = fmt::format("requirement {}, known for {}", contract->id, contracts::versions(*contract));
    place(model.reading, *contract, finding);
    drop_refused(applied, checker, *contract, model);
    take_over(configured, applied, checker, unmet, model, finding);
    model.result.findings.push_back(std::move(finding));
  }
  if (!stack.is_implied) add_unchecked(configured, applied, *stack.book, checker, binds, model);
  rules::sort_findings(model.result.findings);
}

}  // namespace shapelint::lint
