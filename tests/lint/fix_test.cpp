// Following proposals in the files: what is changed, byte for byte, what is not, and why.
#include "lint/fix.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lint/edits.hpp"
#include "lint/fix_trial.hpp"
#include "tests/catch.hpp"
#include "tests/lint/fix_support.hpp"
#include "tests/source_dir.hpp"

using namespace shapelint;
using namespace shapelint::tests;

namespace {

const std::string megatron_script =
    "#!/bin/bash\nTP=3 # ranks\nVOCAB=\"50257\"\ntorchrun --nproc_per_node 8 pretrain_gpt.py \\\n"
    "  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \\\n"
    "  --seq-length 2048 --micro-batch-size 8 --bf16 \\\n  --tensor-model-parallel-size $TP \\\n"
    "  --vocab-size ${VOCAB} --make-vocab-size-divisible-by 1\n";

const std::string python =
    "# nanoGPT\nn_layer = 12\nn_head = 12\nn_embd = 768\nblock_size = 1024\nbatch_size = 16\n"
    "vocab_size = 50257  # without padding\n";

}  // namespace

TEST_CASE("values are changed where they stand, and every other byte stays", "[lint][fix]") {
  struct Case {
    std::string path;
    std::string before;
    std::string after;
    Strings fixes;
  };
  const std::string padded = replaced(replaced(yaml, "size: 4 ", "size: 1 "), "50304", "50257");
  const std::vector<Case> cases{
      {"m.toml",
       native,
       replaced(native, "50_257", "50_304"),
       {"m.toml:6:14: vocab_size 50257 → 50304 (SL101)"}},
      {"config.json",
       json,
       replaced(json, "32003", "32064"),
       {"config.json:4:17: vocab_size 32003 → 32064 (SL101)"}},
      {"neox.yml", yaml, replaced(yaml, "size: 4 ", "size: 1 "), {"neox.yml:5:21: pipeline 4 → 1 (SL408)"}},
      // Where the framework pads, the tokenizer's size stays.
      {"neox.yml",
       padded,
       replaced(padded, "divisible_by: 1", "divisible_by: 64"),
       {"neox.yml:8:31: vocab_padding_multiple 1 → 64 (SL101)"}},
      {"run.sh",
       megatron_script,
       replaced(replaced(megatron_script, "TP=3", "TP=4"), "divisible-by 1", "divisible-by 64"),
       {"run.sh:2:4: tensor 3 → 4 (SL403, SL404, SL406, SL422, SL103, SL110)",
        "run.sh:8:56: vocab_padding_multiple 1 → 64 (SL101)"}},
      {"config/train.py",
       python,
       replaced(python, "50257", "50304"),
       {"config/train.py:7:14: vocab_size 50257 → 50304 (SL101)"}},
  };
  for (const Case& each : cases) {
    INFO(each.path);
    const FixRun ran = fixed({{each.path, each.before}});
    CHECK(ran.fixes == each.fixes);
    CHECK(ran.left.empty());
    REQUIRE(ran.changed.contains(each.path));
    CHECK(ran.changed.at(each.path) == each.after);
    CHECK(ran.findings.empty());
    CHECK_FALSE(ran.has_findings);
    // Fixed is fixed.
    CHECK(fixed({{each.path, each.after}}).changed.empty());
  }
}

// 16390 columns are no multiple of 8: their GEMMs run on unaligned kernels, those of the other layers do not.
TEST_CASE("a width that some layers have is changed where these state it", "[lint][fix]") {
  const std::string begin =
      "[run]\nmicro_batch_size = 8\nsequence_length = 2048\n[model]\nhidden_size = 4096\nnum_layers = 4\n"
      "num_attention_heads = 32\nvocab_size = 32768\n";
  const std::string list = begin + "intermediate_size = [16384, 16390, 8192, 16390]\n";
  const std::string kinds = begin +
                            "intermediate_size = 16384\nlayers = \"1 narrow, 1 wide\"\n"
                            "[model.layer.narrow]\nwindow = 1024\n"
                            "[model.layer.wide]\nintermediate_size = 16390\n";
  struct Case {
    std::string before;
    std::string after;
    Strings fixes;
  };
  for (const Case& each : {Case{list,
                                replaced(replaced(list, "16390", "16384"), "16390", "16384"),
                                {"m.toml:9:29: intermediate_size 16390 → 16384 (SL110)"}},
                           Case{kinds,
                                replaced(kinds, "16390", "16384"),
                                {"m.toml:14:21: intermediate_size 16390 → 16384 (SL110)"}}}) {
    const FixRun ran = fixed({{"m.toml", each.before}}, {.select = {"SL1"}, .unsafe = true});
    CHECK(ran.fixes == each.fixes);
    CHECK(ran.left.empty());
    REQUIRE(ran.changed.contains("m.toml"));
    CHECK(ran.changed.at("m.toml") == each.after);
    CHECK(ran.findings.empty());
  }
}

