#!/bin/sh
# The completion scripts, loaded in the shells that are installed.
#   completion.sh SHAPELINT
set -u
shapelint=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect WORD… is part of the completions in $folder/out
expect() {
  for word in "$@"; do
    if ! grep -qxF -- "$word" "$folder/out"; then
      echo "FAILED: $shell does not complete to $word"
      sed 's/^/  | /' "$folder/out"
      failed=1
    fi
  done
}

for shell in bash zsh fish; do
  "$shapelint" completion "$shell" >"$folder/$shell" || exit 1
  if ! command -v "$shell" >/dev/null; then
    echo "skipped: $shell is not installed"
    continue
  fi
  if ! "$shell" -n "$folder/$shell"; then
    echo "FAILED: $shell does not take its script"
    failed=1
  fi
done

shell=bash
cat >"$folder/try" <<'TRY'
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shapelint
printf '%s\n' "${COMPREPLY[@]}"
TRY
bash "$folder/try" "$folder/bash" shapelint "" >"$folder/out"
expect lint gpus gemm config completion
bash "$folder/try" "$folder/bash" shapelint lint --fo >"$folder/out"
expect --format --force-exclude
bash "$folder/try" "$folder/bash" shapelint --format "" >"$folder/out"
expect sarif json-lines
bash "$folder/try" "$folder/bash" shapelint gpus --format "" >"$folder/out"
expect json

shell=fish
if command -v fish >/dev/null; then
  fish -c "source '$folder/fish'; complete -C 'shapelint lint --format '" | cut -f 1 >"$folder/out"
  expect sarif json-lines
  fish -c "source '$folder/fish'; complete -C 'shapelint gem'" | cut -f 1 >"$folder/out"
  expect gemm
fi
[ "$failed" = 0 ] && echo "the completions are as expected"
exit "$failed"
