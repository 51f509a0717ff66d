// Kernels to operations: products by their sizes, the rest by their kind.
#include "trace/match.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "model/op.hpp"
#include "trace/classify.hpp"
#include "trace/expected.hpp"
#include "trace/step.hpp"

namespace shapelint::trace {

namespace {

using model::Op;
using model::OpKind;
using model::Pass;

bool is_phase(Pass pass, Phase phase) {
  switch (pass) {
    case Pass::forward:
      return phase == Phase::forward;
    case Pass::recompute:
      return phase == Phase::recompute;
    case Pass::update:
      return phase == Phase::update;
    default:
      return phase == Phase::backward;
  }
}

class Matcher {
 public:
  Matcher(const Trace& trace, const Step& step, Classifier& classifier, const model::Setup& setup,
          const model::Workload& workload, const cost::StepCost& cost)
      : trace_(trace),
        setup_(setup),
        workload_(workload),
        cost_(cost),
        calls_(calls_of(trace, step, classifier)) {
    has_backward_ = std::any_of(calls_.begin(), calls_.end(),
                                [](const Call& call) { return call.phase == Phase::backward; });
  }

  Match run() {
    op_rows_.assign(workload_.ops.size(), no_class);
    products();
    attention();
    groups();
    finish();
    return std::move(out_);
  }

 private:
  Kind kind_of(const Call& call) const { return call.of == no_class ? Kind::other : classes()[call.of].kind; }

  std::size_t row_of(std::size_t op, std::string_view kind, By by) {
    std::size_t& row = op_rows_[op];
    if (row != no_class) return row;
    row = out_.rows.size();
    Row& added = out_.rows.emplace_back();
    added.ops = {op};
    added.kind = kind;
    added.by = by;
    added.predicted_us = workload_.ops[op].count * cost_.ops[op].time_us;
    return row;
  }

  void take(Call& call, std::size_t row) {
    call.row = row;
    Row& into = out_.rows[row];
    into.calls += 1;
    into.kernels += call.kernels;
    into.measured_us += call.time_us;
    auto& times = kernel_us_[row];
    times[call.longest->name] += call.time_us;
  }

  void products() {
    Seen seen;
    for (const Call& call : calls_) {
      if (call.product.k > 0) ++seen[canonical(call.product)];
    }
    const std::vector<Expected> expected = expected_products(setup_, workload_, seen);
    if (seen.empty()) {
      by_order(expected);
    } else {
      std::map<Product, std::vector<const Expected*>, ProductLess> pools;
      for (const Expected& each : expected) pools[each.product].push_back(&each);
      for (auto& [product, wanted] : pools) by_shape(product, wanted);
    }
    for (const Expected& each : expected) {
      Row& row = out_.rows[row_of(each.op, "product", seen.empty() ? By::order : By::shape)];
      row.expected_calls += each.calls;
      row.is_counted = true;
    }
  }

  // Calls of one size are shared out in the order of their runs; operations of one phase among themselves
  // where the profiler distinguishes phases.
  void by_shape(const Product& product, const std::vector<const Expected*>& wanted) {
    std::vector<std::vector<Call*>> sides(has_backward_ ? 4 : 1);
    for (Call& call : calls_) {
      if (call.row == no_class && call.product.k > 0 && canonical(call.product) == product)
        sides[has_backward_ ? static_cast<std::size_t>(call.phase) : 0].push_back(&call);
    }
    for (std::size_t side = 0; side < sides.size(); ++side) {
      std::vector<const Expected*> fitting;
      for (const Expected* each : wanted) {
        if (!has_backward_ || is_phase(workload_.ops[each->op].pass, static_cast<Phase>(side)))
          fitting.push_back(each);
      }
      // The last layer's gradients come first.
      if (has_backward_ && static_cast<Phase>(side) == Phase::backward)
        std::reverse(fitting.begin(), fitting.end());
      // Unannounced recomputation looks like a forward pass.
      if (fitting.empty() && static_cast<Phase>(side) == Phase::recompute) fitting = wanted;
      if (!fitting.empty()) share_out(sides[side], fitting);
    }
  }

  void share_out(const std::vector<Call*>& calls, const std::vector<const Expected*>& among) {
    double all = 0;
    for (const Expected* each : among) all += each->calls;
    if (!(all > 0)) return;
    std::vector<double> given(among.size(), 0);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      std::size_t next = 0;
      double most = -1e300;
      for (std::size_t j = 0; j < among.size(); ++j) {
        const double owed = among[j]->calls / all * static_cast<double>(i + 1) - given[j];
        if (owed > most + 1e-9) {
          most = owed;
          next = j;
        }
      }
      given[next] += 1;
      take(*calls[i], row_of(among[next]->op, "product", By::shape));
    }
  }

