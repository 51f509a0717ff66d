shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --family 125m,350m,1.3b,2.7b,6.7b
shapelint suggest examples/llama-3-8b.toml --gpu h100 --family 1b,8b --format toml
shapelint suggest examples/mixtral-8x7b.toml --gpu a100 --family 7b,46b
