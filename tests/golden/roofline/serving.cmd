shapelint roofline examples/llama-2-7b.toml --gpu a100 --mode decode --context-length 1024 --micro-batch-size 8 --fusion norms --prefill-tokens 64 --output-tokens 128 --top 4
shapelint roofline examples/mixtral-8x7b.toml --gpu h100 --mode decode --context-length 1024 --tensor 2 --expert 1 --data 1 --draft examples/smollm-360m.toml --speculative-tokens 3 --top 4
shapelint roofline examples/mixtral-8x7b.toml --gpu h100 --mode decode --context-length 1024 --tensor 2 --expert 1 --data 1 --draft examples/smollm-360m.toml --over speculative_tokens=0:4:1
shapelint roofline examples/resnet-50.toml examples/vgg-16.toml --gpu a100,h100
