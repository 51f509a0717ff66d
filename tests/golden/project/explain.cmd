shapelint explain LAB101 --config tests/project/laboratory/shapelint.toml
shapelint explain LAB102 --config tests/project/laboratory/shapelint.toml
