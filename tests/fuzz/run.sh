#!/bin/sh
# Runs every fuzz target on its seeds, small and large ones, then from them for a time, two at once. Needs clang.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]      exit 1: one fails on its seeds; 3: one found something beyond them
#
# Large seeds (large_seeds.cpp: deep, long, wide) are made here, and taken further where there is time for it.
# What is found is left in build/fuzz/found, the inputs that were worth keeping in build/fuzz/corpus.
set -eu
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/fuzz
long=120
large_bytes=300000
[ $# -gt 0 ] || set -- json yaml shell python toml gin any gguf safetensors recognise expression config diff lsp trace onnx

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -gline-tables-only" -DSHAPELINT_FUZZ=ON
# Without the library there is no target for graphs.
if ! grep -q onnx_fuzz "$build/build.ninja"; then
  all=$*
  set --
  for target in $all; do [ "$target" = onnx ] || set -- "$@" "$target"; done
fi
targets=large_seeds
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

# A second for one input of at most 64 kB, or 200 MB, is as bad as a crash: what is charged (tests/fuzz/check.hpp) ends
# long before. Large seeds are five times as large. Freed memory is not kept, so that it is not counted.
fuzz() {
  times=$1
  target=$2
  shift 2
  dictionary=$root/tests/fuzz/dictionaries/$target.dict
  [ ! -e "$dictionary" ] || set -- "-dict=$dictionary" "$@"
  ASAN_OPTIONS=quarantine_size_mb=1:${ASAN_OPTIONS:-} "$build/tests/fuzz/${target}_fuzz" -timeout="$times" \
    -rss_limit_mb=$((200 * times)) -malloc_limit_mb=$((200 * times)) \
    -artifact_prefix="$build/found/$target-" "$@"
}

# Mutated for SECONDS: mostly small inputs, which are quick, and for a quarter of a long time large ones.
run() {
  target=$1
  mkdir -p "$build/corpus/$target" "$build/corpus-large/$target"
  if [ "$target" = recognise ]; then prepare_recognise; fi
  large=0
  if [ "$seconds" -ge "$long" ]; then large=$((seconds / 4)); fi
  fuzz 1 "$target" -max_len=4096 -max_total_time=$((seconds - large)) -print_final_stats=1 "$build/corpus/$target" \
    "$root/tests/fuzz/seeds/$target" >"$build/$target.log" 2>&1 || touch "$build/found/$target.failed"
  [ "$large" -gt 0 ] || return 0
  "$build/tests/fuzz/large_seeds" "$target" 16384 "$build/corpus-large/$target"
  fuzz 1 "$target" -max_len=65536 -len_control=0 -max_total_time="$large" -print_final_stats=1 \
    "$build/corpus-large/$target" >>"$build/$target.log" 2>&1 || touch "$build/found/$target.failed"
}

mkdir -p "$build/found"
rm -f "$build"/found/*.failed

failed=
for target in "$@"; do
  seeds=$(find "$root/tests/fuzz/seeds/$target" -type f)
  [ -n "$seeds" ] || { echo "$target has no seeds" >&2; exit 1; }
  mkdir -p "$build/large/$target"
  "$build/tests/fuzz/large_seeds" "$target" "$large_bytes" "$build/large/$target"
  large=$(find "$build/large/$target" -type f)
  # shellcheck disable=SC2086 # files without blanks in their names, each run once
  fuzz 5 "$target" $seeds $large >"$build/$target.log" 2>&1 || {
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
