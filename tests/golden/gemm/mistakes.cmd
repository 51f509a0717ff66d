# Mistakes.
shapelint gemm 1 2 --gpu a100
shapelint gemm 1 0 3 --gpu a100
shapelint gemm 1 2 3
shapelint gemm 1 2 3 --gpu a100,h100
shapelint gemm 1 2 3 --gpu a100 --dtype fp8
shapelint gemm 1 2 3 --gpu a1000
shapelint calibrate --gpu-file gpus/t4.toml --shapes tests/golden/gemm/table.csv -o unused.toml
