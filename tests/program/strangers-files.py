#!/usr/bin/env python3
"""A repository that a stranger wrote: pipes and links where files are expected, a configuration that names others'
files, outputs that would replace inputs, settings of git that run programs. Nothing may hang, be read, told, run or
overwritten that is not of the repository, or was not asked for.

Usage: strangers-files.py SHAPELINT
"""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import threading

import machine

binary = str(pathlib.Path(sys.argv[1]).resolve())
# What takes longer hangs.
LONG = 20 * machine.slowness() * (10 if machine.has_sanitizers(binary) else 1)
problems = []
MODEL = """[model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = {}
[run]
micro_batch_size = 8
sequence_length = 1024
"""
SECRET = "swordfish"


def check(condition, message):
    if not condition:
        problems.append(message)


def run(folder, *args, code=None, says=None, silent_of=SECRET, **more):
    """Runs and checks the exit code, a part of what is printed, and what must not be; returns what was printed."""
    what = f"{pathlib.Path(folder).name}: {' '.join(map(str, args))}"
    try:
        ran = subprocess.run([binary, *map(str, args)], cwd=folder, capture_output=True, text=True,
                             **{"stdin": subprocess.DEVNULL, "timeout": LONG, **more}, check=False)
    except subprocess.TimeoutExpired:
        check(False, f"{what}: hangs")
        return ""
    printed = ran.stdout + ran.stderr
    check(code is None or ran.returncode == code, f"{what}: exit code {ran.returncode}, expected {code}: {printed[:300]}")
    check(says is None or says in printed, f"{what}: does not say `{says}`: {printed[:400]}")
    check(silent_of not in printed, f"{what}: says `{silent_of}`")
    return printed


def repository(base, name, git=True):
    folder = base / name / "repo"
    folder.mkdir(parents=True)
    if git:
        (folder / ".git").mkdir()
    (folder / "model.toml").write_text(MODEL.format(50257))
    (base / name / "secret.toml").write_text(f'password = "{SECRET}"\n')
    return folder


def pipes_and_links(base):
    for name in ("found.toml", ".gitignore", ".shapelint.toml", "shapelint.toml", "pyproject.toml"):
        for kind in ("pipe", "stdout", "stdin", "zero"):
            folder = repository(base, f"{name}-{kind}")
            if kind == "pipe":
                os.mkfifo(folder / name)
            else:
                (folder / name).symlink_to(f"/dev/{kind}")
            is_configuration = name in (".shapelint.toml", "shapelint.toml")
            read_end, write_end = os.pipe()  # an open standard input, of which nothing comes
            run(folder, ".", "--gpu", "a100", code=2 if is_configuration else 1,
                says="is not a regular file" if is_configuration else "SL101", stdin=read_end)
            os.close(read_end)
            os.close(write_end)
    folder = repository(base, "found-links")
    (folder / "secret.toml").symlink_to("../secret.toml")
    (folder / "passwd.json").symlink_to("/etc/passwd")
    (folder / "same.toml").symlink_to("model.toml")
    printed = run(folder, ".", "--format", "concise", code=1, says="passwd.json and 1 more: no regular file, or a link out")
    check("same.toml:5" in printed, "a link within the repository is not followed")
    run(folder, "secret.toml", code=2, silent_of="regular file")  # named: it is read, and is no model
    folder = repository(base, "extend-pipe")
    os.mkfifo(folder / "base.toml")
    (folder / ".shapelint.toml").write_text('extend = "base.toml"\n')
    run(folder, ".", code=2, says="is not a regular file")
    folder = repository(base, "folder-of-pipes")
    (folder / "rules").mkdir()
    os.mkfifo(folder / "rules" / "r.toml")
    (folder / ".shapelint.toml").write_text('rule-folders = ["rules"]\ngpu-folders = ["rules"]\n')
    run(folder, ".", code=2, says="rules/r.toml: is not a regular file")
    folder = repository(base, "baseline-pipe")
    os.mkfifo(folder / "known.json")
    (folder / ".shapelint.toml").write_text('baseline = "known.json"\n')
    for args in ((), ("--write-baseline",), ("--prune-baseline",)):
        run(folder, ".", *args, code=2, says="is not a regular file")
    # What is named may be a pipe.
    folder = repository(base, "named-pipe")
    os.mkfifo(folder / "pipe.toml")
    writer = threading.Thread(target=lambda: (folder / "pipe.toml").write_text(MODEL.format(50257)))
    writer.start()
    run(folder, "pipe.toml", "--gpu", "a100", code=1, says="SL101")
    writer.join()
    run(folder, "/dev/stdin", "--gpu", "a100", code=1, says="SL101", stdin=(folder / "model.toml").open())


