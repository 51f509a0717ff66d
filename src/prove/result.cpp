// From measured pairs to the gain of a step.
#include "prove/result.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "prove/plan.hpp"
#include "text/json/json.hpp"

namespace shapelint::prove {

namespace {

using text::NodeRef;

// Share of the predicted change that must have been measured for a verdict.
constexpr double min_measured = 0.8;

struct PairTimes {
  bool measured = false;
  double before_us = 0;
  double after_us = 0;
  double half_width = 0;  // of the logarithm of the ratio, or of the one time
};

// A step or a layer, run before and after.
struct WholeTimes {
  bool is_step = false;
  double before_us = 0;
  double after_us = 0;
  double half_width = 0;
  std::set<std::int64_t> left_out;  // kernels that it lacks
};

double number(NodeRef node) {
  return node.as_number().value_or(0);
}

class ResultReader {
 public:
  explicit ResultReader(NodeRef root) : root_(root) {}

  Result<Measured> read() {
    const NodeRef plan = root_["plan"];
    if (!root_["pairs"].is(text::Kind::list) || !plan["findings"].is(text::Kind::list)) {
      return root_.error("not a result of a `shapelint prove` script",
                         "the script writes its result to `-o`");
    }
    if (root_["version"].as_integer() != result_version || plan["version"].as_integer() != result_version) {
      return root_.error(fmt::format("only version {} of a result is understood", result_version),
                         "`shapelint prove` writes a new script");
    }
    Measured out;
    out.file = text_of(plan["file"]);
    out.model = text_of(plan["model"]);
    for (const NodeRef size : plan["sizes"]) out.sizes.emplace(size.key(), text_of(size));
    if (checksum_of(out.sizes) != text_of(plan["checksum"]))
      return plan["checksum"].error("the sizes are not those that the checksum was made of");
    out.gpu = text_of(plan["gpu"]["id"]);
    out.device = text_of(root_["device"]["name"]);
    out.on_gpu = root_["device"]["expected"].as_boolean().value_or(false);
    out.date = text_of(root_["date"]);
    for (const NodeRef each : root_["software"]) out.software.emplace(each.key(), text_of(each));
    for (const NodeRef each : root_["device"]["throttled"]) out.throttled.push_back(text_of(each));
    // Ratios hold at other clocks, times do not.
    keeps_times_ = out.throttled.empty() && !root_["device"]["clocks_locked_mhz"].as_string();
    for (const NodeRef pair : root_["pairs"]) {
      if (auto error = read_pair(pair, out)) return *std::move(error);
    }
    for (const NodeRef whole : root_["wholes"]) {
      if (auto error = read_whole(whole)) return *std::move(error);
    }
    std::int64_t number = 0;
    for (const NodeRef finding : plan["findings"]) {
      Proof proof;
      if (auto error = judge(finding, proof)) return *std::move(error);
      if (const auto whole = wholes_.find(number++); whole != wholes_.end()) {
        if (auto error = judge_whole(finding, whole->second, proof)) return *std::move(error);
      }
      out.proofs.push_back(std::move(proof));
    }
    return out;
  }

 private:
  std::optional<Error> read_pair(NodeRef node, Measured& out) {
    PairTimes pair;
    if (node["skipped"]) {
      count_left_out(out.left_out, text_of(node["skipped"]));
      pairs_.push_back(pair);
      return std::nullopt;
    }
    pair.before_us = number(node["before_us"]);
    pair.after_us = number(node["after_us"]);
    const bool has_before = node["before"].as_integer().has_value();
    const bool has_after = node["after"].as_integer().has_value();
    const auto is_time = [](double us) { return us > 0 && us < 1e12; };
    if ((has_before && !is_time(pair.before_us)) || (has_after && !is_time(pair.after_us)))
      return node.error("a measured comparison needs times above 0");
    // The ratio is known better than either time.
    if (has_before && has_after) pair.after_us = pair.before_us * std::exp(number(node["log_ratio"]));
    // One round has no interval: then nothing is known of it.
    pair.measured = node["half_width"].as_number().has_value();
    pair.half_width = number(node["half_width"]);
    if (pair.half_width < 0) return node.error("a half width is not negative");
    if (pair.measured) ++out.measured;
    pairs_.push_back(pair);
    return std::nullopt;
  }

