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