  // Without sizes: kernels that multiply, when there are just as many as predicted. Forward passes go layer
  // by layer, and backward ones the other way.
  void by_order(const std::vector<Expected>& expected) {
    std::vector<Call*> calls;
    for (Call& call : calls_) {
      if (kind_of(call) == Kind::product) calls.push_back(&call);
    }
    if (calls.empty()) return;
    const double batches = std::max(1.0, workload_.micro_batches);
    const std::vector<std::size_t> order = order_of(workload_, expected);  // of one micro-batch
    const std::size_t predicted = order.size() * static_cast<std::size_t>(std::llround(batches));
    if (predicted != calls.size()) {
      out_.notes.push_back(
          fmt::format("no operator sizes were recorded, and {} GEMMs ran where {} are predicted: they are "
                      "shown together (`record_shapes=True` records sizes)",
                      calls.size(), predicted));
      return;
    }
    for (std::size_t i = 0; i < calls.size(); ++i)
      take(*calls[i], row_of(order[i % order.size()], "product", By::order));
  }

  // Fused attention, or the products and passes that a framework runs in its place.
  void attention() {
    std::vector<std::size_t> fused;
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) {
      if (workload_.ops[i].kind == OpKind::attention) fused.push_back(i);
    }
    std::size_t in_parts = 0;
    for (const bool backward : {false, true}) {
      std::vector<Expected> wanted;
      for (const std::size_t op : fused) {
        const Pass pass = workload_.ops[op].pass;
        if ((pass == Pass::forward || pass == Pass::recompute) == backward) continue;
        wanted.push_back({op, {}, workload_.ops[op].count});
        out_.rows[row_of(op, "attention", By::name)].expected_calls = workload_.ops[op].count;
      }
      if (wanted.empty()) continue;
      std::vector<const Expected*> among;
      for (const Expected& each : wanted) among.push_back(&each);
      std::vector<Call*> whole;
      std::vector<Call*> parts;
      for (Call& call : calls_) {
        if (call.row != no_class) continue;
        const bool is_backward = has_backward_
                                     ? call.phase == Phase::backward
                                     : call.of != no_class && classes()[call.of].name.ends_with("backward");
        if (is_backward != backward) continue;
        const bool is_part =
            (call.product.k > 0 && std::any_of(fused.begin(), fused.end(),
                                               [&](std::size_t op) {
                                                 return is_within(workload_.ops[op].attention, call.product);
                                               })) ||
            (call.of != no_class && classes()[call.of].name == "softmax");
        if (kind_of(call) == Kind::attention) whole.push_back(&call);
        if (is_part) parts.push_back(&call);
      }
      share_out(whole, among);
      for (const Expected& each : wanted) out_.rows[op_rows_[each.op]].is_counted = !whole.empty();
      if (whole.empty()) {
        in_parts += parts.size();
        share_out(parts, among);
      }
    }
    if (in_parts > 0)
      out_.notes.emplace_back("attention ran unfused, but a fused kernel is predicted (`attention`)");
  }

  bool is_of(const Class& of, const Op& op) const {
    if (of.kind == Kind::collective) {
      return op.kind == OpKind::collective &&
             std::find(of.ops.begin(), of.ops.end(), model::name(op.collective)) != of.ops.end();
    }
    if (of.kind == Kind::scan) return op.kind == OpKind::scan;
    if (of.kind != Kind::memory) return false;
    return op.kind == OpKind::elementwise &&
           std::any_of(of.ops.begin(), of.ops.end(),
                       [&](std::string_view each) { return glob_matches(each, op.name, Glob::name); });
  }

