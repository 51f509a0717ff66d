#!/usr/bin/env python3
"""scripts/known-models: one row for each model, whatever variants of it are published. Usage: known-models.py SHAPELINT"""
import importlib.machinery
import importlib.util
import os
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
loader = importlib.machinery.SourceFileLoader("known_models", str(root / "scripts" / "known-models"))
spec = importlib.util.spec_from_loader("known_models", loader)
tool = importlib.util.module_from_spec(spec)
loader.exec_module(tool)

neutral = tool.NEUTRAL | tool.storage_words()
bases = {
    "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8": "qwen3-30b-a3b",
    "Qwen3-4B_torch_dist": "qwen3-4b",
    "google/gemma-4-31B-it-qat-w4a16-ct": "gemma4-31b",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral7b-v0.3",
    "internlm/internlm-chat-7b": "internlm7b",
    "meta-llama/Meta-Llama-3_1-8B": "llama3.1-8b",
    "Qwen/Qwen3-8B-4096": "qwen3-8b-4096",
}
for name, base in bases.items():
    assert tool.base_of(name, neutral) == base, (name, tool.base_of(name, neutral), base)

entries = [{"name": name, "values": {"hidden_size": size}} for name, size in
           [("a/X-7B", 4096), ("b/X-7B-Instruct", 4096), ("c/X-7B", 5120), ("a/Y-1B-FP8", 2048)]]
assert [each["name"] for each in tool.one_row_each(entries, {"y1b"}, neutral)] == ["a/X-7B", "c/X-7B"]

# The table as it is: rows of one base differ in size.
import tomllib  # noqa: E402

seen = {}
for family in tomllib.loads((tool.MODELS / "table.toml").read_text())["family"]:
    columns = family["columns"].split()
    for row in family["models"]:
        name, *sizes = row.split()
        values = dict(zip(columns, sizes))
        key = (tool.base_of(name, neutral), *(values.get(each) for each in tool.SIZES))
        assert key not in seen, f"{name} and {seen[key]} are one model"
        seen[key] = name
assert not {key[0] for key in seen} & tool.described_elsewhere(neutral) - {"mixtral8x22b-v0.1"}
# Written again it is the same, and a new model adds its row and its source.
text = (tool.MODELS / "table.toml").read_text()
rows = tool.rows_of(text)
order = tomllib.loads(text)["sources"]
assert tool.written(rows, order) == text
new = {"name": "a/New-9B", "values": {**rows[0]["values"], "vocab_size": 9}, "source": "https://a.example, config.json"}
told = list(tool.added(rows, [new, rows[0], {**rows[1], "name": rows[1]["name"] + "-FP8"}], neutral))
assert told == [new], told
before, after = text.splitlines(), tool.written(rows + told, order).splitlines()
assert not set(before) - set(after) and len(set(after) - set(before)) == 2, set(after) ^ set(before)
layered = {"name": "a/Layers-9B", "values": {**rows[0]["values"], "layers_without_mlp": 1}, "source": "a"}
assert not list(tool.added(rows, [layered], neutral))
# What the program tells of a configuration is its row: what nobody stated is not in it.
config = {"model_type": "qwen2", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
          "num_key_value_heads": 8, "intermediate_size": 49152, "vocab_size": 152064, "tie_word_embeddings": False}
found = tool.huggingface("Qwen/Qwen1.5-110B", config, "a/b", "c")
[models] = tool.parts_of(os.path.abspath(sys.argv[1]), [found])
entry = tool.entry_of(found, models)
[row] = [each for each in rows if each["name"] == found.name]
assert entry["values"] == row["values"], (entry["values"], row["values"])
assert entry["parameters"] == 111_209_914_368, entry["parameters"]  # as published
print("known-models: ok")
