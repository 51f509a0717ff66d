#!/bin/sh
# In a Debian with nothing but its base and python3-venv: the wheel is installed, lints, is imported, and runs under
# pre-commit. In an older one (bullseye, glibc 2.31) with nothing but its base: the self-contained program, and with this
# machine's Node beside it the npm package. Prints times and sizes. Needs root and debootstrap, and takes minutes; on demand.
#   bare-debian.sh WHEEL SHAPELINT [FOLDER [TARBALL]]      FOLDER: where the systems are kept for the next time
#                                                          TARBALL: of scripts/wasm, shapelint-VERSION.tgz
set -eu
wheel=$(realpath "$1") shapelint=$(realpath "$2")
source=$(cd "$(dirname "$0")/../.." && pwd)
kept=${3-}
tarball=${4:+$(realpath "$4")}
folder=${kept:-$(mktemp -d)}
[ -n "$kept" ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"
fail() {
  echo "FAILED: $1"
  exit 1
}
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "skipped: this needs root and debootstrap"
  exit 77
fi
# shellcheck disable=SC2016 # apt's variables
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
system() { # NAME OPTIONS…
  name=$1
  shift
  [ -e "$folder/$name/complete" ] || {
    rm -rf "${folder:?}/$name"
    debootstrap --variant=minbase "$@" "$name" "$folder/$name" "$mirror" >"$folder/$name.log" 2>&1 || {
      tail -n 20 "$folder/$name.log"
      fail "no $name"
    }
    : >"$folder/$name/complete"
  }
  rm -rf "${folder:?}/$name/srv"
  mkdir "$folder/$name/srv"
  cp "$source/examples/gpt3-2.7b.toml" "$folder/$name/srv/model.toml"
}
inside() {
  name=$1
  shift
  chroot "$folder/$name" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/srv LANG=C.UTF-8 sh -eu -c "cd /srv; $*"
}
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
timed() { # WHAT COMMAND…
  what=$1 start=$(milliseconds)
  shift
  "$@" >"$folder/out" 2>&1 || {
    cat "$folder/out"
    fail "$what"
  }
  echo "$what: $(($(milliseconds) - start)) ms"
}
finds='[ $? = 1 ]'

system bullseye
cp "$shapelint" "$folder/bullseye/srv/shapelint"
inside bullseye 'ldd --version | head -n 1'
timed "the program, $(stat -c %s "$shapelint") bytes, lints" inside bullseye "./shapelint model.toml --gpu a100 || $finds"
grep -q SL605 "$folder/out" || fail "it does not find SL605"
timed "suggests" inside bullseye './shapelint suggest model.toml --gpu a100'

if [ -n "$tarball" ]; then
  npm=$(npm root --global)/npm
  cp "$(realpath "$(command -v node)")" "$folder/bullseye/usr/bin/node"
  mkdir -p "$folder/bullseye$npm"
  cp -a "$npm/." "$folder/bullseye$npm/"
  for name in npm npx; do ln -sf "$npm/bin/$name-cli.js" "$folder/bullseye/usr/bin/$name"; done
  cp "$tarball" "$folder/bullseye/srv/"
  inside bullseye 'node --version; ! command -v cc python3 git; mkdir node; echo "{}" >node/package.json'
  timed "the npm package, $(stat -c %s "$tarball") bytes, is installed" inside bullseye \
    'cd node; npm install --offline --no-audit --no-fund --loglevel=error ../*.tgz'
  echo "installed: $(du -sk "$folder/bullseye/srv/node/node_modules" | cut -f 1) KiB"
  timed "npx lints" inside bullseye "cd node; npx --offline shapelint ../model.toml --gpu a100 || $finds"
  grep -q SL605 "$folder/out" || fail "it does not find SL605"
  timed "without npx it lints" inside bullseye "node/node_modules/.bin/shapelint model.toml --gpu a100 || $finds"
fi

system bookworm --include=python3-venv
cp "$wheel" "$folder/bookworm/srv/"
inside bookworm 'python3 --version; ! command -v cc git pre-commit'
timed "a virtual environment" inside bookworm 'python3 -m venv venv'
before=$(du -sk "$folder/bookworm/srv/venv" | cut -f 1)
timed "the wheel, $(stat -c %s "$wheel") bytes, is installed" inside bookworm 'venv/bin/pip install --no-index --quiet *.whl'
echo "installed: $(($(du -sk "$folder/bookworm/srv/venv" | cut -f 1) - before)) KiB"
timed "lints" inside bookworm "venv/bin/shapelint model.toml --gpu a100 || $finds"
timed "is imported and lints" inside bookworm \
  'venv/bin/python -c "import shapelint; print(shapelint.lint(\"model.toml\", \"a100\"))"'
grep -q SL605 "$folder/out" || fail "it does not find SL605"

# With the real pre-commit, as Debian has it: in a copy, since a compiler comes with it.
[ -d "$folder/pre-commit" ] || {
  rm -rf "$folder/copy"
  cp -a "$folder/bookworm" "$folder/copy"
  mv "$folder/copy" "$folder/pre-commit"
}
rm -rf "$folder/pre-commit/srv"
cp -a "$folder/bookworm/srv" "$folder/pre-commit/srv"
cp /etc/resolv.conf "$folder/pre-commit/etc/resolv.conf" 2>/dev/null || true
cp /etc/apt/apt.conf.d/* "$folder/pre-commit/etc/apt/apt.conf.d/" 2>/dev/null || true
inside pre-commit 'command -v pre-commit >/dev/null ||
  { apt-get -q update && apt-get -q install -y --no-install-recommends pre-commit git; }' >"$folder/out" 2>&1 ||
  { tail "$folder/out"; fail "pre-commit cannot be installed there"; }
mkdir -p "$folder/pre-commit/srv/source"
(cd "$source" && git ls-files -z | tar -c --null -T -) | tar -x -C "$folder/pre-commit/srv/source"
timed "pre-commit with the mirror" inside pre-commit 'source/tests/program/pre-commit.sh *.whl'
cat "$folder/out"
