# The prediction for the laboratory's GPU, and its rule among the findings.
shapelint profile tests/trace/transformer-cpu.json.gz --model tests/trace/transformer.toml --config tests/project/laboratory/shapelint.toml --top 3
