// Statements.
#include "text/python/run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shapelint::text::python {

namespace {

// A file takes a few thousand; one that builds a model of a hundred layers from other files, a million.
constexpr std::size_t most_steps = 400'000;
constexpr std::size_t max_steps_with_imports = 4'000'000;
constexpr std::size_t most_values = 1'000'000;
constexpr std::size_t units_per_step = 10;
constexpr std::string_view may_not_run = "it is assigned in a block that may not run";

}  // namespace

Interpreter::Interpreter(ReadFile read, std::vector<std::string> roots, HasFolder has_folder)
    : read_(std::move(read)),
      roots_(std::move(roots)),
      has_folder_(std::move(has_folder)),
      limit_(read_ ? max_steps_with_imports : most_steps) {}

bool Interpreter::spend(std::size_t steps) {
  charge(units_per_step * steps);
  steps_ += steps;
  return steps_ > limit_ || values_ > most_values;
}

Object& Interpreter::make(std::string type) {
  ++values_;
  charge(units_per_step);
  charge_bytes(sizeof(Object) + type.size());
  Object& made = objects_.emplace_back();
  made.type = std::move(type);
  made.born = maybe_;
  return made;
}

Module& Interpreter::load(std::string path, std::string name, std::string source) {
  Module& module = modules_.emplace_back();
  module.path = std::move(path);
  module.name = std::move(name);
  module.source = std::move(source);
  by_path_[module.path] = &module;
  charge_bytes(module.source.size());
  module.syntax = parse(module.source);
  const int around = std::exchange(maybe_, 0);
  Frame frame;
  frame.module = &module;
  frame.names = &module.names;
  run(module, module.syntax.module, frame);
  maybe_ = around;
  return module;
}

Module& Interpreter::empty(std::string path, std::string source) {
  Module& module = modules_.emplace_back();
  module.path = std::move(path);
  module.source = std::move(source);
  module.syntax.source = module.source;
  return module;
}

Value Interpreter::value_of(const Module& module, Index expression) {
  Frame frame;
  frame.module = &module;
  frame.names = const_cast<Object*>(&module.names);
  return evaluate(expression, frame);
}

void Interpreter::run(const Module& module, Range block, Frame& frame) {
  if (depth_ >= max_depth_of_calls) return;
  ++depth_;
  for (std::uint32_t i = 0; i < block.count && frame.control_flow == Frame::ControlFlow::no && !spend();
       ++i) {
    const Index index = module.syntax.blocks[block.first + i];
    if (&module == &modules_.front()) place_ = module.syntax.statements[index].begin;
    run(module, module.syntax.statements[index], index, frame);
  }
  --depth_;
}

// What such a block assigns is unknown behind it; where it leaves, the rest may not run either.
void Interpreter::run_maybe(const Module& module, Range block, Frame& frame) {
  const bool had_result = frame.has_result;
  ++maybe_;
  run(module, block, frame);
  --maybe_;
  const Frame::ControlFlow left = std::exchange(frame.control_flow, Frame::ControlFlow::no);
  const bool raises = left == Frame::ControlFlow::function && frame.has_result == had_result;
  if (left != Frame::ControlFlow::no && !raises) ++maybe_;  // until the loop or the function ends
}

void Interpreter::run(const Module& module, const Statement& statement, Index index, Frame& frame) {
  const auto part = [&](std::uint32_t i) { return module.syntax.children[statement.parts.first + i]; };
  switch (statement.kind) {
    case StatementKind::other:
    case StatementKind::declare:
      if (statement.kind == StatementKind::declare) assign(module, statement, frame);
      run_maybe(module, statement.body, frame);
      run_maybe(module, statement.otherwise, frame);
      return;
    case StatementKind::evaluate:
      if (statement.parts.count > 0) keep_unnamed(part(0), evaluate(part(0), frame), frame);
      return;
    case StatementKind::assign:
    case StatementKind::augment:
      return assign(module, statement, frame);
    case StatementKind::give:
      return give(statement.parts.count > 0 ? evaluate(part(0), frame) : none(), frame);
    case StatementKind::leave:
      frame.control_flow = statement.text == "break"      ? Frame::ControlFlow::loop
                           : statement.text == "continue" ? Frame::ControlFlow::iteration
                                                          : Frame::ControlFlow::function;
      return;
    case StatementKind::branch:
      return branch(module, statement, frame);
    case StatementKind::loop:
      return loop(module, statement, frame);
    case StatementKind::enclose:
      for (std::uint32_t i = 0; i + 1 < statement.parts.count; i += 2) {
        evaluate(part(i), frame);
        if (part(i + 1) != nothing) store(part(i + 1), unknown("it comes from a `with` statement"), frame);
      }
      return run(module, statement.body, frame);
    case StatementKind::function:
    case StatementKind::type:
      return define(module, statement, index, frame);
    case StatementKind::import:
      return bind_imports(module, statement, frame);
  }
}

