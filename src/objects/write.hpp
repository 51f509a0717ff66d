// A described struct as JSON, member by member (include/shapelint/common.hpp). Instantiated in few sources.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <shapelint/common.hpp>
#include "text/json/writer.hpp"

namespace shapelint::objects {

using api::When;
using text::JsonWriter;

inline void put(JsonWriter& out, bool value) {
  out.boolean(value);
}
inline void put(JsonWriter& out, double value) {
  out.number(value);
}
inline void put(JsonWriter& out, const std::string& value) {
  out.text(value);
}
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) void put(JsonWriter& out, T value) {
  out.integer(static_cast<std::int64_t>(value));
}
template <class T>
requires std::is_enum_v<T>
void put(JsonWriter& out, T value) {
  out.text(name(value));
}
inline void put(JsonWriter& out, const api::Scalar& value) {
  std::visit([&](const auto& each) { put(out, each); }, value);
}
template <class T>
void put(JsonWriter& out, const std::vector<T>& values);
template <class T>
void put(JsonWriter& out, const std::map<std::string, T>& values);
// Any other class has a description.
template <class T>
requires(std::is_class_v<T>) void put(JsonWriter& out, const T& of);

template <class T>
bool is_empty(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value == T{};
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return false;
  }
}
template <class T>
bool is_empty(const std::optional<T>& value) {
  return !value.has_value();
}

template <class T>
const T& inner(const T& value) {
  return value;
}
template <class T>
const T& inner(const std::optional<T>& value) {
  return *value;
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Writes the members of an object that is open.
template <class T>
class Members {
 public:
  Members(JsonWriter& out, const T& from) : out_(out), from_(from) {}

  void type(std::string_view, std::string_view) {}

  template <class Base>
  void base(const Base* of) {
    describe(*this, of);
  }

  template <class Member, class Owner>
  void operator()(std::string_view key, Member Owner::*member, std::string_view, When when = When::always) {
    const Member& value = from_.*member;
    const bool is_nothing = (is_optional<Member> || when != When::always) && is_empty(value);
    if (is_nothing && when != When::or_null) return;
    out_.key(key);
    if (is_nothing) return out_.null();
    put(out_, inner(value));
  }

  // Of a list, an object by one of its elements' members.
  template <class Element, class Owner>
  void keyed(std::string_view key, std::vector<Element> Owner::*member, std::string Element::*by,
             std::string_view, When when = When::always) {
    const std::vector<Element>& values = from_.*member;
    if (values.empty() && when == When::unless_empty) return;
    out_.key(key);
    out_.begin_object();
    for (const Element& each : values) {
      out_.key(each.*by);
      put(out_, each);
    }
    out_.end_object();
  }

 private:
  JsonWriter& out_;
  const T& from_;
};

template <class T>
void put_members(JsonWriter& out, const T& of) {
  Members<T> members(out, of);
  describe(members, &of);
}

template <class T>
requires(std::is_class_v<T>) void put(JsonWriter& out, const T& of) {
  out.begin_object();
  put_members(out, of);
  out.end_object();
}

template <class T>
void put(JsonWriter& out, const std::vector<T>& values) {
  out.begin_array();
  for (const T& each : values) put(out, each);
  out.end_array();
}

template <class T>
void put(JsonWriter& out, const std::map<std::string, T>& values) {
  out.begin_object();
  for (const auto& [key, value] : values) {
    out.key(key);
    put(out, value);
  }
  out.end_object();
}

}  // namespace shapelint::objects
