#!/bin/sh
# The self-contained program is what it says it is: one hardened file that needs nothing but an old C library, and that
# says what the ordinary one says.
#   self-contained.sh SHAPELINT ORDINARY [ARCH]      as built by scripts/self-contained, for this machine or (under qemu)
#                                                    another, and the ordinary one of this machine
set -eu
shapelint=$(realpath "$1") ordinary=$(realpath "$2") arch=${3:-$(uname -m)}
file=$shapelint
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "FAILED: $1"
  exit 1
}

readelf -dW "$shapelint" >"$folder/dynamic"
readelf -lW "$shapelint" >"$folder/segments"
needed=$(sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' "$folder/dynamic" | grep -vE '^(libc|libm|libdl|libpthread)\.so|^ld-linux' || true)
[ -z "$needed" ] || fail "it needs $needed"
! grep -qE 'RPATH|RUNPATH' "$folder/dynamic" || fail "it looks for libraries in folders of its own"
grep -q 'Flags: NOW PIE' "$folder/dynamic" || fail "it is not bound at once, or not at any address"
grep -q GNU_RELRO "$folder/segments" || fail "what it relocates stays writable"
grep -q 'GNU_STACK.* RW ' "$folder/segments" || fail "its stack is executable"
! readelf -SW "$shapelint" | grep -qE '\.symtab|\.debug_' || fail "it is not stripped"
! grep -qF "$PWD" "$shapelint" || fail "it holds the path of this folder"
newest=$(readelf -VW "$shapelint" | grep -oE 'Name: GLIBC_[0-9.]+' | sed 's/.*_//' | sort -V | tail -n 1)
[ "$(printf '%s\n2.31\n' "$newest" | sort -V | tail -n 1)" = 2.31 ] || fail "it needs glibc $newest"

# Another machine's program runs in an emulation, with the older C library that it was linked with.
sysroot=$PWD/build/static-libs/$arch/sysroot
if [ "$arch" != "$(uname -m)" ]; then
  command -v "qemu-$arch-static" >/dev/null || {
    echo "skipped: qemu-$arch-static is not installed (Debian: qemu-user-static)"
    exit 77
  }
  printf '#!/bin/sh\nexec "%s" -L "%s" "%s" "$@"\n' "$(command -v "qemu-$arch-static")" "$sysroot" "$shapelint" >"$folder/emulated"
  chmod +x "$folder/emulated"
  shapelint=$folder/emulated
fi

# The same answers, errors by way of exceptions among them.
same() {
  for program in "$ordinary" "$shapelint"; do
    code=0
    env -i "$program" "$@" >"$folder/out" 2>&1 || code=$?
    echo "exit code $code" >>"$folder/out"
    mv "$folder/out" "$folder/$([ "$program" = "$ordinary" ] && echo expected || echo got)"
  done
  diff "$folder/expected" "$folder/got" || fail "it says something else: $*"
}
same --version
same examples/gpt3-2.7b.toml --gpu a100
same examples/gpt3-2.7b.toml --gpu a100 --format json
same suggest examples/gpt3-2.7b.toml --gpu a100,h100
same suggest examples/gpt3-2.7b.toml --gpu a100 --where 'hidden_size % ('
same lint no-such-file.toml
printf 'model: [1\n' >"$folder/broken.yaml"
same lint "$folder/broken.yaml"
# Packed traces, and what SQLite says of one that is none.
same profile tests/trace/transformer-cpu.json.gz --model tests/trace/transformer.toml --gpu a100
printf 'SQLite format 3\0, and nothing of it' >"$folder/broken.sqlite"
same profile "$folder/broken.sqlite" --model tests/trace/transformer.toml
grep -q 'not a database' "$folder/got" || fail "SQLite does not say what is wrong: $(cat "$folder/got")"
# Without the module beside it no graph is read, and it says so.
printf '\010\010' >"$folder/empty.onnx"
"$shapelint" lint "$folder/empty.onnx" >"$folder/out" 2>&1 && fail "it reads an empty graph"
grep -q 'built without ONNX' "$folder/out" || fail "nothing is said of ONNX: $(cat "$folder/out")"

# Every command line that has a golden file, and every example with all its digits: to the last byte on every architecture,
# whose C library may round otherwise. Environments, quotes and inputs in these lines are a shell's.
lines() {
  find tests/golden -name '*.cmd' | LC_ALL=C sort | xargs cat | grep '^[^#]'
  for model in examples/*.toml; do
    echo "shapelint $model --gpu h100 --format json"
    echo "shapelint suggest $model --gpu h100 --format json"
  done
}
mkdir "$folder/bin"
for program in "$ordinary" "$shapelint"; do
  ln -sfn "$program" "$folder/bin/shapelint"
  lines | while IFS= read -r line; do
    code=0
    echo "\$ $line"
    env -i PATH="$folder/bin:$PATH" sh -c "$line" 2>&1 </dev/null || code=$?
    echo "--- exit code $code"
  done >"$folder/$([ "$program" = "$ordinary" ] && echo expected || echo got)"
done
diff "$folder/expected" "$folder/got" || fail "it says something else"
compared=$(grep -c '^--- exit code' "$folder/got")

# The older C library that it was linked with, where that can be run here.
loader=$(find "$sysroot/lib" "$sysroot/lib64" -name 'ld-linux-*.so.*' 2>/dev/null | head -n 1)
if [ -n "$loader" ] && [ "$arch" = "$(uname -m)" ]; then
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$sysroot/lib/$arch-linux-gnu" \
    "$shapelint" >"$folder/with-older-glibc"
  chmod +x "$folder/with-older-glibc"
  shapelint=$folder/with-older-glibc
  same examples/gpt3-2.7b.toml --gpu a100 --format json
  same suggest examples/gpt3-2.7b.toml --gpu a100 --where 'hidden_size % ('
fi
echo "one file of $(stat -c %s "$file") bytes that needs glibc $newest, and says what the other says in $compared command lines"
