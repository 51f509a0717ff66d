# Several GPUs and files; an unreadable file does not stop the others.
shapelint examples/gpt2-124m.toml --gpu a100,h100 --select SL101
shapelint examples/gpt2-124m.toml --gpu A100-SXM4-80GB --gpu a100 --select SL101
shapelint no-such-file.toml examples/llama-3-8b.toml examples/llama-2-7b.toml --gpu h100
shapelint examples/llama-3-8b.toml
shapelint - --gpu a100 --select SL101 < examples/gpt2-124m.toml
shapelint - --stdin-filename model.toml --gpu a100 --select SL101 < examples/gpt2-124m.toml
FORCE_COLOR=1 shapelint examples/gpt2-124m.toml --gpu a100 --select SL101
