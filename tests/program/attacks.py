#!/usr/bin/env python3
"""Files that a stranger wrote to take long, to take much memory, or to be taken for something else: each by itself, with
what it takes, and all of them in one commit, through the real pre-commit.

Usage: attacks.py SHAPELINT [--table]      exit 77 without pre-commit, once the files alone were looked at
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import machine

binary = pathlib.Path(sys.argv[1]).resolve()
source = pathlib.Path(__file__).resolve().parents[2]
problems = []
MOST_MB = 300  # of memory, for a file
# Of processor time, as other programs on the machine take little of that; a slower machine is given as much more.
MOST_SECONDS = 10
MOST_SECONDS_OF_COMMIT = 30


if machine.has_sanitizers(binary):  # held to what it does, and to no figure
    MOST_MB = MOST_SECONDS = MOST_SECONDS_OF_COMMIT = float("inf")

MODEL = """[model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = 50257
[run]
micro_batch_size = 8
sequence_length = 1024
"""
SIZES = "hidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50257\n"
TRAIN = ("python pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 "
         "--micro-batch-size 8 --vocab-size 50257\n")
RULE = """code = "{code}"
name = "{name}"
since = "1.0"
summary = "own"
severity = "warning"
confidence = "certain"
scope = "model"
effect = "advice"
when = "{when}"
blame = ["hidden_size"]
message = "{message}"
mechanism = "own"
sources = ["own"]
"""


def python_files():
    long_list = "".join(f"n{i} = n{i - 1} + n{i - 1}\n" for i in range(1, 12))
    long_list = "n0 = list(range(150))\n" + long_list + "n = n11\n"  # 307,200 elements
    loop = "for i in range(15000):\n    "
    text = "t = 'xyz' * 3\n" + "t = t + t\n" * 15
    yield 2, "largest-in-a-loop.py", SIZES + long_list + loop + "m = max(n)\n"
    yield 2, "smallest-and-sum.py", SIZES + long_list + loop + "m = min(n) + sum(n)\n"
    yield 2, "added-lists.py", SIZES + long_list + loop + "m = n + n\n"
    yield 2, "kept-lists.py", SIZES + long_list + "k = []\n" + loop + "k.append(n + n)\n"
    yield 2, "popped.py", SIZES + "d = {}\nfor i in range(18000):\n    d[i] = [i]\nfor i in range(18000):\n    d.pop(i)\n"
    yield 2, "updated.py", SIZES + "d = {i: i for i in range(18000)}\n" + loop + "d.update(d)\n"
    yield 2, "unknown-index.py", SIZES + long_list + loop + "n[unknown] = i\n"
    yield 2, "held-texts.py", SIZES + text + "a = [t] * 900\n" + "a.extend(a)\n" * 6
    yield 2, "doubled-texts.py", SIZES + "t = 'x'\n" + "t = t + t\n" * 60
    yield 2, "compared-texts.py", SIZES + text + loop + "b = t == t or t in [t]\n"
    yield 2, "calls-calls.py", SIZES + "def f0(x):\n    return x\n" + "".join(
        f"def f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(x)\n" for i in range(1, 40)) + "y = f39(1)\n"
    yield 2, "setup.py", long_list + loop + "m = max(n)\n"  # no configuration at all
    yield 2, "partials.py", SIZES + "import functools\ndef f(*a):\n    return 1\ng = f\n" + "g = functools.partial(g, 1)\n" * 15000 + "x = g()\n"
    yield 2, "classes.py", "class A0:\n    x = 1\n" + "".join(f"class A{i}(A{i - 1}):\n    pass\n" for i in range(1, 15000)) + SIZES
    yield 12, "surrogate.py", SIZES + "name = '\\ud800'\n"
    yield 12, "deep.py", SIZES + "x = " + "[" * 50000 + "\n"


def shell_files():
    letters = "ABCDEFGHIJKL"
    sums = "A=1\n" + "".join(f"{b}={'+'.join([a] * 9)}\n" for a, b in zip(letters, letters[1:]))
    word = "X=" + "q" * 15000 + "\n"
    stars = "*" + "q" * 300 + "z"  # tried at every place
    doubled = "X=12345678\n" + "X=$X$X\n" * 18
    yield 3, "sums.sh", sums + "N=$((L + L))\n" + TRAIN
    yield 3, "sum-of-sums.sh", "A0=1\n" + "".join(f"A{i}=\"{'+'.join([f'A{i - 1}'] * 90)}\"\n" for i in range(1, 9)) + "echo $((A8))\n" + TRAIN
    yield 3, "prefixes.sh", word + f"Y=${{X##{stars}}}\n" * 30 + TRAIN
    yield 3, "suffixes.sh", word + f"Y=${{X%%z{'q' * 300}*}}\n" * 200 + TRAIN
    yield 3, "cases.sh", word + f"case $X in {stars}) Z=1 ;; esac\n" * 40 + TRAIN
    yield 3, "conditions.sh", word + f"[[ $X == {stars} ]] && Z=1\n" * 40 + TRAIN
    yield 3, "sets.sh", word + f"case $X in *[{'abcdefgh' * 400}]z) Z=1 ;; esac\n" * 40 + TRAIN
    yield 3, "locals.sh", "f() {\n" + "".join(f"  local V{i}=$1\n" for i in range(400)) + "  if [ $Q ]; then f $1; fi\n  f $1\n}\nf 1\n" + TRAIN
    yield 3, "outcomes.sh", "".join(f"if [ $Q{i} ]; then W{i}={'w' * 500}; else W{i}=b; fi\n" for i in range(40)) + TRAIN
    yield 3, "printed.sh", doubled + "printf -v Y '%s%s%s%s' $X $X $X $X\n" * 60 + TRAIN
    yield 3, "doubled.sh", "X=1\n" + "X=$X$X\n" * 60 + TRAIN
    yield 3, "words.sh", "A=(" + "a " * 9000 + ")\n" + 'A=("${A[@]}" "${A[@]}")\n' * 20 + TRAIN
    yield 3, "blanks-in-sums.sh", "X='" + " " * 100000 + "1'\nN=$((" + "+".join(["X"] * 200000) + "))\n" + TRAIN
    yield 3, "signs-in-sums.sh", "N=$((" + "!" * 300000 + "1))\n" + TRAIN
    yield 3, "printed-again.sh", "printf -v Z '" + "x" * 100000 + "%s' " + "a " * 100000 + "\n" + TRAIN
    yield 12, "parts-of-a-key.sh", "python -m verl.trainer.main_ppo " + "a." * 20000 + "b=1 data.train_batch_size=8\n"
    yield 12, "deep.sh", "$(" * 40000 + "\n" + TRAIN


def data_files():
    yaml = "num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\nseq_length: 8\n"
    evaluated = "*".join(["9"] * 50)
    yield 4, "evaluated.yaml", yaml + "".join(f"k{i}: ${{eval:'[{evaluated} for x in range(9000)]'}}\n" for i in range(400))
    yield 4, "references.yaml", yaml + "a0: [" + "1," * 900 + "1]\n" + "".join(
        f"a{i}: [${{a{i - 1}}}, ${{a{i - 1}}}, ${{a{i - 1}}}]\n" for i in range(1, 20))
    yield 4, "aliases.yaml", yaml + "b0: &b0 [x, x]\n" + "".join(f"b{i}: &b{i} [*b{i - 1}, *b{i - 1}, *b{i - 1}]\n" for i in range(1, 20))
    yield 4, "directives.yaml", "".join(f"%TAG !a{i}! x\n" for i in range(60000)) + "---\n" + yaml
    yield 4, "merged-again.yaml", yaml + f'a: &a\n  ? {"k" * 4000000}\n  : 1\nb:\n  <<: [' + "*a," * 200000 + "]\n"
    yield 4, "merged-text.yaml", yaml + 'b:\n  <<: "' + "x" * 8000000 + '"\n'
    yield 4, "long-tags.yaml", f"%TAG !a! {'x' * 100000}\n---\n" + yaml + "a: [" + "!a!b 1," * 5000 + "]\n"
    yield 4, "questions.yaml", yaml + "? a\n" * 200000
    yield 4, "octal.yaml", yaml + "".join(f"k{i}: 010\n" for i in range(200000))
    yield 4, "includes-itself.yaml", yaml + "".join(f"k{i}: !include includes-itself.yaml\n" for i in range(8000))
    fairseq = "task:\n  _name: masked_lm\n  tokens_per_sample: 512\nmodel:\n  _name: roberta_large\n  max_positions: 512\ndefaults:\n"
    yield 4, "defaults.yaml", fairseq + "".join(f"  - a{i}: b\n" for i in range(60000))
    yield 4, "overrides.yaml", fairseq + "".join(f"  - override /a{i}: b\n" for i in range(60000))
    yield 4, "includes-what-is-missing.yaml", yaml + "".join(f"k{i}: !include n{i}.yaml\n" for i in range(100000))
    yield 5, "below-a-long-key.json", '{"hidden_size": 64, "' + "k" * 4000000 + '": {' + ", ".join(["\"a\": 1"] * 20000) + "}}"
    yield 5, "few-below-a-long-key.json", '{"hidden_size": 64, "' + "k" * 8000000 + '": [' + ", ".join(["{\"a\": 1, \"a\": 2}"] * 900) + "]}"
    yield 5, "keys.json", '{"hidden_size": 64, ' + ", ".join('"k": 1, "hidden_size": 64' for _ in range(15000)) + "}"
    yield 5, "lists.json", '{"architectures": ' + "[" * 100000
    yield 7, "comments.toml", MODEL + "# shapelint: ignore[SL101]\n" * 400000
    yield 7, "rules-in-a-comment.toml", MODEL + "# shapelint: file-ignore[" + ",".join(f"SL{i}" for i in range(400000)) + "]\n"
    yield 12, "keys.toml", MODEL + "".join(f"k{i} = 1\n" for i in range(10000))
    yield 12, "dotted.toml", MODEL + "a." * 40000 + "a = 1\n"
    yield 12, "network.toml", network(9000)
    listed = ", ".join(["1 a, 2 b"] * 21800)
    yield 12, "groups.toml", (MODEL.replace("num_layers = 12", f'num_layers = 65400\nlayers = "{listed}"')
                              + "[model.layer.a]\nintermediate_size = 64\n[model.layer.b]\nintermediate_size = 128\n")
    yield 12, "layers.toml", MODEL + "".join(f"[[layer]]\nkind = \"{'x' * 50}\"\n" for i in range(5000))


def network(layers):
    return "[model]\nin_channels = 3\nimage = 64\n[run]\nmicro_batch_size = 8\ndtype = \"fp16\"\n" + "".join(
        f'[[conv]]\nname = "c{i}"\nout_channels = {65 + 8 * (i % 1000)}\nkernel = 3\npadding = "same"\n' for i in range(layers))


def project_files():
    """In folders of their own: a configuration there is that of what lies there."""
    wide = "hidden_size + " * 1300 + "hidden_size > 0"
    yield "rule", "long-conditions", ".shapelint.toml", 'rule-folders = ["own"]\n'
    for i in range(60):
        yield "rule", "long-conditions", f"own/{i}.toml", RULE.format(code=f"ZZ{i + 100}", name=f"own-{i}", when=wide, message="x")
    yield "rule", "evaluated-conditions", ".shapelint.toml", 'rule-folders = ["own"]\n'
    for i in range(12):
        rule = RULE.format(code=f"ZZ{i + 100}", name=f"own-{i}", when="share - share * 1 + " * 950 + "share < 0", message="x")
        yield "rule", "evaluated-conditions", f"own/{i}.toml", rule.replace('"model"', '"gemm"').replace('["hidden_size"]', '"micro_batch_size"')
    yield "rule", "evaluated-conditions", "net.toml", network(600)
    yield "rule", "long-message", ".shapelint.toml", 'rule-folders = ["own"]\n'
    yield "rule", "long-message", "own/a.toml", RULE.format(code="ZZ1", name="own-a", when="hidden_size > 0", message="{hidden_size:duration}" * 300000)
    yield "rule", "unknown-names", ".shapelint.toml", 'rule-folders = ["own"]\n'
    for i in range(60):
        yield "rule", "unknown-names", f"own/{i}.toml", RULE.format(code=f"ZZ{i + 100}", name=f"own-{i}", when="hiden_size + " * 1500 + "1", message="x")
    yield "rule", "formula", ".shapelint.toml", 'format-folders = ["own"]\n'
    names = " + ".join(f"n{i}" for i in range(200000))
    yield "rule", "formula", "own/a.toml", f'name = "own"\ntitle = "own"\nwhose = "own"\nsource = "own"\norder = 1\nsyntax = ["toml"]\n[[recognise]]\nany = ["model"]\n[fields]\nhidden_size = {{ derive = "{names}" }}\n'
    yield "rule", "large-rules", ".shapelint.toml", 'rule-folders = ["own"]\n'
    for i in range(12):
        yield "rule", "large-rules", f"own/{i}.toml", "# " + "x" * 9_000_000 + "\n"
    for i in range(300):
        yield "rule", f"configurations/{i}", ".shapelint.toml", 'rule-folders = ["own"]\n'
        yield "rule", f"configurations/{i}", "own/a.toml", RULE.format(code="ZZ1", name="own-a", when="hidden_size > 0", message="x")
    for i in range(150):
        yield "all", "many", f"{i}.py", SIZES + "d = {}\nfor i in range(18000):\n    d[i] = [i]\nfor i in range(18000):\n    d.pop(i)\n"
    included = "".join(f"k{i}: !include b{i}.yaml\n" for i in range(40))
    yield "all", "included", "a.yaml", f"num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\nseq_length: 8\n{included}"
    for i in range(40):
        yield "all", "included", f"b{i}.yaml", "x: [" + "1," * 200000 + "1]\n"
    yield 12, "globs", ".shapelint.toml", "exclude = [" + ", ".join(f'"**/a*{i}*b*/**/c*"' for i in range(20000)) + "]\n"
    yield 12, "extends-itself", ".shapelint.toml", 'extend = ".shapelint.toml"\n'
    yield 6, "deep" + "/d" * 66, "deep.toml", ""


def odd_names():
    for name in ("--exit-zero.toml", "--fix", "--unsafe-fixes", "--min-severity=error", "--no-config", "-q", "-", "--", "--help",
                 "--write-baseline", "a `` ![x](https:evil) <b>``.toml", "::error file=x::y.toml", "\x1b[2Jx.toml", "line\nfeed.toml",
                 "%0A::warning::x.toml", "no\u200bwidth.toml", "=1+1.toml", "'; touch ran; '.toml", "$(touch ran).toml"):
        yield 1, name, MODEL


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def write_plain(folder):
    for files in (python_files, shell_files, data_files):
        for _, name, content in files():
            put(folder / name, content)
    put(folder / "m.toml", MODEL)


def write_files(folder):
    for _, name, content in odd_names():
        put(folder / name, content)
    put(folder / f"--output=concise={folder.parent}/outside/p.toml", MODEL)
    (folder / "link-out.toml").symlink_to("/etc/passwd")
    (folder / "link-to-nothing.toml").symlink_to("nothing.toml")
    forge_proofs(folder)


def write_configurations(folder):
    for _, where, name, content in project_files():
        put(folder / where / name, content)
        if not (folder / where / "m.toml").exists():
            put(folder / where / "m.toml", MODEL)


def forge_proofs(folder):
    """Nobody measured these."""
    put(folder / "forged" / "m.toml", MODEL)
    script = subprocess.run([binary, "prove", "m.toml", "--gpu", "a100"], cwd=folder / "forged", capture_output=True, text=True,
                            timeout=60, check=False).stdout
    plan = json.loads(re.search(r"r'''\n(.*?)\n'''", script, re.S).group(1))
    proofs = [{"file": "m.toml", "model": plan["model"], "gpu": plan["gpu"]["id"], "device": "x", "date": "2026-01-01",
               "sizes": plan["sizes"], "checksum": plan["checksum"], "finding": each["code"], "rule": each["rule"],
               "changes": each["changes"], "measured": {"gain": -0.001, "half_width": 0.0005, "share": 1},
               "predicted": {"gain": each["gain"], "error": each["gain_error"]}, "verdict": "refuted"} for each in plan["findings"]]
    put(folder / "forged" / "shapelint-proofs.json", json.dumps({"format": "shapelint-proofs", "version": 1, "proofs": proofs}))


def measured(arguments, folder, stdin=subprocess.DEVNULL, **more):
    """Exit code, seconds of a clock and of processors, MB at the most, what was printed."""
    with tempfile.TemporaryFile() as said:
        begin = time.monotonic()
        process = subprocess.Popen(arguments, cwd=folder, stdin=stdin, stdout=said, stderr=subprocess.STDOUT, **more)
        deadline = begin + 10 * MOST_SECONDS_OF_COMMIT  # it hangs
        pid, status, usage = 0, 0, None
        while pid == 0:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid == 0 and time.monotonic() > deadline:
                process.kill()
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        said.seek(0)
        return process.returncode, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said.read().decode(errors="replace")


def is_longer(busy, most):
    """Whether it took longer than `most` seconds take on this machine, which is asked only where it did."""
    return busy > most and busy > most * machine.slowness()


def each_alone(base):
    """A table of what each takes. A file is refused, or its model is looked at; nothing breaks."""
    rows = []

    def look(row, name, folder, path, command="lint"):
        code, seconds, busy, mb, said = measured([binary, command, "--gpu", "a100", "--", path], folder)
        rows.append((row, name, code, seconds, mb, said))
        problems.extend([f"{name}: exit code {code}: {said[:300]}"] if code not in (0, 1, 2) else [])
        problems.extend([f"{name}: {busy:.1f} s"] if is_longer(busy, MOST_SECONDS_OF_COMMIT if row == "all" else MOST_SECONDS) else [])
        problems.extend([f"{name}: {mb:.0f} MB"] if mb > MOST_MB else [])
        problems.extend([f"{name}: {said[:300]}"] if "internal error" in said else [])

    for files in (python_files, shell_files, data_files):
        for row, name, content in files():
            folder = base / "alone" / name
            (folder / ".git").mkdir(parents=True)
            put(folder / name, content)
            look(row, name, folder, name)
            if name == "setup.py":  # among others, found
                put(folder / "m.toml", MODEL)
                look(row, f"{name} in a folder", folder, ".")
    # A file is linted within its account; a roofline prices it on each GPU that there is.
    put(base / "alone" / "network.toml" / "smaller.toml", network(5000))
    look(12, "smaller.toml on every GPU", base / "alone" / "network.toml", "smaller.toml", "roofline")
    if rows[-1][2] != 2 or "it takes more work" not in rows[-1][5]:
        problems.append(f"roofline of a network: exit code {rows[-1][2]}: {rows[-1][5][:300]}")
    # Conditions of the longest kind are compiled and evaluated in milliseconds: these do not hold, and nothing is refused.
    wanted = {"long-conditions": "SL101", "long-message": "it takes more", "evaluated-conditions": "work limit reached at `ZZ", "unknown-names": "it takes more work",
              "formula": "the expression has 1888887 characters", "large-rules": "it takes more", "configurations": "are skipped", "many": "the files take too long to read", "globs": "more than 1000 file patterns", "included": "work limit reached at `b",
              "extends-itself": "extends itself", "deep": "nested more than 64 deep"}
    folders = {}
    for row, where, name, content in project_files():
        folder = base / "alone" / where.split("/")[0]
        folders[folder] = row
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        put(base / "alone" / where / name, content)
        put(base / "alone" / where / "m.toml", MODEL)
    for folder, row in folders.items():
        look(row, folder.name + "/", folder, ".")
        code, said = rows[-1][2], rows[-1][5]
        refused = 1 if folder.name == "long-conditions" else 2
        if code != refused or wanted[folder.name] not in said:
            problems.append(f"{folder.name}: exit code {code}, expected {refused} and `{wanted[folder.name]}`: {said[:400]}")
    look(4, "a file that includes 40", base / "alone" / "included", "a.yaml")
    # Of many files the run keeps what it found: 0.15 MB for each, and what every run takes.
    for i in range(1000):
        put(base / "alone" / "folder" / f"{i}.toml", MODEL)
    look(6, "folder of 1,000 models", base / "alone" / "folder", ".")
    if rows[-1][2] != 1 or (MOST_MB < float("inf") and rows[-1][4] > 30 + 150):
        problems.append(f"a folder: exit code {rows[-1][2]}, {rows[-1][4]:.0f} MB: {rows[-1][5][:300]}")
    if "--table" in sys.argv:
        for row, name, code, seconds, mb, _ in sorted(rows, key=lambda each: (str(each[0]).zfill(4), -each[3])):
            print(f"| {row} | {name} | exit {code} | {seconds:.2f} s | {mb:.0f} MB |")
    slowest, largest = max(rows, key=lambda each: each[3]), max(rows, key=lambda each: each[4])
    print(f"{len(rows)} alone: {slowest[3]:.2f} s at the most ({slowest[1]}), {largest[4]:.0f} MB at the most ({largest[1]})")


def in_an_editor(base):
    """The language server, with networks that are each as large as the results of a hundred transformers."""
    def frame(**message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return b"Content-Length: %d\r\n\r\n" % len(content) + content

    asked = base / "messages"
    documents = [{"uri": f"file:///{i}.toml", "languageId": "toml", "version": 1, "text": network(2000)} for i in range(20)]
    asked.write_bytes(frame(id=1, method="initialize", params={"capabilities": {}}) + frame(method="initialized", params={}) +
                      b"".join(frame(method="textDocument/didOpen", params={"textDocument": each}) for each in documents) +
                      frame(id=2, method="no/such/method") + frame(id=3, method="shutdown") + frame(method="exit"))
    with asked.open() as stdin:
        code, seconds, _, mb, said = measured([binary, "lsp"], base, stdin=stdin)
    print(f"{len(documents)} networks in an editor: {seconds:.1f} s, {mb:.0f} MB")
    if code != 0 or said.count("publishDiagnostics") != len(documents) or mb > MOST_MB:
        problems.append(f"networks in an editor: exit code {code}, {said.count('publishDiagnostics')} answers, {mb:.0f} MB")


def contents(folder):
    """Of every file but git's own: what it holds; of a link where it leads."""
    out = {}
    for root, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each != ".git"]
        for name in files:
            path = pathlib.Path(root) / name
            held = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            out[str(path)] = hashlib.sha256(held).hexdigest()
    return out


