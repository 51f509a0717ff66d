// Schemas, declarations and documentation from what the descriptions say.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "objects/printed/document.hpp"
#include "objects/types.hpp"
#include "text/json/writer.hpp"

namespace shapelint::objects {

namespace {

using Kind = Type::Kind;
using text::JsonWriter;

// Types that other outputs are made of, none of which is printed on its own.
std::string ts_type(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "boolean";
    case Kind::integer:
    case Kind::number:
      return "number";
    case Kind::text:
      return "string";
    case Kind::scalar:
      return "Scalar";
    case Kind::choice:
    case Kind::object:
      return type.name;
    case Kind::list:
      return ts_type(type.element.front()) + "[]";
    case Kind::map:
      return fmt::format("Record<string, {}>", ts_type(type.element.front()));
  }
  return {};
}

std::string py_type(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::number:
      return "float";
    case Kind::text:
      return "str";
    case Kind::scalar:
      return "Scalar";
    case Kind::choice:
    case Kind::object:
      return type.name;
    case Kind::list:
      return fmt::format("tuple[{}, ...]", py_type(type.element.front()));
    case Kind::map:
      return fmt::format("Mapping[str, {}]", py_type(type.element.front()));
  }
  return {};
}

// What an absent member is in Python.
std::string_view py_default(const Member& member) {
  switch (member.type.kind) {
    case Kind::boolean:
      return "False";
    case Kind::integer:
    case Kind::number:
      return "0";
    case Kind::text:
      return "\"\"";
    case Kind::list:
      return "()";
    case Kind::map:
      return "";  // a mapping of each object's own
    case Kind::scalar:
    case Kind::choice:
    case Kind::object:
      break;
  }
  return "None";
}

// What _behaviour.py adds to.
constexpr std::array<std::string_view, 12> with_behaviour{
    "Change",     "Finding", "LintResult", "LintedModel", "LintedStep",    "Model",
    "PlanResult", "Problem", "Range",      "Step",        "SuggestResult", "Suggestion"};

std::string py_member(const Member& member) {
  const bool is_none = member.may_be_null || (member.may_be_absent && py_default(member) == "None");
  const Kind kind = member.type.kind;
  const bool is_long =
      kind == Kind::map || (kind == Kind::list && member.type.element.front().kind == Kind::object);
  std::string arguments;
  if (member.may_be_absent)
    arguments = kind == Kind::map ? "default_factory=dict" : fmt::format("default={}", py_default(member));
  if (is_long) arguments += arguments.empty() ? "repr=False" : ", repr=False";
  // A word of the language.
  const std::string_view name = member.name == "pass" ? "pass_name" : std::string_view(member.name);
  return fmt::format("    {}: {}{}{}\n", name, py_type(member.type), is_none ? " | None" : "",
                     arguments.empty() ? std::string() : fmt::format(" = dataclasses.field({})", arguments));
}

// `("a", "b")`, as Python writes one of any length.
std::string py_tuple(const std::vector<std::string>& names) {
  std::string out = "(";
  for (const std::string& each : names) out += fmt::format("\"{}\", ", each);
  return out + ')';
}

std::string py_class(const Object& object) {
  const bool acts =
      std::find(with_behaviour.begin(), with_behaviour.end(), object.name) != with_behaviour.end();
  std::string out = fmt::format("\n\n@dataclass(frozen=True)\nclass {}({}):\n    \"\"\"{}\n\n", object.name,
                                acts ? "_behaviour." + object.name : std::string("Plain"), object.doc);
  for (const Member& each : object.members)
    if (!each.doc.empty()) out += fmt::format("    {}: {}\n", each.name, each.doc);
  out += "    \"\"\"\n\n";
  std::vector<std::string> order;
  std::vector<std::string> absent;
  std::string nested;
  for (const Member& each : object.members) {
    order.push_back(each.name);
    if (each.may_be_absent) absent.push_back(each.name);
    const Type& type = each.type.element.empty() ? each.type : each.type.element.front();
    if (type.kind == Kind::object) nested += fmt::format("\"{}\": \"{}\", ", each.name, type.name);
  }
  out += fmt::format("    _order = {}\n", py_tuple(order));
  if (!absent.empty()) out += fmt::format("    _may_be_absent = frozenset({})\n", py_tuple(absent));
  if (!nested.empty()) out += fmt::format("    _nested = {{{}}}\n", nested);
  out += '\n';
  // Those without a value of their own come first.
  for (const bool has_default : {false, true}) {
    for (const Member& each : object.members)
      if (each.may_be_absent == has_default) out += py_member(each);
  }
  return out;
}

void put_schema(JsonWriter& out, const Type& type);

