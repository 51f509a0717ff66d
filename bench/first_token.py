#!/usr/bin/env python3
"""What a host adds to the pass over a prompt until the first token: `hosts` and `prompt_token_us` of
src/suggest/serving/serving.cpp, and the quantiles of measured / predicted first tokens of src/cost/step_interval.cpp.

    bench/first_token.py [--program build/release/shapelint] [--data ../shared/data/kernels]

Published first tokens with at most MOST_REQUESTS at a time (engines' serving, field_runs.py): the time of the pass alone, so long
for each layer (of each engine; of SGLang and TensorRT-LLM mixtures count alone, since of others hardly any was published) and so
long for each token of the prompt (of all engines). Of a host that launches beside the GPU only the longer of both would show: first
tokens are later than that at all lengths. Campaigns (one model on one GPU by one engine) of one half are fitted, each as much as
another; the others check. Both print the mean of |log| of predicted / measured. bench/first_token_runs.toml has reports that nothing
was fitted to, one request at a time.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import math
import os
import statistics
import tomllib

import field_kernels
import field_runs
from step_spread import quantile

MOST_REQUESTS = 4
QUANTILES = (0.1, 0.9)  # of the first tokens
# What is tried, milliseconds of a layer and of a token.
LAYER_MS = [0.05 * 1.05**i for i in range(110)]
TOKEN_MS = [0.0005 * i for i in range(17)]


def rows(data):
    """Jobs of field_runs.serving beside the first token of the row that they came from."""
    first = {row["silicon_tpot_ms"]: row["silicon_ttft_ms"] for row in field_kernels.table(data, "serving-runs")}
    first = {float(token): float(ttft) for token, ttft in first.items() if token and ttft}
    for job in field_runs.serving(data):
        run, measured = job[3], job[6]
        is_known = run["engine"] == "vllm" or job[0][1] == "MoE"
        if job[0][3] == "agg" and is_known and run["micro_batch_size"] <= MOST_REQUESTS and measured in first:
            yield job, first[measured]


def passes(program, data):
    """Engine, campaign, layers, first token, the time of the prompt's pass in milliseconds, and the prompt's tokens."""
    def price(of):
        (_, name, model, run, parallel, gpu, _, prompt, *_), ttft = of
        one = {**run, "mode": "prefill", "micro_batch_size": 1, "sequence_length": prompt, "context_length": 0}
        case, error = field_runs.predicted(program, field_runs.text_of(model, one, parallel), gpu)
        if case is None:
            raise SystemExit(f"{name}: {error}")
        layers = field_runs.MODELS[model]["num_layers"]
        return run["engine"], " ".join(name.split()[:3]), layers, ttft, case["step"]["step_us"] / 1000, prompt
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(price, rows(data))


def is_fitted(campaign):
    return int(hashlib.sha1(campaign.encode()).hexdigest(), 16) % 2 == 0


def of_campaigns(runs):
    campaigns = collections.defaultdict(list)
    for run in runs:
        campaigns[run[1]].append(run)
    return campaigns.values()


def predicted_ms(run, hosts, token_ms):
    engine, _, layers, _, pass_ms, prompt = run
    return pass_ms + hosts.get(engine, 0) * layers + token_ms * prompt


def off(runs, hosts, token_ms):
    """The mean over campaigns of the mean |log| of predicted / measured."""
    return statistics.mean(statistics.mean(abs(math.log(predicted_ms(run, hosts, token_ms) / run[3])) for run in campaign)
                           for campaign in of_campaigns(runs))


def fitted(runs):
    """The times of hosts per layer, by engine, and per token of a prompt."""
    def with_token(token_ms):
        return {engine: min(LAYER_MS, key=lambda layer: off([run for run in runs if run[0] == engine], {engine: layer}, token_ms))
                for engine in sorted({run[0] for run in runs})}
    tried = ((with_token(token_ms), token_ms) for token_ms in TOKEN_MS)
    return min(tried, key=lambda hosts: off(runs, *hosts))


def reports(program):
    """Name, measured and predicted first token of each published report, in milliseconds."""
    with open(os.path.join(field_runs.HERE, "first_token_runs.toml"), "rb") as file:
        published = tomllib.load(file)
    field_runs.MODELS.update(published["model"])
    for series in published["series"]:
        for prompt, parallel, stated in series["points"]:
            run = {"mode": "prefill", "micro_batch_size": 1, "sequence_length": prompt, "fusion": "norms", **series["run"]}
            case = field_runs.predicted_or_exit(program, series["model"], run, parallel, series["gpu"])
            layout = " ".join(f"{name} {degree}" for name, degree in parallel.items() if degree > 1)
            name = f'{series["source"]} {series["model"]} {series["gpu"]}, {prompt} tokens{", " * bool(layout)}{layout}'
            yield name, stated, case["serving"]["first_token_us"] / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/shapelint")
    parser.add_argument("--data", default="../shared/data/kernels")
    options = parser.parse_args()
    if os.path.isdir(options.data):
        runs = list(passes(options.program, options.data))
        halves = [[run for run in runs if is_fitted(run[1]) == side] for side in (True, False)]
        hosts, token_ms = fitted(halves[0])
        for engine, milliseconds in hosts.items():
            print(f"{engine:8} {milliseconds:.2f} ms a layer")
        print(f"and {1000 * token_ms:.1f} us a token of the prompt")
        for title, half in zip(("fitted", "left out"), halves):
            for kind, added in (("the pass alone", ({}, 0)), ("and the host", (hosts, token_ms))):
                ratios = [predicted_ms(run, *added) / run[3] for run in half]
                logs = [math.log(ratio) for ratio in ratios]
                low, high = (1 / quantile(ratios, 1 - share) for share in QUANTILES)
                print(f"{title:8} {len(half):4} runs of {len({run[1] for run in half}):2} campaigns, {kind:14}: off "
                      f"{math.exp(statistics.mean(map(abs, logs))):.2f} times, bias {math.exp(statistics.mean(logs)):.2f}, "
                      f"measured / predicted {low:.2f} to {high:.2f} (10 and 90 % quantiles)")
    for name, stated, milliseconds in reports(options.program):
        print(f"{milliseconds / stated:5.2f} of {stated:6.1f} ms: {name}")


if __name__ == "__main__":
    main()
