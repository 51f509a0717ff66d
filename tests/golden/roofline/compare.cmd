shapelint roofline examples/llama-2-7b.toml examples/llama-3-8b.toml --gpu l4,h100 --mode decode --context-length 2048
shapelint roofline examples/gpt3-2.7b.toml examples/pythia-1b.toml --gpu a100
shapelint roofline examples/llama-3-8b.toml --gpu h100 --mode decode --context-length 8192 --micro-batch-size 16 --tensor 2 --weight-bits 4 --weight-group-size 128 --kv-cache-bits 8 --speculative-tokens 3 --prefill-chunk 2048 --top 5
shapelint roofline examples/deepseek-v3.toml --gpu h200 --mode decode --context-length 4096 --micro-batch-size 128 --pipeline 1 --tensor 8 --expert 64 --top 8
shapelint roofline examples/bert-large.toml --gpu l4 --mode prefill --top 3
