// Changes that mend several findings at once are told once, to those who read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/finding.hpp"

namespace shapelint::report {

// What a finding has to do with others that are shown beside it.
struct Tie {
  const rules::Finding* mended_by = nullptr;  // another's first proposal, which mends this one, too
  std::vector<const rules::Finding*> mends;   // or others that its own first proposal mends
};

// Of the findings shown of one model. The change that mends most comes first; nothing hangs on one that is
// less severe.
std::map<const rules::Finding*, Tie> ties_of(const std::vector<const rules::Finding*>& shown);

// "mends heads-not-divisible-by-tensor (SL403), too"; empty where the tie has no others.
std::string also_mends(const Tie& tie);
// The same without its verb.
std::string also_mended(const Tie& tie);

// "what tensor-crosses-nodes (SL503) proposes mends this, too".
std::string mended_text(const Tie& tie);

}  // namespace shapelint::report
