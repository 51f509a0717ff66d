# One clear message each, and exit code 2.
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hiden_size=2048:4096:64
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=4096:2048
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=2048:4096:0 --range hidden_size
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=2048:40x6 --range num_layers=0:5
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range vocab_size=40000:60000:64
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --vary heads --fix dtype
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --fix hidden_size --range hidden_size=2048:4096:64
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where 'parms <= 2.9e9' --where 'head_dim >='
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where 'step_us < 5'
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where 'head_dim >= 100 && head_dim < 90'
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where 'head_dim >= 1000'
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=4096:8192:64
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --params 2x --aspect -1
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --objective cost
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --price h100=2 --weight a100=x
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --apply 11
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --write
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --family 125q
shapelint suggest examples/deepseek-v3.toml --gpu h100 --family 125m
shapelint sweep examples/gpt3-2.7b.toml --gpu a100 --over hidden_size=1:2 --over hidden_size=3:4
shapelint sweep examples/gpt3-2.7b.toml --gpu a100 --over hidden_size=1:2 --shard 3/2
shapelint sweep examples/gpt3-2.7b.toml --gpu a100
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size= --range =5
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=2048:4096:64:2
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=99999999999999999999
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=-5:10 --range num_layers=20,,24
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=2048:2112 --range hidden_size=2560
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --vary hidden_size,,
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --vary hidden_size --fix hidden_size
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --fix hidden_size,num_layers,head_dim,intermediate_size,vocab_size
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range tensor=3 --fix hidden_size,head_dim
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where 'params > 3e9'
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where 'hidden_size = 5'
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where ''
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --where 'foo(head_dim) > 2'
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --top 0 --threads 0
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --time-limit 0 --objective speed --basket best
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --objective cost --price a100=-1
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --apply 99
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --apply 1 --write -o x.toml
shapelint suggest examples/gpt3-2.7b.toml --gpu a1000 --apply 0
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --model text
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --family 1b --vary hidden_size
shapelint suggest no-such-model.toml --gpu a100
shapelint sweep examples/gpt3-2.7b.toml --gpu a100 --over hidden=64:128 --over attention=1:2 --shard 0/4
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --range hidden_size=1:4000000
