// Following `${…}`.
#include "text/interpolation/interpolate.hpp"

#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/keyed_hash.hpp"
#include "base/strings.hpp"
#include "text/errors.hpp"
#include "text/interpolation/value.hpp"
#include "text/python/python.hpp"

namespace shapelint::text::interpolation {

namespace {

class Interpolator {
 public:
  Interpolator(const Document& document, const Scopes& scopes) : document_(document), scopes_(scopes) {}

  std::optional<Error> run() {
    const Budget budget;
    try {
      if (document_.root()) copy(no_node, document_.root(), document_.root(), std::nullopt, 0);
    } catch (const Spent& spent) {
      error_ = too_costly(spent, std::string(document_.path()), place_);
    }
    return std::move(error_);
  }

  TreeBuilder take() && { return std::move(tree_); }

 private:
  // Copies `value` as if it stood where `place` is.
  void copy(std::int32_t parent, NodeRef place, NodeRef value, std::optional<Span> use, int depth) {
    if (error_) return;
    if (static_cast<std::int64_t>(tree_.size()) >= max_values ||
        tree_.pool_size() > static_cast<std::size_t>(2 * max_source_bytes)) {
      error_ = too_many_values(std::string(document_.path()), value.span().begin);
      return;
    }
    if (depth > max_depth) {
      error_ = too_deep(std::string(document_.path()), value.span().begin);
      return;
    }
    charge(units_per_value);
    place_ = value.span().begin;
    const auto text = value.as_string();
    if (text) charge_text(text->size());
    if (text && (text->find("${") != std::string_view::npos || *text == "???")) {
      return copy_outcome(parent, place, value, *text, use, depth);
    }
    const std::int32_t index = add(parent, value.kind(), place, value.span(), use ? use : value.use_span());
    if (text) tree_.set_string(index, *text);
    if (value.is(Kind::boolean)) tree_.set_boolean(index, *value.as_boolean());
    if (value.is(Kind::integer)) tree_.set_integer(index, *value.as_integer());
    if (value.is(Kind::number)) tree_.set_number(index, *value.as_number());
    if (!value.note().empty()) tree_.set_note(index, value.note());
    open_.insert(value.index());
    for (const NodeRef child : value) copy(index, child, child, use, depth + 1);
    open_.erase(value.index());
  }

  void copy_outcome(std::int32_t parent, NodeRef place, NodeRef value, std::string_view text,
                    std::optional<Span> use, int depth) {
    const Resolved& outcome = resolve(value);
    const bool is_circle = outcome.kind == Resolved::Kind::node && open_.contains(outcome.node.index());
    if (outcome.kind == Resolved::Kind::node && !is_circle) {
      return copy(parent, place, outcome.node, use ? use : reference_span(value, text), depth + 1);
    }
    if (is_circle || outcome.kind == Resolved::Kind::unknown) {
      const std::int32_t index =
          add(parent, Kind::unknown, place, value.span(), use ? use : value.use_span());
      tree_.set_note(index, is_circle ? "circular reference" : outcome.text);
      return;
    }
    const yaml::Scalar& scalar = outcome.scalar;
    const std::int32_t index = add(parent, scalar.kind, place, value.span(), use ? use : value.use_span());
    if (scalar.kind == Kind::string) tree_.set_string(index, outcome.text);
    if (scalar.kind == Kind::boolean) tree_.set_boolean(index, scalar.boolean);
    if (scalar.kind == Kind::integer) tree_.set_integer(index, scalar.integer);
    if (scalar.kind == Kind::number) tree_.set_number(index, scalar.number);
  }

  std::int32_t add(std::int32_t parent, Kind kind, NodeRef place, Span span, std::optional<Span> use) {
    const std::int32_t index = tree_.add(parent, kind, place.key(), place.key_span(), span);
    if (use) tree_.set_use(index, *use);
    return index;
  }

  // The bytes of the `${…}` in the source; of the whole value where quotes or escapes hide it.
  Span reference_span(NodeRef value, std::string_view text) const {
    const Span span = value.span();
    const std::string_view written = document_.source().substr(
        static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin));
    const std::string_view reference = trimmed(text);
    charge(1 + written.size() / 8);
    const std::size_t at = written.find(reference);
    if (at == std::string_view::npos) return span;
    const std::int64_t begin = span.begin + static_cast<std::int64_t>(at);
    return {begin, begin + static_cast<std::int64_t>(reference.size())};
  }

  const Resolved& resolve(NodeRef node) {
    const auto [found, is_new] = outcomes_.try_emplace(node.index(), unknown("it refers to itself"));
    if (!is_new) return found->second;
    Resolved outcome = evaluate(*node.as_string(), node, 0);
    charge_bytes(outcome.text.size());
    return outcomes_[node.index()] = std::move(outcome);
  }

