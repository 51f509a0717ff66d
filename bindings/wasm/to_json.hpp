// The library's structs as JSON, by their own names.
#pragma once

#include <nlohmann/json.hpp>
#include <shapelint/shapelint.hpp>

namespace shapelint::wasm {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<api::Error>& errors);
Json json_of(const api::LintResult& result);
Json json_of(const api::ReadResult& result);
Json json_of(const std::vector<api::Step>& steps);
Json json_of(const api::KernelCost& cost);
Json json_of(const api::SuggestResult& result);
Json json_of(const std::vector<api::Gpu>& gpus);
Json json_of(const std::vector<api::Rule>& rules);
Json json_of(const std::vector<api::Field>& fields);

}  // namespace shapelint::wasm
