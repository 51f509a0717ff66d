shapelint gemm 8192 10240 2560 --config tests/project/laboratory/shapelint.toml
shapelint gemm 8192 10240 2560 --config tests/project/laboratory/shapelint.toml --gpu h100
