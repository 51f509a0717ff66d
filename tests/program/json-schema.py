#!/usr/bin/env python3
"""Checks real output against the schemas in docs/schema.

Usage: json-schema.py SHAPELINT SOURCE_FOLDER. Exit code 77 (skipped) without the jsonschema package.
"""
import json
import pathlib
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed (Debian: python3-jsonschema)")
    sys.exit(77)

binary, source = sys.argv[1], pathlib.Path(sys.argv[2])


def validator_of(name):
    schema = json.loads((source / f"docs/schema/shapelint-{name}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def check(name, command, problems, form="json"):
    """Runs the command and adds what its output says otherwise than the schema."""
    ran = subprocess.run([binary, *command, "--format", form], capture_output=True, text=True)
    try:
        document = json.loads(ran.stdout)
        problems += [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validators[name].iter_errors(document)]
    except json.JSONDecodeError as problem:
        problems.append(f"not JSON: {problem}")
    return ran


validators = {name: validator_of(name) for name in ("lint", "compact", "roofline", "suggest", "family", "profile", "fits", "plan", "show", "fields", "prove", "calibrate",
                                                  "contracts", "formats", "gpus", "kernels", "rules")}
runs = [[str(path)] for path in sorted((source / "examples").glob("*.toml"))]
runs += [["no-such-file.toml"], [str(source)], [str(path) for path in sorted((source / "examples").glob("*.toml"))]]
failed = 0
two = subprocess.run([binary, str(source / "examples/gpt3-2.7b.toml"), "--gpu", "a100", "--min-severity", "warning",
                      "--format", "compact"],
                     capture_output=True, text=True).stdout
if len(two) >= 2000 or len(json.loads(two)["models"][0]["findings"]) != 3:
    failed += 1
    print(f"compact: {len(two)} bytes for {len(json.loads(two)['models'][0]['findings'])} findings, not 3 in 2,000")
for files in runs:
    problems = []
    ran = check("lint", ["lint", *files], problems)
    check("lint", ["lint", *files, "--with", "fields,operations"], problems)
    check("show", ["show", *files], problems)
    check("compact", ["lint", *files], problems, "compact")
    if (ran.returncode == 2) != bool(ran.stderr):
        problems.append(f"exit code {ran.returncode}, and on stderr: {ran.stderr!r}")
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
    shown = (source / "docs/reference/config-file.md").read_text().split("```toml\n")
    failed += check_toml("native", {str(path): path.read_text() for path in (source / "examples").glob("*.toml")},
                         "hiden_size = 1\n")
    failed += check_toml("config", {"docs/reference/config-file.md": shown[1].split("```")[0]}, "gpus = 1\n")
    for name, pattern in (("rule", "rules/*.toml"), ("requirement", "contracts/*/*.toml"), ("format", "formats/*.toml"),
                          ("gpu", "gpus/*.toml")):
        failed += check_toml(name, {str(path): path.read_text() for path in source.glob(pattern)}, "nmae = 1\n")


def documents(text):
    """The documents of JSON that a transcript holds."""
    for at in (found.start() for found in re.finditer(r'^\{\n +"(?:\$schema|format)": "', text, re.M)):
        yield json.JSONDecoder().raw_decode(text[at:])[0]


golden = 0
for path in sorted((source / "tests/golden").rglob("*")):
    for document in documents(path.read_text(errors="replace")) if path.is_file() else ():
        name = document["format"].removeprefix("shapelint.")
        if name not in validators:
            continue
        golden += 1
        for problem in list(validators[name].iter_errors(document))[:10]:
            failed += 1
            print(path, f"{'/'.join(map(str, problem.absolute_path))}: {problem.message[:200]}", sep="\n  ")
print(f"{golden} documents of tests/golden were looked at")

# Where there is no answer, the document says why.
for command in ("lint", "show", "roofline", "suggest", "fits", "plan", "profile"):
    problems = []
    ran = check(command, [command, "no-such-file.toml", "--gpu", "h100"][:2 if command == "show" else 4], problems)
    if ran.returncode != 2 or not ran.stderr or not problems and not json.loads(ran.stdout)["problems"]:
        problems.append(f"exit code {ran.returncode}")
    if problems:
        failed += 1
        print(command, "no-such-file.toml", *problems[:10], sep="\n  ")

llama = str(source / "examples/llama-2-7b.toml")
gqa = str(source / "examples/llama-3-8b.toml")
others = [
    ("fields", []),
    ("rules", []),
    ("contracts", []),
    ("contracts", [gqa, "--gpu", "h100,b200", "--stack", "vllm", "--mode", "decode", "--context-length", "4096"]),
    ("formats", []),
    ("gpus", []),
    ("gpus", ["h100", "mi300x", "gtx-1080-ti"]),
    ("kernels", ["--list"]),
    ("kernels", ["attention-decode", "--gpu", "mi300x", "--shapes", str(source / "tests/golden/kernels/small.csv")]),
    ("roofline", [*[str(path) for path in sorted((source / "examples").glob("*.toml"))], "--gpu", "h100"]),
    ("roofline", [llama, "--gpu", "a100,gtx-1080-ti,mi300x,b300,l4"]),
    ("roofline", [llama, "--mode", "decode", "--context-length", "512", "--tensor", "2", "--weight-bits", "4"]),
    ("roofline", [llama, "--mode", "decode", "--context-length", "512", "--over", "micro_batch_size=1:64:*4"]),
]
# Networks of layers are none of those that can be searched.
others += [("suggest", [str(path), "--gpu", "h100"]) for path in sorted((source / "examples").glob("*.toml"))
           if "[[conv]]" not in path.read_text() and "[[block]]" not in path.read_text()]
others += [
    ("suggest", [gqa, "--gpu", "a100,h100", "--basket", "mean"]),
    ("suggest", [gqa, "--gpu", "h100", "--objective", "cost", "--price", "h100=2"]),
    ("suggest", [gqa, "--gpu", "h100", "--vary", "micro_batch_size"]),
    ("family", [gqa, "--gpu", "h100", "--family", "1b,8b"]),
    ("family", [str(source / "examples/mixtral-8x7b.toml"), "--gpu", "a100", "--family", "7b,100k"]),
]
profiled = [str(source / "tests/trace/transformer-cpu.json.gz"), "--model", str(source / "tests/trace/transformer.toml")]
others += [("profile", [*profiled, "--gpu", "a100"]), ("profile", [*profiled, profiled[0], "--gpu", "h100", "--vocab-size", "999"])]
qwen = str(source / "tests/contracts/models/qwen3-235b.toml")
others += [
    ("suggest", [qwen, "--gpu", "h100", "--tensor", "4", "--stack", "vllm==0.24"]),
    ("fits", [qwen, "--gpu", "h100,b200-sxm", "--count", "4,7", "--stack", "vllm==0.24"]),
    ("fits", [qwen, "--gpu", "h100", "--count", "8"]),
    ("plan", [gqa, "--gpu", "h100,a100", "--gpus", "4..16", "--tokens", "15T", "--price", "h100=2.5,a100=1.5"]),
    ("plan", [gqa, "--gpu", "l4", "--gpus", "1"]),
    ("plan", [qwen, "--gpu", "h100,b200-sxm", "--gpus", "8", "--input-tokens", "1024", "--output-tokens", "128",
              "--price", "h100=2.5,b200-sxm=4"]),
    ("plan", [qwen, "--gpu", "h100", "--gpus", "8", "--input-tokens", "1024", "--output-tokens", "128", "--tpot", "0.001"]),
]
for name, arguments in others:
    problems = []
    command = "suggest" if name == "family" else name
    ran = check(name, [command, *arguments], problems)
    if ran.returncode != 0 or ran.stderr:
        problems.append(f"exit code {ran.returncode}, and on stderr: {ran.stderr!r}")
    if problems:
        failed += 1
        print(command, " ".join(arguments), *problems[:10], sep="\n  ")
print(f"{len(runs) + len(others) - failed} of {len(runs) + len(others)} outputs fit their schemas")
sys.exit(1 if failed else 0)
