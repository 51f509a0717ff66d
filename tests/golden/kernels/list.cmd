shapelint kernels --list
shapelint kernels --list --format csv
