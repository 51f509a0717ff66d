shapelint sweep examples/gpt3-2.7b.toml --over vocab_size=50256:50260 --over tensor=1,3 --gpu a100
shapelint sweep examples/gpt3-2.7b.toml --over hidden_size=2560:2576:8 --gpu a100,h100 --shard 2/3
