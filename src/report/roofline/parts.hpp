// What the text of a roofline is put together from.
#pragma once

#include <string>
#include <vector>

#include "report/roofline/roofline.hpp"

namespace shapelint::report::roofline_parts {

// Three significant digits in at most six characters: 0.05, 1.23, 12.3, 123, 1234, 12.3k, 1.2M; `-` for none.
std::string brief(double value);
// Tokens or images per second, as every command prints them: "94.7", "10,842"; "12.3M" from 10^7.
std::string rate_text(double per_s);
// "1 token", "4,096 tokens"; "8 sequences".
std::string tokens(std::int64_t count);
std::string sequences(std::int64_t count);
// A convolutional network: its throughput is of images.
bool is_network(const model::Setup& setup);
// Breaks at commas, so that no line is longer than the table of operations.
std::string wrapped(const std::string& text);

// Which cases are the fastest, in tokens per second and GPU: of the GPUs for a model, of the models on a GPU.
// Among those that fit into memory, or all if none does; false if there is only one.
struct Best {
  bool gpu_of_model = false;
  bool model_of_gpu = false;
};
std::vector<Best> best_of(const std::vector<RooflineCase>& cases);  // roofline_compare.cpp
// The same in words, a line each, with the lead over the next.
std::vector<std::string> best_sentences(const std::vector<RooflineCase>& cases);

bool fits(const RooflineCase& each);
double tokens_per_gpu(const RooflineCase& each);
std::string bound_text(const cost::Roofline& line);
// As programs read them: `tensor`, `cuda`; `compute`, `memory`, …, `bubble`.
std::string_view units_name(bool on_tensor_cores);
std::string_view bound_name(cost::Bound bound, bool bubble);

// What the stack adds to the step, and which demands are not met; empty without a stack.
std::string stack_text(const RooflineCase& each);

// One row per case.
std::string comparison_text(const std::vector<RooflineCase>& cases);
// One row per value.
std::string curve_text(const RooflineCurve& each);

}  // namespace shapelint::report::roofline_parts
