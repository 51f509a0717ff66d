// What to write into a file to follow a proposal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lint/report.hpp"
#include "rules/finding.hpp"
#include "text/source.hpp"

namespace shapelint::lint {

// New text for some bytes of a file.
struct TextEdit {
  Span span;
  std::string text;
  std::string path;
};

struct EditPlan {
  std::vector<TextEdit> edits;  // none when a change of the proposal cannot be made
  std::string obstacle;         // then: why not, and where the value is to be changed; one sentence
  // What the edits do: "micro_batch_size 1 → 4 (gradient_accumulation 8 → 2 follows from
  // `global_batch_size`)".
  std::string summary;
  bool is_computed =
      false;  // some value is worked out from another key's, so that the file must be read again
  bool is_elsewhere = false;  // the obstacle is that another file states it, which may not be edited
};

// What to do with a value that the file works out from another key's: nothing; leave it to follow from the
// changes next to it; or change that key by the same factor.
enum class Computed : std::uint8_t { refuse, follow, scale };

// The text of a file that may be edited; null for others.
using EditableText = std::function<const text::SharedText*(const std::string& path)>;

// The edits that make all changes of a proposal, where the files that may be edited state exactly the old
// values: each as a literal that nothing else uses.
EditPlan plan_edits(const rules::Proposal& proposal, const ModelReport& model, const EditableText& editable,
                    Computed computed = Computed::refuse);

// The setup with a proposal's own changes, and nothing that follows from them.
model::Setup with_changes(const rules::Proposal& proposal, const model::Reading& reading);

// Whether a change of the micro-batches comes of itself: the file states the batch, and the proposal leaves
// it and the ranks that share it.
bool follows_batch(const rules::Change& change, const rules::Proposal& proposal,
                   const model::Reading& reading);
// Whether larger micro-batches, or the replicas that a smaller plan makes room for, may not divide the batch
// that the file states, as it is unknown how many ranks share it.
bool rests_on_ranks(const rules::Proposal& proposal, const model::Reading& reading);

// The same in the model's own file alone.
std::vector<TextEdit> edits_of(const rules::Proposal& proposal, const ModelReport& model);

// The text with the edits made. They do not overlap.
std::string edited(const std::string& text, std::vector<TextEdit> edits);

}  // namespace shapelint::lint
