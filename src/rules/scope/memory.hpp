// What can be said for certain of a run's memory, given what its file says.
#pragma once

#include <cstdint>
#include <span>

#include "model/reading.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::rules {

// Whether somebody says how the run is laid out: a degree of parallelism, ZeRO, the micro-batch. A value that
// only the run knows leaves all of it open.
bool states_plan(const model::Reading& reading);

// Whether a server runs as many sequences as fit: the others wait.
bool takes_what_fits(const model::Reading& reading);

// The least that `setup`, which the file of `reading` says or a change of it, needs on each GPU. Of a run on
// more data-parallel ranks than the file counts ZeRO shares more. Where nothing says what is shared,
// offloaded or frozen (FSDP, adapters), activations alone are certain of training, if the file says what is
// kept of them; and nothing of serving where weights are stored in fewer, unknown bits. Of
// a server that takes what fits the weights are: what its cache must hold is suggest::capacity_of()'s answer.
suggest::Footprint min_footprint(const model::Reading& reading, const model::Setup& setup);

// Whether a prediction exceeds a budget by more than predictions are off.
bool is_over_memory(double needed_bytes, double budget_bytes);

// The same of a training step and a GPU's memory; not where sequences may be shorter than the file says.
bool is_over_memory(const model::Reading& reading, const model::Setup& setup, double memory_gib);

// Whether ranks that the file does not count could share what keeps the setup from fitting `usable` bytes.
bool sharing_may_help(const model::Reading& reading, const model::Setup& setup, double usable);

// For a server that takes what fits, where that is known (weights in bits that are stated, caches of all
// layers): the sequences of a micro-batch that are resident on a GPU with so much memory; else 0.
std::int64_t resident_sequences(const model::Reading& reading, double memory_gib);

// For models that are one training step together (the halves of an encoder-decoder): notes in each what the
// others need in memory.
void note_memory_beside(std::span<model::Reading> readings);

}  // namespace shapelint::rules
