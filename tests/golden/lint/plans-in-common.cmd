# What plans have in common is told once, with the one that loses most, and changed for all of them at once.
shapelint tests/golden/lint/plans-in-common.toml --gpu h100
shapelint tests/golden/lint/plans-in-common.toml tests/golden/lint/plans.toml --gpu h100
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format concise
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format github --select SL101
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format markdown
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --format junit --select SL101
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --fix --diff
shapelint tests/golden/lint/plans-in-common.toml --gpu h100 --fix --unsafe-fixes --diff
