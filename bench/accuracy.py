"""Scores the program's predictions against files of measured times; see accuracy.sh. Standard library only."""
import argparse
import contextlib
import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

WORSE = 1.10  # a figure may be this much above the recorded one
NOISE = 0.002  # and this much more, so that figures near zero do not fail on rounding

SLICES = {
    "all": lambda r: True,
    "train": lambda r: r["m"] >= 1024 and r["n"] >= 512 and r["k"] >= 512,
    "decode": lambda r: r["m"] <= 64 and r["n"] >= 1024 and r["k"] >= 1024,
    "misaligned": lambda r: r["n"] % 8 != 0 or r["k"] % 8 != 0,
}

# GPU of the measurements, its file, and whose constants stand in: what a GPU that nobody measured would get.
TRANSFERS = [
    ("rtx-3090", "rtx3090-fp16", "rtx-a6000"),
    ("rtx-a6000", "a6000-fp16", "rtx-3090"),
    ("h100-sxm5", "h100_sxm-bf16", "b200-sxm"),
    ("b200-sxm", "b200_sxm-bf16", "h100-sxm5"),
    ("l40s", "l40s-bf16", "rtx-a6000"),
    ("a100-sxm4-80gb", "a100_sxm-bf16", "a100-sxm4-40gb"),
    ("v100-pcie-32gb", "neusight-fp32", "t4"),
]

# What predictions are wanted to reach where they do not: file and GPU, slice, figure, bar. `residuals` shows what
# stands in the way.
BARS = [
    ("a100_sxm-bf16 a100-sxm4-80gb bf16", "decode", "mape", 0.05),
    ("a100_sxm-bf16 a100-sxm4-80gb bf16", "edges", "precision", 0.6),
    ("l40s-bf16 l40s bf16", "all", "mape", 0.11),
    ("l40s-bf16 l40s bf16", "train", "mape", 0.08),
    ("l40s-bf16 l40s bf16", "decode", "mape", 0.11),
    ("neusight-fp32 a100-pcie-40gb fp32", "all", "median", 0.15),
    ("neusight-fp32 p100-pcie fp32", "all", "median", 0.15),
    ("deepbench-p100 p100-pcie fp16", "all", "median", 0.15),
    ("deepbench-p100 p100-pcie fp32", "all", "median", 0.15),
    ("transfer rtx3090-fp16 rtx-3090 rtx-a6000", "all", "mape", 0.16),
    ("transfer b200_sxm-bf16 b200-sxm h100-sxm5", "all", "mape", 0.16),
]
# Timed without gaps between kernels, on GPUs whose constants of this type hold the gaps of another benchmark (NeuSight's).
WITHOUT_GAPS = {"deepbench-p100 p100-pcie fp32", "deepbench-t4 t4 fp32"}
L2_MIB = {"a100-sxm4-80gb": 40, "l40s": 96, "rtx-3090": 6, "b200": 126, "p100-pcie": 4}


def read(path):
    """Rows of a file. DeepBench's matrices lie by columns: what it calls m is contiguous, which is n here."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    if os.path.basename(path).startswith("deepbench-"):
        rows = [{**r, "m": r["n"], "n": r["m"]} for r in rows]
    return rows


def predict(program, gpu_options, rows):
    """Rows with `p` (predicted), `i` (ideal roofline) and `t` (measured), all in microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        command = [program, "gemm", *gpu_options, "--shapes", path, "--format", "csv"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} exited {done.returncode}: {done.stderr.strip()[:400]}")
    result = []
    for row in csv.DictReader(io.StringIO(done.stdout)):
        result.append({"gpu": row["gpu"], "dtype": row["dtype"], "batch": int(row["batch"]), "m": int(row["m"]),
                       "n": int(row["n"]), "k": int(row["k"]), "t": float(row["time_us"]),
                       "p": float(row["predicted_us"]), "i": float(row["ideal_us"]),
                       "tile": f"{row['tile_m']}x{row['tile_n']}", "split": int(row["split_k"]),
                       "waves": float(row["waves"])})
    return result


