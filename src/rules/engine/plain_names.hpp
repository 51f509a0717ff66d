// What operations are called in a sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shapelint::rules {

// "the MLP's last projection" for `layer.mlp.down`; a name that is not known as it is.
std::string_view plain_name(std::string_view op);

// "a, b, c and 2 more": each once.
std::string plain_list(const std::vector<std::string>& ops);

}  // namespace shapelint::rules
