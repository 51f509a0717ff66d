shapelint lint --help
