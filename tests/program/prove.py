#!/usr/bin/env python3
"""Tries the script that `shapelint prove` writes. Usage: prove.py SHAPELINT statistics | measures

statistics: its intervals against distributions that are known. measures: the script itself on this machine's CPU, where
PyTorch is installed (Debian: python3-torch); exit code 77 where it is not.
"""
import copy
import importlib.util
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = """[model]
hidden_size = 64
num_layers = 2
num_attention_heads = 4
vocab_size = 1001
[run]
micro_batch_size = 2
sequence_length = 128
dtype = "fp32"
attention = "flash"
"""


def script():
    spec = importlib.util.spec_from_file_location("measure", ROOT / "bench/measure.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def close(found, expected, tolerance):
    assert abs(found - expected) <= tolerance, f"{found} is not {expected}"


def covered(measure, draw, truth, count, samples=2000):
    """How often the interval of `count` values holds the truth."""
    generator = random.Random(7)
    hits = 0
    for _ in range(samples):
        middle, half_width = measure.trimmed_interval([draw(generator) for _ in range(count)])
        hits += abs(middle - truth) <= half_width
    return hits / samples


class Simulated:
    """A kernel whose times are `middle`, with noise of its own, on a clock that it shares with others."""

    def __init__(self, generator, middle, noise, interrupted, clock):
        self.generator, self.middle, self.noise, self.interrupted, self.clock = generator, middle, noise, interrupted, clock

    def run(self):
        g = self.generator
        self.clock[0] += g.gauss(0, 0.002)  # drifts
        late = 0.3 if g.random() < self.interrupted else 0
        return self.middle * math.exp(self.clock[0] + g.gauss(0, self.noise) + late)


def stopped(measure, ratio, noise, interrupted, samples=400):
    """How often the interval that measuring stops with holds the true ratio of two kernels."""
    generator = random.Random(11)
    hits = 0
    for _ in range(samples):
        clock = [0.0]
        works = [Simulated(generator, middle, noise, interrupted, clock) for middle in (100, 100 * ratio)]
        found = measure.measure_works(works, 1, clock=lambda: 0)
        hits += abs(found["log_ratio"] - math.log(ratio)) <= found["half_width"]
    return hits / samples


def statistics():
    measure = script()
    # Tables of Student's t.
    for freedom, expected in ((4, 2.776), (9, 2.262), (30, 2.042), (1000, 1.962)):
        close(measure.t_quantile(freedom), expected, 0.02)
    # Ten rounds and forty, with and without a host that interrupts one round in twenty.
    quiet = lambda g: g.gauss(-0.03, 0.01)
    interrupted = lambda g: g.gauss(-0.03, 0.01) + (g.choice((-1, 1)) * 0.3 if g.random() < 0.05 else 0)
    close(covered(measure, quiet, -0.03, 10), 0.95, 0.015)
    close(covered(measure, quiet, -0.03, 40), 0.95, 0.015)
    close(covered(measure, interrupted, -0.03, 40), 0.95, 0.03)
    assert measure.trimmed_interval([1.0])[1] == math.inf
    # Rounds until the interval is narrow: looking after each of them costs some of the 95.
    close(stopped(measure, 0.97, 0.01, 0.0), 0.95, 0.03)
    close(stopped(measure, 0.97, 0.003, 0.02), 0.95, 0.03)
    close(stopped(measure, 0.90, 0.002, 0.0), 0.95, 0.03)
    # A clock that drifts by a third while the rounds go on is in both sides of each.
    before = [100 * (1 + 0.33 * i / 20) for i in range(20)]
    log_ratio, half_width = measure.interval_of([before, [0.97 * each for each in before]])
    close(math.exp(log_ratio), 0.97, 1e-9)
    close(half_width, 0, 1e-9)
    # GPUs are told apart by every word of a name, by their SMs, memory and board.
    device = lambda name, sm_count, gb: type("Device", (), {"name": name, "sm_count": sm_count, "memory_gb": gb})
    h100 = {"names": ["h100-sxm5", "NVIDIA H100 SXM5", "h100"], "sm_count": 132, "memory_gb": 80}
    assert measure.is_expected(device("NVIDIA H100 80GB HBM3", 132, 85), h100)
    assert not measure.is_expected(device("NVIDIA H100 PCIe", 114, 85), h100)
    assert not measure.is_expected(device("NVIDIA H200", 132, 150), h100)
    a100 = {"names": ["a100-sxm4-80gb", "NVIDIA A100 SXM4 80GB", "a100"], "sm_count": 108, "memory_gb": 80}
    assert measure.is_expected(device("NVIDIA A100-SXM4-80GB", 108, 85), a100)
    assert not measure.is_expected(device("NVIDIA A100-SXM4-40GB", 108, 42.4), a100)
    assert not measure.is_expected(device("NVIDIA A100 80GB PCIe", 108, 85), a100)
    assert measure.throttled({"clocks_throttle_reasons.active": "0x0000000000000028"}) == [
        "hardware slowdown",
        "software thermal",
    ]
    # A script without a plan says so.
    alone = subprocess.run([sys.executable, ROOT / "bench/measure.py"], capture_output=True, text=True)
    assert alone.returncode == 1 and "there is no plan in this file" in alone.stderr, alone


def with_torch():
    """A Python that has PyTorch, or nothing."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    return None


# What the later side of each change takes, in times of its prediction, and what comes of it: the verdict, whether lint
# still tells the finding, and what it says of the measurement.
AS_IF_ON_A_GPU = (
    (1, ("confirmed", True, "measured on NVIDIA A100-SXM4-80GB, 2026-11-22")),
    (2, ("smaller", True, "measured on NVIDIA A100-SXM4-80GB, 2026-11-22")),
    (5, ("refuted", False, "SL302 is left out on a100-sxm4-80gb: measured on NVIDIA A100-SXM4-80GB, 2026-11-22, it saves -")),
)  # fmt: skip


def fits(name, text):
    """What a program reads fits the schema, where there is a package that checks it."""
    document = json.loads(text)
    if jsonschema is not None:
        schema = json.loads((ROOT / f"docs/schema/shapelint-{name}.schema.json").read_text())
        jsonschema.Draft7Validator(schema).validate(document)


def as_if_measured(result, slower):
    """The result with fixed times in the place of those of this machine."""
    result = copy.deepcopy(result)
    result["device"].update(kind="cuda", name="NVIDIA A100-SXM4-80GB", expected=True)
    result["date"] = "2026-11-22"
    predicted = [kernel["predicted_us"] for kernel in result["plan"]["kernels"]]
    pairs = []
    for pair in result["plan"]["pairs"]:
        before, after = pair["before"], pair["after"]
        times = [predicted[before], predicted[after] * (slower if after != before else 1)]
        pairs.append({"before": before, "after": after, "before_us": times[0], "after_us": times[1],
                      "log_ratio": math.log(times[1] / times[0]), "half_width": 0.05, "rounds": 20})  # fmt: skip
    return {**result, "pairs": pairs, "wholes": []}


def settle(shapelint, result, slower, expected):
    """From a measured finding to the proof, to lint, and to a profile."""
    verdict, is_told, said = expected
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "model.toml").write_text(MODEL)
        (here / "gpu.json").write_text(json.dumps(as_if_measured(result, slower)))

        def ok(*arguments):
            done = subprocess.run([shapelint, *arguments], cwd=here, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            return done.stdout, " ".join(f"{done.stdout} {done.stderr}".split())

        read, _ = ok("prove", "--read", "gpu.json")
        assert f"    verdict    {verdict}\n" in read, read
        saves = read.split("measured   saves ")[1].split(" (95 %), 100 % of the change")[0]
        _, linted = ok("model.toml", "--gpu", "a100", "--min-severity", "info", "--fail-level", "error", "--verbose")
        assert said in linted and ("info[SL302]" in linted) == is_told and saves in linted, (saves, linted)
        fits("prove", ok("prove", "--read", "gpu.json", "--format", "json")[0])
        fits("calibrate", ok("calibrate", "--proofs", "--format", "json", "-o", "again.toml")[0])
        learned, _ = ok("calibrate", "--proofs")
        assert learned.startswith("a100-sxm4-80gb: ") and " of 1 proof (NVIDIA A100-SXM4-80GB, 2026-11-22)" in learned, learned
        (line,) = [each for each in learned.splitlines() if each.startswith("  model.toml SL302 (too-few-tiles) ")]
        assert line.split(")", 1)[1].strip().startswith(saves), (saves, line)
        assert ("  no constant moves\n" in learned) == (slower == 1), learned
        ok("model.toml", "--gpu-file", "a100-sxm4-80gb-proofs.toml", "--fail-level", "error")


def measures(shapelint):
    python = with_torch()
    if python is None:
        print("skipped: PyTorch is not installed (Debian: python3-torch)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "model.toml").write_text(MODEL)

        def ok(*arguments):
            done = subprocess.run(arguments, cwd=here, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            return done

        ok(shapelint, "prove", "model.toml", "--gpu", "a100", "--findings", "SL302", "-o", "prove.py")
        ran = ok(python, "prove.py", "--device", "cpu", "--budget", "10", "-o", "result.json")
        result = json.loads((here / "result.json").read_text())
        assert result["device"]["kind"] == "cpu" and not result["device"]["expected"], result["device"]
        # A pair is measured, or the reason why not is named, be it that a busy machine had no time left for it. The
        # first that can be measured always is.
        kernels, pairs = result["plan"]["kernels"], result["pairs"]
        assert len(pairs) == len(result["plan"]["pairs"])
        assert any("skipped" not in pair for pair in pairs), pairs
        for pair in pairs:
            if "skipped" in pair:
                assert f"({pair['skipped']})" in ran.stderr, (kernels[pair["before"]]["kind"], ran.stderr)
            else:
                assert pair["rounds"] >= 3 and pair["before_us"] > 0 and pair["after_us"] > 0, pair
        # A step or a layer as a whole, of what can be measured here.
        whole = result["wholes"][0]
        assert whole["of"] in ("step", "layer") and ("skipped" in whole) == ("before_us" not in whole), whole
        shown = ok(shapelint, "prove", "--read", "result.json")
        assert "no verdict, and nothing is stored" in " ".join(shown.stderr.split()), shown.stderr
        assert not (here / "shapelint-proofs.json").exists()
        for slower, expected in AS_IF_ON_A_GPU:
            settle(shapelint, result, slower, expected)
        # In place, in one go, whatever was proved before; where there is no GPU, or no such Python, one error says so.
        command = [shapelint, "prove", "model.toml", "--gpu", "a100", "--findings", "SL302", "--budget", "3s", "--run"]
        at_once = ok(*command, "--python", python, "--device", "cpu", "-o", "at-once.json")
        assert "predicted  saves" in at_once.stdout and len(json.loads((here / "at-once.json").read_text())["pairs"]) == len(pairs)
        for more, expected in ((["--python", python], "error: PyTorch sees no GPU on this machine"),
                               (["--python", "no-such-python"], "error: `no-such-python` cannot be run")):  # fmt: skip
            failed = subprocess.run([*command, *more], cwd=here, capture_output=True, text=True)
            if "sees no GPU" in expected and failed.returncode == 0:
                continue  # there is one
            assert failed.returncode == 2 and failed.stderr.startswith(expected), failed
            assert failed.stderr.count("error:") == 1 and not failed.stdout, failed
        # The same core times products for `calibrate`, which reads its table.
        (here / "tiny.toml").write_text(MODEL.replace("micro_batch_size = 2", "micro_batch_size = 1"))
        gemm = [python, ROOT / "bench/measure_gemm.py", "--device", "cpu", "--dtype", "fp32", "--gpu", "a100"]
        ok(*gemm, "--from", "tiny.toml", "--shapelint", shapelint, "-o", "measured.csv")
        rows = (here / "measured.csv").read_text().splitlines()
        assert len(rows) > 5 and all(float(row.split(",")[8]) > 0 for row in rows[1:]), rows
        ok(shapelint, "gemm", "--gpu", "a100", "--shapes", "measured.csv", "--format", "csv")
    return 0


def main():
    if sys.argv[2] == "statistics":
        return statistics()
    return measures(pathlib.Path(sys.argv[1]).resolve())


sys.exit(main())
