// Launch scripts as people write them for Megatron-LM and its relatives.
#include "text/shell/shell.hpp"

#include <rapidcheck.h>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/text/shell/shell_support.hpp"
#include "tests/text/span_support.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

std::vector<Document> read(const std::string& source) {
  auto documents = parse_shell("run.sh", source);
  INFO(source);
  if (!documents) {
    FAIL(outline(documents.error(), source));
    return {};
  }
  return *std::move(documents);
}

// `--flag=bytes where the value is written`, and `<use>` where that is somewhere else.
std::string places(const std::string& source) {
  std::string all;
  const std::vector<Document> documents = read(source);
  for (const Document& document : documents) {
    for (const NodeRef flag : document.root()["flags"]) {
      if (!all.empty()) all += " ; ";
      all += fmt::format("{}={}", bytes_at(document, flag.key_span()), bytes_of(document, flag));
      if (const auto use = flag.use_span()) all += fmt::format(" <{}>", bytes_at(document, *use));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("shell: flags of a command line") {
  const std::string source =
      "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n"
      "    --num-layers 24 --hidden-size=2048 \\\r\n"
      "\t--lr 1.5e-4 --adam-eps 1e-8 --split 949,50,1 \\\n"
      "    --rampup-batch-size 16 16 6_000_000 --bf16 --untie false --moe-layer-freq \"([0]*3+[1]*58)\" \\\n"
      "    --seed -1 --data 'a b' # --swiglu\n";
  CHECK(flags(source) ==
        "{--nproc_per_node: 8, --num-layers: 24, --hidden-size: 2048, --lr: 0.00015, --adam-eps: 1e-08, "
        "--split: \"949,50,1\", --rampup-batch-size: [16, 16, 6000000], --bf16: true, --untie: false, "
        "--moe-layer-freq: \"([0]*3+[1]*58)\", --seed: -1, --data: \"a b\"}");
  CHECK(places(source) ==
        "--nproc_per_node=8 ; --num-layers=24 ; --hidden-size=2048 ; --lr=1.5e-4 ; --adam-eps=1e-8 ; "
        "--split=949,50,1 ; --rampup-batch-size=16 16 6_000_000 ; --bf16=--bf16 ; --untie=false ; "
        "--moe-layer-freq=([0]*3+[1]*58) ; --seed=-1 ; --data=a b");
  const auto documents = read(source);
  CHECK(documents.front().root()["command"].as_string() == "torchrun");
  CHECK(outline(documents.front().root()["arguments"]) == "[\"pretrain_gpt.py\"]");
}

TEST_CASE("shell: a flag that is given twice is there twice") {
  const auto documents = read("train --tp 2 --tp 4\n");
  CHECK(documents.front().root()["flags"]["--tp"].as_integer() == 4);
  CHECK(duplicate_keys(documents.front()).size() == 1);
}

TEST_CASE("shell: a flag tells through which expansion it came") {
  const auto expansions = [](const std::string& source) {
    std::vector<std::uint32_t> out;
    const auto documents = read(source);
    for (const NodeRef flag : documents.front().root()["flags"]) out.push_back(flag.expansion());
    return out;
  };
  using Expansions = std::vector<std::uint32_t>;
  CHECK(expansions("train --tp 2 --pp 4 --fp16 --ids 1 2\n") == Expansions{0, 0, 0, 0});
  CHECK(expansions("A=(--tp 2 --fp16)\nB=(--ids 1 2)\ntrain \"${A[@]}\" --pp 4 \"${B[@]}\" ${A[@]}\n") ==
        Expansions{1, 1, 0, 2, 3, 3});
  CHECK(expansions("A='--tp 2'\nA=\"$A --pp 4\"\ntrain $A\n") == Expansions{1, 2});
}

TEST_CASE("shell: a value behind a variable has both places") {
  CHECK(places("HIDDEN=4096\ntrain --hidden-size $HIDDEN\n") == "--hidden-size=4096 <$HIDDEN>");
  CHECK(places("H=\"4096\"\nARGS=\"--hidden-size ${H} --swiglu\"\ntrain $ARGS\n") ==
        "--hidden-size=4096 <${H}> ; --swiglu=--swiglu");
  CHECK(places("H=4096\nARGS=(--hidden-size \"$H\"\n  --layers 24) # c\ntrain \"${ARGS[@]}\"\n") ==
        "--hidden-size=4096 <$H> ; --layers=24");
  // Through two variables: the bytes at the far end, the use beside the flag.
  CHECK(places("A=8\nB=$A\ntrain --tp $B\n") == "--tp=8 <$B>");
  CHECK(places("train --tp ${TP:-4} --pp ${PP:-\"2\"}\n") == "--tp=4 ; --pp=2");
  CHECK(places("TP=8\ntrain --tp ${TP:-4}\n") == "--tp=8 <${TP:-4}>");
  // Put together from parts: the whole word.
  CHECK(places("D=/data\ntrain --path $D/x.json --name a$D\n") == "--path=$D/x.json ; --name=a$D");
  CHECK(places("H=64\ntrain --ffn $((4 * H))\n") == "--ffn=$((4 * H))");
  CHECK(places("H=64\nF=$((4 * H))\ntrain --ffn=$F\n") == "--ffn=$((4 * H)) <$F>");
  CHECK(places("é=1\nH=12 # é\ntrain --größe \"é\" --h $H\n") == "--größe=é ; --h=12 <$H>");
}

TEST_CASE("shell: variables and their operators") {
  CHECK(flags("A=1\nA+=2\ntrain --a $A\n") == "{--a: 12}");
  CHECK(flags("export A=x B='y z'\ntrain --a $A --b \"$B\" --c $B\n") ==
        "{--a: \"x\", --b: \"y z\", --c: [\"y\", \"z\"]}");
  CHECK(flags("train --a ${A:=7} --b $A\n") == "{--a: 7, --b: 7}");
  CHECK(flags("A=\ntrain --a ${A:-1} --b ${A-2}\n") == "{--a: 1, --b: true}");
  CHECK(flags("A=3\ntrain --a ${A:+1} --b ${B:+1} --c\n") == "{--a: 1, --b: true, --c: true}");
  CHECK(flags("P=a/b.json\ntrain --a ${P##*/} --b ${P%.json} --c ${#P} --d ${P^^}\n") ==
        "{--a: \"b.json\", --b: \"a/b\", --c: 8, --d: \"A/B.JSON\"}");
  CHECK(flags("A=(1 2 3)\ntrain --a ${A[1]} --n ${#A[@]} --all ${A[@]} --one \"${A[*]}\" --first $A\n") ==
        "{--a: 2, --n: 3, --all: [1, 2, 3], --one: \"1 2 3\", --first: 1}");
  CHECK(flags("A=(--x 1)\nA+=(--y 2)\ntrain ${A[@]} ${NONE[@]}\n") == "{--x: 1, --y: 2}");
  CHECK(flags("E=()\ntrain --x \"${E[@]}\" --y \"\"\n") == "{--x: true, --y: \"\"}");
  CHECK(flags("CUDA=1 train --a 1\n") == "{--a: 1}");
}

TEST_CASE("shell: arithmetic") {
  // https://github.com/DAMO-NLP-SG/VideoLLaMA2, scripts/custom/finetune.sh
  CHECK(flags("G=128\nN=8\ntrain --a $[$G/(1*$N*4)] --b \"$[N + 1]\" --c x$[\n") ==
        "{--a: 4, --b: 9, --c: \"x$[\"}");
  CHECK(flags("N=8\nG=4\ntrain --a $(($N*$G)) --b $((N / 3 + 2 ** 3 % 5)) --c $(( (N > 4) ? N : 0 ))\n") ==
        "{--a: 32, --b: 5, --c: 8}");
  CHECK(flags("train --a $((1 / 0))\n") == "{--a: unknown(`$((1 / 0))` depends on unknown values)}");
  CHECK(flags("train --a $((9223372036854775807 + 1))\n")
            .starts_with("{--a: unknown(`$((9223372036854775807 + 1))`"));
  CHECK(flags("train --a $((N * 2))\n") == "{--a: unknown(`$((N * 2))` depends on unknown values)}");
}

TEST_CASE("shell: what only the run decides is unknown, with a reason") {
  CHECK(flags("D=$(cat x)\ntrain --a $D --b `hostname` --c $UNSET --d $1 --e x$UNSET\n") ==
        "{--a: unknown(it is the output of a command), --b: unknown(it is the output of a command), "
        "--c: unknown(the variable `UNSET` is not set in this file), "
        "--d: unknown(`$1` is known only when the script runs), "
        "--e: unknown(the variable `UNSET` is not set in this file)}");
  CHECK(places("D=$(cat x)\ntrain --a $D\n") == "--a=$(cat x) <$D>");
  CHECK(flags("for lr in 1 2; do train --lr $lr --tp 2; done\n") ==
        "{--lr: unknown(the loop gives `lr` several values), --tp: 2}");
  CHECK(flags("N=0\nwhile true; do N=$((N+1)); train --n $N; done\n") ==
        "{--n: unknown(`$((N+1))` depends on unknown values)}");
  CHECK(flags("read N\ntrain --n $N\n") == "{--n: unknown(it is read at run time)}");
  // An argument with a default has the default.
  CHECK(flags("TP=${1:-4}\nPP=$2\ntrain --tp $TP --pp ${PP:-2}\n") == "{--tp: 4, --pp: 2}");
  // These hold flags, not the value of the flag before them.
  CHECK(flags("train --bf16 $EXTRA_ARGS --swiglu \"$@\"\n") == "{--bf16: true, --swiglu: true}");
}

TEST_CASE("shell: here-documents are not flags") {
  CHECK(flags("cat <<EOT > ds.json\n{ \"a\": 1 } --num-layers 99 '\nEOT\ntrain --a 1\n") == "{--a: 1}");
  CHECK(
      flags(
          "cat > x <<-'E O'\n\t\"--b 2\n\tE O\ntrain --a 1 <<< 'x --c 2' > out 2>&1 | tee --append log\n") ==
      "{--a: 1}");
}

TEST_CASE("shell: conditions that the file decides") {
  const std::string table =
      "SIZE=2B\n"
      "if [ ${SIZE} == \"1B\" ]; then\n  H=1024\n  L=12\n"
      "elif [ ${SIZE} == \"2B\" ]; then\n  H=2048\n  L=24\n"
      "else\n  echo no\n  exit 1\nfi\n"
      "train --hidden-size $H --num-layers $L\n";
  CHECK(flags(table) == "{--hidden-size: 2048, --num-layers: 24}");
  CHECK(places(table) == "--hidden-size=2048 <$H> ; --num-layers=24 <$L>");
  CHECK(flags("M=7b\ncase $M in\n 13*) T=8;;\n 7b|8b) T=2 ;;\n *) T=1\nesac\ntrain --tp $T\n") ==
        "{--tp: 2}");
  CHECK(flags("E=16\nif [[ $E -gt 8 && -n \"$E\" ]]; then P=8; else P=$E; fi\ntrain --ep $P\n") ==
        "{--ep: 8}");
  CHECK(flags("A=true\nO=\"--x\"\nif [ \"$A\" = \"true\" ]; then\nO=\"${O} \\\n  --y 1\"\nfi\neval train "
              "${O}\n") == "{--x: true, --y: 1}");
  CHECK(flags("N=2\n[ $N -gt 1 ] && P=3\n(( N > 5 )) || Q=4\ntrain --p $P --q $Q\n") == "{--p: 3, --q: 4}");
}

TEST_CASE("shell: an open condition makes one document for each branch") {
  CHECK(flags("if [ $1 = small ]; then H=1024; else H=4096; fi\ntrain --h $H\n") ==
        "[\"[ $1 = small ]\"] {--h: 1024} | [\"else\"] {--h: 4096}");
  CHECK(flags("case $1 in\n 7b) H=4096 ;;\n 13b) H=5120 ;;\nesac\ntrain --h $H\n") ==
        "[\"7b\"] {--h: 4096} | [\"13b\"] {--h: 5120}");
  // A default for what is not given is no branch.
  CHECK(flags("if [ -z \"$TP\" ]; then TP=4; fi\ntrain --tp $TP\n") == "{--tp: 4}");
  CHECK(flags("if [ $# -lt 1 ]; then echo usage; exit 1; fi\ntrain --tp 2\n") == "{--tp: 2}");
  CHECK(flags("if [ -z \"${DIR:-}\" ]; then echo no; exit 1; fi\ntrain --tp 2\n") == "{--tp: 2}");
  CHECK(flags("ray stop --force\nif [ -z \"${DIR:-}\" ]; then exit 1; fi\ntrain --tp 2\n") ==
        "{--force: true} | {--tp: 2}");
  // Branches that change nothing in the command line are not told apart.
  CHECK(flags("if [ -d out ]; then LOG=a; else LOG=b; fi\nmkdir -p $LOG\ntrain --tp 2\n") == "{--tp: 2}");
  // Too many: what the last ones set is unknown, the rest is not.
  std::string many;
  std::string uses;
  for (int i = 0; i < 6; ++i) {
    many += fmt::format("if [ -e f{0} ]; then A{0}=1; else A{0}=2; fi\n", i);
    uses += fmt::format(" --a{0} $A{0}", i);
  }
  const std::string told = flags(many + "train --tp 2" + uses + "\n");
  CHECK(std::count(told.begin(), told.end(), '|') == 7);
  CHECK(told.find("{--tp: 2, --a0: 1, --a1: 1, --a2: 1, --a3: unknown(branches set `A3` "
                  "differently)") != std::string::npos);
}

TEST_CASE("shell: arguments that a loop reads do not hide the defaults") {
  CHECK(flags("TP=1\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    --tp) TP=$2; shift 2;;\n    *) exit 1;;\n  "
              "esac\ndone\n"
              "train --tp $TP\n") == "{--tp: 1}");
}

TEST_CASE("shell: command lines inside of strings") {
  CHECK(flags("CMD=\"python x.py --tp 2 --name \\\"a\\\" &> log &\"\necho $CMD\neval $CMD\n") ==
        "{--tp: 2, --name: \"a\"}");
  CHECK(flags("export L=\"python -m run --nnodes 2\"\nexport C=\"x.py --tp 4\"\n"
              "srun --label bash -c '$L --rank $SLURM_PROCID $C' 2>&1 | tee log\n") ==
        "{--label: \"bash\", -c: \"python\", -m: \"run\", --nnodes: 2, "
        "--rank: unknown(the variable `SLURM_PROCID` is not set in this file), --tp: 4}");
  CHECK(flags("srun bash -c \"train --rank \\$RANK --tp 2\"\n") ==
        "{-c: \"train\", --rank: unknown(the variable `RANK` is not set in this file), --tp: 2}");
}

TEST_CASE("shell: functions that nothing calls are ignored, flags in variables are not") {
  CHECK(flags("run() {\n  train --tp 8\n}\nfunction other { train --tp 9; }\ntrain --tp 2\n") == "{--tp: 2}");
  CHECK(flags("export ARGS=\"--layers 2\"\nsbatch --nodes 4 --export=ARGS run.sh\n") ==
        "{--nodes: 4, --export: \"ARGS\"} | {--layers: 2}");
  CHECK(flags("X=\"--unused\"\ntrain --tp 2\n") == "{--tp: 2}");
  // A file to be sourced.
  CHECK(flags("H=64\nMODEL_ARGS=\" \\\n  --hidden-size $H \\\n  --bf16\"\nMORE=(--tp 2)\nmkdir x\n") ==
        "{--hidden-size: 64, --bf16: true, --tp: 2}");
  const auto documents = read("H=64\nNAMES=(a b)\n");
  REQUIRE(documents.size() == 1);
  CHECK(outline(documents.front().root()["flags"]) == "{}");
  CHECK(outline(documents.front().root()["variables"]) == "{H: 64, NAMES: [\"a\", \"b\"]}");
  CHECK(bytes_at(documents.front(), documents.front().root()["variables"]["H"].key_span()) == "H");
}

TEST_CASE("shell: comments end a command, also between continued lines") {
  CHECK(flags("train --a 1 \\\n# --b 2 \\\n  --c 3\n") == "{--a: 1}");
  CHECK(flags("#SBATCH --nodes=2\ntrain --a 1#2 --b 2 # --c 3\n") == "{--a: \"1#2\", --b: 2}");
}

TEST_CASE("shell: errors have a place") {
  CHECK(flags("train --a 'x\n") == "the quote `'` is never closed @ \"'\"");
  CHECK(flags("A=\"x\ntrain\n") == "the quote `\"` is never closed @ \"\"\"");
  CHECK(flags("A=(x\ntrain\n") == "the bracket `(` is never closed @ \"(\"");
  CHECK(flags("A=${x\n") == "the bracket `{` is never closed @ \"{\"");
  CHECK(flags("if true; then A=1\n") == "no `fi` closes this @ \"i\"");
  CHECK(flags("for i in 1 2; do A=1\n") == "no `done` closes this @ \"f\"");
  CHECK(flags("done\n") == "`done` closes nothing @ \"done\"");
  CHECK(flags("train \xff") == "byte 0xff is not valid UTF-8 @ \"\xff\"");
}

TEST_CASE("shell: limits") {
  const auto deep = [](const std::string& open, const std::string& close) {
    std::string source;
    for (int i = 0; i < 20000; ++i) source += open;
    for (int i = 0; i < 20000; ++i) source += close;
    return flags(source);
  };
  CHECK(deep("$(", ")").find("nested more than 64 deep") != std::string::npos);
  CHECK(deep("\"${x:-", "}\"").find("nested more than 64 deep") != std::string::npos);
  CHECK(deep("if true; then\n", "fi\n").find("nested more than 64 deep") != std::string::npos);
  CHECK(deep("(\n", ")\n").find("nested more than 64 deep") != std::string::npos);
  CHECK(flags("train --a $((" + std::string(20000, '(') + "))") != "");
  std::string doubling = "A=x\n";
  for (int i = 0; i < 60; ++i) doubling += "A=$A$A\n";
  CHECK(flags(doubling + "train --a $A\n")
            .starts_with("reading it takes more memory than any configuration needs"));
  std::string forks;
  for (int i = 0; i < 200; ++i) forks += fmt::format("[ $X ] && A{0}=1\n", i);
  CHECK(flags(forks + "train --a 1\n") == "{--a: 1}");
}

TEST_CASE("shell: any values survive quoting, splitting and variables") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "1", "-", "=", ",", "é", "/", ".", "#", "*", "[", "(", "$", "\"", " ", "x"));
    std::string value = "v";
    for (const std::string& piece : pieces) value += piece;
    RC_PRE(value.find(" --") == std::string::npos);  // would be read as a command line
    const int way = *rc::gen::inRange(0, 4);
    std::string source;
    if (way == 0) source = "train --name '" + value + "' --last 1\n";
    if (way == 1) source = "V='" + value + "'\ntrain --name \"$V\" --last 1\n";
    if (way == 2) source = "V=(--name '" + value + "')\ntrain \"${V[@]}\" --last 1\n";
    if (way == 3) source = "V='" + value + "'\nW=(\"$V\")\ntrain --name=\"${W[0]}\" --last 1\n";
    RC_LOG(source);
    const auto documents = parse_shell("run.sh", source);
    RC_ASSERT(static_cast<bool>(documents));
    const NodeRef name = documents->front().root()["flags"]["--name"];
    RC_ASSERT(name.as_string() == value);
    RC_ASSERT(bytes_of(documents->front(), name) == value);
    RC_ASSERT(documents->front().root()["flags"]["--last"].as_integer() == 1);
  }));
}

