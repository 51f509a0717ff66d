# The laboratory's config format and the built-in ones.
shapelint formats laboratory --config tests/project/laboratory/shapelint.toml
shapelint formats laboratory --isolated
