// What a setup costs on a GPU, in a form that compares models of different sizes and plans.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cost/step.hpp"
#include "cost/uncertainty.hpp"
#include "gpu/gpu.hpp"
#include "model/spec.hpp"
#include "suggest/edit/on_stack.hpp"

namespace shapelint::suggest {

struct Evaluation {
  double time_us = 0;  // of the step, on one rank
  // Of a useful unit: a token, or where the input is no text, a whole sequence, since an image that is cut
  // into more patches is still one image.
  double gpu_us_per_unit = 0;  // time x ranks of one model replica / units: comparable between plans
  double flops_per_unit = 0;   // forward, of the whole model
  double mfu = 0;
  std::int64_t parameters = 0;
};

// Share of the time per useful unit that `after` saves: 1 - new / old. What a smaller model saves by doing
// less is not counted, what a larger one costs is: gain > 0 always means faster, and not merely smaller.
double gain(const Evaluation& before, const Evaluation& after);

// Prices setups on one GPU and remembers them. Setups with the same fields are the same setup. Belongs to a
// Gpu that outlives it; not for several threads at once.
class Evaluator {
 public:
  // `stack`: what runs the setups, which outlives it, too; null: they run as they are written. Without
  // `counts_bubble` plans are compared as if their pipelines never idled: where how many micro-batches a step
  // has is assumed, so is how long they do.
  explicit Evaluator(const gpu::Gpu& gpu, const OnStack* stack = nullptr, bool counts_bubble = true)
      : memo_(gpu), stack_(stack), counts_bubble_(counts_bubble) {}
  const gpu::Gpu& gpu() const { return memo_.gpu(); }
  cost::PriceMemo& prices() { return memo_; }
  // The reference holds as long as the Evaluator.
  const Evaluation& evaluate(const model::Setup& setup);
  // The whole step, for printing; not remembered.
  Step step(const model::Setup& setup);
  // The same of its time, with the bubble whether it is compared or not.
  double whole_step_us(const model::Setup& setup);
  double memory_bytes(const model::Setup& setup) const { return memory_bytes_of(stack_, gpu(), setup); }
  // How sure gain(before, after) is: its interval, and whether measurements back it. The share is that of the
  // time per token, without regard to the work.
  cost::Gain uncertainty(const model::Setup& before, const model::Setup& after);
  std::size_t evaluations() const { return known_.size(); }

 private:
  struct Key {
    std::vector<std::int64_t> values;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  cost::PriceMemo memo_;
  // The step as it is compared.
  Step compared(const model::Setup& setup);
  const OnStack* stack_;
  bool counts_bubble_;
  std::unordered_map<Key, Evaluation, Hash> known_;
  Step scratch_;
};

}  // namespace shapelint::suggest
