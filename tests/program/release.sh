#!/bin/sh
# What scripts/release made is whole: sums, archives that hold nothing of when and by whom, the program with its man pages,
# completions and licences, the list of what it is made of, the wheel, the source and the notes. Without FOLDER only what
# scripts/release refuses.
#   release.sh [FOLDER]      FOLDER: build/release-files
set -eu
folder=${1:+$(realpath "$1")}
cd "$(dirname "$0")/../.."
fail() {
  echo "FAILED: $1"
  exit 1
}
refused() { # WHY ARGUMENTS…
  why=$1 code=0
  shift
  said=$(scripts/release "$@" 2>&1) || code=$?
  if [ "$code" != 2 ] || [ "$said" != "release: $why" ]; then fail "scripts/release $*: exit code $code, $said"; fi
}
version=$(sed -n 's/^project(shapelint VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
refused 'a tag, or --rehearsal, is missing: scripts/release TAG [ARCH…]'
refused "the tag is v0.0, and CMakeLists.txt says $version" v0.0
! grep -q "^## \[$version\] - unreleased" CHANGELOG.md || refused "CHANGELOG.md has no date for $version" "v$version"
[ -n "$folder" ] || {
  echo "refused what is no release"
  exit 0
}

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
(cd "$folder" && sha256sum --quiet -c SHA256SUMS) || fail "the sums are of other files"
for file in "$folder"/*.tar.gz "$folder"/*.whl "$folder"/*.cdx.json; do
  grep -q "  ${file##*/}\$" "$folder/SHA256SUMS" || fail "no sum of ${file##*/}"
done
grep -q '^### Added' "$folder/notes.md" || fail "the notes tell nothing"
! grep -q '^## ' "$folder/notes.md" || fail "the notes are of several versions"
! grep -E '\]\(' "$folder/notes.md" | grep -qvE '\]\(https?:' || fail "the notes link to files"

for archive in "$folder/shapelint-$version"-linux-*.tar.gz; do
  name=$(basename "$archive" .tar.gz)
  tar -tvzf "$archive" --full-time --numeric-owner >"$unpacked/list"
  [ "$(awk '{ print $2, $4, $5 }' "$unpacked/list" | sort -u | wc -l)" = 1 ] || fail "$name has several owners or times"
  ! grep -vqE " $name/" "$unpacked/list" || fail "$name holds files beside its folder"
  tar -xzf "$archive" -C "$unpacked"
  for file in bin/shapelint share/man/man1/shapelint.1 share/doc/shapelint/LICENSE share/doc/shapelint/licenses/nlopt.copyright \
    share/bash-completion/completions/shapelint share/zsh/site-functions/_shapelint \
    share/fish/vendor_completions.d/shapelint.fish share/shapelint/examples/gpt3-2.7b.toml; do
    [ -s "$unpacked/$name/$file" ] || fail "$name has no $file"
  done
  grep -q "$(sha256sum "$unpacked/$name/bin/shapelint" | cut -d ' ' -f 1)" "$folder/$name.cdx.json" ||
    fail "$name.cdx.json is of another program"
  run=
  arch=${name##*-}
  if [ "$arch" != "$(uname -m)" ]; then run="qemu-$arch-static -L build/static-libs/$arch/sysroot"; fi
  # shellcheck disable=SC2086 # a program with its options, or none
  said=$(env -i PATH="$PATH" $run "$unpacked/$name/bin/shapelint" --version) || fail "$name does not run"
  [ "$said" = "shapelint $version" ] || fail "$name says it is $said"
  echo "$name: $(stat -c %s "$archive") bytes, $(wc -l <"$unpacked/list") files and folders"
done
for wheel in "$folder"/shapelint-"$version"-*.whl; do
  python3 -m zipfile --test "$wheel" >/dev/null || fail "${wheel##*/} is no whole archive"
done
tar -xzOf "$folder/shapelint-$version.tar.gz" "shapelint-$version/CMakeLists.txt" | cmp -s - CMakeLists.txt ||
  fail "the source is of another version"
for library in sources/fmtlib headers/nlohmann headers/pybind11 licences/nlopt.copyright; do
  tar -tzf "$folder/shapelint-$version.tar.gz" "shapelint-$version/third-party/$library" >/dev/null 2>&1 || fail "the source carries no $library"
done
echo "$(wc -l <"$folder/SHA256SUMS") files"
