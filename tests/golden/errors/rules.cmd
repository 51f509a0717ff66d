shapelint examples/llama-3-8b.toml --select SL999
shapelint examples/llama-3-8b.toml --select vocab-misalined --ignore SL1,nothing
shapelint examples/llama-3-8b.toml --min-gain two --fail-level never --format xml
