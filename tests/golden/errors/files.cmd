shapelint no-such-file.toml
shapelint examples/gpt3.2-7b.toml
shapelint src
shapelint tests/golden/errors/files.toml
shapelint tests/golden/errors/empty.txt
shapelint tests/golden/errors/latin-1.txt
shapelint tests/golden/errors/syntax.txt
shapelint tests/golden/errors/other.txt
shapelint --format json no-such-file.toml
# A word, or no layer, where a size must stand; `$WIDTH` is what the run knows.
shapelint tests/golden/errors/word-for-size.txt
shapelint tests/golden/errors/no-decoder.txt
shapelint tests/golden/errors/broken-yaml.txt
shapelint roofline tests/golden/errors/broken-yaml.txt
