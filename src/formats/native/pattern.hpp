// Internal to the native format: `layers` of [model], which says of what kind each layer is.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// What `layers` says becomes the counts of fields(): layers without attention, of the mixer, with a window,
// and without an MLP. A list names each layer (`["gated_delta_net", "attention"]`), a text counts kinds that
// repeat over num_layers (`"3 gated_delta_net, 1 attention"`), or has a letter for each layer (`"M-M*-"`, as
// Nemotron-H's: `M` Mamba-2, `G` gated delta net, `*` attention, `-` MLP, `E` experts), which then is that
// part alone.
void read_pattern(const text::NodeRef& node, model::Reading& reading, std::vector<Error>& errors);

}  // namespace shapelint::formats