def base_files(base):
    yaml = "num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\nseq_length: 8\n"
    for reference in ("../secret.toml", "../../secret.toml", "/etc/passwd", "link.yaml", "folder/passwd", "pipe.yaml"):
        for git in (True, False):
            folder = repository(base, f"base-{reference.replace('/', '_')}-{git}", git)
            (folder / "link.yaml").symlink_to("../secret.toml")
            (folder / "folder").symlink_to("/etc")
            os.mkfifo(folder / "pipe.yaml")
            (folder / "a.yaml").write_text(f"extends: [{reference}]\ndefaults:\n- {reference}\n"
                                           f"_base_: [{reference}]\nmore: !include {reference}\n{yaml}")
            (folder / "launch.sh").write_text(f"source {reference}\npython pretrain_gpt.py --num-layers 2 "
                                              f"--config-file {reference} --tokenizer-model {reference}\n")
            for where, path in ((folder, "."), (folder, "a.yaml"), ("/", folder / "a.yaml"), ("/", folder)):
                printed = run(where, path, "--verbose", "--gpu", "a100")
                check("root:" not in printed, f"{reference}: /etc/passwd is printed")
            run("/", "show", folder / "a.yaml", "--verbose")


def configurations(base):
    for key in ("extend", "baseline", "rule-folders", "gpu-folders", "format-folders"):
        for path in ("../secret.toml", "/proc/self/environ", "/etc/passwd"):
            folder = repository(base, f"{key}-{path.replace('/', '_')}")
            value = f'["{path}"]' if key.endswith("folders") else f'"{path}"'
            (folder / ".shapelint.toml").write_text(f"{key} = {value}\n")
            printed = run(folder, ".", code=2, says="is outside the repository")
            check("root:" not in printed and "PATH=" not in printed, f"{key} = {path}: content is printed")
            # Named on the command line, what it names in its turn is a stranger's anyway.
            run(base, "--config", folder / ".shapelint.toml", folder, code=2, says="is outside the repository")
            (folder / ".shapelint.toml").write_text(f"allow-outside = true\n{key} = {value}\n")
            run(folder, ".", code=2, says="unknown key `allow-outside`")
    folder = repository(base, "extend-link")
    (folder / "base.toml").symlink_to("../secret.toml")
    (folder / ".shapelint.toml").write_text('extend = "base.toml"\n')
    run(folder, ".", code=2, says="is a link out of its tree")
    folder = repository(base, "own")
    (folder.parent / "base.toml").write_text('gpu = "a30"\n')
    (folder / ".shapelint.toml").write_text('extend = "../base.toml"\n')
    run(folder, "config", "--show", "model.toml", "--allow-outside", code=0, says='gpu = ["a30"]')
    run(folder, ".", "--allow-outside", code=1, says="SL101")
    # Without a repository the configuration's folder is the end.
    folder = repository(base, "unpacked", git=False)
    (folder.parent / "base.toml").write_text('gpu = "a30"\n')
    (folder / ".shapelint.toml").write_text('extend = "../base.toml"\n')
    run(folder.parent, "repo", code=2, says="is outside the repository")


