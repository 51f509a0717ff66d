shapelint kernels moe --shapes tests/golden/kernels/experts.csv --format csv --config tests/project/laboratory/shapelint.toml
shapelint kernels moe --shapes tests/golden/kernels/experts.csv --format csv --config tests/project/laboratory/shapelint.toml --gpu h100
