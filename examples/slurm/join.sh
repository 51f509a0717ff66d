#!/bin/sh
# Joins the parts of a sharded sweep: exactly what the sweep prints unsharded.
#   sh join.sh FOLDER NUMBER_OF_PARTS > sweep.csv
set -eu
folder=${1:?the folder with the parts}
count=${2:?the number of parts}
part=1
while [ "$part" -le "$count" ]; do
  if [ ! -f "$folder/$part.csv" ]; then
    echo "join.sh: part $part of $count is missing in $folder" >&2
    exit 1
  fi
  part=$((part + 1))
done
part=1
while [ "$part" -le "$count" ]; do
  cat "$folder/$part.csv"
  part=$((part + 1))
done
