# Values of the command line replace those of the file; the finding has a note.
shapelint examples/gpt3-2.7b.toml --gpu a100 --num-attention-heads 20 --vocab-size 50304
shapelint examples/gpt3-2.7b.toml --gpu a100 --tensor 3 --select SL4
shapelint examples/llama-3-8b.toml --gpu h100 --mode decode --context-length 4096 --micro-batch-size 8
shapelint examples/llama-3-8b.toml --gpu h100 --vocab-size -5
shapelint examples/llama-3-8b.toml --gpu h100 --vocab-size 1000000000000
shapelint examples/llama-3-8b.toml --gpu h100 --attention flsh --mlp-gated yes --hidden 4096
shapelint examples/llama-3-8b.toml --gpu h100 --num-key-value-heads 64