void Interpreter::branch(const Module& module, const Statement& statement, Frame& frame) {
  const Value condition = evaluate(module.syntax.children[statement.parts.first], frame);
  const Truth is_so = truth(condition);
  if (is_so == Truth::yes) return run(module, statement.body, frame);
  if (is_so == Truth::no) return run(module, statement.otherwise, frame);
  const bool had_result = frame.has_result;
  ++maybe_;
  run(module, statement.body, frame);
  const Frame::ControlFlow left = std::exchange(frame.control_flow, Frame::ControlFlow::no);
  run(module, statement.otherwise, frame);
  --maybe_;
  const Frame::ControlFlow left_otherwise = std::exchange(frame.control_flow, Frame::ControlFlow::no);
  if (left != Frame::ControlFlow::no && left_otherwise != Frame::ControlFlow::no) {
    frame.control_flow = left == left_otherwise ? left : Frame::ControlFlow::function;
    return;
  }
  const bool raises = frame.has_result == had_result;
  const bool leaves = left != Frame::ControlFlow::no || left_otherwise != Frame::ControlFlow::no;
  // A branch that only raises says that its condition does not hold.
  if (leaves &&
      !(raises && (left == Frame::ControlFlow::function || left_otherwise == Frame::ControlFlow::function)))
    ++maybe_;
}

void Interpreter::loop(const Module& module, const Statement& statement, Frame& frame) {
  const Index target = module.syntax.children[statement.parts.first];
  const Value over = evaluate(module.syntax.children[statement.parts.first + 1], frame);
  const auto values = iterated(over);
  const int around = maybe_;
  if (!values) {
    ++maybe_;
    store(target, unknown("its value is known only at run time"), frame);
    run(module, statement.body, frame);
    if (frame.control_flow == Frame::ControlFlow::function && frame.has_result) frame.is_open = true;
    frame.control_flow = Frame::ControlFlow::no;
    maybe_ = around;
    return;
  }
  HeldBytes held;
  held.add(values->size() * sizeof(Value));
  for (const Value& each : *values) {
    if (spend()) return;
    store(target, each, frame);
    run(module, statement.body, frame);
    if (frame.control_flow == Frame::ControlFlow::iteration) frame.control_flow = Frame::ControlFlow::no;
    if (frame.control_flow == Frame::ControlFlow::loop) {
      frame.control_flow = Frame::ControlFlow::no;
      break;
    }
    if (frame.control_flow == Frame::ControlFlow::function) break;
  }
  maybe_ = around;
  if (frame.control_flow == Frame::ControlFlow::no) run(module, statement.otherwise, frame);
}

void Interpreter::give(Value value, Frame& frame) {
  frame.control_flow = Frame::ControlFlow::function;
  if (!frame.has_result) {
    frame.result = std::move(value);
    frame.has_result = true;
    frame.is_open = frame.is_open || maybe_ > frame.born;
    return;
  }
  // The same object whichever way it is given.
  const bool is_same = value.object != nullptr && value.object == frame.result.object;
  if (!is_same) frame.result = unknown("which result it returns is known only at run time");
  frame.is_open = false;
}

void Interpreter::assign(const Module& module, const Statement& statement, Frame& frame) {
  const std::uint32_t count = statement.parts.count;
  if (count == 0) return;
  const auto part = [&](std::uint32_t i) { return module.syntax.children[statement.parts.first + i]; };
  if (statement.kind == Statement::Kind::declare) {
    const Expression& target = module.syntax.at(part(0));
    if (target.kind != Expression::Kind::name) return;
    // A field of a class without a value of its own.
    if (frame.names->find(module.syntax.text(target)) != nullptr) return;
    if (frame.names->statement != nothing)
      store(part(0), unknown(fmt::format("`{}` has no default", module.syntax.text(target))), frame);
    return;
  }
  Value value = evaluate(part(count - 1), frame);
  if (statement.kind == Statement::Kind::augment) {
    const Value before = evaluate(part(0), frame);
    value = binary(statement.text, before, value);
    value.where = &module;
    const Expression& written = module.syntax.at(part(1));
    value.span = Span{written.begin, written.end};
    return store(part(0), std::move(value), frame);
  }
  for (std::uint32_t i = 0; i + 1 < count; ++i) store(part(i), value, frame);
}

