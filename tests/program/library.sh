#!/bin/sh
# Installs a build into an empty folder, and builds the program of docs/how-to/use-from-cpp.md against what is there:
# library.sh BUILD_FOLDER COMPILER [FLAGS]
set -eu
build=$1 compiler=$2 flags=${3-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "$1"
  exit 1
}
quietly() {
  "$@" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    fail "failed: $*"
  }
}
# What is installed may be moved: nothing in it knows where it lay.
quietly cmake --install "$build" --prefix "$folder/first"
mv "$folder/first" "$folder/prefix"

# The first piece of C++ and the CMake of the document; the header shows the same program.
mkdir "$folder/source"
awk '/^```cpp$/ { on = 1; next } /^```$/ { if (on) exit } on' docs/how-to/use-from-cpp.md >"$folder/source/check.cpp"
grep -q 'int main' "$folder/source/check.cpp" || fail "docs/how-to/use-from-cpp.md has no program"
sed -n 's,^//   ,,p; s,^//$,,p' include/shapelint/shapelint.hpp >"$folder/header"
while IFS= read -r line; do
  [ -z "$line" ] || grep -qF "$line" "$folder/header" || fail "include/shapelint/shapelint.hpp lacks: $line"
done <"$folder/source/check.cpp"
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(check LANGUAGES CXX)'
  awk '/^```cmake$/ { on = 1; next } /^```$/ { if (on) exit } on' docs/how-to/use-from-cpp.md
} >"$folder/source/CMakeLists.txt"

quietly cmake -S "$folder/source" -B "$folder/build" "-DCMAKE_PREFIX_PATH=$folder/prefix" \
  "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_CXX_FLAGS=$flags"
quietly cmake --build "$folder/build"

# Another version is not taken for this one.
sed 's/\(find_package(shapelint\) [0-9.]*/\1 99/' "$folder/source/CMakeLists.txt" >"$folder/log"
grep -q 'shapelint 99 ' "$folder/log" || fail "docs/how-to/use-from-cpp.md names no version"
mkdir "$folder/wrong"
cp "$folder/log" "$folder/wrong/CMakeLists.txt"
if cmake -S "$folder/wrong" -B "$folder/wrong/build" "-DCMAKE_PREFIX_PATH=$folder/prefix" \
  "-DCMAKE_CXX_COMPILER=$compiler" >"$folder/log" 2>&1; then fail "version 99 is found"; fi
grep -q 'requested version "99"' "$folder/log" || fail "it is not said that the version is another"

# It lints a file, and says what the installed program says.
cp examples/gpt3-2.7b.toml "$folder/source/model.toml"
cd "$folder/source"
code=0
"$folder/build/check" >"$folder/out" || code=$?
[ "$code" = 1 ] || fail "exit code $code; expected 1"
# shellcheck disable=SC2016 # Markdown's quotes
expected='model.toml:10:14: warning: `vocab_size` 50257 is not a multiple of 64 [SL101]'
grep -qxF "$expected" "$folder/out" || {
  cat "$folder/out"
  fail "expected among the above: $expected"
}
"$folder/prefix/bin/shapelint" --isolated --gpu a100 --min-severity info --format concise model.toml >"$folder/program" || true
[ "$(grep -c . "$folder/out")" = "$(grep -c '^model.toml:' "$folder/program")" ] || {
  cat "$folder/out" "$folder/program"
  fail "the program finds something else"
}

# Nothing but the public face is to be seen.
library=$(find "$folder/prefix" -name 'libshapelint.so' | head -n 1)
[ -n "$library" ] || fail "there is no libshapelint.so"
shown=$(nm -DC --defined-only "$library" | grep ' [TDBR] shapelint::' | grep -v ' shapelint::api::' || true)
[ -z "$shown" ] || {
  echo "$shown" | head -n 20
  fail "the library shows more than its face"
}
echo "a program builds against the library, and lints"
