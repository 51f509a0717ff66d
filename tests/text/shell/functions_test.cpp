// Functions, here-documents, several commands in one text, variables of one command.
#include <string>

#include "tests/catch.hpp"
#include "tests/text/shell/shell_support.hpp"

using namespace shapelint;
using namespace shapelint::text;

TEST_CASE("shell: a function is followed where it is called, with its arguments") {
  const std::string run =
      "run() {\n  local layers=$1 tp=${2:-1}\n  shift 2\n  train --num-layers $layers --tp $tp \"$@\"\n}\n";
  CHECK(flags(run + "run 24 2 --lr 0.1 --name 'a b'\nrun 32 4\n") ==
        "{--num-layers: 24, --tp: 2, --lr: 0.1, --name: \"a b\"} | {--num-layers: 32, --tp: 4}");
  // Never called, called before it is there, defined twice.
  CHECK(flags(run + "train --tp 8\n") == "{--tp: 8}");
  CHECK(flags("run 3\nfunction run { train --tp $1; }\ntrain --tp 8\n") == "{--tp: 8}");
  CHECK(
      flags(
          "if [ $1 ]; then run() { train --tp 1; }\nelse run() { train --tp 2; }\nfi\nrun\ntrain --tp 8\n") ==
      "{--tp: 8}");
  // `return` ends the function, `exit` the script.
  CHECK(flags("f() { A=1; return; A=2; }\nf\ntrain --a $A\n") == "{--a: 1}");
  CHECK(flags("f() { if [ $1 = x ]; then return 1; fi; A=2; }\nf x\ntrain --a $A\n") ==
        "{--a: unknown(the variable `A` is not set in this file)}");
  CHECK(flags("usage() { echo no; exit 1; }\n[ -z \"$1\" ] && usage\ntrain --a 1\n") == "{--a: 1}");
  // What is local is gone, what is not stays; the script's own arguments are unknown again.
  CHECK(flags("A=1\nf() { local A=2; B=$1; }\nf 5\ntrain --a $A --b $B --c $1\n") ==
        "{--a: 1, --b: 5, --c: unknown(`$1` is known only when the script runs)}");
  CHECK(flags("f() { train --n $# --all $* --first ${1} --second ${2:-none}; }\nf 7 8\n") ==
        "{--n: 2, --all: [7, 8], --first: 7, --second: 8}");
  CHECK(flags("f() { train --all ${@:2} --own ${A[@]:1}; }\nA=(1 2 3)\nf 7 8 9\n") ==
        "{--all: [8, 9], --own: [2, 3]}");
  CHECK(flags("main() { train --tp 2 \"$@\"; }\nmain \"$@\"\n") == "{--tp: 2}");
  // One that parses its options in a loop knows none of them.
  CHECK(flags("f() { T=1\nwhile [ $# -gt 0 ]; do case $1 in --tp) T=$2; shift 2;; *) shift;; esac; done\n"
              "train --tp $T; }\nf --tp 8\n") == "{--tp: unknown(branches set `T` differently)}");
  CHECK(flags("f() { f; f; train --a 1; }\nf\n") == "{--a: 1}");
  CHECK(flags("set -- --a 1 \"$@\"\ntrain \"$@\"\n") == "{--a: 1}");
}

TEST_CASE("shell: a here-document that a variable takes is what it holds") {
  CHECK(flags("L=24\nread -r -d '' commands <<EOF\ncli.train_sft \\\n   --num-layers $L \\\n   --bf16\nEOF\n"
              "if [[ ${1} != slurm ]]; then\n  deepspeed --module $commands\nfi\n") ==
        "{--module: \"cli.train_sft\", --num-layers: 24, --bf16: true}");
  CHECK(flags("read -r -d '' A <<'EOF'\n--a $B\nEOF\ntrain $A --b 2\n") == "{--a: \"$B\", --b: 2}");
  CHECK(flags("A=$(cat <<-EOF\n\t--a 1\n\t--b ${X:-2}\n\tEOF\n)\ntrain $A\n") == "{--a: 1, --b: 2}");
  CHECK(flags("cat <<EOF > job.sh\ntrain --a 1\nEOF\ntrain --b 2\n") == "{--b: 2}");
  // Of `read` without an empty delimiter only the first line.
  CHECK(flags("read A B <<EOF\n1 2\nEOF\ntrain --a $A\n") == "{--a: unknown(it is read at run time)}");
}

TEST_CASE("shell: every command of a text counts") {
  CHECK(flags("docker run --gpus all image bash -c \"cd /w; pip install -e . && python a.py --z 1 > log; ls "
              "-l\"\n") == "{-c: [\"cd\", \"/w\"]} | {--z: 1}");
  CHECK(flags("launch.py --gpus 8 -- source env.sh \\&\\& python train.py --tp 2\n") ==
        "{--gpus: 8} | {--tp: 2}");
}

TEST_CASE("shell: a variable before a command is set for that one alone") {
  const auto documents = parse_shell("run.sh", "N=1\nN=4 M=2 swift sft --a 1\nswift sft --a 2\n");
  REQUIRE(documents);
  REQUIRE(documents->size() == 2);
  CHECK(outline((*documents)[0].root()["variables"]) == "{N: 4, M: 2}");
  CHECK(outline((*documents)[1].root()["variables"]) == "{N: 1}");
}

TEST_CASE("shell: what docker runs is the command behind the image") {
  const auto one = [](const std::string& source) {
    const auto documents = parse_shell("run.sh", source);
    REQUIRE(documents);
    REQUIRE(documents->size() == 1);
    return documents->front();
  };
  const Document server =
      one("docker run --rm -it --gpus all --ipc=host -v ~/.cache:/cache -p 8000:8000 -e HF_HOME=/hf \\\n"
          "  vllm/vllm-openai:v0.10.0 meta-llama/Llama-3.1-8B --tensor-parallel-size 2 --enforce-eager\n");
  CHECK(outline(server.root()["flags"]) == "{--tensor-parallel-size: 2, --enforce-eager: true}");
  CHECK(server.root()["image"].as_string() == "vllm/vllm-openai:v0.10.0");
  CHECK(server.root()["following"]["image"].as_string() == "meta-llama/Llama-3.1-8B");
  CHECK(server.root()["variables"]["HF_HOME"].as_string() == "/hf");
  // A variable for the image, and options that are left to the run.
  const Document open = one("IMAGE=a/b:c\nsudo docker run $OPTIONS $IMAGE train --tp 8\n");
  CHECK(outline(open.root()["flags"]) == "{--tp: 8}");
  CHECK(open.root()["image"].as_string() == "a/b:c");
  // Without an image nothing is the container's.
  CHECK(flags("docker build --tag x .\n") == "{--tag: [\"x\", \".\"]}");
}
