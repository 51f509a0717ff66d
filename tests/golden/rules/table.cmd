shapelint rules
