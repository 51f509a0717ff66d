#!/bin/sh
# The hooks, through the real pre-commit, in a throw-away repository: a good model passes, a bad one stops the
# commit, whatever its name.
#   pre-commit.sh SHAPELINT      the hook of this repository, which runs the installed program
#   pre-commit.sh WHEEL          the mirror that scripts/pre-commit-mirror makes, which installs the wheel
set -eu
shapelint=$(realpath "$1")
if ! command -v pre-commit >/dev/null || ! command -v git >/dev/null; then
  echo "skipped: pre-commit or git is not installed (Debian: pre-commit)"
  exit 77
fi
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME="$folder/home" PRE_COMMIT_HOME="$folder/pre-commit" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE 2>/dev/null || true
mkdir -p "$HOME"
git config --global safe.directory '*'
git config --global init.defaultBranch main

case "$shapelint" in
  *.whl)
    # Where git is not told who commits, and where a mirror was left without its tag.
    (
      unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
      git config --global user.useConfigOnly true
      "$source/scripts/pre-commit-mirror" "$folder/shapelint"
      git config --global --unset user.useConfigOnly
    )
    git -C "$folder/shapelint" tag --delete "$(git -C "$folder/shapelint" describe --tags)" >/dev/null
    "$source/scripts/pre-commit-mirror" "$folder/shapelint" >/dev/null
    git -C "$folder/shapelint" describe --tags --exact-match >/dev/null
    # The wheel comes from its folder, nothing from elsewhere, and no compiler is there to help.
    PIP_NO_INDEX=1 PIP_FIND_LINKS=$(dirname "$shapelint") CC=false CXX=false
    export PIP_NO_INDEX PIP_FIND_LINKS CC CXX
    ;;
  *)
    # The hooks as they are in the working tree, committed or not.
    mkdir "$folder/shapelint"
    (cd "$source" && git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null) |
      tar -x -C "$folder/shapelint"
    git -C "$folder/shapelint" init -q
    git -C "$folder/shapelint" add -A
    git -C "$folder/shapelint" commit -q -m "the hooks"
    PATH="$(dirname "$shapelint"):$PATH"
    export PATH
    ;;
esac
git init -q "$folder/models"
cd "$folder/models"
cat >.pre-commit-config.yaml <<CONFIG
repos:
  - repo: $folder/shapelint
    rev: $(git -C "$folder/shapelint" rev-parse HEAD)
    hooks:
      - id: shapelint
        args: [--gpu, a100]
CONFIG
pre-commit install >/dev/null
git add -A
git commit -q -m "the configuration" >/dev/null 2>&1

failed=0
# commit_is passes|stopped FILE 'PART OF THE OUTPUT'
commit_is() {
  git add -A
  if git commit -m "add $2" >"$folder/log" 2>&1; then outcome=passes; else outcome=stopped; fi
  if [ "$outcome" != "$1" ] || ! grep -qF -- "$3" "$folder/log"; then
    echo "FAILED: the commit of \`$2\` is expected to be \`$1\` and to say: $3"
    sed 's/^/  | /' "$folder/log"
    failed=1
  fi
  git reset -q
  rm -f -- "$2"
}

good="$source/examples/llama-3-8b.toml"
bad="$source/examples/gpt3-2.7b.toml"
mkdir shapelint
cp -- "$good" "shapelint/good.toml"
commit_is passes "shapelint/good.toml" "Passed"
cp -- "$bad" "shapelint/bad.toml"
commit_is stopped "shapelint/bad.toml" "shapelint/bad.toml:"
name="shapelint/mein größtes Modell 模型.toml"
cp -- "$bad" "$name"
commit_is stopped "$name" "größtes Modell 模型.toml:"
name="shapelint/-- my model's \"best\".toml"
cp -- "$good" "$name"
commit_is passes "$name" "Passed"
printf '[model]\nhiden_size = 1\n' >"x.shapelint.toml"
commit_is stopped "x.shapelint.toml" "did you mean"
# Configurations of every kind, under names that say nothing.
mkdir conf
write_config() { # a bad one where the second word is bad
  case "$1 $2" in
    "json good") printf '{"model_type": "llama", "hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 40, "vocab_size": 32000}\n' ;;
    "json bad") printf '{"model_type": "llama", "hidden_size": 5130, "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 45, "vocab_size": 32000}\n' ;;
    "yaml good") printf 'num_layers: 32\nhidden_size: 4096\nnum_attention_heads: 32\nseq_length: 2048\npipe_parallel_size: 1\nmodel_parallel_size: 1\ntrain_micro_batch_size_per_gpu: 4\nattention_config: [[["flash"], 32]]\n' ;;
    "yaml bad") printf 'num_layers: 32\nhidden_size: 4100\nnum_attention_heads: 20\nseq_length: 2048\npipe_parallel_size: 1\nmodel_parallel_size: 1\ntrain_micro_batch_size_per_gpu: 4\n' ;;
    "sh good") printf 'torchrun pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --micro-batch-size 8 --vocab-size 50304 --make-vocab-size-divisible-by 1\n' ;;
    "sh bad") printf 'torchrun pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --micro-batch-size 8 --vocab-size 50257 --make-vocab-size-divisible-by 1\n' ;;
    "py good") printf 'n_layer = 12\nn_head = 12\nn_embd = 768\nblock_size = 1024\nbatch_size = 16\nvocab_size = 50304\n' ;;
  esac
}
for kind in json yaml sh py; do
  write_config "$kind" good >"conf/good.$kind"
  commit_is passes "conf/good.$kind" "Passed"
done
for kind in json yaml sh; do
  write_config "$kind" bad >"conf/bad.$kind"
  commit_is stopped "conf/bad.$kind" "conf/bad.$kind:"
done

# What is no configuration of a model is nobody's business here, be it broken.
printf '[project]\nname = "x"\n' >"pyproject.toml"
commit_is passes "pyproject.toml" "Passed"
printf '[lint]\nselect = ["E"]\n' >"ruff.toml"
commit_is passes "ruff.toml" "Passed"
printf '{"train_batch_size": GBSIZE}\n' >"template.json"
commit_is passes "template.json" "Passed"
printf 'replicas: {{ .Values.replicas }}\n' >"chart.yaml"
commit_is passes "chart.yaml" "Passed"
printf 'a = [1,\n' >"broken.toml"
commit_is passes "broken.toml" "Passed"
printf 'import os\nprint(os.environ)\n' >"tool.py"
commit_is passes "tool.py" "Passed"

# With --fix a hook changes the file, which stops the commit once; then it passes. The tokenizer keeps its size, and
# Megatron-LM pads.
sed -i 's/args: \[/args: [--fix, /' .pre-commit-config.yaml
mkdir fixed
write_config sh bad >fixed/run.sh
git add -A
git commit -m "to be fixed" >"$folder/log" 2>&1 && { echo "FAILED: a commit that was fixed is not stopped"; failed=1; }
write_config sh bad | sed 's/divisible-by 1$/divisible-by 64/' | cmp - fixed/run.sh || { echo "FAILED: the file is not fixed"; failed=1; }
git add -A
git commit -m "fixed" >>"$folder/log" 2>&1 || { echo "FAILED: a fixed file is not committed"; failed=1; }
[ "$failed" = 0 ] || sed 's/^/  | /' "$folder/log"

[ "$failed" = 0 ] && echo "good models pass, bad ones stop the commit"
exit "$failed"
