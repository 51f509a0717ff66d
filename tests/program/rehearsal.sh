#!/bin/bash
# A release, rehearsed: each package is installed from an index or a registry of this machine (loopback) into an empty place,
# and used once. What is made beforehand is looked for where scripts/release, scripts/wasm, scripts/vscode and
# dpkg-buildpackage put it.
#
#   rehearsal.sh [PART…]      wheel sdist archive debian npm vscode container pre-commit action homebrew conda aur;
#                             without a name all. Exit code 77: a part was left out, and says what it needs
#
# Needs root and mmdebstrap; a part needs more, as it says. The empty systems are kept in build/rehearsal.
set -euo pipefail
cd "$(dirname "$0")/../.."
source=$PWD
files=$source/build/release-files
work=$source/build/rehearsal
version=$(sed -n 's/^project(shapelint VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
mkdir -p "$work"
export LC_ALL=C.UTF-8
servers=()
ended() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
}
trap ended EXIT

fail() {
  echo "FAILED: $part: $1"
  exit 1
}
left_out() {
  echo "$part: left out: $1"
  exit 77
}
needs() {
  local tool
  for tool in "$@"; do command -v "$tool" >/dev/null || left_out "needs $tool"; done
}
made() { # PATTERN MADE_BY: a file of that name
  local found
  found=$(find "$files" build/wasm/npm build/vscode "$source/.." -maxdepth 1 -name "$1" 2>/dev/null | head -n 1) || true # not all are there
  [ -n "$found" ] || left_out "there is no $1 ($2)" >&2
  realpath "$found"
}
quietly() {
  "$@" >"$work/$part.log" 2>&1 </dev/null || {
    tail -n 40 "$work/$part.log"
    fail "$*"
  }
}
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# An empty Debian with these packages beside its base, in $root; the next part gets another copy.
system() { # SUITE [PACKAGE…]
  local suite=$1 name mirror
  shift
  needs mmdebstrap
  [ "$(id -u)" = 0 ] || left_out "needs root"
  name=$(IFS=_ && echo "$suite${*:+_$*}")
  if [ ! -e "$work/$name/complete" ]; then
    # shellcheck disable=SC2016 # apt's variables
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
    rm -rf "${work:?}/$name"
    quietly mmdebstrap --variant=minbase --include="ca-certificates${*:+,$(IFS=, && echo "$*")}" "$suite" "$work/$name" "$mirror"
    : >"$work/$name/complete"
  fi
  root=$work/root-$part
  rm -rf "$root"
  cp -a "$work/$name" "$root"
  # The way to the machine's mirrors.
  cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
  cp "$source/examples/gpt3-2.7b.toml" "$root/srv/model.toml"
}
inside() { chroot "$root" env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/srv LANG=C.UTF-8 sh -eu -c "cd /srv; $*"; }
timed() { # WHAT COMMAND: in the empty system
  local start
  start=$(milliseconds)
  inside "$2" >"$work/$part.log" 2>&1 </dev/null || {
    tail -n 40 "$work/$part.log"
    fail "$1"
  }
  echo "$part: $1: $(($(milliseconds) - start)) ms"
}
lints() { # COMMAND: exit code 1, and finds what costs this model most
  timed "$1 model.toml" "$1 model.toml --gpu a100 || [ \$? = 1 ]"
  grep -q SL605 "$work/$part.log" || fail "$1 finds no SL605"
}
says_version() { # COMMAND
  [ "$(inside "$1 --version")" = "shapelint $version" ] || fail "$1 says another version"
}
serve() { # COMMAND…: until the end; $port
  "$@" >"$work/$part-server.log" 2>&1 </dev/null &
  servers+=($!)
  for _ in $(seq 300); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  fail "$1 does not answer"
}

