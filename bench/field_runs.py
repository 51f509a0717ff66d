#!/usr/bin/env python3
"""Compares the speed that published runs reached with the predicted one.

    bench/field_runs.py --program build/release/shapelint --data ../shared/data/kernels [--only TEXT] [--every N]

Training: Megatron-Bridge's published tokens per second and GPU. Serving: time per token of engines at a fixed number of
requests. Rows whose model has layers that are not costed, or whose layout is not stated whole, are counted and left out.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib

import field_kernels

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = tomllib.load(open(os.path.join(HERE, "run_models.toml"), "rb"))
TRAINED = {"LLAMA3_8B": "Llama-3.1-8B", "LLAMA3.1_405B": "Llama-3.1-405B", "Qwen3_30B_a3B": "Qwen3-30B-A3B",
           "Qwen3_30B_a3B (tokendrop)": "Qwen3-30B-A3B"}
SERVED = {"meta-llama/Llama-3.1-70B": "Llama-3.1-70B", "nvidia/Llama-3.1-8B-Instruct-FP8": "Llama-3.1-8B",
          "Qwen/Qwen3-32B": "Qwen3-32B", "nvidia/Qwen3-32B-NVFP4": "Qwen3-32B",
          "Qwen/Qwen3-235B-A22B-FP8": "Qwen3-235B-A22B", "MiniMaxAI/MiniMax-M2.5": "MiniMax-M2.5",
          "openai/gpt-oss-120b": "gpt-oss-120b", "deepseek-ai/DeepSeek-R1": "DeepSeek-V3",
          "deepseek-ai/DeepSeek-V3": "DeepSeek-V3", "nvidia/DeepSeek-V3.1-NVFP4": "DeepSeek-V3",
          "moonshotai/Kimi-K2.5": "Kimi-K2.5"}
TRAINED_ON = {"DGX-H100": "h100", "DGX-B200": "b200", "DGX-B300": "b300", "DGX-GB200": "gb200", "DGX-GB300": "gb300"}
SERVED_ON = {"h100_sxm": "h100", "h200_sxm": "h200", "b200_sxm": "b200", "b300_sxm": "b300", "gb200": "gb200"}
# What a cell of a published table calls each recipe.
RECIPES = {"": ("fp8", "tensor"), "BF16": ("bf16", "none"), "FP8": ("fp8", "tensor"), "FP8-CS": ("fp8", "tensor"),
           "MXFP8": ("fp8", "mxfp8"), "FP8-MX": ("fp8", "mxfp8"), "NVFP4": ("fp4", "nvfp4")}


# How runs of these lengths were started (SemiAnalysisAI/InferenceX, benchmarks/single_node/fixed_seq_len): the bits of the
# cache, the experts' kernels. Their requests are 0.8 to 1 times as long as stated, in the mean MEAN_LENGTH.
PUBLISHED_LENGTHS = {(1024, 1024), (1024, 8192), (8192, 1024)}
MEAN_LENGTH = 0.9
NARROW_CACHE = {"kv_cache_bits": 8}
STARTED = {("vllm", "gpt-oss-120b", "b200"): NARROW_CACHE, ("trtllm", "gpt-oss-120b", "b200"): NARROW_CACHE,
           ("trtllm", "gpt-oss-120b", "h200"): {"expert_kernels": "triton"},
           ("vllm", "MiniMax-M2.5", "b200"): NARROW_CACHE, ("vllm", "MiniMax-M2.5", "b300"): NARROW_CACHE,
           ("vllm", "MiniMax-M2.5", "h200"): {"expert_kernels": "triton"},
           ("vllm", "Kimi-K2.5", "b300"): NARROW_CACHE, ("sglang", "DeepSeek-V3", "b200"): NARROW_CACHE,
           ("trtllm", "DeepSeek-V3", "b200"): NARROW_CACHE, ("trtllm", "DeepSeek-V3", "h200"): NARROW_CACHE}
# The same where scripts of a version, or of attention data parallelism, started them otherwise.
STARTED_OTHERWISE = {("vllm", "MiniMax-M2.5", "b200", "0.17.0"): {"expert_kernels": "triton"},
                     # On Hopper vLLM has FlashInfer's CUTLASS for experts that ranks share out, Triton where each is split.
                     ("vllm", "MiniMax-M2.5", "h200", "0.18.0"): {"expert_kernels": "cutlass"},
                     ("trtllm", "DeepSeek-V3", "b200", "fp4 DP"): {**NARROW_CACHE, "expert_kernels": "cutlass"}}
# vLLM shared out experts with these whatever the degree that is stated (--enable-expert-parallel from EP_SIZE 1 on).
WHOLE_EXPERTS = {("vllm", "MiniMax-M2.5", "b200", "0.17.0"), ("vllm", "MiniMax-M2.5", "h200", "0.18.0")}
# Requests that run at once at most (SGLang's --max-running-requests in the same scripts), by weights' format and degree.
MOST_AT_ONCE = {("sglang", "DeepSeek-V3", "b200", "fp8", 8): 128, ("sglang", "DeepSeek-V3", "b200", "fp8", 4): 32,
                ("sglang", "DeepSeek-V3", "b200", "fp4", 8): 256, ("sglang", "DeepSeek-V3", "b200", "fp4", 4): 256}


# Megatron-Bridge exchanged tokens on these by its plain all-to-all, and by HybridEP on others (4a6450755 of 2026-02-23 and
# 0ec1df783 of 2026-02-27 change it; known issues of 26.02: no DeepEP in that container). The table's columns do not say so:
# the same degrees are 1.8 times as fast a release later.
PLAIN_EXCHANGE = {("25.11", "DGX-H100"), ("26.02", "DGX-H100"), ("25.11", "DGX-B200"), ("26.02", "DGX-B200")}

# Mixtures in MXFP8 on these run their exchange beside another micro-batch, in one graph of the whole step, since release 0.5.0
# (Megatron-Bridge, scripts/performance/configs/qwen/qwen3_workload_base_configs.py: moe_a2a_overlap, full_iteration; its container
# is 26.06); those on B200 and H100 do not.
OVERLAPPED_EXCHANGE = {"DGX-B300", "DGX-GB200", "DGX-GB300"}
OVERLAPPED_SINCE = "2026-06"


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    return str(value)


def text_of(model, run, parallel):
    lines = []
    for name, table in (("model", MODELS[model]), ("run", run), ("parallel", parallel)):
        lines += [f"[{name}]"] + [f"{k} = {toml(v)}" for k, v in table.items()] + [""]
    return "\n".join(lines)


def predicted(program, text, gpu, card=None, name="run.toml"):
    """What the program says of a run on a GPU, of which `card` states other figures (fields of a profile)."""
    with tempfile.TemporaryDirectory() as folder:
        run, profile = os.path.join(folder, name), os.path.join(folder, "card.toml")
        with open(run, "w") as file:
            file.write(text)
        of = ["--gpu", gpu]
        if card:
            with open(profile, "w") as file:
                file.write("\n".join(f"{k} = {toml(v)}" for k, v in {"based_on": gpu, **card}.items()) + "\n")
            of = ["--gpu-file", profile]
        done = subprocess.run([program, "roofline", run, "--isolated", *of, "--format", "json"], capture_output=True,
                              text=True)
    if done.returncode == 2:
        return None, done.stderr.strip()
    return json.loads(done.stdout)["cases"][0], ""


def predicted_or_exit(program, model, run, parallel, gpu, card=None):
    """The same of a model of MODELS, for pages all of whose runs are ours."""
    case, error = predicted(program, text_of(model, run, parallel), gpu, card)
    if case is None:
        sys.exit(f"{model} on {gpu}: {error}")
    return case


def asked_for_page(runs, output):
    """What the command line of a page's script says, and the published figures in `runs`, whose models are known then."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/release/shapelint")
    parser.add_argument("--output", default=output)
    options = parser.parse_args()
    with open(os.path.join(HERE, runs), "rb") as file:
        published = tomllib.load(file)
    MODELS.update(published.get("model", {}))
    return options, published


