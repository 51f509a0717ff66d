// Proofs in a file.
#include "prove/proofs.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "model/fields.hpp"
#include "suggest/edit/candidate.hpp"
#include "text/json/json.hpp"

namespace shapelint::prove {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view format_name = "shapelint-proofs";
constexpr std::int64_t proofs_version = 1;
constexpr std::array kept{ProofVerdict::confirmed, ProofVerdict::smaller, ProofVerdict::refuted};

auto order_of(const StoredProof& each) {
  return std::tie(each.file, each.model, each.proof.code, each.gpu, each.proof.changes, each.sizes);
}

// Whether a newer proof takes its place: of the same change, by a version that may know more of the sizes.
bool is_replaced(const StoredProof& each, const StoredProof& newer) {
  return each.file == newer.file && each.model == newer.model && each.proof.code == newer.proof.code &&
         each.gpu == newer.gpu && each.proof.changes == newer.proof.changes &&
         is_part_of(each.sizes, newer.sizes);
}

// "2026-11-25", or tomorrow where it is later already.
std::string latest_date() {
  constexpr std::time_t day_s = 86'400;
  const std::time_t tomorrow = std::time(nullptr) + day_s;
  std::tm parts{};
  gmtime_r(&tomorrow, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

bool begins_with_date(std::string_view text) {
  constexpr std::string_view form = "0000-00-00";
  if (text.size() < form.size()) return false;  // a time may follow
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == '0' ? !is_digit : text[i] != '-') return false;
  }
  return true;
}

// Why that cannot have been measured; empty if it may have been. A checksum needs no key, so this is as
// good as the numbers are. A proposal that makes a step twice as long was never measured, nor were times
// without spread.
std::string implausible(const StoredProof& stored) {
  constexpr double worst_gain = -1;
  const Proof& proof = stored.proof;
  if (!begins_with_date(stored.date)) return "its date is not valid";
  if (stored.date.substr(0, latest_date().size()) > latest_date()) return "its date is in the future";
  if (proof.gain < worst_gain || proof.gain >= 1 || proof.half_width > 1)
    return "no step changes by this much";
  if (verdict_of(proof.predicted, proof.predicted_error, proof.gain, proof.half_width) != proof.verdict)
    return "its verdict does not follow from its measurements";
  return {};
}

Result<StoredProof> read_one(text::NodeRef node) {
  StoredProof out;
  const auto text = [&](const char* key) { return std::string(node[key].as_string().value_or("")); };
  out.file = text("file");
  out.model = text("model");
  out.gpu = text("gpu");
  out.device = text("device");
  out.date = text("date");
  for (const text::NodeRef each : node["sizes"]) out.sizes.emplace(each.key(), each.as_string().value_or(""));
  for (const text::NodeRef each : node["software"])
    out.software.emplace(each.key(), each.as_string().value_or(""));
  out.proof.code = text("finding");
  out.proof.rule = text("rule");
  for (const text::NodeRef each : node["changes"]) {
    out.proof.changes.emplace(each.key(), std::pair(std::string(each[0].as_string().value_or("")),
                                                    std::string(each[1].as_string().value_or(""))));
  }
  const auto share = [](text::NodeRef value, double& target) {
    const auto read = value.as_number();
    if (read) target = *read;
    return read && *read >= -100 && *read <= 1;
  };
  Proof& proof = out.proof;
  const auto found = std::find_if(
      kept.begin(), kept.end(), [&](ProofVerdict each) { return name(each) == node["verdict"].as_string(); });
  const bool good = share(node["measured"]["gain"], proof.gain) &&
                    share(node["measured"]["half_width"], proof.half_width) && proof.half_width >= 0 &&
                    share(node["predicted"]["gain"], proof.predicted) &&
                    share(node["predicted"]["error"], proof.predicted_error) && found != kept.end();
  share(node["measured"]["share"], proof.measured_share);
  for (const char* whole : {"step", "layer"}) {
    if (!node["measured"][whole]) continue;
    proof.whole = whole;
    share(node["measured"][whole]["gain"], proof.whole_gain);
    share(node["measured"][whole]["half_width"], proof.whole_half_width);
  }
  if (!good || out.file.empty() || out.gpu.empty() || proof.code.empty() || out.sizes.empty()) {
    return node.error(
        "a proof needs `file`, `gpu`, `finding`, `sizes`, `predicted`, `measured` with shares of the step, "
        "and a `verdict` of confirmed, smaller or refuted");
  }
  proof.verdict = *found;
  for (const text::NodeRef row : node["products"]) {
    std::string line(row.as_string().value_or(""));
    if (line.empty() || line.find_first_of("\r\n") != std::string::npos)
      return row.error(fmt::format("a measured GEMM is one line: {}", product_columns));
    proof.products.push_back(std::move(line));
  }
  if (checksum_of(out.sizes) != text("checksum"))
    return node.error("the sizes of this proof are not those that its checksum was made of",
                      "it was changed by hand, or badly merged: measure again");
  if (const std::string why = implausible(out); !why.empty())
    return node.error(fmt::format("this proof cannot be a measurement: {}", why), "measure again");
  return out;
}

}  // namespace

