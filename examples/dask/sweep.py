"""A sweep that is too large for one machine: the grid in blocks, priced by the workers of a Dask cluster.

    python examples/dask/sweep.py model.toml --over hidden_size=2048:8192:8 --over num_layers=16:96:1 \
        --over intermediate_size=4096:32768:64 --gpu h100 --best 20 > best.csv

Without `--scheduler tcp://host:8786` it starts workers on this machine (`--workers`). The grid is never written down as a
whole: a block is the numbers of its first and last candidate, and what comes back from it is its best candidates. The
same candidates come out whatever the number of workers, and whoever of them dies: Dask prices a lost block again. With
`--rows FOLDER` every candidate of every block is kept, too, one file for each (CSV, or Parquet where pandas can write it);
a file that is there is complete, and is not made again when the sweep is started once more.

Needs the shapelint wheel, numpy, pandas and distributed on every machine.
"""
import argparse
import itertools
import math
import os
import pathlib
import sys
import time

import numpy
import pandas
import shapelint
from distributed import Client, LocalCluster, as_completed


def values_of(text: str) -> tuple[str, list[int]]:
    """`hidden_size=2048:8192:8` and `tensor=1,2,4`, as `shapelint sweep --over` takes them."""
    field, _, values = text.partition("=")
    try:
        if ":" not in values:
            return field, [int(each) for each in values.split(",")]
        low, high, step = (int(each) for each in values.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError("write FIELD=LOW:HIGH:STEP or FIELD=A,B,C") from None
    if step <= 0 or high < low:
        raise argparse.ArgumentTypeError("write FIELD=LOW:HIGH:STEP with a step above 0")
    return field, list(range(low, high + 1, step))


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("write a number from 1 on")
    return number


def columns_of(axes: list[tuple[str, list[int]]], first: int, end: int) -> dict[str, numpy.ndarray]:
    """The candidates from one number to another: the last field varies fastest."""
    numbers = numpy.arange(first, end, dtype=numpy.int64)
    columns = {}
    for field, values in reversed(axes):
        numbers, place = numpy.divmod(numbers, len(values))
        columns[field] = numpy.asarray(values, dtype=numpy.int64)[place]
    return {field: columns[field] for field, _ in axes}


def write(rows: pandas.DataFrame, path: str) -> None:
    # Under another name first: two workers may make the same one, and one may die in the middle.
    unfinished = f"{path}.{os.getpid()}"
    if path.endswith(".parquet"):
        rows.to_parquet(unfinished, index=False)
    else:
        rows.to_csv(unfinished, index=False)
    os.replace(unfinished, path)


def read(path: str) -> pandas.DataFrame:
    if path.endswith(".parquet"):
        return pandas.read_parquet(path)
    return pandas.read_csv(path, keep_default_na=False, float_precision="round_trip")


def price(job: dict, first: int, end: int) -> pandas.DataFrame:
    """The best candidates of one block, with their numbers, so that equals stay in order."""
    part = job["rows"] and os.path.join(job["rows"], f"{first:015d}.{job['format']}")
    if part and os.path.exists(part):
        rows = read(part)
    else:
        columns = columns_of(job["axes"], first, end)
        # One thread: a worker prices as many blocks at a time as it has threads.
        rows = pandas.DataFrame(shapelint.sweep(job["model"], columns, job["gpu"], name=job["name"], threads=1, **job["plan"]))
        rows.insert(0, "candidate", numpy.arange(first, end))
        if part:
            write(rows, part)
    runs = rows[(rows["fails"] == "") & (rows["memory_gib"] <= job["memory_gib"])]
    return runs.sort_values([job["by"], "candidate"], ascending=[False, True], kind="stable").head(job["best"])


def main() -> int:
    options = argparse.ArgumentParser(prog="sweep.py", description=__doc__.partition("\n")[0])
    options.add_argument("model", type=pathlib.Path)
    options.add_argument("--over", action="append", type=values_of, required=True, metavar="FIELD=VALUES")
    options.add_argument("--gpu", default="h100")
    options.add_argument("--set", action="append", default=[], type=values_of, metavar="FIELD=N", help="the same for all")
    options.add_argument("--by", default="mfu", help="what is best when it is largest: mfu, tokens_per_s_per_gpu")
    options.add_argument("--best", type=positive, default=20)
    options.add_argument("--memory-gib", type=float, default=math.inf, help="not those that need more")
    options.add_argument("--rows", help="a folder that all workers see: every candidate, too")
    options.add_argument("--format", choices=["csv", "parquet"], default="csv")
    options.add_argument("--block", type=positive, default=200_000, help="candidates of a block")
    options.add_argument("--scheduler", help="of a cluster; without it workers start here")
    options.add_argument("--workers", type=positive, default=os.cpu_count())
    wants = options.parse_args()

    try:
        model = wants.model.read_text()
        if wants.rows:
            os.makedirs(wants.rows, exist_ok=True)
    except (OSError, UnicodeDecodeError) as error:
        options.error(str(error))
    if wants.format == "parquet":
        try:
            pandas.io.parquet.get_engine("auto")
        except ImportError:
            options.error("pandas needs pyarrow or fastparquet to write Parquet; --format csv needs nothing")
    axes = wants.over
    size = math.prod(len(values) for _, values in axes)
    job = {"model": model, "name": wants.model.name, "axes": axes, "gpu": wants.gpu, "by": wants.by,
           "best": wants.best, "memory_gib": wants.memory_gib, "rows": wants.rows and os.path.abspath(wants.rows),
           "format": wants.format, "plan": {field: values[0] for field, values in wants.set}}
    # What is wrong with the model or a field is said here, not by a worker.
    try:
        price({**job, "rows": None}, 0, 1)
    except shapelint.ShapelintError as error:
        options.error("; ".join(problem.message for problem in error.problems))
    except KeyError as error:
        options.error(f"argument --by: candidates have no {error}")

    cluster = None if wants.scheduler else LocalCluster(n_workers=wants.workers, threads_per_worker=1, dashboard_address=None)
    started = time.monotonic()
    with Client(cluster or wants.scheduler) as client:
        # A few blocks for each worker at a time, however many there are: the scheduler remembers no more.
        starts = iter(range(0, size, wants.block))
        at_once = 4 * max(1, len(client.scheduler_info()["workers"]))

        def submit(first: int):
            return client.submit(price, job, first, min(first + wants.block, size), key=f"block-{first}", retries=10)

        waiting = as_completed([submit(first) for first in itertools.islice(starts, at_once)])
        best = pandas.DataFrame()
        done = 0
        for block in waiting:
            found = block.result()
            best = pandas.concat([best, found]) if len(best) else found
            best = best.sort_values([wants.by, "candidate"], ascending=[False, True], kind="stable").head(wants.best)
            done += 1
            if (first := next(starts, None)) is not None:
                waiting.add(submit(first))
        seconds = time.monotonic() - started
    if cluster:
        cluster.close()
    assert done == math.ceil(size / wants.block)
    best.to_csv(sys.stdout, index=False)
    print(f"{size:,} candidates in {done:,} blocks, {seconds:.1f} s: {size / seconds:,.0f} a second", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
