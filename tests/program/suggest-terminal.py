#!/usr/bin/env python3
"""A long search at a terminal: how far it is, time left, and Ctrl-C for the best so far.

Usage: suggest-terminal.py SHAPELINT. Exit code 77 (skipped) where there are no pseudo-terminals.
"""
import os
import re
import select
import signal
import subprocess
import sys
import time

try:
    import pty

    master, terminal = pty.openpty()
except (ImportError, OSError) as problem:
    print(f"skipped: no pseudo-terminal ({problem})")
    sys.exit(77)

# Billions of combinations of which the last condition allows none for a long time, so that nothing can be left out:
# most of an hour. They are made of some ten thousand parts, few enough to bound what was not looked at.
command = [sys.argv[1], "suggest", "examples/gpt3-2.7b.toml", "--gpu", "a100", "--params", "any", "--aspect", "any",
           "--range", "hidden_size=2048:4096:64", "--range", "intermediate_size=8192:16384:64",
           "--range", "num_layers=24:1000", "--range", "vocab_size=50257:60000:16", "--where", "num_layers % 59 == 0"]
search = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, stdin=subprocess.DEVNULL)
os.close(terminal)

shown = ""
interrupted = False
limit = time.monotonic() + 120
while time.monotonic() < limit:
    ready, _, _ = select.select([master], [], [], 0.5)
    if ready:
        try:
            chunk = os.read(master, 4096)
        except OSError:
            break  # the other side is closed
        if not chunk:
            break
        shown += chunk.decode(errors="replace")
    if not interrupted and re.search(r"\d+ % searched, (\S+ s|\?) left", shown):
        search.send_signal(signal.SIGINT)
        interrupted = True
    if search.poll() is not None and not ready:
        break
try:
    output, _ = search.communicate(timeout=60)
except subprocess.TimeoutExpired:
    search.kill()
    output, _ = search.communicate()
output = output.decode()
problems = []
if not interrupted:
    problems.append("no progress was shown")
if search.returncode != 0:
    problems.append(f"exit code {search.returncode}")
if not re.search(r"stopped early: [\d,]+ of [\d,]+ combinations predicted one by one; no shape in this search space is better "
                 r"than the present shape by more than [\d.]+ %", output):
    problems.append("it does not say how far from the best the answer can be")
if not shown.endswith("\r\x1b[K"):
    problems.append("the progress line stays behind")
if problems:
    print(*problems, "on the terminal:", repr(shown[-500:]), "on stdout:", output, sep="\n  ")
    sys.exit(1)
