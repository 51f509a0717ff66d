#!/usr/bin/env python3
"""Runs the script that `shapelint prove` writes on a GPU that is none (fake_torch.py): every line of what it does there
except for what is named below. It never ran on a real device for that.

Usage: prove-device.py
"""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess  # noqa: F401 - before the clock is another
import sys
import tempfile
import time
import types

import fake_torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/measure.py"
GPU = {"id": "h100-sxm5", "name": "NVIDIA H100 SXM5", "names": ["h100-sxm5", "NVIDIA H100 SXM5", "h100"],
       "sm_count": 132, "memory_gb": 80}  # fmt: skip
# A driver that tells why clocks are low by the older name, or by the newer one alone.
NVIDIA_SMI = """#!/bin/sh
echo "$@" >>"$FAKE_LOG"
case "$*" in
  *driver_version*) echo 580.65.06 ;;
  *-lgc* | *-rgc*) ;;
  *throttle_reasons*) [ -z "$NEW_DRIVER" ] || { echo 'Field "clocks_throttle_reasons.active" is not a valid field to query.'; exit 2; }
    echo "1755, 2619, 612.40, 61, 0x0000000000000080" ;;
  *event_reasons*) echo "1980, 2619, 512.40, 51, 0x0000000000000000" ;;
esac
"""
# What no GPU comes to: the CPU's part, a terminal, and what `prove.py` tries.
ELSEWHERE = (
    "return mean, math.inf",
    "torch.set_num_threads(1)  # others may use the machine",
    "self.name = cpu_name()",
    "return 2**30",
    "return host_timer(calls)",
    "raise Unavailable(\"too large for a CPU\")",
    "raise Unavailable(\"a CPU multiplies no fp16\")",
    "raise Unavailable(f\"a CPU multiplies no {kernel['dtype']}\")",
    "except ValueError:",
    "return []",
    "except ImportError:",
    "raise SystemExit(\"error: PyTorch is not installed for this Python\") from None",
    "sys.stdout.write(text)",
    "raise SystemExit(\"error: there is no plan in this file; `shapelint prove FILE --gpu NAME` writes one that has it\")",
)


