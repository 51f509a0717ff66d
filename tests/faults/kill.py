#!/usr/bin/env python3
"""Kills every command that writes at random moments: each file is the old one or the new one, to the last byte, and
nothing is left beside them that anybody would lint or commit.

Usage: kill.py SHAPELINT [KILLS]
"""
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import commands

binary = pathlib.Path(sys.argv[1]).resolve()
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 200
random.seed(20)
problems = []


def check(condition, message):
    if not condition and len(problems) < 20:
        problems.append(message)


with tempfile.TemporaryDirectory() as base:
    folder = pathlib.Path(base) / "work"
    folder.mkdir()
    written = commands.set_up(binary, folder)
    check(not commands.left_over(folder), f"undisturbed runs leave {commands.left_over(folder)}")
    killed = changed = 0
    lengths = {}
    for command in written:
        start = time.monotonic()
        subprocess.run(command.words(binary), cwd=folder, capture_output=True, check=False)
        lengths[command.name] = time.monotonic() - start
        command.reset(folder)
    done = 0
    while killed < kills and done < 4 * kills:
        command = written[done % len(written)]
        done += 1
        whole = lengths[command.name]
        process = subprocess.Popen(command.words(binary), cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        # Files are written at the end, so half of the moments are there.
        time.sleep(random.uniform(0.8 * whole, 1.1 * whole) if random.random() < 0.5 else random.uniform(0, whole))
        process.send_signal(signal.SIGKILL)
        was_killed = process.wait() == -signal.SIGKILL
        killed += was_killed
        # A run is as long as the machine is busy: one that had ended was shorter than those before.
        lengths[command.name] = 1.02 * whole if was_killed else 0.8 * whole
        for path, old in command.old.items():
            text = (folder / path).read_text()
            changed += text != old
            check(text in (old, command.new[path]), f"{command.name}: {path} is neither the old file nor the new one: "
                                                    f"{len(text)} bytes of {len(command.new[path])}")
        command.reset(folder)
    check(killed >= kills, f"only {killed} of {done} runs could be killed")
    stayed = commands.left_over(folder)
    # The next run takes away what a kill in the last step of writing left.
    for command in written:
        subprocess.run(command.words(binary), cwd=folder, capture_output=True, check=False)
        command.reset(folder)
    left = commands.left_over(folder)
    check(not left, f"left after the next run: {left}")
    left = stayed
    # What may stay, when the last step of writing is cut in two, is hidden and no configuration's name.
    check(all(pathlib.PurePath(name).name.startswith(".") and name.endswith(".tmp") for name in left), f"left: {left}")
    ran = subprocess.run([str(binary), "lint", "--quiet", "--no-ignores", "--exclude", "out/copy.toml", "--exclude",
                          "out/gpu.toml", "out"], cwd=folder, capture_output=True, text=True, check=False)
    check((ran.returncode, ran.stdout, ran.stderr) == (0, "", ""), f"what is left is linted: {ran.stdout}{ran.stderr}"[:200])

print(*problems, sep="\n")
print(f"{killed} of {done} runs of {len(written)} commands were killed, {changed} files were new by then, {len(left)} "
      f"temporaries were left, {len(problems)} problems")
sys.exit(1 if problems else 0)
