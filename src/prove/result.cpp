// From measured pairs to the gain of a step.
#include "prove/result.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "text/json/json.hpp"

namespace shapelint::prove {

namespace {

using text::NodeRef;

constexpr std::int64_t version = 1;
// Of the predicted change, what must have been measured for a verdict.
constexpr double least_measured = 0.8;

struct PairTimes {
  bool measured = false;
  double before_us = 0;
  double after_us = 0;
  double half_width = 0;  // of the logarithm of the ratio, or of the one time
};

std::string text_of(NodeRef node) {
  return std::string(node.as_string().value_or(""));
}
double number(NodeRef node) {
  return node.as_number().value_or(0);
}

class Reader {
 public:
  explicit Reader(NodeRef root) : root_(root) {}

  Result<Measured> read() {
    const NodeRef plan = root_["plan"];
    if (!root_["pairs"].is(text::Kind::list) || !plan["findings"].is(text::Kind::list)) {
      return root_.error("this is no result of a script that `shapelint prove` wrote",
                         "the script's `-o` says where its result goes");
    }
    if (root_["version"].as_integer() != version || plan["version"].as_integer() != version) {
      return root_.error(fmt::format("only version {} of a result is understood", version),
                         "`shapelint prove` writes the script anew");
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
    for (const NodeRef pair : root_["pairs"]) {
      if (auto error = read_pair(pair, out)) return *std::move(error);
    }
    for (const NodeRef finding : plan["findings"]) {
      Proof proof;
      if (auto error = judge(finding, proof)) return *std::move(error);
      out.proofs.push_back(std::move(proof));
    }
    return out;
  }

 private:
  std::optional<Error> read_pair(NodeRef node, Measured& out) {
    PairTimes pair;
    if (node["skipped"]) {
      const std::string reason = text_of(node["skipped"]);
      const auto known = std::find_if(out.left_out.begin(), out.left_out.end(),
                                      [&](const auto& each) { return each.first == reason; });
      if (known == out.left_out.end()) {
        out.left_out.emplace_back(reason, 1);
      } else {
        ++known->second;
      }
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
        return item.error("there is no such comparison in the result");
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
    }
    if (!(before_us > 0) || !(after_us > 0))
      return finding.error("the measured times leave nothing of the step");
    const double ratio = factor * after_us / before_us;
    proof.gain = 1 - ratio;
    double variance = 0;
    for (const auto& [index, error] : errors_us) {
      const double one = ratio * (error[1] / after_us - error[0] / before_us);
      variance += one * one;
    }
    proof.half_width = std::sqrt(variance);
    proof.measured_share = changed_us > 0 ? measured_us / changed_us : 0;
    proof.verdict = proof.measured_share < least_measured
                        ? Verdict::unmeasured
                        : verdict_of(proof.predicted, proof.predicted_error, proof.gain, proof.half_width);
    return std::nullopt;
  }

  NodeRef root_;
  std::vector<PairTimes> pairs_;
};

}  // namespace

std::string_view name(Verdict verdict) {
  static constexpr std::array<std::string_view, 5> names{"confirmed", "smaller", "refuted", "unclear",
                                                         "unmeasured"};
  return names[static_cast<std::size_t>(verdict)];
}

Verdict verdict_of(double predicted, double predicted_error, double gain, double half_width) {
  const bool saves = gain - half_width > 0;
  if (saves) return gain + half_width >= predicted - predicted_error ? Verdict::confirmed : Verdict::smaller;
  return gain + half_width < predicted ? Verdict::refuted : Verdict::unclear;
}

Result<Measured> read_result(std::string path, std::string content) {
  const auto document = text::parse_json(std::move(path), std::move(content));
  if (!document) return document.error();
  return Reader(document->root()).read();
}

}  // namespace shapelint::prove
