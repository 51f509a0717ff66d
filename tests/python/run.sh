#!/bin/sh
# Installs a wheel, or a source distribution (which is built then), in a fresh virtual environment, and tests what is
# there: alone, then with pytest, numpy and pandas where the machine has them.
#   run.sh [PACKAGE [PYTHON]]      default: dist/shapelint-*.whl and python3
set -eu
cd "$(dirname "$0")/../.."
package=$(realpath "${1:-$(find dist -name "shapelint-*_$(uname -m).whl" | head -n 1)}")
python=${2:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/alone"
case "$package" in
  *.tar.gz) # built once for both
    "$folder/alone/bin/pip" wheel --quiet --no-index --no-deps --disable-pip-version-check --wheel-dir "$folder" "$package"
    package=$(find "$folder" -maxdepth 1 -name 'shapelint-*.whl')
    ;;
esac
"$folder/alone/bin/pip" install --quiet --no-index --disable-pip-version-check "$package"
(
  cd "$folder"
  env -i "$folder/alone/bin/shapelint" --version
  env -i "$folder/alone/bin/python" -c 'import shapelint; print(len(shapelint.gpus()), "GPUs without numpy and pandas")'
)
"$python" -c 'import pytest' 2>/dev/null || {
  echo "skipped: pytest is not installed (Debian: python3-pytest)"
  exit 77
}
"$python" -m venv --system-site-packages "$folder/whole"
"$folder/whole/bin/pip" install --quiet --no-index --disable-pip-version-check --ignore-installed "$package"
"$folder/whole/bin/python" -m pytest -q -p no:cacheprovider tests/python
if "$python" -c 'import mypy' 2>/dev/null; then
  MYPY_CACHE_DIR="$folder/mypy" "$python" -m mypy --strict bindings/python/shapelint bindings/python/shapelint_build.py
  MYPY_CACHE_DIR="$folder/mypy" "$folder/whole/bin/python" -m mypy.stubtest --mypy-config-file pyproject.toml \
    --ignore-missing-stub shapelint._shapelint
fi
