# A finding shared by several plans is printed once, with the largest cost, and fixed for all.
shapelint tests/golden/lint/plans-in-common.toml --gpu h100
shapelint tests/golden/lint/plans-in-common.toml tests/golden/lint/plans.toml --gpu h100
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format concise
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format github --select SL101
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format markdown
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format junit --select SL101
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --fix --diff
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --fix --unsafe-fixes --diff
