// Working out a Python file without running it: assignments, functions, classes and calls of a pure program,
// in a bounded number of steps. Whatever is not understood is unknown, with the reason.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/keyed_hash.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"
#include "text/python/scan.hpp"
#include "text/python/value.hpp"
#include "text/source.hpp"

namespace shapelint::text::python {

// The text of a file that may be read, or nothing.
using HasFolder = std::function<bool(const std::string& path)>;
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

struct Module {
  std::string path;
  std::string name;  // dotted, as it is imported
  std::string source;
  Syntax syntax;
  Object names;
};

// What a call is given.
struct Arguments {
  std::vector<Value> positional;
  std::vector<Entry> named;
  bool is_open = false;  // `*x` or `**x` of something that is not known
};

class Interpreter {
 public:
  // `read` finds imported files below `roots`, which are tried in order.
  Interpreter(ReadFile read, std::vector<std::string> roots, HasFolder has_folder = {});

  // Parses and works out a file. Throws Unclosed and TooMuch.
  Module& load(std::string path, std::string name, std::string source);
  // A file of which nothing is parsed, and an expression that was put into its syntax tree.
  Module& empty(std::string path, std::string source);
  Value value_of(const Module& module, Index expression);
  // What a function of a file gives, with unknown values where it must be given some.
  Value result_of(const Value& function);
  // What its names stood for at its end.
  const std::vector<Entry>& names_of_last_call() const { return last_names_; }

  Object& make(std::string type);
  // Where the statement of the first file begins that is being worked out, or was last.
  std::size_t place() const { return place_; }
  static constexpr int max_depth_of_calls = 160;
  static constexpr int deepest_copy = 24;  // `copy(value, deepest_copy)` is of one level

 private:
  struct Frame {
    const Module* module = nullptr;
    Object* names = nullptr;
    int born = 0;
    Value result;
    bool has_result = false;
    bool is_open = false;  // it may have given something else before
    enum class ControlFlow : std::uint8_t { no, loop, iteration, function } control_flow = ControlFlow::no;
  };

  // run.cpp: statements.
  void run(const Module& module, Range block, Frame& frame);
  void run(const Module& module, const Statement& statement, Index index, Frame& frame);
  void run_maybe(const Module& module, Range block, Frame& frame);
  void branch(const Module& module, const Statement& statement, Frame& frame);
  void loop(const Module& module, const Statement& statement, Frame& frame);
  void assign(const Module& module, const Statement& statement, Frame& frame);
  void store(Index target, Value value, Frame& frame);
  // An entry of a table or of names; `may_be_skipped`: the block that sets it may not run.
  void put(Object& into, bool may_be_skipped, std::string_view key, Value value, Span key_span, Frame& frame);
  void name(std::string_view key, Value value, Span key_span, Frame& frame);
  void keep_unnamed(Index made, Value value, Frame& frame);
  Value owner_of(Index expression, Frame& frame);
  void store_into(const Value& owner, const std::string& key, Value value, Span key_span, Frame& frame);
  Value part_of_call(const Value& called, std::size_t number);
  void unpack(const Expression& target, const Value& value, Frame& frame);
  void define(const Module& module, const Statement& statement, Index index, Frame& frame);
  void give(Value value, Frame& frame);

  // evaluate.cpp: expressions.
  Value evaluate(Index expression, Frame& frame);
  Value evaluate_kind(const Expression& each, Frame& frame);
  Value name(const Expression& each, Frame& frame);
  Value joined(const Expression& each, Frame& frame);
  Value items(const Expression& each, Frame& frame);
  Value table(const Expression& each, Frame& frame);
  Value listed(const Expression& each, Frame& frame);
  Value logic(const Expression& each, Frame& frame);
  Value compared(const Expression& each, Frame& frame);
  Value binary(std::string_view sign, const Value& a, const Value& b);
  Value subscript(const Value& of, const Value& index);
  Value sliced(const Value& of, const Expression& slice, Frame& frame);
  Value attribute(const Value& of, std::string_view name);
  Value membership(const Value& of, const Value& in);
  std::optional<std::vector<Value>> iterated(const Value& over);