# An index of packages as PyPI's is (PEP 503): one page of links with sums for each project.
python_index() {
  local file
  port=8431
  rm -rf "$work/index"
  mkdir -p "$work/index/simple/shapelint" "$work/index/files"
  for file in "$files"/shapelint-"$version"-*.whl "$files/shapelint-$version.tar.gz"; do
    [ -f "$file" ] || continue
    cp "$file" "$work/index/files/"
    echo "<a href=\"../../files/${file##*/}#sha256=$(sha256sum "$file" | cut -d ' ' -f 1)\">${file##*/}</a><br>"
  done >"$work/index/simple/shapelint/index.html"
  serve python3 -m http.server --bind 127.0.0.1 --directory "$work/index" $port
  index="--index-url http://127.0.0.1:$port/simple --disable-pip-version-check --quiet"
}
installs_with_pip() { # OPTIONS
  timed "pip install $1 shapelint" "python3 -m venv venv; venv/bin/pip install $index $1 shapelint"
  says_version venv/bin/shapelint
  lints venv/bin/shapelint
  timed "import shapelint" "venv/bin/python -c 'import shapelint; print(shapelint.lint(\"model.toml\", \"a100\"))'"
  grep -q SL605 "$work/$part.log" || fail "import shapelint finds no SL605"
}

part_wheel() {
  made "shapelint-$version-*_$(uname -m).whl" scripts/release >/dev/null
  system bookworm python3-venv
  inside '! command -v cc'
  python_index
  installs_with_pip --only-binary=:all:
}

# A compiler, CMake, Ninja and Python's headers, which bring zlib's, and none of the other libraries.
part_sdist() {
  made "shapelint-$version.tar.gz" scripts/release >/dev/null
  system bookworm python3-venv python3-dev g++ cmake ninja-build
  inside '! test -e /usr/include/fmt -o -e /usr/include/nlopt.h -o -e /usr/include/yaml.h' || fail "a library is there"
  python_index
  installs_with_pip --no-binary=shapelint
  inside 'ls venv/lib/python3*/site-packages/shapelint-*.dist-info/licenses' | grep -q nlopt || fail "no licence of NLopt"
}

# An older Debian (glibc 2.31) with nothing beside its base.
part_archive() {
  local archive
  archive=$(made "shapelint-$version-linux-$(uname -m).tar.gz" scripts/release)
  system bullseye
  (cd "$files" && sha256sum --quiet --ignore-missing -c SHA256SUMS) || fail "its sum is another"
  cp "$archive" "$root/srv/"
  timed "unpack" 'tar -xzf shapelint-*.tar.gz --strip-components=1 -C /usr/local'
  says_version shapelint
  lints shapelint
  timed "suggest" 'shapelint suggest model.toml --gpu a100'
  # shellcheck disable=SC2016 # of the other shell
  inside 'bash -c ". /usr/local/share/bash-completion/completions/shapelint; complete -p shapelint"; test -s /usr/local/share/man/man1/shapelint.1' >/dev/null ||
    fail "no completion or manual page"
}

part_debian() {
  local package packages
  needs lintian
  package=$(made "shapelint_$version*.deb" dpkg-buildpackage)
  mapfile -t packages < <(find "$(dirname "$package")" -maxdepth 1 -name "*shapelint*_$version*.deb" ! -name '*-dbgsym_*')
  quietly lintian --fail-on error,warning "${packages[@]}"
  system bookworm
  cp "${packages[@]}" "$root/srv/"
  # What they depend on first, then these by dpkg alone.
  timed "what they depend on" 'apt-get -q update; apt-get -q install -y --no-install-recommends ./libshapelint0*.deb ./shapelint_*.deb g++ cmake make; dpkg -r shapelint libshapelint0.1'
  timed "dpkg -i" 'dpkg -i ./*.deb'
  says_version shapelint
  lints shapelint
  # shellcheck disable=SC2016 # of the other shell
  inside 'test -s /usr/share/man/man1/shapelint-lint.1.gz; for file in bash-completion/completions/shapelint zsh/vendor-completions/_shapelint fish/vendor_completions.d/shapelint.fish; do test -s /usr/share/$file; done
    bash -c ". /usr/share/bash-completion/completions/shapelint; complete -p shapelint"' >/dev/null || fail "no manual page or completion"
  # A program with the library.
  mkdir "$root/srv/program"
  printf '#include <cstdio>\n#include <shapelint/shapelint.hpp>\nint main() { std::puts(shapelint::api::version().c_str()); }\n' >"$root/srv/program/main.cpp"
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(program CXX)\nfind_package(shapelint %s REQUIRED)\nadd_executable(program main.cpp)\ntarget_link_libraries(program shapelint::shapelint)\n' "$version" >"$root/srv/program/CMakeLists.txt"
  timed "a program with the library" 'cmake -S program -B build; cmake --build build; build/program'
  timed "dpkg --purge" 'dpkg --purge shapelint libshapelint-dev libshapelint0.1'
  [ -z "$(find "$root/usr" "$root/etc" -name '*shapelint*')" ] || fail "it leaves files behind"
}

