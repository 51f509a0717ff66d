shapelint roofline examples/deepseek-v3.toml --gpu h200 --mode decode --context-length 4096 --micro-batch-size 64 --pipeline 1 --tensor 8 --expert 8 --data 1 --top 6
shapelint roofline examples/deepseek-v3.toml --gpu h200 --mode decode --context-length 4096 --micro-batch-size 8 --pipeline 1 --tensor 1 --expert 8 --data 8 --top 6
shapelint roofline examples/deepseek-v3.toml --gpu h100 --pipeline 16 --virtual-pipeline 2 --overlap micro_batches --top 4
