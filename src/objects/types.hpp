// What a description says, as data: schemas, declarations and documentation are written from it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <shapelint/common.hpp>

namespace shapelint::objects {

struct Type {
  enum class Kind : std::uint8_t { boolean, integer, number, text, scalar, choice, object, list, map };
  Kind kind = Kind::text;
  std::string name;           // of a choice or object
  std::vector<Type> element;  // of a list or map: one
};

struct Member {
  std::string name;
  std::string doc;
  Type type;
  bool may_be_absent = false;
  bool may_be_null = false;
};

struct Object {
  std::string name;
  std::string doc;
  std::vector<Member> members;
};

struct Choice {
  std::string name;
  std::vector<std::string_view> values;
};

// In the order in which they are met, those that others hold first.
struct Types {
  std::vector<Choice> choices;
  std::vector<Object> objects;
};

const Object* find(const Types& types, std::string_view name);

// For a command's document, whose members follow those of the header (objects/document.hpp).
struct Document {
  std::string_view name;    // of the command: `lint`
  std::string_view object;  // of its payload
  std::string_view title;
  std::string_view header = "Header";
};
std::vector<Document> documents();

// What the library gives, and what commands print in addition.
const Types& api_types();
const Types& all_types();

// docs/schema/shapelint-NAME.schema.json.
std::string schema(const Document& document);
// The interfaces of bindings/wasm/module/index.d.ts.
std::string typescript();
// bindings/python/shapelint/_generated.py.
std::string python();
// docs/reference/objects.md.
std::string markdown();

}  // namespace shapelint::objects
