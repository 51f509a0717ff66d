// The packages that a file's model is run with.
#include "project/stack.hpp"

#include <algorithm>
#include <array>

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/paths.hpp"
#include "text/limits.hpp"

namespace shapelint::project {

namespace {

// A lock file has versions, requirements may have, a project says at most where they begin.
constexpr std::array<std::string_view, 3> stack_files{"uv.lock", "requirements.txt", "pyproject.toml"};

void add(contracts::Stack& stack, const contracts::Stack& more) {
  for (const contracts::StackPackage& each : more) {
    const auto same =
        std::find_if(stack.begin(), stack.end(), [&](const auto& other) { return other.name == each.name; });
    if (same == stack.end()) {
      stack.push_back(each);
    } else if (!same->version) {
      *same = each;
    }
  }
}

}  // namespace

AskedStack stack_of_format(const Configured& configured, const model::Reading& reading) {
  if (reading.dialect == "native") return {};  // for which the dialects are not even loaded
  const formats::Dialect* dialect = dialects_of(configured).find(reading.dialect);
  if (dialect == nullptr || dialect->package.empty()) return {};
  const contracts::Book& book =
      configured.own_contracts ? contracts_of(configured) : contracts::builtin_contracts_of(dialect->package);
  const auto package = contracts::parse_package(book, dialect->package);
  return package ? AskedStack{{*package}, &book, true} : AskedStack{};
}

contracts::Stack stack_of(const Configured& configured, std::span<const std::string> applied,
                          const model::Reading& reading, const text::FileSystem& files) {
  const contracts::Book& book = contracts_of(configured);
  std::vector<std::string> named;
  bool is_automatic = false;
  for (const std::string& text : applied) {
    if (text == contracts::automatic) {
      is_automatic = true;
    } else if (text != contracts::nothing) {
      named.push_back(text);
    }
  }
  std::vector<Error> told;  // by those who check names
  contracts::Stack out = contracts::parse_stack(book, named, told);
  if (!is_automatic) return out;
  for (const std::string_view name : stack_files) {
    const auto text =
        files.read(formats::join(formats::folder_of(reading.path), name), text::max_source_bytes);
    if (text) add(out, contracts::stack_of_lock(book, name, *text));
  }
  add(out, stack_of_format(configured, reading).stack);
  return out;
}

AskedStack asked_stack(const Configured& configured, std::span<const std::string> applied,
                       const model::Reading& reading, const text::FileSystem& files) {
  if (applied.empty()) return stack_of_format(configured, reading);
  return {stack_of(configured, applied, reading, files), &contracts_of(configured), false};
}

}  // namespace shapelint::project
