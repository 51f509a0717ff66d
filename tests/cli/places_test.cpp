// A finding points at the exact bytes of the value that is to be changed, and says where that value is used
// when it is written elsewhere.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "rules/engine/lint.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

struct Place {
  const char* what;
  std::string file;
  std::string text;  // with <<…>> around the value, and {{…}} around the place of use, where there is one
  const char* code;  // of the rule whose finding points there
};

const std::vector<Place> places{
    {"JSON", "config.json",
     R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": <<11001>>,
 "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000})",
     "SL103"},
    {"JSON with a byte-order mark and characters of several bytes", "config.json",
     "\xEF\xBB\xBF"
     R"({"_name": "é 模型 😀", "model_type": "llama", "hidden_size": 4096, "intermediate_size": <<11001>>,
 "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000})",
     "SL103"},
    {"YAML", "a.yaml",
     "extends: [base.yaml]\nnum_layers: 32\nhidden_size: 4096\nffn_hidden_size: <<11001>>  # odd\n"
     "num_attention_heads: 32\nswiglu: true\nseq_length: 4096\n",
     "SL103"},
    {"YAML, an alias", "a.yaml",
     "extends: [base.yaml]\nwidth: &width <<11001>>\nnum_layers: 32\nhidden_size: 4096\n"
     "ffn_hidden_size: {{*width}}\nnum_attention_heads: 32\nswiglu: true\nseq_length: 4096\n",
     "SL103"},
    {"YAML, an interpolation", "gpt.yaml",
     "trainer: {precision: bf16}\nrun: {name: x}\nwidth: <<11001>>\nmodel:\n  micro_batch_size: 4\n"
     "  encoder_seq_length: 2048\n  num_layers: 24\n  hidden_size: 4096\n  ffn_hidden_size: {{${width}}}\n"
     "  num_attention_heads: 32\n  activation: fast-swiglu\n  tensor_model_parallel_size: 1\n",
     "SL103"},
    {"shell", "run.sh",
     "torchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \\\n"
     "  --ffn-hidden-size <<11001>> --swiglu --seq-length 2048 --micro-batch-size 4\n",
     "SL103"},
    {"shell, a variable", "run.sh",
     "FFN=<<11001>>\ntorchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
     "\\\n"
     "  --ffn-hidden-size {{$FFN}} --swiglu --seq-length 2048 --micro-batch-size 4\n",
     "SL103"},
    {"shell, a variable's default", "run.sh",
     "FFN=${FFN:-<<11001>>}\ntorchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\\n"
     "  --num-attention-heads 32 --ffn-hidden-size {{${FFN}}} --swiglu --seq-length 2048 "
     "--micro-batch-size 4\n",
     "SL103"},
};

// Takes the marks out; the span of what was between them.
Span take(std::string& text, const std::string& open, const std::string& close) {
  const auto begin = text.find(open);
  if (begin == std::string::npos) return {};
  text.erase(begin, open.size());
  const auto end = text.find(close, begin);
  // `${width}}}`: the mark's braces are the last ones.
  const bool is_brace = end + close.size() < text.size() && text[end + close.size()] == '}' && close == "}}";
  const auto last = is_brace ? end + 1 : end;
  text.erase(last, close.size());
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(last)};
}

}  // namespace

TEST_CASE("findings point at the exact bytes of the value, and tell where it is used", "[formats][places]") {
  const auto gpu = gpu::find_gpu("a100");
  REQUIRE(gpu);
  for (const Place& each : places) {
    CAPTURE(each.what);
    std::string source = each.text;
    // The later mark first, so that the earlier one's place stays as it is.
    Span use = take(source, "{{", "}}");
    const Span value = take(source, "<<", ">>");
    if (use.begin > value.begin && use.end > 0) use = {use.begin - 4, use.end - 4};
    text::MemoryFileSystem files;
    files.files[each.file] = source;
    files.files["base.yaml"] = "seed: 1\n";
    const auto read = formats::read_any(files, each.file);
    REQUIRE(read.readings.size() == 1);
    rules::Options options;
    options.select = {each.code};
    options.min_gain = 0;
    const auto result = rules::lint(rules::builtin_rules(), read.readings.front(), {&*gpu, 1}, options);
    REQUIRE(result.findings.size() == 1);
    const rules::Finding& finding = result.findings.front();
    CHECK(finding.path == each.file);
    CHECK(finding.span.begin == value.begin);
    CHECK(finding.span.end == value.end);
    CHECK(finding.use_span.begin == use.begin);
    CHECK(finding.use_span.end == use.end);
  }
}

TEST_CASE("both places are shown", "[formats][places]") {
  text::MemoryFileSystem files;
  files.files["run.sh"] =
      "FFN=11001\ntorchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \\\n"
      "  --ffn-hidden-size $FFN --swiglu --seq-length 2048 --micro-batch-size 4\n";
  const tests::Ran ran = tests::run({"run.sh", "--gpu", "a100", "--select", "SL103"}, files);
  INFO(ran.out << ran.err);
  CHECK(ran.out.find("1 | FFN=11001\n   |     ^^^^^") != std::string::npos);
  CHECK(ran.out.find("---- used here") != std::string::npos);
}
