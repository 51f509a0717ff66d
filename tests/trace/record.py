#!/usr/bin/env python3
"""Records tests/trace/transformer-cpu.json.gz: two training steps of tests/trace/transformer.toml on the CPU.

Debian's PyTorch is built without Kineto, whose format this writes, of what torch.autograd.profiler measured.
Usage: record.py FILE.json.gz
"""
import gzip
import json
import sys

import torch
from torch import nn

HIDDEN, LAYERS, HEADS, FFN, VOCAB, TOKENS, BATCH = 256, 2, 4, 1024, 1000, 128, 2
STEPS = 3  # the first warms up


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv, self.out = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.up, self.down = nn.Linear(HIDDEN, FFN), nn.Linear(FFN, HIDDEN)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, HIDDEN // HEADS).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)) / (HIDDEN // HEADS) ** 0.5
        future = torch.ones(t, t, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(b, t, HIDDEN))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, HIDDEN)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm = nn.LayerNorm(HIDDEN)
        self.head = nn.Linear(HIDDEN, VOCAB, bias=False)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.embedding(x))))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Model()
optimizer = torch.optim.AdamW(model.parameters())
with torch.autograd.profiler.profile(record_shapes=True) as profile:
    for i in range(STEPS):
        with torch.autograd.profiler.record_function(f"Step {i}"):
            x = torch.randint(VOCAB, (BATCH, TOKENS + 1))
            logits = model(x[:, :-1]).reshape(-1, VOCAB)
            loss = nn.functional.cross_entropy(logits, x[:, 1:].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

begin = next(each.time_range.start for each in profile.function_events if each.name == "Step 1")
events = []
for each in profile.function_events:
    if each.time_range.start < begin:
        continue
    named = each.name.startswith(("Step ", "Optimizer."))
    event = {
        "ph": "X",
        "cat": "user_annotation" if named else "cpu_op",
        "name": each.name.replace("Step ", "ProfilerStep#") if each.name.startswith("Step ") else each.name,
        "pid": 1,
        "tid": each.thread,
        "ts": round(each.time_range.start - begin, 1),
        "dur": round(each.time_range.end - each.time_range.start, 1),
    }
    sizes = [list(size) for size in each.input_shapes or []]
    if any(sizes):
        event["args"] = {"Input Dims": sizes}
    events.append(event)
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    trace = {"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": events}
    file.write(json.dumps(trace, separators=(",", ":")).encode())
