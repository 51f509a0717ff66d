# A table is answered row by row, with its own columns first; every bad row is named.
shapelint gemm --shapes tests/golden/gemm/table.csv --gpu a100 --format csv
shapelint gemm --shapes tests/golden/gemm/bad.csv --gpu a100 --format csv
