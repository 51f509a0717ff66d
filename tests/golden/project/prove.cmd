# The laboratory's rule is among the findings, and has no faster alternative.
shapelint prove tests/project/laboratory/narrow-heads.toml --findings LAB101
shapelint prove tests/project/laboratory/narrow-heads.toml --findings LAB102
shapelint prove --sweeps waves --gpu nowhere --config tests/project/laboratory/shapelint.toml
