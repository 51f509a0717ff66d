shapelint contracts tests/project/laboratory/narrow-heads.toml --stack megatron-core
shapelint contracts tests/project/laboratory/narrow-heads.toml --stack megatron-core --gpu lab,h100