def month_of(release):
    year, month = release.split()[0].split(".")[:2]
    return f"20{year}-{month}"


def variants(row):
    """The rows that a published cell stands for: `1 (2)` gives a second variant's value in parentheses."""
    split = {k: re.fullmatch(r"(.*?) \((.*)\)", v or "") for k, v in row.items() if k != "model"}
    if row["precision"] == "":  # 25.09 says no precision; its speeds are those that 25.11 gives for FP8-CS (FP8-MX)
        split.pop("precision")
    yield {k: (split.get(k).group(1) if split.get(k) else v) for k, v in row.items()}
    second = {k: (split.get(k).group(2) if split.get(k) else v) for k, v in row.items()}
    if any(m for m in split.values() if m) :
        if row["precision"] == "":
            second["precision"] = "FP8-MX"
        yield second


def training(data):
    for whole in field_kernels.table(data, "training-runs"):
        if whole["model"] not in TRAINED:
            continue
        for row in variants(whole):
            number = lambda name: int(row[name]) if row[name].isdigit() and int(row[name]) > 0 else 1
            dtype, recipe = RECIPES[row["precision"]]
            tp, pp, cp, gpus = number("tp"), number("pp"), number("cp"), number("gpus")
            data_degree = gpus // (tp * pp * cp)
            mbs, gbs = number("mbs"), number("gbs")
            run = {"mode": "train", "dtype": dtype, "recipe": recipe, "micro_batch_size": mbs,
                   "sequence_length": int(row["sequence_length"] or row["seq_len"]),
                   "gradient_accumulation": gbs // (mbs * data_degree), "fused_gradient_accumulation": True,
                   "software": month_of(row["release"])}
            parallel = {"tensor": tp, "pipeline": pp, "virtual_pipeline": number("vp"), "context": cp,
                        "data": data_degree, "expert": number("ep"), "sequence_parallel": tp > 1,
                        "tensor_overlap": tp > 1,
                        "zero": 3 if number("fsdp") > 1 else 1}
            if pp == 1:
                parallel["virtual_pipeline"] = 1
            group = ("MoE" if "moe" in MODELS[TRAINED[whole["model"]]] else "dense", dtype,
                     "Hopper" if "H100" in row["system"] else "Blackwell")
            name = f'{row["release"].split()[0]} {whole["model"]} {row["system"]} {row["precision"]}'
            if group[0] == "MoE" and (row["release"].split()[0], row["system"]) in PLAIN_EXCHANGE:
                group += ("NCCL all-to-all",)
                parallel["token_dispatcher"] = "alltoall"
            if group[0] == "MoE" and recipe == "mxfp8" and row["system"] in OVERLAPPED_EXCHANGE and \
                    run["software"] >= OVERLAPPED_SINCE:
                parallel["overlap"], run["cuda_graphs"] = "micro_batches", "step"
            yield ("training",) + group, name, TRAINED[whole["model"]], run, parallel, TRAINED_ON[row["system"]], \
                float(row["tokens_sec_gpu"])


