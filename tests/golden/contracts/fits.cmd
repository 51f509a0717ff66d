# Qwen3-235B-A22B in FP8 (vllm-project/vllm#17569): rejected with TP 8 of the experts, runs with EP 8.
shapelint fits tests/contracts/models/qwen3-235b.toml --count 4,8,16 --gpu h100 --stack vllm==0.24
# gpt-oss-120b's hidden_size 2880 with DeepEP (deepseek-ai/DeepEP#532): vLLM pads it to 3072, DeepEP alone rejects it.
shapelint fits tests/contracts/models/gpt-oss-120b.toml --count 8 --gpu h100 --stack vllm==0.24,deep-ep==2.1
# GLM-4.7 on 6 GPUs (vllm-project/vllm#31474): the heads divide, the vocabulary does not.
shapelint fits tests/contracts/models/glm-4.7.toml --count 6 --gpu h20 --stack vllm==0.24
# Nemotron-3-Nano in NVFP4 over 8 GPUs (vllm-project/vllm#49949): 232 columns cut groups of 16.
shapelint fits tests/contracts/models/nemotron-3-nano.toml --count 8 --gpu h100 --stack vllm==0.24
# A box of 7 GPUs.
shapelint fits tests/contracts/models/qwen3-235b.toml --count 7 --gpu h100 --stack vllm==0.24
shapelint fits tests/contracts/models/qwen3-235b.toml --count 8 --gpu h100 --format csv
shapelint fits tests/contracts/models/qwen3-235b.toml --count eight --gpu h100
shapelint fits tests/contracts/models/qwen3-235b.toml --count 8 --gpu a100 --formats fp8