def loaded(gpu):
    """The script with a clock that is the GPU's, so that what it measures hangs on no load of this machine."""
    spec = importlib.util.spec_from_file_location("measure", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    clock = types.ModuleType("time")
    vars(clock).update(vars(time), monotonic=lambda: gpu.now_us / 1e6)
    sys.modules["time"] = clock
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules["time"] = time
    return module


def product(m, n, k, dtype="bf16", recipe="none", layout="tn", batch=1, **more):
    return {"kind": "gemm", "dtype": dtype, "recipe": recipe, "layout": layout, "batch": batch, "m": m, "n": n, "k": k,
            "predicted_us": 500, **more}  # fmt: skip


def attention(head_dim=128, value_head_dim=None, direction="forward", dtype="bf16", key_value_heads=8, **more):
    return {"kind": "attention", "dtype": dtype, "pass": direction, "sequences": 2, "heads": 16,
            "key_value_heads": key_value_heads, "query_length": 2048, "key_length": 2048, "head_dim": head_dim,
            "value_head_dim": value_head_dim or head_dim, "causal": True, "predicted_us": 100, **more}  # fmt: skip


def memory(size):
    return {"kind": "memory", "bytes": size, "predicted_us": size / 2e6}


# Before and after, and the call that is to be found.
PAIRS = [
    (product(8192, 4104, 4096), product(8192, 4096, 4096), "matmul"),
    (product(4096, 4096, 8192, layout="nt"), product(4096, 4096, 4096, layout="nn"), "matmul"),
    (product(256, 256, 128, batch=64), product(256, 256, 256, batch=64, layout="tt"), "matmul"),
    (product(8192, 4096, 4096, "tf32"), product(8192, 4096, 2048, "fp32"), "matmul"),
    (product(8192, 4096, 4096, "fp8", "tensor"), product(8192, 4096, 2048, "fp8", "row"), "_scaled_mm float32"),
    (product(8192, 4096, 4096, "fp8"), product(8192, 4096, 2048, "fp8"), "te"),
    (product(8192, 4096, 4096, "fp8", "block128"), product(8192, 2112, 4096, "fp8", "block128"), "fp8_gemm_nt"),
    (product(8192, 4096, 4096, "fp8", "mxfp8"), product(100, 4096, 4096, "fp8", "mxfp8"), "_scaled_mm float8_e8m0fnu"),
    (product(8192, 4096, 4096, "fp4", "nvfp4"), product(8192, 4096, 2080, "fp4", "nvfp4"), "_scaled_mm float8_e4m3fn"),
    (product(8192, 4096, 4096, "fp4", "mxfp4"), product(8192, 4096, 2048, "fp4", "mxfp4"), "scaled_mm"),
    (product(8192, 4096, 4096, "int8"), product(8192, 4096, 2048, "int8"), "_int_mm"),
    (product(17, 2048, 4096, batch=8, grouped=True), product(16, 2048, 4096, batch=8, grouped=True), "_grouped_mm"),
    (product(512, 4096, 2048, batch=8, grouped=True, layout="nn"), None, "_grouped_mm"),
    (None, product(2048, 4096, 512, batch=8, grouped=True, layout="nt"), "_grouped_mm 2d"),
    (product(9, 2048, 4096, "fp8", "block128", batch=8, grouped=True), None, "m_grouped_fp8_gemm_nt_masked"),
    (product(16, 2048, 4096, "fp8", "row", batch=8, grouped=True), None, "_scaled_grouped_mm"),
    (attention(), attention(64), "flash_attn"),
    (attention(192, 128), attention(192, 128, "backward"), "sdpa"),
    (attention(window=256), attention(window=512, direction="backward"), "backward"),
    (attention(192, 128, key_value_heads=16), attention(192, 128, key_value_heads=16), "sdpa"),
    (memory(6e6), memory(3e9), "add"),
]  # fmt: skip


def plan_of(pairs, layer=(0, 1, 2, 16)):
    kernels, listed, runs = [], [], []
    for before, after, _ in pairs:
        places = []
        for kernel in (before, after):
            if kernel is not None and kernel not in kernels:
                kernels.append(kernel)
            places.append(None if kernel is None else kernels.index(kernel))
        listed.append({"before": places[0], "after": places[1], "weight_us": 100 - len(listed)})
        runs.append(places)
    sides = [{"layers": 2, "layer": [[p[side], 2] for i, p in enumerate(runs) if i in layer and p[side] is not None],
              "rest": [[p[side], 1] for p in runs[-1:] + runs[:1] if p[side] is not None]} for side in (0, 1)]  # fmt: skip
    wholes = [{"finding": 0, "before": sides[0], "after": sides[1]}] if len(pairs) > 1 else []
    return {"budget_s": 600, "gpu": GPU, "kernels": kernels, "pairs": listed, "wholes": wholes, "findings": []}


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Run:
    """The script, once."""

    executed = set()

    def __init__(self, folder, plan, *options, new_driver=False, smi=True, lacks=(), code=0, **device):
        log, out = folder / "smi.log", folder / "result.json"
        log.write_text("")
        for path in (out, folder / "bin/nvidia-smi"):
            path.unlink(missing_ok=True)
        if smi:
            (folder / "bin/nvidia-smi").write_text(NVIDIA_SMI)
            (folder / "bin/nvidia-smi").chmod(0o755)
        os.environ.update(FAKE_LOG=str(log), NEW_DRIVER="1" if new_driver else "", PATH=f"{folder / 'bin'}:/usr/bin:/bin")
        modules, self.gpu = fake_torch.make(lacks=lacks, **device)
        measure = loaded(self.gpu)
        measure.PLAN = plan
        measure.MOST_ROUNDS = 30
        self.measure, said, self.problem = measure, Terminal(), ""
        sys.argv = ["prove.py", "-o", str(out), *options]
        with fake_torch.installed(modules), contextlib.redirect_stderr(said), traced(self.executed):
            try:
                measure.main()
            except SystemExit as end:
                self.problem = str(end)
        assert bool(self.problem) == bool(code), self.problem
        self.said, self.smi = said.getvalue(), log.read_text()
        self.result = json.loads(out.read_text()) if out.exists() else None


@contextlib.contextmanager
def traced(lines):
    def local(frame, event, _):
        if event == "line":
            lines.add(frame.f_lineno)
        return local

    sys.settrace(lambda frame, event, _: local if frame.f_code.co_filename == str(SCRIPT) else None)
    try:
        yield
    finally:
        sys.settrace(None)


def lines_of(code):
    """Lines of all functions but those of the CPU alone, as the compiler numbers them."""
    for each in code.co_consts:
        if hasattr(each, "co_code") and each.co_name not in ("host_timer", "cpu_name"):
            yield from (line for _, _, line in each.co_lines() if line and line != each.co_firstlineno)
            yield from lines_of(each)


def check_all(folder):
    run = Run(folder, plan_of(PAIRS), "--lock-clocks", "1400")
    result = run.result
    assert result["device"]["expected"] and result["device"]["kind"] == "cuda", result["device"]
    assert result["device"]["throttled"] == ["power brake"] and "throttled (power brake)" in run.said, run.said
    assert result["device"]["samples"][0]["power.draw"] == "612.40", result["device"]["samples"]
    assert "-lgc 1400" in run.smi and run.smi.rstrip().endswith("driver_version --format=csv,noheader,nounits"), run.smi
    assert "-rgc" in run.smi
    assert result["software"] == {"python": sys.version.split()[0], "torch": "2.10.0", "cuda": "12.8",
                                  "driver": "580.65.06", "transformer_engine": "2.8.0", "flash_attn": "2.8.3",
                                  "deep_gemm": "2.3"}, result["software"]  # fmt: skip
    for (before, after, call), pair in zip(PAIRS, result["pairs"]):
        assert "skipped" not in pair, (call, pair)
        assert run.gpu.calls.get(call), (call, run.gpu.calls)
        assert pair["half_width"] <= 0.01 and pair["rounds"] >= 10, pair
    # The ratio of large products, which launches do not matter to, is that of what they compute.
    large = result["pairs"][1]
    assert abs(large["after_us"] / large["before_us"] - 0.5) < 0.01, large
    # A pass of 3 GB is measured by parts.
    assert abs(result["pairs"][-1]["after_us"] - 3e9 / 2e6) < 30, result["pairs"][-1]
    whole = result["wholes"][0]
    assert whole["of"] == "step" and not whole["left_out"] and whole["half_width"] < 0.01, whole
    parts = [pair for index, pair in enumerate(result["pairs"]) if index in (0, 1, 2, 16)]
    expected = 4 * sum(pair["before_us"] for pair in parts) + sum(result["pairs"][i]["before_us"] for i in (-1, 0))
    assert abs(whole["before_us"] / expected - 1) < 0.03, (whole, expected)
    assert f"{len(PAIRS)} of {len(PAIRS)} pairs measured on NVIDIA H100 80GB HBM3" in run.said, run.said


def check_less(folder):
    """An older PyTorch without libraries, and a newer driver: what is not there is named."""
    lacks = ("flash_attn", "deep_gemm", "transformer_engine", "float8_e8m0fnu", "_grouped_mm", "_scaled_grouped_mm", "_int_mm")
    run = Run(folder, plan_of(PAIRS), new_driver=True, lacks=lacks, version="2.4.0")
    assert run.result["device"]["samples"][0]["clocks_throttle_reasons.active"] == "0x0000000000000000"
    assert run.result["device"]["throttled"] == []
    reasons = {pair["skipped"] for pair in run.result["pairs"] if "skipped" in pair}
    assert reasons == {
        "fp8 in blocks of 128 needs DeepGEMM", "PyTorch 2.4.0 has no mxfp8", "PyTorch 2.4.0 has no nvfp4",
        "PyTorch 2.4.0 has no mxfp4", "PyTorch has no such product of int8 here", "attention within a window needs flash-attn",
        "PyTorch 2.4.0 has no grouped product of fp8 (row)",
    }, reasons  # fmt: skip
    # Experts are a batched product then, and what fp8 quantizes is left out.
    assert run.gpu.calls["matmul"] and "_grouped_mm" not in run.gpu.calls and run.gpu.calls["_scaled_mm float32"]
    older = Run(folder, plan_of(PAIRS), smi=False, lacks=(*lacks, "float8_e4m3fn", "scaled_dot_product_attention"),
                version="1.13.1")  # fmt: skip
    reasons = {pair["skipped"] for pair in older.result["pairs"] if "skipped" in pair}
    assert "PyTorch 1.13.1 has no fp8" in reasons and "PyTorch 1.13.1 has no fp4" in reasons, reasons
    assert "PyTorch 1.13.1 has no fused attention" in reasons and older.result["device"]["samples"] == []
    # Shapes that a format does not have, and what a library of another version lacks.
    odd = [(product(64, 4096, 4100, "fp8", "mxfp8"), None, ""), (product(8, 64, 64, "fp4", "nvfp4", batch=4), None, ""),
           (product(8192, 4100, 4096, "fp8", "row"), None, ""), (product(64, 64, 64, "fp64"), None, ""),
           (memory(1.0), memory(1.0), "")]  # fmt: skip
    ran = Run(folder, plan_of(odd))
    skipped = [pair.get("skipped") for pair in ran.result["pairs"]]
    assert ran.result["wholes"][0]["skipped"] == "nothing of a layer can be measured", ran.result["wholes"]
    assert "left out: a step as a whole (nothing of a layer can be measured)" in ran.said, ran.said
    assert skipped[0] == "mxfp8 needs n and k that fill its blocks", skipped
    assert skipped[1] == "PyTorch has no such batched product of fp4" and "(8192, 4096)" in skipped[2], skipped
    assert skipped[3:] == ["fp64 has no PyTorch type that multiplies", None], skipped
    for name, kernel in (("fp8_gemm_nt", PAIRS[6][0]), ("m_grouped_fp8_gemm_nt_masked", PAIRS[14][0])):
        modules, gpu = fake_torch.make()
        delattr(modules["deep_gemm"], name)
        with fake_torch.installed(modules), traced(Run.executed):
            measure = loaded(gpu)
            device = measure.Device(modules["torch"], "cuda")
            out = measure.attempt(device, {}, lambda: measure.Work(modules["torch"], device, kernel, 1e12))
        assert out["skipped"].startswith("this DeepGEMM has no"), out


def check_devices(folder):
    """Which GPU may be measured."""
    small = plan_of(PAIRS[:1])
    other = Run(folder, small, name="NVIDIA A100-SXM4-80GB", sm_count=108, code=1)
    assert other.problem.startswith("error: this GPU is `NVIDIA A100-SXM4-80GB` with 108 SMs and 85 GB"), other.problem
    anyway = Run(folder, small, "--any-gpu", name="NVIDIA A100-SXM4-80GB", sm_count=108)
    assert not anyway.result["device"]["expected"] and "skipped" not in anyway.result["pairs"][0]
    none = Run(folder, small, name=None, code=1)
    assert none.problem.startswith("error: PyTorch sees no GPU on this machine"), none.problem
    # A GPU that is full, and a budget that is spent.
    full = Run(folder, small, memory=80e6, code=1)
    assert "and 0 GB, and the plan is for" in full.problem, full.problem
    full = Run(folder, small, "--any-gpu", memory=80e6)
    assert full.result["pairs"][0]["skipped"] == "too large for the memory that is free", full.result["pairs"]
    several = [(product(8192, 4096 + 8 * i, 4096), product(8192, 4100 + 8 * i, 4096), "") for i in range(6)]
    crowded = Run(folder, plan_of(several, range(6)), "--any-gpu", memory=2.3e9)
    assert "skipped" not in crowded.result["pairs"][2], crowded.result["pairs"]
    assert crowded.result["wholes"][0]["skipped"] == "too large for the memory that is free", crowded.result["wholes"]
    spent = Run(folder, plan_of(PAIRS), "--budget", "0")
    assert all(pair["skipped"] == "the time was spent" for pair in spent.result["pairs"]), spent.result["pairs"]
    assert spent.result["wholes"][0]["of"] == "layer", spent.result["wholes"]
    # Times are written as `shapelint prove` has them, too.
    for text, expected in (("150", 150), ("150s", 150), ("5m", 300), ("1.5h", 5400)):
        assert spent.measure.seconds(text) == expected, text
    wrong = Run(folder, plan_of(PAIRS), "--budget", "soon", code=2)
    assert "`soon` is no time such as 150, 150s or 5m" in wrong.said, wrong.said


def check_sweeps(folder):
    sweeps = ["grid", "alignment", "waves", "attention", "moe", "layers"]
    run = Run(folder, {"budget_s": 20, "gpu": GPU, "sweeps": sweeps}, "--budget", "12")
    rows = run.result["rows"]
    assert {row["sweep"] for row in rows} == set(sweeps) and all(row["us"] > 0 for row in rows if "skipped" not in row)
    assert not [row for row in rows if "skipped" in row], [row["skipped"] for row in rows if "skipped" in row][:3]
    assert run.result["planned"] > 3000 and run.result["device"]["samples"], run.result["planned"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        path = os.environ["PATH"]
        try:
            for check in (check_all, check_less, check_devices, check_sweeps):
                check(folder)
        finally:
            os.environ["PATH"] = path
    script = SCRIPT.read_text()
    every = set(lines_of(compile(script, str(SCRIPT), "exec")))
    left = [script.splitlines()[line - 1].strip() for line in sorted(every - Run.executed)]
    left = [text for text in left if text not in ELSEWHERE]
    assert not left, left
    print(f"{len(every & Run.executed)} of {len(every)} lines ran")


main()
