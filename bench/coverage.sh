#!/bin/sh
# How often the stated interval of a gain holds the measured one: writes docs/benchmarks/intervals.md.
#
#   bench/coverage.sh            every file of products in DATA (../shared/data) whose GPU has a profile
#   bench/coverage.sh --spread   measures the spread of ratios anew: writes gpus/spreads/products.toml and attention.toml
#                                (then build, and run it again without the option)
#
# COVERAGE (build/bench/bench) is the folder of the programs, which SHAPELINT_BENCHMARKS=ON builds. Without the data
# nothing is done, and that is said.
set -eu
cd "$(dirname "$0")/.."
data=${DATA:-../shared/data}
programs=${COVERAGE:-build/bench/bench}
if [ ! -d "$data/measured" ]; then
  echo "coverage: skipped, no measured times in $data"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# each OPTION...: the program over every table. The sweeps of one GPU are one table of it.
each() {
  while read -r gpu names; do
    name=${names##* }
    table="$folder/$(basename "$name").csv"
    : >"$table"
    from=1
    for part in $names; do
      gzip -dc "$data/$part.csv.gz" | tail -n +$from >>"$table"
      from=2
    done
    "$programs/interval_coverage" "$gpu" "$table" "$@"
  done <<'FILES'
a100-sxm4-80gb measured/a100_sxm-bf16
h100-sxm5 measured/h100_sxm-bf16
h100-sxm5 measured/h100_sxm-fp8
b200-sxm measured/b200_sxm-bf16
b200-sxm measured/b200_sxm-fp8
l40s measured/l40s-bf16
l40s measured/l40s-fp8
rtx-a6000 measured/a6000-fp16
rtx-3090 measured/rtx3090-fp16
a100-sxm4-40gb measured/paper-a100-layer-gemms-fp16 measured/paper-a100-fp16
v100-sxm2-16gb measured/paper-v100-fp16
mi250x measured/paper-mi250x-fp16
h800-sxm kernels/fp8-products
h20 kernels/fp8-products
mi300x kernels/amd-products
mi308x kernels/amd-products
mi355x kernels/amd-products
FILES
}
attention() {
  for name in attention-prefill attention-decode; do
    gzip -dc "$data/kernels/$name.csv.gz" >"$folder/$name.csv"
    "$programs/attention_coverage" "$folder/$name.csv" "$@"
    [ $# -gt 0 ] || "$programs/attention_coverage" "$folder/$name.csv" --flash
  done
}
if [ "${1:-}" = --spread ]; then
  {
    cat <<'TEXT'
# How far ratios of times of fused attention are from the predicted ones: what 90 of 100 pairs keep to, as a share of the
# later time. Written by `bench/coverage.sh --spread`; what it is used for, and how well it holds: docs/benchmarks/intervals.md
kind = "attention"
sources = ["aiconfigurator-kernels"]
notes = [
  "Sizes up to twice as large, of kernels of 50 us and more.",
  "0: fewer than 200 pairs; then that of another GPU of the architecture counts.",
]
TEXT
    attention --spread
  } >"$folder/attention.toml"
  cp "$folder/attention.toml" gpus/spreads/attention.toml
  {
    cat <<'TEXT'
# How far ratios of times of products are from the predicted ones: what 90 of 100 pairs keep to, as a share of the
# later time. Written by `bench/coverage.sh --spread`; what it is used for, and how well it holds: docs/benchmarks/intervals.md
kind = "products"
sources = ["aiconfigurator-gemm", "sizing-sweeps"]
notes = [
  "Without what the errors of the effects explain ([errors] of profiles).",
  "GPUs with fewer than 20 pairs of n and k are left out.",
  "0: fewer than 200 pairs; then that of another GPU of the architecture counts.",
  "together: correlation of the errors of products that change at once.",
]
TEXT
    each --spread
  } >"$folder/products.toml"
  cp "$folder/products.toml" gpus/spreads/products.toml
  exit 0
fi
{
  cat <<'TEXT'
# How far a stated interval can be trusted

A gain has a half width: 14.7 ± 4.2 %. It is meant to hold 90 of 100 measured gains. It combines the errors
of the effects behind the gain and the spread of GEMM time ratios around the predicted ones, which is
measured per GPU ([accuracy.md](../explanation/accuracy.md#how-sure-a-gain-is)). Written by `bench/coverage.sh`, from pairs
of measured GEMMs that differ in one dimension:

- `held`: how often the measured gain of going from the smaller to the larger one lies within the stated interval,
- `mean ±`: the mean half width, next to `mean gain`, the mean size of the measured gain,
- `other half`: how often it holds where the spread was measured on the other half of the (n, k) sites. Where this is
  far lower there are too few sites for a spread that carries over to others. That of fewer than 20 sites (the RTX cards)
  is not used: their interval is that of GPUs without measurements.

`six GEMMs together`: the sum of six such GEMMs at different sites, as in a layer. Their errors are correlated, by
what is measured per GPU, too; `other half` is with the correlation of every other group of six. n and k below 32, which no
layer has, are left out.

Fused attention is measured by the kernels of serving engines, forward: pairs of 50 us and more that differ in one of
sequences, length, heads, KV heads, cached tokens, or the head dimension, or in head dimension and number of heads
of the same width, by a factor of two at most. They are priced as a plan that names the engine is; `flash-attn` are its
kernels in 16 bits alone, priced as a plan is that names no engine, such as one that trains. `other half` is of the other half
of the lines along which a size changes. No pairs were measured backward.

Of whole steps and passes over memory too few pairs were measured to count; their half widths are made of assumed errors.
`shapelint prove` measures those of a model of your own ([verify-on-a-gpu.md](../how-to/verify-on-a-gpu.md)).

| measured times | GPU | pairs | how many | held | mean ± | mean gain | other half |
|---|---|---|--:|--:|--:|--:|--:|
TEXT
  each
  attention
} >"$folder/intervals.md"
cp "$folder/intervals.md" docs/benchmarks/intervals.md
chmod 644 docs/benchmarks/intervals.md
