// Build-time tool: parses data files and writes them as constant arrays, so that a mistake in one stops the
// build and a start of the program parses nothing. Packed (text/packed_tree.hpp) they take a quarter of the
// room, and a few milliseconds when a folder is first asked for. Conditions of rules are compiled as well,
// unless packed.
//
//   shapelint-embed [--packed] OUTPUT.cpp ROOT FOLDER...
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "expr/expression.hpp"
#include "expr/prepared.hpp"
#include "text/files.hpp"
#include "text/packed_tree.hpp"
#include "text/source.hpp"
#include "text/toml/toml.hpp"

namespace {

using shapelint::Error;
using shapelint::text::Node;

// String literals have a length limit in the standard (65,536) but not in either compiler; escapes are octal
// so that a digit that follows cannot extend them.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F || c == '?') {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void write_nodes(std::string& out, std::size_t index, std::span<const Node> nodes) {
  out += fmt::format("constexpr Node nodes_{}[] = {{\n", index);
  for (const Node& node : nodes) {
    out += fmt::format("{{static_cast<Kind>({}),{},{},{},{},{},{},{},{},{},{},{},{}LL,{:.17g}}},\n",
                       static_cast<int>(node.kind), node.parent, node.first_child, node.next_sibling,
                       node.key_offset, node.key_size, node.text_offset, node.text_size, node.key_begin,
                       node.key_end, node.value_begin, node.value_end, node.integer, node.number);
  }
  out += "};\n";
}

void write_text(std::string& out, std::string_view name, std::size_t index, std::string_view text) {
  out += fmt::format("constexpr std::string_view {}_{}({}, {});\n", name, index, quoted(text), text.size());
}

// Conditions of rules, compiled (expr::Prepared).
class Conditions {
 public:
  // Error: it does not compile. A test checks that its names are variables of the rule.
  std::optional<Error> add(shapelint::text::NodeRef when) {
    const auto text = when.as_string().value_or("");
    const std::vector<std::string_view> names = shapelint::expr::distinct_names(text);
    std::vector<Error> errors;
    const auto program = shapelint::expr::compile_program(text, names, errors);
    if (!program) return errors.empty() ? std::nullopt : std::optional(when.error(errors.front().message));
    const std::size_t index = rows_.size();
    const auto [row, is_new] = rows_.try_emplace(std::string(text));
    if (!is_new) return std::nullopt;
    arrays_ += fmt::format("constexpr Instruction condition_{}[] = {{\n", index);
    for (const shapelint::expr::Instruction& each : program->instructions) {
      arrays_ += fmt::format("{{static_cast<Code>({}),{},{},{:.17g}}},\n", static_cast<int>(each.code),
                             each.function, each.at, each.number);
    }
    arrays_ += "};\n";
    std::string list = "{}";
    if (!names.empty()) {
      list = fmt::format("names_{}", index);
      arrays_ += fmt::format("constexpr std::string_view {}[] = {{", list);
      for (const std::string_view name : names) arrays_ += quoted(name) + ',';
      arrays_ += "};\n";
    }
    row->second =
        fmt::format("    {{{}, condition_{}, {}, {}}},\n", quoted(text), index, program->depth, list);
    return std::nullopt;
  }
  std::string source() const {
    std::string out = "\nnamespace shapelint::expr {\n";
    if (!rows_.empty()) out += "namespace {\n" + arrays_ + "}  // namespace\n";
    out += "\nstd::span<const Prepared> prepared() {\n";
    if (rows_.empty()) return out + "  return {};\n}\n\n}  // namespace shapelint::expr\n";
    out += "  static constexpr Prepared all[] = {\n";
    for (const auto& [text, row] : rows_) out += row;
    return out + "  };\n  return all;\n}\n\n}  // namespace shapelint::expr\n";
  }

 private:
  std::string arrays_;
  std::map<std::string, std::string> rows_;  // by text
};

int fail(const Error& error, std::string_view source) {
  const auto place = shapelint::text::place_of(source, error.span ? error.span->begin : 0);
  fmt::print(stderr, "{}:{}:{}: error: {}\n", error.path, place.line, place.column, error.message);
  return 1;
}

}  // namespace

// Nothing is prepared where it is made.
std::span<const shapelint::expr::Prepared> shapelint::expr::prepared() {
  return {};
}

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const bool packed = !args.empty() && args[0] == "--packed";
  if (packed) args.erase(args.begin());
  if (args.size() < 3) {
    fmt::print(stderr, "usage: shapelint-embed [--packed] OUTPUT.cpp ROOT FOLDER...\n");
    return 2;
  }
  const shapelint::text::RealFileSystem files({}, args);
  std::string out =
      "// Generated by shapelint-embed from the data files; do not edit.\n"
      "#include \"catalog/catalog.hpp\"\n#include \"expr/prepared.hpp\"\n"
      "#include \"text/packed_tree.hpp\"\n\nnamespace shapelint::catalog "
      "{\nnamespace {\n"
      "using text::Kind;\nusing text::Node;\n";
  std::string folders;
  Conditions conditions;
  std::size_t count = 0;
  for (std::size_t i = 2; i < args.size(); ++i) {
    std::string documents;
    std::string trees;
    const auto paths = files.list(args[1] + "/" + args[i]);
    if (!paths) return fail(paths.error(), {});
    for (const std::string& path : *paths) {
      if (!path.ends_with(".toml")) continue;
      auto content = files.read(path, shapelint::text::max_source_bytes);
      if (!content) return fail(content.error(), {});
      const std::string source = *content;
      const auto document = shapelint::text::parse_toml(path.substr(args[1].size() + 1), *std::move(content));
      if (!document) return fail(document.error(), source);
      if (args[i] == "rules" && !packed) {
        if (const auto error = conditions.add(document->root()["when"])) return fail(*error, source);
      }
      if (packed) {
        write_text(out, "packed", count, shapelint::text::packed_tree(document->nodes()));
        trees += fmt::format("  static const auto nodes_{0} = text::unpacked_tree(packed_{0});\n", count);
      } else {
        write_nodes(out, count, document->nodes());
      }
      write_text(out, "pool", count, document->pool());
      documents +=
          fmt::format("    Document({}, nodes_{}, pool_{}),\n", quoted(document->path()), count, count);
      ++count;
    }
    // An empty array is no valid C++; an empty folder has an empty span.
    if (documents.empty()) {
      folders +=
          fmt::format("      {{{}, [] {{ return std::span<const text::Document>(); }}}},\n", quoted(args[i]));
      continue;
    }
    out += fmt::format(
        "std::span<const text::Document> folder_{0}() {{\n  using text::Document;\n{1}"
        "  static const Document documents[] = {{\n{2}  }};\n  return documents;\n}}\n",
        i, trees, documents);
    folders += fmt::format("      {{{}, folder_{}}},\n", quoted(args[i]), i);
  }
  out += fmt::format(
      "}}  // namespace\n\nstd::span<const EmbeddedFolder> embedded_folders() {{\n"
      "  static constexpr EmbeddedFolder folders[] = {{\n{}  }};\n  return folders;\n}}\n\n"
      "}}  // namespace shapelint::catalog\n",
      folders);
  out += conditions.source();
  const auto written = files.write(args[0], out);
  if (!written) return fail(written.error(), {});
  return 0;
}
