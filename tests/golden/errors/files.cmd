shapelint no-such-file.toml
shapelint examples/gpt3.2-7b.toml
shapelint src
shapelint tests/golden/errors/files.toml
shapelint tests/golden/errors/empty.txt
shapelint tests/golden/errors/latin-1.txt
shapelint tests/golden/errors/syntax.txt
shapelint tests/golden/errors/other.txt
shapelint --format json no-such-file.toml
