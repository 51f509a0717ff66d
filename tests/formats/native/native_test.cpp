// The native format: what is understood, and what is said about files that are wrong.
#include "formats/native/native.hpp"

#include <string>

#include "model/fields.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using model::Origin;
using tests::native;
using tests::native_errors;

namespace {

const std::string small =
    "[model]\n"
    "hidden_size = 1000\n"
    "num_layers = 4\n"
    "num_attention_heads = 8\n"
    "vocab_size = 32000\n"
    "[run]\n"
    "sequence_length = 128\n";

const Origin& origin(const model::Reading& reading, std::string_view field) {
  return reading.origins[model::find_field(field)];
}

std::string in_source(std::string_view source, Span span) {
  return std::string(
      source.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin)));
}

}  // namespace

TEST_CASE("each value knows where it stands", "[native]") {
  const formats::NativeFile file = native(small);
  const Origin& vocabulary = origin(file.readings[0], "vocab_size");
  CHECK(file.readings[0].setup.model.vocab_size == 32000);
  CHECK(vocabulary.kind == Origin::Kind::stated);
  CHECK(vocabulary.path == "model.toml");
  CHECK(vocabulary.key_path == "model.vocab_size");
  CHECK(in_source(small, vocabulary.span) == "32000");
  CHECK(in_source(small, vocabulary.key_span) == "vocab_size");
  CHECK(file.readings[0].dialect == "native");
}

TEST_CASE("what is left out is derived, or a default that says whose", "[native]") {
  const model::Reading reading = native(small).readings[0];
  const model::Setup& setup = reading.setup;
  CHECK(setup.model.head_dim == 125);
  CHECK(origin(reading, "head_dim").kind == Origin::Kind::derived);
  CHECK(origin(reading, "head_dim").note == "hidden_size / num_attention_heads");
  CHECK(setup.model.value_head_dim == 125);
  CHECK(setup.model.num_key_value_heads == 8);
  CHECK(origin(reading, "num_key_value_heads").note == "num_attention_heads");
  CHECK(setup.model.intermediate_size == 4000);
  CHECK(origin(reading, "intermediate_size").note == "4 * hidden_size");
  CHECK(setup.plan.micro_batch_size == 1);
  CHECK(origin(reading, "micro_batch_size").kind == Origin::Kind::defaulted);
  CHECK(origin(reading, "micro_batch_size").note == "shapelint's default");
  CHECK(origin(reading, "tie_word_embeddings").note == "Hugging Face's default");
  for (const Origin& each : reading.origins) CHECK(each.kind != Origin::Kind::unknown);
}

TEST_CASE("a gated MLP brings Llama's conventions", "[native]") {
  const model::Reading reading =
      native(
          "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 32000\n"
          "mlp_gated = true\n[run]\nsequence_length = 4096\n")
          .readings[0];
  CHECK(reading.setup.model.intermediate_size == 11008);  // Llama-2-7B
  CHECK(reading.setup.model.norm == model::Norm::rmsnorm);
  CHECK_FALSE(reading.setup.model.qkv_bias);
  CHECK(origin(reading, "qkv_bias").note == "norm: layer norm has biases, RMSNorm none");
}

TEST_CASE("heads that do not divide the hidden size are costed rounded up, and marked", "[native]") {
  const model::Reading reading =
      native(
          "[model]\nhidden_size = 1000\nnum_layers = 4\nnum_attention_heads = 3\nvocab_size = 32000\n"
          "[run]\nsequence_length = 128\n")
          .readings[0];
  CHECK(reading.setup.model.head_dim == 334);
  CHECK(origin(reading, "head_dim").note ==
        "hidden_size / num_attention_heads, rounded up: it does not divide");
}

TEST_CASE("head_dim times heads need not be hidden_size when stated", "[native]") {
  CHECK(
      native_errors("[model]\nhidden_size = 3072\nnum_layers = 28\nnum_attention_heads = 16\nhead_dim = 256\n"
                    "vocab_size = 256000\n[run]\nsequence_length = 128\n") == "");
}

