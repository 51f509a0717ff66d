"""Measured times of single kernels beside predicted ones and their rooflines: what bench/field.py scores kernels with."""
import collections
import csv
import dataclasses
import gzip
import hashlib
import io
import math
import os
import subprocess
import sys
import tempfile
import zlib

KINDS = ["attention-prefill", "attention-decode", "mla-prefill", "mla-decode", "moe", "wide-ep-moe", "amd-moe",
         "grouped-gemm", "frontier-moe", "gated-delta-net",
         "kimi-delta-attention", "mamba2", "hyper-connections", "fp8-quantize", "fp8-scale", "all-reduce", "nccl"]
TARGETS = {"grouped-gemm": ("up_us", 1), "frontier-moe": ("grouped_gemm_ms", 1000)}  # column, to microseconds
FORMER = {"grouped-gemm": "grouped-products"}  # names of tables from before the kind was renamed
# What a table measured, or follows from that: never shown to the program.
MEASURED = {"time_us", "up_us", "down_us", "up_mfu", "down_mfu", "stage1_us", "stage2_us", "tflops", "grouped_gemm_ms"}
LEAST_US = 50  # launches matter below
MOST_WHOLE = 1500  # rows of one kind and GPU of which each is scored, whatever the share
MOST_APART = 0.2  # of the stated speed from what sizes and time make


@dataclasses.dataclass
class Timing:
    row: str  # id_of
    gpu: str
    software: str  # of which the kernel is, with its version
    measured: float  # microseconds, and the two below
    predicted: float
    ideal: float


def read(path):
    with gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="") as file:
        return list(csv.DictReader(file))


def table(folder, name):
    """Rows of a table, compressed or not; none where the folder has no such table."""
    paths = (os.path.join(folder, name + end) for end in (".csv.gz", ".csv"))
    return next((read(path) for path in paths if os.path.exists(path)), [])


def positive(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) and value > 0 else None


def contradicts(row):
    """Whether a row's speed is that of other sizes: aiter's tables repeat the time of one number of tokens for others."""
    if not row.get("tflops") or "topk" not in row:
        return False
    products = 3 if row["gated"] == "1" else 2
    flops = 2 * products * math.prod(int(row[column]) for column in ("tokens", "topk", "hidden", "inter"))
    return abs(float(row["tflops"]) * 1e6 * float(row["time_us"]) / flops - 1) > MOST_APART


def answers(program, kind, gpu, rows):
    """Predicted and ideal microseconds of each row; None where there is no prediction."""
    columns = [column for column in rows[0] if column not in MEASURED]
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        file.flush()
        done = subprocess.run([program, "kernels", kind, "--gpu", gpu, "--shapes", file.name, "--format", "csv"],
                              capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{kind} on {gpu}: {done.stderr.strip()}")
    out = []
    for row in csv.DictReader(io.StringIO(done.stdout)):
        predicted, efficiency = positive(row["predicted_us"]), positive(row["efficiency"])
        out.append((predicted, predicted * efficiency) if predicted and efficiency else None)
    if len(out) != len(rows):
        raise RuntimeError(f"{kind} on {gpu}: {len(rows)} rows in, {len(out)} out")
    return out


def id_of(kind, row):
    """A name of a row by all that it says: the same in every copy of the table, whatever the order."""
    text = ",".join(f"{key}={row[key]}" for key in sorted(row))
    return f"{kind}-{hashlib.sha1(text.encode()).hexdigest()[:12]}"


def software_of(row):
    return " ".join(row[key] for key in ("framework", "version") if row.get(key))


def sample(rows, every):
    """One row in `every` of a long table, chosen by what it says: rows that are added to a table leave the others' choice
    as it is, and a smaller share is part of a larger one. A short table is whole: of 20 rows another choice moves a
    median two-fold."""
    if len(rows) <= MOST_WHOLE:
        return rows
    return [row for row in rows if zlib.crc32(",".join(f"{key}={row[key]}" for key in sorted(row)).encode()) < 2**32 / every]


def tables(folder, every=1):
    """For each kind that `folder` has a table of: GPU -> the rows that are scored."""
    for kind in KINDS:
        column, _ = TARGETS.get(kind, ("time_us", 1))
        by_gpu = collections.defaultdict(list)
        for row in table(folder, kind) or table(folder, FORMER.get(kind, kind)):
            if positive(row.get(column)) and row.get("gpu") and not contradicts(row):
                by_gpu[row["gpu"]].append(row)
        yield kind, {gpu: sample(rows, every) for gpu, rows in sorted(by_gpu.items())}


def score(program, folder, every=1):
    """For each kind that `folder` has a table of: GPU -> its Timings, and the number of rows without an answer."""
    for kind, by_gpu in tables(folder, every):
        column, scale = TARGETS.get(kind, ("time_us", 1))
        found, unanswered = {}, 0
        for gpu, rows in by_gpu.items():
            try:
                answered = answers(program, kind, gpu, rows)
            except RuntimeError as error:  # a GPU that is no profile
                print(error, file=sys.stderr)
                unanswered += len(rows)
                continue
            unanswered += sum(answer is None for answer in answered)
            found[gpu] = [Timing(id_of(kind, row), gpu, software_of(row), scale * float(row[column]), *answer)
                          for row, answer in zip(rows, answered) if answer]
        yield kind, found, unanswered
