# A user's own GPU, in few lines; what is not stated comes from the profile that it is based on.
shapelint gpus --gpu-file tests/golden/gpus/own.toml
