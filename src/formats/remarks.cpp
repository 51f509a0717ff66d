// Duplicate keys, and numbers that are none.
#include "formats/remarks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "formats/dialect/values.hpp"
#include "text/source.hpp"
#include "text/yaml/nodes.hpp"

namespace shapelint::formats {

namespace {

using model::Remark;
using text::Kind;
using text::NodeRef;

// Longest value that a message repeats.
constexpr std::size_t longest_shown = 40;

std::string written_at(const text::Document& document, Span span) {
  const std::string_view source = document.source();
  const auto begin = std::min(source.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, span.begin)));
  const auto end = std::min(source.size(), static_cast<std::size_t>(std::max(span.begin, span.end)));
  std::string_view text = source.substr(begin, end - begin);
  if (const auto line = text.find('\n'); line != std::string_view::npos || text.size() > longest_shown) {
    text = text.substr(0, std::min(line, longest_shown));
    return std::string(text) + "…";
  }
  return std::string(text);
}

Remark remark_at(Remark::Kind kind, const text::Document& document, NodeRef node) {
  Remark out;
  out.kind = kind;
  out.path = std::string(document.path());
  out.span = node.span();
  out.key_path = node.path();
  out.key = std::string(node.key());
  out.written = written_at(document, node.span());
  charge_bytes(out.key_path.size() + out.key.size());  // each may be nearly all of a file
  return out;
}

std::string normal_key(std::string_view key, bool flags) {
  std::string out(key);
  if (!flags) return out;
  if (out.starts_with("--")) out.erase(0, 2);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

// For scalars: the contents of tables and lists are not compared.
bool same_value(NodeRef a, NodeRef b) {
  const bool is_scalar = !a.is(Kind::table) && !a.is(Kind::list) && a.size() == 0;
  return is_scalar && a.kind() == b.kind() && a.as_string() == b.as_string() &&
         a.as_number() == b.as_number() && a.as_boolean() == b.as_boolean();
}

// Flags of launchers (uv, docker) that stand in front of the program's own and add up.
bool adds_up(std::string_view flag) {
  constexpr std::array<std::string_view, 9> flags = {"--with",   "--with-editable", "--extra",
                                                     "--group",  "--env",           "--env-file",
                                                     "--volume", "--mount",         "--device"};
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

void find_duplicates(const Dialect& dialect, const text::Document& document, bool is_command,
                     std::vector<Remark>& out) {
  const text::SharedText source = document.shared_source();
  for (std::size_t i = 0; i < document.nodes().size(); ++i) {
    if (document.nodes()[i].kind != Kind::table) continue;
    // Flags of a script's other commands are no one command's.
    if (is_command && NodeRef(&document, static_cast<std::int32_t>(i)).key() == "others") continue;
    std::map<std::string, NodeRef, std::less<>> seen;
    for (const NodeRef child : NodeRef(&document, static_cast<std::int32_t>(i))) {
      // Only flags are keys of a script; a value from a variable overrides on purpose.
      if (is_command && (child.use_span() || !child.key().starts_with("--") || adds_up(child.key())))
        continue;
      const auto [at, is_new] = seen.try_emplace(normal_key(child.key(), dialect.flags), child);
      if (is_new) continue;
      const NodeRef first = at->second;
      at->second = child;
      if (first.key_span().begin >= child.key_span().begin) continue;  // merged in, or expanded twice
      // So does what follows an array, a variable or a sourced script.
      if (is_command && (first.use_span() || first.expansion() != child.expansion())) continue;
      Remark remark = remark_at(Remark::Kind::duplicate_key, document, child);
      remark.span = child.key_span();
      remark.meaning = fmt::format("`{}` on line {}", written_at(document, first.span()),
                                   source.places().place(first.span().begin).line);
      if (same_value(first, child)) remark.kind = Remark::Kind::repeated_key;
      out.push_back(std::move(remark));
      if (out.size() > max_remarks) return;
    }
  }
}

// `1e-5` as PyYAML wants it: with a point before the exponent and a sign in it.
std::string with_point_and_sign(std::string_view text, double value) {
  const auto at = text.find_first_of("eE");
  if (at == std::string_view::npos || at + 1 >= text.size()) return exact(value);
  std::string out(text.substr(0, at));
  if (out.find('.') == std::string::npos) out += ".0";
  out += 'e';
  std::string_view exponent = text.substr(at + 1);
  if (exponent.front() != '-' && exponent.front() != '+') out += '+';
  return out + std::string(exponent);
}

bool is_octal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() > 1 && text.front() == '0' &&
         text.find_first_not_of("01234567_") == std::string_view::npos;
}

void find_misread(const Dialect& dialect, const text::Document& document, std::vector<Remark>& out) {
  for (std::size_t i = 0; i < document.nodes().size() && out.size() <= max_remarks; ++i) {
    const NodeRef node(&document, static_cast<std::int32_t>(i));
    if (node.use_span() || node.key().empty()) continue;
    if (node.is(Kind::string) && !dialect.reads_exponents) {
      // What is quoted is meant as a string.
      const std::string written = written_at(document, node.span());
      const auto value =
          written == *node.as_string() ? text::yaml::number_read_as_string(written) : std::nullopt;
      // It is unknown what `1.0e_8` is meant to be.
      if (!value || written.find("e_") != std::string::npos) continue;
      Remark remark = remark_at(Remark::Kind::number_misread, document, node);
      remark.meaning = "a string";
      remark.instead = with_point_and_sign(remark.written, *value);
      out.push_back(std::move(remark));
    } else if (node.is(Kind::integer)) {
      if (!is_octal(written_at(document, node.span()))) continue;
      Remark remark = remark_at(Remark::Kind::number_misread, document, node);
      remark.meaning = fmt::format("the octal number {}", *node.as_integer());
      const auto digits = remark.written.find_first_not_of("+-0_");
      remark.instead = digits == std::string::npos ? "0" : remark.written.substr(digits);
      out.push_back(std::move(remark));
    }
  }
}

bool supports_syntax(const Dialect& dialect, std::string_view syntax) {
  return std::find(dialect.syntax.begin(), dialect.syntax.end(), syntax) != dialect.syntax.end();
}

}  // namespace

