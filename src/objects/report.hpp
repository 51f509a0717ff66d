// What a run of the linter found as the public structs.
#pragma once

#include <shapelint/shapelint.hpp>
#include "lint/report.hpp"
#include "objects/convert.hpp"
#include "suggest/serving/capacity.hpp"

namespace shapelint::api {

// What makes a report several times as long, and few readers need.
struct ReportParts {
  bool fields = false;
  bool operations = false;
};

// All but the notes of the run itself.
LintResult result_of(const lint::Report& report, Sources& sources, ReportParts parts);

// Of one model of the report, as `id`.
std::vector<Finding> findings_of(const lint::ModelReport& model, const std::string& id, Sources& sources);

Capacity capacity_of(const suggest::Capacity& capacity);

}  // namespace shapelint::api
