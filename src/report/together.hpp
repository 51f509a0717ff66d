// What text reports say once: changes that fix several findings, and defects of several plans or
// of files that build on each other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lint/report.hpp"
#include "rules/finding.hpp"

namespace shapelint::report {

// The same defect in another model, of the file or of one that builds on it.
struct DuplicateFinding {
  const lint::ModelReport* model = nullptr;
  const rules::Finding* finding = nullptr;
};

// Plans of one model, models that share a value, and runs of a model that another file describes have one
// defect in common: what is said of the same place in the same words. It is shown with the one of which least
// is assumed, and of several whose step loses most by it.
class DuplicateFindings {
 public:
  explicit DuplicateFindings(const lint::Report& report);
  // Where it is shown; null where it is shown itself.
  const lint::ModelReport* primary_of(const rules::Finding& finding) const;
  const std::vector<DuplicateFinding>& others(const rules::Finding& finding) const;
  // Those of a model that are shown with it.
  std::vector<const rules::Finding*> primaries(const lint::ModelReport& model) const;

 private:
  std::map<const rules::Finding*, const lint::ModelReport*> primary_of_;
  std::map<const rules::Finding*, std::vector<DuplicateFinding>> others_;
};

// Whether a file holds further models, so that a finding has to say whose it is.
bool is_one_of_several(const lint::ModelReport& model, const lint::Report& report);
// A model's name among others of its file: "update" of plans, "Pixtral (vision)".
std::string name_beside(const lint::ModelReport& model);
// The same next to `other`, which may be of another file: then its path.
std::string name_beside(const lint::ModelReport& model, const lint::ModelReport& other);
// "score and update", in the order of the file, of which others may be.
std::string names_beside(const lint::ModelReport& model, const std::vector<DuplicateFinding>& others);
// "in score, 2.1 % of the step (measured)"; empty without others.
std::string others_text(const lint::ModelReport& model, const std::vector<DuplicateFinding>& others);

// How a finding relates to others that are shown.
struct FindingRelation {
  const rules::Finding* fixed_by = nullptr;       // another's first proposal, which fixes this one, too
  std::vector<const rules::Finding*> also_fixes;  // or others that its own first proposal fixes
  std::vector<DuplicateFinding> duplicates;       // in other models
};

// For the findings shown of one model. The change that fixes most comes first; nothing hangs on one that is
// less severe.
std::map<const rules::Finding*, FindingRelation> relations_of(const std::vector<const rules::Finding*>& shown,
                                                              const DuplicateFindings& duplicates);

// "also fixes heads-not-divisible-by-tensor (SL403)"; empty where the tie has no others.
std::string also_fixes_text(const FindingRelation& tie);
// The same without its verb.
std::string also_fixed_text(const FindingRelation& tie);

// "fixed by tensor-crosses-nodes (SL503)".
std::string fixed_by_text(const FindingRelation& tie);

}  // namespace shapelint::report
