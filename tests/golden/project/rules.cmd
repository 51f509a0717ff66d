shapelint rules --config tests/project/laboratory/shapelint.toml
