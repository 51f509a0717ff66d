#!/usr/bin/env python3
"""How far published steps are from predictions, by whose kernels run: the spreads of src/cost/step_interval.cpp.

    bench/step_spread.py [--program build/release/shapelint] [--data ../shared/data/kernels]

Runs: Megatron-Bridge's training and engines' serving of `--data` (left out without it), MoE of bench/hybrid_runs.toml that
Megatron-Bridge trained, bench/scaling_runs.toml,
tests/cost/published_training.toml, and the steps of measured/tables. A campaign (one model on one GPU by one source) counts
with at most MOST_OF_A_CAMPAIGN runs, so that no model speaks for all. Spreads are the 10 % and the 90 % quantile of measured /
predicted over the campaigns of one half, each moved out by what campaigns of that half need that are left out of it in turn
(conformalized quantiles, Romano et al. 2019, arXiv 1905.03222, by groups): a new campaign is off by its own. A stack of few campaigns
is drawn to the spread of all, which counts as PRIOR_CAMPAIGNS of them (partial pooling). Coverage and the interval score, in which width counts (Gneiting and Raftery 2007,
section 6.2), are of the other half, beside those of one spread for all; and in the mean over HALVINGS other ways to halve.
What names no kernels are runs whose source says nothing, and eager and compiled ones with that left out.
Serving runs count whose lengths say how they were started (field_runs.py); the others wait for others in ways that nobody states.
Nor do those count that docs/benchmarks/field.md counts apart (field.py), which draft tokens or find prompts in a cache, unstated.
"""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import json
import math
import os
import subprocess
import tomllib

import field
import field_runs
import hybrids

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MOST_OF_A_CAMPAIGN = 12
HELD = 0.8  # of runs, that an interval is to hold
HALVINGS = 20
LEAST_CAMPAIGNS = 3
PRIOR_CAMPAIGNS = 32
LEAST_IN_HALF = 8  # runs of a stack below which its runs, not its campaigns, are halved


def hashed(text):
    return int(hashlib.sha1(text.encode()).hexdigest(), 16)


def published(program, data):
    """Stack, campaign, name and measured / predicted time of runs in the tables of `data`."""
    serving = {(job[0], job[1], job[6]): job for job in field_runs.serving(data)}
    jobs = list(field_runs.training(data)) + list(serving.values())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [run for run in pool.map(lambda job: field_runs.price(program, job), jobs) if run is not None]
    for run, why in field.apart(runs):
        words = run.name.split()
        if run.group[0] == "training":
            stack = "fused, a mixture" if "MoE" in run.group else "fused"
            yield stack, " ".join(words[1:3]), run.name, run.ratio
        elif not why and tuple(int(n) for n in words[-1].split("/")) in field_runs.PUBLISHED_LENGTHS:
            yield "engine", " ".join(words[:3]), run.name, 1 / run.ratio


def told(run):
    """A run as its source tells of it, and as if nobody said that it is eager or compiled: a plan may leave that out."""
    yield run
    if run.get("eager") or run.get("compiled"):
        yield {key: value for key, value in run.items() if key not in ("eager", "compiled")}


def scaling(program):
    with open(os.path.join(ROOT, "bench/scaling_runs.toml"), "rb") as file:
        runs = tomllib.load(file)
    field_runs.MODELS.update(runs["model"])
    for series in runs["series"]:
        for gpus, batch, accumulation, stated in series["points"]:
            parallel = dict(series["parallel"])
            parallel["data"] = gpus // math.prod(parallel.get(name, 1) for name in ("tensor", "pipeline", "context"))
            whole = {"mode": "train", "micro_batch_size": batch, "gradient_accumulation": accumulation, **series["run"]}
            campaign = f'{series["source"]} {series["model"]} {series["gpu"]}'
            for run in told(whole):
                case = field_runs.predicted_or_exit(program, series["model"], run, parallel, series["gpu"], series.get("card"))
                speed = case["step"]["mfu"] if series.get("unit") == "mfu" else case["step"]["tokens_per_s_per_gpu"]
                yield stack_of(run), campaign, f"{campaign} {gpus}", speed / stated


def mixtures(program):
    with open(os.path.join(ROOT, "bench/hybrid_runs.toml"), "rb") as file:
        published = tomllib.load(file)
    field_runs.MODELS.update(published["model"])
    for container, model, gpu, _, form, stated, speed in hybrids.trained(program, published["training"]["runs"]):
        yield "fused, a mixture", f"{model} {gpu}", f"{container} {model} {gpu} {form}", speed / stated


