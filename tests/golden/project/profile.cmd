# What the laboratory's GPU was predicted to take, and its rule among what is found.
shapelint profile tests/trace/transformer-cpu.json.gz --model tests/trace/transformer.toml --config tests/project/laboratory/shapelint.toml --top 3
