#!/bin/sh
# Another architecture's wheel, in an emulation of its machine with Debian's Python, answers as this machine's does.
#   emulated.sh WHEEL OWN_WHEEL      as made by scripts/wheel aarch64 and scripts/wheel
set -eu
wheel=$(realpath "$1") own=$(realpath "$2")
cd "$(dirname "$0")/../.."
arch=$(basename "$wheel" .whl | sed 's/.*manylinux_[0-9]*_[0-9]*_//')
[ "$arch" = aarch64 ] || {
  echo "FAILED: there is no emulation for $arch"
  exit 1
}
command -v "qemu-$arch-static" >/dev/null || {
  echo "skipped: qemu-$arch-static is not installed (Debian: qemu-user-static)"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
scripts/fetch-packages "$folder/system" "$arch" - "$python-minimal" "lib$python-minimal" "lib$python-stdlib" libc6 zlib1g \
  libexpat1 libffi8 libssl3 >/dev/null
for each in "$wheel" "$own"; do python3 -m zipfile -e "$each" "$folder/$(basename "$each" .whl)"; done

cat >"$folder/ask.py" <<'PYTHON'
import json, pathlib, platform, sys
import shapelint
for path in sorted(pathlib.Path("examples").glob("*.toml")):
    print(path, json.dumps(shapelint.lint(path, gpu="h100").to_dict()))
found = shapelint.suggest("examples/gpt3-2.7b.toml", gpu="a100").to_dict()
found.pop("priced")  # threads that find better shapes sooner leave others fewer to price
print(json.dumps(found))
try:
    shapelint.lint("model:\n  - [", gpu="h100")
except shapelint.ShapelintError as error:
    print("refused:", error)
print(platform.machine(), file=sys.stderr)
PYTHON
ask() { # WHEEL COMMAND…
  site=$folder/$(basename "$1" .whl)
  shift
  env -i PATH="$PATH" PYTHONPATH="$site" PYTHONDONTWRITEBYTECODE=1 "$@" "$folder/ask.py"
}
ask "$own" /usr/bin/python3 >"$folder/expected" 2>/dev/null
ask "$wheel" PYTHONHOME="$folder/system/usr" "qemu-$arch-static" -L "$folder/system" "$folder/system/usr/bin/$python" >"$folder/got" 2>"$folder/machine"
grep -q "$arch" "$folder/machine" || {
  cat "$folder/machine"
  echo "FAILED: it ran on another machine"
  exit 1
}
cmp "$folder/expected" "$folder/got"
echo "$(wc -l <"$folder/got") answers under $arch are this machine's to the last byte"