def stack_of(run):
    for key, stack in (("fused_gradient_accumulation", "fused"), ("compiled", "compiled"), ("eager", "eager")):
        if run.get(key):
            return stack
    return "other"


def sections(program):
    """The table of each field in the native format."""
    told = subprocess.run([program, "fields", "--format", "json"], capture_output=True, text=True, check=True).stdout
    return {field["name"]: field["section"] for field in json.loads(told)["fields"]}


def priced(program, fields, values, gpu):
    tables = {"model": {}, "run": {"mode": "train"}, "parallel": {}}
    for key, value in values.items():
        tables[fields[key]][key] = value
    text = "".join(f"[{name}]\n" + "".join(f"{key} = {field_runs.toml(value)}\n" for key, value in table.items())
                   for name, table in tables.items())
    case, error = field_runs.predicted(program, text, gpu)
    if case is None:
        raise SystemExit(f"{values} on {gpu}: {error}")
    return case["step"]


def of_papers(program):
    fields = sections(program)
    with open(os.path.join(ROOT, "tests/cost/published_training.toml"), "rb") as file:
        runs = tomllib.load(file)["run"]
    for run in (each for whole in runs for each in told(whole)):
        values = {"data": 8, **{key: value for key, value in run.items() if key in fields and key != "name"}}
        step = priced(program, fields, values, run["gpu"])
        ratio = run["step_s"] * 1e6 / step["step_us"] if "step_s" in run else step["mfu"] / run["mfu"]
        yield stack_of(run), f'{run["source"]} {run["gpu"]}', f'{run["source"]} {run["name"]} {run["gpu"]}', ratio


def of_transformers(program, tables):
    """Steps of transformers' models, which are written as tables of the native format."""
    training = tables.get("training", {"columns": [], "rows": []})
    for row in training["rows"]:
        of = dict(zip(training["columns"], row))
        if of["model"] not in training["models"]:
            continue
        run = {"mode": "train", "micro_batch_size": of["sequences"], "sequence_length": of["length"], "gradient_storage": "freed",
               "attention": "cudnn" if of["attention"] == "sdpa" else "unfused"}
        stack = "compiled" if of["compiled"] else "eager"
        run[stack] = True
        if of["adapter_rank"]:
            run.update(adapter_rank=of["adapter_rank"], adapted=of["adapted"])
        else:
            run["weight_precision"] = of["weights"]
        if of["checkpointing"]:
            run["recompute"] = "full"
        text = (f'[model]\nnum_layers = {of["layers"]}\n{training["models"][of["model"]]}\n[run]\n' +
                "".join(f"{key} = {field_runs.toml(value)}\n" for key, value in run.items()))
        case, error = field_runs.predicted(program, text, tables["gpu"])
        if case is None:
            raise SystemExit(f'{of["model"]} on {tables["gpu"]}: {error}')
        name = " ".join(str(value) for value in row[:12])
        yield stack, f'{tables["gpu"]} {of["model"]}', name, 1000 * of["ms"] / case["step"]["step_us"]


def measured(program):
    fields = sections(program)
    for path in sorted(glob.glob(os.path.join(ROOT, "measured/tables/*.json"))):
        with open(path) as file:
            tables = json.load(file)
        yield from of_transformers(program, tables)
        steps = tables.get("steps", {"columns": [], "rows": []})
        for row in steps["rows"]:
            of = dict(zip(steps["columns"], row))
            stack = "compiled" if of["compiled"] else "eager"
            values = {"norm": "rmsnorm", "tie_word_embeddings": False, "hidden_size": of["hidden"], "num_layers": of["layers"],
                      "num_attention_heads": of["heads"], "num_key_value_heads": of["key_value_heads"],
                      "intermediate_size": of["ffn"], "vocab_size": of["vocab"], "mlp_gated": bool(of["gated"]),
                      "micro_batch_size": of["sequences"], "sequence_length": of["length"], "attention": "cudnn", stack: True}
            if of["compiled"]:
                values["loss"] = "fused"
            if not of["autocast"]:
                values.update(weight_precision="half", gradient_storage="freed")
            step = priced(program, fields, values, tables["gpu"])
            name = f'{of["hidden"]} x {of["layers"]}, {of["vocab"]} words{", autocast" if of["autocast"] else ""}'
            yield stack, f'{tables["gpu"]} {name}', f"{name} {stack}", 1000 * of["ms"] / step["step_us"]