# verdaccio, published to and installed from; what the packages depend on comes through it.
part_npm() {
  local tarball tarballs=()
  needs node npm
  for tarball in shapelint-wasm shapelint shapelint-mcp; do tarballs+=("$(made "$tarball-$version.tgz" scripts/wasm)"); done
  port=4873
  if [ ! -d "$work/verdaccio/node_modules/verdaccio" ]; then
    mkdir -p "$work/verdaccio"
    # Its audit asks for a tag of node-fetch that not every registry has.
    echo '{"private": true, "dependencies": {"verdaccio": "6.1.6"}, "overrides": {"node-fetch": "2.7.0"}}' >"$work/verdaccio/package.json"
    (cd "$work/verdaccio" && npm install --silent --no-audit --no-fund --ignore-scripts) >"$work/$part.log" 2>&1 || left_out "npm cannot fetch verdaccio"
  fi
  rm -rf "$work/verdaccio/storage" "$work/npm"
  mkdir -p "$work/npm"
  cat >"$work/verdaccio/config.yaml" <<YAML
storage: $work/verdaccio/storage
auth: {htpasswd: {file: $work/verdaccio/users}}
uplinks: {npm: {url: $(npm config get registry)}}
packages:
  "@shapelint/*": {access: \$all, publish: \$all}
  shapelint: {access: \$all, publish: \$all}
  "**": {access: \$all, proxy: npm}
log: {type: stdout, level: warn}
YAML
  serve node "$work/verdaccio/node_modules/verdaccio/bin/verdaccio" --config "$work/verdaccio/config.yaml" --listen 127.0.0.1:$port
  # Where nothing of this machine's settings is: what a registry wants to see is any token.
  printf 'registry=http://127.0.0.1:%s/\n//127.0.0.1:%s/:_authToken=rehearsal\naudit=false\nfund=false\nupdate-notifier=false\n' $port $port >"$work/npm/.npmrc"
  for tarball in "${tarballs[@]}"; do
    (cd "$work/npm" && HOME=$work/npm quietly npm publish --access public --ignore-scripts "$tarball")
  done
  mkdir "$work/npm/empty"
  cp examples/gpt3-2.7b.toml "$work/npm/empty/model.toml"
  cp tests/program/rehearsal-mcp.mjs "$work/npm/empty/"
  (
    cd "$work/npm/empty"
    echo '{"private": true, "type": "module"}' >package.json
    export HOME=$work/npm
    cp ../.npmrc .
    quietly npm install shapelint @shapelint/wasm @shapelint/mcp
    [ "$(npx --offline shapelint --version)" = "shapelint $version" ] || fail "npx shapelint says another version"
    npx --offline shapelint model.toml --gpu a100 >"$work/$part.log" || [ $? = 1 ] || fail "npx shapelint"
    grep -q SL605 "$work/$part.log" || fail "npx shapelint finds no SL605"
    echo "$part: npx shapelint: lints"
    node --input-type=module -e 'import { load } from "@shapelint/wasm"; const s = await load(); if (!JSON.stringify(s.run(["--version"])).includes(process.argv[1])) process.exit(1);' "$version" ||
      fail "@shapelint/wasm says another version"
    node rehearsal-mcp.mjs "$version" || fail "@shapelint/mcp"
  )
}

