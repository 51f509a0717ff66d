shapelint roofline
shapelint roofline examples/llama-2-7.toml --gpu a100
shapelint roofline examples/llama-2-7b.toml --gpu a1000
shapelint roofline examples/llama-2-7b.toml --mode decode --gpu a100
shapelint roofline examples/llama-2-7b.toml --gpu a100 --over batch=1:8
shapelint roofline examples/llama-2-7b.toml --gpu a100 --over micro_batch_size=1:8:*1
shapelint roofline examples/llama-2-7b.toml --gpu a100 --over micro_batch_size=1:8:*x
shapelint roofline examples/llama-2-7b.toml --gpu a100 --prefill-chunk -1
shapelint roofline examples/deepseek-v3.toml --gpu a100
shapelint roofline examples/llama-2-7b.toml --gpu a100 --plot roofline.jpg
shapelint roofline examples/llama-2-7b.toml --gpu a100 --report report --waterfall out/w
shapelint roofline examples/llama-2-7b.toml --gpu a100 --draft examples/smollm-360m.toml --output-tokens 5 --prefill-chunk 5
shapelint roofline examples/llama-2-7b.toml --gpu a100 --mode decode --context-length 5 --draft examples/resnet-50.toml
shapelint roofline examples/resnet-50.toml --gpu a100 --output-tokens 5
shapelint roofline examples/llama-2-7b.toml --gpu a100 --prefill-chunk -1 --output-tokens -1
shapelint roofline examples/llama-2-7b.toml --gpu a100 --over micro_batch_size=1:10001:1