def quantile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def quantiles(runs):
    logs = [math.log(ratio) for _, _, _, ratio in runs]
    return min(0.0, quantile(logs, (1 - HELD) / 2)), max(0.0, quantile(logs, (1 + HELD) / 2))


def left_out_in_turn(runs):
    """Each campaign of the runs, with the others; of fewer than three campaigns each run."""
    of_campaign = {run[1]: [other for other in runs if other[1] == run[1]] for run in runs}
    groups = list(of_campaign.values()) if len(of_campaign) >= LEAST_CAMPAIGNS else [[run] for run in runs]
    for group in groups:
        yield group, [run for run in runs if run not in group]


def spread(runs):
    low, high = quantiles(runs)
    lacking = []
    for group, others in left_out_in_turn(runs):
        least, most = quantiles(others)
        lacking += [max(least - math.log(ratio), math.log(ratio) - most) for _, _, _, ratio in group]
    more = max(0.0, quantile(lacking, HELD))
    return low - more, high + more


def pooled(runs, everywhere):
    """The spread of a stack's runs, drawn to that of all."""
    campaigns = len({run[1] for run in runs})
    return tuple((campaigns * own + PRIOR_CAMPAIGNS * of_all) / (campaigns + PRIOR_CAMPAIGNS)
                 for own, of_all in zip(spread(runs), everywhere))


def judged(runs, low, high):
    """How many runs lie within, and the sum of their interval scores."""
    logs = [math.log(ratio) for _, _, _, ratio in runs]
    misses = sum(max(0, low - x) + max(0, x - high) for x in logs)
    return sum(low <= x <= high for x in logs), len(runs) * (high - low) + 2 / (1 - HELD) * misses


def halves(runs, way):
    halved = [[run for run in runs if hashed(way + run[1]) % 2 == side] for side in (0, 1)]
    if min(map(len, halved)) >= LEAST_IN_HALF:
        return halved
    return [[run for run in runs if hashed(way + run[2]) % 2 == side] for side in (0, 1)]


def compared(stacks, way, told=False):
    """Of the halves left out: runs, share held and mean score; then the last two with one spread for all."""
    parts = {stack: halves(of, way) for stack, of in sorted(stacks.items())}
    everywhere = spread([run for fit, _ in parts.values() for run in fit])
    total = collections.Counter()
    for stack, (fit, check) in parts.items():
        low, high = pooled(fit, everywhere)
        held, score = judged(check, low, high)
        of_all = judged(check, *everywhere)
        total.update(runs=len(check), held=held, score=score, held_by_all=of_all[0], score_of_all=of_all[1])
        if told:
            print(f"{stack:18} {len(fit):6} {math.exp(low):5.2f} {math.exp(high):5.2f} {len(check):8} "
                  f"{held / max(1, len(check)):5.2f} {score / max(1, len(check)):6.3f} {of_all[1] / max(1, len(check)):11.3f}")
    shares = [total[key] / total["runs"] for key in ("held", "score", "held_by_all", "score_of_all")]
    if told:
        print(f"one for all: {math.exp(everywhere[0]):.2f} to {math.exp(everywhere[1]):.2f}")
    return total["runs"], *shares


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/shapelint")
    parser.add_argument("--data", default="../shared/data/kernels")
    options = parser.parse_args()
    runs = [*mixtures(options.program), *scaling(options.program), *of_papers(options.program), *measured(options.program)]
    if os.path.isdir(options.data):
        runs += published(options.program, options.data)
    campaigns = collections.defaultdict(list)
    for run in sorted(runs, key=lambda run: hashed(run[2])):
        campaigns[run[:2]].append(run)
    stacks = collections.defaultdict(list)
    for (stack, _), of in campaigns.items():
        stacks[stack] += of[:MOST_OF_A_CAMPAIGN]
    print(f"{'stack':18} {'fitted':>6} {'low':>5} {'high':>5} {'left out':>8} {'held':>5} {'score':>6} {'one for all':>11}")
    runs_left, *of_one = compared(stacks, "", told=True)
    others = [compared(stacks, str(way))[1:] for way in range(HALVINGS)]
    for title, shares in ((f"{runs_left} runs left out", of_one),
                          (f"mean of {HALVINGS} halvings", [sum(column) / HALVINGS for column in zip(*others)])):
        print("{}: {:.3f} held, score {:.3f}; by one for all {:.3f}, {:.3f}".format(title, *shares))


if __name__ == "__main__":
    main()
