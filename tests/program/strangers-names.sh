#!/bin/bash
# Names of files that are options, as those who list a repository's files pass them on: xargs, lefthook and husky
# (whose commands they are), `find -exec`, a pattern of the shell. A bad model stops each of them, nothing is written.
#   strangers-names.sh SHAPELINT
# shellcheck disable=SC2317,SC2086 # called by their names; options are meant to be split
set -u
shapelint=$(realpath "$1")
command -v git >/dev/null || { echo "skipped: git is not installed"; exit 77; }
base=$(realpath "$(mktemp -d)")
trap 'rm -rf "$base"' EXIT
export HOME="$base" GIT_CONFIG_NOSYSTEM=1
failed=0
fail() { echo "FAILED: $*"; failed=1; }
lint="lint --gpu a100 --quiet --force-exclude --allow-unrecognised"
model='[model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = 50257
[run]
micro_batch_size = 8
sequence_length = 1024
'

# Each runs $shapelint with $lint and $end on the names, some with `--` before them and some without.
xargs_() { git ls-files -z | xargs -0 "$shapelint" $lint $end; }
husky() { git diff --cached --name-only --diff-filter=d -z | xargs -0 "$shapelint" $lint $end; }
# lefthook: `run: shapelint lint … {staged_files}`; each name in quotes, in one command of the shell.
lefthook() {
  local names='' name
  while IFS= read -r -d '' name; do names+=" '${name//\'/\'\\\'\'}'"; done < <(git diff --cached --name-only -z)
  sh -c "'$shapelint' $lint $end$names"
}
find_() { find ./* -name .git -prune -o -type f -exec "$shapelint" $lint $end {} +; }
# pre-commit: `entry`, `args`, names.
precommit() { git ls-files -z | xargs -0 "$shapelint" lint --quiet --force-exclude --allow-unrecognised --gpu a100 -- ; }

count=0
for name in --exit-zero --fix --unsafe-fixes --min-severity=error --write-baseline --prune-baseline --no-config \
  "--output=json=$base/out.json" "--output=concise=$base/outside" -q --help -h --version -- - --quiet; do
  for end in "" "--"; do
    for way in xargs_ husky lefthook find_ precommit; do
      count=$((count + 1))
      folder=$base/repository
      rm -rf "$folder" "$base/outside"
      mkdir -p "$folder" "$base/outside"
      cd "$folder" || exit 1
      git init -q
      printf %s "$model" >m.toml
      echo precious >"$base/outside/p.toml"
      case "$name" in
        *"$base/outside") mkdir -p -- "./$name" && cp m.toml "./$name/p.toml" ;;
        */*) mkdir -p -- "./${name%/*}" && : >"./$name" ;;
        *) : >"./$name" ;;
      esac
      git add -A
      before=$(find . -path ./.git -prune -o -print | sort; cat m.toml)
      $way >"$base/log" 2>&1 </dev/null && fail "$way${end:+ $end}: a file called \`$name\` lets a bad model pass: $(cat "$base/log")"
      after=$(find . -path ./.git -prune -o -print | sort; cat m.toml)
      [ "$before" = "$after" ] || fail "$way${end:+ $end}: \`$name\` has files changed"
      [ "$(cat "$base/outside/p.toml")" = precious ] || fail "$way${end:+ $end}: \`$name\` writes outside"
      [ ! -e "$base/out.json" ] || fail "$way${end:+ $end}: \`$name\` makes a file outside"
    done
  done
done
[ "$failed" = 0 ] && echo "$count lists of names: none is an option"
exit $failed
