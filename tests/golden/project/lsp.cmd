# The laboratory's rule among the diagnostics, its fix as an action, its GPU in what is shown of a value.
shapelint lsp --config tests/project/laboratory/shapelint.toml < tests/project/laboratory/editor-session