TEST_CASE("decoding needs a context, and no sequence length", "[native]") {
  const std::string model =
      "[model]\nhidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 8\nvocab_size = 32000\n";
  CHECK(
      native_errors(model + "[run]\nmode = \"decode\"\n") ==
      "6:2: `context_length` is missing from `[run]`; decoding needs the number of tokens in the KV cache\n");
  const model::Reading reading =
      native(model + "[run]\nmode = \"decode\"\ncontext_length = 4096\n").readings[0];
  CHECK(reading.setup.plan.mode == model::Mode::decode);
  CHECK(reading.setup.plan.sequence_length == 4096);
}

TEST_CASE("mixtures and latent attention have tables of their own", "[native]") {
  const model::Setup setup = tests::native_file("examples/deepseek-v3.toml").readings[0].setup;
  CHECK(setup.model.moe.num_experts == 256);
  CHECK(setup.model.moe.intermediate_size == 2048);
  CHECK(setup.model.moe.shared_intermediate_size == 2048);
  CHECK(setup.model.mla.kv_lora_rank == 512);
  CHECK(setup.model.head_dim == 192);
  CHECK(setup.model.value_head_dim == 128);
  CHECK(setup.plan.dtype == DType::fp8);
  CHECK(setup.plan.expert == 64);
}

TEST_CASE("a convolutional network is a list of layers", "[native]") {
  const model::Setup setup =
      native(
          "[run]\nmicro_batch_size = 256\n"
          "[[conv]]\nin_channels = 3\nout_channels = 64\nkernel = 7\nstride = 2\npadding = 3\nimage = 224\n"
          "[[conv]]\nin_channels = 64\nout_channels = 64\nkernel_height = 3\nkernel_width = 1\nimage_height "
          "= 56\n"
          "image_width = 28\npadding_height = 1\nrepeat = 4\n")
          .readings[0]
          .setup;
  REQUIRE(setup.model.conv.size() == 2);
  CHECK(setup.model.conv[0].kernel_width == 7);
  CHECK(setup.model.conv[0].image_height == 224);
  CHECK(setup.model.conv[0].stride == 2);
  CHECK(setup.model.conv[1].kernel_height == 3);
  CHECK(setup.model.conv[1].kernel_width == 1);
  CHECK(setup.model.conv[1].image_width == 28);
  CHECK(setup.model.conv[1].repeat == 4);
}

TEST_CASE("the table [lint] holds what would else be flags", "[native]") {
  const std::string source = small +
                             "[lint]\ngpu = \"a100\"\nselect = [\"SL1\", \"head-dim\"]\nignore = \"SL104\"\n"
                             "min_gain = 0.02\nfail_level = \"error\"\n[lint.params.SL104]\nmultiple = 128\n";
  const formats::LintOptions lint = native(source).lint;
  REQUIRE(lint.gpus.size() == 1);
  CHECK(lint.gpus[0].value == "a100");
  CHECK(in_source(source, lint.gpus[0].span) == "\"a100\"");
  REQUIRE(lint.select.size() == 2);
  CHECK(lint.select[1].value == "head-dim");
  CHECK(in_source(source, lint.select[1].span) == "\"head-dim\"");
  CHECK(lint.ignore.at(0).value == "SL104");
  REQUIRE(lint.min_gain);
  CHECK(lint.min_gain->value == 0.02);
  REQUIRE(lint.fail_level);
  CHECK(lint.fail_level->value == "error");
  REQUIRE(lint.params.size() == 1);
  CHECK(lint.params[0].rule == "SL104");
  CHECK(lint.params[0].name == "multiple");
  CHECK(lint.params[0].value == 128);
  CHECK(in_source(source, lint.params[0].span) == "128");
}

