#!/usr/bin/env python3
"""Saves a file, as editors do it, while `--fix` or `suggest --write` changes it: whatever was saved is there afterwards.

Usage: saves.py SHAPELINT [SAVES]
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import commands

binary = pathlib.Path(sys.argv[1]).resolve()
saves = int(sys.argv[2]) if len(sys.argv) > 2 else 120
random.seed(40)


def beside(path, text):
    """As vim and VS Code do it: a new file takes the name."""
    new = path.with_name("." + path.name + ".new")
    new.write_text(text)
    os.replace(new, path)


def in_place(path, text):
    """As nano does it, with a moment between opening and writing."""
    file = os.open(path, os.O_WRONLY | os.O_TRUNC)
    time.sleep(0.0005)
    os.write(file, text.encode())
    os.close(file)


lost = fixed = refused = 0
with tempfile.TemporaryDirectory() as base:
    path = pathlib.Path(base) / "model.toml"
    old = commands.MODEL.format(50257)
    wordings = [[str(binary), *each, "--gpu", "a100", str(path)]
                for each in (["lint", "--quiet", "--exit-zero", "--fix"],
                             ["suggest", "--apply", "1", "--vary", "vocab_size", "--write"])]
    lengths = []
    for words in wordings:
        path.write_text(old)
        start = time.monotonic()
        subprocess.run(words, capture_output=True, check=False)
        lengths.append(time.monotonic() - start)
    for each in range(saves):
        words, length = wordings[each // 2 % 2], lengths[each // 2 % 2]
        path.write_text(old)
        comment = f"# saved {each}\n"
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Files are written at the end.
        time.sleep(random.uniform(0.6 * length, length))
        (beside, in_place)[each % 2](path, old + comment)
        refused += process.wait() == 2
        text = path.read_text()
        if comment not in text:
            lost += 1
            print(f"lost: save {each}, {'in place' if each % 2 else 'by a new file'}; {len(text)} bytes are there")
        fixed += "50257" not in text
print(f"{saves} saves, {lost} lost; {fixed} files were fixed with what was saved, {refused} runs left them to the editor")
sys.exit(1 if lost else 0)
