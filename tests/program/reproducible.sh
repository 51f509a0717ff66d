#!/bin/sh
# The self-contained program, built once more in another folder and without a cache, is the same to the last byte. Takes
# as long as a build does; on demand.
#   reproducible.sh SHAPELINT [ARCH]      SHAPELINT: as built by `cmake --build … --target shapelint-static`
set -eu
shapelint=$(realpath "$1")
arch=${2:-$(uname -m)}
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
elsewhere=$folder/a/path/of/another/length
mkdir -p "$elsewhere"
(cd "$source" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T -) | tar -x -C "$elsewhere"
cd "$elsewhere"
export CCACHE_DISABLE=1
scripts/self-contained "$arch"
cmp "$shapelint" "build/$([ "$arch" = "$(uname -m)" ] && echo release || echo "release-$arch")/static/bin/shapelint"
sha256sum "$shapelint"
echo "the same bytes"
