#!/bin/sh
# What only a real process shows: pipes that close, files of a hundred megabytes, /dev/null, no rights.
#   process.sh SHAPELINT
set -u
shapelint=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect EXIT_CODE 'PART OF STDERR' COMMAND…
expect() {
  wanted=$1 part=$2
  shift 2
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  if [ "$code" != "$wanted" ] || ! grep -qF -- "$part" "$folder/err"; then
    echo "FAILED: $*"
    echo "  exit code $code, expected $wanted; expected in stderr: $part"
    sed 's/^/  | /' "$folder/err"
    failed=1
  fi
}

head -c 100000000 /dev/zero >"$folder/zeros.toml"
expect 2 "larger than 16 MB" timeout 10 "$shapelint" "$folder/zeros.toml"
{ printf '[model]\nname = "'; head -c 100000000 /dev/zero | tr '\0' 'x'; printf '"\n'; } >"$folder/letters.toml"
expect 2 "larger than 16 MB" timeout 10 "$shapelint" "$folder/letters.toml"
# A folder is searched for configurations; what is broken in it is told, each file by its name.
expect 2 "zeros.toml: the file is larger than 16 MB" timeout 10 "$shapelint" "$folder"
mkdir "$folder/nothing"
expect 2 "no complete configuration of a known format" "$shapelint" "$folder/nothing"
expect 2 "the file is empty" "$shapelint" /dev/null
expect 2 "the file is empty" "$shapelint" -
expect 2 "No such file" "$shapelint" "$folder/none.toml"
awk 'BEGIN { for (i = 0; i < 200000; ++i) printf "["; }' >"$folder/deep.toml"
expect 2 "error: " timeout 10 "$shapelint" "$folder/deep.toml"
if [ "$(id -u)" != 0 ]; then
  : >"$folder/secret.toml"
  chmod 000 "$folder/secret.toml"
  expect 2 "Permission denied" "$shapelint" "$folder/secret.toml"
fi

# A reader that goes away early is no error worth a message.
"$shapelint" --format json examples/*.toml 2>"$folder/err" | head -c 1 >/dev/null
if [ -s "$folder/err" ]; then
  echo "FAILED: a closed pipe is reported"
  cat "$folder/err"
  failed=1
fi
# A full disk is.
if [ -w /dev/full ]; then
  "$shapelint" --format json examples/gpt3-2.7b.toml >/dev/full 2>"$folder/err"
  if [ $? != 2 ]; then
    echo "FAILED: output that could not be written goes unnoticed"
    failed=1
  fi
fi
[ "$failed" = 0 ] && echo "all as expected"
exit "$failed"
