#!/bin/sh
# Reads a folder of public configurations and compares with an independent reader's answers: counts, each
# disagreement that was not reviewed, failure on a crash, a time-out, or less that is right than before.
#
#   bench/corpus.sh FOLDER [SHAPELINT]       FOLDER holds expected.json
#   bench/corpus.sh FOLDER [SHAPELINT] --write-baseline
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
folder=${1:?usage: bench/corpus.sh FOLDER [SHAPELINT]}
shift
program=$root/build/release/shapelint
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
  program=$1
  shift
fi
exec python3 "$root/bench/corpus-compare.py" "$program" "$folder" \
  --baseline "$root/bench/corpus-baseline.json" --reviewed "$root/bench/corpus-reviewed.txt" "$@"
