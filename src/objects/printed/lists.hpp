// What `rules`, `contracts`, `formats` and `kernels` list.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::When;

struct RuleFix {
  std::map<std::string, std::string> set;
  std::vector<std::string> vary;
};
template <class Visitor>
void describe(Visitor& of, const RuleFix*) {
  of.type("RuleFix", "A way out that a rule knows.");
  of("set", &RuleFix::set, "fields and the expressions of their new values");
  of("vary", &RuleFix::vary, "fields whose values near the present one are tried");
}

struct RuleExample {
  std::string config;
  std::string gpu;
  bool finds = false;
};
template <class Visitor>
void describe(Visitor& of, const RuleExample*) {
  of.type("RuleExample", "A configuration that the tests lint.");
  of("config", &RuleExample::config, "in the native format");
  of("gpu", &RuleExample::gpu, "");
  of("finds", &RuleExample::finds, "whether the rule finds something there");
}

struct ListedRule : api::Rule {
  std::string when;
  std::string message;
  std::string why;
  std::vector<std::string> blame;
  std::vector<RuleFix> fixes;
  std::vector<RuleExample> examples;
};
template <class Visitor>
void describe(Visitor& of, const ListedRule*) {
  of.type("ListedRule", "A rule with its conditions and texts.");
  of.base(static_cast<const api::Rule*>(nullptr));
  of("when", &ListedRule::when, "the condition");
  of("message", &ListedRule::message, "the title, with its expressions");
  of("why", &ListedRule::why, "the mechanism at length");
  of("blame", &ListedRule::blame, "fields or dimensions that a finding points at");
  of("fixes", &ListedRule::fixes, "");
  of("examples", &ListedRule::examples, "");
}

struct RuleList {
  std::vector<ListedRule> rules;
};
template <class Visitor>
void describe(Visitor& of, const RuleList*) {
  of.type("RuleList", "Rules by code.");
  of("rules", &RuleList::rules, "");
}

struct PackageVersion {
  std::string version;
  std::string commit;
  std::string date;
};
template <class Visitor>
void describe(Visitor& of, const PackageVersion*) {
  of.type("PackageVersion", "Package version that a requirement was read from.");
  of("version", &PackageVersion::version, "");
  of("commit", &PackageVersion::commit, "");
  of("date", &PackageVersion::date, "");
}

struct ListedRequirement {
  std::string id;
  std::string package;
  std::string since;
  std::string until;
  PackageVersion read_at;
  std::vector<std::string> with;
  std::vector<std::string> unless;
  std::vector<std::string> architectures;
  std::vector<std::string> modes;
  std::vector<std::string> dtypes;
  std::vector<std::string> recipes;
  std::string layer;
  std::string summary;
  std::string why;
  std::string when;
  std::string condition;
  std::string size;
  std::string outcome;
  std::map<std::string, std::string> set;
  std::string factor;
  std::string instead;
  std::vector<std::string> sources;
};
template <class Visitor>
void describe(Visitor& of, const ListedRequirement*) {
  using R = ListedRequirement;
  of.type("ListedRequirement", "A shape requirement of a package.");
  of("id", &R::id, "`vllm/sparse-latent-heads`");
  of("package", &R::package, "");
  of("since", &R::since, "the first version that has it; empty: any");
  of("until", &R::until, "the first version without it; empty: none");
  of("read_at", &R::read_at, "");
  of("with", &R::with, "packages that the stack must also hold");
  of("unless", &R::unless, "packages that the stack must not hold");
  of("architectures", &R::architectures, "of GPUs; none: all");
  of("modes", &R::modes, "none: all");
  of("dtypes", &R::dtypes, "none: all");
  of("recipes", &R::recipes, "none: all");
  of("layer", &R::layer, "the part of a model that it is about; empty: the model");
  of("summary", &R::summary, "one line");
  of("why", &R::why, "");
  of("when", &R::when, "when it applies");
  of("condition", &R::condition, "what must hold");
  of("size", &R::size, "the size that messages work out");
  of("outcome", &R::outcome, "if it is not met: rejects, pads, slower, falls back …");
  of("set", &R::set, "fields that run otherwise then, and the expressions of their values");
  of("factor", &R::factor, "how much slower, as an expression");
  of("instead", &R::instead, "kernel that runs instead");
  of("sources", &R::sources, "addresses");
}

struct StackPackage {
  std::string name;
  std::string version;
  bool version_given = false;
};
template <class Visitor>
void describe(Visitor& of, const StackPackage*) {
  of.type("StackPackage", "A package of the stack that was asked about.");
  of("name", &StackPackage::name, "");
  of("version", &StackPackage::version, "");
  of("version_given", &StackPackage::version_given, "false: the newest known");
}