def writes(base):
    folder = repository(base, "replaced")
    model = folder / "model.toml"
    precious = folder / "precious.txt"
    precious.write_text("as it was")
    for args in (("--baseline", "precious.txt"), ("--baseline", "model.toml"), ("--baseline", "precious.txt", "-o",
                                                                            "json=other.json")):
        run(folder, ".", "--write-baseline", *args, code=2, says="not a shapelint baseline file")
        check(not (folder / "other.json").exists(), "a refused run writes")
    (folder / ".shapelint.toml").write_text('baseline = "precious.txt"\n')
    run(folder, ".", "--write-baseline", code=2, says="not a shapelint baseline file")
    run(folder, ".", "--prune-baseline", code=2)
    (folder / ".shapelint.toml").write_text("")
    (folder / "link.json").symlink_to("model.toml")
    os.link(model, folder / "hard.json")
    for output in ("model.toml", "./model.toml", str(model), "link.json", "hard.json", ".shapelint.toml"):
        for paths in (("model.toml",), (".",), (".", "--write-baseline"), (".", "--fix")):
            run(folder, *paths, "-o", f"sarif={output}", "-o", "json=other.json", code=2,
                says="the output is an input file")
        run(folder, "roofline", "model.toml", "--plot", output, code=2)
    run(folder, "suggest", "model.toml", "--gpu", "a100", "--apply", "1", "-o", "link.json", code=2)
    (folder / "times.csv").write_text("m,n,k,time_us\n128,128,128,10\n")
    (folder / "gpu.toml").write_text('based_on = "a100"\nname = "ours"\n')
    run(folder, "calibrate", "--gpu-file", "gpu.toml", "--shapes", "times.csv", "-o", "times.csv", code=2,
        says="a file that is read")
    check((folder / "times.csv").read_text().startswith("m,n"), "the measured times are replaced")
    check(model.read_text() == MODEL.format(50257), "the model is replaced")
    check(precious.read_text() == "as it was", "what is no baseline is replaced")
    check(not (folder / "other.json").exists() and not (folder / "shapelint-baseline.json").exists(),
          "a refused run writes something")
    # A report of the last run that is found in the folder again is no input.
    (folder / "link.json").unlink()
    (folder / "hard.json").unlink()
    for _ in range(2):
        run(folder, ".", "-o", "json=report.json", code=1)
    # A baseline and reports come from one run.
    for _ in range(2):
        run(folder, ".", "--gpu", "a100", "--write-baseline", "-o", "json=all.json", code=0, says="written")
        found = json.loads((folder / "all.json").read_text())
        known = json.loads((folder / "shapelint-baseline.json").read_text())["findings"]
        check("SL101" in json.dumps(found) and known, "--write-baseline with an output leaves one of them out")
    run(folder, ".", "--baseline", "shapelint-baseline.json", "--gpu", "a100", code=0, says="0 new")
    old = json.loads((folder / "shapelint-baseline.json").read_text())
    (folder / "shapelint-baseline.json").write_text(json.dumps({**old, "version": 99}))
    run(folder, ".", "--write-baseline", code=0, says="written")  # of another version is a baseline anyway

    folder = repository(base, "modes")
    model = folder / "model.toml"
    for mode in (0o600, 0o755):
        model.write_text(MODEL.format(50257))
        model.chmod(mode)
        if os.getuid() == 0:
            os.chown(model, 1234, 4321)
        run(folder, "model.toml", "--fix", "--gpu", "a100", "--exit-zero")
        about = model.stat()
        check("50304" in model.read_text(), "--fix changes nothing")
        check(stat.S_IMODE(about.st_mode) == mode, f"mode {mode:o} becomes {stat.S_IMODE(about.st_mode):o}")
        check(os.getuid() != 0 or (about.st_uid, about.st_gid) == (1234, 4321), "the owner is another")
    (folder / "dangling.json").symlink_to("gone.json")
    run(folder, "model.toml", "-o", "json=dangling.json", code=2, says="a link to `gone.json`, which does not exist")
    check((folder / "dangling.json").is_symlink() and not (folder / "gone.json").exists(), "a link to nothing is written")
    (folder / "real.json").write_text("")
    (folder / "link.json").symlink_to("real.json")
    run(folder, "model.toml", "-o", "json=link.json", "--exit-zero", code=0)
    check((folder / "link.json").is_symlink() and json.loads((folder / "real.json").read_text()), "a link is replaced")


