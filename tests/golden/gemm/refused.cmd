# fp8 and fp4 whose sides a library refuses: told once, and in a column; the time is what it would take.
shapelint gemm 8192 8192 8191 --gpu h100 --dtype fp8
shapelint gemm --shapes tests/golden/gemm/refused.csv --gpu b200 --format csv
