#!/bin/sh
# Runs every fuzz target for a time, from the seeds. Needs clang.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]
#
# What is found is left in build/fuzz/found, the inputs that were worth keeping in build/fuzz/corpus.
set -eu
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/fuzz
[ $# -gt 0 ] || set -- json yaml shell python toml any

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DSHAPELINT_FUZZ=ON
for target in "$@"; do cmake --build "$build" --target "${target}_fuzz"; done

mkdir -p "$build/found"
failed=
for target in "$@"; do
  mkdir -p "$build/corpus/$target"
  # Inputs are small, as the seeds are; ten seconds for one input is a hang.
  "$build/tests/fuzz/${target}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$build/found/$target-" \
    "$build/corpus/$target" "$root/tests/fuzz/seeds/$target" >"$build/$target.log" 2>&1 || failed="$failed $target"
  tail -n 30 "$build/$target.log" | grep -E "stat::|SUMMARY|ERROR" || true
done
[ -z "$failed" ] || {
  echo "failed:$failed; see $build/found and the logs beside it" >&2
  exit 1
}
