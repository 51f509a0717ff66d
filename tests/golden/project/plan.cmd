# The laboratory's rule rejects layouts that its GPU could run.
shapelint plan tests/project/laboratory/narrow-heads.toml --gpus 2