TEST_CASE("every error of a file is reported at once, each at its place", "[native]") {
  CHECK(native_errors("[model]\n"
                      "hidden_sze = 2560\n"
                      "num_layers = \"32\"\n"
                      "num_attention_heads = 0\n"
                      "vocab_size = 1000000000000\n"
                      "mlp_gated = 1\n"
                      "tensor = 2\n"
                      "norm = \"rms\"\n"
                      "head_dim = 64.0\n"
                      "[run]\n"
                      "dtype = \"bf61\"\n"
                      "micro_batch_size = -5\n"
                      "[paralel]\n"
                      "tensor = 2\n") ==
        "1:2: `hidden_size` is missing from `[model]`\n"
        "2:1: unknown key `hidden_sze` in `[model]`; did you mean `hidden_size`?\n"
        "3:14: `num_layers` is a string; write an integer\n"
        "4:23: `num_attention_heads` is `0`; expected 1 to 4,194,304\n"
        "5:14: `vocab_size` is `1000000000000`; expected 1 to 134,217,728\n"
        "6:13: `mlp_gated` is `1`; write `true` or `false`\n"
        "7:1: unknown key `tensor` in `[model]`; write it as `tensor` in `[parallel]`\n"
        "8:8: `norm` is `rms`; expected one of `layernorm` or `rmsnorm`\n"
        "9:12: `head_dim` is `64.0`; write the integer `64`\n"
        "10:2: `sequence_length` is missing from `[run]`; tokens per sequence, such as `sequence_length = "
        "2048`\n"
        "11:9: `dtype` is `bf61`; did you mean `bf16`?\n"
        "12:20: `micro_batch_size` is `-5`; expected 1 to 268,435,456\n"
        "13:2: unknown table `paralel`; did you mean `parallel`?\n");
}

TEST_CASE("a vocabulary of 0, -5 or 10^12 is an error with its place", "[native]") {
  for (const std::string value : {"0", "-5", "1000000000000"}) {
    CHECK(native_errors("[model]\nhidden_size = 64\nnum_layers = 1\nnum_attention_heads = 1\nvocab_size = " +
                        value + "\n[run]\nsequence_length = 8\n") ==
          "5:14: `vocab_size` is `" + value + "`; expected 1 to 134,217,728\n");
  }
}

TEST_CASE("an empty file and one without a model say what is missing", "[native]") {
  CHECK(native_errors("") == "1:1: the file is empty; it needs at least the tables `[model]` and `[run]`\n");
  CHECK(native_errors("# nothing\n") ==
        "1:1: the file is empty; it needs at least the tables `[model]` and `[run]`\n");
  CHECK(native_errors("[run]\nsequence_length = 8\n") ==
        "1:1: no table `[model]`; it holds `hidden_size`, `num_layers` and so on\n");
  CHECK(native_errors("[model]\n") ==
        "1:1: `sequence_length` is missing from `[run]`; tokens per sequence, such as `sequence_length = "
        "2048`\n"
        "1:2: `hidden_size` is missing from `[model]`\n"
        "1:2: `num_layers` is missing from `[model]`\n"
        "1:2: `num_attention_heads` is missing from `[model]`\n"
        "1:2: `vocab_size` is missing from `[model]`\n");
}

TEST_CASE("keys outside any table are sent to theirs", "[native]") {
  CHECK(
      native_errors("hidden_size = 64\nname = \"x\"\nfoo = 1\n" + small) ==
      "1:1: unknown key `hidden_size`; write it as `hidden_size` in `[model]`\n"
      "2:1: unknown key `name`; write it as `name` in `[model]`\n"
      "3:1: unknown key `foo`; a file has the tables `model`, `run`, `parallel`, `plan`, `conv` or `lint`\n");
  CHECK(native_errors("run = 3\nmodel = \"x\"\n") ==
        "1:7: `run` is an integer; write a table: `[run]`\n"
        "2:9: `model` is a string; write a table: `[model]`\n");
}

