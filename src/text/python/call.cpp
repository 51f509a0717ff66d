// Calls of functions and constructors.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "text/python/run.hpp"

namespace shapelint::text::python {

namespace {

constexpr std::size_t longest_type = 200;

constexpr std::size_t units_per_parameter = 10;

std::size_t texts_of(const Arguments& given) {
  std::size_t bytes = 0;
  for (const Value& each : given.positional) bytes += each.text.size();
  for (const Entry& each : given.named) bytes += each.key.size() + each.value.text.size();
  return bytes;
}

// Of copying them, or looking at each.
std::size_t cost_of(const Arguments& given) {
  return 2 * given.positional.size() + 4 * given.named.size() + texts_of(given) / 64;
}

std::size_t bytes_of(const Arguments& given) {
  return given.positional.size() * sizeof(Value) + given.named.size() * sizeof(Entry) + texts_of(given);
}

}  // namespace

Arguments Interpreter::arguments(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  Arguments given;
  for (std::uint32_t i = 1; i < each.count; ++i) {
    const Expression& part = syntax.at(syntax.child(each, i));
    if (part.kind == Expression::Kind::keyword) {
      Entry entry;
      entry.key = syntax.text(part);
      entry.value = evaluate(syntax.child(part, 0), frame);
      entry.key_span = Span{part.text_begin, part.text_end};
      entry.where = frame.module;
      given.named.push_back(std::move(entry));
    } else if (part.kind == Expression::Kind::unpacked) {
      const Value value = evaluate(syntax.child(part, 0), frame);
      if (value.kind != ValueKind::table) {
        given.is_open = true;
        continue;
      }
      for (const Entry& entry : value.object->entries) {
        charge(4 + entry.value.text.size() / 64);
        given.named.push_back(entry);
      }
    } else if (part.kind == Expression::Kind::starred) {
      const auto values = iterated(evaluate(syntax.child(part, 0), frame));
      if (!values) given.is_open = true;
      if (values) given.positional.insert(given.positional.end(), values->begin(), values->end());
    } else {
      given.positional.push_back(evaluate(syntax.child(each, i), frame));
    }
  }
  values_ += given.named.size() + given.positional.size();
  return given;
}

// `parse_arg(None, variant='B/16', res=(224, int))` of ml_collections' configurations: the defaults, without
// the functions that read what a command line says.
Value Interpreter::defaults_of(Arguments& given) {
  for (Entry& each : given.named) {
    if (each.value.kind == ValueKind::tuple && !each.value.object->entries.empty())
      each.value = Value(each.value.object->entries.front().value);
  }
  given.positional.clear();
  return opaque("parse_arg", std::move(given));
}

Value Interpreter::call(const Expression& each, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const Expression& callee = syntax.at(syntax.child(each, 0));
  if (callee.kind != Expression::Kind::attribute) {
    const Value called = evaluate(syntax.child(each, 0), frame);
    return call(called, arguments(each, frame));
  }
  const Value of = evaluate(syntax.child(callee, 0), frame);
  const std::string_view name = syntax.text(callee);
  Arguments given = arguments(each, frame);
  if (name == "parse_arg" && !given.positional.empty() && given.positional[0].kind == ValueKind::none)
    return defaults_of(given);
  if (auto value = method(of, name, given)) return *std::move(value);
  if (auto value = command_line(of, name, given)) return *std::move(value);
  const Value called = attribute(of, name);
  if (of.kind != ValueKind::instance && of.kind != ValueKind::type) return call(called, std::move(given));
  // A method of something whose class is not read, or that does more than is worked out.
  if (called.kind != ValueKind::unknown) {
    charge(cost_of(given));
    HeldBytes held;
    held.add(bytes_of(given));
    Value result = call(called, given);
    const bool is_constructor =
        of.kind == ValueKind::instance || called.object == nullptr || called.object->is_method_of_class;
    if (result.kind != ValueKind::unknown || !is_constructor) return result;
  }
  Value made = opaque(fmt::format("{}.{}", of.object->type, name), std::move(given));
  if (made.kind == ValueKind::instance && of.kind == ValueKind::instance)
    made.object->set("self", of).where = frame.module;
  return made;
}

Value Interpreter::call(const Value& called, Arguments given) {
  if (spend()) return too_long();
  switch (called.kind) {
    case ValueKind::function:
      return enter(called, std::move(given));
    case ValueKind::type:
      return construct(called, std::move(given));
    case ValueKind::builtin:
      if (auto value = builtin(called.text, given)) return *std::move(value);
      return unknown(fmt::format("the result of `{}` is known only at run time", called.text));
    case ValueKind::named:
      if (auto value = library(called.text, given)) return *std::move(value);
      return opaque(called.text, std::move(given));
    case ValueKind::instance:
      if (called.object->type == "functools.partial") return complete(called, std::move(given));
      return unknown("the called function is not known");
    case ValueKind::unknown:
      return called.text.empty() ? unknown("the called function is not known") : called;
    default:
      return unknown("the called function is not known");
  }
}

// A call of a partial: its own arguments, and those of the call.
Value Interpreter::complete(const Value& partial, Arguments given) {
  charge(4 * partial.object->entries.size());
  Arguments all;
  Value function = unknown("the called function is not known");
  for (const Entry& each : partial.object->entries) {
    const bool is_position =
        !each.key.empty() && each.key.find_first_not_of("0123456789") == std::string::npos;
    if (each.key == "0") {
      function = each.value;
    } else if (is_position) {
      all.positional.push_back(each.value);
    } else {
      all.named.push_back(each);
    }
  }
  all.positional.insert(all.positional.end(), given.positional.begin(), given.positional.end());
  // Partials of partials each add to what the next is given.
  charge(cost_of(all));
  HeldBytes held;
  held.add(bytes_of(all));
  for (Entry& each : given.named) {
    charge(all.named.size());
    std::erase_if(all.named, [&](const Entry& before) { return before.key == each.key; });
    all.named.push_back(std::move(each));
  }
  all.is_open = given.is_open;
  if (depth_ >= max_depth_of_calls) return unknown("it is nested too deep");
  ++depth_;
  Value result = call(function, std::move(all));
  --depth_;
  return result;
}

// What is known of a call of something that is not read: its name and what it is given.
Value Interpreter::opaque(const std::string& type, Arguments given) {
  if (type.size() > longest_type) return unknown("the called function is not known");
  Value made;
  made.kind = ValueKind::instance;
  made.object = &make(type);
  std::size_t i = 0;
  for (Value& each : given.positional) {
    Entry& entry = made.object->set(std::to_string(i++), each);
    entry.key_span = each.span;
    entry.where = each.where;
  }
  for (Entry& each : given.named) {
    Entry& entry = made.object->set(each.key, std::move(each.value));
    entry.key_span = each.key_span;
    entry.where = each.where;
  }
  return made;
}

void Interpreter::bind(const Value& function, const Statement& statement, Arguments& given, Object& names) {
  const Object& object = *function.object;
  const Syntax& syntax = object.module->syntax;
  Frame defaults;
  defaults.module = object.module;
  defaults.names = object.around != nullptr ? object.around : const_cast<Object*>(&object.module->names);
  defaults.born = maybe_;
  std::size_t next = 0;
  charge(cost_of(given));
  std::vector<bool> used(given.named.size());
  for (std::uint32_t i = 0; i < statement.parameters.count; ++i) {
    const Parameter& each = syntax.parameters[statement.parameters.first + i];
    charge(units_per_parameter + given.named.size());  // looked for by name
    Value value;
    if (each.kind == Parameter::Kind::rest) {
      std::vector<Value> rest(
          given.positional.begin() + static_cast<std::ptrdiff_t>(std::min(next, given.positional.size())),
          given.positional.end());
      next = given.positional.size();
      value = list_of(std::move(rest), ValueKind::tuple);
    } else if (each.kind == Parameter::Kind::rest_of_keywords) {
      value.kind = ValueKind::table;
      value.object = &make({});
      for (std::size_t k = 0; k < given.named.size(); ++k) {
        if (used[k]) continue;
        Entry& entry = value.object->set(given.named[k].key, given.named[k].value);
        entry.key_span = given.named[k].key_span;
        entry.where = given.named[k].where;
      }
      if (given.is_open) value = unknown("its argument is known only at run time");
    } else {
      bool is_given = false;
      for (std::size_t k = 0; k < given.named.size(); ++k) {
        if (given.named[k].key != each.name) continue;
        value = given.named[k].value;
        used[k] = is_given = true;
      }
      if (!is_given && each.kind == Parameter::Kind::plain && next < given.positional.size()) {
        value = given.positional[next++];
        is_given = true;
      }
      if (!is_given && given.is_open) {
        value = unknown("its argument is known only at run time");
      } else if (!is_given && each.fallback != nothing) {
        value = evaluate(each.fallback, defaults);
      } else if (!is_given) {
        value = unknown(fmt::format("it depends on the argument `{}`", each.name));
      }
    }
    ++values_;
    names.set(each.name, std::move(value)).where = object.module;
  }
}

Value Interpreter::enter(const Value& function, Arguments given) {
  const Object& object = *function.object;
  if (depth_ + 4 >= max_depth_of_calls) return unknown("it is nested too deep");
  HeldBytes held;
  held.add(bytes_of(given));
  charge(2 * given.positional.size());
  if (object.self.kind != ValueKind::unknown) given.positional.insert(given.positional.begin(), object.self);
  const int around = maybe_;
  const std::size_t limit = limit_;
  limit_ = steps_ > limit ? limit : steps_ + (limit - steps_) / 2;
  Object& names = make({});
  names.around = object.around;
  Frame frame;
  frame.module = object.module;
  frame.names = &names;
  frame.born = maybe_;
  if (object.expression != nothing) {
    Value value = evaluate(object.expression, frame);
    limit_ = limit;
    return value;
  }
  const Statement& statement = object.module->syntax.statements[object.statement];
  bind(function, statement, given, names);
  run(*object.module, statement.body, frame);
  maybe_ = around;
  const bool is_spent = spend();
  limit_ = limit;
  if (depth_ == 0) last_names_ = names.entries;
  if (is_spent) return too_long();
  if (!frame.has_result) return none();
  if (frame.is_open) return unknown("whether it returns is known only at run time");
  return std::move(frame.result);
}

Value Interpreter::result_of(const Value& function) {
  maybe_ = 0;
  depth_ = 0;
  last_names_.clear();
  return call(function, {});
}

// The default of a field: made for every instance.
Value Interpreter::fresh(const Value& fallback) {
  if (fallback.kind != ValueKind::instance) return fallback;
  const std::string& type = fallback.object->type;
  if (type != "dataclasses.field" && type != "pydantic.Field" && type != "flax.struct.field") return fallback;
  if (const Value* const factory = fallback.object->find("default_factory"))
    return call(Value(*factory), {});  // which may give the field another
  if (const Value* const value = fallback.object->find("default")) return *value;
  if (const Value* const value = fallback.object->find("0")) return *value;
  return unknown("it has no default");
}

Value Interpreter::construct(const Value& type, Arguments given) {
  Value made;
  made.kind = ValueKind::instance;
  made.object = &make(type.object->type);
  made.object->module = type.object->module;
  std::vector<std::string> fields;
  // What makes a default may add to the class.
  for (std::size_t i = 0; i < type.object->entries.size(); ++i) {
    if (spend()) return too_long();
    const Entry each = type.object->entries[i];
    if (each.value.kind == ValueKind::type || each.value.kind == ValueKind::function) {
      made.object->set(each.key, each.value);
      continue;
    }
    fields.push_back(each.key);
    Entry& entry = made.object->set(each.key, fresh(each.value));
    entry.key_span = each.key_span;
    entry.where = each.where;
  }
  if (const Value* const init = type.object->find("__init__");
      init != nullptr && init->kind == ValueKind::function) {
    const Value bound = attribute(made, "__init__");
    charge(cost_of(given));
    std::vector<Entry> named = given.named;
    call(bound, std::move(given));
    // What it is given and does not keep under the same name is still what it was made with.
    for (Entry& each : named) {
      if (made.object->find(each.key) != nullptr) continue;
      Entry& entry = made.object->set(each.key, std::move(each.value));
      entry.key_span = each.key_span;
      entry.where = each.where;
    }
    return made;
  }
  if (given.is_open) {
    charge_bytes(64 * made.object->entries.size());
    for (Entry& each : made.object->entries) each.value = unknown("its argument is known only at run time");
  }
  for (std::size_t i = 0; i < given.positional.size(); ++i) {
    Entry& entry = made.object->set(i < fields.size() ? fields[i] : std::to_string(i), given.positional[i]);
    entry.key_span = given.positional[i].span;
    entry.where = given.positional[i].where;
  }
  for (Entry& each : given.named) {
    Entry& entry = made.object->set(each.key, std::move(each.value));
    entry.key_span = each.key_span;
    entry.where = each.where;
  }
  const Value* const after = type.object->find("__post_init__");
  if (after != nullptr && after->kind == ValueKind::function) call(attribute(made, "__post_init__"), {});
  return made;
}

}  // namespace shapelint::text::python
