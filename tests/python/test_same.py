"""The package gives the object that the command line prints."""

import json
import os
import pathlib
import subprocess

import pytest
import shapelint
from shapelint.__main__ import program

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = ("$schema", "format", "format_version", "tool", "status")


def printed(*arguments):
    try:
        path = os.environ.get("SHAPELINT_PROGRAM") or program()
    except FileNotFoundError as problem:
        pytest.skip(str(problem))
    ran = subprocess.run([path, *arguments, "--format", "json"], capture_output=True, text=True, cwd=ROOT)
    return {key: value for key, value in json.loads(ran.stdout).items() if key not in HEADER}


@pytest.mark.parametrize("name", ["gpt3-2.7b", "mixtral-8x7b", "resnet-50"])
def test_lint(name):
    path = f"examples/{name}.toml"
    os.chdir(ROOT)
    report = shapelint.lint(path, ["a100", "h100"], with_operations=True)
    expected = printed("lint", path, "--gpu", "a100,h100", "--with", "fields,operations")
    assert json.dumps(report.to_dict()) == json.dumps(expected)


def test_plan():
    os.chdir(ROOT)
    path = "examples/llama-3-8b.toml"
    plans = shapelint.plan(path, "h100", num_gpus="8..16", tokens=15e12, prices={"h100": 2.5})
    command = ["--gpu", "h100", "--gpus", "8..16", "--tokens", "15T", "--price", "h100=2.5"]
    assert json.dumps(plans.to_dict()) == json.dumps(printed("plan", path, *command))
    assert plans[0].step_us <= plans[-1].step_us and len(plans.to_dataframe()) == len(plans)
    tried = shapelint.plan(path, "h100", num_gpus=8, formats=["bf16", "fp8"], over=["optimizer_bits=32,8"])
    command = ["--gpu", "h100", "--gpus", "8", "--formats", "bf16,fp8", "--over", "optimizer_bits=32,8"]
    assert json.dumps(tried.to_dict()) == json.dumps(printed("plan", path, *command))
    served = shapelint.plan(path, "h100", num_gpus=8, input_tokens=1000, output_tokens=200, tpot_ms=30, e2e_ms=9000, concurrency=24)
    command = ["--gpu", "h100", "--gpus", "8", "--input-tokens", "1000", "--output-tokens", "200", "--tpot", "30", "--e2e", "9000"]
    command += ["--concurrency", "24"]
    assert json.dumps(served.to_dict()) == json.dumps(printed("plan", path, *command))
    assert served.launch["vllm"].startswith("vllm serve") and served.best == 0


def test_suggest():
    os.chdir(ROOT)
    better = shapelint.suggest("examples/gpt3-2.7b.toml", "a100", top=3)
    assert json.dumps(better.to_dict()) == json.dumps(printed("suggest", "examples/gpt3-2.7b.toml", "--gpu", "a100", "--top", "3"))