void Interpreter::put(Object& into, bool may_be_skipped, std::string_view key, Value value, Span key_span,
                      Frame& frame) {
  if (may_be_skipped) {
    const Span at = value.span;
    value = unknown(std::string(may_not_run));
    value.span = at;
    value.where = frame.module;
  }
  ++values_;
  Entry& entry = into.set(key, std::move(value));
  entry.key_span = key_span;
  entry.where = frame.module;
}

void Interpreter::name(std::string_view key, Value value, Span key_span, Frame& frame) {
  put(*frame.names, maybe_ > frame.born, key, std::move(value), key_span, frame);
}

// `Trainer(…).train()`: what is made and used without a name stands under that of its class, `Trainer()`.
void Interpreter::keep_unnamed(Index index, Value value, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const Expression* call = &syntax.at(index);
  for (bool is_method = false; call->kind == Expression::Kind::call; is_method = true) {
    const Expression& callee = syntax.at(syntax.child(*call, 0));
    const std::string_view called = syntax.text(callee);
    const bool is_class = !called.empty() && called.front() >= 'A' && called.front() <= 'Z';
    if (is_class && is_method && value.kind == ValueKind::instance)
      return name(std::string(called) + "()", std::move(value), {callee.begin, callee.end}, frame);
    if (callee.kind != Expression::Kind::attribute || value.kind != ValueKind::instance) return;
    Value* const self = value.object->find("self");
    if (self == nullptr) return;
    value = Value(*self);
    call = &syntax.at(syntax.child(callee, 0));
  }
}

void Interpreter::store(Index index, Value value, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const Expression& target = syntax.at(index);
  const Span span{target.begin, target.end};
  if (target.kind == Expression::Kind::name) {
    name(syntax.text(target), std::move(value), span, frame);
  } else if (target.kind == Expression::Kind::attribute) {
    const Value owner = owner_of(syntax.child(target, 0), frame);
    store_into(owner, std::string(syntax.text(target)), std::move(value),
               {target.text_begin, target.text_end}, frame);
  } else if (target.kind == Expression::Kind::subscript) {
    const Value owner = evaluate(syntax.child(target, 0), frame);
    const Expression& written = syntax.at(syntax.child(target, 1));
    const Value key = evaluate(syntax.child(target, 1), frame);
    if (owner.kind == Value::Kind::list) {
      const auto at = static_cast<std::uint64_t>(key.integer);
      auto& entries = owner.object->entries;
      const bool is_there =
          key.kind == Value::Kind::integer && at < entries.size() && maybe_ <= owner.object->born;
      if (is_there) entries[at].value = std::move(value);
      if (!is_there) {
        constexpr std::size_t units_per_reason = 4;
        charge(units_per_reason * entries.size());
        charge_bytes(may_not_run.size() * entries.size());
        for (Entry& each : entries) each.value = unknown(std::string(may_not_run));
      }
    } else if (key.kind == Value::Kind::string || key.kind == Value::Kind::integer) {
      std::string text;
      write(key, text);
      store_into(owner, text, std::move(value), {written.begin, written.end}, frame);
    }
  } else if (target.kind == Expression::Kind::tuple || target.kind == Expression::Kind::list) {
    unpack(target, value, frame);
  }
}

// What has an attribute that is set: part of something that is not read has what it is given.
Value Interpreter::owner_of(Index index, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const Expression& each = syntax.at(index);
  if (each.kind != Expression::Kind::attribute || depth_ >= max_depth_of_calls) return evaluate(index, frame);
  ++depth_;
  const Value around = owner_of(syntax.child(each, 0), frame);
  --depth_;
  const std::string_view name = syntax.text(each);
  const bool is_opaque = around.kind == Value::Kind::instance && around.object->module == nullptr;
  if (!is_opaque || around.object->find(name) != nullptr || maybe_ > around.object->born)
    return evaluate(index, frame);
  Value part;
  part.kind = Value::Kind::instance;
  part.object = &make(fmt::format("{}.{}", around.object->type, name));
  part.where = frame.module;
  part.span = Span{each.begin, each.end};
  Entry& entry = around.object->set(name, part);
  entry.key_span = Span{each.text_begin, each.text_end};
  entry.where = frame.module;
  return part;
}

