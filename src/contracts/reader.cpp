// What a file of contracts says, and every mistake in how it says it.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/catalog.hpp"
#include "contracts/book.hpp"
#include "expr/expression.hpp"
#include "gpu/registry.hpp"
#include "rules/scope/variables.hpp"
#include "text/table_reader.hpp"

namespace shapelint::contracts {

namespace {

using rules::Text;
using text::Key;
using text::Kind;
using text::NodeRef;
using text::ValueType;
using text::Presence::required;

constexpr std::array<std::string_view, 4> outcome_names{"refuses", "pads", "falls-back", "slower"};
constexpr std::array<std::string_view, 4> outcome_sentences{"rejects", "pads", "falls back", "is slower"};
// `attention` has its projections, `experts` their router and their copies of rows on one GPU; with `.kernel`
// behind it only what the kernel itself computes is meant. What is of a `tower` binds towers of images and
// sound, and nothing else does.
constexpr std::array<std::string_view, 12> layer_names{
    "any",       "attention", "attention.kernel", "mlp",         "experts",   "experts.kernel",
    "embedding", "linear",    "communication",    "state-space", "optimizer", "tower"};

namespace contract_file {

struct Reader : text::TableReader {
  Reader(bool checks, std::vector<Error>& found) : TableReader(found), checks_expressions(checks) {}

  using TableReader::read_value;
  void read_value(NodeRef node, std::int64_t& into) {
    const auto integer = node.as_integer();
    if (integer && *integer >= 1) {
      into = *integer;
    } else {
      errors().push_back(node.error("expected a whole number from 1 on"));
    }
  }
  void read_value(NodeRef node, Text& into) {
    into = {text(node), node};
    if (checks_expressions && !into.value.empty()) check_expression(into);
  }
  void read_value(NodeRef node, Consequence& into) {
    if (const auto index = choice(node, "outcome", outcome_names)) into = static_cast<Consequence>(*index);
  }

  void check_expression(const Text& text) {
    std::vector<Error> found;
    if (const auto compiled = expr::compile(text.value, rules::variable_names(), found)) {
      for (const std::int32_t used : compiled->used()) {
        const auto index = static_cast<std::size_t>(used);
        const rules::Level level = rules::level_of(index);
        if (level == rules::Level::model || level == rules::Level::gpu) continue;
        found.push_back(
            {fmt::format("`{}` is not a variable of model or GPU", rules::variable_names()[index]),
             {},
             {},
             {}});
      }
    }
    for (Error& error : found) {
      errors().push_back(
          text.node.error(fmt::format("{} in `{}`", error.message, text.value), std::move(error.hint)));
    }
  }

