# Every command reports an error of the configuration once.
shapelint tests/project/laboratory/wide-heads.toml tests/project/laboratory/narrow-heads.toml --config tests/project/mistaken.toml
shapelint suggest tests/project/laboratory/wide-heads.toml --config tests/project/mistaken.toml
shapelint roofline tests/project/laboratory/wide-heads.toml tests/project/laboratory/narrow-heads.toml --config tests/project/mistaken.toml
shapelint sweep tests/project/laboratory/wide-heads.toml --over num_attention_heads=20 --config tests/project/mistaken.toml
shapelint gemm 8192 10240 2560 --config tests/project/mistaken.toml
shapelint show tests/project/laboratory/wide-heads.toml tests/project/laboratory/narrow-heads.toml --config tests/project/mistaken.toml
shapelint explain SL101 --config tests/project/mistaken.toml
shapelint rules --config tests/project/mistaken.toml
shapelint gpus --config tests/project/mistaken.toml
shapelint config --show tests/project/laboratory/wide-heads.toml --config tests/project/mistaken.toml
