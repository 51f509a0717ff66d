#!/bin/sh
# Rewrites the table at the end of docs/suggest.md: published models before and after.
#   sh scripts/suggest-examples.sh [SHAPELINT]
set -eu
cd "$(dirname "$0")/.."
exec python3 scripts/suggest-examples.py "${1:-build/release/shapelint}"