def two_prune(base):
    """One prunes what it found in a; meanwhile another has pruned b."""
    folder = repository(base, "pruned", git=False)
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "m.toml").write_text(MODEL.format(50257))
    run(folder, "a", "b", "--gpu", "a100", "--write-baseline", code=0)
    baseline = folder / "shapelint-baseline.json"
    whole = json.loads(baseline.read_text())
    (folder / "a" / "m.toml").write_text(MODEL.format(50304))
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    process = subprocess.Popen([binary, "a", "--gpu", "a100", "--prune-baseline", "--exit-zero"], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=2)
        check(False, "--prune-baseline does not wait for the lock")
    without_b = [each for each in whole["findings"] if each["path"].startswith("a/")]
    check(0 < len(without_b) < len(whole["findings"]), "the baseline does not know both")
    baseline.write_text(json.dumps({**whole, "findings": without_b}))
    fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)
    _, told = process.communicate(timeout=LONG)
    left = json.loads(baseline.read_text())["findings"]
    check(not [each for each in left if each["path"].startswith("b/")], f"an update is lost: {left} {told}")
    check(not [each for each in left if each["rule"] == "SL101"], f"what is no longer found stays: {left} {told}")


def language_server(base):
    """An editor opens a file of such a repository, from wherever the server was started."""
    for name, content, says in ((".shapelint.toml", None, "is not a regular file"),
                                ("base.toml", 'extend = "base.toml"', "is not a regular file"),
                                ("x", 'extend = "/proc/self/environ"', "is outside the repository"),
                                ("y", 'baseline = "../secret.toml"', "is outside the repository")):
        folder = repository(base, name)
        if content:
            (folder / ".shapelint.toml").write_text(content + "\n")
        if name.endswith(".toml"):
            os.mkfifo(folder / name)
        opened = {"uri": (folder / "model.toml").as_uri(), "languageId": "toml", "version": 1,
                  "text": MODEL.format(50257)}
        talk = b""
        for message in ({"id": 1, "method": "initialize", "params": {"capabilities": {}}},
                        {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
                        {"id": 2, "method": "shutdown"}, {"method": "exit"}):
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            talk += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        for where in ("/", folder):
            try:
                ran = subprocess.run([binary, "lsp"], cwd=where, input=talk, capture_output=True, timeout=LONG, check=False)
            except subprocess.TimeoutExpired:
                check(False, f"the language server hangs over {name}")
                continue
            told = ran.stdout.decode()
            check(says in told, f"the language server does not say `{says}` of {name}: {told[-400:]}")
            check(SECRET not in told and "PATH=" not in told, f"the language server tells what is in {content}")


def usage(base):
    folder = repository(base, "usage")
    for args in (("--diff-base", ""), ("--config", ""), ("--baseline", ""), ("--baseline=",)):
        run(folder, "model.toml", *args, code=2, says="has no value")
    for jobs in ("-5", "0", "100000", "x"):
        run(folder, "model.toml", "-j", jobs, code=2, says="expected a whole number from 1 to 1,024")
    run(folder, "model.toml", "--diff", "--format", "json", code=2, says="there is nothing for `--format`")
    run(folder, "/dev/zero", code=2, says="/dev/zero: more than 16 MB: not a configuration")
    for value in ("nan", "inf", "-inf"):
        for key in ("tdp_w", "sm_count", "boost_clock_mhz", "dram_bandwidth_gb_s"):
            (folder / "gpu.toml").write_text(f'based_on = "a100"\nname = "ours"\n{key} = {value}\n')
            run(folder, "gpus", "--gpu-file", "gpu.toml", code=2, says="gpu.toml:3")


def git_settings(base):
    folder = repository(base, "git", git=False)
    environment = {**os.environ, "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*args):
        ran = subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args], cwd=folder,
                             env=environment, capture_output=True, text=True, check=False)
        check(ran.returncode == 0, f"git {args}: {ran.stderr}")

    git("init", "-q")
    (folder / ".gitattributes").write_text("*.toml filter=theirs diff=theirs\n")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    ran = folder.parent / "ran"
    program = folder.parent / "program.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >>"{ran}"\ncat\n')
    program.chmod(0o755)
    hooks = folder.parent / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(program)
    settings = {"core.fsmonitor": program, "core.hooksPath": hooks, "core.pager": program, "core.editor": program,
                "core.sshCommand": program, "diff.external": program, "diff.theirs.command": program,
                "diff.theirs.textconv": program, "filter.theirs.clean": program, "filter.theirs.smudge": program,
                "filter.theirs.process": program, "filter.theirs.required": "true", "pager.diff": program,
                "remote.origin.url": f"ext::{program}", "remote.origin.promisor": "true",
                "remote.origin.uploadpack": program, "protocol.ext.allow": "always",
                "extensions.partialClone": "origin", "core.repositoryformatversion": "1", "credential.helper": program,
                "submodule.recurse": "true"}
    for key, value in settings.items():
        git("config", key, str(value))
    ran.unlink(missing_ok=True)
    # Of the same size: git has to look into it.
    (folder / "model.toml").write_text(MODEL.format(50259))
    (folder / "new.toml").write_text(MODEL.format(50261))
    printed = run(folder, ".", "--gpu", "a100", "--diff-base", "HEAD", "--format", "concise", code=1, env=environment)
    check("model.toml:5" in printed and "new.toml:5" in printed, f"--diff-base finds other changes: {printed}")
    # An object that is missing is not fetched.
    run(folder, ".", "--diff-base", "0123456789012345678901234567890123456789", code=2, env=environment)
    check(not ran.exists(), f"git ran: {ran.read_text() if ran.exists() else ''}")
    # The settings do run it where git is asked in the usual way, or this would test nothing.
    subprocess.run(["git", "diff", "--stat", "HEAD"], cwd=folder, env=environment, capture_output=True, timeout=LONG,
                   check=False)
    check(ran.exists(), "the settings run nothing at all")
    git("config", "filter.a=b.clean", str(program))
    run(folder, ".", "--diff-base", "HEAD", code=2, says="cannot be switched off", env=environment)