void put_one_type(JsonWriter& out, std::string_view name) {
  out.key("type");
  out.text(name);
}

// The keywords of a type, in an object that is open. Names that are not known yet are to be taken, too.
void put_keywords(JsonWriter& out, const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return put_one_type(out, "boolean");
    case Kind::integer:
      return put_one_type(out, "integer");
    case Kind::number:
      return put_one_type(out, "number");
    case Kind::text:
      return put_one_type(out, "string");
    case Kind::scalar:
      out.key("type");
      out.begin_array();
      for (const std::string_view each : {"number", "boolean", "string"}) out.text(each);
      return out.end_array();
    case Kind::choice:
    case Kind::object:
      out.key("$ref");
      return out.text("#/definitions/" + type.name);
    case Kind::list:
      put_one_type(out, "array");
      out.key("items");
      return put_schema(out, type.element.front());
    case Kind::map:
      put_one_type(out, "object");
      out.key("additionalProperties");
      return put_schema(out, type.element.front());
  }
}

void put_schema(JsonWriter& out, const Type& type) {
  out.begin_object();
  put_keywords(out, type);
  out.end_object();
}

void put_member(JsonWriter& out, const Member& member) {
  out.key(member.name);
  out.begin_object();
  if (!member.doc.empty()) {
    out.key("description");
    out.text(member.doc);
  }
  // Beside `$ref` nothing else counts.
  const bool is_reference = member.type.kind == Kind::choice || member.type.kind == Kind::object;
  if (member.may_be_null || (is_reference && !member.doc.empty())) {
    out.key("anyOf");
    out.begin_array();
    put_schema(out, member.type);
    if (member.may_be_null) {
      out.begin_object();
      put_one_type(out, "null");
      out.end_object();
    }
    out.end_array();
  } else {
    put_keywords(out, member.type);
  }
  out.end_object();
}

void put_properties(JsonWriter& out, const std::vector<Member>& members) {
  for (const Member& each : members) put_member(out, each);
}

void put_required(JsonWriter& out, const std::vector<Member>& members) {
  out.key("required");
  out.begin_array();
  for (const Member& each : members)
    if (!each.may_be_absent) out.text(each.name);
  out.end_array();
}

void collect(const Type& type, std::set<std::string>& used) {
  for (const Type& each : type.element) collect(each, used);
  if (type.name.empty() || !used.insert(type.name).second) return;
  if (const Object* object = find(all_types(), type.name))
    for (const Member& each : object->members) collect(each.type, used);
}

// Of a status other than `failed` all that is described must be there; else the header and the problems.
void put_unless_failed(JsonWriter& out, const Object& payload) {
  out.key("if");
  out.begin_object();
  out.key("properties");
  out.begin_object();
  out.key("status");
  out.begin_object();
  out.key("const");
  out.text("failed");
  out.end_object();
  out.end_object();
  out.end_object();
  out.key("then");
  out.begin_object();
  out.key("required");
  out.begin_array();
  out.text("problems");
  out.end_array();
  out.end_object();
  out.key("else");
  out.begin_object();
  put_required(out, payload.members);
  out.end_object();
}

std::string ending(std::string_view doc) {
  return doc.empty() ? std::string() : fmt::format("  /** {} */\n", doc);
}

}  // namespace

std::string schema(const Document& document) {
  const Types& types = all_types();
  const Object& header = *find(types, document.header);
  const Object& payload = *find(types, document.object);
  std::vector<Member> members = header.members;
  members.insert(members.end(), payload.members.begin(), payload.members.end());
  const auto is_problems = [](const Member& each) { return each.name == "problems"; };
  if (std::none_of(members.begin(), members.end(), is_problems)) {
    members.push_back({"problems",
                       "why there is no result; if `status` is failed",
                       {Kind::list, {}, {{Kind::object, "Problem", {}}}},
                       true,
                       false});
  }
  std::string text;
  JsonWriter out(text, 2);
  out.begin_object();
  out.key("$schema");
  out.text("http://json-schema.org/draft-07/schema#");
  if (const std::string address = schema_address(document.name); !address.empty()) {
    out.key("$id");
    out.text(address);
  }
  out.key("title");
  out.text(document.title);
  out.key("description");
  out.text(payload.doc +
           " Generated by the program. New members and new values of enumerations may be "
           "added.");
  put_one_type(out, "object");
  put_required(out, header.members);
  put_unless_failed(out, payload);
  out.key("properties");
  out.begin_object();
  put_properties(out, members);
  out.end_object();
  out.key("additionalProperties");
  out.boolean(false);
  out.key("definitions");
  out.begin_object();
  std::set<std::string> used;
  for (const Member& each : members) collect(each.type, used);
  for (const Choice& choice : types.choices) {
    if (!used.contains(choice.name)) continue;
    out.key(choice.name);
    out.begin_object();
    out.key("enum");
    out.begin_array();
    for (const std::string_view each : choice.values) out.text(each);
    out.end_array();
    out.end_object();
  }
  for (const Object& object : types.objects) {
    if (!used.contains(object.name)) continue;
    out.key(object.name);
    out.begin_object();
    out.key("description");
    out.text(object.doc);
    put_one_type(out, "object");
    put_required(out, object.members);
    out.key("properties");
    out.begin_object();
    put_properties(out, object.members);
    out.end_object();
    out.key("additionalProperties");
    out.boolean(false);
    out.end_object();
  }
  out.end_object();
  out.end_object();
  return text + '\n';
}

