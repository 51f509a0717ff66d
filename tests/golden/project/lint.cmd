# The configuration's GPU and rule apply; the command line has precedence.
shapelint tests/project/laboratory/narrow-heads.toml --format concise
shapelint tests/project/laboratory/wide-heads.toml --format concise
shapelint tests/project/laboratory/narrow-heads.toml --format concise --gpu h100 --select LAB101
