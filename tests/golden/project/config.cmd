shapelint config --show tests/project/laboratory/wide-heads.toml