# The extension as it is packed: what its bundle asks for, the program that it carries, and findings in an editor:
# code-server, of which only passwords and terminals need what is compiled when it is installed.
part_vscode() {
  local vsix
  needs node unzip
  vsix=$(made "shapelint*.vsix" scripts/vscode)
  rm -rf "$work/vscode"
  mkdir -p "$work/vscode"
  quietly unzip -q "$vsix" -d "$work/vscode"
  node tests/program/vscode.js "$work/vscode/extension" none "$work/vscode/extension/dist/extension.js" | sed "s/^/$part: /"
  grep -q "Version=\"$version\"" "$work/vscode/extension.vsixmanifest" || fail "it is of another version"
  local program=("$work/vscode/extension/bin/shapelint")
  [ -x "${program[0]}" ] || program=(node "$work/vscode/extension/bin/program.cjs")
  [ "$("${program[@]}" --version)" = "shapelint $version" ] || fail "its program says another version"
  local browser editor=$work/editor
  browser=$(command -v chromium || command -v google-chrome || true)
  [ -n "$browser" ] || left_out "needs chromium, to see it in an editor"
  if [ ! -e "$editor/complete" ]; then
    rm -rf "$editor"
    mkdir -p "$editor"
    (cd "$editor" && npm install --silent --no-audit --no-fund --ignore-scripts code-server@4.100.3 &&
      cd node_modules/code-server/lib/vscode && npm install --silent --no-audit --no-fund --omit=dev --ignore-scripts) \
      >"$work/$part.log" 2>&1 || left_out "npm cannot fetch code-server"
    echo 'module.exports = {};' >"$editor/node_modules/argon2/argon2.js"
    : >"$editor/complete"
  fi
  rm -rf "$editor/user" "$editor/extensions" "$editor/files"
  mkdir -p "$editor/user/User" "$editor/files"
  echo '{"security.workspace.trust.enabled": false, "workbench.startupEditor": "none", "shapelint.gpu": "a100"}' >"$editor/user/User/settings.json"
  cp examples/gpt3-2.7b.toml "$editor/files/model.toml"
  printf '{"model_type": "llama", "hidden_size": 5130, "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 45, "vocab_size": 32000}\n' >"$editor/files/config.json"
  HOME=$editor quietly node "$editor/node_modules/code-server/out/node/entry.js" --user-data-dir "$editor/user" --extensions-dir "$editor/extensions" --install-extension "$vsix"
  node tests/program/rehearsal-vscode.mjs "$editor" "$browser" config.json model.toml || fail "it shows no findings in the editor"
}

# Built upon the empty Debian as its base, pushed to a registry, pulled and run.
part_container() {
  local base=localhost/rehearsal/base archive image store
  needs buildah skopeo docker-registry
  archive=$(made "shapelint-$version-linux-$(uname -m).tar.gz" scripts/release)
  system bookworm
  store=$work/containers
  rm -rf "$store"
  mkdir -p "$store/registry" "$store/program"
  tar -xzf "$archive" -C "$store"
  cp "$store/shapelint-$version-linux-$(uname -m)/bin/shapelint" "$store/program/"
  export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
  local buildah=(buildah --root "$store/images" --runroot "$store/run")
  image=$("${buildah[@]}" from scratch)
  rm -rf "$root/srv/model.toml"
  quietly "${buildah[@]}" add "$image" "$root" /
  quietly "${buildah[@]}" commit "$image" $base
  quietly "${buildah[@]}" build --network host --build-arg BASE=$base --tag shapelint --file Containerfile "$store/program"
  port=5431
  printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: "127.0.0.1:%s"}\n' "$store/registry" $port >"$store/registry.yml"
  serve docker-registry serve "$store/registry.yml"
  quietly "${buildah[@]}" push --tls-verify=false shapelint "docker://127.0.0.1:$port/shapelint:$version"
  quietly "${buildah[@]}" rmi --all --force
  image=$("${buildah[@]}" from --quiet --tls-verify=false "127.0.0.1:$port/shapelint:$version" 2>"$work/$part.log")
  [ "$("${buildah[@]}" run "$image" shapelint --version)" = "shapelint $version" ] || fail "it says another version"
  "${buildah[@]}" run --volume "$source/examples:/srv:ro" "$image" shapelint gpt3-2.7b.toml --gpu a100 >"$work/$part.log" 2>&1 || [ $? = 1 ] || fail "it does not lint"
  grep -q SL605 "$work/$part.log" || fail "it finds no SL605"
  echo "$part: pushed, pulled, lints; bytes of its layers, base first: $(skopeo inspect --raw --tls-verify=false "docker://127.0.0.1:$port/shapelint:$version" |
    python3 -c 'import json, sys; print(*(each["size"] for each in json.load(sys.stdin)["layers"]))')"
}