def vllm_layout(model, moe, gpus, batch):
    """Degrees and batch of a run with attention data parallelism. The table states the GPUs as both tensor and data degree,
    their square as that of experts; InferenceX's scripts (fixed_seq_len/minimaxm2.5_*.sh) give vLLM the data degree alone,
    but those of MiniMax-M2.5 in fp8 pass over DP_ATTENTION: they ran with tensor parallelism, with all requests in one batch."""
    if model == "MiniMax-M2.5" and moe == "fp8":
        return gpus, 1, gpus, gpus * batch
    return 1, gpus, gpus, batch


def serving(data):
    for row in field_kernels.table(data, "serving-runs"):
        if row["model_path"] not in SERVED:
            continue
        part = "decode_" if row["mode"] == "disagg" else ""
        number = lambda name: max(1, int(float(row[part + name] or 1)))
        if not row[part + "batch_size"] or not row[part + "tp_size"]:
            continue
        tp, dp, ep, etp, batch = (number(n) for n in ("tp_size", "attention_dp_size", "moe_ep_size", "moe_tp_size",
                                                      "batch_size"))
        model = SERVED[row["model_path"]]
        is_mixture = "moe" in MODELS[model]
        if row["backend"] == "vllm" and tp == dp > 1:
            tp, dp, ep, batch = vllm_layout(model, moe=row["moe_quant_mode"], gpus=tp, batch=batch)
        # Beyond a node of eight the table's degrees do not say how the GPUs are divided.
        if number("pp_size") > 1 or tp * dp > 8 or (is_mixture and ep * etp != tp * dp):
            continue
        isl, osl = int(row["isl"]), int(row["osl"])
        lengths, gpu = f"{isl}/{osl}", SERVED_ON[row["system"]]
        is_published = (isl, osl) in PUBLISHED_LENGTHS
        if is_published:
            isl, osl = round(MEAN_LENGTH * isl), round(MEAN_LENGTH * osl)
        run = {"mode": "decode", "micro_batch_size": batch, "context_length": isl + osl // 2, "fusion": "norms",
               "sequence_length": 1}
        gemm, moe = row["gemm_quant_mode"], row["moe_quant_mode"]
        if "gpt-oss" in model:  # only its experts are in 4 bits
            run["dtype"] = "bf16"
            run.update(weight_bits=4, weight_group_size=32, wide_attention=True)
        elif gemm in ("", "bfloat16"):
            run["dtype"] = "bf16"
        elif gemm in ("fp8", "fp8_block"):
            # Their published checkpoints are scaled by blocks, whatever the table calls them; Llama's by tensors, as profiles
            # were measured.
            run.update(dtype="fp8", recipe="none" if "Llama" in model else "block128")
        else:
            # NVIDIA's checkpoints of mixtures keep attention in 16 bits; DeepSeek's second ones have its output projection in 4,
            # which is most of it.
            run.update(dtype="fp4", recipe="nvfp4", wide_attention=is_mixture and model != "DeepSeek-V3")
        parallel = {"tensor": tp, "data": dp}
        if is_mixture:
            parallel.update(expert=ep, expert_tensor=etp)
        group = ("serving", "MoE" if is_mixture else "dense", "attention DP" if dp > 1 else "", row["mode"])
        name = f'{row["backend"]} {model} {row["system"]} {run["dtype"]} tp{tp} dp{dp} ep{ep} b{batch} {lengths}'
        run["engine"] = row["backend"]
        if is_published:
            started = (row["backend"], model, gpu)
            own = [started + (kind,) for kind in (row["backend_version"], f'{run["dtype"]} DP' if dp > 1 else "")]
            run.update(next((STARTED_OTHERWISE[kind] for kind in own if kind in STARTED_OTHERWISE), STARTED.get(started, {})))
            if own[0] in WHOLE_EXPERTS:
                parallel.update(expert=tp * dp, expert_tensor=1)
            batch = min(batch, MOST_AT_ONCE.get((row["backend"], model, gpu, run["dtype"], tp), batch))
            run["micro_batch_size"] = batch
        if is_mixture:  # real tokens do not go to all experts alike; so is the field's routing drawn
            run["routing"] = "exponential"
        # Requests that come in are read between the steps of the others: each of a request's osl steps sees batch / osl.
        prompts = batch / osl if row["mode"] == "agg" else 0
        yield group, name, model, run, parallel, gpu, float(row["silicon_tpot_ms"]), isl, prompts, row["backend_version"]


