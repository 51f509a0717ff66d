// `shapelint contracts`: what kernels and frameworks demand of shapes.
#include "cli/commands/contracts/contracts.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/model_input.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "cli/project_options.hpp"
#include "contracts/check.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/lists.hpp"
#include "project/applied.hpp"
#include "report/style.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

using contracts::Consequence;
using contracts::Contract;
using report::labelled;
using report::Role;
using report::Style;
using report::wrap;

Role role_of(Consequence outcome) {
  return outcome == Consequence::refuses ? Role::error
         : outcome == Consequence::pads  ? Role::info
                                         : Role::warning;
}

void print_list(std::span<const Contract* const> list, const Style& style, std::string& out) {
  std::size_t width = 0;
  for (const Contract* each : list) width = std::max(width, each->id.size());
  constexpr std::size_t outcome_width = 10;
  const std::size_t indent = width + 2 + outcome_width + 2;
  for (const Contract* each : list) {
    out += fmt::format("{}  {}  {}\n", style.paint(Role::strong, fmt::format("{:<{}}", each->id, width)),
                       style.paint(role_of(each->outcome),
                                   fmt::format("{:<{}}", contracts::sentence(each->outcome), outcome_width)),
                       report::headline(each->summary, indent, indent, style));
  }
}

std::string explained(const Contract& contract, const Style& style) {
  std::string out = fmt::format("{}\n\n", style.paint(Role::strong, contract.id));
  out += wrap(fmt::format("Requirement: {}.", contract.summary), 0, 0, style) + "\n\n";
  if (!contract.why.empty()) {
    std::string_view why = contract.why;
    while (why.starts_with('\n')) why.remove_prefix(1);
    while (why.ends_with('\n')) why.remove_suffix(1);
    out += wrap(why, 0, 0, style) + "\n\n";
  }
  out += labelled("versions", contracts::versions(contract), style);
  out += labelled("applies to", contracts::scope(contract), style);
  out += labelled("layer", contract.layer, style);
  out += labelled("when", contract.when.value, style);
  out += labelled("requires", contract.demands.value, style);
  out += labelled("size", contract.size.value, style);
  out += labelled("if unmet", contracts::outcome_words(contract), style);
  for (const auto& [field, text] : contract.set) {
    out += labelled("computes", fmt::format("{} = {}", model::info(field).name, text.value), style);
  }
  out += labelled("takes",
                  contract.factor.value.empty() ? "" : fmt::format("{} times as long", contract.factor.value),
                  style);
  out += labelled("read at",
                  fmt::format("{} {}, {} ({})", contract.package.name, contract.package.version,
                              contract.package.commit, contract.package.date),
                  style);
  for (const std::string& each : contracts::addresses(contract)) out += labelled("source", each, style);
  return out;
}

// Contracts and packages of these names; nothing when one is neither.
std::optional<std::vector<const Contract*>> named(const contracts::Book& book,
                                                  const std::vector<std::string>& names) {
  std::vector<const Contract*> out;
  for (const std::string& name : names) {
    const Contract* contract = book.find(name);
    if (contract != nullptr) {
      out.push_back(contract);
      continue;
    }
    const std::size_t before = out.size();
    for (const Contract& each : book.contracts()) {
      if (each.package.name == name) out.push_back(&each);
    }
    if (out.size() == before) return std::nullopt;
  }
  return out;
}