def git_pipes(base):
    """Pipes where git reads files: it would wait for ever, before it does what it was asked."""
    def changed(name):
        folder = repository(base, name, git=False)
        environment = {**os.environ, "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}

        def git(*args):
            subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args], cwd=folder,
                           env=environment, capture_output=True, timeout=LONG, check=True)

        git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", "first")
        (folder / "model.toml").write_text(MODEL.format(50259))
        os.mkfifo(folder.parent / f"{name}.pipe")
        return folder, environment, git, folder.parent / f"{name}.pipe"

    for name, key in (("include", "include.path"), ("include-if", "includeIf.gitdir:/**.path")):
        folder, environment, git, pipe = changed(name)
        git("config", key, str(pipe))
        run(folder, ".", "--gpu", "a100", "--diff-base", "HEAD", code=2, says="a pipe", env=environment)
    # An included file that includes one.
    folder, environment, git, pipe = changed("nested")
    (folder.parent / "nested.cfg").write_text(f"[include]\n\tpath = {pipe}\n")
    git("config", "include.path", str(folder.parent / "nested.cfg"))
    run(folder, ".", "--gpu", "a100", "--diff-base", "HEAD", code=2, says="a pipe", env=environment)
    # What settings name and git has an option against: then it works.
    for key in ("core.excludesFile", "core.attributesFile", "diff.orderFile"):
        folder, environment, git, pipe = changed(key)
        git("config", key, str(pipe))
        printed = run(folder, ".", "--gpu", "a100", "--diff-base", "HEAD", "--format", "concise", code=1, env=environment)
        check("model.toml:5" in printed, f"--diff-base with {key}: {printed}")
    for file in ("info/exclude", "info/attributes", "packed-refs", "config.worktree"):
        folder, environment, git, pipe = changed(file.replace("/", "-"))
        (folder / ".git" / file).unlink(missing_ok=True)
        os.mkfifo(folder / ".git" / file)
        run(folder, ".", "--gpu", "a100", "--diff-base", "HEAD", code=2, says="a pipe", env=environment)
    # An object that stands for another one: the revision is what it was.
    folder, environment, git, pipe = changed("replaced")
    git("add", ".")
    git("commit", "-q", "-m", "second")
    git("replace", "HEAD~1", "HEAD")
    printed = run(folder, ".", "--gpu", "a100", "--diff-base", "HEAD~1", "--format", "concise", code=1, env=environment)
    check("model.toml:5" in printed, f"--diff-base with a replaced commit: {printed}")


