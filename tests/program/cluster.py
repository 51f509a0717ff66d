#!/usr/bin/env python3
"""examples/dask/sweep.py on workers of its own, one of which is killed on the way: cluster.py [CANDIDATES], on
demand.

Runs under a Python that has the shapelint wheel, numpy, pandas and distributed (Debian: python3-distributed, and a virtual
environment with --system-site-packages). What comes out is what one call of shapelint.sweep gives. Exit code 77: something
of this is missing.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
try:
    import distributed  # noqa: F401
    import numpy  # noqa: F401
    import pandas
    import shapelint
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.path.insert(0, str(ROOT / "examples/dask"))
import sweep  # noqa: E402

MODEL = ROOT / "examples/llama-3-8b.toml"
WIDTHS = max(1, int(sys.argv[1]) // (65 * 129)) if len(sys.argv) > 1 else 24
OVER = [f"hidden_size=4096:{4096 + 128 * (WIDTHS - 1)}:128", "num_layers=16:80:1", "intermediate_size=8192:24576:128"]
ARGS = [sys.executable, str(ROOT / "examples/dask/sweep.py"), str(MODEL), "--gpu", "h100", "--best", "50", "--block", "10000"]
for each in OVER:
    ARGS += ["--over", each]


def expected() -> tuple[str, pandas.DataFrame]:
    axes = [sweep.values_of(each) for each in OVER]
    size = 1
    for _, values in axes:
        size *= len(values)
    rows = pandas.DataFrame(shapelint.sweep(MODEL, sweep.columns_of(axes, 0, size), "h100"))
    rows.insert(0, "candidate", range(size))
    runs = rows[rows["fails"] == ""]
    best = runs.sort_values(["mfu", "candidate"], ascending=[False, True], kind="stable").head(50)
    return best.to_csv(index=False), rows


def main() -> int:
    best, rows = expected()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "examples/dask")}
        address = f"{folder}/scheduler.json"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": folder}
        dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", address]
        running = [subprocess.Popen(dask, **quiet)]
        try:
            while not os.path.exists(address):
                time.sleep(0.2)
            worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", address, "--nthreads", "1", "--no-nanny",
                      "--no-dashboard"]
            running += [subprocess.Popen([*worker, "--name", f"w{i}"], **quiet) for i in range(3)]
            scheduler = json.load(open(address))["address"]
            with distributed.Client(scheduler) as client:
                client.wait_for_workers(3, timeout=120)
            ran = subprocess.Popen([*ARGS, "--scheduler", scheduler, "--rows", f"{folder}/rows"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment)
            while len(list(pathlib.Path(folder).glob("rows/*.csv"))) < 2 and ran.poll() is None:
                time.sleep(0.01)
            running[1].send_signal(signal.SIGKILL)
            at_kill = len(list(pathlib.Path(folder).glob("rows/*.csv")))
            out, err = ran.communicate(timeout=1800)
            files = sorted(map(str, pathlib.Path(folder).glob("rows/*.csv")))
            done = pandas.concat(map(sweep.read, files))
        finally:
            for each in running:
                each.kill()
                each.wait()
    assert ran.returncode == 0, err
    assert at_kill < len(files), "it was done before the worker died: give more candidates"
    assert out == best, "the best candidates are others"
    pandas.testing.assert_frame_equal(done.reset_index(drop=True), rows, check_exact=True)
    count, seconds = re.search(r"^([\d,]+) candidates in .* blocks, ([\d.]+) s", err, re.M).groups()
    print(f"{count} candidates, a worker of three killed after {at_kill} of {len(files)} blocks: the same, in {seconds} s")
    alone = {}
    for workers in (1, 2):
        told = subprocess.run([*ARGS, "--workers", str(workers)], capture_output=True, text=True, check=True)
        assert told.stdout == best
        alone[workers] = re.search(r"([\d,]+) a second", told.stderr)[1]
    print(f"candidates a second: {alone[1]} with one worker, {alone[2]} with two")
    return 0


if __name__ == "__main__":
    sys.exit(main())
