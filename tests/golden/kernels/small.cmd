# A single token of a few keys: nearly all of it is launches, and what little is not is no 0.
shapelint kernels attention-decode --gpu b200 --shapes tests/golden/kernels/small.csv --format csv
