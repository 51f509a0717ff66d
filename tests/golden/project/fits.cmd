# The laboratory's rule rejects layouts that its GPU could run.
shapelint fits tests/project/laboratory/narrow-heads.toml --count 2
shapelint fits tests/project/laboratory/wide-heads.toml --count 2 --gpu lab,h100