ExitCode of_file(const ContractsOptions& options, const project::Project& project, Io& io) {
  const auto input = read_model_input({options.names.front(), options.model, false}, project, io);
  if (!input) return ExitCode::error;
  const contracts::Book& book = project::contracts_of(*input->file.configured);
  const bool has_stack = !input->file.applied.stack.empty();
  const contracts::Stack stack =
      project::stack_of(*input->file.configured, input->file.applied.stack, input->reading(), io.files);
  if (has_stack && !requires_stated_mode(*input->file.configured, stack, *input, io)) return ExitCode::error;
  contracts::Checker checker = has_stack ? contracts::Checker(book, stack) : contracts::Checker(book);
  std::vector<GpuVerdicts> all;
  for (const gpu::Gpu& gpu : input->gpus()) {
    all.push_back({gpu.id, checker.check(input->reading(), input->reading().setup, gpu)});
  }
  if (text_or_json[options.format] == "json") {
    print_verdicts_json(book, stack, all, io.out);
    return ExitCode::clean;
  }
  const Style style = out_style(io);
  std::string out =
      has_stack ? fmt::format("stack: {}\n", stack.empty() ? "no package with known requirements"
                                                           : contracts::describe(book, stack))
                : "stack: none given; requirements of every package are listed (`--stack` names packages)\n";
  for (const GpuVerdicts& each : all) {
    const auto broken = std::count_if(each.verdicts.begin(), each.verdicts.end(),
                                      [](const contracts::Verdict& verdict) { return !verdict.meets; });
    out += fmt::format("\n{}: {}, {} not met\n", style.paint(Role::strong, each.gpu),
                       counted(each.verdicts.size(), "requirement applies|requirements apply"), broken);
    for (const contracts::Verdict& verdict : each.verdicts) {
      if (verdict.meets && !options.all) continue;
      const Contract& contract = *verdict.contract;
      const Role role = verdict.meets ? Role::gain : role_of(contract.outcome);
      out += fmt::format("  {}  {}\n",
                         style.paint(role, verdict.meets ? "meets" : contracts::outcome_words(contract)),
                         contract.id);
      std::string line(contract.summary);
      if (!verdict.formula.empty())
        line = fmt::format("{}: {}", contracts::sum_words(verdict), contract.summary);
      out += fmt::format("      {}\n", wrap(line, 6, 6, style));
    }
  }
  for (const auto* list : {&checker.older(), &checker.newer()}) {
    if (list->empty()) continue;
    std::vector<std::string> ids;
    for (const Contract* each : *list)
      ids.push_back(contracts::versions(*each) + " " + std::string(each->name));
    out += fmt::format(
        "\n{}\n", wrap(fmt::format("not checked, unknown for {} versions of the stack: {}",
                                   list == &checker.older() ? "such old" : "such new", fmt::join(ids, ", ")),
                       0, 0, style));
  }
  io.out << out;
  return ExitCode::clean;
}

}  // namespace

std::vector<Option> contracts_options(ContractsOptions& options) {
  std::vector<Option> all{
      {.names = "NAME",
       .value = "NAME",
       .doc = "requirements (`vllm/block-fp8-experts`) or packages to show, or a file to check [default: "
              "list all]",
       .set = into(options.names),
       .many = true,
       .words = contract_words},
      format_option(options.format, text_or_json),
      {.names = "--all",
       .doc = "with a file, also print the requirements that it meets",
       .set = into(options.all)},
      model_option(options.model),
      stack_option(options.project)};
  append(all, model_input_options(options.project));
  return all;
}

ExitCode contracts(const ContractsOptions& options, Io& io) {
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  // A file that is there has its own configuration.
  const bool is_there = options.names.size() == 1 && io.files.exists(options.names.front());
  const std::span<const std::string> about =
      is_there ? std::span<const std::string>(options.names) : std::span<const std::string>();
  if (!are_configured(project, about, io)) return ExitCode::error;
  const contracts::Book& book =
      project::contracts_of(is_there ? project.of(options.names.front()) : project.here());
  const auto found = named(book, options.names);
  if (!found) {
    const bool is_file =
        options.names.size() == 1 &&
        (options.names.front() == "-" || options.names.front().find_first_of("./") != std::string::npos ||
         io.files.exists(options.names.front()));
    if (is_file && book.find(options.names.front()) == nullptr) return of_file(options, project, io);
    for (const std::string& name : options.names) {
      if (named(book, {name})) continue;
      std::vector<std::string_view> known = book.ids();
      for (const std::string_view each : book.packages()) known.push_back(each);
      std::string hint = did_you_mean(name, known);
      if (hint.empty()) hint = "`shapelint contracts` lists requirements and packages";
      print_error(io, fmt::format("no requirement, package or file `{}`", text::one_line(name)), hint);
    }
    return ExitCode::error;
  }
  std::vector<const Contract*> list = *found;
  if (options.names.empty()) {
    for (const Contract& each : book.contracts()) list.push_back(&each);
  }
  if (text_or_json[options.format] == "json") {
    print_contracts_json(list, io.out);
    return ExitCode::clean;
  }
  const Style style = out_style(io);
  std::string out;
  const bool is_one = std::all_of(options.names.begin(), options.names.end(),
                                  [&](const std::string& name) { return book.find(name) != nullptr; });
  if (options.names.empty() || !is_one) {
    print_list(list, style, out);
  } else {
    for (std::size_t i = 0; i < list.size(); ++i) out += (i > 0 ? "\n" : "") + explained(*list[i], style);
  }
  io.out << out;
  return ExitCode::clean;
}

