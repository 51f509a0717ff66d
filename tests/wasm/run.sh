#!/bin/sh
# What scripts/wasm made, in Node and in a browser, against the native program where that is built.
#   tests/wasm/run.sh FOLDER      such as build/wasm/npm
set -eu
cd "$(dirname "$0")/../.."
folder=$1
native=build/release/shapelint
[ -x "$native" ] || native=
node tests/wasm/module.mjs "$folder/module" $native
node tests/wasm/program.mjs "$folder"/shapelint-[0-9]*.tgz $native
code=0
node tests/wasm/playground.mjs "$folder/playground.html" || code=$?
[ "$code" = 77 ] || exit "$code"
