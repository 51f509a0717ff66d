# The phases of reinforcement learning as plans of one model: each is linted, and their times are added up.
shapelint tests/golden/lint/plans.toml --gpu h100
shapelint roofline tests/golden/lint/plans.toml --gpu h100 --model rollout --top 3
# Encoder and decoder are one step together.
shapelint tests/formats/fixtures/huggingface/t5-heads.json --gpu h100
# A step of decoding runs the decoder alone.
shapelint tests/formats/fixtures/huggingface/t5-heads.json --gpu h100 --mode decode --context-length 200 --micro-batch-size 16
shapelint roofline tests/golden/lint/plans.toml --gpu h100 --model update --top 2