  // Everything else: all kernels of a class against all operations that it may be.
  void groups() {
    for (std::size_t i = 0; i < classes().size(); ++i) {
      const Class& of = classes()[i];
      std::vector<std::size_t> ops;
      for (std::size_t op = 0; op < workload_.ops.size(); ++op) {
        if (op_rows_[op] == no_class && is_of(of, workload_.ops[op])) ops.push_back(op);
      }
      const bool has_calls = std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) {
        return call.row == no_class && call.of == i;
      });
      // What matches no kernel is left to a class that takes more.
      if (ops.empty() || (!has_calls && of.kind == Kind::memory && of.ops.back() != "*")) continue;
      Row& row = out_.rows.emplace_back();
      row.kind = of.name;
      for (const std::size_t op : ops) {
        op_rows_[op] = out_.rows.size() - 1;
        row.ops.push_back(op);
        row.predicted_us += workload_.ops[op].count * cost_.ops[op].time_us;
        row.expected_calls += workload_.ops[op].count;
      }
      for (Call& call : calls_) {
        if (call.row == no_class && call.of == i) take(call, out_.rows.size() - 1);
      }
    }
    attention_in_one();
    products_in_one();
  }

  // A fused kernel ran where products and a softmax are predicted.
  void attention_in_one() {
    const auto has_row = [&](const Call& call) { return call.row != no_class; };
    std::vector<Call*> fused;
    for (Call& call : calls_) {
      if (!has_row(call) && kind_of(call) == Kind::attention) fused.push_back(&call);
    }
    if (fused.empty()) return;
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      const Row& row = out_.rows[i];
      const bool is_part = std::all_of(row.ops.begin(), row.ops.end(), [&](std::size_t op) {
        const std::string_view name = workload_.ops[op].name;
        return name.ends_with(".scores") || name.ends_with(".values") || name.ends_with(".softmax") ||
               name.ends_with(".mask") || name.ends_with("attention.dropout");
      });
      if (is_part && row.calls == 0) taken.push_back(i);
    }
    if (taken.empty()) return;
    Row whole;
    whole.kind = "attention";
    for (const std::size_t i : taken) {
      const Row& row = out_.rows[i];
      whole.ops.insert(whole.ops.end(), row.ops.begin(), row.ops.end());
      whole.predicted_us += row.predicted_us;
      out_.rows[i].ops.clear();
    }
    whole.expected_calls = static_cast<double>(fused.size());
    out_.rows.push_back(std::move(whole));
    for (Call* call : fused) take(*call, out_.rows.size() - 1);
    out_.notes.emplace_back("attention ran fused, but unfused attention is predicted (`attention`)");
  }

  // Indistinguishable products.
  void products_in_one() {
    std::vector<Call*> left;
    double sized_us = 0;
    double left_us = 0;
    for (Call& call : calls_) {
      if (call.product.k > 0) sized_us += call.time_us;
      if (call.row != no_class || call.product.k > 0 || kind_of(call) != Kind::product) continue;
      left.push_back(&call);
      left_us += call.time_us;
    }
    // Sizes of some tell that the others are none of those that are predicted.
    if (left_us < sized_us) return;
    Row together;
    together.kind = "product";
    for (Row& row : out_.rows) {
      if (row.kind != "product" || row.calls > 0 || left.empty()) continue;
      together.ops.insert(together.ops.end(), row.ops.begin(), row.ops.end());
      together.predicted_us += row.predicted_us;
      together.expected_calls += row.expected_calls;
      row.ops.clear();
    }
    if (together.ops.empty()) return;
    out_.rows.push_back(std::move(together));
    for (Call* call : left) take(*call, out_.rows.size() - 1);
  }

  void finish() {
    std::map<std::string, Unexplained> left;
    for (const Call& call : calls_) {
      out_.kernels_us += call.time_us;
      const bool is_known = call.of != no_class || call.product.k > 0;
      if (is_known) out_.classified_us += call.time_us;
      if (call.row != no_class) {
        out_.explained_us += call.time_us;
        continue;
      }
      std::string what = trace_.names[call.longest->name];
      if (call.product.k > 0) what = fmt::format("a GEMM of {}", text_of(canonical(call.product)));
      if (kind_of(call) == Kind::host) what = "operators without kernels";
      Unexplained& each = left[what];
      if (each.calls == 0) {
        each.what = what;
        if (call.product.k > 0) {
          each.kind = "product";
          each.hint = closest_product(workload_, call.product);
        } else if (call.of != no_class) {
          each.kind = classes()[call.of].name;
        }
      }
      each.calls += 1;
      each.time_us += call.time_us;
    }
    for (auto& [what, each] : left) out_.unexplained.push_back(std::move(each));
    std::stable_sort(out_.unexplained.begin(), out_.unexplained.end(),
                     [](const Unexplained& a, const Unexplained& b) { return a.time_us > b.time_us; });
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      const auto times = kernel_us_.find(i);
      if (times == kernel_us_.end()) continue;
      const auto most = std::max_element(times->second.begin(), times->second.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      out_.rows[i].kernel = trace_.names[most->first];
    }
    std::erase_if(out_.rows, [](const Row& row) { return row.ops.empty(); });
    std::stable_sort(out_.rows.begin(), out_.rows.end(), [](const Row& a, const Row& b) {
      return std::max(a.measured_us, a.predicted_us) > std::max(b.measured_us, b.predicted_us);
    });
    out_.op_us.assign(workload_.ops.size(), -1);
    for (const Row& row : out_.rows) {
      if (!(row.predicted_us > 0) || row.calls == 0) continue;
      for (const std::size_t op : row.ops)
        out_.op_us[op] = row.measured_us * workload_.ops[op].count * cost_.ops[op].time_us / row.predicted_us;
    }
  }

  const Trace& trace_;
  const model::Setup& setup_;
  const model::Workload& workload_;
  const cost::StepCost& cost_;
  std::vector<Call> calls_;
  bool has_backward_ = false;
  std::vector<std::size_t> op_rows_;
  std::map<std::size_t, std::unordered_map<std::uint32_t, double>> kernel_us_;
  Match out_;
};

}  // namespace

std::string_view name(By by) {
  static constexpr std::array<std::string_view, 3> names{"shape", "order", "name"};
  return names.at(static_cast<std::size_t>(by));
}

Match match(const Trace& trace, const Step& step, Classifier& classifier, const model::Setup& setup,
            const model::Workload& workload, const cost::StepCost& cost) {
  return Matcher(trace, step, classifier, setup, workload, cost).run();
}

}  // namespace shapelint::trace
