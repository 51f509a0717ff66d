// What nobody said of a model or its run, and a prediction rests on all the same.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/reading.hpp"

namespace shapelint::model {

// Neither stated, nor what a framework does unless it is told: our guess.
bool is_assumed(const Reading& reading, FieldId field);

// The guesses that decide what a prediction is worth: the size of a step, its number format, its attention,
// the vocabulary, and how new the software is that trains a mixture.
std::vector<FieldId> assumed_fields(const Reading& reading);

// The published model, or the config.json, that a file's reading has its shape from by name; empty: none.
std::string published_shape(const Reading& reading);

// How a run may be laid out over GPUs, one way in each framework and another in the next.
inline constexpr std::array layout_fields{FieldId::tensor,
                                          FieldId::pipeline,
                                          FieldId::virtual_pipeline,
                                          FieldId::embedding_stages,
                                          FieldId::context,
                                          FieldId::sequence_parallel,
                                          FieldId::expert};

// What a reading's extras say of those of them that no key of the file's framework sets.
std::string unsettable(FieldId field);

// As if the command line said so: it is no longer assumed, and follows from no other field.
void give(Reading& reading, FieldId field, std::int64_t value);

}  // namespace shapelint::model