  // A string that holds references, `around` being the node that it stands in.
  Resolved evaluate(std::string_view text, NodeRef around, int depth) {
    if (++evaluations_ > max_values || depth > max_reference_depth || nesting_ >= max_nesting) {
      return unknown("its references are nested too deep");
    }
    charge(units_per_value + text.size() / 8);
    ++nesting_;
    Resolved outcome = evaluate_parts(text, around, depth);
    --nesting_;
    return outcome;
  }

  Resolved evaluate_parts(std::string_view text, NodeRef around, int depth) {
    if (text == "???") return unknown("it is required (`???`) and not given");
    const std::string_view whole = trimmed(text);
    if (whole.starts_with("${") && reference_end(whole, 0) == whole.size()) {
      return reference(whole.substr(2, whole.size() - 3), around, depth);
    }
    std::string all;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t open = text.find("${", at);
      if (open == std::string_view::npos) {
        all += text.substr(at);
        break;
      }
      if (open > 0 && text[open - 1] == '\\') {  // an escaped one
        all += text.substr(at, open - 1 - at);
        all += "${";
        at = open + 2;
        continue;
      }
      const std::size_t end = reference_end(text, open);
      if (end == std::string_view::npos)
        return unknown(fmt::format("`{}` is never closed", text.substr(open, 2)));
      all += text.substr(at, open - at);
      const Resolved part = reference(text.substr(open + 2, end - open - 3), around, depth);
      charge_text(part.text.size());
      const std::optional<std::string> shown = as_text(part);
      if (!shown) return part.kind == Resolved::Kind::unknown ? part : unknown("a table or list in a string");
      charge_text(shown->size());
      all += *shown;
      at = end;
      if (all.size() > static_cast<std::size_t>(max_text)) return unknown("the string is too long");
    }
    return of_string(std::move(all));
  }

