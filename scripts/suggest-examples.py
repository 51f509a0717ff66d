"""Rewrites the section `Before and after` of docs/suggest.md from what shapelint answers now."""
import json
import subprocess
import sys

MODELS = [
    ("examples/gpt3-2.7b.toml", "GPT-3 2.7B, attention not fused", "1%"),
    ("examples/gpt3-2.7b-flash.toml", "GPT-3 2.7B, flash attention", "1%"),
    ("examples/pythia-410m.toml", "Pythia-410M", "2%"),
    ("examples/falcon-7b.toml", "Falcon-7B", "2%"),
    ("examples/opt-2.7b.toml", "OPT-2.7B", "2%"),
    ("examples/smollm-360m.toml", "SmolLM-360M", "2%"),
    ("examples/bigscience-104b.toml", "104B (head dim 145)", "2%"),
]
EFFECTS = {
    "alignment": "misaligned rows",
    "tile": "partial tiles",
    "wave": "idle SMs",
    "attention": "attention kernel",
    "throughput": "arithmetic",
    "memory": "memory traffic",
    "communication": "communication",
}


def percent(share):
    return f"{100 * share:.1f} %"


def changes(row):
    return ", ".join(f"{c['field']} {c['from']} → {c['to']}" for c in row["changes"])


def causes(row):
    by_effect = {}
    for cause in row["gpus"][0]["causes"]:
        key = (cause["effect"], cause["op"])
        by_effect[key] = by_effect.get(key, 0) + cause["share"]
    largest = sorted(by_effect.items(), key=lambda item: -abs(item[1]))[:4]
    return "; ".join(f"{EFFECTS[e]} of {op} {100 * share:+.1f} %" for (e, op), share in largest)


def line(name, gpu, answer):
    rows = answer["suggestions"]
    start = answer["start"]["gpus"][0]
    before = f"{start['step_us'] / 1000:.1f} ms, MFU {percent(start['mfu'])}"
    if not rows:
        return f"| {name} | {gpu} | {before} | nothing better | | |\n"
    enough = [row for row in rows if row["gain"] >= 2 / 3 * rows[0]["gain"]]
    few = min(enough, key=lambda row: len(row["changes"]))
    text = ""
    for row in [few] if few is rows[0] else [few, rows[0]]:
        now = row["gpus"][0]
        text += (
            f"| {name} | {gpu} | {before} | {changes(row)} | {percent(row['gain'])} ± {percent(row['gain_error'])}"
            f" ({now['step_us'] / 1000:.1f} ms, MFU {percent(now['mfu'])}) | {causes(row)} |\n"
        )
    return text


def main():
    table = "| model | GPU | now | change | gain | largest causes |\n|---|---|---|---|---|---|\n"
    for path, name, params in MODELS:
        for gpu in ("a100", "h100"):
            command = [sys.argv[1], "suggest", path, "--gpu", gpu, "--params", params, "--top", "30", "--format", "json"]
            answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            table += line(name, gpu, answer)
    with open("docs/suggest.md", encoding="utf-8") as file:
        text = file.read()
    head, heading, rest = text.partition("## Before and after\n")
    intro = rest.split("\n|", 1)[0].rstrip("\n")
    with open("docs/suggest.md", "w", encoding="utf-8") as file:
        file.write(f"{head}{heading}{intro}\n\n{table}")


if __name__ == "__main__":
    main()
