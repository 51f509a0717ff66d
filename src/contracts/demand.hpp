// Which of a demand's conditions fails, and its sum.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shapelint::contracts {

// The conditions that `&&` joins, each of which must hold; the whole where it is no such list.
std::vector<std::string_view> conditions_of(std::string_view demand);

// The expression to show of a condition: `hidden_size / 16` of `hidden_size % 16 == 0`, the left side of a
// comparison.
std::string sum_of(std::string_view condition);

// Whether `size` is about what the condition is about: a field that both name, be it a rank's share of it.
bool is_about(std::string_view size, std::string_view condition);

}  // namespace shapelint::contracts
