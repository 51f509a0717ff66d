# No suggestion violates the laboratory's rule.
shapelint suggest tests/project/laboratory/wide-heads.toml --top 5
shapelint suggest tests/project/laboratory/wide-heads.toml --top 5 --gpu h100 --format csv
shapelint suggest tests/project/laboratory/wide-heads.toml --fix hidden_size --range num_attention_heads=16,32 --top 3
shapelint suggest tests/project/laboratory/wide-heads.toml --vary vocab_size --objective cost --price lab=2 --top 1 --format csv