TEST_CASE("what changes the model that is trained waits for --unsafe-fixes", "[lint][fix]") {
  // 32 heads of 80 elements, mended by 20 heads of 128; what the plan could do is not selected.
  const std::string heads =
      "[model]\nhidden_size = 2560\nnum_layers = 8\nnum_attention_heads = 32\nvocab_size = 50304\n"
      "[run]\nmicro_batch_size = 4\nsequence_length = 2048\nattention = \"unfused\"\n";
  Asked asked;
  asked.select = {"SL605"};
  const FixRun safe = fixed({{"m.toml", heads}}, asked);
  CHECK(safe.changed.empty());
  CHECK(safe.left.empty());
  CHECK(safe.unsafe_left == 1);
  CHECK(safe.has_findings);
  asked.unsafe = true;
  const FixRun unsafe = fixed({{"m.toml", heads}}, asked);
  REQUIRE(unsafe.changed.contains("m.toml"));
  CHECK(unsafe.changed.at("m.toml") == replaced(heads, "heads = 32", "heads = 20"));
  CHECK(unsafe.unsafe_left == 0);
}

TEST_CASE("a value that others use, too, or that is written otherwise, is left to people", "[lint][fix]") {
  const auto about = [](const FixRun& ran, std::string_view code) {
    for (const std::string& each : ran.left) {
      if (each.find(fmt::format(" {} ", code)) != std::string::npos) return each;
    }
    return std::string("nothing");
  };
  // The number of processes hangs on the same variable.
  const FixRun used =
      fixed({{"run.sh", replaced(megatron_script, "--nproc_per_node 8", "--nproc_per_node $TP")}});
  CHECK(about(used, "SL403") ==
        "run.sh:2:4: SL403 `tensor` comes from `TP`, which is used elsewhere, too: change it by hand so that "
        "it "
        "becomes 1");
  // Said where it is defined is not used elsewhere.
  for (const std::string definition :
       {"TP=${TP:-3} #", "export TP=\"${TP:-3}\" #", "TP=${1:-3} #", "readonly TP=3 #"}) {
    INFO(definition);
    const std::string text = replaced(megatron_script, "TP=3 #", definition);
    const FixRun one = fixed({{"run.sh", text}});
    REQUIRE(one.changed.contains("run.sh"));
    CHECK(one.changed.at("run.sh") == replaced(replaced(text, "divisible-by 1", "divisible-by 64"),
                                               definition, replaced(definition, "3", "4")));
  }
  const FixRun computed =
      fixed({{"run.sh", replaced(megatron_script, "divisible-by 1", "divisible-by $((2 - 1))")}});
  CHECK(about(computed, "SL101") ==
        "run.sh:3:8: SL101 `vocab_padding_multiple` is written as `$((2 - 1))`: change it by hand so that it "
        "becomes 64");
  const FixRun given = fixed({{"m.toml", native}}, [] {
    Asked asked;
    asked.overrides = {{model::FieldId::vocab_size, 50257, "--vocab-size"}};
    return asked;
  }());
  CHECK(about(given, "SL101") ==
        "m.toml:1:1: SL101 `vocab_size` is given on the command line or in the configuration: give 50304 "
        "there");
  CHECK(given.changed.empty());
  const FixRun beside = fixed({{"c/config.json", json}, {"c/model.safetensors", "weights"}});
  CHECK(
      about(beside, "SL101") ==
      "c/config.json:4:17: SL101 weights of this shape are in the same folder: change both, for example with "
      "`resize_token_embeddings(pad_to_multiple_of=64)`");
  CHECK(beside.changed.empty());
}

