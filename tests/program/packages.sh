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
  case "$file" in
    *.json) ;; # entries of registries, which name no archive
    *)
      grep -q "$sum" "$file" || {
        echo "$file lacks the archive's sum"
        exit 1
      }
      ;;
  esac
  ! grep -nE '@[A-Z0-9]+@' "$file" || exit 1
done <"$folder/files"
bash -n build/packages/aur/PKGBUILD
if command -v ruby >/dev/null; then ruby -c build/packages/homebrew/shapelint.rb; else echo "left out: ruby"; fi
# Entries of registries: what theirs ask for (the MCP registry: one slash, at most 100 characters, versions that are no
# ranges, the package's own mcpName; SchemaStore: catalog.json).
python3 - <<'PYTHON'
import json
import re
server = json.load(open("build/packages/mcp/server.json"))
package = json.load(open("bindings/wasm/mcp/package.json"))
version = re.search(r"project\(shapelint VERSION ([0-9.]+)", open("CMakeLists.txt").read())[1]
assert server["name"] == package["mcpName"] and server["name"].count("/") == 1
assert len(server["description"]) <= 100 and server["version"] == version
[npm] = server["packages"]
assert (npm["registryType"], npm["identifier"], npm["version"]) == ("npm", package["name"], version)
assert npm["transport"] == {"type": "stdio"}
entry = json.load(open("build/packages/schemastore/entry.json"))
assert set(entry) == {"name", "description", "fileMatch", "url"} and entry["url"].startswith("https://")
assert "shapelint.toml" in entry["fileMatch"]
json.load(open("docs/schema/" + entry["url"].rsplit("/", 1)[1]))
PYTHON
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
# A page that says how to get a package which is in no registry yet says so, too. README files of packages are read with them.
grep -rlE '(pip install|npx|npm install|brew install|conda install|docker pull|podman pull) @?shapelint' README.md docs skills \
  --include='*.md' | grep -v '^docs/contributing/releasing.md$' | while read -r page; do
  grep -qi 'nothing is published yet' "$page" || {
    echo "$page names a package, and does not say that nothing is published yet"
    exit 1
  }
done
echo "a formula, a recipe, a PKGBUILD and two entries of registries"
