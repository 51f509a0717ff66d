shapelint no-such-file.toml
shapelint examples/gpt3.2-7b.toml
shapelint src
shapelint tests/golden/errors/files.toml
shapelint tests/golden/errors/empty.txt
shapelint tests/golden/errors/latin-1.txt
shapelint tests/golden/errors/syntax.txt
shapelint tests/golden/errors/other.txt
shapelint --format json no-such-file.toml
# A word in place of a size, and a model without a decoder.
shapelint tests/golden/errors/word-for-size.txt
shapelint tests/golden/errors/no-decoder.txt
shapelint tests/golden/errors/broken-yaml.txt
shapelint roofline tests/golden/errors/broken-yaml.txt
# Numbers that a size or a degree cannot be.
shapelint tests/golden/errors/degrees.txt
shapelint tests/golden/errors/no-batch.txt
shapelint tests/golden/errors/not-a-number.txt
shapelint tests/golden/errors/commas.txt
shapelint tests/golden/errors/nan.txt
# Values that mean none, or the framework's choice.
shapelint tests/golden/errors/automatic.txt --gpu h100
shapelint tests/golden/errors/automatic-degrees.txt --gpu h100
