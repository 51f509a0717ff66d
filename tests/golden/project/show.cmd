shapelint show tests/project/laboratory/wide-heads.toml
