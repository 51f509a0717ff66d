#!/usr/bin/env python3
"""`--watch`: linted once, and again for each change, however an editor saves. Usage: watch.py SHAPELINT"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

binary = os.path.abspath(sys.argv[1])
source = pathlib.Path(__file__).resolve().parent.parent.parent
if not sys.platform.startswith("linux"):
    print("skipped: only Linux has inotify")
    sys.exit(77)
bad = (source / "examples/gpt3-2.7b.toml").read_text()
good = bad.replace("50257", "50304")


class Watching:
    def __init__(self, folder, *args):
        self.process = subprocess.Popen([binary, *args, "--watch", "--gpu", "a100", "--select", "SL101", "--format", "concise"],
                                        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.out, self.err = [], []
        for stream, lines in ((self.process.stdout, self.out), (self.process.stderr, self.err)):
            threading.Thread(target=lambda s=stream, l=lines: l.extend(iter(s.readline, "")), daemon=True).start()

    def rounds(self, number):
        """What was found in so many rounds, each of which ends by waiting."""
        for _ in range(1000):
            if sum("waiting for changes" in line for line in self.err) >= number:
                time.sleep(0.05)  # what was printed before is on its way
                return len(self.out)
            time.sleep(0.01)
        raise SystemExit(f"round {number} did not end: {self.out} {self.err}")

    def end(self):
        assert self.process.poll() is None, self.err
        self.process.terminate()
        self.process.wait()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "configs/deep").mkdir(parents=True)
    (folder / "configs/model.toml").write_text(bad)
    watching = Watching(folder, "configs", "-o", "json=configs/out.json")
    assert watching.rounds(1) == 1, watching.out
    (folder / "configs/model.toml").write_text(good)  # in place
    assert watching.rounds(2) == 1, watching.out
    (folder / "configs/new").write_text(bad)  # beside, and renamed
    watching.rounds(3)
    os.replace(folder / "configs/new", folder / "configs/model.toml")
    found = watching.rounds(4)
    assert found >= 2, watching.out
    (folder / "configs/deep/other.toml").write_text(bad)  # in a folder below
    assert watching.rounds(5) == found + 2, watching.out
    (folder / "configs/.hidden.swp").write_text("x")  # an editor's
    (folder / "configs/model.toml~").write_text("x")
    time.sleep(0.3)
    assert sum("waiting" in line for line in watching.err) == 5, watching.err
    (folder / "configs/model.toml").write_text(bad.replace("hidden_size = 2560", "hidden_size = -1"))  # a mistake does not end it
    watching.rounds(6)
    assert any("error:" in line for line in watching.err), watching.err
    watching.end()
    # One file: a change beside it may be of what it builds on.
    (folder / "configs/model.toml").write_text(bad)
    watching = Watching(folder / "configs", "model.toml")
    assert watching.rounds(1) == 1, watching.out
    (folder / "configs/model.toml").write_text(good)
    assert watching.rounds(2) == 1, watching.out
    # A pipe in its place is not waited for, nor one that is named from the start.
    os.mkfifo(folder / "pipe")
    os.replace(folder / "pipe", folder / "configs/model.toml")
    assert watching.rounds(3) == 1, watching.out
    assert any("model.toml: is not a regular file" in line for line in watching.err), watching.err
    (folder / "configs/model.toml").unlink()
    (folder / "configs/model.toml").write_text(bad)
    while watching.rounds(4) == 1:
        pass
    watching.end()
    os.mkfifo(folder / "pipe")
    for args, says in ((["Qwen/Qwen3-8B"], "does not exist"), (["-"], "does not exist"),
                       (["configs", "--fix"], "writes no fixes"), (["no-such.toml"], "does not exist"), (["pipe"], "is not a regular file")):
        ran = subprocess.run([binary, *args, "--watch"], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
        assert ran.returncode == 2 and says in ran.stderr, (args, ran)
print("watch: ok")