TEST_CASE("values that contradict each other are refused", "[native]") {
  CHECK(native_errors("[model]\nhidden_size = 64\nnum_layers = 1\nnum_attention_heads = 4\n"
                      "num_key_value_heads = 8\nvocab_size = 100\n[run]\nsequence_length = 8\n") ==
        "5:23: `num_key_value_heads` is `8`, more than `num_attention_heads` = `4`; query heads "
        "share KV heads, not the other way round\n");
  CHECK(native_errors(small + "[model.moe]\nnum_experts = 8\nexperts_per_token = 9\n") ==
        "10:21: `experts_per_token` is `9`, more than `num_experts` = `8`; top-k must not exceed the "
        "number of experts\n");
  CHECK(native_errors(small + "[model.moe]\nnum_experts = 8\n") ==
        "8:8: `experts_per_token` is missing from `[model.moe]`; experts per token (top-k)\n");
  CHECK(native_errors(small + "[model.mla]\nkv_lora_rank = 512\nqk_nope_head_dim = 128\n") ==
        "8:8: `qk_rope_head_dim` is missing from `[model.mla]`\n"
        "8:8: `v_head_dim` is missing from `[model.mla]`\n");
}

TEST_CASE("a model too large to be counted is refused", "[native]") {
  CHECK(native_errors("[model]\nhidden_size = 4194304\nnum_layers = 65536\nnum_attention_heads = 4194304\n"
                      "head_dim = 4194304\nvocab_size = 100\n[run]\nsequence_length = 8\n") ==
        "1:2: the model has more than 2^62 parameters; one of its sizes is far too large\n");
}

TEST_CASE("convolutions are checked as well", "[native]") {
  CHECK(native_errors(
            "[[conv]]\nin_channels = 3\nout_chanels = 64\nkernel = 7\nkernel_width = 3\nimage = 224\n") ==
        "3:1: unknown key `out_chanels` in `[[conv]]`; did you mean `out_channels`?\n"
        "5:1: `kernel` and `kernel_width` are both stated; `kernel` means both sides; leave one out\n");
  CHECK(native_errors("[[conv]]\nin_channels = 3\nout_channels = 64\n") ==
        "1:1: `image` is missing from the first layer; the height and width of the input, such as `image = "
        "224`; "
        "it may also stand in `[model]`\n");
  CHECK(native_errors("[[conv]]\nin_channels = 3\nout_channels = 64\nkernel = 9\nimage = 4\npadding = 1\n") ==
        "1:1: the kernel's height is 9, the padded input's 6; a kernel must not be larger than its input\n");
  CHECK(native_errors("[model]\nname = \"x\"\nhidden_size = 8\n"
                      "[[conv]]\nin_channels = 3\nout_channels = 64\nimage = 4\n") ==
        "3:1: `hidden_size` together with `[[conv]]`; a file describes a transformer or a convolutional "
        "network\n");
  CHECK(native_errors("conv = 3\n") ==
        "1:8: `conv` is an integer; write a table `[[conv]]` for each layer\n");
}

TEST_CASE("the table [lint] is checked as well", "[native]") {
  CHECK(native_errors(small + "[lint]\ngpus = \"a100\"\nmin_gain = 5\nfail_level = \"fatal\"\nselect = [1]\n"
                              "params = { SL104 = 3, SL105 = { x = \"y\" } }\n") ==
        "9:1: unknown key `gpus` in `[lint]`; did you mean `gpu`?\n"
        "10:12: `min_gain` is not between 0 and 1; write a share of the step: `0.01` is 1 %\n"
        "11:14: `fail_level` is `fatal`; expected one of `info`, `warning` or `error`\n"
        "12:11: `lint.select[0]` is an integer; write a string or a list of strings\n"
        "13:20: `lint.params.SL104` is an integer; write a table per rule: `[lint.params.SL104]`\n"
        "13:37: `lint.params.SL105.x` is a string; write a number\n");
}