std::optional<Error> too_many_remarks(const std::vector<Remark>& remarks) {
  if (remarks.size() <= max_remarks) return std::nullopt;
  const Remark& first = remarks[max_remarks];
  return Error{fmt::format("the file has more than {} duplicate or misspelt keys and malformed numbers",
                           with_commas(static_cast<std::int64_t>(max_remarks))),
               "a configuration is smaller", first.path, first.span, ErrorCode::too_large};
}

void remark_on(const Dialect& dialect, const text::Document& document, std::string_view syntax,
               std::vector<Remark>& out) {
  if (syntax == "json" || syntax == "yaml" || syntax == "shell")
    find_duplicates(dialect, document, syntax == "shell", out);
  if (syntax == "yaml") find_misread(dialect, document, out);
}

void remark_on_text(const Dialect& dialect, NodeRef node, model::FieldId field, std::vector<Remark>& out) {
  const auto text = node.as_string();
  const bool is_word =
      supports_syntax(dialect, "shell") || node.key().starts_with("--");  // of a command line
  if (!text || node.use_span() || field == model::no_field || is_word) return;
  if (model::info(field).type != model::FieldType::integer) return;
  const bool is_digits = text->find_first_of("0123456789") != std::string_view::npos &&
                         text->find_first_not_of("0123456789_ ") == std::string_view::npos;
  if (!is_digits) return;
  Remark remark;
  remark.kind = Remark::Kind::number_misread;
  remark.path = std::string(node.file());
  remark.span = node.span();
  remark.key_path = node.path();
  remark.key = std::string(node.key());
  remark.written = fmt::format("\"{}\"", *text);
  remark.meaning = "a string";
  remark.field = field;
  std::copy_if(text->begin(), text->end(), std::back_inserter(remark.instead),
               [](char c) { return c >= '0' && c <= '9'; });
  out.push_back(std::move(remark));
}