TEST_CASE("shell: no bytes crash the reader") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "A=", "$A", "${A", "}", "\"", "'", "`", "$(", "$((", "))", ")", "(", "if ", "then ", "fi", "else ",
        "case x in ", ";;", "esac", "for i in ", "do ", "done", "while ", " --a ", "1", "\n", "; ", "&&",
        "||", "|", "&", "<<E\n", "E\n", "[[ ", " ]]", "[ ", " ]", "#", "\\", "\\\n", "{ ", "f() ", ":-",
        "##*", "%", "[@]", "[0]", "+=(", "é", ">", "2>&1", "eval ", "-c ", "let ", "read ", "exit\n", "=",
        "!", "? :", "**"));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    tests::assert_spans(parse_shell("run.sh", text), text);
  }));
}

TEST_CASE("shell: Hydra's overrides are tables in tables") {
  const auto overrides = [](const std::string& source) {
    return outline(read(source).front().root()["overrides"]);
  };
  CHECK(
      overrides("N=8\npython3 -m train data.size=4 actor.model.path=org/Name +actor.extra=[1,2] \\\n"
                "  trainer.gpus=$N trainer.logger='[\"console\"]' plain=2 $@\n") ==
      "{data: {size: 4}, actor: {model: {path: \"org/Name\"}, extra: \"[1,2]\"}, trainer: {gpus: 8, logger: "
      "\"[\"console\"]\"}, plain: 2}");
  // After a program without flags, and after a flag with its value.
  CHECK(overrides("python train.py model.size=2\n") == "{model: {size: 2}}");
  CHECK(overrides("train --config-name x model.size=2\n") == "{model: {size: 2}}");
  // The value of a flag, and a name without a dot, are none.
  // Keys without a dot are told by the configuration before them.
  CHECK(overrides("python -m train conf/base.yml size=2 name=$NAME --n 1\n") ==
        "{size: 2, name: unknown(the variable `NAME` is not set in this file)}");
  CHECK(overrides("python -m a.train size=2 name=$NAME\n").starts_with("{size: 2"));
  CHECK(overrides("run -m a.train size=2\n") == "absent");
  CHECK(overrides("train config=base.yaml size=2\n") == "{config: \"base.yaml\", size: 2}");
  CHECK(overrides("train --config base.yml size=2\n") == "{size: 2}");
  CHECK(overrides("train --set model.size=2 --n 1\n") == "absent");
  CHECK(overrides("env A=1 train --n 1\n") == "absent");
  // A group of Hydra's, and a value in it.
  CHECK(overrides("train a.x=1 engine=fsdp engine.context=2\n") == "{a: {x: 1}, engine: {context: 2}}");
  // A key that is a value cannot be a table as well; the last of two values counts.
  CHECK(overrides("train a.b=1 a.b.c=2 a.b=3\n") == "{a: {b: 1, b: 3}}");
  CHECK(read("train a.b=1 a.b=3\n").front().root()["overrides"]["a"]["b"].as_integer() == 3);
}

