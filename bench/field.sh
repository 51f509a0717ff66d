#!/bin/sh
# Scores predictions of single kernels and of whole runs against public measurements, and writes docs/benchmarks/field.md.
#
#   bench/field.sh                 everything in DATA (../shared/data/kernels): tables of kernels by their kind's name
#                                  (moe.csv, nccl.csv.gz …), training-runs.csv.gz, serving-runs.csv.gz
#   bench/field.sh --every 1       each row, not one of five of a long table; --output FILE writes elsewhere
#   bench/field.sh --rows FOLDER   writes the rows without their measured times, for other predictors to answer
#   bench/field.sh --others FILE   scores what they answered, too: a CSV with the columns predictor, row, predicted
#                                  (field_others.py describes both)
#
# A row that is added there is scored with the others. PROGRAM is build/release/shapelint unless stated.
set -eu
cd "$(dirname "$0")/.."
data=${DATA:-../shared/data/kernels}
if [ ! -d "$data" ]; then
  echo "field: skipped, no measured times in $data"
  exit 0
fi
exec python3 bench/field.py --program "${PROGRAM:-build/release/shapelint}" --data "$data" "$@"
