#!/usr/bin/env python3
"""Full disks, folders without rights, closed descriptors, pipes that nobody reads: a run fails with a sentence and exit
code 2, and every file that was there is whole.

Usage: surroundings.py SHAPELINT
"""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import commands

problems = []
counted = {}
NOBODY = 65534
PRINTING = ("reports", "pictures", "sweep", "calibrate")


def check(condition, message):
    if not condition and len(problems) < 20:
        problems.append(message)


def survive(where, command, folder, code, says, **more):
    """Runs under a fault: the exit code, a part of the messages, no file half written, nothing left."""
    counted[where] = counted.get(where, 0) + 1
    ran = subprocess.run(command.words(binary), cwd=folder, check=False, timeout=60,
                         **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
    told = (ran.stderr or b"").decode()
    what = f"{where}: {command.name}"
    check(ran.returncode == code, f"{what}: exit code {ran.returncode}, expected {code}: {told[:200]}")
    check(says in told, f"{what}: does not say `{says}`: {told[:200]}")
    for path, old in command.old.items():
        text = (folder / path).read_text()
        check(text in (old, command.new[path]), f"{what}: {path} is neither the old file nor the new one")
        check("cannot be written" not in says or text == old, f"{what}: {path} is written anyway")
    check(not commands.left_over(folder), f"{what}: leaves {commands.left_over(folder)}")
    command.reset(folder)


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


def full_disk(folder, written):
    for command in written:
        survive("no room for the file", command, folder, 2, "cannot be written: File too large", preexec_fn=small_files)
        with open("/dev/full", "wb") as full:
            prints = command.name in PRINTING
            survive("full standard output", command, folder, 2 if prints else 0,
                    "the output could not be written" if prints else "", stdout=full)
            survive("full standard error", command, folder, 0, "", stderr=full)
    (folder / "full").symlink_to("/dev/full")
    ran = subprocess.run([binary, "models", "-o", "json=full"], cwd=folder, capture_output=True, text=True, check=False)
    check(ran.returncode == 2 and "cannot be written: No space left on device" in ran.stderr, f"/dev/full: {ran.stderr}")
    check((folder / "full").is_symlink(), "/dev/full: the link is replaced")
    (folder / "full").unlink()


def small_disk(base):
    disk = base / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(disk)], capture_output=True, check=False)
    if mounted.returncode != 0:
        print("skipped: no file system may be mounted here")
        return
    try:
        folder = disk / "work"
        written = commands.set_up(binary, folder)
        filler = disk / "filler"
        with filler.open("wb") as out:
            try:
                while True:
                    out.write(b"x" * 65536)
                    out.flush()
            except OSError:
                pass
        for command in written:
            survive("full tmpfs", command, folder, 2, "cannot be written: No space left on device")
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def as_nobody():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def without_rights(folder, written, binary):
    everything = [folder, *folder.rglob("*")]
    if os.getuid() == 0:
        for path in everything:
            os.chown(path, NOBODY, NOBODY)
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o644)
    for command in written:
        survive("a folder without rights", command, folder, 2, "cannot be written: Permission denied",
                preexec_fn=as_nobody)
    fix = [str(binary), "lint", "--gpu", "a100", "--exit-zero", "--fix", "fixed"]
    ran = subprocess.run(fix, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=as_nobody)
    check("cannot be written" in ran.stderr and "Fixed" not in ran.stderr and "\nfixed: " not in ran.stderr,
          f"--fix in a folder without rights says that it fixed something: {ran.stderr[-300:]}")
    for path in everything:
        path.chmod(0o755 if path.is_dir() else 0o444)
    readable = [each for each in written if each.name not in ("--fix", "--write")]  # those read what they write
    for command in written if os.getuid() == 0 else readable:
        survive("a read-only file", command, folder, 2, "cannot be written: it is read-only", preexec_fn=as_nobody)
    for path in everything:
        path.chmod(0o755 if path.is_dir() else 0o644)
    if os.getuid() != 0:
        return
    # Files of somebody else that may be written, in a folder that may be, too: the owner stays.
    for path in everything:
        path.chmod(0o777 if path.is_dir() else 0o666)
    for command in written:
        for path in command.old:
            os.chown(folder / path, 1234, 4321)
        survive("a file of somebody else", command, folder, 0, "", preexec_fn=as_nobody)
        for path in command.old:
            about = (folder / path).stat()
            check((about.st_uid, about.st_gid) == (1234, 4321), f"{command.name}: {path} has another owner")


def closed_descriptors(folder, written):
    for command in written:
        prints = command.name in PRINTING
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            def close(numbers=closed):
                for number in numbers:
                    os.close(number)
            fails = prints and 1 in closed
            survive(f"without {closed}", command, folder, 2 if fails else 0,
                    "the output could not be written" if fails and 2 not in closed else "", preexec_fn=close)


def broken_pipes(folder, written):
    for command in written:
        for ignored in (False, True):
            read_end, write_end = os.pipe()
            os.close(read_end)
            prints = command.name in PRINTING
            code = 0 if not prints else 2 if ignored else -signal.SIGPIPE
            handler = signal.SIG_IGN if ignored else signal.SIG_DFL
            survive("a pipe that nobody reads", command, folder, code,
                    "the output could not be written" if code == 2 else "", stdout=write_end,
                    restore_signals=False, preexec_fn=lambda chosen=handler: signal.signal(signal.SIGPIPE, chosen))
            os.close(write_end)


with tempfile.TemporaryDirectory() as temporary:
    base = pathlib.Path(temporary).resolve()
    base.chmod(0o755)
    binary = base / "shapelint"  # where everybody may run it
    shutil.copy(sys.argv[1], binary)
    folder = base / "work"
    written = commands.set_up(binary, folder)
    full_disk(folder, written)
    small_disk(base)
    closed_descriptors(folder, written)
    broken_pipes(folder, written)
    without_rights(folder, written, binary)

print(*problems, sep="\n")
print(", ".join(f"{name}: {count}" for name, count in counted.items()))
print(f"{sum(counted.values())} faults, {len(problems)} problems")
sys.exit(1 if problems else 0)
