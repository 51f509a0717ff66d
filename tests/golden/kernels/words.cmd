# An unknown word in a column: one note for its rows; the other rows are predicted.
shapelint kernels moe --gpu h100 --shapes tests/golden/kernels/words.csv --format csv
