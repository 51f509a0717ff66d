# The rule of the laboratory is among what is found, and says of nothing that it would be faster.
shapelint prove tests/project/laboratory/narrow-heads.toml --findings LAB101
shapelint prove tests/project/laboratory/narrow-heads.toml --findings LAB102
shapelint prove --sweeps waves --gpu nowhere --config tests/project/laboratory/shapelint.toml