Result<std::vector<StoredProof>> read_proofs(const std::string& path, std::string content) {
  const auto document = text::parse_json(path, std::move(content));
  if (!document) return document.error();
  const text::NodeRef root = document->root();
  if (root["format"].as_string() != format_name)
    return Error{"the file has no proofs of shapelint", "`shapelint prove --read` writes it", path, {}};
  if (root["version"].as_integer() != proofs_version)
    return root.error(fmt::format("only version {} of a file of proofs is understood", proofs_version));
  std::vector<StoredProof> proofs;
  for (const text::NodeRef entry : root["proofs"]) {
    auto proof = read_one(entry);
    if (!proof) return proof.error();
    proofs.push_back(*std::move(proof));
  }
  return proofs;
}

std::string proofs_text(const std::vector<StoredProof>& proofs) {
  ordered_json list = ordered_json::array();
  for (const StoredProof& each : proofs) {
    ordered_json entry{{"file", each.file}};
    if (!each.model.empty()) entry["model"] = each.model;
    entry["finding"] = each.proof.code;
    entry["rule"] = each.proof.rule;
    entry["changes"] = each.proof.changes;
    entry["gpu"] = each.gpu;
    entry["device"] = each.device;
    entry["date"] = each.date;
    entry["software"] = each.software;
    entry["predicted"] = {{"gain", each.proof.predicted}, {"error", each.proof.predicted_error}};
    entry["measured"] = {{"gain", each.proof.gain},
                         {"half_width", each.proof.half_width},
                         {"share", each.proof.measured_share}};
    if (!each.proof.whole.empty())
      entry["measured"][each.proof.whole] = {{"gain", each.proof.whole_gain},
                                             {"half_width", each.proof.whole_half_width}};
    entry["verdict"] = name(each.proof.verdict);
    entry["checksum"] = checksum_of(each.sizes);
    entry["sizes"] = each.sizes;
    if (!each.proof.products.empty()) entry["products"] = each.proof.products;
    list.push_back(std::move(entry));
  }
  const ordered_json out{{"format", format_name}, {"version", proofs_version}, {"proofs", std::move(list)}};
  return text::json_text(out, 2) + '\n';
}

std::size_t add_proofs(const Measured& measured, const std::string& file, std::vector<StoredProof>& proofs) {
  std::size_t added = 0;
  for (const Proof& proof : measured.proofs) {
    if (std::find(kept.begin(), kept.end(), proof.verdict) == kept.end()) continue;
    StoredProof stored{
        file,          measured.model, measured.sizes, measured.gpu, measured.device, measured.software,
        measured.date, proof};
    std::erase_if(proofs, [&](const StoredProof& each) { return is_replaced(each, stored); });
    proofs.push_back(std::move(stored));
    ++added;
  }
  std::sort(proofs.begin(), proofs.end(),
            [](const StoredProof& a, const StoredProof& b) { return order_of(a) < order_of(b); });
  return added;
}

namespace {

// The value that model::value_text() writes so.
std::optional<std::int64_t> value_of(const model::FieldInfo& field, std::string_view text) {
  if (field.type == model::FieldType::integer) return parse_integer(text);
  const auto count = field.type == model::FieldType::boolean ? std::size_t{2} : field.choices.size();
  for (std::size_t value = 0; value < count; ++value) {
    if (model::value_text(field.id, static_cast<std::int64_t>(value)) == text)
      return static_cast<std::int64_t>(value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Predicted> predict_gain(const gpu::Gpu& gpu, const model::Reading& reading,
                                      const ChangedValues& changes) {
  std::vector<suggest::Change> all;
  for (const auto& [name, values] : changes) {
    const model::FieldId id = model::find_field(name);
    if (id == model::no_field) return std::nullopt;
    const auto to = value_of(model::info(id), values.second);
    if (!to) return std::nullopt;
    suggest::Change change;
    change.field = id;
    change.from = model::get(reading.setup, id);
    change.to = *to;
    all.push_back(std::move(change));
  }
  const auto candidate = suggest::make_candidate(reading, suggest::links_of(reading), std::move(all), {});
  if (!candidate) return std::nullopt;
  suggest::Evaluator evaluator(gpu);
  const suggest::Evaluation from = evaluator.evaluate(reading.setup);
  const suggest::Evaluation to = evaluator.evaluate(candidate->setup);
  if (!(from.time_us > 0) || !(to.time_us > 0)) return std::nullopt;
  return Predicted{suggest::gain(from, to),
                   evaluator.uncertainty(reading.setup, candidate->setup).half_width};
}

}  // namespace shapelint::prove
