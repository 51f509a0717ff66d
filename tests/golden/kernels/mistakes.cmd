shapelint kernels
shapelint kernels attention-decod --gpu h100 --shapes tests/golden/kernels/decode.csv
shapelint kernels attention-decode --gpu h100
shapelint kernels attention-decode --shapes tests/golden/kernels/decode.csv
shapelint kernels attention-decode --gpu h100 --shapes tests/golden/kernels/no-such.csv
shapelint kernels attention-decode --gpu h100 --shapes tests/golden/kernels/columns.csv
shapelint kernels attention-prefill --gpu h100 --shapes tests/golden/kernels/bad.csv
