#!/usr/bin/env python3
"""Kills the linter at random moments while it writes outputs and a baseline, and fills the disk under it: each file
is the old one or the new one, and nothing is left beside them that anybody would lint or commit.

Usage: kill.py SHAPELINT [ROUNDS]
"""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

binary = pathlib.Path(sys.argv[1]).resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
random.seed(20)
problems = []
MODEL = """[model]
hidden_size = {hidden}
num_layers = 12
num_attention_heads = 12
vocab_size = {vocabulary}
[run]
micro_batch_size = 8
sequence_length = 1024
"""
# Each with a reader that refuses half a file.
OUTPUTS = {"json": json.loads, "sarif": json.loads, "gitlab": json.loads, "junit": ElementTree.fromstring,
           "checkstyle": ElementTree.fromstring, "rdjson": json.loads}


def check(condition, message):
    if not condition and len(problems) < 20:
        problems.append(message)


def look(folder, outputs, where):
    for name, read in outputs.items():
        path = folder / name
        if not path.exists():
            continue
        text = path.read_text()
        try:
            read(text)
        except (ValueError, ElementTree.ParseError) as problem:
            check(False, f"{where}: {name} has {len(text)} bytes: {problem}")
    return {each.name for each in folder.iterdir()} - set(outputs)


with tempfile.TemporaryDirectory() as base:
    work = pathlib.Path(base)
    (work / "models").mkdir()
    for i in range(60):
        (work / "models" / f"m{i}.toml").write_text(MODEL.format(hidden=768, vocabulary=50001 + 2 * i))
    out = work / "out"
    out.mkdir()
    baseline = {"shapelint-baseline.json": json.loads}
    write_outputs = [str(binary), "lint", "--quiet", "--gpu", "a100", "models",
                     *(f"--output={name}={out / name}" for name in OUTPUTS)]
    write_baseline = [str(binary), "lint", "--quiet", "--gpu", "a100", "models", "--write-baseline", "--baseline",
                      str(out / "shapelint-baseline.json")]
    killed = 0
    left = set()
    for command, files in ((write_outputs, {**OUTPUTS, **baseline}), (write_baseline, {**OUTPUTS, **baseline})):
        start = time.monotonic()
        subprocess.run(command, cwd=work, stdout=subprocess.DEVNULL, check=False)
        whole = time.monotonic() - start
        check(look(out, files, "undisturbed") <= left, "an undisturbed run leaves files")
        for each in range(rounds // 2):
            process = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 1.1 * whole))
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
            left |= look(out, files, f"round {each}")
    # What may stay, when the last step of writing is cut in two, is whole, hidden, and no configuration's name.
    check(all(name.startswith(".") and name.endswith(".tmp") for name in left), f"left: {left}")
    ran = subprocess.run([str(binary), "lint", "--quiet", "--no-ignores", str(out)], capture_output=True, text=True)
    check((ran.returncode, ran.stdout, ran.stderr) == (0, "", ""), f"what is left is linted: {ran.stdout[:200]}")

    # A limit on the size of files is a disk that is full: exit code 2, a message, and the old files.
    before = {name: (out / name).read_text() for name in OUTPUTS if (out / name).exists()}
    limited = "import resource, signal, os, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " \
              "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); os.execv(sys.argv[1], sys.argv[1:])"
    for name in left:
        (out / name).unlink(missing_ok=True)
    for command in (write_outputs, write_baseline):
        ran = subprocess.run([sys.executable, "-c", limited, *command], cwd=work, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
        check(ran.returncode == 2 and "cannot be written: File too large" in ran.stderr,
              f"a full disk: {ran.returncode} {ran.stderr[:200]}")
    for name, text in before.items():
        check((out / name).read_text() == text, f"{name} is another after a full disk")
    check(not look(out, {**OUTPUTS, **baseline}, "full"), "a full disk leaves files")

print(*problems, sep="\n")
print(f"{killed} runs were killed, {len(left)} files were left beside the outputs, {len(problems)} problems")
sys.exit(1 if problems else 0)
