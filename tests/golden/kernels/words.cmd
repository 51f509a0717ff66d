# A word that a column does not know is a mistake of its rows: told once, and the others are answered.
shapelint kernels moe --gpu h100 --shapes tests/golden/kernels/words.csv --format csv