def statistics(rows, key="p"):
    errors = sorted(abs(r[key] / r["t"] - 1) for r in rows)
    n = len(errors)
    return {"rows": n, "mape": sum(errors) / n, "median": errors[n // 2], "p90": errors[min(n - 1, int(0.9 * n))],
            "bias": math.exp(sum(math.log(r[key] / r["t"]) for r in rows) / n)}


def edges(rows):
    """Pairs m, m + 1 (m a multiple of 16; n, k >= 1024): > 10 % slower measured, > 5 % predicted."""
    sites = {}
    for r in rows:
        if r["n"] >= 1024 and r["k"] >= 1024:
            sites.setdefault((r["gpu"], r["dtype"], r["batch"], r["n"], r["k"]), {})[r["m"]] = r
    pairs = [(site[m + 1]["t"] / a["t"] > 1.10, site[m + 1]["p"] / a["p"] > 1.05)
             for site in sites.values() for m, a in site.items() if m % 16 == 0 and m + 1 in site]
    if len(pairs) < 100:
        return None
    hits = sum(a and b for a, b in pairs)
    return {"pairs": len(pairs), "recall": hits / max(1, sum(a for a, _ in pairs)),
            "precision": hits / max(1, sum(b for _, b in pairs))}


def twins(rows):
    """Share of pairs (aligned, misaligned neighbour) whose ratio of times is predicted within 10 %.

    Twins agree in all but n or k, which differ by less than 8; one is a multiple of 8 and the other is not."""
    good = count = 0
    for fixed, free in (("k", "n"), ("n", "k")):
        groups = {}
        for r in rows:
            groups.setdefault((r["gpu"], r["dtype"], r["batch"], r["m"], r[fixed]), []).append(r)
        for group in groups.values():
            for a in group:
                for b in group:
                    if a[free] % 8 or not b[free] % 8 or abs(a[free] - b[free]) >= 8:
                        continue
                    count += 1
                    good += abs((b["p"] / a["p"]) / (b["t"] / a["t"]) - 1) <= 0.10
    return {"pairs": count, "within": good / count} if count >= 20 else None


def bracket(value, limits):
    """The range between two limits that `value` is in, its upper end included."""
    below = None
    for limit in limits:
        if value <= limit:
            return f"up to {limit}" if below is None else f"above {below}, up to {limit}"
        below = limit
    return f"above {below}"


def weight_share(r):
    bytes_each = 4 if r["dtype"] == "fp32" else 2
    share = bytes_each * r["batch"] * r["n"] * r["k"] / (L2_MIB.get(r["gpu"], 40) * 2**20)
    return bracket(share, (0.1, 0.5, 1, 4))


# What residuals are sorted by: a title and the group of a row.
GROUPS = [
    ("m", lambda r: bracket(r["m"], (16, 64, 256, 1024, 4096))),
    ("k", lambda r: bracket(r["k"], (256, 1024, 4096))),
    ("weights / L2", weight_share),
    ("predicted tile", lambda r: r["tile"]),
    ("predicted split of k", lambda r: "none" if r["split"] == 1 else bracket(r["split"], (2, 4, 8, 16))),
    ("predicted waves", lambda r: bracket(r["waves"], (0.5, 1, 2, 4))),
]


def neighbours(rows):
    """Mean change of the measured time against the predicted one between neighbouring m (at most 1/16 apart) of a
    site: what of the error no smooth correction of the model could remove."""
    sites = {}
    for r in rows:
        sites.setdefault((r["batch"], r["n"], r["k"]), []).append(r)
    changes = []
    for site in sites.values():
        site.sort(key=lambda r: r["m"])
        for a, b in zip(site, site[1:]):
            if a["m"] < b["m"] <= a["m"] * 17 / 16 + 1:
                changes.append(abs(math.log((b["t"] / a["t"]) / (b["p"] / a["p"]))))
    return {"pairs": len(changes), "change": sum(changes) / len(changes)} if len(changes) >= 20 else None


def repeats(rows):
    """Mean distance of a measured time from the mean of its shape's, where the file has a shape more than once."""
    shapes = {}
    for r in rows:
        shapes.setdefault((r["batch"], r["m"], r["n"], r["k"]), []).append(r["t"])
    again = [abs(t * len(times) / sum(times) - 1) for times in shapes.values() if len(times) > 1 for t in times]
    return {"rows": len(again), "distance": sum(again) / len(again)} if again else None


def residuals(rows):
    """By group: rows, error, bias, and share of the sum of all errors, where that exceeds the share of the rows."""
    total = sum(abs(r["p"] / r["t"] - 1) for r in rows)
    result = []
    for title, group_of in GROUPS:
        groups = {}
        for r in rows:
            groups.setdefault(group_of(r), []).append(r)
        for group, part in groups.items():
            s = statistics(part)
            result.append({"by": title, "group": group, "of_rows": len(part) / len(rows),
                           "of_error": s["mape"] * len(part) / total, "mape": s["mape"], "bias": s["bias"]})
    for excess in (1.15, 1.0):
        chosen = [g for g in result if g["of_error"] > max(0.1, excess * g["of_rows"])]
        if chosen:
            return chosen
    return []


def missed_edges(rows):
    """Edges predicted that were not measured, by the number of predicted waves before the edge."""
    sites = {}
    for r in rows:
        if r["n"] >= 1024 and r["k"] >= 1024:
            sites.setdefault((r["gpu"], r["batch"], r["n"], r["k"]), {})[r["m"]] = r
    groups = {}
    for site in sites.values():
        for m, a in site.items():
            b = site.get(m + 1)
            if m % 16 == 0 and b and b["p"] / a["p"] > 1.05:
                groups.setdefault(bracket(a["waves"], (0.5, 1, 2, 4)), []).append(b["t"] / a["t"])
    return [{"waves": name, "predicted": len(steps), "right": sum(s > 1.10 for s in steps) / len(steps),
             "above_5": sum(s > 1.05 for s in steps) / len(steps)} for name, steps in sorted(groups.items())]


def score(rows):
    result = {}
    for name, belongs in SLICES.items():
        part = [r for r in rows if belongs(r)]
        if part:
            result[name] = statistics(part)
            result[name]["roofline"] = statistics(part, "i")["mape"]
    result["edges"] = edges(rows)
    result["twins"] = twins(rows)
    result["rows"] = rows
    return {k: v for k, v in result.items() if v}


def residual_tables(report):
    lines = ["", "## Unmet targets\n",
             "Figures that miss what is wanted of them, and the groups of rows whose share of the error exceeds their share "
             "of the rows by 15 % and more, or at all where none does so by 15 % (tile, split and waves are the predicted ones). *Neighbours* is the mean change of "
             "measured over predicted time between neighbouring m of one (n, k) site: jumps from one kernel to another and "
             "scatter, which no smooth correction removes. Two campaigns on one GPU differ by 3-8 %."]
    for name, part, figure, bar in BARS:
        if name not in report or part not in report[name]:
            continue
        value = report[name][part][figure]
        rows = [r for r in report[name]["rows"] if part == "edges" or SLICES[part](r)]
        if value >= bar if figure == "precision" else value <= bar:
            continue
        lines += ["", f"### {name}: {part}, {figure} {percent(value)}, wanted {percent(bar)}\n"]
        if part == "edges":
            lines += ["| waves before the edge | edges predicted | measured above 10 % | above 5 % |", "|---|--:|--:|--:|"]
            lines += [f"| {e['waves']} | {e['predicted']} | {percent(e['right'])} | {percent(e['above_5'])} |"
                      for e in missed_edges(rows)]
            continue
        change = neighbours(rows)
        if change:
            lines += [f"Neighbours: {percent(change['change'])} over {change['pairs']} pairs.\n"]
        again = repeats(rows)
        if again:
            lines += [f"{again['rows']} rows are of shapes that the file has more than once; they lie "
                      f"{percent(again['distance'])} from their shape's mean.\n"]
        lines += ["| by | group | of the rows | of the error | MAPE | bias |", "|---|---|--:|--:|--:|--:|"]
        lines += [f"| {g['by']} | {g['group']} | {percent(g['of_rows'])} | {percent(g['of_error'])} | "
                  f"{percent(g['mape'])} | {g['bias']:.3f} |" for g in residuals(rows)]
    return lines


def without_calibration(text):
    return re.split(r"(?m)^\[calibration", text)[0]


def calibration_of(text):
    tables = re.findall(r"(?ms)^\[calibration.*?(?=^\[(?!calibration)|\Z)", text)
    # What only the donor's benchmark paid does not carry over.
    own = re.sub(r"(?m)^(host_us|rotation_(?!reach)\w+) =.*\n", "", "".join(tables))
    return own.replace("[calibration]\n", "[calibration]\nborrowed = true\n", 1)


def percent(x):
    return f"{100 * x:.1f} %"


def gpu_and_dtype(name):
    """Of a setting: `FILE GPU DTYPE`, or `transfer FILE GPU DONOR`, whose type the file's name ends with."""
    if not name.startswith("transfer "):
        return name.split(" ")[1:]
    _, file, gpu, _ = name.split(" ")
    return gpu, file.rsplit("-", 1)[1]


@contextlib.contextmanager
def gpu_options(name):
    """The options that make the program predict for a setting."""
    if not name.startswith("transfer "):
        yield ["--gpu", name.split(" ")[1]]
        return
    _, _, gpu, donor = name.split(" ")
    with open(f"gpus/{gpu}.toml") as file, open(f"gpus/{donor}.toml") as donors, tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "sheet.toml")
        with open(profile, "w") as out:
            out.write(without_calibration(file.read()) + "\n" + calibration_of(donors.read()))
        yield ["--gpu-file", profile]


