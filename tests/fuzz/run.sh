#!/bin/sh
# Runs every fuzz target on its seeds, then from them for a time, two at once. Needs clang.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]      exit 1: one fails on its seeds; 3: one found something beyond them
#
# What is found is left in build/fuzz/found, the inputs that were worth keeping in build/fuzz/corpus.
set -eu
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/fuzz
[ $# -gt 0 ] || set -- json yaml shell python toml any gguf safetensors recognise onnx

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -gline-tables-only" -DSHAPELINT_FUZZ=ON
# Without the library there is no target for graphs.
if ! grep -q onnx_fuzz "$build/build.ninja"; then
  all=$*
  set --
  for target in $all; do [ "$target" = onnx ] || set -- "$@" "$target"; done
fi
targets=
for target in "$@"; do targets="$targets ${target}_fuzz"; done
# shellcheck disable=SC2086 # several names
cmake --build "$build" --target $targets

# Every fixture of the dialects, behind the byte that chooses its name.
prepare_recognise() {
  find "$root/tests/formats/fixtures" -type f -size -4k ! -name '*.expected' | while read -r fixture; do
    case "$fixture" in
      *.json) byte='\000' ;;
      *.yaml | *.yml) byte='\001' ;;
      *.sh) byte='\002' ;;
      *.py) byte='\003' ;;
      *) byte='\004' ;;
    esac
    name=$(printf '%s' "${fixture#"$root/tests/formats/fixtures/"}" | tr '/.' '--')
    { printf '%b' "$byte" && cat "$fixture"; } >"$build/corpus/recognise/fixture-$name"
  done
}

# Inputs are small, as the seeds are; ten seconds for one input is a hang.
fuzz() {
  target=$1
  shift
  "$build/tests/fuzz/${target}_fuzz" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$build/found/$target-" "$@"
}

run() {
  mkdir -p "$build/corpus/$1"
  if [ "$1" = recognise ]; then prepare_recognise; fi
  fuzz "$1" -max_total_time="$seconds" -print_final_stats=1 "$build/corpus/$1" "$root/tests/fuzz/seeds/$1" \
    >"$build/$1.log" 2>&1 || touch "$build/found/$1.failed"
}

mkdir -p "$build/found"
rm -f "$build"/found/*.failed

failed=
for target in "$@"; do
  seeds=$(find "$root/tests/fuzz/seeds/$target" -type f)
  [ -n "$seeds" ] || { echo "$target has no seeds" >&2; exit 1; }
  # shellcheck disable=SC2086 # files without blanks in their names, each run once
  fuzz "$target" $seeds >"$build/$target.log" 2>&1 || {
    tail -n 40 "$build/$target.log" >&2
    failed="$failed $target"
  }
done
[ -z "$failed" ] || {
  echo "failed on their seeds:$failed" >&2
  exit 1
}
echo "all seeds pass"

running=0
for target in "$@"; do
  run "$target" &
  running=$((running + 1))
  if [ $((running % 2)) -eq 0 ]; then wait; fi
done
wait

failed=
for target in "$@"; do
  echo "$target: $(grep -E 'number_of_executed_units|SUMMARY' "$build/$target.log" | tr '\n' ' ')"
  if [ -e "$build/found/$target.failed" ]; then failed="$failed $target"; fi
done
[ -z "$failed" ] || {
  echo "failed:$failed; see $build/found and the logs beside it" >&2
  exit 3
}
