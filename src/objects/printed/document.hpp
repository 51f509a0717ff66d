// The documents that commands print: a header, then what was asked for.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::When;

// One number for all documents: the first part is raised when a key changes its meaning or goes away, the
// second when one is added.
inline constexpr std::string_view format_version = "1.0";

// The exit code in words.
enum class Status : std::uint8_t { ok, findings, failed };
std::string_view name(Status status);
constexpr std::string_view type_name(Status) {
  return "Status";
}
constexpr Status last_of(Status) {
  return Status::failed;
}

struct Tool {
  std::string name = "shapelint";
  std::string version = SHAPELINT_VERSION;
};
template <class Visitor>
void describe(Visitor& of, const Tool*) {
  of.type("Tool", "The program that printed it.");
  of("name", &Tool::name, "");
  of("version", &Tool::version, "");
}

struct Header {
  std::string schema;
  std::string format;
  std::string format_version;
  Tool tool;
  Status status = Status::ok;
};
template <class Visitor>
void describe(Visitor& of, const Header*) {
  of.type("Header", "Header of every document.");
  of("$schema", &Header::schema, "address of its schema, if the build has one", When::unless_empty);
  of("format", &Header::format, "`shapelint.` and the command");
  of("format_version", &Header::format_version,
     "of all documents; its first number is raised when a key changes its meaning or goes away");
  of("tool", &Header::tool, "");
  of("status", &Header::status,
     "ok: nothing to object; findings: the answer is negative; failed: there is none, or not all of it, and "
     "see `problems`");
}

// What `fields` lists.
struct FieldList {
  std::vector<api::Field> fields;
};
template <class Visitor>
void describe(Visitor& of, const FieldList*) {
  of.type("FieldList", "All fields of models and launch configs.");
  of("fields", &FieldList::fields, "");
}

// Where the schema of a command's document is read; empty: the build knows no such place.
std::string schema_address(std::string_view command);

// For each result that src/objects/json.cpp lists.
template <class Result>
void write_document(std::string_view command, Status status, const Result& result, std::ostream& out);
// There is no answer.
void write_failure(std::string_view command, const std::vector<api::Error>& problems, std::ostream& out);
// `members`, an object of JSON in as many lines as `indent` makes, behind the header.
std::string document(std::string_view command, std::string_view members, std::size_t indent);

// A line for each: the header, findings, steps, notes, problems, and the counts at the end. Each says what it
// is by its `type`.
std::string json_lines(Status status, const api::LintResult& result);

}  // namespace shapelint::objects
