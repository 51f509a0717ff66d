# Without the configuration there is neither its GPU nor its rule.
shapelint tests/project/laboratory/narrow-heads.toml --format concise --isolated
shapelint suggest tests/project/laboratory/wide-heads.toml --top 3 --isolated --format csv
shapelint roofline tests/project/laboratory/wide-heads.toml --isolated --gpu lab
shapelint sweep tests/project/laboratory/wide-heads.toml --over num_attention_heads=20,32 --isolated
shapelint gemm 8192 10240 2560 --isolated
shapelint gemm 8192 10240 2560 --isolated --gpu lab-a100
shapelint explain LAB101 --isolated
shapelint gpus lab-a100 --isolated
shapelint config --show tests/project/laboratory/wide-heads.toml --isolated
