#!/usr/bin/env bash
# Sizes beside zstd and xz: benches/sizes.sh FILE.pgn...
# PGC names the program; columns whose tool is absent are left out.
set -euo pipefail
pgc=${PGC:-target/release/pgc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

printf '%-34s %12s %12s %12s %12s %12s %12s %8s\n' file bytes plain small 'zstd -3' 'zstd -19' 'xz -9e' small/19
for file in "$@"; do
  "$pgc" pack -q -f --no-index --no-verify "$file" -o "$scratch/a.pgc" 2> "$scratch/findings"
  "$pgc" pack -q -f --no-index --no-verify --small "$file" -o "$scratch/a.pgcz" 2> "$scratch/findings"
  bytes=$("$pgc" unpack -q -c "$scratch/a.pgc" | tee "$scratch/text" | wc -c)
  plain=$(wc -c < "$scratch/a.pgc")
  small=$(wc -c < "$scratch/a.pgcz")
  three=$(zstd -3 -q -c "$scratch/text" | wc -c)
  nineteen=$(zstd -19 --long=27 -q -c "$scratch/text" | wc -c)
  xz=$(xz -9e -c "$scratch/text" | wc -c)
  ratio=$(awk -v a="$small" -v b="$nineteen" 'BEGIN { printf "%.3f", a / b }')
  printf '%-34s %12d %12d %12d %12d %12d %12d %8s\n' \
    "$(basename "$file")" "$bytes" "$plain" "$small" "$three" "$nineteen" "$xz" "$ratio"
done
