# Mistakes.
shapelint gemm 1 2 --gpu a100
shapelint gemm 1 0 3 --gpu a100
shapelint gemm 1 2 3
shapelint gemm 1 2 3 --gpu a100,h100
shapelint gemm 1 2 3 --gpu a100 --dtype fp8
shapelint gemm 1 2 3 --gpu a1000
shapelint calibrate --gpu-file gpus/t4.toml --shapes tests/golden/gemm/table.csv -o unused.toml
shapelint gemm 1 2 3 --gpu h100 --dtype bf16 --recipe row
shapelint gemm 1 2 3 --gpu h100 --dtype fp8 --recipe nvfp4
shapelint gemm 1 2 3 --gpu a100 --recipe tensor
shapelint calibrate --gpu h100 --shapes tests/golden/gemm/few.csv -o unused.toml
shapelint gemm 4096 4096 4096 --recipe mxfp8 --gpu h100