struct RequirementVerdict {
  std::string requirement;
  bool meets = false;
  std::string outcome;
  std::string summary;
  std::string formula;
  std::string sum;
  std::map<std::string, std::int64_t> set;
};
template <class Visitor>
void describe(Visitor& of, const RequirementVerdict*) {
  using V = RequirementVerdict;
  of.type("RequirementVerdict", "Whether a model meets a requirement.");
  of("requirement", &V::requirement, "its id");
  of("meets", &V::meets, "");
  of("outcome", &V::outcome, "if it is not met");
  of("summary", &V::summary, "");
  of("formula", &V::formula, "the evaluated condition");
  of("sum", &V::sum, "with numbers");
  of("set", &V::set, "fields that run otherwise, and their values");
}

struct GpuVerdicts {
  std::string gpu;
  std::vector<RequirementVerdict> requirements;
};
template <class Visitor>
void describe(Visitor& of, const GpuVerdicts*) {
  of.type("GpuVerdicts", "The requirements that apply on a GPU.");
  of("gpu", &GpuVerdicts::gpu, "id");
  of("requirements", &GpuVerdicts::requirements, "");
}

struct RequirementList {
  std::vector<ListedRequirement> requirements;
  std::vector<StackPackage> stack;
  std::vector<GpuVerdicts> gpus;
};
template <class Visitor>
void describe(Visitor& of, const RequirementList*) {
  of.type("RequirementList", "Requirements, or those that a file meets and violates.");
  of("requirements", &RequirementList::requirements, "without a file", When::unless_empty);
  of("stack", &RequirementList::stack, "with a file: its stack", When::unless_empty);
  of("gpus", &RequirementList::gpus, "with a file", When::unless_empty);
}

struct FormatExample {
  std::string file;
  std::string text;
};
template <class Visitor>
void describe(Visitor& of, const FormatExample*) {
  of.type("FormatExample", "A file of a format.");
  of("file", &FormatExample::file, "its name");
  of("text", &FormatExample::text, "");
}

struct ListedFormat {
  std::string name;
  std::string title;
  std::vector<std::string> syntax;
  std::vector<std::string> recognised_by;
  std::string like;
  std::string source;
  std::string path;
  FormatExample example;
};
template <class Visitor>
void describe(Visitor& of, const ListedFormat*) {
  using F = ListedFormat;
  of.type("ListedFormat", "A config format.");
  of("name", &F::name, "");
  of("title", &F::title, "");
  of("syntax", &F::syntax, "json, yaml, toml, python, shell");
  of("recognised_by", &F::recognised_by, "keys that identify a file");
  of("like", &F::like, "the format that it is read as otherwise");
  of("source", &F::source, "where its keys are documented");
  of("path", &F::path, "of the file that describes it");
  of("example", &F::example, "");
}

struct FormatList {
  std::vector<ListedFormat> formats;
};
template <class Visitor>
void describe(Visitor& of, const FormatList*) {
  of.type("FormatList", "Config formats.");
  of("formats", &FormatList::formats, "");
}

struct KernelColumn {
  std::string name;
  std::string type;
  bool needed = false;
  std::string meaning;
};
template <class Visitor>
void describe(Visitor& of, const KernelColumn*) {
  of.type("KernelColumn", "A column of a table of shapes.");
  of("name", &KernelColumn::name, "");
  of("type", &KernelColumn::type, "whole number, word");
  of("needed", &KernelColumn::needed, "");
  of("meaning", &KernelColumn::meaning, "");
}

struct KernelKind {
  std::string name;
  std::string summary;
  std::vector<KernelColumn> columns;
};
template <class Visitor>
void describe(Visitor& of, const KernelKind*) {
  of.type("KernelKind", "A kind of kernel, predicted from its shape.");
  of("name", &KernelKind::name, "");
  of("summary", &KernelKind::summary, "");
  of("columns", &KernelKind::columns, "");
}

struct KernelAnswer {
  std::map<std::string, api::Scalar> shape;
  std::optional<double> predicted_us{};
  std::optional<std::string> bound{};
  std::optional<double> efficiency{};
};
template <class Visitor>
void describe(Visitor& of, const KernelAnswer*) {
  of.type("KernelAnswer", "The predicted time of one shape.");
  of("shape", &KernelAnswer::shape, "by column, those that the table states");
  of("predicted_us", &KernelAnswer::predicted_us, "of one run; null: not predicted", When::or_null);
  of("bound", &KernelAnswer::bound, "compute, memory, overhead", When::or_null);
  of("efficiency", &KernelAnswer::efficiency, "time at the roofline / predicted time", When::or_null);
}

struct KernelList {
  std::vector<KernelKind> kinds;
  std::string kind;
  std::string gpu;
  std::vector<KernelAnswer> rows;
};
template <class Visitor>
void describe(Visitor& of, const KernelList*) {
  of.type("KernelList", "Kinds of kernels, or the times of one kind's shapes.");
  of("kinds", &KernelList::kinds, "without a kind", When::unless_empty);
  of("kind", &KernelList::kind, "", When::unless_empty);
  of("gpu", &KernelList::gpu, "id", When::unless_empty);
  of("rows", &KernelList::rows, "in the table's order", When::unless_empty);
}

}  // namespace shapelint::objects
