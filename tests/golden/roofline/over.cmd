shapelint roofline examples/llama-3-70b.toml --gpu h200 --mode decode --context-length 4096 --tensor 4 --over micro_batch_size=1:256:*4
shapelint roofline examples/llama-2-7b.toml --gpu a100 --mode prefill --over sequence_length=16,64,256,1024 --format csv
