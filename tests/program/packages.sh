#!/bin/sh
# The recipes of packaging/, filled in, are Ruby, YAML and shell. What is not installed is left out, and said.
set -eu
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git archive --prefix=shapelint/ HEAD 2>/dev/null | gzip -9n >"$folder/source.tar.gz" || : >"$folder/source.tar.gz"
scripts/packages https://downloads.example/v0 "$folder/source.tar.gz" >"$folder/files"
sum=$(sha256sum "$folder/source.tar.gz" | cut -d ' ' -f 1)
while read -r file; do
  grep -q "$sum" "$file" || {
    echo "$file lacks the archive's sum"
    exit 1
  }
  ! grep -nE '@[A-Z0-9]+@' "$file" || exit 1
done <"$folder/files"
bash -n build/packages/aur/PKGBUILD
if command -v ruby >/dev/null; then ruby -c build/packages/homebrew/shapelint.rb; else echo "left out: ruby"; fi
# Jinja's lines, and what a selector in a comment says, are no YAML.
python3 - <<'PYTHON'
import re
try:
    import yaml
except ImportError:
    print("left out: yaml")
    raise SystemExit
text = open("build/packages/conda/meta.yaml").read()
version = re.search(r'{% set version = "(.*)" %}', text)[1]
text = re.sub(r"{%.*%}", "", text).replace("{{ version }}", version)
text = re.sub(r"{{ (\w+)\('(\w+)'\) }}", r"\1_\2", text)
recipe = yaml.safe_load(text)
assert recipe["package"] == {"name": "shapelint", "version": version}
assert recipe["source"]["url"].endswith(f"/shapelint-{version}.tar.gz")
PYTHON
echo "a formula, a recipe and a PKGBUILD"