  // call.cpp: functions and constructors.
  Value call(const Expression& each, Frame& frame);
  Value defaults_of(Arguments& given);
  Arguments arguments(const Expression& each, Frame& frame);
  Value call(const Value& called, Arguments given);
  Value complete(const Value& partial, Arguments given);
  Value enter(const Value& function, Arguments given);
  void bind(const Value& function, const Statement& statement, Arguments& given, Object& names);
  Value construct(const Value& type, Arguments given);
  Value opaque(const std::string& type, Arguments given);
  Value fresh(const Value& fallback);

  // builtins.cpp: what Python brings along.
  std::optional<Value> builtin(std::string_view name, Arguments& given);
  std::optional<Value> library(std::string_view name, Arguments& given);
  std::optional<Value> configured(Arguments& given);
  std::optional<Value> command_line(const Value& of, std::string_view name, Arguments& given);
  void add_argument(Object& parser, const Arguments& given);
  std::optional<Value> method(const Value& of, std::string_view name, Arguments& given);
  Value copy(const Value& value, int depth);

  // imports.cpp
  Value resolve(const Value& awaited);
  bool is_folder(const std::string& path);
  const Module* find_module(const std::string& name, const Module& from, int dots, std::string_view module);
  const Module* read_either(const std::string& stem, const std::string& name, bool only_package);
  const Module* read_module(const std::string& path, const std::string& name);
  void bind_imports(const Module& module, const Statement& statement, Frame& frame);

  Value list_of(std::vector<Value> values, Value::Kind kind);
  // Whether the steps of this call are used up: what it gives is unknown then, and the file goes on. The work
  // of the whole file is charged, and ends it.
  bool spend(std::size_t steps = 1);
  Value too_long() const { return unknown("it takes too many steps to work out"); }

  WorkingBytes working_;  // before all that is charged
  ReadFile read_;
  std::vector<std::string> roots_;
  HasFolder has_folder_;
  NameMap<bool> folders_;  // below the roots, and whether they are there
  std::deque<Object> objects_;
  std::deque<Module> modules_;
  std::map<std::string, const Module*, std::less<>> by_path_;
  std::map<std::string, const Module*, std::less<>> by_name_;
  std::size_t limit_;  // of steps: half of what is left for every call, so that one cannot use them up
  std::size_t steps_ = 0;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
  int depth_ = 0;
  int maybe_ = 0;  // blocks around that may not run
  std::size_t place_ = 0;
  std::vector<Entry> last_names_;
};

// What `read` gives; a text that takes too much is SpentAt the place where the interpreter is.
template <class Read>
TreeBuilder placed(const Interpreter& interpreter, Read read) {
  try {
    return read();
  } catch (const Spent& spent) {
    throw SpentAt{spent, interpreter.place()};
  }
}

// The document that `read` makes of a text whose literals are Python's, or why there is none. `read` may
// throw Unclosed, TooMuch and SpentAt.
template <class Read>
Result<Document> document_of(const std::string& path, const SharedText& source, Read read) {
  if (const auto problem = check_source(path, source)) return *problem;
  const Budget budget;
  try {
    return read().finish(path, source);
  } catch (const SpentAt& spent) {
    return too_costly(spent.spent, path, static_cast<std::int64_t>(spent.at));
  } catch (const Spent& spent) {
    return too_costly(spent, path, 0);
  } catch (const TooMuch& much) {
    return too_many_values(path, static_cast<std::int64_t>(much.at));
  } catch (const Unclosed& unclosed) {
    const auto at = static_cast<std::int64_t>(unclosed.at);
    return Error{"the string is never closed", {}, path, Span{at, at + 1}, ErrorCode::syntax};
  }
}

// Values as nodes of a document.

// Appends a value and what it holds. What is written in another file than `module` stands where the value
// around it does, in the end at `around`. Throws TooMuch.
void write(TreeBuilder& tree, std::int32_t parent, std::string_view key, const Value& value,
           const Module& module, Span key_span, Span around);

}  // namespace shapelint::text::python
