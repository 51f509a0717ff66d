#!/usr/bin/env python3
"""Runs each command that the documents show. Usage: documented.py SHAPELINT

In a folder with a project like a reader's: a model, a launch script, a folder of configurations, a trace, measurements, all
in a repository with a branch `origin/main`. A command passes that is no mistake (exit code 0 or 1). What needs more than
this program (a GPU, a package registry) has another test, which is named here and must run that.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "skills/shapelint/SKILL.md", "docs/tutorial/first-model.md", *sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "docs/how-to").glob("*.md"))]
# Beginnings of commands, and where else they run: a file, and what stands there.
ELSEWHERE = {
    "git clone https://github.com/shapelint/shapelint": ("CMakeLists.txt", "https://shapelint.github.io/shapelint/"),
    "scripts/run": (".ci/run", "scripts/run --version"),
    "scripts/test": (".ci/run", "scripts/test"),
    "scripts/wheel": (".ci/run", "scripts/wheel"),
    "pip install dist/": ("tests/python/run.sh", "install"),
    "npm install": ("tests/program/rehearsal.sh", "npm install"),
    "shapelint-mcp": ("tests/program/mcp.mjs", "program.mjs"),
    "python3 prove.py": ("tests/program/prove-device.py", "-o"),
    "python3 sweep.py": ("tests/program/prove-device.py", "-o"),
    "python examples/dask/sweep.py": ("tests/program/cluster.py", "examples/dask/sweep.py"),
    "shapelint prove --read result.json": ("tests/prove/result_test.cpp", "--read"),
    "shapelint calibrate measured.json": ("tests/program/measured.py", "calibrate"),  # it takes minutes
    "shapelint calibrate --proofs": ("tests/calibrate/proofs_test.cpp", "--proofs"),
    "shapelint profile step.sqlite": ("tests/trace/reading_test.cpp", "sqlite"),
}
TRAIN = """#!/bin/sh
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 \\
  --max-position-embeddings 1024 --micro-batch-size 8 --global-batch-size 64 --vocab-size 50257 --train-iters 1000 --lr 1e-4 --bf16
"""


def commands(text):
    """Lines of blocks that show a shell, without those that show what is printed."""
    found, is_code, is_shown = [], False, False
    before, joined = "", ""
    for line in text.split("\n"):
        if line.strip().startswith("```"):
            is_code = not is_code
            language = line.strip().strip("`")
            is_shown = "output of:" in before or language not in ("", "sh", "bash", "console")
            continue
        if line.strip():
            before = line
        if not is_code or is_shown:
            continue
        line = joined + line.strip().removeprefix("$ ")
        joined = line[:-1] if line.endswith("\\") else ""
        if joined:
            continue
        line = re.sub(r"\s+#\s.*", "", line).strip()
        for part in line.split(" && "):
            if re.match(r"(shapelint(-mcp)?|scripts/\w+|git|pip|npm|npx|python3?|node|docker|pytest) ", part + " "):
                found.append(part)
    return found


def project(folder):
    shutil.copy(ROOT / "examples/gpt3-2.7b.toml", folder / "model.toml")
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "configs").mkdir()
    shutil.copy(ROOT / "examples/gpt2-124m.toml", folder / "configs")
    (folder / "train.sh").write_text(TRAIN)
    shutil.copy(ROOT / "tests/trace/transformer-cpu.json.gz", folder / "trace.json.gz")
    shutil.copy(max((ROOT / "measured").glob("h200-sxm-*.json")), folder / "measured.json")
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"], ["update-ref", "refs/remotes/origin/main", "HEAD"]):
        subprocess.run([*git, *words], check=True, capture_output=True)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    failed, ran, elsewhere = 0, 0, set()
    for page in PAGES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            project(folder)
            # The trace is of another model than the one that a reader would name `model.toml`.
            trace_model = ROOT / "tests/trace/transformer.toml"
            environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": name, "LC_ALL": "C.UTF-8"}
            (folder / "bin").mkdir()
            (folder / "bin/shapelint").symlink_to(program)
            for command in commands((ROOT / page).read_text()):
                other = next((each for each in ELSEWHERE if command.startswith(each)), None)
                if other:
                    elsewhere.add(other)
                    continue
                asked = command
                if "trace.json.gz" in command:
                    shutil.copy(trace_model, folder / "model.toml")
                    asked += " --gpu a100"  # a trace of a CPU names none
                done = subprocess.run(["sh", "-c", asked], cwd=folder, env=environment, capture_output=True, text=True)
                ran += 1
                if done.returncode not in (0, 1):
                    failed += 1
                    print(f"{page}: {shlex.join(shlex.split(command))}: exit {done.returncode}\n{done.stderr}")
    for beginning, (path, words) in ELSEWHERE.items():
        if beginning not in elsewhere:
            print(f"no page shows `{beginning}` any more")
            failed += 1
        if words not in (ROOT / path).read_text():
            print(f"{path} does not run `{beginning}`: it has no `{words}`")
            failed += 1
    if ran < 30:
        print(f"only {ran} commands were found")
        failed += 1
    print(f"{ran} commands run, {len(elsewhere)} kinds run elsewhere")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
