#!/bin/sh
# What only real processes show: git revisions, files that cannot be written, circles of links, many files.
#   linter.sh SHAPELINT
set -u
shapelint=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
if ! command -v git >/dev/null; then
  echo "skipped: git is not installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME="$folder/home" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE 2>/dev/null || true
mkdir -p "$HOME" "$folder/repo"
cd "$folder/repo" || exit 1
failed=0

# expect EXIT_CODE 'PART OF THE OUTPUT' COMMAND…
expect() {
  wanted=$1 part=$2
  shift 2
  "$@" >"$folder/out" 2>&1 </dev/null
  code=$?
  if [ "$code" != "$wanted" ] || { [ -n "$part" ] && ! grep -qF -- "$part" "$folder/out"; }; then
    echo "FAILED: $*" | cut -c 1-200
    echo "  exit code $code, expected $wanted and: $part"
    head -n 20 "$folder/out" | sed 's/^/  | /'
    failed=1
  fi
}
absent() {
  if grep -qF -- "$1" "$folder/out"; then
    echo "FAILED: the last command says: $1"
    failed=1
  fi
}

# model FILE HIDDEN VOCABULARY
model() {
  printf '[model]\nhidden_size = %s\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = %s\n' "$2" "$3" >"$1"
  printf '[run]\nmicro_batch_size = 8\nsequence_length = 1024\n[lint]\ngpu = "a100"\nselect = ["SL101"]\n' >>"$1"
}

# Only what a change introduces.
git init -q -b main .
model "a b.toml" 768 50304
model old.toml 768 50257
git add -A
git commit -q -m one
expect 0 "" "$shapelint" . --diff-base HEAD --format concise
model "a b.toml" 768 50257
expect 1 "a b.toml:5:14: warning: " "$shapelint" . --diff-base HEAD --format concise
absent old.toml
sed -i 's/num_layers = 12/num_layers = 24/' old.toml
expect 1 "a b.toml" "$shapelint" . --diff-base HEAD --format concise
absent old.toml
model new.toml 768 50257
mkdir sub
cd sub || exit 1
expect 1 "../new.toml:5:14: warning: " "$shapelint" .. --diff-base main --format concise
cd .. || exit 1
expect 2 'unknown git revision' "$shapelint" . --diff-base=--help
expect 2 'unknown git revision' "$shapelint" . --diff-base nothing
model "$folder/outside.toml" 768 50257
expect 2 "not in the repository" "$shapelint" "$folder/outside.toml" --diff-base HEAD
cd "$folder" || exit 1
GIT_CEILING_DIRECTORIES=$(dirname "$folder") expect 2 "outside of a git repository" "$shapelint" outside.toml --diff-base HEAD
cd repo || exit 1

# What a file inherits counts as a part of it, on both sides.
mkdir family
printf 'base_config: base.yaml\nper_device_batch_size: 4\nmax_target_length: 2048\nbase_num_decoder_layers: 24\n' \
  >family/child.yaml
inherited() {
  printf 'base_emb_dim: %s\nbase_num_query_heads: %s\nbase_num_kv_heads: %s\nbase_mlp_dim: 8192\nhead_dim: 64\n' \
    "$1" $(($1 / 64)) $(($1 / 64))
  printf 'vocab_size: %s\nmlp_activations: ["gelu"]\ndtype: "bfloat16"\n' "$2"
}
inherited 2048 50304 >family/base.yaml
git add -A
git commit -q -m family
family="--select SL101 --gpu a100 --format concise"
# shellcheck disable=SC2086 # words without blanks
{
  expect 0 "" "$shapelint" family $family
  inherited 2048 50257 >family/base.yaml
  expect 1 "SL101" "$shapelint" family $family --diff-base HEAD
  expect 1 "SL101" "$shapelint" family/child.yaml $family --diff-base HEAD
  git commit -q -a -m "the family grows"
  # The finding is in both versions now; another line of the inherited file makes no difference.
  sed -i 's/base_mlp_dim: 8192/base_mlp_dim: 8256/' family/base.yaml
  expect 0 "" "$shapelint" family $family --diff-base HEAD
  # What is inherited is gone: nothing is known of the model any more, which is no finding.
  git rm -q -f family/base.yaml
  expect 0 "" "$shapelint" family $family --diff-base HEAD
  git reset -q --hard
}

# A renamed file keeps its findings, as does one that moves away from what it inherits.
git mv old.toml "grüße 模型.toml"
expect 0 "" "$shapelint" . --select SL101 --diff-base HEAD --format concise
sed -i 's/num_layers = 12/num_layers = 24/' "grüße 模型.toml"
expect 0 "" "$shapelint" . --select SL101 --diff-base HEAD --format concise
sed -i 's/50257/50259/' "grüße 模型.toml"
expect 1 "grüße 模型.toml:5:14: warning: " "$shapelint" . --diff-base HEAD --format concise
expect 0 "" "$shapelint" "a b.toml" --diff-base HEAD --select SL101
git reset -q --hard
# A deleted file is nobody's mistake, also when a list of changes names it.
git rm -q old.toml
expect 0 "" "$shapelint" . --diff-base HEAD --select SL101
expect 0 "" "$shapelint" old.toml --diff-base HEAD --select SL101
git reset -q --hard
expect 2 "No such file" "$shapelint" never-there.toml --diff-base HEAD
# Standard input is compared with the file that it stands for.
cp old.toml "$folder/same.toml"
sed 's/50257/50259/' old.toml >"$folder/other.toml"
if ! "$shapelint" - --stdin-filename old.toml --diff-base HEAD --select SL101 <"$folder/same.toml" >/dev/null; then
  echo "FAILED: standard input under the name of a file"
  failed=1
