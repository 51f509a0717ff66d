#!/usr/bin/env python3
"""How long a host takes to launch a prompt's pass: `hosts` of src/suggest/serving/serving.cpp, and the 90 % quantile of
measured / predicted first tokens of src/cost/step_interval.cpp.

    bench/first_token.py [--program build/release/shapelint] [--data ../shared/data/kernels]

Published first tokens with at most MOST_REQUESTS at a time (engines' serving, field_runs.py). Engines launch the pass over a
prompt kernel by kernel, outside of CUDA graphs: short prompts take the same time on an H200 and a B200. A host's time per layer
is the median over campaigns (one model on one GPU by one engine) of the first token where the pass alone takes less than half
of it; of SGLang and TensorRT-LLM mixtures count alone, since of others hardly any was published. Campaigns of one half are fitted, the others check; both print the mean of |log| of predicted / measured.
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import hashlib
import math
import os
import statistics

import field_runs
from step_spread import quantile

MOST_REQUESTS = 4
SLOWEST = 0.9  # of the first tokens


def rows(data):
    """Jobs of field_runs.serving beside the first token of the row that they came from."""
    with gzip.open(os.path.join(data, "serving-runs.csv.gz"), "rt") as file:
        first = {row["silicon_tpot_ms"]: row["silicon_ttft_ms"] for row in csv.DictReader(file)}
    first = {float(token): float(ttft) for token, ttft in first.items() if token and ttft}
    for job in field_runs.serving(data):
        run, measured = job[3], job[6]
        is_known = run["engine"] == "vllm" or job[0][1] == "mixture"
        if job[0][3] == "agg" and is_known and run["micro_batch_size"] <= MOST_REQUESTS and measured in first:
            yield job, first[measured]


def passes(program, data):
    """Engine, campaign, layers, first token, and the time of the prompt's pass in milliseconds."""
    def price(of):
        (_, name, model, run, parallel, gpu, _, prompt, *_), ttft = of
        one = {**run, "mode": "prefill", "micro_batch_size": 1, "sequence_length": prompt, "context_length": 0}
        case, error = field_runs.predicted(program, field_runs.text_of(model, one, parallel), gpu)
        if case is None:
            raise SystemExit(f"{name}: {error}")
        layers = field_runs.MODELS[model]["num_layers"]
        return run["engine"], " ".join(name.split()[:3]), layers, ttft, case["step"]["step_us"] / 1000
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(price, rows(data))


def is_fitted(campaign):
    return int(hashlib.sha1(campaign.encode()).hexdigest(), 16) % 2 == 0


def host_ms(runs):
    """Of each engine, per layer."""
    of = collections.defaultdict(lambda: collections.defaultdict(list))
    for engine, campaign, layers, ttft, pass_ms in runs:
        if pass_ms < ttft / 2:
            of[engine][campaign].append(ttft / layers)
    return {engine: statistics.median(map(statistics.median, each.values())) for engine, each in of.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/shapelint")
    parser.add_argument("--data", default="../shared/data/kernels")
    options = parser.parse_args()
    runs = list(passes(options.program, options.data))
    halves = [[run for run in runs if is_fitted(run[1]) == side] for side in (True, False)]
    hosts = host_ms(halves[0])
    for engine, milliseconds in sorted(hosts.items()):
        print(f"{engine:8} {milliseconds:.2f} ms a layer")
    for title, half in zip(("fitted", "left out"), halves):
        alone = [pass_ms / ttft for _, _, _, ttft, pass_ms in half]
        bound = [max(pass_ms, hosts.get(engine, 0) * layers) / ttft for engine, _, layers, ttft, pass_ms in half]
        for kind, ratios in (("the pass alone", alone), ("or the host", bound)):
            logs = [math.log(ratio) for ratio in ratios]
            print(f"{title:8} {len(half):4} runs of {len({run[1] for run in half}):2} campaigns, {kind:14}: off "
                  f"{math.exp(statistics.mean(map(abs, logs))):.2f} times, bias {math.exp(statistics.mean(logs)):.2f}, "
                  f"measured / predicted {SLOWEST:.0%} quantile {1 / quantile(ratios, 1 - SLOWEST):.2f}")


if __name__ == "__main__":
    main()
