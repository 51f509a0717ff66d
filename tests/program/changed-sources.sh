#!/bin/sh
# Which sources .ci/changed-sources names to lint, and which only to compile, in a throw-away repository with a tag.
set -eu
script=$(cd "$(dirname "$0")/../.." && pwd)/.ci/changed-sources
if ! command -v git >/dev/null; then
  echo "skipped: git is not installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME="$folder" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE 2>/dev/null || true
cd "$folder"
git init -q .

# Two sources that include a header, one of them by way of another, and two that do not.
mkdir -p src/text src/cost docs
echo '#include "text/one.hpp"' | tee src/text/one.cpp >src/cost/both.hpp
echo '# include "both.hpp"' >src/cost/two.cpp
for file in src/text/one.hpp src/cost/three.cpp src/cost/four.cpp docs/page.md; do
  echo first >"$file"
done
git add -A
git commit -q -m first

failed=0
option=
# expect WHEN SOURCE…
expect() {
  when=$1
  shift
  # shellcheck disable=SC2086 # none or one
  got=$("$script" $option | sort | tr '\n' ' ')
  if [ "$got" != "$* " ] && [ "$got" != "$*" ]; then
    echo "FAILED: $when: $got; expected $*"
    failed=1
  fi
}

all="src/cost/four.cpp src/cost/three.cpp src/cost/two.cpp src/text/one.cpp"
expect "without a tag" "$all"
git tag v1
expect "nothing changed"
echo second >docs/page.md
expect "a page changed"
echo second >src/cost/four.cpp
git commit -q -a -m second
expect "a source changed" src/cost/four.cpp
echo second >src/text/one.hpp
expect "a header changed too, not committed" src/cost/four.cpp src/text/one.cpp
option=--reached
expect "what else has the header" src/cost/two.cpp
option=
echo "Checks: '*'" >.clang-tidy
git add .clang-tidy
expect "the list of checks changed" "$all"
git tag v2
git commit -q -a -m third
git tag v3
expect "nothing changed since the newest tag"
echo new >src/cost/new.cpp
expect "a new source" src/cost/new.cpp
git add -A
git commit -q -m fourth
mkdir .ci
git rev-parse HEAD >.ci/linted
expect "all were linted since the tag"
echo third >src/cost/four.cpp
expect "a source changed since" src/cost/four.cpp
everything="src/cost/four.cpp src/cost/new.cpp src/cost/three.cpp src/cost/two.cpp src/text/one.cpp"
LINT_ALL=1 expect "when asked for" "$everything"
option=--reached
LINT_ALL=1 expect "nothing else is left"
option=
git rev-parse v1 >.ci/linted
expect "all were linted before the tag" src/cost/four.cpp src/cost/new.cpp
echo 0123456789012345678901234567890123456789 >.ci/linted
expect "at a commit that is not there" src/cost/four.cpp src/cost/new.cpp
[ "$failed" = 0 ] && echo "all as expected"
exit "$failed"
