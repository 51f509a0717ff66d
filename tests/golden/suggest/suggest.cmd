# The answer, in each format.
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --params 1% --top 5
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --vary num_attention_heads,vocab_size --top 2 --format csv
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --vary num_attention_heads,vocab_size --top 2 --format toml
shapelint suggest examples/gpt3-2.7b.toml --gpu a100,h100,l4 --vary vocab_size --top 1 --format json
shapelint suggest examples/gpt3-2.7b.toml --gpu a100 --vary vocab_size --diff
shapelint suggest examples/gpt3-2.7b-flash.toml --gpu h100 --objective cost --price h100=2.5 --top 2
# memory rules half of the batch sizes out
shapelint suggest examples/gpt3-2.7b.toml --gpu a100-sxm4-40gb --vary micro_batch_size
# a run that does not fit: shapes, but no plan that asks for more
shapelint suggest examples/gpt3-2.7b.toml --gpu rtx4090 --vary vocab_size --top 1
shapelint suggest examples/gpt3-2.7b.toml --gpu rtx4090 --vary micro_batch_size
# several GPUs, several models in one file
shapelint suggest examples/opt-2.7b.toml --gpu a100,l4 --top 3
shapelint suggest tests/formats/fixtures/huggingface/text-and-vision.json --sequence-length 2048 --gpu a100 --top 1
shapelint suggest tests/formats/fixtures/huggingface/text-and-vision.json --model vision --gpu a100 --top 1
