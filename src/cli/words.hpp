// Words that shells complete where a value is a name out of many; asked for by `shapelint completion` only.
#pragma once

#include <string>
#include <vector>

namespace shapelint::cli {

std::vector<std::string> gpu_words();      // ids and aliases
std::vector<std::string> package_words();  // with contracts
std::vector<std::string> contract_words();
std::vector<std::string> rule_words();    // codes and names
std::vector<std::string> field_words();   // of a model and its plan
std::vector<std::string> output_words();  // formats with `=` behind them, as --output wants them

}  // namespace shapelint::cli