void Interpreter::store_into(const Value& owner, const std::string& key, Value value, Span key_span,
                             Frame& frame) {
  if (owner.kind != ValueKind::table && owner.kind != ValueKind::instance && owner.kind != ValueKind::type)
    return;
  const bool may_be_skipped = maybe_ > owner.object->born;
  if (may_be_skipped) value.span = key_span;
  put(*owner.object, may_be_skipped, key, std::move(value), key_span, frame);
}

// One of several things that a call gives: it has what the call was given, and its name with a number.
Value Interpreter::part_of_call(const Value& called, std::size_t number) {
  Value part = copy(called, deepest_copy);
  if (part.kind == Value::Kind::instance) part.object->type += fmt::format("[{}]", number);
  return part;
}

void Interpreter::unpack(const Expression& target, const Value& value, Frame& frame) {
  const Syntax& syntax = frame.module->syntax;
  const bool is_known = (value.kind == Value::Kind::list || value.kind == Value::Kind::tuple) &&
                        value.object->entries.size() == target.count;
  // `model, tokenizer = f(…)` of a function that is not read.
  const bool is_call = value.kind == Value::Kind::instance && value.object->module == nullptr;
  for (std::uint32_t i = 0; i < target.count; ++i) {
    const Index part = syntax.child(target, i);
    if (syntax.at(part).kind == Expression::Kind::tuple) continue;
    Value each = is_known ? value.object->entries[i].value
                          : unknown(value.kind == Value::Kind::unknown && !value.text.empty()
                                        ? value.text
                                        : "it is part of an unknown value");
    if (is_call) each = part_of_call(value, i);
    if (syntax.at(part).kind == Expression::Kind::starred) continue;
    store(part, std::move(each), frame);
  }
}

namespace {

// Members of an enumeration are called by their names where their values say nothing: numbers that stand for
// no more than themselves, and `enum.auto()`.
void name_members(Object& made, std::string_view name) {
  const bool is_plain = std::any_of(made.bases.begin(), made.bases.end(), [](const Value& base) {
    return base.kind == Value::Kind::named && base.text == "enum.Enum";
  });
  for (Entry& each : made.entries) {
    const Value& value = each.value;
    const bool is_auto = value.kind == Value::Kind::instance && value.object->type == "enum.auto";
    if (!is_auto && !(is_plain && value.kind == Value::Kind::integer)) continue;
    Value member = of_text(fmt::format("{}.{}", name, each.key));
    member.where = value.where;
    member.span = value.span;
    each.value = std::move(member);
  }
}

}  // namespace

void Interpreter::define(const Module& module, const Statement& statement, Index index, Frame& frame) {
  const bool is_class = statement.kind == Statement::Kind::type;
  const std::string& around = frame.names->type;
  Object& made =
      make(around.empty() ? (module.name.empty() ? "" : module.name + ".") + std::string(statement.text)
                          : around + "." + std::string(statement.text));
  made.module = &module;
  made.statement = index;
  made.around = frame.names == &module.names ? nullptr : frame.names;
  Value value;
  value.kind = is_class ? Value::Kind::type : Value::Kind::function;
  value.object = &made;
  value.where = &module;
  value.span = Span{statement.begin, statement.end};
  if (!is_class) {
    for (std::uint32_t i = 0; i < statement.parts.count; ++i) {
      const std::string_view decorator =
          module.syntax.text(module.syntax.at(module.syntax.children[statement.parts.first + i]));
      made.is_method_of_class = made.is_method_of_class || decorator == "classmethod";
      made.is_static = made.is_static || decorator == "staticmethod";
    }
  } else if (depth_ < max_depth_of_calls) {
    for (std::uint32_t i = 0; i < statement.parameters.count; ++i)
      made.bases.push_back(evaluate(module.syntax.children[statement.parameters.first + i], frame));
    // Fields of its bases come first.
    for (const Value& base : made.bases) {
      if (base.kind != Value::Kind::type) continue;
      for (const Entry& each : base.object->entries) {
        ++values_;
        Entry& copied = made.set(each.key, each.value);
        copied.key_span = each.key_span;
        copied.where = each.where;
      }
    }
    Frame inner;
    inner.module = &module;
    inner.names = &made;
    inner.born = maybe_;
    run(module, statement.body, inner);
    maybe_ = inner.born;
    name_members(made, statement.text);
  }
  Entry& entry = frame.names->set(statement.text, std::move(value));
  entry.key_span = Span{statement.begin, statement.end};
  entry.where = &module;
}

}  // namespace shapelint::text::python
