#!/usr/bin/env python3
"""Compares what shapelint reads from a folder of public configurations with an independent reader's answers.

`expected.json` there gives, for some of the files, the shapes that another reader took from them: a
cross-check, not the truth. Where it is wrong, the reviewed list says so and why. Run by bench/corpus.sh.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import time

FIELDS = {
    "h": "hidden_size", "layers": "num_layers", "heads": "num_attention_heads",
    "kv": "num_key_value_heads", "hd": "head_dim", "vocab": "vocab_size", "tp": "tensor",
}
MLA = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
TIME_LIMIT_S = 20  # far above what it takes; a hang must not pass


def widths(fields):
    """Every MLP width of a reading: dense, one expert, shared experts together and one by one."""
    names = ("intermediate_size", "moe_intermediate_size", "moe_shared_intermediate_size")
    out = {fields[name]["value"] for name in names if fields[name]["value"]}
    total = fields["moe_shared_intermediate_size"]["value"]
    count = fields["moe_num_shared_experts"]["value"]
    if total and count:
        out.add(total // count)
    return out


def rows(fields, vocab):
    """Rows of the embedding, which some expectations give instead of the vocabulary."""
    multiple = (fields["vocab_padding_multiple"]["value"] or 1) * (fields["tensor"]["value"] or 1)
    return -(-vocab // multiple) * multiple


def compare(shape, fields):
    """Number of fields that could be compared, and [(field, expected, read)] of those that differ."""
    checked, wrong = 0, []
    for short, name in FIELDS.items():
        want, value = shape[short], fields[name]["value"]
        if want is None:
            continue
        checked += 1
        good = value is not None and abs(value - want) < 1
        if short == "vocab" and value is not None:
            good = good or rows(fields, value) == want
        if not good:
            wrong.append((short, want, value))
    if shape["ffn"]:
        checked += 1
        read = widths(fields)
        if not all(round(each) in read for each in shape["ffn"]):
            wrong.append(("ffn", shape["ffn"], sorted(read)))
    if shape["moe"] is not None:
        checked += 1
        read = (fields["moe_num_experts"]["value"] or 0) > 1
        if read != shape["moe"]:
            wrong.append(("moe", shape["moe"], read))
    if shape["mla"] is not None:
        checked += 1
        read = [fields["mla_" + name]["value"] for name in MLA]
        if read != shape["mla"]:
            wrong.append(("mla", shape["mla"], read))
    return checked, wrong


def read_reviewed(path):
    """Lines `FILE | FIELD | REASON`; FILE may end in `*`, FIELD may be `*`."""
    out = []
    for line in open(path) if path and os.path.exists(path) else ():
        if line.strip() and not line.startswith("#"):
            out.append(tuple(part.strip() for part in line.split("|", 2)))
    return out


def is_reviewed(reviewed, path, field):
    for pattern, name, _ in reviewed:
        if name in (field, "*") and (
                path == pattern or (pattern.endswith("*") and path.startswith(pattern[:-1]))):
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shapelint")
    parser.add_argument("configs")
    parser.add_argument("--baseline")
    parser.add_argument("--reviewed")
    parser.add_argument("--write-baseline", action="store_true")
    parser.add_argument("--list", type=int, default=40)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    root = os.path.abspath(args.configs)
    expected = json.load(open(os.path.join(root, "expected.json")))
    reviewed = read_reviewed(args.reviewed)
    begin = time.time()
    done = subprocess.run([args.shapelint, "show", "--format", "json", "--fields-only", root], capture_output=True, text=True,
                          timeout=TIME_LIMIT_S)
    took = time.time() - begin
    if done.returncode not in (0, 2):
        sys.exit(f"shapelint ended with {done.returncode}: {done.stderr[-2000:]}")
    read = {os.path.relpath(entry["path"], root): entry for entry in json.loads(done.stdout)["files"]}

    by_dialect = collections.defaultdict(collections.Counter)
    listed = []
    for path, entry in expected.items():
        kind = entry["format"]
        counts = by_dialect[kind]
        counts["files"] += 1
        got = read.get(path)
        if got is None or not got["models"]:
            what = "unrecognised" if got is None else f"no model ({got['dialect']})"
            counts["unread"] += 1
            for shape in entry["shapes"]:
                for field, want in shape.items():
                    if want not in (None, []) and field not in ("fmt", "mt"):
                        counts["fields"] += 1
                        counts["reviewed" if is_reviewed(reviewed, path, field) else "wrong"] += 1
            if not is_reviewed(reviewed, path, "h"):
                listed.append((kind, path, what, ""))
            continue
        counts["recognised"] += 1
        for shape in entry["shapes"]:
            checked, wrong = min((compare(shape, model["fields"]) for model in got["models"]),
                                 key=lambda pair: len(pair[1]))
            counts["fields"] += checked
            counts["agree"] += checked - len(wrong)
            for field, want, value in wrong:
                fine = is_reviewed(reviewed, path, field)
                counts["reviewed" if fine else "wrong"] += 1
                if not fine:
                    listed.append((kind, path, field, f"expected {want}, read {value}"))
    total = collections.Counter()
    columns = ("files", "recognised", "fields", "agree", "reviewed", "wrong")
    print(f"{'dialect':<18}" + "".join(f"{name:>12}" for name in columns))
    for kind, counts in sorted(by_dialect.items()):
        total.update(counts)
        print(f"{kind:<18}" + "".join(f"{counts[name]:>12}" for name in columns))
    print(f"{'all':<18}" + "".join(f"{total[name]:>12}" for name in columns))
    others = collections.Counter((entry["dialect"] if entry["models"] else entry["dialect"] + " (no model)")
                                 for path, entry in read.items() if path not in expected)
    print("beyond the expected:", ", ".join(f"{name} {count}" for name, count in sorted(others.items())))
    print(f"{took:.2f} s for the folder, exit code {done.returncode}")
    listed = [row for row in listed if args.only in row[0] + " " + row[1]]
    for row in listed[:args.list]:
        print("  ", *row)
    if len(listed) > args.list:
        print(f"   … and {len(listed) - args.list} more")
    if not args.baseline:
        return 0
    now = {"recognised": total["recognised"], "agree_or_reviewed": total["agree"] + total["reviewed"]}
    if args.write_baseline:
        with open(args.baseline, "w") as out:
            json.dump(now, out, indent=1)
            out.write("\n")
        return 0
    worse = [(name, count, now[name]) for name, count in json.load(open(args.baseline)).items() if now[name] < count]
    for name, before, after in worse:
        print(f"worse than before: {name} {before} -> {after}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
