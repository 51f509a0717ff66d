#!/bin/sh
# Scores predictions against measured times.
#
#   bench/accuracy.sh          writes docs/benchmarks/accuracy.md, the recorded figures (bench/accuracy.json), and what keeps
#                              predictions there without the measured times (bench/accuracy_sample.json)
#   bench/accuracy.sh --check  fails when a figure is more than a tenth worse than the recorded one
#
# PROGRAM (build/release/shapelint) and DATA (../shared/data/measured) in the environment say where things are.
# Without the data nothing is done, and that is said.
set -eu
cd "$(dirname "$0")/.."
data=${DATA:-../shared/data/measured}
if [ ! -d "$data" ]; then
  echo "accuracy: skipped, no measured times in $data"
  exit 0
fi
exec python3 bench/accuracy.py --program "${PROGRAM:-build/release/shapelint}" --data "$data" "$@"
