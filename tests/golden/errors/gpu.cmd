shapelint examples/llama-3-8b.toml --gpu h1000
shapelint examples/llama-3-8b.toml --gpu a100,,h100
shapelint examples/llama-3-8b.toml --gpu ''
shapelint examples/llama-3-8b.toml --sm-count 100
shapelint examples/llama-3-8b.toml --gpu a100,h100 --sm-count 100
shapelint examples/llama-3-8b.toml --gpu h100 --sm-count 0
shapelint examples/llama-3-8b.toml --gpu h100 --sm-count 1000
shapelint examples/llama-3-8b.toml --gpu-file no-such-file.toml
shapelint examples/deepseek-v3.toml --gpu a100
shapelint examples/llama-3-8b.toml --gpu a100 --dtype fp8
# A100 and H100 are assumed; only one of them has fp8.
shapelint examples/deepseek-v3.toml --min-gain 100%