  std::optional<Error> read_whole(NodeRef node) {
    if (node["skipped"] || !node["half_width"].as_number()) return std::nullopt;
    WholeTimes whole;
    const auto finding = node["finding"].as_integer();
    whole.is_step = node["of"].as_string() == "step";
    whole.before_us = number(node["before_us"]);
    whole.after_us = whole.before_us * std::exp(number(node["log_ratio"]));
    whole.half_width = number(node["half_width"]);
    const auto is_time = [](double us) { return us > 0 && us < 1e12; };
    if (!finding || !is_time(whole.before_us) || !is_time(whole.after_us) || whole.half_width < 0)
      return node.error("a measured layer or step needs its finding, and times above 0");
    for (const NodeRef kernel : node["left_out"]) whole.left_out.insert(kernel.as_integer().value_or(-1));
    wholes_[*finding] = std::move(whole);
    return std::nullopt;
  }

  // A step that was run as a whole stands in the place of its operations; a layer is reported with them.
  std::optional<Error> judge_whole(NodeRef finding, const WholeTimes& whole, Proof& proof) const {
    const double whole_ratio = whole.after_us / whole.before_us;
    proof.whole = whole.is_step ? "step" : "layer";
    proof.whole_gain = 1 - whole_ratio;
    proof.whole_half_width = whole_ratio * whole.half_width;
    if (!whole.is_step) return std::nullopt;
    const std::array busy{1 + number(finding["before_bubble"]), 1 + number(finding["after_bubble"])};
    std::array step_us{number(finding["before_us"]), number(finding["after_us"])};
    double changed_us = 0;
    double measured_us = 0;
    for (const NodeRef item : finding["items"]) {
      const std::array counts{number(item["before_count"]), number(item["after_count"])};
      const std::array predicted_us{number(item["before_us"]), number(item["after_us"])};
      const double change_us = std::fabs(counts[1] * predicted_us[1] - counts[0] * predicted_us[0]);
      changed_us += change_us;
      const auto index = item["pair"].as_integer();
      if (!index) continue;
      const PairTimes& pair = pairs_[static_cast<std::size_t>(*index)];
      const NodeRef sides = root_["pairs"][static_cast<std::size_t>(*index)];
      bool is_in = true;
      for (std::size_t side = 0; side < 2; ++side) {
        const auto kernel = sides[side == 0 ? "before" : "after"].as_integer();
        if (!kernel || !(counts[side] > 0)) continue;
        if (!whole.left_out.contains(*kernel)) {
          step_us[side] -= busy[side] * counts[side] * predicted_us[side];
        } else if (pair.measured) {
          const double pair_us = side == 0 ? pair.before_us : pair.after_us;
          step_us[side] += busy[side] * counts[side] * (pair_us - predicted_us[side]);
        } else {
          is_in = false;
        }
      }
      if (is_in) measured_us += change_us;
    }
    step_us[0] += busy[0] * whole.before_us;
    step_us[1] += busy[1] * whole.after_us;
    if (!(step_us[0] > 0) || !(step_us[1] > 0)) return finding.error("the measured savings exceed the step");
    proof.operations_gain = proof.gain;
    proof.operations_half_width = proof.half_width;
    const double ratio = number(finding["factor"]) * step_us[1] / step_us[0];
    proof.gain = 1 - ratio;
    proof.half_width = ratio * busy[1] * whole.after_us * whole.half_width / step_us[1];
    proof.measured_share = changed_us > 0 ? measured_us / changed_us : 0;
    proof.verdict = proof.measured_share < min_measured
                        ? ProofVerdict::unmeasured
                        : verdict_of(proof.predicted, proof.predicted_error, proof.gain, proof.half_width);
    return std::nullopt;
  }