TEST_CASE("a launch whose GPUs replicas cannot share is fixed, or said not to be", "[lint][fix]") {
  const std::string text =
      "torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\\n"
      "  --num-attention-heads 32 --seq-length 4096 --vocab-size 32768 --bf16 --swiglu \\\n"
      "  --num-experts 6 --moe-router-topk 2 --expert-model-parallel-size 32 \\\n"
      "  --micro-batch-size 1 --global-batch-size 256 \\\n"
      "  --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 3\n";
  const FixRun ran = fixed({{"run.sh", text}});
  CHECK(ran.left.empty());
  REQUIRE(ran.changed.contains("run.sh"));
  CHECK(ran.changed.at("run.sh") == replaced(replaced(text, "parallel-size 32", "parallel-size 2"),
                                             "parallel-size 3\n", "parallel-size 4\n"));
  // As many ranks as fit are others then, which is for people to want.
  const std::string dense =
      replaced(replaced(text, "--num-experts 6 --moe-router-topk 2 --expert-model-parallel-size 32", ""),
               "--nnodes 2", "--nnodes 4");
  const FixRun other = fixed({{"run.sh", dense}});
  CHECK((other.changed.contains("run.sh") || !other.left.empty()));
}

TEST_CASE("what is silenced, known or not selected is not fixed", "[lint][fix]") {
  const std::string silenced = replaced(native, "# rows", "# shapelint: ignore[SL101] as trained");
  CHECK(fixed({{"m.toml", silenced}}).changed.empty());
  Asked all;
  all.no_ignores = true;
  CHECK(fixed({{"m.toml", silenced}}, all).changed.size() == 1);
  const std::string known =
      "{\"format\": \"shapelint-baseline\", \"version\": 1, \"findings\": [{\"path\": \"m.toml\", \"rule\": "
      "\"SL101\", \"key\": \"model.vocab_size\", \"value\": \"50_257\", \"count\": 1}]}\n";
  Asked baseline;
  baseline.baseline = "known.json";
  CHECK(fixed({{"m.toml", native}, {"known.json", known}}, baseline).changed.empty());
  Asked other;
  other.select = {"SL408"};
  CHECK(fixed({{"neox.yml", yaml}}, other).changed.at("neox.yml") == replaced(yaml, "size: 4 ", "size: 1 "));
}

TEST_CASE("a value that two plans share is changed for both, and told once", "[lint][fix]") {
  const std::string text =
      "[model]\nhidden_size = 2560\nnum_layers = 4\nnum_attention_heads = 32\nvocab_size = 50257\n"
      "[run]\nsequence_length = 2048\n[[plan]]\nname = \"warm-up\"\nrun = { micro_batch_size = 8 }\n"
      "[[plan]]\nname = \"update\"\nrun = { micro_batch_size = 4, gradient_accumulation = 8 }\n";
  const FixRun safe = fixed({{"m.toml", text}});
  CHECK(safe.changed == std::map<std::string, std::string>{{"m.toml", replaced(text, "50257", "50304")}});
  CHECK(safe.fixes == Strings{"m.toml:5:14: vocab_size 50257 → 50304 (SL101)"});
  CHECK(safe.left.empty());
  CHECK(safe.unsafe_left == 1);  // the heads
  // One that has a value of its own keeps it.
  const std::string own = replaced(text, "micro_batch_size = 8", "micro_batch_size = 8, dtype = \"fp32\"");
  const FixRun kept = fixed({{"m.toml", own}});
  CHECK(kept.changed.at("m.toml") == replaced(own, "50257", "50304"));
  CHECK(kept.unsafe_left == 2);  // the heads, and bf16
}

TEST_CASE("a file that others inherit from is changed only when it is named", "[lint][fix]") {
  const std::string base = "vocab_size: 50257\nmake_vocab_size_divisible_by: 1\n";
  const std::string child =
      "extends: [base.yaml]\nnum_layers: 24\nhidden_size: 2048\nnum_attention_heads: 16\nseq_length: 2048\n"
      "micro_batch_size: 8\n";
  const std::map<std::string, std::string> files{{"c/base.yaml", base}, {"c/run.yaml", child}};
  Asked alone;
  alone.paths = {"c/run.yaml"};
  const FixRun one = fixed(files, alone);
  CHECK(one.changed.empty());
  CHECK(one.left ==
        Strings{"c/base.yaml:1:13: SL101 `vocab_padding_multiple` is stated in c/base.yaml: change it to 64 "
                "there, or name that file, too"});
  Asked both;
  both.paths = {"c/run.yaml", "./c/base.yaml"};
  const FixRun two = fixed(files, both);
  CHECK(two.changed ==
        std::map<std::string, std::string>{{"c/base.yaml", replaced(base, ": 1\n", ": 64\n")}});
  CHECK(two.fixes == Strings{"c/base.yaml:2:31: vocab_padding_multiple 1 → 64 (SL101)"});
}

