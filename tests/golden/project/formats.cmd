# The laboratory's dialect beside the built-in ones.
shapelint formats laboratory --config tests/project/laboratory/shapelint.toml
shapelint formats laboratory --isolated
