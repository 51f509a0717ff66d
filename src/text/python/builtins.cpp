// What Python and its standard library bring along.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/number.hpp"
#include "text/python/run.hpp"

namespace shapelint::text::python {

namespace {

constexpr std::int64_t longest_range = 20'000;

Value whole(double value) {
  constexpr double largest = 9.0e18;
  if (!std::isfinite(value) || std::fabs(value) > largest)
    return unknown("the number is too large, or not a number");
  return of_integer(static_cast<std::int64_t>(value));
}

const Value* named(const Arguments& given, std::string_view key) {
  charge(given.named.size());
  for (const Entry& each : given.named) {
    if (each.key == key) return &each.value;
  }
  return nullptr;
}

// `int(x)` and `float(x)`.
Value converted(const Value& value, bool to_integer) {
  if (value.kind == ValueKind::unknown) return value;
  if (value.kind == ValueKind::string) {
    charge(value.text.size() / 8);
    if (to_integer) {
      const auto read = parse_integer(value.text);
      return read ? of_integer(*read) : unknown("the string is not a number");
    }
    const auto read = parse_number(value.text);
    return read && std::isfinite(*read) ? of_number(*read) : unknown("the string is not a number");
  }
  if (!is_numeric(value)) return unknown("it is not a number");
  if (!to_integer) return of_number(as_double(value));
  return value.kind == ValueKind::number ? whole(std::trunc(value.number)) : of_integer(value.integer);
}

Value rounded(const Arguments& given) {
  if (given.positional.size() != 1 || !is_numeric(given.positional[0])) return unknown("it is not a number");
  // To even, as Python does.
  const double value = as_double(given.positional[0]);
  const double below = std::floor(value);
  const double rest = value - below;
  if (rest < 0.5 || (rest == 0.5 && std::fmod(below, 2) == 0)) return whole(below);
  return whole(below + 1);
}

Value extreme(const std::vector<Value>& values, bool is_maximum) {
  charge(2 * values.size());
  if (values.empty()) return unknown("the list is empty");
  Value best = values.front();
  for (const Value& each : values) {
    if (each.kind == ValueKind::unknown) return each;
    if (!is_numeric(each)) return unknown("it is not a number");
    const bool is_better = is_maximum ? as_double(each) > as_double(best) : as_double(each) < as_double(best);
    if (is_better) best = each;
  }
  return best;
}

}  // namespace

std::optional<Value> Interpreter::builtin(std::string_view name, Arguments& given) {
  std::vector<Value>& values = given.positional;
  const std::size_t count = values.size();
  if (given.is_open) return std::nullopt;
  if (name == "print") return none();
  if ((name == "int" || name == "float") && count == 1) return converted(values[0], name == "int");
  if (name == "round") return rounded(given);
  if (name == "str" && count == 1) {
    Value out = of_text({});
    if (values[0].kind == ValueKind::unknown) return values[0];
    if (!write(values[0], out.text)) return unknown("it is a string known only at run time");
    return out;
  }
  if (name == "bool" && count == 1) {
    const Truth is_so = truth(values[0]);
    if (is_so == Truth::open) return unknown("it depends on a condition known only at run time");
    return of_boolean(is_so == Truth::yes);
  }
  if (name == "abs" && count == 1 && is_numeric(values[0])) {
    if (values[0].kind == ValueKind::number) return of_number(std::fabs(values[0].number));
    return values[0].integer < 0 ? apply("-", of_integer(0), values[0]) : of_integer(values[0].integer);
  }
  if (name == "len" && count == 1) {
    if (values[0].kind == ValueKind::string)
      return of_integer(static_cast<std::int64_t>(values[0].text.size()));
    if (is_sequence(values[0]) || values[0].kind == ValueKind::table)
      return of_integer(static_cast<std::int64_t>(values[0].object->entries.size()));
    return std::nullopt;
  }
  if (name == "max" || name == "min") {
    if (named(given, "key") != nullptr || named(given, "default") != nullptr) return std::nullopt;
    if (count == 1) {
      const auto of = iterated(values[0]);
      if (!of) return std::nullopt;
      return extreme(*of, name == "max");
    }
    return extreme(values, name == "max");
  }
  if (name == "sum" && count == 1) {
    const auto of = iterated(values[0]);
    if (!of) return std::nullopt;
    Value out = of_integer(0);
    charge(4 * of->size());
    for (const Value& each : *of) out = apply("+", out, each);
    return out;
  }
  if ((name == "any" || name == "all") && count == 1) {
    const auto of = iterated(values[0]);
    if (!of) return std::nullopt;
    const Truth decides = name == "any" ? Truth::yes : Truth::no;
    bool is_open = false;
    charge(of->size());
    for (const Value& each : *of) {
      if (truth(each) == decides) return of_boolean(name == "any");
      is_open = is_open || truth(each) == Truth::open;
    }
    if (is_open) return std::nullopt;
    return of_boolean(name == "all");
  }
  if (name == "range" && count >= 1 && count <= 3) {
    for (const Value& each : values) {
      if (each.kind != ValueKind::integer) return std::nullopt;
    }
    const std::int64_t from = count > 1 ? values[0].integer : 0;
    const std::int64_t to = count > 1 ? values[1].integer : values[0].integer;
    const std::int64_t step = count > 2 ? values[2].integer : 1;
    if (step == 0 || from > longest_range || from < -longest_range || to > longest_range ||
        to < -longest_range)
      return std::nullopt;
    std::vector<Value> items;
    const std::int64_t bounded = std::clamp(step, -longest_range * 4, longest_range * 4);
    for (std::int64_t i = from; step > 0 ? i < to : i > to; i += bounded) items.push_back(of_integer(i));
    spend(items.size() / 16);
    return list_of(std::move(items), ValueKind::tuple);
  }
  if ((name == "list" || name == "tuple") && count <= 1) {
    if (count == 0) return list_of({}, name == "list" ? ValueKind::list : ValueKind::tuple);
    auto of = iterated(values[0]);
    if (!of) return std::nullopt;
    return list_of(*std::move(of), name == "list" ? ValueKind::list : ValueKind::tuple);
  }
  if (name == "dict" && count <= 1) {
    Value out;
    out.kind = ValueKind::table;
    out.object = &make({});
    if (count == 1) {
      if (values[0].kind != ValueKind::table) return std::nullopt;
      for (const Entry& each : values[0].object->entries) {
        Entry& entry = out.object->set(each.key, each.value);
        entry.key_span = each.key_span;
        entry.where = each.where;
      }
      values_ += out.object->entries.size();
    }
    for (Entry& each : given.named) {
      Entry& entry = out.object->set(each.key, std::move(each.value));
      entry.key_span = each.key_span;
      entry.where = each.where;
    }
    return out;
  }
  if (name == "enumerate" && count == 1) {
    const auto of = iterated(values[0]);
    if (!of) return std::nullopt;
    std::vector<Value> pairs;
    for (std::size_t i = 0; i < of->size(); ++i) {
      if (spend()) return too_long();
      pairs.push_back(list_of({of_integer(static_cast<std::int64_t>(i)), (*of)[i]}, ValueKind::tuple));
    }
    return list_of(std::move(pairs), ValueKind::list);
  }
  if (name == "getattr" && count >= 2 && values[1].kind == ValueKind::string) {
    if (values[0].kind == ValueKind::unknown) return values[0];
    Value found = attribute(values[0], values[1].text);
    if (found.kind == ValueKind::unknown && count == 3 && values[0].kind == ValueKind::instance &&
        values[0].object->module != nullptr)
      return values[2];
    return found;
  }
  if (name == "setattr" && count == 3 && values[1].kind == ValueKind::string) {
    Frame frame;
    frame.module = values[2].where;
    store_into(values[0], values[1].text, values[2], values[2].span, frame);
    return none();
  }
  return std::nullopt;
}

std::optional<Value> Interpreter::library(std::string_view name, Arguments& given) {
  std::vector<Value>& values = given.positional;
  if (name.starts_with("os.") && !name.starts_with("os.path"))
    return unknown("it is part of the environment");
  if (name == "typing.cast" && values.size() == 2) return values[1];
  if (name.starts_with("math.")) {
    if (values.empty() || !is_numeric(values[0])) return unknown("it is not a number");
    const double x = as_double(values[0]);
    if (name == "math.ceil") return whole(std::ceil(x));
    if (name == "math.floor" || name == "math.trunc")
      return whole(name == "math.floor" ? std::floor(x) : std::trunc(x));
    if (name == "math.sqrt" && x >= 0) return of_number(std::sqrt(x));
    if (name == "math.log2" && x > 0) return of_number(std::log2(x));
    return unknown("it is computed by an unknown function");
  }
  if ((name == "copy.deepcopy" || name == "copy.copy") && values.size() == 1)
    return copy(values[0], name == "copy.copy" ? deepest_copy : 0);
  if (name == "dataclasses.replace" && values.size() == 1 && values[0].kind == ValueKind::instance) {
    Value out = copy(values[0], deepest_copy);
    if (out.kind != ValueKind::instance) return out;  // it takes too many steps
    for (Entry& each : given.named) {
      Entry& entry = out.object->set(each.key, std::move(each.value));
      entry.key_span = each.key_span;
      entry.where = each.where;
    }
    return out;
  }
  if (name == "nemo_run.Config" || name == "nemo_run.Partial") return configured(given);
  return std::nullopt;
}

// `Config(what, …)`: what is called later, with what it is given now.
std::optional<Value> Interpreter::configured(Arguments& given) {
  if (given.positional.empty()) return std::nullopt;
  const Value what = given.positional.front();
  charge(2 * given.positional.size());
  given.positional.erase(given.positional.begin());
  if (what.kind == ValueKind::named) return opaque(what.text, std::move(given));
  if (what.kind == ValueKind::type && what.object->find("__init__") == nullptr)
    return construct(what, std::move(given));
  if (what.kind == ValueKind::type || what.kind == ValueKind::function)
    return opaque(what.object->type, std::move(given));
  return unknown("the called function is not known");
}

// An option of argparse: what it is unless the command line says otherwise.
void Interpreter::add_argument(Object& parser, const Arguments& given) {
  std::string key;
  if (const Value* const other = named(given, "dest"); other != nullptr && other->kind == ValueKind::string) {
    key = other->text;
  } else {
    for (const Value& each : given.positional) {
      charge(1 + each.text.size() / 8);
      if (each.kind != ValueKind::string) return;
      const std::size_t dashes = std::min(each.text.find_first_not_of('-'), each.text.size());
      // The first long name, or else the first.
      if (key.empty() || dashes == 2) key = each.text.substr(dashes);
      if (dashes == 2) break;
    }
    std::replace(key.begin(), key.end(), '-', '_');
  }
  if (key.empty() || given.is_open) return;
  const Value* const action = named(given, "action");
  const Value* const required = named(given, "required");
  const bool is_flag = action != nullptr && action->kind == ValueKind::string;
  Value value = none();
  if (const Value* const fallback = named(given, "default")) {
    const Value* const type = named(given, "type");
    const bool is_number = type != nullptr && type->kind == ValueKind::builtin &&
                           fallback->kind == ValueKind::string &&
                           (type->text == "int" || type->text == "float");
    value = is_number ? converted(*fallback, type->text == "int") : *fallback;
  } else if (is_flag && (action->text == "store_true" || action->text == "store_false")) {
    value = of_boolean(action->text == "store_false");
  } else if (required != nullptr && truth(*required) != Truth::no) {
    value = unknown(fmt::format("the command line gives `{}`", key));
  }
  if (maybe_ > parser.born) value = unknown("whether the option exists is known only at run time");
  if (!given.positional.empty() && value.where == nullptr) {
    value.where = given.positional.front().where;
    value.span = given.positional.front().span;
  }
  ++values_;
  Entry& entry = parser.set(key, std::move(value));
  entry.where = given.positional.empty() ? nullptr : given.positional.front().where;
  if (!given.positional.empty()) entry.key_span = given.positional.front().span;
}

// argparse: the defaults of a parser's options are what `parse_args()` gives.
std::optional<Value> Interpreter::command_line(const Value& of, std::string_view name, Arguments& given) {
  constexpr std::string_view options = "()options";  // of a parser, in addition to its constructor's
  if (of.kind != ValueKind::instance || !of.object->type.starts_with("argparse.ArgumentParser"))
    return std::nullopt;
  if (name == "add_argument_group" || name == "add_mutually_exclusive_group") return of;
  Value* found = of.object->find(options);
  if (found == nullptr) {
    Value table;
    table.kind = ValueKind::table;
    table.object = &make({});
    table.object->born = of.object->born;
    found = &of.object->set(std::string(options), table).value;
  }
  Object& held = *found->object;
  if (name == "add_argument") {
    add_argument(held, given);
    return none();
  }
  if (name == "set_defaults") {
    for (Entry& each : given.named) {
      charge(4);
      held.set(each.key, maybe_ > held.born ? unknown("it may be set to something else") : each.value).where =
          each.where;
    }
    return none();
  }
  if (name != "parse_args" && name != "parse_known_args") return std::nullopt;
  Value made = copy(*found, deepest_copy);
  if (made.kind != ValueKind::table) return made;  // it takes too many steps
  made.kind = ValueKind::instance;
  made.object->type = "argparse.Namespace";
  if (name == "parse_args") return made;
  return list_of({made, unknown("the rest of the command line")}, ValueKind::tuple);
}

// `of[a:b]` of a list.
Value Interpreter::sliced(const Value& of, const Expression& slice, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  Value open = unknown("its items are known only at run time");
  if (!is_sequence(of) || slice.count != 2) return open;
  const auto size = static_cast<std::int64_t>(of.object->entries.size());
  std::int64_t ends[2] = {0, size};
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Index written = syntax.child(slice, i);
    if (written == nothing) continue;
    const Value value = evaluate(written, frame);
    if (value.kind == ValueKind::none) continue;
    if (value.kind != ValueKind::integer) return open;
    ends[i] = std::clamp(value.integer < 0 && value.integer >= -size ? value.integer + size : value.integer,
                         std::int64_t{0}, size);
  }
  std::vector<Value> values;
  for (std::int64_t i = ends[0]; i < ends[1]; ++i) {
    const Value& each = of.object->entries[static_cast<std::size_t>(i)].value;
    charge(2 + each.text.size() / 64);
    values.push_back(each);
  }
  return list_of(std::move(values), of.kind);
}

