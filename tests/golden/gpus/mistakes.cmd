# Names that are not known, and a file with several mistakes.
shapelint gpus a10 h100-pci
shapelint gpus --gpu-file tests/golden/gpus/mistakes.toml
shapelint gpus --gpu-file tests/golden/gpus/no-such-file.toml
shapelint gpus --format yaml
