// What the interactive page sweeps when nobody says.
#pragma once

#include <vector>

#include "model/reading.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::cli {

// The fields that a reader of the page may choose among, the most telling first, each with values around the
// file's own: fine enough for tiles and waves to show, and few enough for the page to stay small.
std::vector<suggest::RangeRequest> page_sweeps(const model::Reading& reading);

}  // namespace shapelint::cli