def files(data):
    """Tables of products: all in `data`, and those of products alone in the folder `kernels` beside it."""
    kernels = os.path.join(data, "..", "kernels")
    found = [os.path.join(data, name) for name in sorted(os.listdir(data)) if name.endswith(".csv.gz")]
    if os.path.isdir(kernels):
        found += [os.path.join(kernels, name) for name in sorted(os.listdir(kernels))
                  if name.endswith("-products.csv.gz") and "training" not in name and not name.startswith("grouped")]
    return found


def format_of(row):
    """`fp8`, or `fp8+block128` of a product with a recipe."""
    return row["dtype"] + ("+" + row["recipe"] if row.get("recipe") else "")


def dtype_and_recipe(number_format):
    dtype, _, recipe = number_format.partition("+")
    return {"dtype": dtype, "recipe": recipe}


def measure(options):
    report = {}
    for path in files(options.data):
        raw = read(path)
        for gpu, number_format in sorted({(r["gpu"], format_of(r)) for r in raw}):
            part = [r for r in raw if r["gpu"] == gpu and format_of(r) == number_format]
            name = f"{os.path.basename(path)[:-7]} {gpu} {number_format}"
            timing = ["--timing", "in-step"] if name in WITHOUT_GAPS else []
            with gpu_options(name) as chosen:
                report[name] = score(predict(options.program, [*chosen, *timing], part))
    for gpu, file, donor in TRANSFERS:
        name = f"transfer {file} {gpu} {donor}"
        raw = [r for r in read(os.path.join(options.data, file + ".csv.gz")) if r["gpu"] in (gpu, gpu.replace("-sxm", ""))]
        with gpu_options(name) as chosen:
            report[name] = score(predict(options.program, chosen, raw))
    return report