# The mirror, by the real pre-commit in the empty system, with the wheel of the index.
part_pre-commit() {
  local wheel
  wheel=$(made "shapelint-$version-*_$(uname -m).whl" scripts/release)
  system bookworm python3-venv git pre-commit
  cp "$wheel" "$root/srv/"
  mkdir "$root/srv/source"
  git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$root/srv/source"
  timed "the mirror, and two dozen commits" 'source/tests/program/pre-commit.sh *.whl'
  sed "s/^/$part: /" "$work/$part.log" | tail -n 1
}

# The steps of action.yml as a runner has them, with the wheel and with an archive.
part_action() {
  local wheel archive
  wheel=$(made "shapelint-$version-*_$(uname -m).whl" scripts/release)
  archive=$(made "shapelint-$version-linux-$(uname -m).tar.gz" scripts/release)
  mkdir -p "$work/action"
  tar -xzf "$archive" -C "$work/action" --strip-components=1
  python3 tests/program/ci-examples.py "$work/action/bin/shapelint" . "$wheel" | grep . | sed "s/^/$part: /"
}

recipes() {
  local archive
  archive=$(made "shapelint-$version.tar.gz" scripts/release)
  quietly scripts/packages "file://$(dirname "$archive")" "$archive"
}

# Without Homebrew: the formula's `install` and `test` are run by a stand-in that knows the words used here.
part_homebrew() {
  needs ruby cmake ninja
  recipes
  rm -rf "$work/homebrew"
  quietly ruby tests/program/rehearsal-formula.rb build/packages/homebrew/shapelint.rb "$work/homebrew"
  [ -s "$work/homebrew/prefix/share/bash-completion/completions/shapelint" ] || fail "no completion"
  echo "$part: install and test of the formula, by a stand-in"
}

# Without conda-build: the recipe's script and its test commands.
part_conda() {
  needs python3 cmake ninja
  recipes
  rm -rf "$work/conda"
  mkdir -p "$work/conda"
  python3 -c 'import yaml' 2>/dev/null || left_out "needs PyYAML"
  quietly python3 tests/program/rehearsal-conda.py build/packages/conda/meta.yaml "$work/conda"
  echo "$part: script and test of the recipe, without conda's packages"
}

# By makepkg itself, which takes no root; its dependencies are Debian's here. Then installed by pacman.
part_aur() {
  needs makepkg pacman bsdtar
  recipes
  rm -rf "$work/aur"
  mkdir -p "$work/aur/tree/var/lib/pacman"
  cp build/packages/aur/PKGBUILD "$work/aur/"
  chown -R nobody "$work/aur"
  chmod a+rx "$work" "$work/aur"
  # A file that nobody may read is no source.
  (cd "$work/aur" && quietly setpriv --reuid nobody --clear-groups env HOME="$work/aur" PKGEXT=.pkg.tar.gz CCACHE_DIR="${CCACHE_DIR:-$work/aur/ccache}" makepkg --nodeps --nocheck)
  quietly pacman --root "$work/aur/tree" --dbpath "$work/aur/tree/var/lib/pacman" --noconfirm -Udd "$(find "$work/aur" -maxdepth 1 -name 'shapelint-*.pkg.tar.gz' | head -n 1)"
  [ "$("$work/aur/tree/usr/bin/shapelint" --version)" = "shapelint $version" ] || fail "it says another version"
  [ -s "$work/aur/tree/usr/share/zsh/site-functions/_shapelint" ] || fail "no completion"
  echo "$part: makepkg, and installed by pacman"
}

parts=(wheel sdist archive debian npm vscode container pre-commit action homebrew conda aur)
if [ $# = 1 ]; then
  part=$1
  declare -F "part_$part" >/dev/null || {
    echo "rehearsal: there is no part $part; expected ${parts[*]}" >&2
    exit 2
  }
  "part_$part"
  exit
fi
[ $# = 0 ] || parts=("$@")
passed=0 skipped=0 failed=0
for part in "${parts[@]}"; do
  code=0
  tests/program/rehearsal.sh "$part" || code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] || exit 1
[ $skipped = 0 ] || exit 77