  bool checks_expressions;
};

template <auto member>
constexpr auto value = text::value<Reader, member>;
template <auto member, const auto& keys>
constexpr auto tables = text::tables<Reader, member, keys>;
template <class T>
using Value = text::KeyValue<T, Reader>;

void read_version(Reader& reader, NodeRef node, std::string_view& into) {
  into = reader.text(node);
  if (into.empty() || parse_version(into)) return;
  reader.errors().push_back(node.error(fmt::format("`{}` is not a version", into), "such as `0.24.1`"));
}
template <auto member>
constexpr Value<text::ObjectOf<member>> version{
    [](Reader& reader, NodeRef node, auto& into) { read_version(reader, node, into.*member); },
    ValueType::text};

// Names of a field's choices.
template <auto member, model::FieldId field>
constexpr Value<Contract> choices_of{[](Reader& reader, NodeRef node, Contract& into) {
                                       for (const NodeRef item : reader.list(node)) {
                                         const auto index = reader.choice(item, model::info(field).name,
                                                                          model::info(field).choices);
                                         if (index)
                                           (into.*member).push_back(static_cast<std::int64_t>(*index));
                                       }
                                     },
                                     ValueType::texts,
                                     [] {
                                       const auto choices = model::info(field).choices;
                                       return std::vector<std::string_view>(choices.begin(), choices.end());
                                     }};

std::vector<std::string_view> architecture_ids() {
  std::vector<std::string_view> out;
  for (const text::Document& each : catalog::builtin("gpus/architectures")) out.push_back(gpu::id_of(each));
  return out;
}

constexpr Value<Contract> architectures{[](Reader& reader, NodeRef node, Contract& into) {
                                          for (const NodeRef item : reader.list(node)) {
                                            const std::string_view id = item.as_string().value_or("");
                                            if (gpu::find_architecture_file(id) != nullptr) {
                                              into.architectures.push_back(id);
                                            } else {
                                              reader.choice(item, "architecture", architecture_ids());
                                            }
                                          }
                                        },
                                        ValueType::texts, architecture_ids};

constexpr Value<Contract> layer{
    [](Reader& reader, NodeRef node, Contract& into) {
      if (const auto index = reader.choice(node, "kind of layer", layer_names))
        into.layer = layer_names[*index];
    },
    ValueType::text, [] { return std::vector<std::string_view>(layer_names.begin(), layer_names.end()); }};

constexpr Value<Contract> outcome{
    value<&Contract::outcome>.read, ValueType::text,
    [] { return std::vector<std::string_view>(outcome_names.begin(), outcome_names.end()); }};

Error unknown_field(const NodeRef& node, std::string_view name, bool is_key) {
  const std::string message = fmt::format("unknown field `{}`", name);
  const std::string hint = did_you_mean(name, model::field_names());
  return with_code(is_key ? node.key_error(message, hint) : node.error(message, hint),
                   ErrorCode::unknown_name);
}

constexpr Value<Contract> blame{[](Reader& reader, NodeRef node, Contract& into) {
                                  for (const NodeRef item : reader.list(node)) {
                                    const std::string_view name = reader.text(item);
                                    if (model::find_field(name) != model::no_field) {
                                      into.blame.push_back(name);
                                    } else if (!name.empty()) {
                                      reader.errors().push_back(unknown_field(item, name, false));
                                    }
                                  }
                                },
                                ValueType::texts};

constexpr Value<Contract> set{[](Reader& reader, NodeRef node, Contract& into) {
                                for (const NodeRef child : node) {
                                  const model::FieldId id = model::find_field(child.key());
                                  if (id == model::no_field) {
                                    reader.errors().push_back(unknown_field(child, child.key(), true));
                                    continue;
                                  }
                                  Text padded;
                                  reader.read_value(child, padded);
                                  into.set.emplace_back(id, padded);
                                }
                              },
                              ValueType::map};

constexpr std::array package_keys{
    Key<Package, Reader>{"name", value<&Package::name>, "name in its package index", required},
    Key<Package, Reader>{"repository", value<&Package::repository>, "OWNER/NAME on GitHub", required},
    Key<Package, Reader>{"branch",
                         {[](Reader&, NodeRef, Package&) {}, ValueType::text},
                         "branch that scripts/contracts-check reads [default: the repository's]"},
    Key<Package, Reader>{"version", version<&Package::version>, "version that was read", required},
    Key<Package, Reader>{"commit", value<&Package::commit>, "commit that was read", required},
    Key<Package, Reader>{"date", value<&Package::date>, "date when it was read", required}};

constexpr std::array source_keys{
    Key<SourceLines, Reader>{"file", value<&SourceLines::file>, "path in the repository", required},
    Key<SourceLines, Reader>{"line", value<&SourceLines::line>, "first line at the commit"},
    Key<SourceLines, Reader>{"lines", value<&SourceLines::lines>, "number of lines [default: 1]"},
    Key<SourceLines, Reader>{"commit", value<&SourceLines::commit>, "commit [default: the package's]"},
    Key<SourceLines, Reader>{"fingerprint", value<&SourceLines::fingerprint>,
                             "hash of the lines, which scripts/contracts-check prints", required}};

constexpr std::array example_keys{
    Key<Example, Reader>{"config", value<&Example::config>, "a native file", required},
    Key<Example, Reader>{"gpu", value<&Example::gpu>, "GPU [default: h100]"},
    Key<Example, Reader>{"says", value<&Example::says>, "part of the message"},
    Key<Example, Reader>{"meets", value<&Example::meets>, "whether the requirement is met", required}};

constexpr std::array contract_keys{
    Key<Contract, Reader>{"name", value<&Contract::name>, "unique in the package", required},
    Key<Contract, Reader>{"since", version<&Contract::since>,
                          "first version with the requirement [default: the version that was read]"},
    Key<Contract, Reader>{"until", version<&Contract::until>, "first version that no longer requires it"},
    Key<Contract, Reader>{"with", value<&Contract::with>, "packages that must be in the stack, too"},
    Key<Contract, Reader>{"unless", value<&Contract::unless>, "packages of the stack that ensure it"},
    Key<Contract, Reader>{"architectures", architectures, "GPU architectures [default: all]"},
    Key<Contract, Reader>{"modes", choices_of<&Contract::modes, model::FieldId::mode>,
                          "modes [default: all]"},
    Key<Contract, Reader>{"dtypes", choices_of<&Contract::dtypes, model::FieldId::dtype>,
                          "dtypes [default: all]"},
    Key<Contract, Reader>{"recipes", choices_of<&Contract::recipes, model::FieldId::recipe>,
                          "scaling recipes [default: all]"},
    Key<Contract, Reader>{"layer", layer, "part of the layer, which `factor` multiplies", required},
    Key<Contract, Reader>{"summary", value<&Contract::summary>, "the requirement in a clause", required},
    Key<Contract, Reader>{"why", value<&Contract::why>, "reason in the code"},
    Key<Contract, Reader>{"when", value<&Contract::when>, "further condition on the model"},
    Key<Contract, Reader>{"condition", value<&Contract::demands>, "condition that must hold", required},
    Key<Contract, Reader>{"size", value<&Contract::size>, "the size in question, in fields"},
    Key<Contract, Reader>{"outcome", outcome, "what happens if it is unmet", required},
    Key<Contract, Reader>{"blame", blame, "fields; the first that the file states is blamed"},
    Key<Contract, Reader>{"set", set, "fields and the sizes that they are padded to"},
    Key<Contract, Reader>{"factor", value<&Contract::factor>, "time of the layer as a multiple"},
    Key<Contract, Reader>{"instead", value<&Contract::instead>, "the kernel that runs instead, in words"},
    Key<Contract, Reader>{"source", tables<&Contract::sources, source_keys>, "source lines"},
    Key<Contract, Reader>{"issues", value<&Contract::issues>, "issues as OWNER/NAME#NUMBER"},
    Key<Contract, Reader>{"example", tables<&Contract::examples, example_keys>, "executed by the tests"}};

// What each outcome has to say, and that some source says it.
void check(NodeRef node, const Contract& contract, std::vector<Error>& errors) {
  const bool has_cost = !contract.set.empty() || !contract.factor.value.empty();
  if (contract.outcome == Consequence::refuses && has_cost) {
    errors.push_back(node["outcome"].error("a rejected size has no cost", "remove `set` and `factor`"));
  }
  if (contract.outcome == Consequence::pads && !has_cost) {
    errors.push_back(node["outcome"].error("a padded size needs `set` or `factor`",
                                           "fields and their padded sizes, or how much longer it takes"));
  }
  if (contract.outcome == Consequence::falls_back && contract.instead.empty()) {
    errors.push_back(node["outcome"].error("the key `instead` is missing", "what runs in its place"));
  }
  if (contract.sources.empty() && contract.issues.empty()) {
    errors.push_back(node.error("a requirement needs `source` or `issues`"));
  }
}

struct File {
  Package package;
  std::vector<Contract> contracts;
};

constexpr std::array file_keys{
    Key<File, Reader>{"package", text::table<Reader, &File::package, package_keys>, "whose code was read",
                      required},
    Key<File, Reader>{"contract",
                      {[](Reader& reader, NodeRef node, File& into) {
                         for (const NodeRef item : reader.list(node)) {
                           Contract& each = into.contracts.emplace_back();
                           Reader::read_table(reader, item, contract_keys, each);
                           check(item, each, reader.errors());
                         }
                       },
                       ValueType::tables, nullptr, [] { return infos(contract_keys); }},
                      "a requirement",
                      required}};

}  // namespace contract_file

}  // namespace

std::string_view name(Consequence outcome) {
  return outcome_names[static_cast<std::size_t>(outcome)];
}
std::string_view sentence(Consequence outcome) {
  return outcome_sentences[static_cast<std::size_t>(outcome)];
}
std::span<const std::string_view> outcomes() {
  return outcome_names;
}
std::span<const std::string_view> layers() {
  return layer_names;
}

std::vector<Contract> read_contracts(NodeRef root, bool check, std::vector<Error>& errors) {
  contract_file::File file;
  if (!root.is(Kind::table)) {
    errors.push_back(root.error("the file is empty", "it needs `[package]` and `[[contract]]`"));
    return {};
  }
  contract_file::Reader reader(check, errors);
  text::TableReader::read_table(reader, root, contract_file::file_keys, file);
  for (Contract& each : file.contracts) {
    each.package = file.package;
    each.id = fmt::format("{}/{}", file.package.name, each.name);
  }
  return std::move(file.contracts);
}

std::vector<text::KeyInfo> contract_file_keys() {
  return text::infos(contract_file::file_keys);
}

}  // namespace shapelint::contracts
