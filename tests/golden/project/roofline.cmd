shapelint roofline tests/project/laboratory/wide-heads.toml --top 3
shapelint roofline tests/project/laboratory/wide-heads.toml --gpu lab,h100 --format text
