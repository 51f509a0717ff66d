// Expressions.
#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "text/python/run.hpp"

namespace shapelint::text::python {

namespace {

constexpr std::size_t max_items = 20'000;
constexpr std::size_t most_bytes = std::size_t{32} << 20;

// Looking for a text tries every place, with as many characters as are alike there.
Value contains(const std::string& text, const std::string& part) {
  charge_text((text.size() + 1) * (part.size() + 1));
  return of_boolean(text.find(part) != std::string::npos);
}

std::size_t text_bytes(const Object& object) {
  std::size_t bytes = 0;
  for (const Entry& each : object.entries) bytes += each.key.size() + each.value.text.size();
  return bytes;
}

}  // namespace

Value Interpreter::evaluate(Index index, Frame& frame) {
  if (depth_ >= max_depth_of_calls) return unknown("it is nested too deep");
  if (spend()) return too_long();
  ++depth_;
  const Expression& each = frame.module->syntax.at(index);
  charge_text(each.text_end - each.text_begin);
  Value value = evaluate_kind(each, frame);
  --depth_;
  charge_text(value.text.size());
  bytes_ += value.text.size();
  if (bytes_ > most_bytes) return too_long();
  // Where it is written, or else where it is used.
  const bool is_reference = each.kind == Expression::Kind::name || each.kind == Expression::Kind::attribute ||
                            each.kind == Expression::Kind::subscript;
  if (!is_reference || value.where == nullptr || value.kind == ValueKind::unknown) {
    value.where = frame.module;
    value.span = Span{each.begin, each.end};
  }
  return value;
}

Value Interpreter::evaluate_kind(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const auto child = [&](std::uint32_t i) { return evaluate(syntax.child(each, i), frame); };
  switch (each.kind) {
    case Expression::Kind::name:
      return name(each, frame);
    case Expression::Kind::number:
      return read_number(syntax.text(each));
    case Expression::Kind::string:
      return read_string(syntax.text(each));
    case Expression::Kind::joined:
      return joined(each, frame);
    case Expression::Kind::list:
    case Expression::Kind::tuple:
      return items(each, frame);
    case Expression::Kind::table:
      return table(each, frame);
    case Expression::Kind::listed:
      return listed(each, frame);
    case Expression::Kind::call:
      return call(each, frame);
    case Expression::Kind::attribute:
      return attribute(child(0), syntax.text(each));
    case Expression::Kind::subscript: {
      const Value of = child(0);
      const Expression& index = syntax.at(syntax.child(each, 1));
      return index.kind == Expression::Kind::slice ? sliced(of, index, frame) : subscript(of, child(1));
    }
    case Expression::Kind::unary: {
      const Value value = child(0);
      const std::string_view sign = syntax.text(each);
      if (sign == "not") {
        const Truth is_so = truth(value);
        if (is_so == Truth::open) return unknown("it depends on a condition known only at run time");
        return of_boolean(is_so == Truth::no);
      }
      if (sign == "~") return unknown("`~` is not evaluated");
      return apply(sign, of_integer(0), value);
    }
    case Expression::Kind::binary: {
      const Value left = child(0);
      return binary(syntax.text(each), left, child(1));
    }
    case Expression::Kind::compare:
      return compared(each, frame);
    case Expression::Kind::logic:
      return logic(each, frame);
    case Expression::Kind::choice: {
      const Truth is_so = truth(child(0));
      if (is_so == Truth::open) return unknown("it depends on a condition known only at run time");
      return child(is_so == Truth::yes ? 1 : 2);
    }
    case Expression::Kind::lambda: {
      if (each.count == 0) return unknown("it is a function");
      Value value;
      value.kind = ValueKind::function;
      value.object = &make("lambda");
      value.object->module = frame.module;
      value.object->expression = syntax.child(each, 0);
      value.object->around = frame.names;
      return value;
    }
    default:
      return unknown("its syntax is not evaluated");
  }
}

Value Interpreter::name(const Expression& each, Frame& frame) {
  const std::string_view written = frame.module->syntax.text(each);
  if (written == "True" || written == "False") return of_boolean(written == "True");
  if (written == "None") return none();
  if (written == "__name__" && frame.module == &modules_.front()) return of_text("__main__");
  // The names of a class are not those of its functions.
  for (Object* names = frame.names; names != nullptr; names = names->around) {
    const bool is_class = names->statement != nothing && names != frame.names;
    if (Value* const found = is_class ? nullptr : names->find(written)) {
      if (found->kind == ValueKind::awaited) *found = resolve(Value(*found));
      return *found;
    }
  }
  auto* const module = const_cast<Object*>(&frame.module->names);
  if (Value* const found = module->find(written)) {
    if (found->kind != ValueKind::awaited) return *found;
    Value value = resolve(Value(*found));
    // Reading the other file may have added names here.
    if (Value* const again = module->find(written)) *again = value;
    return value;
  }
  Value value;
  value.kind = ValueKind::builtin;
  value.text = written;
  return value;
}

Value Interpreter::joined(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  Value out = of_text({});
  for (std::uint32_t i = 0; i < each.count; ++i) {
    const Expression& part = syntax.at(syntax.child(each, i));
    if (part.kind == Expression::Kind::missing && part.text_end > part.text_begin) {
      if (!unescape(syntax.text(part), out.text)) return unknown("it has escapes that are not read");
      continue;
    }
    Value value = evaluate(syntax.child(each, i), frame);
    if (value.kind == ValueKind::unknown && !value.text.empty()) return value;
    if (!write(value, out.text)) return unknown("it is a string known only at run time");
    if (out.text.size() > max_items) return unknown("the string is too long");
  }
  return out;
}

Value Interpreter::list_of(std::vector<Value> values, ValueKind kind) {
  Value out;
  out.kind = kind;
  out.object = &make({});
  values_ += values.size();
  // Charged before anything is held.
  std::size_t texts = 0;
  for (const Value& value : values) texts += value.text.size();
  charge(2 * values.size() + texts / 64);
  charge_bytes(values.size() * sizeof(Entry) + texts);
  out.object->entries.reserve(values.size());
  for (Value& value : values) out.object->entries.push_back({{}, std::move(value), {}, nullptr});
  return out;
}

Value Interpreter::items(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  std::vector<Value> values;
  for (std::uint32_t i = 0; i < each.count; ++i) {
    const Expression& item = syntax.at(syntax.child(each, i));
    if (item.kind != Expression::Kind::starred) {
      values.push_back(evaluate(syntax.child(each, i), frame));
      continue;
    }
    const auto more = iterated(evaluate(syntax.child(item, 0), frame));
    if (!more) return unknown("its length is known only at run time");
    if (values.size() + more->size() > max_items) return unknown("the list is too long");
    values.insert(values.end(), more->begin(), more->end());
  }
  return list_of(std::move(values), each.kind == Expression::Kind::list ? ValueKind::list : ValueKind::tuple);
}

Value Interpreter::table(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  Value out;
  out.kind = ValueKind::table;
  out.object = &make({});
  for (std::uint32_t i = 0; i + 1 < each.count; i += 2) {
    const Index written = syntax.child(each, i);
    Value value = evaluate(syntax.child(each, i + 1), frame);
    if (written == nothing) {
      if (value.kind != ValueKind::table) return unknown("its entries are known only at run time");
      for (const Entry& entry : value.object->entries) {
        ++values_;
        Entry& copied = out.object->set(entry.key, entry.value);
        copied.key_span = entry.key_span;
        copied.where = entry.where;
      }
      continue;
    }
    const Value key = evaluate(written, frame);
    std::string text;
    if (key.kind == ValueKind::named) {
      text = key.text;
    } else if (!write(key, text)) {
      return unknown("its entries are known only at run time");
    }
    ++values_;
    Entry& entry = out.object->set(text, std::move(value));
    entry.key_span = Span{syntax.at(written).begin, syntax.at(written).end};
    entry.where = frame.module;
  }
  return out;
}

Value Interpreter::listed(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const auto over = iterated(evaluate(syntax.child(each, 2), frame));
  if (!over) return unknown("its length is known only at run time");
  Object& names = make({});
  names.around = frame.names;
  Frame inner = frame;
  inner.names = &names;
  inner.born = maybe_;
  HeldBytes held;
  held.add(over->size() * sizeof(Value));
  std::vector<Value> values;
  for (const Value& item : *over) {
    if (spend()) return too_long();
    store(syntax.child(each, 1), item, inner);
    bool wanted = true;
    for (std::uint32_t i = 3; i < each.count && wanted; ++i) {
      const Truth is_so = truth(evaluate(syntax.child(each, i), inner));
      if (is_so == Truth::open) return unknown("its items are known only at run time");
      wanted = is_so == Truth::yes;
    }
    if (wanted) values.push_back(evaluate(syntax.child(each, 0), inner));
  }
  return list_of(std::move(values), ValueKind::list);
}

Value Interpreter::logic(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const bool is_or = syntax.text(each) == "or";  // a chain of comparisons is an `and`
  Value left = evaluate(syntax.child(each, 0), frame);
  const Truth is_so = truth(left);
  if (is_so == (is_or ? Truth::yes : Truth::no)) return left;
  Value right = evaluate(syntax.child(each, 1), frame);
  if (is_so != Truth::open) return right;
  // `x and False` is certainly false.
  if (truth(right) == (is_or ? Truth::yes : Truth::no) && right.kind == ValueKind::boolean) return right;
  return unknown(left.kind == ValueKind::unknown && !left.text.empty()
                     ? left.text
                     : "it depends on a condition known only at run time");
}

Value Interpreter::compared(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const Value left = evaluate(syntax.child(each, 0), frame);
  const Value right = evaluate(syntax.child(each, 1), frame);
  const std::string_view sign = syntax.text(each);
  if (sign.starts_with("is")) return compare(sign == "is" ? "==" : "!=", left, right);
  if (!sign.ends_with("in")) return compare(sign, left, right);
  Value inside = membership(left, right);
  if (sign == "in" || inside.kind != ValueKind::boolean) return inside;
  return of_boolean(inside.integer == 0);
}

Value Interpreter::membership(const Value& of, const Value& in) {
  Value open = unknown("it depends on a comparison known only at run time");
  if (of.kind == ValueKind::unknown || of.kind == ValueKind::named) return open;
  if (in.kind == ValueKind::string && of.kind == ValueKind::string) return contains(in.text, of.text);
  if (in.kind == ValueKind::table) {
    std::string key;
    if (!write(of, key)) return open;
    return of_boolean(in.object->find(key) != nullptr);
  }
  if (!is_sequence(in)) return open;
  bool is_open = false;
  for (const Entry& each : in.object->entries) {
    if (spend()) return too_long();
    const Truth same = equal(of, each.value);
    if (same == Truth::yes) return of_boolean(true);
    is_open = is_open || same == Truth::open;
  }
  return is_open ? open : of_boolean(false);
}

Value Interpreter::binary(std::string_view sign, const Value& a, const Value& b) {
  if (sign == "+" && is_sequence(a) && a.kind == b.kind) {
    if (a.object->entries.size() + b.object->entries.size() > max_items)
      return unknown("the list is too long");
    std::optional<std::vector<Value>> values = iterated(a);
    std::optional<std::vector<Value>> more = iterated(b);
    for (Value& each : *more) values->push_back(std::move(each));
    return list_of(*std::move(values), a.kind);
  }
  if (sign == "*" && (is_sequence(a) || is_sequence(b))) {
    const Value& list = is_sequence(a) ? a : b;
    const Value& times = is_sequence(a) ? b : a;
    if (times.kind != ValueKind::integer) return unknown("its length is known only at run time");
    const std::int64_t count = std::max<std::int64_t>(times.integer, 0);
    const std::size_t size = list.object->entries.size();
    if (size > 0 && static_cast<std::uint64_t>(count) > max_items / size)
      return unknown("the list is too long");
    std::vector<Value> values;
    HeldBytes held;
    const std::size_t bytes = text_bytes(*list.object) + size * sizeof(Value);
    for (std::int64_t i = 0; i < count && size > 0; ++i) {
      held.add(bytes);
      std::optional<std::vector<Value>> more = iterated(list);
      for (Value& each : *more) values.push_back(std::move(each));
    }
    return list_of(std::move(values), list.kind);
  }
  if (sign == "|" && a.kind == ValueKind::table && b.kind == ValueKind::table) {
    Value out = copy(a, 0);
    if (out.kind != ValueKind::table) return out;  // it takes too many steps
    for (const Entry& each : b.object->entries) {
      ++values_;
      out.object->set(each.key, each.value).key_span = each.key_span;
    }
    return out;
  }
  return apply(sign, a, b);
}

Value Interpreter::subscript(const Value& of, const Value& index) {
  if (of.kind == ValueKind::unknown && !of.text.empty()) return of;
  if (of.kind == ValueKind::table) {
    std::string key;
    if (!write(index, key)) return unknown("the entry is known only at run time");
    const Value* const found = of.object->find(key);
    return found == nullptr ? unknown(fmt::format("no entry `{}`", key)) : *found;
  }
  if (is_sequence(of) && index.kind == ValueKind::integer) {
    const auto size = static_cast<std::int64_t>(of.object->entries.size());
    const std::int64_t at = index.integer < 0 ? index.integer + size : index.integer;
    if (at >= 0 && at < size) return of.object->entries[static_cast<std::size_t>(at)].value;
  }
  return unknown("the entry is known only at run time");
}

Value Interpreter::attribute(const Value& of, std::string_view name) {
  switch (of.kind) {
    case ValueKind::named: {
      if (of.text == "math" && name == "pi") return of_number(std::numbers::pi);
      Value value = of;
      value.where = nullptr;
      value.text = of.text + "." + std::string(name);
      if (value.text.size() > max_items) return unknown("the string is too long");
      return value;
    }
    case ValueKind::module: {
      auto* const names = of.object;
      Value* const found = names->find(name);
      if (found == nullptr) return unknown(fmt::format("`{}` is not in {}", name, of.text));
      if (found->kind != ValueKind::awaited) return *found;
      Value value = resolve(Value(*found));
      if (Value* const again = names->find(name)) *again = value;
      return value;
    }
    case ValueKind::instance:
    case ValueKind::type: {
      Value* const found = of.object->find(name);
      // A lambda that an object was given stays as it is, as in Python.
      if (found != nullptr && found->kind == ValueKind::function && found->object->statement != nothing &&
          !found->object->is_static &&
          (of.kind == ValueKind::instance || found->object->is_method_of_class)) {
        Value bound = *found;
        Object& method = make(found->object->type);
        method.module = found->object->module;
        method.statement = found->object->statement;
        method.around = found->object->around;
        method.is_method_of_class = found->object->is_method_of_class;
        method.self = of;
        bound.object = &method;
        return bound;
      }
      if (found != nullptr) return *found;
      if (of.kind == ValueKind::type) {
        for (const Value& base : of.object->bases) {
          if (base.kind == ValueKind::named) return attribute(base, name);
        }
      }
      return unknown(fmt::format("`{}` of `{}` is not stated here", name, of.object->type));
    }
    case ValueKind::unknown:
      return of.text.empty() ? unknown("it is part of an unknown value") : of;
    default:
      return unknown(fmt::format("`{}` is not evaluated", name));
  }
}

std::optional<std::vector<Value>> Interpreter::iterated(const Value& over) {
  std::vector<Value> out;
  if (!is_sequence(over) && over.kind != ValueKind::table) return std::nullopt;
  charge(2 * over.object->entries.size() + text_bytes(*over.object) / 64);
  out.reserve(over.object->entries.size());
  if (is_sequence(over)) {
    for (const Entry& each : over.object->entries) out.push_back(each.value);
    return out;
  }
  for (const Entry& each : over.object->entries) out.push_back(of_text(each.key));
  return out;
}

}  // namespace shapelint::text::python
