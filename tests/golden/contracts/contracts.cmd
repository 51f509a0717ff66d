shapelint contracts tests/contracts/models/qwen3-235b.toml --gpu h100 --stack vllm==0.24
shapelint contracts tests/contracts/models/qwen3-235b.toml --gpu h100 --stack auto
shapelint contracts vllm/block-fp8-experts
shapelint contracts flash-mla
shapelint contracts flash-mla/dense-decode-rank --format json
shapelint contracts flash-mal