HEAD = """# Accuracy

Generated by `bench/accuracy.sh`; do not edit. Predictions of GEMMs against public measured times, which are not
part of this repository. A type such as `fp8+block128` is the GEMM alone, with scaled operands;
`fp8` includes the pass that quantizes. MAPE is the mean of |predicted / measured - 1|, p90 its 90th percentile, bias
the geometric mean of predicted / measured; the last column is the MAPE of an ideal roofline (the larger of
FLOPs / peak and bytes / bandwidth, both of the data sheet).

Slices: *train* m >= 1024, n >= 512, k >= 512; *decode* m <= 64, n >= 1024, k >= 1024; *misaligned* n or k not a multiple
of 8. DeepBench's matrices lie by columns: its m is n here. The constants were fitted to a sample of these files; errors on
(n, k) sites that were left out of the fit are in each profile's `errors` and differ little. Two campaigns on one GPU and the same shapes differ by 3-8 %: no
prediction can be expected below that.

## What keeps this true

`bench/accuracy.sh --check` scores all of it again and fails when an error has grown by more than a tenth of itself (and
0.2 points). It needs the measured times; `.ci/run` does it where they are.

Where they are not, a test compares predictions with those of the last scoring, on shapes of the project's own choice
(`bench/accuracy_sample.json`: a grid, with small, misaligned and batched GEMMs; no measured time is part of it).
For each GPU, type and slice of this page the predictions may move, on average, by no more than what could make the
error grow by what `--check` allows. Beyond that a change fails, for better or worse, until `bench/accuracy.sh` has
scored it against the measured times and rewritten the figures, this page and the sample.

What the sample shows is that predictions are still those that were scored. It does not show that they are right, nor
would it notice a change that only concerns shapes unlike its own: its slices are not weighted as the measured files are.
Tile edges and alignment twins are looked after by `--check` alone. Who writes the sample without the measured times
can make the test pass; the difference of this page is what a reviewer reads.

"""