@dataclasses.dataclass
class Run:
    group: tuple
    name: str
    key: tuple  # the same for runs that state the same layout, batch and lengths
    measured: float
    predicted: float
    step: dict
    version: str = ""  # of the engine
    reading_share: float = 0  # of the peak, that reading the prompts takes at the stated speed
    row: str = ""  # id_of
    gpu: str = ""

    @property
    def ratio(self):
        return self.predicted / self.measured


def software_of(group, name, version=""):
    """A release of Megatron-Bridge, or an engine and its version."""
    first = name.split()[0]
    return f"Megatron-Bridge {first}" if group[0] == "training" else f"{first} {version}".strip()


def id_of(job):
    """A name of a job's row by what it states: the same in every copy of the table."""
    return f"{job[0][0]}-{hashlib.sha1(f'{job[0]} {job[1]} {job[6]}'.encode()).hexdigest()[:12]}"


# Of a GPU's memory, what engines give weights and cache (vLLM: gpu_memory_utilization).
USABLE_MEMORY = 0.9
# Tokens that a step reads at most (vLLM: max_num_batched_tokens, TensorRT-LLM: max_num_tokens).
TOKEN_BUDGET = 8192


def memory(program, model, run, parallel, gpu):
    case, _ = predicted(program, text_of(model, run, parallel), gpu)
    return case["step"]["memory"]["total_bytes"] if case else 0


def held_at_once(program, case, model, run, parallel, gpu):
    """Requests that the cache has room for: engines let the others wait. Where not even one has, more was given."""
    batch, usable = run["micro_batch_size"], USABLE_MEMORY * case["step"]["memory"]["capacity_bytes"]
    if case["step"]["memory"]["total_bytes"] <= usable or batch < 2:
        return batch
    one = memory(program, model, {**run, "micro_batch_size": 1}, parallel, gpu)
    if one > usable:
        return batch
    each = (case["step"]["memory"]["total_bytes"] - one) / (batch - 1)
    return max(1, min(batch, 1 + int((usable - one) / each))) if each > 0 else batch


def outside_experts_us(case):
    """Of a step, all but what the ranks of attention data parallelism do together."""
    share = sum(op["share_of_step"] for op in case["operations"] if not op["name"].startswith("layer.moe."))
    return share * case["step"]["step_us"]


