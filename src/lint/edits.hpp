// What to write into a file to follow a proposal.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "lint/report.hpp"
#include "rules/finding.hpp"

namespace shapelint::lint {

// New text for some bytes of the model's file.
struct TextEdit {
  Span span;
  std::string text;
};

// The edits that make all changes of a proposal; none when this very file cannot take one of them: it does
// not state the value, or writes it in another way (the width of two branches together), which is left to
// people.
std::vector<TextEdit> edits_of(const rules::Proposal& proposal, const ModelReport& model);

}  // namespace shapelint::lint