def tables(report):
    lines = [HEAD, "## Calibrated GPUs\n",
             "| file, GPU, type | slice | rows | MAPE | median | p90 | bias | roofline |",
             "|---|---|--:|--:|--:|--:|--:|--:|"]
    rest = []
    for name, slices in report.items():
        if name.startswith("transfer "):
            continue
        for part in SLICES:
            if part not in slices:
                continue
            s = slices[part]
            lines.append(f"| {name} | {part} | {s['rows']} | {percent(s['mape'])} | {percent(s['median'])} | "
                         f"{percent(s['p90'])} | {s['bias']:.3f} | {percent(s['roofline'])} |")
        if "edges" in slices:
            e = slices["edges"]
            rest.append(f"| {name} | {e['pairs']} | {e['recall']:.2f} | {e['precision']:.2f} |")
    lines += ["", "## Tile edges\n",
              "Pairs m, m + 1 with m a multiple of 16 and n, k >= 1024: \"measured more than 10 % slower\" found by "
              "\"predicted more than 5 % slower\". On Hopper two campaigns agree only to recall .61, precision .66 with "
              "each other.\n", "| file, GPU, type | pairs | recall | precision |", "|---|--:|--:|--:|", *rest]
    lines += ["", "## Alignment twins\n",
              "Pairs that differ only in n or k, by less than 8, one a multiple of 8 and the other not: share whose ratio "
              "of times is predicted within 10 %.\n", "| file, GPU, type | pairs | within 10 % |", "|---|--:|--:|"]
    for name, slices in report.items():
        if "twins" in slices:
            lines.append(f"| {name} | {slices['twins']['pairs']} | {percent(slices['twins']['within'])} |")
    lines += ["", "## From the data sheet alone\n",
              "The GPU's own figures with another GPU's constants, as for a GPU without measurements.\n",
              "| GPU | constants of | slice | MAPE | median | bias |", "|---|---|---|--:|--:|--:|"]
    for name, slices in report.items():
        if not name.startswith("transfer "):
            continue
        _, _, gpu, donor = name.split(" ")
        for part in SLICES:
            if part in slices:
                s = slices[part]
                lines.append(f"| {gpu} | {donor} | {part} | {percent(s['mape'])} | {percent(s['median'])} | {s['bias']:.3f} |")
    lines += residual_tables(report)
    return "\n".join(lines) + "\n"


def figures(report):
    """The figures that must not get worse: errors, and what is missed of tile edges and twins."""
    flat = {}
    for name, slices in report.items():
        for part, s in slices.items():
            if part in SLICES:
                flat[f"{name} / {part}"] = round(s["mape"], 5)
            elif part == "edges":
                flat[f"{name} / edges missed"] = round(1 - s["recall"], 5)
            elif part == "twins":
                flat[f"{name} / twins missed"] = round(1 - s["within"], 5)
    return flat


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    report = measure(options)
    now = figures(report)
    with open("bench/accuracy.json") as file:
        recorded = json.load(file)
    worse = [f"{name}: {percent(now[name])}, recorded {percent(limit)}" if name in now else f"{name}: not scored"
             for name, limit in recorded.items() if name not in now or now[name] > limit * WORSE + NOISE]
    for line in worse:
        print(f"accuracy: worse: {line}")
    if not options.check:
        with open("docs/benchmarks/accuracy.md", "w") as out:
            out.write(tables(report))
        with open("bench/accuracy.json", "w") as out:
            json.dump(now, out, indent=1)
            out.write("\n")
        accuracy_sample.record(options.program, report)
        print(f"accuracy: {len(now)} figures recorded")
        return
    print(f"accuracy: {len(now)} figures checked, {len(worse)} worse than recorded by more than a tenth")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    import accuracy_sample

    main()