TEST_CASE("a change is kept for several GPUs only if none of them loses", "[lint][fix]") {
  Asked both;
  both.gpus = {"a100", "h100"};
  CHECK(fixed({{"m.toml", native}}, both).changed.at("m.toml") == replaced(native, "50_257", "50_304"));
  // A narrower MLP fills the waves of an A100, and costs an H100 some of its own.
  const std::string waves =
      "[model]\nhidden_size = 2048\nnum_layers = 36\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
      "intermediate_size = 12288\nmlp_gated = false\nvocab_size = 65536\nnorm = \"rmsnorm\"\n"
      "[run]\nmicro_batch_size = 1\nsequence_length = 2048\nfused_gradient_accumulation = true\n";
  both.select = {"SL301"};
  both.unsafe = true;
  const FixRun refused = fixed({{"m.toml", waves}}, both);
  CHECK(refused.changed.empty());
  CHECK(refused.left == Strings{"m.toml:6:21: SL301 intermediate_size 12288 → 12032 is slower on h100-sxm5"});
  both.gpus = {"a100"};
  CHECK(fixed({{"m.toml", waves}}, both).changed.at("m.toml") == replaced(waves, "12288", "12032"));
}

TEST_CASE("a format that slows the run is changed, in its quotes", "[lint][fix]") {
  const std::string small =
      "[model]\nhidden_size = 576\nnum_layers = 30\nnum_attention_heads = 9\nnum_key_value_heads = 3\n"
      "intermediate_size = 1536\nmlp_gated = true\nvocab_size = 49152\n"
      "[run]\nmicro_batch_size = 4\nsequence_length = 2048\ndtype = 'fp8'  # as the large ones\n";
  Asked asked;
  asked.gpus = {"h100"};
  asked.select = {"SL807"};
  const FixRun ran = fixed({{"m.toml", small}}, asked);
  CHECK(ran.fixes == Strings{"m.toml:12:9: dtype fp8 → bf16 (SL807)"});
  CHECK(ran.changed.at("m.toml") == replaced(small, "'fp8'", "'bf16'"));
}

TEST_CASE("a choice is written in the words of its format", "[lint][fix]") {
  // Composer, core/precision.py: fp32, amp_fp16, amp_bf16 and amp_fp8 are its precisions.
  const std::string text =
      "max_seq_len: 512\nmodel:\n  name: mpt_causal_lm\n  d_model: 768\n  n_heads: 12\n  n_layers: 12\n"
      "  vocab_size: 50304\n  expansion_ratio: 4\n  max_seq_len: 512\nglobal_train_batch_size: 8\n"
      "device_train_microbatch_size: 8\nprecision: fp32\n";
  const FixRun run = fixed({{"train.yaml", text}}, {.select = {"SL811"}, .unsafe = true});
  REQUIRE(run.changed.contains("train.yaml"));
  CHECK(run.changed.at("train.yaml") == replaced(text, "precision: fp32", "precision: amp_bf16"));
}

// open_clip, src/open_clip/transformer.py, ResidualAttentionBlock: int(d_model * mlp_ratio).
TEST_CASE("a width that a file states as a ratio is changed by that", "[lint][fix]") {
  const std::string text =
      "{\"embed_dim\": 512,\n \"vision_cfg\": {\"image_size\": 224, \"layers\": 12, \"width\": 768, "
      "\"patch_size\": 32},\n \"text_cfg\": {\"vocab_size\": 49408, \"width\": 512, \"heads\": 8, "
      "\"layers\": 12, "
      "\"mlp_ratio\": 2.6666667}}\n";
  const FixRun run =
      fixed({{"ViT-B-32.json", text}}, {.gpus = {"h100"}, .select = {"SL103"}, .unsafe = true});
  REQUIRE(run.changed.contains("ViT-B-32.json"));
  CHECK(run.changed.at("ViT-B-32.json") == replaced(text, "2.6666667", "2.75"));
}

