// A hand-made report: no cost model, so that the printers are tested alone.
#pragma once

#include "model/fields.hpp"
#include "report/formats.hpp"

namespace shapelint::tests {

inline Span span_of(const std::string& source, const std::string& piece, const std::string& in) {
  const std::size_t begin = source.find(in) + in.find(piece);
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + piece.size())};
}

inline rules::Change change(const char* field, std::int64_t from, std::int64_t to) {
  return {model::find_field(field), from, to};
}

inline lint::ModelReport gpt() {
  lint::ModelReport model;
  model.path = "gpt.toml";
  model.source =
      "[model]\nhidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 50257\n";
  model.reading.name = "gpt";
  model.reading.path = model.path;
  model.reading.dialect = "native";
  const auto state = [&](model::FieldId field, std::int64_t value, const std::string& line) {
    model::set(model.reading.setup, field, value);
    model::Origin& origin = model.reading.origins[field];
    origin.kind = model::Origin::Kind::stated;
    origin.path = model.path;
    origin.key_path = "model." + std::string(model::info(field).name);
    origin.span = span_of(model.source, std::to_string(value), line);
  };
  state(model::FieldId::hidden_size, 2560, "hidden_size = 2560");
  state(model::FieldId::num_attention_heads, 32, "num_attention_heads = 32");
  state(model::FieldId::vocab_size, 50257, "vocab_size = 50257");
  model.reading.setup.plan.attention = model::Attention::unfused;
  model.result.parameters_before = 2651553280;

  rules::GpuReport gpu;
  gpu.gpu = "a100-sxm4-80gb";
  gpu.workload.tokens_per_step = 8192;
  model::Op op;
  op.name = "head.logits";
  op.m = {8192, "micro_batch_size * sequence_length"};
  op.n = {50257, "vocab_size"};
  op.k = {2560, "hidden_size"};
  gpu.workload.ops.push_back(op);
  op = {};
  op.name = "layer.attention";
  op.kind = model::OpKind::attention;
  gpu.workload.ops.push_back(op);
  op = {};
  op.name = "layer.mlp.all_reduce";
  op.kind = model::OpKind::collective;
  gpu.workload.ops.push_back(op);
  gpu.before.time_us = 1.5e6;
  gpu.before.mfu = 0.412;
  gpu.before.ops.resize(3);
  gpu.after = gpu.before;
  gpu.after.time_us = 1.257e6;
  gpu.after.mfu = 0.491;
  model.result.gpus.push_back(gpu);
  return model;
}

inline gpu::Gpu named_gpu(const char* id, const char* status) {
  gpu::Gpu gpu;
  gpu.id = id;
  gpu.name = id;
  gpu.calibration.status = status;
  return gpu;
}

// One GPU; a warning with two proposals and a certain failure that no line states.
inline lint::Report one_gpu_report() {
  lint::ModelReport model = gpt();
  rules::Finding heads;
  heads.code = "SL201";
  heads.rule = "head-dim-misaligned";
  heads.confidence = rules::Confidence::measured;
  heads.message = "`head_dim` 80 is not a multiple of 64";
  heads.label = "QK^T and PV GEMMs are misaligned";
  heads.why =
      "head_dim is K of QK^T and the contiguous dimension of V; the rows of each head start at misaligned "
      "addresses";
  heads.blamed = model::FieldId::num_attention_heads;
  heads.related = {model::FieldId::hidden_size};
  heads.path = model.path;
  heads.key_path = "model.num_attention_heads";
  heads.span = span_of(model.source, "32", "num_attention_heads = 32");
  heads.span = {heads.span.begin, heads.span.begin + 2};
  heads.gain = 0.162;
  heads.gain_error = 0.03;
  rules::Proposal twenty;
  twenty.changes = {change("num_attention_heads", 32, 20)};
  twenty.implied = {change("num_key_value_heads", 32, 20), change("head_dim", 80, 128),
                    change("value_head_dim", 80, 128)};
  twenty.gain = 0.162;
  twenty.gain_error = 0.03;
  twenty.parameters_before = twenty.parameters_after = model.result.parameters_before;
  rules::Proposal forty = twenty;
  forty.changes[0].to = 40;
  forty.implied = {change("head_dim", 80, 64)};
  forty.gain = 0.11;
  forty.gain_error = 0;
  heads.proposals = {twenty, forty};
  heads.ops = {"layer.attention.scores"};

  rules::Finding tensor;
  tensor.code = "SL401";
  tensor.rule = "heads-not-divisible";
  tensor.severity = rules::Severity::error;
  tensor.confidence = rules::Confidence::certain;
  tensor.message = "32 attention heads are not divisible by `tensor` 3";
  tensor.blamed = model::FieldId::tensor;
  tensor.path = model.path;
  tensor.note = "tensor = 3 was given on the command line";
  tensor.certain_to_fail = true;

  model.result.findings = {heads, tensor};
  model.result.gpus[0].applied = twenty.changes;
  lint::Report report;
  report.gpus = {named_gpu("a100-sxm4-80gb", "calibrated")};
  report.models = {model};
  return report;
}

// Two assumed GPUs, one of them uncalibrated; one warning.
inline lint::Report two_gpu_report() {
  lint::ModelReport model = gpt();
  rules::GpuReport second = model.result.gpus[0];
  second.gpu = "h100-sxm";
  second.before.time_us = 0.7e6;
  second.before.mfu = 0.38;
  model.result.gpus.push_back(second);
  rules::Finding vocab;
  vocab.code = "SL101";
  vocab.rule = "vocab-misaligned";
  vocab.message = "50257 rows of vocabulary are odd";
  vocab.blamed = model::FieldId::vocab_size;
  vocab.path = model.path;
  vocab.span = span_of(model.source, "50257", "vocab_size = 50257");
  vocab.gain = 0.057;
  vocab.gains = {{"a100-sxm4-80gb", 0.073, 0}, {"h100-sxm", 0.041, 0}};
  rules::Proposal padded;
  padded.changes = {change("vocab_size", 50257, 50304)};
  padded.gain = vocab.gain;
  padded.gains = vocab.gains;
  padded.parameters_before = model.result.parameters_before;
  padded.parameters_after = model.result.parameters_before + 120320;
  vocab.proposals = {padded};
  model.result.findings = {vocab};
  lint::Report report;
  report.gpus = {named_gpu("a100-sxm4-80gb", "calibrated"), named_gpu("h100-sxm", "uncalibrated")};
  model.gpus_assumed = true;
  report.models = {model};
  return report;
}

}  // namespace shapelint::tests
