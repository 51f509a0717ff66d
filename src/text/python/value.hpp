// Values of Python as far as they are worked out without running it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/keyed_hash.hpp"
#include "text/python/syntax.hpp"

namespace shapelint::text::python {

struct Object;
struct Module;

struct Value {
  enum class Kind : std::uint8_t {
    unknown,  // `text` says why
    named,    // something of a module that is not read: `text` is its dotted name
    awaited,  // an import that is not resolved yet: `object` is its record
    none,
    boolean,
    integer,
    number,
    string,
    list,
    tuple,
    table,     // a dict
    instance,  // what a constructor gives: `object->type` is its name
    function,
    type,  // a class of a file that is read
    module,
    builtin  // `text` is its name
  };
  Kind kind = Kind::unknown;
  std::int64_t integer = 0;  // also booleans
  double number = 0;
  std::string text;
  Object* object = nullptr;       // of lists, tables, instances, functions, classes
  const Module* where = nullptr;  // the file that it is written in
  Span span;
};
using ValueKind = Value::Kind;

struct Entry {
  std::string key;  // of a table or instance
  Value value;
  Span key_span;
  const Module* where = nullptr;  // the file of the key
};

// A list, a table, an instance, a function, a class or an import; its interpreter owns it.
struct Object {
  std::string type;  // the dotted name of what made it, or its own
  std::vector<Entry> entries;
  NameMap<std::size_t> index;  // of the entries, once there are many
  // Functions and classes.
  const Module* module = nullptr;
  Index statement = nothing;
  Object* around = nullptr;  // the names of the function around it
  Value self;                // of a method, its object; of a partial, the function
  std::vector<Value> bases;
  Index expression = nothing;  // of a lambda
  int born = 0;                // how many blocks that may not run were around where it was made
  bool is_method_of_class = false;
  bool is_static = false;

  // Each is charged for what it looks at and holds.
  Value* find(std::string_view key);
  Entry& set(std::string_view key, Value value);
  void append(Value value);  // to a list
  void erase(std::string_view key);
};

Value unknown(std::string reason);
Value none();
Value of_integer(std::int64_t value);
Value of_number(double value);
Value of_boolean(bool value);
Value of_text(std::string text);

// Truth as Python has it; nothing when it is not known.
enum class Truth : std::uint8_t { no, yes, open };
Truth truth(const Value& value);
// Whether two values are equal.
Truth equal(const Value& a, const Value& b);

// `a sign b` of numbers and texts; unknown for anything else.
Value apply(std::string_view sign, const Value& a, const Value& b);
Value compare(std::string_view sign, const Value& a, const Value& b);
bool is_numeric(const Value& value);
double as_double(const Value& value);

// A list or a tuple.
bool is_sequence(const Value& value);

// What a token of the source says.
Value read_number(std::string_view written);
Value read_string(std::string_view written);
// The escapes of a string's inside; false for those that no configuration needs.
bool unescape(std::string_view body, std::string& out);
// As `str(x)` and f-strings write it; false when that is not known.
bool write(const Value& value, std::string& out);

}  // namespace shapelint::text::python
