#!/usr/bin/env python3
"""Times matrix products on this machine's GPU, for `shapelint calibrate`. Needs PyTorch with CUDA or ROCm.

    bench/measure_gemm.py -o measured.csv                       all sweeps (--plan says how long)
    bench/measure_gemm.py -o measured.csv --sweeps alignment    one of: grid, alignment, waves, attention
    bench/measure_gemm.py -o measured.csv --from model.toml     the products of a model, through shapelint
    bench/measure_gemm.py --plan                                what would be run and for how long

Each product runs in a CUDA graph (no launch gaps), after a warm-up, many times; the median counts. Buffers hold
random numbers (equal ones draw less power and run faster) and are rotated: with `--cache cold` (the default)
over four times the L2 cache, so that operands come from DRAM as in a training step; with `warm`, one set.
A run that was interrupted goes on where it stopped: rows that the output has are not measured again.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import time

import measure as core

COLUMNS = ["gpu", "dtype", "op", "layout", "batch", "m", "n", "k", "time_us", "source"]
TARGET_S = 0.04  # of measuring per product, at least REPEATS
REPEATS = 20

def swept(name):
    """The plain products of a sweep of bench/measure.py; `shapelint prove --sweeps` measures its other kernels, too."""
    for kernel in core.SWEEPS[name]():
        if kernel["kind"] == "gemm" and kernel["recipe"] == "none" and not kernel.get("grouped"):
            op = "bmm" if kernel["batch"] > 1 else "gemm"
            yield (op, *(kernel[key] for key in ("layout", "batch", "m", "n", "k")))


SWEEPS = ("grid", "alignment", "waves", "attention")


def of_model(program, path):
    """The products of a model file, as `shapelint --format json --with operations` lists them."""
    done = subprocess.run([program, path, "--format", "json", "--with", "operations"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{program} {path} exited {done.returncode}: {done.stderr.strip()}")

    def walk(value):
        if isinstance(value, dict):
            if all(key in value for key in ("m", "n", "k")):
                size = {key: value[key]["value"] if isinstance(value[key], dict) else value[key]
                        for key in ("m", "n", "k", "batch") if key in value}
                batch = int(size.get("batch", 1))
                yield ("bmm" if batch > 1 else "gemm", value.get("layout", "tn"), batch, int(size["m"]), int(size["n"]),
                       int(size["k"]))
            for child in value.values():
                yield from walk(child)
        elif isinstance(value, list):
            for child in value:
                yield from walk(child)

    return list(dict.fromkeys(walk(json.loads(done.stdout))))


def measure(torch, device, shape, dtype):
    """Median time of one product in microseconds."""
    op, layout, batch, m, n, k = shape
    kernel = {"kind": "gemm", "dtype": dtype, "recipe": "none", "layout": layout, "batch": batch, "m": m, "n": n, "k": k}
    work = core.Work(torch, device, kernel, device.free_bytes() / 2)
    times = []
    started = time.monotonic()
    while len(times) < REPEATS or (time.monotonic() - started < TARGET_S and len(times) < 500):
        times.append(work.run())
    return core.median(times)


def key(row):
    return tuple(str(row[c]) for c in ("dtype", "op", "layout", "batch", "m", "n", "k"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="measured.csv")
    parser.add_argument("--gpu", default="", help="name for the gpu column (default: the device's own)")
    parser.add_argument("--dtype", default="bf16", choices=["bf16", "fp16", "fp32", "tf32"])
    parser.add_argument("--sweeps", default="grid,alignment,waves,attention")
    parser.add_argument("--from", dest="model", help="a model file: its products instead of the sweeps")
    parser.add_argument("--shapelint", default="shapelint", help="program that reads the model file")
    parser.add_argument("--cache", default="cold", choices=["cold", "warm"])
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cpu: tries the script out")
    parser.add_argument("--plan", action="store_true", help="print what would be run, and stop")
    options = parser.parse_args()

    if options.model:
        shapes = of_model(options.shapelint, options.model)
    else:
        unknown = [s for s in options.sweeps.split(",") if s not in SWEEPS]
        if unknown:
            raise SystemExit(f"unknown sweep `{unknown[0]}`; there are {', '.join(SWEEPS)}")
        shapes = list(dict.fromkeys(s for name in options.sweeps.split(",") for s in swept(name)))
    done = set()
    if os.path.exists(options.output):
        with open(options.output, newline="") as file:
            done = {key(row) for row in csv.DictReader(file)}
    todo = [s for s in shapes if key(dict(zip(("op", "layout", "batch", "m", "n", "k"), s), dtype=options.dtype)) not in done]
    # 0.15 s for buffers and graph, and the measuring itself at an assumed 100 TFLOPS.
    work = sum(2 * b * m * n * k / 100e12 * 8 * (REPEATS + 4) for _, _, b, m, n, k in todo)
    seconds = work + len(todo) * (0.15 + TARGET_S)
    print(f"{len(shapes)} products, {len(shapes) - len(todo)} already in {options.output}; "
          f"about {seconds / 60:.0f} minutes for the rest", file=sys.stderr)
    if options.plan:
        return

    try:
        import torch
    except ImportError:
        raise SystemExit("PyTorch is not installed here; it is needed for measuring (--plan works without)")
    if options.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("PyTorch sees no GPU on this machine, so nothing can be measured (--plan works without)")
    device = core.Device(torch, options.device)
    if options.cache == "warm":
        device.cache_bytes = 0
    name = options.gpu or device.name.lower().replace("nvidia ", "").replace(" ", "-")
    source = f"measure_gemm.py torch-{torch.__version__} cuda-{torch.version.cuda or torch.version.hip} {options.cache} {time.strftime('%Y-%m-%d')}"

    fresh = not os.path.exists(options.output)
    with open(options.output, "a", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=COLUMNS)
        if fresh:
            writer.writeheader()
        for index, shape in enumerate(todo):
            try:
                time_us = measure(torch, device, shape, options.dtype)
            except core.Unavailable as reason:
                print(f"\nskipped {shape}: {reason}", file=sys.stderr)
                continue
            except torch.cuda.OutOfMemoryError:
                print(f"\nskipped {shape}: out of memory", file=sys.stderr)
                continue
            op, layout, batch, m, n, k = shape
            writer.writerow({"gpu": name, "dtype": options.dtype, "op": op, "layout": layout, "batch": batch, "m": m, "n": n,
                             "k": k, "time_us": f"{time_us:.4f}", "source": source})
            file.flush()
            if sys.stderr.isatty():
                print(f"\r{index + 1} of {len(todo)}", end="", file=sys.stderr)


if __name__ == "__main__":
    main()
