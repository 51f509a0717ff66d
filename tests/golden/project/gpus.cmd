shapelint gpus --config tests/project/laboratory/shapelint.toml
