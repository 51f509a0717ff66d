#!/usr/bin/env python3
"""Checks real reports against the schemas of docs/schema.

Usage: json-schema.py SHAPELINT SOURCE_FOLDER. Exit code 77 (skipped) without the jsonschema package.
"""
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed (Debian: python3-jsonschema)")
    sys.exit(77)

binary, source = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads((source / "docs/schema/shapelint-report.schema.json").read_text())
validator = jsonschema.Draft7Validator(schema)
validator.check_schema(schema)

runs = [[str(path)] for path in sorted((source / "examples").glob("*.toml"))]
runs += [["no-such-file.toml"], [str(source)], [str(path) for path in sorted((source / "examples").glob("*.toml"))]]
failed = 0
for files in runs:
    ran = subprocess.run([binary, "lint", "--format", "json", *files], capture_output=True, text=True)
    problems = []
    if (ran.returncode == 2) != bool(ran.stderr):
        problems.append(f"exit code {ran.returncode}, and on stderr: {ran.stderr!r}")
    try:
        report = json.loads(ran.stdout)
        problems += [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(report)]
    except json.JSONDecodeError as problem:
        problems.append(f"not JSON: {problem}")
    if problems:
        failed += 1
        print(" ".join(files), *problems[:10], sep="\n  ")
try:
    import tomllib
except ImportError:
    tomllib = None
    print("skipped: Python has no tomllib to read the examples with")


def check_toml(name, texts, mistake):
    """Each text fits the schema, and with a mistake in it none does."""
    wrong = 0
    own = json.loads((source / f"docs/schema/shapelint-{name}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(own)
    for where, text in texts.items():
        problems = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
                    for e in jsonschema.Draft7Validator(own).iter_errors(tomllib.loads(text))]
        if jsonschema.Draft7Validator(own).is_valid(tomllib.loads(mistake + text)):
            problems.append(f"`{mistake.strip()}` is not noticed")
        if problems:
            wrong += 1
            print(where, *problems[:10], sep="\n  ")
    print(f"{len(texts) - wrong} of {len(texts)} texts fit the schema {name}")
    return wrong


if tomllib:
    shown = (source / "docs/configuration.md").read_text().split("```toml\n")
    failed += check_toml("native", {str(path): path.read_text() for path in (source / "examples").glob("*.toml")},
                         "hiden_size = 1\n")
    failed += check_toml("config", {"docs/configuration.md": shown[1].split("```")[0]}, "gpus = 1\n")

print(f"{len(runs) - failed} of {len(runs)} reports fit the schema")

schema = json.loads((source / "docs/schema/shapelint-roofline.schema.json").read_text())
validator = jsonschema.Draft7Validator(schema)
validator.check_schema(schema)
llama = str(source / "examples/llama-2-7b.toml")
rooflines = [
    [*[str(path) for path in sorted((source / "examples").glob("*.toml"))], "--gpu", "h100"],
    [llama, "--gpu", "a100,gtx-1080-ti,mi300x,b300,l4"],
    [llama, "--mode", "decode", "--context-length", "512", "--tensor", "2", "--weight-bits", "4"],
    [llama, "--mode", "decode", "--context-length", "512", "--over", "micro_batch_size=1:64:*4"],
]
for options in rooflines:
    ran = subprocess.run([binary, "roofline", "--format", "json", *options], capture_output=True, text=True)
    try:
        problems = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
                    for e in validator.iter_errors(json.loads(ran.stdout))]
    except json.JSONDecodeError as problem:
        problems = [f"not JSON: {problem}"]
    if ran.returncode != 0 or ran.stderr:
        problems.append(f"exit code {ran.returncode}, and on stderr: {ran.stderr!r}")
    if problems:
        failed += 1
        print(" ".join(options), *problems[:10], sep="\n  ")
print(f"{len(rooflines)} rooflines checked")
sys.exit(1 if failed else 0)