namespace {

using contracts::Contract;

std::vector<std::string> names(const std::vector<std::int64_t>& values, model::FieldId field) {
  std::vector<std::string> out;
  for (const std::int64_t value : values)
    out.emplace_back(model::info(field).choices[static_cast<std::size_t>(value)]);
  return out;
}

objects::ListedRequirement listed(const Contract& contract) {
  objects::ListedRequirement out;
  out.id = contract.id;
  out.package = contract.package.name;
  out.since = contract.since;
  out.until = contract.until;
  out.read_at = {std::string(contract.package.version), std::string(contract.package.commit),
                 std::string(contract.package.date)};
  out.with = strings(contract.with);
  out.unless = strings(contract.unless);
  out.architectures = strings(contract.architectures);
  out.modes = names(contract.modes, model::FieldId::mode);
  out.dtypes = names(contract.dtypes, model::FieldId::dtype);
  out.recipes = names(contract.recipes, model::FieldId::recipe);
  out.layer = contract.layer;
  out.summary = contract.summary;
  out.why = contract.why;
  out.when = contract.when.value;
  out.condition = contract.demands.value;
  out.size = contract.size.value;
  out.outcome = name(contract.outcome);
  for (const auto& [field, text] : contract.set) out.set[std::string(model::info(field).name)] = text.value;
  out.factor = contract.factor.value;
  out.instead = contract.instead;
  out.sources = strings(contracts::addresses(contract));
  return out;
}

objects::RequirementVerdict listed(const contracts::Verdict& verdict) {
  objects::RequirementVerdict out;
  out.requirement = verdict.contract->id;
  out.meets = verdict.meets;
  out.outcome = name(verdict.contract->outcome);
  out.summary = verdict.contract->summary;
  out.formula = verdict.formula;
  out.sum = verdict.numbers;
  for (const auto& change : verdict.set) out.set[std::string(model::info(change.field).name)] = change.to;
  return out;
}

}  // namespace

void print_contracts_json(std::span<const Contract* const> list, std::ostream& out) {
  objects::RequirementList all;
  for (const Contract* each : list) all.requirements.push_back(listed(*each));
  objects::write_document("contracts", objects::Status::ok, all, out);
}

void print_verdicts_json(const contracts::Book& book, const contracts::Stack& stack,
                         std::span<const GpuVerdicts> all, std::ostream& out) {
  objects::RequirementList list;
  for (const contracts::StackPackage& each : stack) {
    list.stack.push_back({std::string(each.name),
                          each.version ? std::string(each.version_text) : std::string(book.newest(each.name)),
                          each.version.has_value()});
  }
  for (const GpuVerdicts& each : all) {
    objects::GpuVerdicts& gpu = list.gpus.emplace_back();
    gpu.gpu = each.gpu;
    for (const contracts::Verdict& verdict : each.verdicts) gpu.requirements.push_back(listed(verdict));
  }
  objects::write_document("contracts", objects::Status::ok, list, out);
}

}  // namespace shapelint::cli
