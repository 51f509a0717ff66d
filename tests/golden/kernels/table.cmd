shapelint kernels attention-decode --gpu h100 --shapes tests/golden/kernels/decode.csv --format csv
shapelint kernels attention-decode --gpu h100 --shapes tests/golden/kernels/decode.csv
shapelint kernels attention-decode --gpu mi300x --shapes tests/golden/kernels/decode.csv --format json
