#!/usr/bin/env python3
"""Reads a folder of real configurations that are hard to read and compares with what their frameworks' code means.

    bench/hard.py FOLDER [SHAPELINT] [--verbose]

bench/hard.json says, for each file, what its models are: fields by model, or none for a file that holds no shape. A
file is right when every model is there with every field, missed when none of its shapes is known, and wrong when
anything that is said differs. Unknown counts as not said. Exit code 1: a file that was right is not any more.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def read(program: str, folder: pathlib.Path, file: str) -> list:
    """The models of a file, as `show` tells them; in the folder, so that files beside it are found."""
    shown = subprocess.run(
        [program, "show", "--fields-only", "--format", "json", file], cwd=folder, capture_output=True, text=True, timeout=60
    )
    if shown.returncode > 2 or shown.returncode < 0:
        sys.exit(f"{file}: exit code {shown.returncode}")
    try:
        answer = json.loads(shown.stdout)
    except json.JSONDecodeError:
        return []
    models = answer["files"][0]["models"] if answer.get("files") else []
    known = [{name: field.get("value") for name, field in model["fields"].items()} for model in models]
    return [fields for fields in known if fields.get("hidden_size") is not None]


def differences(model: dict, wanted: dict) -> list:
    return [f"{name} {model.get(name)}, not {value}" for name, value in wanted.items() if model.get(name) != value]


def verdict(models: list, wanted: list) -> tuple:
    """`right`, `missed` or `wrong`, and why."""
    if not wanted:
        return ("wrong", "a model is read where there is none") if models else ("right", "")
    if not models:
        return "missed", ""
    said_wrong, left_out = [], []
    for each in wanted:
        closest = min((differences(model, each) for model in models), key=len)
        for difference in closest:
            (left_out if " None, not" in difference else said_wrong).append(difference)
    if said_wrong:
        return "wrong", "; ".join(said_wrong[:3])
    return ("missed", "; ".join(left_out[:3])) if left_out else ("right", "")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("program", nargs="?", default=str(HERE.parent / "build/release/shapelint"))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    truth = json.loads((HERE / "hard.json").read_text())
    counts: collections.Counter = collections.Counter()
    worse = []
    for file, known in truth.items():
        if not (options.folder / file).exists():
            counts["absent"] += 1
            continue
        found, why = verdict(read(program, options.folder, file), known["models"])
        counts[found] += 1
        if found != "right" and (options.verbose or found != known.get("today", "right")):
            print(f"{found}: {file}{': ' + why if why else ''}")
        if found == "wrong" or (found == "missed" and known.get("today", "right") == "right"):
            worse.append(file)
    print(f"{len(truth)} files: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    expected = {file for file, known in truth.items() if known.get("today") == "wrong"}
    return 1 if set(worse) - expected else 0


if __name__ == "__main__":
    sys.exit(main())
