// What a caller says in JSON, as the library's options. A name that is not known is an error, as is a value
// of another kind.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <shapelint/shapelint.hpp>

namespace shapelint::wasm {

using Json = nlohmann::ordered_json;

// Takes the members of one object; what nobody asked for by the end is told.
class Members {
 public:
  Members(const Json& object, std::string name, std::vector<api::Error>& errors);
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  ~Members();

  void take(const char* name, bool& out);
  void take(const char* name, double& out);
  void take(const char* name, std::int64_t& out);
  void take(const char* name, std::size_t& out);
  void take(const char* name, std::string& out);
  void take(const char* name, std::vector<std::string>& out);
  void take(const char* name, std::map<std::string, std::string>& out);
  void take(const char* name, std::map<std::string, double>& out);
  template <class T>
  void take(const char* name, std::optional<T>& out) {
    T value{};
    if (const Json* given = find(name)) {
      take_value(*given, name, value);
      out = std::move(value);
    }
  }
  // One of `names`, by its place among them.
  template <class Enum, std::size_t count>
  void take_one_of(const char* name, const std::array<const char*, count>& names, Enum& out) {
    const Json* given = find(name);
    if (given == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (*given == names[i]) {
        out = static_cast<Enum>(i);
        return;
      }
    }
    wrong(name, one_of(names));
  }
  // An object of its own, or nothing.
  const Json* object(const char* name);
  const Json* find(const char* name);

 private:
  template <class T>
  void take_value(const Json& given, const char* name, T& out);
  template <std::size_t count>
  static std::string one_of(const std::array<const char*, count>& names) {
    std::string text = "one of";
    for (const char* each : names) text += std::string(text.ends_with("of") ? " " : ", ") + each;
    return text;
  }
  void wrong(const char* name, const std::string& expected);

  const Json& object_;
  std::string name_;
  std::vector<api::Error>& errors_;
  std::vector<std::string> known_;
};

api::Source source_of(const Json& source, std::vector<api::Error>& errors);
api::LintOptions lint_options(const Json& options, std::vector<api::Error>& errors);
api::ReadOptions read_options(const Json& options, std::vector<api::Error>& errors);
api::StepOptions step_options(const Json& options, std::vector<api::Error>& errors);
api::SuggestOptions suggest_options(const Json& options, std::vector<api::Error>& errors);
api::PlanOptions plan_options(const Json& options, std::vector<api::Error>& errors);

}  // namespace shapelint::wasm
