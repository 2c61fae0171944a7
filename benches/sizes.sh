#!/usr/bin/env bash
# Sizes beside zstd and xz, file by file and in sum: benches/sizes.sh FILE.pgn...
# PGC names the program. With SUM=1 only the sums are printed.
set -euo pipefail
pgc=${PGC:-target/release/pgc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

row='%-34s %12s %8s %12s %12s %12s %12s %12s %8s\n'
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", b ? a / b : 0 }'; }
print_row() {
  # shellcheck disable=SC2059
  printf "$row" "$@" "$(ratio "$5" "$7")"
}

# shellcheck disable=SC2059
printf "$row" file bytes games plain small 'zstd -3' 'zstd -19' 'xz -9e' small/19
sums=(0 0 0 0 0 0 0)
for file in "$@"; do
  "$pgc" pack -q -f --no-index --no-verify "$file" -o "$scratch/a.pgc" 2> "$scratch/findings"
  "$pgc" pack -q -f --no-index --no-verify --small "$file" -o "$scratch/a.pgcz" 2> "$scratch/findings"
  sizes=(
    "$("$pgc" unpack -q -c "$scratch/a.pgc" | tee "$scratch/text" | wc -c)"
    "$("$pgc" info --sources --json "$scratch/a.pgc" | grep -o '"games":[0-9]*' | head -n 1 | cut -d: -f2)"
    "$(wc -c < "$scratch/a.pgc")"
    "$(wc -c < "$scratch/a.pgcz")"
    "$(zstd -3 -q -c "$scratch/text" | wc -c)"
    "$(zstd -19 --long=27 -q -c "$scratch/text" | wc -c)"
    "$(xz -9e -c "$scratch/text" | wc -c)"
  )
  for i in "${!sizes[@]}"; do sums[i]=$((sums[i] + sizes[i])); done
  [ -n "${SUM:-}" ] || print_row "$(basename "$file")" "${sizes[@]}"
done
print_row sum "${sums[@]}"
