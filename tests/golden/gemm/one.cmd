# One GEMM explained. An odd vocabulary costs most of its throughput.
shapelint gemm 2304 3136 4096 --gpu a100
shapelint gemm 8192 50257 768 --gpu a100
shapelint gemm 2048 64 2048 --batch 512 --layout nn --dtype fp16 --gpu v100
# fp8 alone, with the pass that quantizes, and as vLLM runs both.
shapelint gemm 8192 8192 8192 --gpu h800 --recipe tensor
shapelint gemm 8192 8192 8192 --gpu h800 --recipe tensor --with-quantization
shapelint gemm 8192 8192 8192 --gpu h800 --dtype fp8
