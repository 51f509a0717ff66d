// What `shapelint suggest` found, as text and for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/style.hpp"
#include "suggest/answer.hpp"
#include "suggest/family.hpp"

namespace shapelint::report {

struct SuggestReport {
  std::string name;  // of the model
  std::string path;
  suggest::Problem problem;
  suggest::Answer answer;
};

// For people: the ranking, why the first is faster, the front.
std::string suggestions_text(const SuggestReport& report, const Style& style);
// One JSON object, indented.
std::string suggestions_json(const SuggestReport& report);
// One row per suggestion and GPU, the start as rank 0.
std::string suggestions_csv(const SuggestReport& report);
// One table [[suggestion]] each, its fields under the names of the native format.
std::string suggestions_toml(const SuggestReport& report);

// A ladder of models as text and for programs.

std::string family_text(const suggest::Family& family, const std::vector<std::string>& gpus,
                        const Style& style);
std::string family_csv(const suggest::Family& family, const std::vector<std::string>& gpus);
std::string family_json(const suggest::Family& family, const std::vector<std::string>& gpus);
// One table [[model]] each, its fields under the names of the native format.
std::string family_toml(const suggest::Family& family);

}  // namespace shapelint::report
