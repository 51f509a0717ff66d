# `fails` names the laboratory's rule.
shapelint sweep tests/project/laboratory/wide-heads.toml --over num_attention_heads=20,32,40
