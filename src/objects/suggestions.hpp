// A search's answer as the public structs.
#pragma once

#include <string>

#include <shapelint/shapelint.hpp>
#include "suggest/answer.hpp"

namespace shapelint::api {

StartOnGpu start_of(const suggest::Performance& performance, const std::string& gpu);

SuggestResult suggestions_of(const suggest::Problem& problem, const suggest::Answer& answer,
                             const std::string& path);

}  // namespace shapelint::api
