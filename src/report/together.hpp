// What is told once, to those who read: changes that mend several findings, and defects of several plans or
// of files that build on each other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lint/report.hpp"
#include "rules/finding.hpp"

namespace shapelint::report {

// The same defect in another model, of the file or of one that builds on it.
struct Twin {
  const lint::ModelReport* model = nullptr;
  const rules::Finding* finding = nullptr;
};

// Plans of one model, models that share a value, and runs of a model that another file describes have one
// defect in common: what is said of the same place in the same words. It is told with the one of which least
// is assumed, and of several whose step loses most by it.
class Twins {
 public:
  explicit Twins(const lint::Report& report);
  // Where it is told; null where it is told itself.
  const lint::ModelReport* told_with(const rules::Finding& finding) const;
  const std::vector<Twin>& others(const rules::Finding& finding) const;
  // Those of a model that are told with it.
  std::vector<const rules::Finding*> told(const lint::ModelReport& model) const;

 private:
  std::map<const rules::Finding*, const lint::ModelReport*> told_with_;
  std::map<const rules::Finding*, std::vector<Twin>> others_;
};

// Whether a file holds further models, so that a finding has to say whose it is.
bool is_one_of_several(const lint::ModelReport& model, const lint::Report& report);
// What a model is called beside others of its file: "update" of plans, "Pixtral (vision)".
std::string name_beside(const lint::ModelReport& model);
// The same beside `other`, which may be of another file: then its path.
std::string name_beside(const lint::ModelReport& model, const lint::ModelReport& other);
// "score and update", in the order of the file, of which others may be.
std::string names_beside(const lint::ModelReport& model, const std::vector<Twin>& others);
// "in score, 2.1 % of the step (measured)"; empty where there are no others.
std::string others_text(const lint::ModelReport& model, const std::vector<Twin>& others);

// What a finding has to do with others that are shown beside it.
struct Tie {
  const rules::Finding* mended_by = nullptr;  // another's first proposal, which mends this one, too
  std::vector<const rules::Finding*> mends;   // or others that its own first proposal mends
  std::vector<Twin> twins;                    // in other models
};

// Of the findings shown of one model. The change that mends most comes first; nothing hangs on one that is
// less severe.
std::map<const rules::Finding*, Tie> ties_of(const std::vector<const rules::Finding*>& shown,
                                             const Twins& twins);

// "also fixes heads-not-divisible-by-tensor (SL403)"; empty where the tie has no others.
std::string also_mends(const Tie& tie);
// The same without its verb.
std::string also_mended(const Tie& tie);

// "the fix of tensor-crosses-nodes (SL503) also fixes this".
std::string mended_text(const Tie& tie);

}  // namespace shapelint::report
