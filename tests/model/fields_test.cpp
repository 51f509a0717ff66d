// The table of fields as a whole.
#include "model/fields.hpp"

#include <map>
#include <string_view>

#include "tests/catch.hpp"

using namespace shapelint;

// Rules and formats write choices without their field: `loss == unfused`, `attention == unfused`.
TEST_CASE("the name of a choice is the same number in every field that has it", "[model]") {
  std::map<std::string_view, std::size_t> numbers;
  for (const model::FieldInfo& field : model::fields()) {
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
      INFO(field.name << ' ' << field.choices[i]);
      CHECK(numbers.emplace(field.choices[i], i).first->second == i);
    }
  }
}
