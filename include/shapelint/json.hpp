// Answers as JSON, the same as the command line prints and the Python and npm packages give.
#pragma once

#include <string>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/kernel.hpp"
#include "shapelint/lint.hpp"
#include "shapelint/model.hpp"
#include "shapelint/plan.hpp"
#include "shapelint/step.hpp"
#include "shapelint/suggest.hpp"

namespace shapelint::api {

// On one line, or indented by so many spaces per level. docs/reference/objects.md describes the documents.
SHAPELINT_API std::string to_json(const LintResult& result, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const ReadResult& result, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const SuggestResult& result, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const PlanResult& result, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const KernelCost& cost, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const Gpu& gpu, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const Rule& rule, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const std::vector<Step>& steps, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const std::vector<Gpu>& gpus, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const std::vector<Rule>& rules, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const std::vector<Field>& fields, std::size_t indent = 0);
SHAPELINT_API std::string to_json(const std::vector<Error>& problems, std::size_t indent = 0);

}  // namespace shapelint::api