  // The inside of `${…}`.
  Resolved reference(std::string_view inside, NodeRef around, int depth) {
    inside = trimmed(inside);
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos) return by_path(inside, around);
    const std::string_view name = trimmed(inside.substr(0, colon));
    const std::string_view rest = inside.substr(colon + 1);
    if (name == "oc.env" || name == "oc.select" || name == "oc.decode" || name == "env") {
      HeldBytes held;
      const std::vector<std::string_view> parts = split_arguments(rest, held);
      if (name == "oc.select") {
        Resolved found = by_path(parts.front(), around);
        if (found.kind != Resolved::Kind::unknown || parts.size() < 2) return found;
        return argument(parts[1], around, depth);
      }
      if (name == "oc.decode") return argument(parts.front(), around, depth);
      if (parts.size() > 1) return argument(parts[1], around, depth);
      return unknown(fmt::format("unknown environment variable `{}`", parts.front()));
    }
    if (is_variable_name(name)) {
      return argument(trimmed(rest.starts_with('-') ? rest.substr(1) : rest), around, depth);
    }
    return computed(name, rest, around, depth);
  }

  Resolved argument(std::string_view written, NodeRef around, int depth) {
    if (written.find("${") != std::string_view::npos) return evaluate(written, around, depth + 1);
    if (written.size() >= 2 && (written[0] == '\'' || written[0] == '"') && written.back() == written[0]) {
      return of_string(std::string(written.substr(1, written.size() - 2)));
    }
    return of_written(written);
  }

  // `${eval:4 * ${.d_model}}`: an expression in Python, once what it refers to stands in it.
  Resolved evaluated(std::string_view written, NodeRef around, int depth) {
    Resolved filled = argument(written, around, depth);
    if (filled.kind == Resolved::Kind::unknown) return filled;
    std::optional<std::string> expression = as_text(filled);
    if (expression && expression->size() > 1 && (expression->front() == '"' || expression->front() == '\'') &&
        expression->back() == expression->front())
      expression = expression->substr(1, expression->size() - 2);
    if (!expression || expression->find('\n') != std::string::npos)
      return unknown("`eval` without an expression");
    const Result<Document> read = parse_python({}, "x = " + *expression);
    const NodeRef value = read ? read->root()["x"] : NodeRef();
    if (value.is(Kind::integer)) return of_number(static_cast<double>(*value.as_integer()), true);
    if (value.is(Kind::number)) return of_number(*value.as_number(), false);
    if (const auto text = value.as_string()) return of_string(std::string(*text));
    return unknown("`eval` is evaluated at run time");
  }

  Resolved computed(std::string_view name, std::string_view rest, NodeRef around, int depth) {
    if (name == "eval") return evaluated(rest, around, depth);
    if (!is_arithmetic(name)) return unknown(fmt::format("`{}` is evaluated at run time", name));
    HeldBytes held;
    std::vector<WrittenNumber> operands;
    for (const std::string_view written : split_arguments(rest, held)) {
      charge(units_per_value);
      held.add(2 * sizeof(WrittenNumber));
      const Resolved operand = argument(written, around, depth);
      const auto number = as_number(operand);
      if (!number) {
        return operand.kind == Resolved::Kind::unknown
                   ? operand
                   : unknown(fmt::format("`{}` is not a number", written));
      }
      operands.push_back(*number);
    }
    return calculated(name, operands);
  }

  Resolved by_path(std::string_view path, NodeRef around) {
    charge(units_per_value + path.size() / 8);
    NodeRef at = document_.root();
    std::string_view rest = path;
    const bool is_relative = rest.starts_with('.');
    if (is_relative) {
      at = around;
      while (rest.starts_with('.')) {
        at = at.parent();
        rest.remove_prefix(1);
      }
    }
    while (at && !rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
      if (end > 0) at = step(follow(at), rest.substr(0, end));
      rest.remove_prefix(end);
      if (rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        if (close == std::string_view::npos) return unknown(fmt::format("`{}` is not a path", path));
        at = step(follow(at), rest.substr(1, close - 1));
        rest.remove_prefix(close + 1);
      }
      if (rest.starts_with('.')) rest.remove_prefix(1);
    }
    if (scopes_.over && (at || !is_relative)) {
      const NodeRef over = scopes_.over(at ? at.path() : std::string(path));
      if (const std::optional<Resolved> outcome = over ? of_other_file(over) : std::nullopt) return *outcome;
    }
    if (at) return settled(at);
    if (!is_relative) {
      for (const std::string& scope : scopes_.names) {
        charge(units_per_value);
        NodeRef table = document_.root();
        for (std::string_view names = scope; table && !names.empty();) {
          const std::size_t dot = std::min(names.find('.'), names.size());
          table = step(table, names.substr(0, dot));
          names.remove_prefix(std::min(dot + 1, names.size()));
        }
        if (const NodeRef found = step(table, path)) return settled(found);
      }
    }
    if (is_variable_name(path)) return unknown(fmt::format("unknown environment variable `{}`", path));
    return unknown(fmt::format("no `{}` in this file", path));
  }

  // A scalar of another document.
  static std::optional<Resolved> of_other_file(NodeRef node) {
    if (const auto text = node.as_string()) return of_string(std::string(*text));
    if (const auto whole = node.as_integer()) return of_number(static_cast<double>(*whole), true);
    if (const auto number = node.as_number()) return of_number(*number, false);
    if (node.is(Kind::unknown)) return unknown(std::string(node.note()));
    return std::nullopt;
  }

  // A node that holds an interpolation stands for what that comes to.
  Resolved settled(NodeRef node) {
    const auto text = node.as_string();
    if (text && (text->find("${") != std::string_view::npos || *text == "???")) return resolve(node);
    if (node.is(Kind::unknown)) return unknown(std::string(node.note()));
    Resolved outcome;
    outcome.kind = Resolved::Kind::node;
    outcome.node = node;
    return outcome;
  }

  // On the way along a path: through a reference to the table that it names.
  NodeRef follow(NodeRef node) {
    if (!node || !node.is(Kind::string)) return node;
    const Resolved outcome = settled(node);
    return outcome.kind == Resolved::Kind::node ? outcome.node : NodeRef();
  }

  NodeRef step(NodeRef node, std::string_view name) {
    charge(units_per_value + name.size() / 8);
    if (node.is(Kind::table)) {
      const auto [keys, is_new] = keys_.try_emplace(node.index());
      if (is_new) {
        charge(units_per_value * node.size());
        for (const NodeRef child : node) keys->second[child.key()] = child;
      }
      const auto found = keys->second.find(name);
      return found == keys->second.end() ? NodeRef() : found->second;
    }
    if (!node.is(Kind::list)) return {};
    std::size_t position = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), position);
    return problem == std::errc() && end == name.data() + name.size() ? node[position] : NodeRef();
  }

  // Of a look-up, or of a value that is copied.
  static constexpr std::size_t units_per_value = 10;
  // References in arguments of references; real files use three.
  static constexpr int max_reference_depth = 32;
  // References to references; each takes a few stack frames.
  static constexpr int max_nesting = 500;
  // Characters of one assembled text.
  static constexpr std::int64_t max_text = 100'000;

  const Document& document_;
  const Scopes& scopes_;
  TreeBuilder tree_;
  std::unordered_map<std::int32_t, Resolved> outcomes_;
  std::unordered_map<std::int32_t, std::unordered_map<std::string_view, NodeRef, KeyedHash>>
      keys_;                               // of tables, by node
  std::unordered_set<std::int32_t> open_;  // tables and lists that are being copied
  std::int64_t evaluations_ = 0;
  int nesting_ = 0;
  std::int64_t place_ = 0;  // of the value that is worked out
  std::optional<Error> error_;
};

}  // namespace

}  // namespace shapelint::text::interpolation

namespace shapelint::text {

Result<Document> interpolate(const Document& document, const interpolation::Scopes& scopes) {
  interpolation::Interpolator interpolator(document, scopes);
  if (auto error = interpolator.run()) return *std::move(error);
  return std::move(interpolator).take().finish(std::string(document.path()), document.shared_source());
}

}  // namespace shapelint::text
