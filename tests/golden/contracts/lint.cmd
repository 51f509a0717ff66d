shapelint tests/contracts/models/qwen3-235b.toml --gpu h100 --stack vllm==0.24,sglang --select SL45
shapelint tests/contracts/models/qwen3-235b.toml --gpu h100,b200-sxm --stack flashinfer --select SL45
# A version newer than the newest that was read.
shapelint tests/contracts/models/qwen3-235b.toml --gpu h100 --stack vllm==9 --select SL45 -v
shapelint tests/contracts/models/qwen3-235b.toml --gpu h100 --stack vlm
shapelint tests/contracts/models/gpt-oss-120b.toml --gpu h100 --stack vllm,deep-ep --expert 8 --data 8 --select SL45 --min-severity info
