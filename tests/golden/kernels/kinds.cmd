shapelint kernels nccl --gpu h100 --shapes tests/golden/kernels/nccl.csv --format csv
shapelint kernels fp8-quantize --gpu h200 --shapes tests/golden/kernels/passes.csv --format csv
shapelint kernels mla-prefill --gpu b200 --shapes tests/golden/kernels/latent.csv --format csv
shapelint kernels mla-decode --gpu b200 --shapes tests/golden/kernels/latent.csv --format csv
shapelint kernels moe --gpu h100 --shapes tests/golden/kernels/experts.csv --format csv
