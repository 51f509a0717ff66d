// What nobody said of a model or its run, and a prediction rests on all the same.
#pragma once

#include <vector>

#include "model/reading.hpp"

namespace shapelint::model {

// Neither stated, nor what a framework does unless it is told: our guess.
bool is_assumed(const Reading& reading, FieldId field);

// The guesses that decide what a prediction is worth: the size of a step, its number format, its attention,
// the vocabulary, and how new the software is that trains a mixture.
std::vector<FieldId> assumed_fields(const Reading& reading);

}  // namespace shapelint::model
