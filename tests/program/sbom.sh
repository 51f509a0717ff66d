#!/bin/sh
# What scripts/sbom says of a program is what CycloneDX's own schema allows, with the sum of that program. The schema comes
# through npm.
#   sbom.sh PROGRAM [ARCH]
set -eu
program=$(realpath "$1") arch=${2:-$(uname -m)}
cd "$(dirname "$0")/../.."
if ! command -v npm >/dev/null || ! python3 -c 'import jsonschema' 2>/dev/null; then
  echo "skipped: npm or Python's jsonschema is not installed (Debian: npm, python3-jsonschema)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm install --silent --no-audit --no-fund --ignore-scripts @cyclonedx/cyclonedx-library >/dev/null)
scripts/sbom "$arch" "$program" >"$folder/bill.json"
scripts/sbom "$arch" "$program" | cmp - "$folder/bill.json"
python3 - "$folder" "$program" <<'PYTHON'
import hashlib, json, pathlib, sys
import jsonschema

folder = pathlib.Path(sys.argv[1])
schemas = folder / "node_modules/@cyclonedx/cyclonedx-library/res/schema"
schema = json.loads((schemas / "bom-1.5.SNAPSHOT.schema.json").read_text())
store = {}
for path in schemas.glob("*.schema.json"):
    each = json.loads(path.read_text())
    store[each.get("$id", path.name)] = store[path.name] = store["http://cyclonedx.org/schema/" + path.name] = each
bill = json.loads((folder / "bill.json").read_text())
import warnings; warnings.simplefilter("ignore")
resolver = jsonschema.RefResolver.from_schema(schema, store=store)
errors = list(jsonschema.Draft7Validator(schema, resolver=resolver).iter_errors(bill))
for error in errors:
    print("FAILED:", list(error.path), error.message[:200])
# The schema is one that refuses something.
assert list(jsonschema.Draft7Validator(schema, resolver=resolver).iter_errors({**bill, "components": [{"name": 1}]}))
digest = hashlib.sha256(pathlib.Path(sys.argv[2]).read_bytes()).hexdigest()
assert bill["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": digest}]
names = {each["name"] for each in bill["components"]}
assert {"fmtlib", "libyaml", "nlopt", "gcc-12", "vega"} <= names, names
print(f"{len(bill['components'])} components")
sys.exit(1 if errors else 0)
PYTHON