// One level, and those below as long as they are not too deep; unknown where that takes too many steps.
Value Interpreter::copy(const Value& value, int depth) {
  const bool holds =
      is_sequence(value) || value.kind == ValueKind::table || value.kind == ValueKind::instance;
  if (!holds || depth > deepest_copy) return value;
  Value out = value;
  out.object = &make(value.object->type);
  out.object->module = value.object->module;
  for (const Entry& each : value.object->entries) {
    if (spend()) return too_long();
    ++values_;
    out.object->append(copy(each.value, depth + 1));
    Entry& copied = out.object->entries.back();
    charge_bytes(each.key.size());
    copied.key = each.key;
    copied.key_span = each.key_span;
    copied.where = each.where;
  }
  // Looking up and putting in, by what it costs and holds.
  charge(10 * value.object->index.size());
  charge_bytes(64 * value.object->index.size());
  out.object->index = value.object->index;
  return out;
}

std::optional<Value> Interpreter::method(const Value& of, std::string_view name, Arguments& given) {
  std::vector<Value>& values = given.positional;
  const std::size_t count = values.size();
  const bool is_certain = of.object == nullptr || maybe_ <= of.object->born;
  if (of.kind == ValueKind::string) {
    if ((name == "lower" || name == "upper") && count == 0) {
      charge(of.text.size() / 8);
      Value out = of_text(of.text);
      for (char& c : out.text) {
        if (name == "lower" && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (name == "upper" && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      }
      return out;
    }
    charge_text(of.text.size());
    if ((name == "startswith" || name == "endswith") && count == 1 && values[0].kind == ValueKind::string)
      return of_boolean(name == "startswith" ? of.text.starts_with(values[0].text)
                                             : of.text.ends_with(values[0].text));
    return unknown("it is a string known only at run time");
  }
  if (of.kind == ValueKind::list) {
    if (name == "copy") return copy(of, deepest_copy);
    if (name == "append" && count == 1) {
      if (!is_certain) {
        of.object->append(unknown("it may not be added"));
        return none();
      }
      ++values_;
      of.object->append(values[0]);
      return none();
    }
    if (name == "extend" && count == 1) {
      auto more = iterated(values[0]);
      if (!more || !is_certain) more = std::vector<Value>{unknown("its length is known only at run time")};
      values_ += more->size();
      for (Value& each : *more) of.object->append(std::move(each));
      return none();
    }
    return unknown("it is an item of an unknown list");
  }
  if (of.kind != ValueKind::table) return std::nullopt;
  if (name == "copy") return copy(of, deepest_copy);
  if ((name == "get" || name == "pop" || name == "setdefault") && count >= 1) {
    std::string key;
    if (!write(values[0], key)) return unknown("the entry is known only at run time");
    const Value* const found = of.object->find(key);
    if (found == nullptr) {
      const Value other = count > 1 ? values[1] : none();
      if (name == "setdefault" && is_certain) of.object->set(key, other);
      return other;
    }
    Value value = *found;
    if (name == "pop") {
      if (is_certain) of.object->erase(key);
      if (!is_certain) of.object->set(key, unknown("it may be removed"));
    }
    return value;
  }
  if (name == "update") {
    const bool is_known = count == 0 || (count == 1 && values[0].kind == ValueKind::table);
    if (!is_known || given.is_open) {
      constexpr std::size_t units_per_reason = 4;
      charge(units_per_reason * of.object->entries.size());
      charge_bytes(32 * of.object->entries.size());
      for (Entry& each : of.object->entries) each.value = unknown("it may be set to something else");
      return none();
    }
    std::vector<Entry> more;
    if (count == 1) {
      charge(4 * values[0].object->entries.size());
      more = values[0].object->entries;
    }
    more.insert(more.end(), given.named.begin(), given.named.end());
    values_ += more.size();
    for (Entry& each : more) {
      Entry& entry = of.object->set(
          each.key, is_certain ? std::move(each.value) : unknown("it may be set to something else"));
      entry.key_span = each.key_span;
      entry.where = each.where;
    }
    return none();
  }
  if (name == "keys" && count == 0) return list_of(*iterated(of), ValueKind::list);
  if ((name == "values" || name == "items") && count == 0) {
    std::vector<Value> out;
    for (const Entry& each : of.object->entries) {
      if (spend()) return too_long();
      out.push_back(name == "values" ? each.value
                                     : list_of({of_text(each.key), each.value}, ValueKind::tuple));
    }
    return list_of(std::move(out), ValueKind::list);
  }
  return unknown("it is an entry of an unknown table");
}

}  // namespace shapelint::text::python
