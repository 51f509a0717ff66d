# A single token with few keys: nearly all launch overhead; the small rest is not printed as 0.
shapelint kernels attention-decode --gpu b200 --shapes tests/golden/kernels/small.csv --format csv