  std::optional<Error> judge(NodeRef finding, Proof& proof) const {
    proof.code = text_of(finding["code"]);
    proof.rule = text_of(finding["rule"]);
    for (const NodeRef change : finding["changes"]) {
      proof.changes.emplace(change.key(), std::pair(text_of(change[0]), text_of(change[1])));
    }
    proof.predicted = number(finding["gain"]);
    proof.predicted_error = number(finding["gain_error"]);
    const double factor = number(finding["factor"]);
    double before_us = number(finding["before_us"]);
    double after_us = number(finding["after_us"]);
    if (!(before_us > 0) || !(after_us > 0) || !(factor > 0))
      return finding.error("a finding needs the predicted times of its step");
    const double before_busy = 1 + number(finding["before_bubble"]);
    const double after_busy = 1 + number(finding["after_bubble"]);
    // By pair, since operations that share one are wrong together: what half a width adds to either side.
    std::map<std::int64_t, std::array<double, 2>> errors_us;
    double changed_us = 0;
    double measured_us = 0;
    for (const NodeRef item : finding["items"]) {
      const double from = number(item["before_count"]);
      const double to = number(item["after_count"]);
      const double change_us = std::fabs(to * number(item["after_us"]) - from * number(item["before_us"]));
      changed_us += change_us;
      const auto index = item["pair"].as_integer();
      if (!index) continue;
      if (*index < 0 || static_cast<std::size_t>(*index) >= pairs_.size())
        return item.error("the result has no such comparison");
      const PairTimes& pair = pairs_[static_cast<std::size_t>(*index)];
      if (!pair.measured) continue;
      measured_us += change_us;
      if (from > 0) before_us += before_busy * from * (pair.before_us - number(item["before_us"]));
      if (to > 0) after_us += after_busy * to * (pair.after_us - number(item["after_us"]));
      auto& [before_error, after_error] = errors_us[*index];
      // What does not change is as wrong on both sides; of a ratio the later side has the error.
      const NodeRef sides = root_["pairs"][static_cast<std::size_t>(*index)];
      const bool is_ratio = sides["before"].as_integer() != sides["after"].as_integer();
      if (from > 0 && !(is_ratio && to > 0))
        before_error += before_busy * from * pair.before_us * pair.half_width;
      if (to > 0) after_error += after_busy * to * pair.after_us * pair.half_width;
      keep_products(sides, pair, proof);
    }
    if (!(before_us > 0) || !(after_us > 0)) return finding.error("the measured savings exceed the step");
    const double ratio = factor * after_us / before_us;
    proof.gain = 1 - ratio;
    double variance = 0;
    for (const auto& [index, error] : errors_us) {
      const double one = ratio * (error[1] / after_us - error[0] / before_us);
      variance += one * one;
    }
    proof.half_width = std::sqrt(variance);
    proof.measured_share = changed_us > 0 ? measured_us / changed_us : 0;
    proof.verdict = proof.measured_share < min_measured
                        ? ProofVerdict::unmeasured
                        : verdict_of(proof.predicted, proof.predicted_error, proof.gain, proof.half_width);
    return std::nullopt;
  }

  void keep_products(NodeRef sides, const PairTimes& pair, Proof& proof) const {
    if (!keeps_times_) return;
    for (const auto& [key, time_us] : {std::pair{"before", pair.before_us}, {"after", pair.after_us}}) {
      const auto index = sides[key].as_integer();
      if (!index || *index < 0) continue;
      auto row = product_row(root_["plan"]["kernels"][static_cast<std::size_t>(*index)], time_us);
      if (row && std::find(proof.products.begin(), proof.products.end(), *row) == proof.products.end())
        proof.products.push_back(*std::move(row));
    }
  }

  NodeRef root_;
  std::vector<PairTimes> pairs_;
  std::map<std::int64_t, WholeTimes> wholes_;  // by finding
  bool keeps_times_ = false;
};

}  // namespace

std::string_view name(ProofVerdict verdict) {
  static constexpr std::array<std::string_view, 5> names{"confirmed", "smaller", "refuted", "unclear",
                                                         "unmeasured"};
  return names[static_cast<std::size_t>(verdict)];
}

ProofVerdict verdict_of(double predicted, double predicted_error, double gain, double half_width) {
  const bool saves = gain - half_width > 0;
  if (saves)
    return gain + half_width >= predicted - predicted_error ? ProofVerdict::confirmed : ProofVerdict::smaller;
  return gain + half_width < predicted ? ProofVerdict::refuted : ProofVerdict::unclear;
}

void count_left_out(std::vector<std::pair<std::string, std::size_t>>& reasons, std::string reason) {
  const auto known =
      std::find_if(reasons.begin(), reasons.end(), [&](const auto& each) { return each.first == reason; });
  if (known != reasons.end()) {
    ++known->second;
  } else {
    reasons.emplace_back(std::move(reason), 1);
  }
}

Result<Measured> read_result(std::string path, std::string content) {
  const auto document = text::parse_json(std::move(path), std::move(content));
  if (!document) return document.error();
  return ResultReader(document->root()).read();
}

}  // namespace shapelint::prove
