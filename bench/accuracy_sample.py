"""Keeps predictions where they were scored, for who has no measured times. Standard library only.

  python3 bench/accuracy_sample.py PROGRAM      fails when predictions of the sample moved too far

bench/accuracy_sample.json holds shapes that are nobody's measurements (a grid), what was predicted of each when
bench/accuracy.sh last scored all measured times, and how far the predictions of a slice may move on average. From the
triangle inequality: when they move by less, the mean error of a slice that looks like the sample cannot have risen by more
than accuracy.sh --check lets it. docs/benchmarks/accuracy.md says what this shows and what it does not.
"""
import json
import sys

import accuracy

FILE = "bench/accuracy_sample.json"
ROWS = [1, 16, 48, 256, 1024, 2000, 4096, 8192]  # m
SITES = [(768, 3072), (4096, 4096), (12288, 1536), (5120, 13824), (512, 640), (2047, 1025), (50257, 1600)]  # n, k
BATCHED = [(32, 2048, 2048, 80), (32, 2048, 80, 2048), (96, 128, 128, 64), (256, 257, 65, 257)]  # batch, m, n, k
SHAPES = [(1, m, n, k) for n, k in SITES for m in ROWS] + BATCHED


def predictions(program, setting):
    """Predicted microseconds of each of SHAPES; a setting is a name of accuracy.json before the slash."""
    gpu, number_format = accuracy.gpu_and_dtype(setting)
    rows = [{"gpu": gpu, **accuracy.dtype_and_recipe(number_format), "batch": b, "m": m, "n": n, "k": k, "time_us": 1} for b, m, n, k in SHAPES]
    with accuracy.gpu_options(setting) as options:
        return [float(f"{row['p']:.5g}") for row in accuracy.predict(program, options, rows)]


def slices():
    """Of each slice that has shapes in the sample, their indices."""
    rows = [{"m": m, "n": n, "k": k} for _, m, n, k in SHAPES]
    found = {name: [i for i, row in enumerate(rows) if belongs(row)] for name, belongs in accuracy.SLICES.items()}
    assert all(found.values()), "a slice without a shape"
    return found


def most(error):
    """How much an error may rise: what accuracy.sh --check lets it."""
    return (accuracy.WORSE - 1) * error + accuracy.NOISE


def record(program, report):
    """Writes the sample for a report of all measured times."""
    settings = {}
    for setting, scored in report.items():
        limits = {}
        for name in slices():
            if name in scored:
                rows = [r for r in scored["rows"] if accuracy.SLICES[name](r)]
                # An error moves by as much as its prediction, as a share of the measured time.
                of_measured = max(1, sum(r["p"] / r["t"] for r in rows) / len(rows))
                limits[name] = round(most(round(scored[name]["mape"], 5)) / of_measured, 5)
        settings[setting] = {"limits": limits, "predicted_us": predictions(program, setting)}
    lines = [f'  {json.dumps(name)}: {json.dumps(each)}' for name, each in settings.items()]
    with open(FILE, "w") as out:
        out.write('{\n "shapes": ' + json.dumps([list(shape) for shape in SHAPES]) + ',\n "settings": {\n')
        out.write(",\n".join(lines) + "\n }\n}\n")


def moved(before, now, limits):
    """(slice, mean move, limit) of the slices whose predictions moved too far."""
    result = []
    for name, limit in limits.items():
        moves = [abs(now[i] / before[i] - 1) for i in slices()[name]]
        mean = sum(moves) / len(moves)
        if mean > limit:
            result.append((name, mean, limit))
    return result


def problems(program):
    with open(FILE) as file:
        sample = json.load(file)
    with open("bench/accuracy.json") as file:
        errors = json.load(file)
    if [tuple(shape) for shape in sample["shapes"]] != SHAPES:
        yield "its shapes are not those of bench/accuracy_sample.py"
        return
    wanted = {tuple(name.split(" / ")) for name in errors if name.split(" / ")[1] in accuracy.SLICES}
    limited = {(setting, name) for setting, each in sample["settings"].items() for name in each["limits"]}
    for setting, name in sorted(wanted ^ limited):
        yield f"{setting} / {name} is not in both the sample and bench/accuracy.json"
    for setting, each in sample["settings"].items():
        limits, before = each["limits"], each["predicted_us"]
        for name, limit in limits.items():
            if limit > most(errors.get(f"{setting} / {name}", 0)) + 1e-5:
                yield f"{setting} / {name}: the limit {limit} is not that of bench/accuracy.json"
        for name, mean, limit in moved(before, predictions(program, setting), limits):
            yield f"{setting} / {name}: predictions moved by {100 * mean:.2f} %, more than {100 * limit:.2f} %"
        # The gate can fail: twice the limit of any slice is too far.
        for name, limit in limits.items():
            further = [p * (1 + 2 * limit) if i in slices()[name] else p for i, p in enumerate(before)]
            if name not in [each[0] for each in moved(before, further, limits)]:
                yield f"{setting} / {name}: a move of twice the limit goes unnoticed"


def main():
    found = list(problems(sys.argv[1]))
    for line in found:
        print(f"accuracy sample: {line}")
    if found:
        print("accuracy sample: predictions have to be scored anew: bench/accuracy.sh, with the measured times")
        sys.exit(1)
    with open(FILE) as file:
        count = len(json.load(file)["settings"])
    print(f"accuracy sample: {count} GPUs and types, {len(SHAPES)} shapes each: predicted as scored")


if __name__ == "__main__":
    main()
