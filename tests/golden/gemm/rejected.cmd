# FP8 and FP4 GEMMs that cuBLASLt rejects: one note, and a column; their times are hypothetical.
shapelint gemm 8192 8192 8191 --gpu h100 --dtype fp8
shapelint gemm --shapes tests/golden/gemm/rejected.csv --gpu b200 --format csv
