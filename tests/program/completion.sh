#!/bin/sh
# The completion scripts, loaded in the shells that are installed.
#   completion.sh SHAPELINT
set -u
shapelint=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
looked=

# expect WORD… is part of the completions in $folder/out
expect() {
  for word in "$@"; do
    # zsh adds only what comes after a comma or a folder.
    if [ "$shell" = zsh ]; then word=${word##*[,/]}; fi
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
  looked=yes
  if ! "$shell" -n "$folder/$shell"; then
    echo "FAILED: $shell does not take its script"
    failed=1
  fi
done

# completes SHELL 'COMMAND LINE' WORD…: what a Tab at its end offers holds these words
completes() {
  shell=$1 line=$2
  shift 2
  command -v "$shell" >/dev/null || return 0
  case $shell in
    bash) bash "$folder/try.bash" "$folder/bash" "$line" >"$folder/out" ;;
    zsh) zsh -f "$folder/try.zsh" "$folder/zsh" "$line" >"$folder/out" ;;
    fish) fish -c "source '$folder/fish'; complete -C '$line'" | cut -f 1 >"$folder/out" ;;
  esac
  expect "$@"
}
# lacks WORD: the last completion does not hold it
lacks() {
  if command -v "$shell" >/dev/null && grep -qxF -- "$1" "$folder/out"; then
    echo "FAILED: $shell completes \`$line\` to $1"
    failed=1
  fi
}

# The words as readline hands them over: `=` is a word of its own.
cat >"$folder/try.bash" <<'TRY'
source "$1"
line=${2//=/ = }
read -ra COMP_WORDS <<<"$line"
[[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_shapelint
printf '%s\n' "${COMPREPLY[@]}"
TRY
# A shell in a terminal of its own, whose `compadd` tells what it is given before it adds it.
cat >"$folder/try.zsh" <<'TRY'
zmodload zsh/zpty
zpty try zsh -f -i
zpty -w try "PS1= PS2= RPS1=; unsetopt zle_bracketed_paste 2>/dev/null; stty -echo columns 999"
zpty -w try "autoload -Uz compinit; compinit -u -D; source ${(q)1}; zstyle ':completion:*' verbose no"
zpty -w try 'compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-[OAD]\ * ]]; then
    local -a hits; builtin compadd -A hits "$@"; print -r -- $'"'\n'"'"<<<${(j:|:)hits}>>>"
  fi
  builtin compadd "$@"
}'
zpty -w try 'bindkey "^I" list-choices; print READY'
zpty -r -m try out '*READY*READY*' || zpty -r -m try out '*READY*'
zpty -n -w try "$2"$'\t'$'\C-u'$'print FINI\'\'SHED\n'
zpty -r -m try out '*FINISHED*'
zpty -d try
print -r -- $out | tr -d '\r' | sed -n 's/.*<<<\(.*\)>>>.*/\1/p' | tr '|' '\n'
TRY

for each in bash zsh fish; do
  completes $each 'shapelint ' lint gpus gemm config completion
  completes $each 'shapelint gem' gemm
  lacks lint
  completes $each 'shapelint lint --fo' --format --force-exclude
  lacks --gpu
  completes $each 'shapelint --format ' text sarif json-lines
  completes $each 'shapelint gpus --format ' json
  lacks sarif
  completes $each 'shapelint lint --output sar' sarif=
  completes $each 'shapelint lint --gpu h1' h100
  lacks a100
  completes $each 'shapelint lint --gpu a100,h1' a100,h100
  completes $each 'shapelint lint --ignore SL10' SL101
  completes $each 'shapelint lint --ignore SL101,voc' SL101,vocab-misaligned
  completes $each 'shapelint suggest --vary hid' hidden_size
  completes $each 'shapelint explain SL10' SL101
  completes $each 'shapelint explain nar' narrow-heads
  completes $each 'shapelint gpus h2' h200
  completes $each 'shapelint completion z' zsh
  completes $each "shapelint lint $folder/ba" "$folder/bash"
done
completes bash 'shapelint lint --format=sar' sarif
completes bash "shapelint lint --output sarif=$folder/ba" "$folder/bash"
[ -n "$looked" ] || exit 77
[ "$failed" = 0 ] && echo "the completions are as expected"
exit "$failed"
