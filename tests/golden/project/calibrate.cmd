# `calibrate` fits the configuration's GPU; this table has no times.
shapelint calibrate tests/golden/gemm/table.csv -o unused.toml --config tests/project/laboratory/shapelint.toml
shapelint calibrate tests/golden/gemm/table.csv -o unused.toml --gpu lab-a100 --isolated
shapelint calibrate tests/golden/gemm/table.csv -o unused.toml --isolated
