#!/usr/bin/env python3
"""Fixes a copy of a folder of configurations and lints it again: do fixes hold?

  bench/fixes.py SHAPELINT FOLDER [--gpu h100] [--unsafe] [--infos] [--shape free] [--list]

Prints counts, and with --list each, of what should not be: findings bred (of a severity that was fixed in the file, or
a graver one, and not there before), steps that take longer per token, or per sequence where padding makes sequences longer,
and files that a second run changes again.

Last run on 1,346 public configurations with --unsafe --infos: 356 files changed on an H100 and 336 on an A100; of 673
steps that fit before 670 took less time and 3 as much; nothing was bred, and nothing changed again.
"""
import argparse
import collections
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

SEVERITIES = ["info", "warning", "error"]
NOISE = 1e-3  # of a step: src/lint/fix_trial.cpp
PADDING = 63  # tokens by which a sequence is padded at most: src/lint/fix.cpp


def run(program, folder, *options):
    done = subprocess.run([program, "lint", "--isolated", "--exit-zero", *options, "."], cwd=folder,
                          capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 2):
        sys.exit(f"shapelint ended with {done.returncode}: {done.stderr[-2000:]}")
    return done


def lint(program, folder, options):
    done = run(program, folder, "--format", "json", "--with", "fields", "--min-severity", "info", *options)
    return json.loads(done.stdout)


def key_of(finding):
    """What a finding is about, on whichever GPU: a fix may move it in the file."""
    return (finding.get("path") or finding["model"], finding["model"], finding["code"], finding.get("key_path"),
            finding.get("field"))


def count(findings):
    """How often each key is there, by severity."""
    out = collections.Counter()
    for each in findings:
        out[(*key_of(each), each["severity"])] += 1
    return out


def at_least(counts, path, severity):
    out = collections.Counter()
    for key, number in counts.items():
        if key[0] == path and SEVERITIES.index(key[-1]) >= severity:
            out[key[:-1]] += number
    return out


def texts(folder):
    out = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                out[os.path.relpath(path, folder)] = file.read()
    return out


def work(report, model, step, is_padded):
    """Tokens or images of a step and GPU, or sequences where padding made them longer."""
    if not step["tokens_per_s_per_gpu"]:
        return None
    length = report[model].get("sequence_length")
    return step["tokens_per_s_per_gpu"] * step["step_us"] * 1e-6 / (length if is_padded and length else 1)


def lengths(report):
    return {each["id"]: {name: field["value"] for name, field in each.get("fields", {}).items()}
            for each in report["models"]}


def slower(before, after, changed):
    """[(model, GPU, us per unit before, after)] of steps that take longer per unit of work."""
    then, now = lengths(before), lengths(after)
    old = {(step["model"], step["gpu"]): step for step in before["steps"]}
    worse, better, same = [], 0, 0
    paths = {each["id"]: each["path"] for each in after["models"]}
    for step in after["steps"]:
        model = step["model"]
        was = old.get((model, step["gpu"]))
        if paths[model] not in changed or was is None or not was["step_us"] or not step["step_us"]:
            continue
        if not was["memory"]["fits"]:
            continue  # a run that does not fit has no time to lose
        one, two = (each[model].get("sequence_length") for each in (then, now))
        is_padded = bool(one and two and one < two <= one + PADDING)
        units = work(then, model, was, is_padded), work(now, model, step, is_padded)
        if None in units:
            continue
        first, second = was["step_us"] / units[0], step["step_us"] / units[1]
        if second > first * (1 + NOISE):
            worse.append((model, step["gpu"], first, second))
        elif second < first * (1 - NOISE):
            better += 1
        else:
            same += 1
    return worse, better, same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shapelint")
    parser.add_argument("folder")
    parser.add_argument("--gpu", default="h100")
    parser.add_argument("--unsafe", action="store_true", help="with --unsafe-fixes")
    parser.add_argument("--infos", action="store_true", help="fix infos as well")
    parser.add_argument("--shape", help="as of shapelint")
    parser.add_argument("--list", action="store_true", help="list what should not be")
    parser.add_argument("--keep", help="leave the fixed copy in this folder")
    args = parser.parse_args()
    program = os.path.abspath(args.shapelint)
    options = ["--gpu", args.gpu] + (["--shape", args.shape] if args.shape else [])
    fixing = options + ["--fix"] + (["--unsafe-fixes"] if args.unsafe else []) + (
        ["--fail-level", "info"] if args.infos else [])
    folder = args.keep or tempfile.mkdtemp(prefix="fixes-")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(args.folder, folder)
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            os.chmod(path, os.stat(path).st_mode | stat.S_IWUSR)

    original, before = texts(folder), lint(program, folder, options)
    told = run(program, folder, *fixing).stderr
    fixed, after = texts(folder), lint(program, folder, options)
    again = run(program, folder, *fixing).stderr
    last = texts(folder)
    changed = {path for path, text in fixed.items() if original.get(path) != text}
    then, now = count(before["findings"]), count(after["findings"])

    bred, gone = [], collections.Counter()
    for path in changed:
        lost = {key: number - now[key] for key, number in then.items() if key[0] == path and number > now[key]}
        for key, number in lost.items():
            gone[key[-1]] += number
        floor = min([SEVERITIES.index(key[-1]) for key in lost] or [0])
        floor = max(floor, 0 if args.infos else 1)
        # A run that could not start may have lesser faults once it does.
        if any(key[-1] == "error" for key in lost):
            floor = 2
        here = at_least(then, path, floor)
        for key, number in at_least(now, path, floor).items():
            bred += [key] * (number - here[key])
    worse, better, same = slower(before, after, changed)
    twice = sorted(path for path in fixed if last.get(path) != fixed[path])

    def counts(report):
        return ", ".join(f"{report['counts'][each]} {each}" for each in reversed(SEVERITIES))
    print(f"files {len(original)}, models {len(before['models'])}")
    print(f"findings before: {counts(before)}")
    print(f"findings after:  {counts(after)}")
    print(f"files changed {len(changed)}; findings gone: "
          + (", ".join(f"{gone[each]} {each}" for each in reversed(SEVERITIES)) or "none"))
    print(f"bred {len(bred)}; changed by a second run {len(twice)} files")
    print(f"time per unit of what ran before: better {better}, same {same}, worse {len(worse)}")
    print(told.strip().splitlines()[-1] if told.strip() else "")
    if args.list:
        for key in bred:
            print("bred:", *key)
        for path in twice:
            print("again:", path)
        for model, gpu, first, second in worse:
            print(f"worse: {model} on {gpu}: {first:.4g} -> {second:.4g} us")
    if not args.keep:
        shutil.rmtree(folder)
    return 1 if bred or twice or worse else 0


if __name__ == "__main__":
    sys.exit(main())