def forged_proofs(base):
    """A proof that nobody measured is refused; one that hides a finding is told, and lifted by --no-ignores."""
    folder = repository(base, "forged")
    script = subprocess.run([binary, "prove", "model.toml", "--gpu", "a100"], cwd=folder, capture_output=True, text=True,
                            timeout=3 * LONG, check=False).stdout
    plan = json.loads(re.search(r"r'''\n(.*?)\n'''", script, re.S).group(1))

    def forge(date="2026-01-01", gain=-0.001, half_width=0.0005, verdict="refuted"):
        proofs = [dict(file="model.toml", model=plan["model"], gpu=plan["gpu"]["id"], device="\x1b[31m::error::x", date=date,
                       sizes=plan["sizes"], checksum=plan["checksum"], finding=found["code"], rule=found["rule"],
                       changes=found["changes"], measured=dict(gain=gain, half_width=half_width, share=1),
                       predicted=dict(gain=found["gain"], error=found["gain_error"]), verdict=verdict)
                  for found in plan["findings"]]
        (folder / "shapelint-proofs.json").write_text(json.dumps(dict(format="shapelint-proofs", version=1, proofs=proofs)))

    lint = ("lint", "model.toml", "--gpu", "a100")
    for wrong in (dict(date="2099-01-01"), dict(date="yesterday"), dict(gain=-50), dict(gain=1, verdict="confirmed"),
                  dict(gain=0.5, verdict="refuted")):
        forge(**wrong)
        run(folder, *lint, code=2, says="cannot be a measurement")
    forge()
    for quiet in ((), ("--quiet",)):
        run(folder, *lint, *quiet, code=0, says="is left out")
    run(folder, *lint, "--no-ignores", code=1)
    for form in ("junit", "github"):
        printed = run(folder, *lint, "--format", form, code=0)
        check("suppressed" in printed, f"{form} says nothing of what is left out: {printed}")


def folders_behind_links(base):
    """What lies behind a link is not called by its name."""
    folder = repository(base, "linked")
    private = base / "private"
    private.mkdir()
    (private / "payroll-2026.toml").write_text("")
    (folder / "link").symlink_to(private)
    for key in ("rule-folders", "gpu-folders", "format-folders", "model-folders", "contract-folders"):
        (folder / ".shapelint.toml").write_text(f'{key} = ["link"]\n')
        ran = subprocess.run([binary, "model.toml", "--gpu", "a100"], cwd=folder, capture_output=True, text=True, timeout=3 * LONG,
                             check=False)
        check("payroll" not in ran.stdout + ran.stderr, f"{key} names what lies outside: {ran.stderr}")


def deep_folders(base):
    """What is too deep to be searched is told, with its place."""
    folder = repository(base, "deep")
    (folder / "model.toml").unlink()
    deep = folder.joinpath(*["d"] * 66)
    deep.mkdir(parents=True)
    (deep / "m.toml").write_text(MODEL.format(50257))
    run(folder, ".", "--gpu", "a100", code=2, says="nested more than 64 deep")


def many_bytes(base):
    """All files of a run hold 4 GiB at the most; the first that is left out is named."""
    folder = repository(base, "bytes")
    (folder / "large.json").write_bytes(b"x" * 16_000_000)
    for i in range(280):
        (folder / f"{i:03}.json").symlink_to("large.json")
    run(folder, ".", "--gpu", "a100", code=2, says="the files hold more than 4 GB", timeout=6 * LONG)


with tempfile.TemporaryDirectory() as temporary:
    for part in (pipes_and_links, base_files, configurations, writes, two_prune, language_server, usage, git_settings,
                 git_pipes, forged_proofs, folders_behind_links, deep_folders, many_bytes):
        work = pathlib.Path(temporary).resolve() / part.__name__
        work.mkdir()
        before = len(problems)
        try:
            part(work)
        except (OSError, ValueError) as problem:
            check(False, f"{part.__name__}: {problem}")
        print(f"{part.__name__}: {len(problems) - before} problems")

print(*problems, sep="\n")
sys.exit(1 if problems else 0)
