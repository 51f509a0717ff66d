// Public structs as JSON: the one source that their descriptions are instantiated for that in.
#include <array>
#include <ostream>

#include <fmt/format.h>

#include "base/docs_url.hpp"
#include "objects/printed/compact.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/family.hpp"
#include "objects/printed/gpus.hpp"
#include "objects/printed/lists.hpp"
#include "objects/printed/plans.hpp"
#include "objects/printed/profile.hpp"
#include "objects/printed/prove.hpp"
#include "objects/printed/roofline.hpp"
#include "objects/printed/show.hpp"
#include "objects/write.hpp"

namespace shapelint::api {

namespace {

template <class T>
std::string json_of(const T& value, std::size_t indent) {
  std::string out;
  text::JsonWriter writer(out, indent);
  objects::put(writer, value);
  return out;
}

}  // namespace

std::string to_json(const LintResult& result, std::size_t indent) {
  return json_of(result, indent);
}
std::string to_json(const ReadResult& result, std::size_t indent) {
  return json_of(result, indent);
}
std::string to_json(const SuggestResult& result, std::size_t indent) {
  return json_of(result, indent);
}
std::string to_json(const PlanResult& result, std::size_t indent) {
  return json_of(result, indent);
}
std::string to_json(const KernelCost& cost, std::size_t indent) {
  return json_of(cost, indent);
}
std::string to_json(const Gpu& gpu, std::size_t indent) {
  return json_of(gpu, indent);
}
std::string to_json(const Rule& rule, std::size_t indent) {
  return json_of(rule, indent);
}
std::string to_json(const std::vector<Step>& steps, std::size_t indent) {
  return json_of(steps, indent);
}
std::string to_json(const std::vector<Gpu>& gpus, std::size_t indent) {
  return json_of(gpus, indent);
}
std::string to_json(const std::vector<Rule>& rules, std::size_t indent) {
  return json_of(rules, indent);
}
std::string to_json(const std::vector<Field>& fields, std::size_t indent) {
  return json_of(fields, indent);
}
std::string to_json(const std::vector<Error>& problems, std::size_t indent) {
  return json_of(problems, indent);
}

}  // namespace shapelint::api

namespace shapelint::objects {

namespace {

constexpr std::size_t document_indent = 2;

Header header_of(std::string_view command, Status status) {
  Header out;
  out.schema = schema_address(command);
  out.format = "shapelint." + std::string(command);
  out.format_version = format_version;
  out.status = status;
  return out;
}

template <class T>
void write_payload(const Header& header, const T& payload, std::ostream& out) {
  std::string text;
  {
    JsonWriter writer(text, document_indent, &out);
    writer.begin_object();
    put_members(writer, header);
    put_members(writer, payload);
    writer.end_object();
  }
  out << '\n';
}

struct Failure {
  std::vector<api::Error> problems;
};
template <class Visitor>
void describe(Visitor& of, const Failure*) {
  of("problems", &Failure::problems, "");
}

template <class T>
void add_lines(std::string_view type, const std::vector<T>& values, std::string& out) {
  for (const T& each : values) {
    JsonWriter writer(out);
    writer.begin_object();
    writer.key("type");
    writer.text(type);
    put_members(writer, each);
    writer.end_object();
    out += '\n';
  }
}

}  // namespace

std::string_view name(Status status) {
  constexpr std::array<std::string_view, 3> names{"ok", "findings", "failed"};
  return names.at(static_cast<std::size_t>(status));
}

template <class Result>
void write_document(std::string_view command, Status status, const Result& result, std::ostream& out) {
  write_payload(header_of(command, status), result, out);
}
template void write_document(std::string_view, Status, const api::LintResult&, std::ostream&);
template void write_document(std::string_view, Status, const api::SuggestResult&, std::ostream&);
template void write_document(std::string_view, Status, const FamilyResult&, std::ostream&);
template void write_document(std::string_view, Status, const FieldList&, std::ostream&);
template void write_document(std::string_view, Status, const FitsResult&, std::ostream&);
template void write_document(std::string_view, Status, const FormatList&, std::ostream&);
template void write_document(std::string_view, Status, const GpuList&, std::ostream&);
template void write_document(std::string_view, Status, const KernelList&, std::ostream&);
template void write_document(std::string_view, Status, const RequirementList&, std::ostream&);
template void write_document(std::string_view, Status, const RuleList&, std::ostream&);
template void write_document(std::string_view, Status, const api::PlanResult&, std::ostream&);
template void write_document(std::string_view, Status, const ProfileResult&, std::ostream&);
template void write_document(std::string_view, Status, const ProveResult&, std::ostream&);
template void write_document(std::string_view, Status, const CalibrateResult&, std::ostream&);
template void write_document(std::string_view, Status, const RooflineResult&, std::ostream&);
template void write_document(std::string_view, Status, const ShowResult&, std::ostream&);

std::string schema_address(std::string_view command) {
  if (docs_url().empty()) return {};
  return fmt::format("{}schema/shapelint-{}.schema.json", docs_url(), command);
}

void write_failure(std::string_view command, const std::vector<api::Error>& problems, std::ostream& out) {
  write_payload(header_of(command, Status::failed), Failure{problems}, out);
}

std::string document(std::string_view command, std::string_view members, std::size_t indent) {
  std::string out;
  JsonWriter writer(out, indent);
  writer.begin_object();
  put_members(writer, header_of(command, Status::ok));
  out += ',';
  out += members.substr(1);
  return out;
}

std::string compact_document(Status status, const CompactResult& result) {
  const Header header = header_of("compact", status);
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  put_members(writer, BriefHeader{header.format, header.format_version,
                                  header.tool.name + ' ' + header.tool.version, status});
  put_members(writer, result);
  writer.end_object();
  return out + '\n';
}

std::string json_lines(Status status, const api::LintResult& result) {
  std::string out;
  add_lines("header", std::vector<Header>{header_of("lint", status)}, out);
  add_lines("finding", result.findings, out);
  add_lines("step", result.steps, out);
  for (const std::string& note : result.notes)
    add_lines("note", std::vector<api::Note>{{note, {}, {}, {}}}, out);
  add_lines("problem", result.errors, out);
  add_lines("end", std::vector<api::Counts>{result.counts}, out);
  return out;
}

}  // namespace shapelint::objects