def one_commit(base):
    """All of it in one pull request, against the hook of this repository."""
    home = base / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "PRE_COMMIT_HOME": str(base / "cache"), "GIT_CONFIG_NOSYSTEM": "1",
                   "PATH": f"{binary.parent}:{os.environ['PATH']}", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
                   "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        environment.pop(name, None)

    def git(folder, *args):
        subprocess.run(["git", *args], cwd=folder, env=environment, check=True, capture_output=True, timeout=120)

    hooks = base / "hooks"
    hooks.mkdir()
    shutil.copy(source / ".pre-commit-hooks.yaml", hooks)
    for folder in (hooks, base / "models"):
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q")
    git(hooks, "add", "-A")
    git(hooks, "commit", "-qm", "hooks")
    revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=hooks, env=environment, check=True, capture_output=True, text=True).stdout.strip()
    models = base / "models"
    put(base / "outside" / "p.toml", "precious")
    # First without configurations, each of which ends a run before any file is looked at, and without names, which do too.
    for what, write in (("files", lambda: write_plain(models)), ("files and names", lambda: write_files(models)),
                        ("files, names and configurations", lambda: write_configurations(models))):
        write()
        for arguments in ("[--gpu, a100, --]", "[--gpu, a100]", "[--fix, --gpu, a100, --]"):
            put(models / ".pre-commit-config.yaml",
                f"repos:\n  - repo: {hooks}\n    rev: {revision}\n    hooks:\n      - id: shapelint\n        args: {arguments}\n")
            git(models, "add", "-A")
            before = contents(models), contents(base / "outside"), contents(home)
            code, seconds, busy, mb, said = measured(["pre-commit", "run", "--all-files"], models, env=environment)
            after = contents(models), contents(base / "outside"), contents(home)
            told = f"{what}, args {arguments}"
            if before != after and "--fix" not in arguments:
                problems.append(f"{told}: written: {sorted(set(before[0].items()) ^ set(after[0].items()))[:4]}")
            if before[1:] != after[1:] or (models / "ran").exists():
                problems.append(f"{told}: written outside, or a name ran")
            if is_longer(busy, MOST_SECONDS_OF_COMMIT):
                problems.append(f"{told}: {busy:.1f} s")
            if code != 1 or "Traceback" in said:
                problems.append(f"{told}: exit code {code}, expected 1: {said[:1000]}")
            print(f"one commit, {told}: {len(before[0])} files, {'blocked' if code == 1 else code} in {seconds:.1f} s ({busy:.1f} s of processors), {mb:.0f} MB")
            if "--output" in sys.argv:
                print(said[:3000])


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary).resolve()
    each_alone(work)
    in_an_editor(work)
    has_hooks = all(shutil.which(each) for each in ("pre-commit", "git"))
    if has_hooks:
        one_commit(work)
print(*problems, sep="\n")
if not has_hooks and not problems:
    print("skipped: pre-commit or git is not installed (Debian: pre-commit)")
    sys.exit(77)
sys.exit(1 if problems else 0)