std::string typescript() {
  const Types& types = api_types();
  std::string out =
      "/** A field's value: a whole number, a boolean, or the name of a choice. */\n"
      "export type Scalar = number | boolean | string;\n";
  for (const Choice& choice : types.choices) {
    out += fmt::format("export type {} = \"{}\";\n", choice.name, fmt::join(choice.values, "\" | \""));
  }
  for (const Object& object : types.objects) {
    out += fmt::format("\n/** {} */\nexport interface {} {{\n", object.doc, object.name);
    for (const Member& each : object.members) {
      const bool is_plain =
          each.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos;
      out +=
          fmt::format("{}  {}{}: {}{};\n", ending(each.doc), is_plain ? each.name : '"' + each.name + '"',
                      each.may_be_absent ? "?" : "", ts_type(each.type), each.may_be_null ? " | null" : "");
    }
    out += "}\n";
  }
  return out;
}

std::string python() {
  std::string out =
      "\"\"\"Generated from include/shapelint; _behaviour.py "
      "adds their methods.\"\"\"\n\n"
      "from __future__ import annotations\n\nimport dataclasses\nfrom dataclasses import dataclass\nfrom "
      "typing "
      "import Literal, Mapping, Union\n\nfrom . import _behaviour\nfrom ._behaviour import Plain\n\nScalar = "
      "Union[int, bool, str, float]\n";
  for (const Choice& choice : api_types().choices)
    out += fmt::format("{} = Literal[\"{}\"]\n", choice.name, fmt::join(choice.values, "\", \""));
  for (const Object& object : api_types().objects) out += py_class(object);
  return out;
}

std::string markdown() {
  const auto link = [](const Type& type, const auto& self) -> std::string {
    switch (type.kind) {
      case Kind::list:
        return "list of " + self(type.element.front(), self);
      case Kind::map:
        return "by name: " + self(type.element.front(), self);
      case Kind::object:
        return fmt::format("[{}](#{})", type.name, [&] {
          std::string lower;
          std::transform(type.name.begin(), type.name.end(), std::back_inserter(lower),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
          return lower;
        }());
      case Kind::choice:
        return type.name;
      default:
        return ts_type(type) == "Scalar" ? std::string("integer, boolean or string")
               : py_type(type) == "int"  ? std::string("integer")
                                         : ts_type(type);
    }
  };
  std::string out =
      "# Objects\n\nWhat `--format json`, the C++ library, and the packages for Python and JavaScript give, "
      "under the "
      "same names.\nA member may be absent (`?`: it does not apply) or null (it applies, but is "
      "unknown); 0, "
      "`false`, \"\" and `[]`\nare values. Names end in the unit (`_us`, `_bytes`, `_gb_s`), and state the "
      "scope if "
      "there are several (`run_us` one\nrun, `total_us` all runs of a step, `step_us` the step; `_per_gpu`, "
      "`_all_gpus`). Shares and gains are fractions; an\n`_error` is the half width of an interval. Numbers "
      "have 9 "
      "digits, integers all. This page is generated.\n\n";
  for (const Choice& choice : all_types().choices)
    out += fmt::format("- {}: `{}`\n", choice.name, fmt::join(choice.values, "`, `"));
  for (const Object& object : all_types().objects) {
    out += fmt::format("\n## {}\n\n{}\n\n| member | type | |\n|---|---|---|\n", object.name, object.doc);
    for (const Member& each : object.members) {
      std::string doc = each.doc;
      for (std::size_t at = doc.find('|'); at != std::string::npos; at = doc.find('|', at + 2))
        doc.insert(at, "\\");
      out += fmt::format("| `{}`{} | {}{} | {} |\n", each.name, each.may_be_absent ? "?" : "",
                         link(each.type, link), each.may_be_null ? " or null" : "", doc);
    }
  }
  return out;
}

}  // namespace shapelint::objects