// Of YAML whose values are the words of a command (FlagScale, examples/qwen3/conf/serve/8b.yaml).
TEST_CASE("shell: OmegaConf's resolver names the variable") {
  CHECK(flags("train --a ${oc.env:A}\n") == "{--a: unknown(the variable `A` is not set in this file)}");
}

TEST_CASE("shell: a path in a folder that is not known has a known end") {
  CHECK(
      flags("train --model $HOME/models/Llama-3.1-8B --b $D/$E --c $D --d \"$(pwd)/x\" --e $D/ --f a$D\n") ==
      "{--model: \"$HOME/models/Llama-3.1-8B\", --b: unknown(the variable `D` is not set in this file), "
      "--c: unknown(the variable `D` is not set in this file), --d: \"$(…)/x\", "
      "--e: unknown(the variable `D` is not set in this file), "
      "--f: unknown(the variable `D` is not set in this file)}");
}

TEST_CASE("a server may be given its model alone, where no command has flags", "[shell]") {
  const auto served = [](const std::string& source) {
    std::string all;
    for (const Document& document : read(source)) {
      if (!all.empty()) all += " | ";
      all += document.root()["following"]["serve"].as_string().value_or("");
    }
    return all;
  };
  CHECK(served("set -e\nvllm serve Qwen/Qwen3-8B\n") == "Qwen/Qwen3-8B");
  CHECK(served("vllm serve Qwen/Qwen3-8B &\nvllm serve Qwen/Qwen3-4B\n") == "Qwen/Qwen3-8B | Qwen/Qwen3-4B");
  CHECK(served("vllm serve Qwen/Qwen3-8B\npython eval.py --limit 10\n").empty());
  CHECK(served("cp a b\n").empty());
}
