#!/bin/sh
# How long linting takes and how much memory it needs: a hook's run on three files, 10,000 models on one thread
# and on two, and a folder of configurations with every output format written at once.
#
#   bench/lint.sh [FOLDER [SHAPELINT]]       FOLDER of configurations (default: ../shared/configs)
#
# Needs hyperfine. On a busy machine look at the least time: the others are somebody else's.
#
# Last measured on two cores of an AMD EPYC that others were building on (g++ 12, release):
#   a hook's run on three models                              5.8 ms, 11 MiB
#   10,000 models, one thread                                  2.0 s, 244 MiB
#   1,348 public configurations, every format at once          1.6 s, 224 MiB
# Before rules were compiled once per thread the last took 2.1 s of CPU, and 1.25 s after. What two threads gain has
# not been measured on an idle machine.
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
corpus=${1:-$root/../shared/configs}
shapelint=${2:-$root/build/release/shapelint}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure RUNS WHAT COMMAND…
measure() {
  runs=$1 what=$2
  shift 2
  hyperfine --ignore-failure --shell=none --warmup 2 --runs "$runs" --export-json "$work/times.json" "$*" \
    >/dev/null 2>&1
  memory=$(/usr/bin/time -f %M "$@" 2>&1 >/dev/null | tail -n 1)
  python3 - "$what" "$memory" "$work/times.json" <<'PYTHON'
import json, sys
what, memory, path = sys.argv[1:]
result = json.load(open(path))["results"][0]
print(f"{what:<58} {result['min'] * 1e3:8.1f} {result['median'] * 1e3:8.1f} {result['user'] * 1e3 + result['system'] * 1e3:8.1f} {int(memory) / 1024:8.1f}")
PYTHON
}

printf '%-58s %8s %8s %8s %8s\n' '' 'least ms' 'med. ms' 'CPU ms' 'MiB'
measure 60 "a hook's run on three models" "$shapelint" lint --quiet --force-exclude --gpu a100 \
  "$root/examples/gpt3-2.7b.toml" "$root/examples/llama-3-8b.toml" "$root/examples/mixtral-8x7b.toml"

# Models that differ, so that none of the work can be remembered from another.
mkdir "$work/many"
awk -v folder="$work/many" 'BEGIN {
  srand(1)
  for (i = 0; i < 10000; ++i) {
    file = sprintf("%s/m%05d.toml", folder, i)
    heads = 16 + 8 * int(9 * rand())
    printf "[model]\nhidden_size = %d\nnum_layers = %d\nnum_attention_heads = %d\nvocab_size = %d\n" \
      "[run]\nmicro_batch_size = %d\nsequence_length = 2048\n", heads * 64, 12 + int(30 * rand()), heads, \
      30000 + int(30000 * rand()), 1 + int(8 * rand()) >file
    close(file)
  }
}'
for jobs in 1 2; do
  measure 8 "10,000 models, $jobs at a time" "$shapelint" lint "--jobs=$jobs" --quiet --gpu a100 --format concise \
    "$work/many"
done

if [ -d "$corpus" ]; then
  outputs=
  for format in text concise json compact json-lines sarif github gitlab junit checkstyle rdjson markdown; do
    outputs="$outputs --output $format=$work/$format"
  done
  # shellcheck disable=SC2086 # words without blanks
  measure 8 "$(find "$corpus" -type f | wc -l) public configurations, every format at once" \
    "$shapelint" lint --quiet --gpu a100 $outputs "$corpus"
fi
