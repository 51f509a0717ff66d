# The catalogue.
shapelint gpus
