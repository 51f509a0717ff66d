#!/bin/sh
# How often the stated interval of a gain holds the measured one: writes docs/intervals.md.
#
#   bench/coverage.sh        every file of products in DATA (../shared/data/measured) whose GPU has a profile
#
# COVERAGE (build/bench/bench/interval_coverage) is the program, which SHAPELINT_BENCHMARKS=ON builds. Without the data
# nothing is done, and that is said.
set -eu
cd "$(dirname "$0")/.."
data=${DATA:-../shared/data/measured}
program=${COVERAGE:-build/bench/bench/interval_coverage}
if [ ! -d "$data" ]; then
  echo "coverage: skipped, no measured times in $data"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  cat <<'TEXT'
# How far a stated interval can be trusted

A gain is told with a half width: 14.7 ± 2.7 %. It is the mean absolute error that the errors of the effects behind it
lead to ([attention-and-step.md](attention-and-step.md), section 5), and no bound: a normal error keeps to it 57 times of
100. Written by `bench/coverage.sh`, from pairs of measured products of which one dimension is the next larger one that
was measured, by an eighth at most: `held` is how often the measured gain of going from one to the other lies within the
stated interval, `for 90 %` by what the half width would have to be multiplied to hold 90 of 100.

Pairs are of single products: of whole steps, and of attention and passes over memory, too few pairs were measured to
count. `shapelint prove` measures those of a model of your own ([proving.md](proving.md)).

| measured times | GPU | pairs | how many | held | for 90 % |
|---|---|---|--:|--:|--:|
TEXT
  while read -r gpu name; do
    gzip -dc "$data/$name.csv.gz" >"$folder/$name.csv"
    "$program" "$gpu" "$folder/$name.csv"
  done <<'FILES'
a100-sxm4-80gb a100_sxm-bf16
h100-sxm5 h100_sxm-bf16
h100-sxm5 h100_sxm-fp8
b200-sxm b200_sxm-bf16
b200-sxm b200_sxm-fp8
l40s l40s-bf16
l40s l40s-fp8
rtx-a6000 a6000-fp16
rtx-3090 rtx3090-fp16
a100-sxm4-40gb paper-a100-fp16
a100-sxm4-40gb paper-a100-layer-gemms-fp16
v100-sxm2-16gb paper-v100-fp16
mi250x paper-mi250x-fp16
FILES
} >"$folder/intervals.md"
mv "$folder/intervals.md" docs/intervals.md
chmod 644 docs/intervals.md
