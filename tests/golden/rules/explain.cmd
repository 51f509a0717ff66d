shapelint explain SL605
shapelint explain vocab-misalined SL999
shapelint explain narrow-heads --format json
