#!/bin/sh
# Installs a build into an empty folder and runs what is there: install.sh BUILD_FOLDER
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --prefix "$folder" >"$folder/log" 2>&1 || {
  cat "$folder/log"
  exit 1
}
for file in bin/shapelint share/man/man1/shapelint.1 share/man/man1/shapelint-lint.1 share/shapelint/gpus/a100-sxm4-80gb.toml share/shapelint/rules \
  share/shapelint/formats share/shapelint/examples share/shapelint/schema/shapelint-lint.schema.json \
  share/doc/shapelint/LICENSE; do
  [ -e "$folder/$file" ] || {
    echo "not installed: $file"
    exit 1
  }
done
cd "$folder/share/shapelint/examples"
"$folder/bin/shapelint" --version
# The installed program needs nothing of the build: it must find its data in itself.
code=0
env -i "$folder/bin/shapelint" gpt3-2.7b.toml --gpu a100 >"$folder/out" || code=$?
[ "$code" = 1 ] || {
  cat "$folder/out"
  echo "exit code $code; expected 1"
  exit 1
}
if command -v man >/dev/null; then
  for page in "$folder"/share/man/man1/shapelint*.1; do
    warnings=$(man --warnings -l "$page" 2>&1 >/dev/null </dev/null || true)
    [ -z "$warnings" ] || {
      echo "$page: $warnings"
      exit 1
    }
  done
fi
echo "installed, and runs"