def reading_us(program, decoding, model, run, parallel, gpu, prompt, prompts):
    """What reading `prompts` prompts of that many tokens with each step adds to it, in the mean.

    The ranks of attention data parallelism wait for each other in each layer, but do not read at the same time (TensorRT-LLM's
    balance their prompts: attention_dp_config in the scripts): a step of each waits for the prompts of all."""
    tokens = prompts * prompt
    together = min(max(prompt, math.ceil(tokens)), max(prompt, TOKEN_BUDGET))
    decoding_us = decoding["step"]["step_us"]
    others = 0 if run["engine"] == "trtllm" else parallel["data"] - 1
    if run["engine"] == "sglang":  # in steps of their own
        apart = {**run, "mode": "prefill", "micro_batch_size": max(1, round(together / prompt)),
                 "sequence_length": prompt, "context_length": 0}
        case, error = predicted(program, text_of(model, apart, parallel), gpu)
        more_us = case["step"]["step_us"] + others * outside_experts_us(case) if case else 0
    else:  # beside the others' new tokens
        case, error = predicted(program, text_of(model, {**run, "prefill_tokens": together}, parallel), gpu)
        more_us = case["step"]["step_us"] - decoding_us if case else 0
        if case:
            more_us += others * max(0, outside_experts_us(case) - outside_experts_us(decoding))
    return tokens / together * more_us, error


def reading_share(program, model, run, parallel, gpu, prompt, prompts, measured_ms):
    """Of the data sheet's peak, what reading `prompts` prompts with each step takes at the measured speed."""
    one = {**run, "mode": "prefill", "micro_batch_size": 1, "sequence_length": prompt, "context_length": 0}
    case, _ = predicted(program, text_of(model, one, parallel), gpu)
    ideal_us = case["step"]["mfu"] * case["step"]["step_us"] if case else 0
    return prompts * ideal_us / (1000 * measured_ms)


def price(program, job):
    group, name, model, run, parallel, gpu, measured, *serving_only = job
    prompt, version = serving_only[:2], "".join(serving_only[2:])
    case, error = predicted(program, text_of(model, run, parallel), gpu)
    if case is not None and group[0] == "serving":
        held = held_at_once(program, case, model, run, parallel, gpu)
        if held < run["micro_batch_size"]:
            prompt[1] *= held / run["micro_batch_size"]
            run = {**run, "micro_batch_size": held}
            case, error = predicted(program, text_of(model, run, parallel), gpu)
    share = 0
    if case is not None and prompt and prompt[1] > 0:
        share = reading_share(program, model, run, parallel, gpu, *prompt, measured)
        more_us, error = reading_us(program, case, model, run, parallel, gpu, *prompt)
        case["step"]["step_us"] += more_us
    if error:
        print(f"no prediction of {name}: {error}", file=sys.stderr)
        return None
    value = case["step"]["tokens_per_s_per_gpu"] if group[0] == "training" else case["step"]["step_us"] / 1000
    return Run(group, name, (name, group), measured, value, case["step"], version, share, id_of(job), gpu)


def jobs_of(data, every=1, only=""):
    """All training runs, and of the serving ones one in `every`; what a table states twice is scored once."""
    stated = {(job[0], job[1], job[6]): job for job in serving(data)}
    jobs = list(training(data)) + list(stated.values())[::every]
    return [job for job in jobs if only in " ".join(job[0]) + " " + job[1]]


def score(program, data, every=1, only=""):
    """The runs of jobs_of for which there is a prediction."""
    jobs = jobs_of(data, every, only)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for run in pool.map(lambda job: price(program, job), jobs):
            if run is not None:
                yield run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/release/shapelint")
    parser.add_argument("--data", default="../shared/data/kernels")
    parser.add_argument("--only", default="", help="runs whose group or name holds this text")
    parser.add_argument("--every", type=int, default=1, help="of the serving runs one in so many")
    options = parser.parse_args()
    groups = collections.defaultdict(list)
    for run in score(options.program, options.data, options.every, options.only):
        groups[run.group].append(run.ratio)
        parts = " ".join(f"{part} {run.step[part + '_us'] / run.step['step_us']:.2f}" for part in
                         ("compute", "memory", "communication", "overhead", "bubble"))
        print(f"{run.ratio:6.2f} {run.measured:10.2f} {run.name}: {parts}")
    for group, ratios in sorted(groups.items()):
        errors = [abs(ratio - 1) for ratio in ratios]
        bias = math.exp(statistics.mean(math.log(ratio) for ratio in ratios))
        print(f"{' '.join(group):46} {len(ratios):5} mean {100 * statistics.mean(errors):5.1f} % "
              f"median {100 * statistics.median(errors):5.1f} % bias {bias:5.2f}")


if __name__ == "__main__":
    main()