// Megatron-LM, megatron/training/arguments.py: --recompute-granularity is `full` or `selective`.
TEST_CASE("a choice that a key has no word for is not written", "[lint][fix]") {
  const std::string text =
      "torchrun --nproc_per_node 1 pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads 8 "
      "\\\n"
      "  --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 1 \\\n"
      "  --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 --bf16\n";
  Asked asked;
  asked.select = {"SL507"};
  asked.fail_level = rules::Severity::info;
  asked.unsafe = true;
  const FixRun run = fixed({{"train.sh", text}}, asked);
  CHECK(run.changed.empty());
  REQUIRE(run.left.size() == 1);
  CHECK(run.left.front().find("says `none`") != std::string::npos);
}

TEST_CASE("a choice is recognised by the word of its format, and truth by its capital", "[lint][fix]") {
  const std::string text =
      "image_size = 512\nmodel = \"PixArtMS_XL_2\"\ntrain_batch_size = 12\ngrad_checkpointing = True\n";
  Asked asked;
  asked.select = {"SL507"};
  asked.fail_level = rules::Severity::info;
  const FixRun run = fixed({{"pixart.py", text}}, asked);
  REQUIRE(run.changed.contains("pixart.py"));
  CHECK(run.changed.at("pixart.py") == replaced(text, "True", "False"));
}

TEST_CASE("fewer bits are asked for, and are bf16 where the GPU multiplies it", "[lint][fix]") {
  const std::string wide =
      "[model]\nhidden_size = 2048\nnum_layers = 24\nnum_attention_heads = 16\nvocab_size = 50304\n"
      "[run]\nmicro_batch_size = 4\nsequence_length = 2048\ndtype = \"fp32\"\n";
  Asked asked;
  asked.select = {"SL811"};
  CHECK(fixed({{"m.toml", wide}}, asked).changed.empty());
  asked.unsafe = true;
  for (const auto& [gpu, dtype] : {std::pair{"a100", "bf16"}, std::pair{"v100", "fp16"}}) {
    INFO(gpu);
    asked.gpus = {gpu};
    const FixRun ran = fixed({{"m.toml", wide}}, asked);
    REQUIRE(ran.changed.contains("m.toml"));
    CHECK(ran.changed.at("m.toml") == replaced(wide, "fp32", dtype));
  }
}

TEST_CASE("what makes a run fit into memory may take time", "[lint][fix]") {
  const std::string large =
      "[model]\nhidden_size = 8192\nnum_layers = 80\nnum_attention_heads = 64\nnum_key_value_heads = 8\n"
      "intermediate_size = 28672\nmlp_gated = true\nvocab_size = 128256\n"
      "[run]\nmicro_batch_size = 3\nsequence_length = 4096\nrecompute = \"none\"\n"
      "[parallel]\ntensor = 8\ndata = 8\nzero = 3\n";
  Asked asked;
  asked.gpus = {"h100"};
  const FixRun ran = fixed({{"m.toml", large}}, asked);
  CHECK(ran.fixes == Strings{"m.toml:12:13: recompute none → full (SL510)"});
  REQUIRE(ran.changed.contains("m.toml"));
  CHECK(ran.changed.at("m.toml") == replaced(large, "\"none\"", "\"full\""));
  CHECK(ran.findings.empty());
}

