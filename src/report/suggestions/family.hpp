// A ladder of models as text and for programs.
#pragma once

#include <string>
#include <vector>

#include "report/style.hpp"
#include "suggest/family.hpp"

namespace shapelint::report {

std::string family_text(const suggest::Family& family, const std::vector<std::string>& gpus,
                        const Style& style);
std::string family_csv(const suggest::Family& family, const std::vector<std::string>& gpus);
std::string family_json(const suggest::Family& family, const std::vector<std::string>& gpus);
// One table [[model]] each, its fields under the names of the native format.
std::string family_toml(const suggest::Family& family);

}  // namespace shapelint::report