fi
if "$shapelint" - --stdin-filename old.toml --diff-base HEAD --select SL101 <"$folder/other.toml" >/dev/null; then
  echo "FAILED: changed standard input under the name of a file"
  failed=1
fi
# A submodule is another repository.
git init -q inner
model inner/m.toml 768 50257
git -C inner add -A
git -C inner commit -q -m inner
git add inner 2>/dev/null
git commit -q -m "with a submodule"
sed -i 's/50257/50259/' inner/m.toml
expect 0 "" "$shapelint" . --diff-base HEAD --select SL101
expect 2 "it belongs to a submodule" "$shapelint" inner/m.toml --diff-base HEAD
cd inner || exit 1
expect 1 "SL101" "$shapelint" . --diff-base HEAD --format concise
cd .. || exit 1
git rm -q --cached inner
rm -rf inner
git commit -q -m "without it"
# A repository without a commit.
git init -q "$folder/unborn"
model "$folder/unborn/m.toml" 768 50257
cd "$folder/unborn" || exit 1
expect 2 "the repository has no commit yet" "$shapelint" . --diff-base HEAD
cd "$folder/repo" || exit 1

# Files that cannot be written are told, and nothing half-written is left.
expect 2 "cannot be written" "$shapelint" new.toml --output sarif=no/such/folder/out.sarif
expect 2 "cannot be written" "$shapelint" new.toml --output sarif=sub
expect 2 "cannot be written" "$shapelint" new.toml --write-baseline --baseline no/such/folder/b.json
if [ -w /dev/full ]; then
  for format in sarif concise markdown; do
    "$shapelint" new.toml --format "$format" >/dev/full 2>"$folder/out"
    if [ $? != 2 ]; then
      echo "FAILED: $format that could not be written goes unnoticed"
      failed=1
    fi
  done
fi
if [ -n "$(find . -name "*.tmp")" ]; then
  echo "FAILED: half-written files are left"
  failed=1
fi

# Links in a circle, a directory as configuration, many files.
ln -s circle circle
ln -s . sub/loop
expect 2 "circle" "$shapelint" circle
expect 1 "SL101" "$shapelint" . --format concise
expect 2 "directory" "$shapelint" new.toml --config sub
mkdir many
i=0
while [ $i -lt 10000 ]; do
  printf '{"a": %s}\n' $i >"many/$i.json"
  i=$((i + 1))
done
expect 1 "new.toml" "$shapelint" --quiet --allow-unrecognised --format concise new.toml many/*.json
expect 0 "" "$shapelint" --quiet --allow-unrecognised many/*.json
if [ -s "$folder/out" ]; then
  echo "FAILED: files that are no configurations are worth a word"
  head -n 3 "$folder/out"
  failed=1
fi

# A tokenizer of 17 MB beside a model is passed over when it is found, and told when it is named.
mkdir big
model big/model.toml 768 50304
head -c 17000000 /dev/zero | tr '\0' ' ' >big/tokenizer.json
expect 0 "big/model.toml" "$shapelint" big
expect 2 "larger than 16 MB" "$shapelint" big/tokenizer.json

# Fixed is only what a change introduced, a script can still be run, and a read-only file stays.
mkdir fix
(
  cd fix || exit
  git init -q -b main .
  model old.toml 768 50257
  git add -A
  git commit -q -m old
)
model fix/new.toml 768 50257
chmod 755 fix/new.toml
(cd fix && expect 0 "" "$shapelint" . --diff-base HEAD --fix --select SL101 --gpu a100 --format concise && [ "$failed" = 0 ]) || failed=1
if ! grep -q "vocab_size = 50257" fix/old.toml || ! grep -q "vocab_size = 50304" fix/new.toml || [ ! -x fix/new.toml ]; then
  echo "FAILED: --fix with --diff-base"
  failed=1
fi
chmod 444 fix/old.toml
expect 2 "read-only" "$shapelint" fix/old.toml --fix --select SL101 --gpu a100
grep -q "vocab_size = 50257" fix/old.toml || failed=1

# Killed while it writes, at any moment: the old file or the new one.
"$shapelint" . --quiet --output json=out.json >/dev/null
for delay in 0 0.002 0.004 0.006 0.008 0.01 0.015 0.02; do
  "$shapelint" . --quiet --output json=out.json >/dev/null 2>&1 &
  process=$!
  sleep $delay
  kill -9 $process 2>/dev/null
  wait $process 2>/dev/null
  if ! tail -c 2 out.json | grep -q '}'; then
    echo "FAILED: half an output after $delay s"
    failed=1
  fi
done
[ "$failed" = 0 ] && echo "all as expected"
exit "$failed"
