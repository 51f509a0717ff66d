# Out of memory is an error, with a fix that fits.
shapelint tests/golden/lint/memory.toml --gpu h100
shapelint tests/golden/lint/memory.toml --gpu h100 --tensor 8 --pipeline 16 --data 128 --zero 1 --gradient-accumulation 32
shapelint tests/golden/lint/memory.toml --gpu h100 --mode decode --tensor 8 --context-length 8192 --micro-batch-size 4
# Activations: a warning with the reserve.
shapelint examples/gpt3-2.7b-flash.toml --gpu l40 --select SL5
shapelint examples/gpt3-2.7b-flash.toml --gpu a100 --micro-batch-size 8 --select SL5
# A file without a layout: the summary names the smallest, and nothing fails.
shapelint tests/formats/fixtures/huggingface/llama-3-8b/config.json --gpu rtx4090
# The same model with a plan from the command line.
shapelint tests/formats/fixtures/huggingface/llama-3-8b/config.json --gpu rtx4090 --mode decode --micro-batch-size 8 --context-length 8192
