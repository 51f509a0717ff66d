// Fixing texts in memory, and what came of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lint/fix.hpp"
#include "tests/catch.hpp"
#include "tests/replaced.hpp"

namespace shapelint::tests {

using Strings = std::vector<std::string>;

struct FixRun {
  std::map<std::string, std::string> changed;  // texts by path
  Strings fixes;
  Strings left;
  std::size_t unsafe_left = 0;
  Strings findings;  // afterwards, except for infos
  bool has_findings = false;
};

struct Asked {
  Strings paths{};
  std::optional<rules::Severity> fail_level{};
  std::optional<std::int64_t> jobs{};
  Strings gpus{"a100"};
  Strings select{};
  bool unsafe = false;
  bool no_ignores = false;
  std::string baseline{};
  std::vector<model::Override> overrides{};
};

inline FixRun fixed(const std::map<std::string, std::string>& texts, const Asked& asked = {}) {
  text::MemoryFileSystem memory;
  memory.files = texts;
  text::OverlayFileSystem files(memory);
  project::Request wanted;
  wanted.gpus.names = asked.gpus;
  wanted.select = asked.select;
  wanted.fail_level = asked.fail_level;
  wanted.overrides = asked.overrides;
  const project::Project project(wanted, files);
  lint::FixRequest request;
  request.run.paths = asked.paths.empty() ? Strings{texts.begin()->first} : asked.paths;
  request.run.no_ignores = asked.no_ignores;
  request.run.jobs = asked.jobs;
  request.run.baseline.path = asked.baseline;
  request.unsafe = asked.unsafe;
  const lint::FixOutcome out = lint::fix_files(request, project, files);
  REQUIRE(out.run.refused.empty());
  FixRun ran;
  for (const lint::FixedFile& each : out.files) {
    CHECK(each.before == texts.at(each.path));
    ran.changed[each.path] = each.after;
  }
  for (const lint::Fix& each : out.fixes) {
    ran.fixes.push_back(fmt::format("{}:{}:{}: {} ({})", each.path, each.place.line, each.place.column,
                                    each.changes, fmt::join(each.codes, ", ")));
  }
  for (const lint::RemainingFinding& each : out.left) {
    ran.left.push_back(fmt::format("{}:{}:{}: {} {}", each.path, each.place.line, each.place.column,
                                   each.code, each.reason));
  }
  ran.unsafe_left = out.unsafe_left;
  for (const lint::ModelReport& model : out.run.report.models) {
    for (const rules::Finding& each : model.result.findings) {
      if (each.severity != rules::Severity::info)
        ran.findings.push_back(model.path + " " + std::string(each.code));
    }
  }
  ran.has_findings = out.run.has_findings;
  CHECK(memory.files == texts);  // nothing is written
  return ran;
}

// GPT-2's vocabulary on an A100: SL101.
inline const std::string native =
    "# GPT-2\r\n[model]\r\nhidden_size = 768\r\nnum_layers = 12\r\nnum_attention_heads = 12\r\n"
    "vocab_size = 50_257  # rows, größer\r\n\r\n[run]\r\nmicro_batch_size=8\r\nsequence_length = 1024\r\n";

inline const std::string json =
    "{\n  \"model_type\": \"llama\", \"hidden_size\": 2048, \"intermediate_size\": 5632,\n"
    "  \"num_hidden_layers\": 22, \"num_attention_heads\": 32, \"num_key_value_heads\": 4,\n"
    "\t\"vocab_size\" : 32003,\"torch_dtype\": \"bfloat16\"\n}";

// 5, 4, 4 and 4 layers, the last with the LM head: SL408. On one stage all is even.
inline const std::string yaml =
    "num_layers: 17\nhidden_size: 4096\nnum_attention_heads: 32   # heads\nseq_length: 2048\n"
    "pipe_parallel_size: 4   # stages\nmodel_parallel_size: 1\ntrain_micro_batch_size_per_gpu: 1\n"
    "make_vocab_size_divisible_by: 1\nvocab_size: 50304\ngradient_accumulation_steps: 32\n"
    "attention_config: [[[\"flash\"], 17]]\n";

}  // namespace shapelint::tests
