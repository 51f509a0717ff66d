# The laboratory's GPU and rule without an option; the command line goes before the configuration.
shapelint tests/project/laboratory/narrow-heads.toml --format concise
shapelint tests/project/laboratory/wide-heads.toml --format concise
shapelint tests/project/laboratory/narrow-heads.toml --format concise --gpu h100 --select LAB101
