#!/bin/sh
# A small repository with a configuration of its own, as a user has it: own rule, GPU and format, excluded files,
# plans for some files, exceptions, a baseline.
#   project.sh SHAPELINT
set -u
shapelint=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/repo" && cd "$folder/repo" || exit 1
failed=0

# expect EXIT_CODE 'PART OF THE OUTPUT' COMMAND…
expect() {
  wanted=$1 part=$2
  shift 2
  "$@" >"$folder/out" 2>&1 </dev/null
  code=$?
  if [ "$code" != "$wanted" ] || { [ -n "$part" ] && ! grep -qF -- "$part" "$folder/out"; }; then
    echo "FAILED: $*"
    echo "  exit code $code, expected $wanted and: $part"
    sed 's/^/  | /' "$folder/out" | head -n 30
    failed=1
  fi
}
says() {
  grep -qF -- "$1" "$folder/out" && return
  echo "FAILED: the last command does not say: $1"
  sed 's/^/  | /' "$folder/out" | head -n 30
  failed=1
}
absent() {
  if grep -qF -- "$1" "$folder/out"; then
    echo "FAILED: the last command says: $1"
    failed=1
  fi
}

mkdir -p .git lint/rules lint/gpus lint/formats configs/7b configs/old archive
cat >shapelint.toml <<'TOML'
gpu = "our-a100"
rule-folders = ["lint/rules"]
gpu-folders = ["lint/gpus"]
format-folders = ["lint/formats"]
exclude = ["archive/**"]
extend-select = ["OUR101"]
[params.OUR101]
most = 40000

[per-file-ignores]
"configs/old/*" = ["SL101"]

[[files]]
match = "configs/7b/*"
gpu = "h100"
tensor = 2

[[ignore-keys]]
path = "configs/plain.json"
key = "vocab_size"
rules = ["SL101", "OUR101"]
reason = "padded when it is loaded"
TOML
cat >lint/rules/OUR101-large-vocabulary.toml <<'TOML'
code = "OUR101"
name = "large-vocabulary"
since = "1.0"
summary = "vocabularies that our tokenizers do not have"
severity = "info"
confidence = "certain"
scope = "model"
effect = "advice"
when = "vocab_size > most"
blame = ["vocab_size"]
message = "{vocab_size:commas} is more than the {most:commas} of our tokenizers"
mechanism = "our tokenizers are smaller"
sources = ["the team"]
why = "Our tokenizers are smaller."
[parameters]
most = { value = 100000, doc = "entries of the largest tokenizer" }
[[fix]]
vocab_size = "most"
[[example]]
finds = true
config = """
[model]
hidden_size = 1024
num_layers = 24
num_attention_heads = 16
vocab_size = 150000
[run]
micro_batch_size = 1
sequence_length = 512
"""
TOML
cat >lint/gpus/our-a100.toml <<'TOML'
based_on = "a100"
name = "our A100, 300 W"
tdp_w = 300
TOML
cat >lint/formats/ours.toml <<'TOML'
name = "ours"
title = "our YAML"
whose = "our trainer"
source = "our trainer, config.py"
order = 1
syntax = ["yaml", "json"]
[[recognise]]
has = ["our_trainer"]
[[part]]
at = ["/"]
[fields]
hidden_size = "width"
num_layers = "depth"
num_attention_heads = "heads"
vocab_size = "vocabulary"
micro_batch_size = "batch"
sequence_length = "context"
TOML
native() {
  printf '[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = %s\n' "$1"
  printf '[run]\nmicro_batch_size = 8\nsequence_length = 1024\n'
}
native 50257 >configs/small.toml
native 50257 >configs/7b/large.toml
native 50257 >configs/old/kept.toml
native 50257 >archive/gone.toml
printf 'our_trainer: 1\nwidth: 768\ndepth: 12\nheads: 12\nvocabulary: 50257\nbatch: 8\ncontext: 1024\n' >configs/ours.yaml
printf '{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_layer": 12,\n "n_head": 12,' \
  >configs/plain.json
printf ' "n_positions": 1024,\n "vocab_size": 50257}\n' >>configs/plain.json

expect 1 "configs/small.toml:5:14: warning: " "$shapelint" . --format concise
says "configs/small.toml:5:14: info: 50,257 is more than the 40,000 of our tokenizers"
says "configs/ours.yaml:5:13: warning: "
says "configs/7b/large.toml:5:14: error: " # 2 ranks, as [[files]] says
says "configs/old/kept.toml:5:14: info: "
absent "configs/old/kept.toml:5:14: warning: \`vocab_size\` 50257 puts"
absent "archive"
absent "plain.json:3:16"
expect 0 "our A100, 300 W" "$shapelint" gpus --gpu-file lint/gpus/our-a100.toml
expect 1 "gpus" "$shapelint" . --format json
says '"our-a100"'
says '"h100-sxm5"'
expect 1 "configs/plain.json:3:16: warning: " "$shapelint" . --format concise --no-ignores
expect 1 "archive/gone.toml" "$shapelint" archive/gone.toml --format concise
expect 0 "" "$shapelint" archive/gone.toml --force-exclude --format concise
expect 0 "" "$shapelint" archive --quiet
# From another folder, and for one file, the same configuration counts.
cd configs || exit 1
expect 1 "small.toml:5:14: info: " "$shapelint" small.toml --format concise
expect 0 'match = "7b/large.toml"' "$shapelint" config --show 7b/large.toml
says 'tensor = 2'
says 'gpu = ["h100"]'
cd .. || exit 1
# Names that are only known here are known to the command line and to comments.
expect 0 "" "$shapelint" configs/small.toml --select OUR101 --format concise
says "OUR101"
sed -i 's/= 50257/= 50257 # shapelint: ignore[SL101, large-vocabulary] as trained/' configs/small.toml
expect 0 "" "$shapelint" configs/small.toml --select SL101,OUR101,SL900 --format concise
[ -s "$folder/out" ] && { echo "FAILED: silenced findings"; cat "$folder/out"; failed=1; }
expect 2 "did you mean \`OUR101\`" "$shapelint" configs --select OUR110
# A baseline takes what is there; what comes later is new, and named so.
expect 0 "written" "$shapelint" . --write-baseline
native 50259 >configs/new.toml
expect 1 "new, " "$shapelint" . --baseline shapelint-baseline.json
says "baselined"
rm configs/new.toml
expect 0 "0 new, " "$shapelint" . --baseline shapelint-baseline.json
# A mistake in one of the folders stops the run at its place.
sed -i 's/when = "vocab_size > most"/when = "vocab_sise > most"/' lint/rules/OUR101-large-vocabulary.toml
expect 2 "lint/rules/OUR101-large-vocabulary.toml:9:9" "$shapelint" .
says "did you mean \`vocab_size\`"
[ "$failed" = 0 ] && echo "the project's configuration counts"
exit "$failed"
