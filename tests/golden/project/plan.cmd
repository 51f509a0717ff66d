# The laboratory's rule refuses what its GPU could run.
shapelint plan tests/project/laboratory/narrow-heads.toml --gpus 2
