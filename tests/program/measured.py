#!/usr/bin/env python3
"""Submissions of measurements: what a script of sweeps writes fits the schema, and what cannot be is told.

Usage: measured.py SHAPELINT. Exit code 77 (skipped) without the jsonschema package.
"""
import copy
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPELINT = str(pathlib.Path(sys.argv[1]).resolve())
sys.path.insert(0, str(ROOT / "bench"))
import measure  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed (Debian: python3-jsonschema)")
    sys.exit(77)


def ran(*arguments, code=0, **more):
    done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True, **more)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def plan_in(script):
    begin = script.index("r'''\n") + len("r'''\n")
    return json.loads(script[begin : script.index("\n'''", begin)])


def predicted(kernels):
    """Microseconds of plain products."""
    columns = ("dtype", "recipe", "layout", "batch", "m", "n", "k")
    table = io.StringIO()
    writer = csv.DictWriter(table, columns)
    writer.writeheader()
    writer.writerows({key: kernel[key] for key in columns} for kernel in kernels)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        path.write_text(table.getvalue())
        out = ran(SHAPELINT, "gemm", "--gpu", "h200", "--shapes", path, "--format", "csv").stdout
    return [float(row["predicted_us"]) for row in csv.DictReader(io.StringIO(out))]


def result_of(plan, kernels, times):
    rows = [{"sweep": "grid", "kernel": kernel, "us": us, "half_width": 0.004, "rounds": 20} for kernel, us in zip(kernels, times)]
    rows[-1] = {"sweep": "grid", "kernel": kernels[-1], "skipped": "the reason why"}
    return {
        "version": 1,
        "date": "2026-11-22",
        "seconds": 61.5,
        "device": {"kind": "cuda", "name": "NVIDIA H200", "sm_count": 132, "expected": True, "clocks_locked_mhz": None,
                   "samples": [{"clocks.sm": "1980"}], "throttled": []},
        "software": {"python": "3.12.1", "torch": "2.9.0"},
        "planned": len(kernels),
        "rows": rows,
        "plan": plan,
    }  # fmt: skip


def main():
    plan = plan_in(ran(SHAPELINT, "prove", "--sweeps", "grid", "--gpu", "h200").stdout)
    assert plan["sweeps"] == ["grid"] and plan["budget_s"] == 3600, plan
    kernels = list(measure.SWEEPS["grid"]())
    good = result_of(plan, kernels, [1.1 * us for us in predicted(kernels)])
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)

        def checked(result, code=1):
            path = here / "measured.json"
            path.write_text(json.dumps(result))
            return ran(ROOT / "scripts/check-measured", "--shapelint", SHAPELINT, path, code=code).stdout

        def changed(change):
            result = copy.deepcopy(good)
            change(result)
            return checked(result)

        out = checked(good, code=0)
        assert f"{len(kernels) - 1} kernels of {len(kernels)} measured on NVIDIA H200, 2026-11-22" in out, out
        assert "1 of 1 files are good" in out and "not measured: 1 kernel (the reason why)" in out, out
        schema = json.loads((ROOT / "docs/schema/shapelint-prove.schema.json").read_text())
        for change, code in ((lambda r: None, 0), (lambda r: r["device"].update(throttled=["power brake"]), 1)):
            result = copy.deepcopy(good)
            change(result)
            (here / "measured.json").write_text(json.dumps(result))
            told = json.loads(ran(SHAPELINT, "prove", "--read", here / "measured.json", "--format", "json", code=code).stdout)
            jsonschema.Draft7Validator(schema).validate(told)
            assert told["kernels"] == len(kernels) - 1 and bool(told["doubts"]) == bool(code), told
        (here / "measured.json").write_text(json.dumps(good))
        # `calibrate` takes the products of it.
        fitted = ran(SHAPELINT, "calibrate", here / "measured.json", "--gpu", "h200", "--evaluations", "100", "--folds", "1",
                     cwd=here)  # fmt: skip
        assert f"half: {len(kernels) - 1} rows" in fitted.stdout, fitted.stdout

        def faster(result):
            for row in result["rows"][:-1]:
                row["us"] /= 10

        out = changed(faster)
        assert "kernels are faster than the GPU (gemm bf16 none tn 1 " in out and "times the prediction or less" in out, out
        for change, expected in (
            (lambda r: r["device"].update(expected=False, name="NVIDIA H100"), "it was measured on NVIDIA H100"),
            (lambda r: r["device"].update(throttled=["power brake"]), "the GPU was throttled (power brake)"),
            (lambda r: r["device"].update(clocks_locked_mhz="1400"), "clocks were held at 1400 MHz"),
            (lambda r: r.update(rows=r["rows"][:5]), "5 kernels are too few"),
            (lambda r: [row.update(half_width=0.3) for row in r["rows"][:-1]], "the machine was not idle"),
            (lambda r: r.update(date="yesterday"), "date: 'yesterday' does not match"),
            (lambda r: r["rows"][0].update(us=-1), "does not fit the schema"),
            (lambda r: r["rows"][0]["kernel"].update(m=0), "does not fit the schema"),
            (lambda r: r.update(note="x"), "Additional properties are not allowed"),
        ):
            out = changed(change)
            assert expected in out and "0 of 1 files are good" in out, (expected, out)
        (here / "text").write_text("no JSON")
        assert "does not fit the schema" in ran(ROOT / "scripts/check-measured", here / "text", code=1).stdout
    # What the script itself writes, on this machine's CPU: it fits, and it is no GPU's.
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            break
    else:
        print("not tried: PyTorch is not installed (Debian: python3-torch)")
        return
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        shown = ran(SHAPELINT, "prove", "--sweeps", "alignment,attention,moe,layers", "--gpu", "h200", "--run", "--python", python,
                    "--device", "cpu", "--budget", "2s", "-o", here / "measured.json", code=1)  # fmt: skip
        assert "not plausible: it was measured on " in shown.stdout, shown.stdout
        out = ran(ROOT / "scripts/check-measured", "--shapelint", SHAPELINT, here / "measured.json", code=1).stdout
        assert "does not fit" not in out and "and the plan is for NVIDIA H200" in out, out


main()
