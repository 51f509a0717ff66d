#!/usr/bin/env python3
"""Runs what examples/ci holds as the CI systems would: the shell steps of the GitHub action and the script of the
GitLab template, in a repository with a branch that makes a model worse.

Usage: ci-examples.py SHAPELINT SOURCE_FOLDER [WHEEL]. With a wheel the action installs that, too. Exit code 77 (skipped) without PyYAML, git or bash.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: the Python package yaml is not installed (Debian: python3-yaml)")
    sys.exit(77)
if not shutil.which("git") or not shutil.which("bash"):
    print("skipped: git or bash is not installed")
    sys.exit(77)

binary, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
examples = source / "examples/ci"
problems = []
MODEL = """[model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = {vocabulary}
[run]
micro_batch_size = 8
sequence_length = 1024
[lint]
select = ["SL101"]
"""


def check(condition, message):
    if not condition:
        problems.append(message)


action = yaml.safe_load((examples / "github-action/action.yml").read_text())
workflow = yaml.safe_load((examples / "github-workflow.yml").read_text())
template = yaml.safe_load((examples / "gitlab-ci.yml").read_text())
hooks = yaml.safe_load((source / ".pre-commit-hooks.yaml").read_text())
check({hook["id"] for hook in hooks} == {"shapelint"}, "the hooks")

# What the workflow hands to the action, the action takes.
steps = workflow["jobs"]["shapelint"]["steps"]
used = next(step for step in steps if "actions/shapelint" in step["uses"])
check(set(used["with"]) <= set(action["inputs"]), f"unknown inputs: {used['with']}")
upload = next(step for step in action["runs"]["steps"] if "upload-sarif" in step.get("uses", ""))
check(upload["with"]["sarif_file"] == "${{ inputs.sarif-file }}" and "always()" in upload["if"], "the upload")
check("sarif-file" in action["outputs"], "the action's output")
check(workflow["permissions"]["security-events"] == "write", "the upload's permission")

with tempfile.TemporaryDirectory() as base:
    folder = pathlib.Path(base)
    (folder / "bin").mkdir()
    (folder / "bin/shapelint").symlink_to(binary)
    environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": base, "GIT_CONFIG_NOSYSTEM": "1",
                   "GIT_AUTHOR_NAME": "test", "GIT_AUTHOR_EMAIL": "test@localhost", "GIT_COMMITTER_NAME": "test",
                   "GIT_COMMITTER_EMAIL": "test@localhost", "LANG": "C.UTF-8"}

    def git(where, *arguments):
        ran = subprocess.run(["git", "-C", str(where), *arguments], env=environment, capture_output=True, text=True,
                             check=True)
        return ran.stdout.strip()

    origin, clone = folder / "origin", folder / "a clone"
    (origin / "configs").mkdir(parents=True)
    git(origin, "init", "-q", "-b", "main")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    (origin / "configs/old.toml").write_text(MODEL.format(vocabulary=50257))
    (origin / "configs/good.toml").write_text(MODEL.format(vocabulary=50304))
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "base")
    base_commit = git(origin, "rev-parse", "HEAD")
    git(origin, "checkout", "-q", "-b", "change")
    (origin / "configs/good.toml").write_text(MODEL.format(vocabulary=50259))
    (origin / "configs/größe 2.toml").write_text(MODEL.format(vocabulary=50261))
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "change")
    # As checkout actions do it: one commit.
    git(folder, "clone", "-q", "--depth", "1", "--branch", "change", f"file://{origin}", str(clone))

    def github(step_id="lint", **inputs):
        step = next(each for each in action["runs"]["steps"] if each.get("id") == step_id)
        values = {name: str(value.get("default", "")) for name, value in action["inputs"].items()} | inputs
        filled = {name: value.replace("${{ github.event.pull_request.base.sha }}", base_commit)
                  for name, value in step["env"].items()}
        for name, value in values.items():
            filled = {key: each.replace("${{ inputs.%s }}" % name, value) for key, each in filled.items()}
        filled = {key: each.replace("${{ runner.temp }}", str(folder / "temp")) for key, each in filled.items()}
        check(not any("${{" in each for each in filled.values()), f"unfilled: {filled}")
        summary = folder / "summary.md"
        summary.write_text("")
        ran = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]], cwd=clone,
                             env={**environment, **filled, "GITHUB_STEP_SUMMARY": str(summary),
                                               "GITHUB_PATH": str(folder / "path")}, text=True,
                             capture_output=True)
        return ran, summary.read_text()

    # Three ways to have the program; each is then on the path.
    def installed(**inputs):
        shutil.rmtree(folder / "temp", ignore_errors=True)
        (folder / "temp").mkdir()
        (folder / "path").write_text("")
        ran, _ = github("install", **inputs)
        path = pathlib.Path((folder / "path").read_text().strip() or "/nowhere") / "shapelint"
        return ran.returncode, path.exists()

    archive = folder / "shapelint.tar.gz"
    with tarfile.open(archive, "w:gz") as made:
        made.add(binary, "shapelint-0.1.0/bin/shapelint")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    check(installed(archive=archive.as_uri(), **{"archive-sha256": digest}) == (0, True), "action: from the archive")
    check(installed(archive=archive.as_uri(), **{"archive-sha256": "0" * 64})[0] != 0, "action: a wrong checksum")
    check(installed() == (0, False), "action: what is installed")
    if len(sys.argv) > 3:
        wheel = pathlib.Path(sys.argv[3]).resolve()
        environment.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheel.parent))
        check(installed(version=wheel.name.split("-")[1]) == (0, True), "action: from the wheel")

    ran, summary = github(paths="configs\n", gpu="a100")
    check(ran.returncode == 1, f"action: exit code {ran.returncode}: {ran.stderr}")
    check("file=configs/good.toml,line=5" in ran.stdout and "file=configs/größe 2.toml,line=5" in ran.stdout,
          f"action: {ran.stdout}")
    check("old.toml" not in ran.stdout, f"action: what was there before is reported: {ran.stdout}")
    check("| warning [SL101](" in summary, f"action: the summary: {summary}")
    results = json.loads((clone / "shapelint.sarif").read_text())["runs"][0]["results"]
    check(len(results) == 2, f"action: {len(results)} results in SARIF")
    ran, _ = github(paths="configs/good.toml\nconfigs/old.toml\n", gpu="a100", **{"only-changed": "false"})
    check("file=configs/old.toml" in ran.stdout, f"action: all: {ran.stdout} {ran.stderr}")
    ran, _ = github(paths="configs", gpu="a100", **{"fail-level": "error"})
    check(ran.returncode == 0, f"action: the fail level: {ran.returncode}")
    ran, _ = github(paths="configs; touch injected", gpu="$(touch injected)")
    check(ran.returncode == 2 and not (clone / "injected").exists(), "action: an input was run")

    job = template["shapelint"]
    git(clone, "fetch", "-q", "--unshallow")  # GIT_DEPTH is 0
    check(job["variables"]["GIT_DEPTH"] == "0", "template: the depth")
    variables = {**job["variables"], "SHAPELINT_GPU": "a100"}
    for extra, wanted in ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": base_commit}, 2), ({}, 3):
        ran = subprocess.run(["sh", "-e", "-c", "\n".join(job["before_script"] + job["script"])], cwd=clone, text=True, capture_output=True,
                             env={**environment, **variables, **extra})
        check(ran.returncode == 1, f"template: exit code {ran.returncode}: {ran.stderr}")
        reports = job["artifacts"]["reports"]
        entries = json.loads((clone / reports["codequality"]).read_text())
        check(len(entries) == wanted, f"template: {len(entries)} of {wanted} findings")
        check((clone / reports["junit"]).exists() and all((clone / each).exists() for each in job["artifacts"]["paths"]),
              "template: an artifact is not there")

print(*problems, sep="\n")
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
