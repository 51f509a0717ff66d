# First steps of a new user.
shapelint
shapelint --help
shapelint --version
shapelint -V
shapelint --gup a100 model.toml
shapelint lnit
shapelint no-such-file.toml
shapelint --color
shapelint --color=
shapelint --color sometimes model.toml
FORCE_COLOR=1 shapelint --no-such-option model.toml
FORCE_COLOR=1 shapelint --color never --no-such-option model.toml
