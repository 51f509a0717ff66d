# The file sets the GPU, the rules and the fail level.
shapelint tests/golden/lint/selection.toml
# The command line wins.
shapelint tests/golden/lint/selection.toml --gpu a100 --fail-level warning --select SL605
shapelint tests/golden/lint/selection.toml --min-gain 50%
shapelint tests/golden/lint/selection.toml --ignore vocab-misaligned
shapelint tests/golden/lint/selection.toml --fail-level info --exit-zero --select SL9
