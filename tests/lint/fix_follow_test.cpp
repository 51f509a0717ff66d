// Fixing values that follow from others, and whole folders.
#include <algorithm>

#include "lint/edits.hpp"
#include "tests/catch.hpp"
#include "tests/lint/fix_support.hpp"

using namespace shapelint;
using namespace shapelint::tests;

namespace {

// 64 sequences a step: 8 micro-batches of one on each of 8 GPUs.
const std::string batches =
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
    "--num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --vocab-size 50304 --bf16 "
    "--use-flash-attn --micro-batch-size 1 --global-batch-size 64\n";

Asked infos(Strings select) {
  Asked asked;
  asked.fail_level = rules::Severity::info;
  asked.select = std::move(select);
  return asked;
}

}  // namespace

TEST_CASE("what follows from another key follows, and it is said", "[lint][fix]") {
  const FixRun ran = fixed({{"run.sh", batches}}, infos({"SL501"}));
  REQUIRE(ran.changed.contains("run.sh"));
  CHECK(ran.changed.at("run.sh") == replaced(batches, "--micro-batch-size 1 ", "--micro-batch-size 8 "));
  CHECK(ran.fixes == Strings{"run.sh:1:216: micro_batch_size 1 → 8 (gradient_accumulation 8 → 1 follows from "
                             "`--global-batch-size`) (SL501)"});
  CHECK(ran.left.empty());
}

TEST_CASE("an MLP width that a script computes from hidden_size follows it", "[lint][fix]") {
  const std::string script =
      "from transformers import GPT2Config, GPT2LMHeadModel\n"
      "hidden = 4100\n"
      "config = GPT2Config(n_embd=hidden, n_inner=4 * hidden, n_layer=8, n_head=20, vocab_size=50304, "
      "n_positions=1024)\n"
      "model = GPT2LMHeadModel(config)\n";
  Asked asked = infos({"SL603"});
  asked.unsafe = true;
  const FixRun ran = fixed({{"train.py", script}}, asked);
  REQUIRE(ran.changed.contains("train.py"));
  CHECK(ran.changed.at("train.py") ==
        replaced(replaced(script, "hidden = 4100", "hidden = 4096"), "n_head=20", "n_head=32"));
  // Of another variable it stays what it is.
  const std::string other = replaced(replaced(script, "hidden = 4100\n", "hidden = 4100\ninner = 4100\n"),
                                     "4 * hidden", "4 * inner");
  const FixRun apart = fixed({{"train.py", other}}, asked);
  REQUIRE(apart.changed.contains("train.py"));
  CHECK(apart.changed.at("train.py").find("inner = 4100\n") != std::string::npos);
}

TEST_CASE("less recomputation waits for people where the size of a step is assumed", "[lint][fix]") {
  const std::string sizes =
      "[model]\nhidden_size = 2048\nnum_layers = 16\nnum_attention_heads = 16\nvocab_size = 50304\n"
      "[run]\nmode = \"train\"\nrecompute = \"full\"\n";
  CHECK(fixed({{"a.toml", sizes}}, infos({"SL507"})).changed.empty());
  CHECK(fixed({{"a.toml", sizes + "micro_batch_size = 1\n"}}, infos({"SL507"})).changed.empty());
  const std::string stated = sizes + "micro_batch_size = 1\nsequence_length = 2048\n";
  CHECK(fixed({{"a.toml", stated}}, infos({"SL507"})).changed.contains("a.toml"));
}

TEST_CASE("a global batch stays what it is where it equals the micro-batches of a step", "[lint][fix]") {
  const std::string alone = replaced(batches, "nproc_per_node 8", "nproc_per_node 1");
  const FixRun ran = fixed({{"run.sh", alone}}, infos({"SL501"}));
  REQUIRE(ran.changed.contains("run.sh"));
  CHECK(ran.changed.at("run.sh") == replaced(alone, "--micro-batch-size 1 ", "--micro-batch-size 8 "));
}

TEST_CASE("where a value follows from a key that cannot give another, that key is named", "[lint][fix]") {
  // Nine micro-batches each: half of them are no whole number.
  const std::string in_nines = replaced(batches, "batch-size 64", "batch-size 72");
  const FixRun ran = fixed({{"run.sh", in_nines}}, infos({"SL501"}));
  for (const std::string& each : ran.left) {
    INFO(each);
    CHECK(each.find("is written as") == std::string::npos);
  }
  const std::string text = "one two --global-batch-size 64";
  lint::ModelReport model;
  model.path = "run.sh";
  model.source = text;
  model.reading.dialect = "megatron";
  const auto field = model::FieldId::gradient_accumulation;
  model::Origin& origin = model.reading.origins[field];
  origin.kind = model::Origin::Kind::stated;
  origin.path = model.path;
  origin.key_path = "global_batch_size";
  origin.note = "over 8 ranks";
  origin.span = {28, 30};
  rules::Proposal proposal;
  proposal.changes = {{field, 8, 12}};
  const auto here = [&](const std::string&) { return &model.source; };
  const lint::EditPlan refused = lint::plan_edits(proposal, model, here);
  CHECK(refused.edits.empty());
  CHECK(refused.obstacle ==
        "`gradient_accumulation` follows from `global_batch_size` 64 (over 8 ranks): change that so that it "
        "becomes 12");
  // Nothing to follow from.
  CHECK(lint::plan_edits(proposal, model, here, lint::Computed::follow).obstacle == refused.obstacle);
  const lint::EditPlan scaled = lint::plan_edits(proposal, model, here, lint::Computed::scale);
  REQUIRE(scaled.edits.size() == 1);
  CHECK(scaled.edits[0].text == "96");
  CHECK(scaled.summary == "gradient_accumulation 8 → 12 by `global_batch_size` 64 → 96");
  proposal.changes = {{field, 7, 12}};
  CHECK(lint::plan_edits(proposal, model, here, lint::Computed::scale).edits.empty());
}

TEST_CASE("a folder is fixed by several threads, and told in the order of its files", "[lint][fix]") {
  std::map<std::string, std::string> folder;
  for (int i = 0; i < 12; ++i) folder[fmt::format("c/{:02}.toml", i)] = i % 3 == 0 ? native : yaml;
  Asked one;
  one.paths = {"c"};
  one.jobs = 1;
  Asked four = one;
  four.jobs = 4;
  const FixRun slow = fixed(folder, one);
  const FixRun fast = fixed(folder, four);
  CHECK(slow.fixes.size() == 4);
  CHECK(std::is_sorted(slow.fixes.begin(), slow.fixes.end()));
  CHECK(fast.fixes == slow.fixes);
  CHECK(fast.left == slow.left);
  CHECK(fast.changed == slow.changed);
}