void remark_on_choice(NodeRef node, const Alternative& alternative, model::FieldId field,
                      std::vector<Remark>& out) {
  const std::string text = written_form(node);
  if (text.empty()) return;
  const std::vector<std::string_view> choices(alternative.choices.begin(), alternative.choices.end());
  const bool is_one = std::any_of(choices.begin(), choices.end(), [&](std::string_view each) {
    return glob_matches(each, text, Glob::name);
  });
  if (is_one) return;
  Remark remark;
  remark.kind = Remark::Kind::value_refused;
  remark.path = std::string(node.file());
  remark.span = node.use_span().value_or(node.span());
  remark.key_path = node.path();
  remark.key = std::string(node.key());
  remark.written = text.substr(0, longest_shown);
  // A number is not a misspelling of another.
  const std::string near = parse_integer(text) ? "" : did_you_mean(text, choices);
  remark.instead = near.empty() ? fmt::format("choices: {}", fmt::join(choices, ", ")) : near;
  remark.field = field;
  out.push_back(std::move(remark));
}

void remark_on_unresolved(model::Reading& reading, const std::vector<Unresolved>& unresolved) {
  using model::FieldId;
  constexpr std::array sizes{
      FieldId::hidden_size,       FieldId::num_layers,       FieldId::num_attention_heads,
      FieldId::intermediate_size, FieldId::vocab_size,       FieldId::num_key_value_heads,
      FieldId::sequence_length,   FieldId::micro_batch_size, FieldId::tensor,
      FieldId::pipeline};
  constexpr std::array of_attention{FieldId::num_attention_heads, FieldId::num_key_value_heads,
                                    FieldId::head_dim, FieldId::value_head_dim};
  const model::ModelSpec& model = reading.setup.model;
  const bool has_attention = model.num_layers < 1 || model.layers_without_attention < model.num_layers;
  for (const Unresolved& each : unresolved) {
    const bool is_size = std::find(sizes.begin(), sizes.end(), each.field) != sizes.end();
    if (!each.is_stated && !is_size) continue;
    const bool is_of_attention =
        std::find(of_attention.begin(), of_attention.end(), each.field) != of_attention.end();
    if (is_of_attention && !has_attention) continue;
    const model::FieldInfo& info = model::info(each.field);
    Remark remark;
    remark.kind = Remark::Kind::unresolved;
    remark.field = each.field;
    remark.path = std::string(each.node.file());
    remark.span = each.node.use_span().value_or(each.node.span());
    remark.key_path = each.node.path();
    remark.key = fmt::format("`{}`", info.name);
    remark.meaning = each.meaning;
    remark.instead = fmt::format("--{} {}", dashed(info.name), info.choices.empty() ? "N" : "NAME");
    reading.remarks.push_back(std::move(remark));
  }
}

namespace {

// A label is one line: it has the first reason, two flags if there is room, and `…` for more.
void add_reason(std::string& reasons, std::string_view reason) {
  constexpr std::string_view more = ", …";
  if (!reasons.ends_with(more) && reasons.find(reason) == std::string::npos) reasons += more;
}

void add_flag(std::string& flags, std::string_view flag, std::size_t reason) {
  constexpr std::string_view more = " …";
  constexpr std::size_t most = 90;  // characters of the reason and the flags
  if (flags.ends_with(more) || flags.find(flag) != std::string::npos) return;
  const bool has_room = flags.find(" --") == std::string::npos && reason + flags.size() + flag.size() < most;
  flags += has_room ? fmt::format(" {}", flag) : std::string(more);
}

// What is in `text` already is not said again.
void add_words(std::string& text, std::string_view words, std::string_view between) {
  if (text.find(words) == std::string::npos) text += std::string(between) + std::string(words);
}

}  // namespace

void add_remarks(const std::vector<Remark>& from, std::vector<Remark>& into) {
  for (const Remark& each : from) {
    if (into.size() > max_remarks) return;
    const auto there = std::find_if(into.begin(), into.end(), [&](const Remark& other) {
      const bool is_one = each.kind == Remark::Kind::unresolved || other.span.begin == each.span.begin;
      return other.kind == each.kind && other.path == each.path && is_one;
    });
    if (there == into.end()) {
      into.push_back(each);
    } else if (each.kind == Remark::Kind::unresolved) {
      add_words(there->key, each.key, ", ");
      add_reason(there->meaning, each.meaning);
      add_flag(there->instead, each.instead, there->meaning.size());
    }
  }
}

}  // namespace shapelint::formats