TEST_CASE("a proposal is safe when all that it changes is a plan or a padding", "[lint][fix]") {
  model::Reading reading;
  const auto safe = [&](model::FieldId field, std::int64_t from, std::int64_t to) {
    rules::Proposal proposal;
    proposal.changes = {{model::FieldId::tensor, 3, 2}, {field, from, to}};
    return lint::is_safe(proposal, reading);
  };
  CHECK(safe(model::FieldId::vocab_size, 50257, 50304));
  CHECK_FALSE(safe(model::FieldId::vocab_size, 50257, 50176));
  CHECK_FALSE(safe(model::FieldId::micro_batch_size, 4, 3));  // the global batch would be another
  const auto dtype = [&](DType from, DType to) {
    return safe(model::FieldId::dtype, static_cast<std::int64_t>(from), static_cast<std::int64_t>(to));
  };
  CHECK(dtype(DType::fp8, DType::bf16));
  CHECK_FALSE(dtype(DType::fp32, DType::bf16));
  CHECK_FALSE(dtype(DType::bf16, DType::fp16));
  CHECK_FALSE(safe(model::FieldId::hidden_size, 2500, 2560));
  CHECK(safe(model::FieldId::sequence_length, 2047, 2048));
  CHECK_FALSE(safe(model::FieldId::sequence_length, 2047, 2176));
  CHECK_FALSE(safe(model::FieldId::sequence_length, 2049, 2048));
  reading.setup.model.learned_positions = 2047;
  CHECK_FALSE(safe(model::FieldId::sequence_length, 2047, 2048));
  CHECK_FALSE(safe(model::no_field, 3, 4));
  // Two ranks in the place of three are other GPUs where the replicas are stated, unless these are more.
  reading.origins[model::FieldId::data].kind = model::Origin::Kind::stated;
  CHECK_FALSE(safe(model::FieldId::vocab_size, 50257, 50304));
  CHECK_FALSE(safe(model::FieldId::data, 2, 3));  // half as many sequences again in every step
  reading.setup.plan.mode = model::Mode::prefill;
  CHECK(safe(model::FieldId::data, 2, 3));
  CHECK_FALSE(safe(model::FieldId::micro_batch_size, 4, 3));  // other GPUs than stated
}

TEST_CASE("a change that keeps the global batch is safe", "[lint][fix]") {
  model::Reading reading;
  rules::Proposal proposal;
  proposal.changes = {{model::FieldId::micro_batch_size, 4, 2},
                      {model::FieldId::gradient_accumulation, 8, 16}};
  CHECK(lint::is_safe(proposal, reading));
  proposal.changes.pop_back();
  CHECK_FALSE(lint::is_safe(proposal, reading));
}

TEST_CASE("of every dialect's files only digits change, and a second run finds nothing to do",
          "[lint][fix]") {
  const text::RealFileSystem disk(tests::source_dir());
  text::OverlayFileSystem files(disk);
  project::Request wanted;
  wanted.gpus.names = {"a100"};
  const project::Project project(wanted, files);
  lint::FixRequest request;
  request.run.paths = {"tests/formats/fixtures", "examples"};
  request.unsafe = true;
  const lint::FixOutcome out = lint::fix_files(request, project, files);
  CHECK(out.files.size() > 5);
  const auto without_digits = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    // SL604 writes another kernel.
    constexpr std::pair<std::string_view, std::string_view> kernels[] = {
        {"\"unfused\"", "\"flash\""}, {"attention: dot_product", "attention: cudnn_flash_te"}};
    for (const auto& [unfused, flash] : kernels) {
      for (std::size_t at = 0; (at = text.find(unfused, at)) != std::string::npos;)
        text.replace(at, unfused.size(), flash);
    }
    return text;
  };
  for (const lint::FixedFile& each : out.files) {
    INFO(each.path);
    CHECK(each.after != each.before);
    CHECK(without_digits(each.after) == without_digits(each.before));
  }
  CHECK(lint::fix_files(request, project, files).fixes.empty());
}

TEST_CASE("edits may come in any order", "[lint][fix]") {
  CHECK(lint::edited("a = 1, b = 22", {{{11, 13}, "3", ""}, {{4, 5}, "4444", ""}}) == "a = 4444, b = 3");
}

TEST_CASE("a text is objected to for the findings that it brings", "[fix]") {
  const auto model = [](const std::string& rows) {
    return "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = " + rows +
           "\n[run]\nmicro_batch_size = 8\nsequence_length = 1024\n";
  };
  text::MemoryFileSystem memory;
  memory.files["m.toml"] = model("50304");
  text::OverlayFileSystem files(memory);
  project::Request request;
  request.gpus.names = {"a100"};
  lint::FixTrial bench(request, files, {});
  const auto warning = rules::Severity::warning;
  CHECK(bench.objection("m.toml", model("50432"), warning).empty());
  CHECK(bench.objection("m.toml", model("50257"), warning).find("that would bring SL101: ") == 0);
  CHECK(bench.objection("m.toml", "[model", warning).find("m.toml could then not be read: ") == 0);
  CHECK(bench.objection("m.toml", model("50432"), warning).empty());  // nothing was changed by trying
}
