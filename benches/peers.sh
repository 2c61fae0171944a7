#!/usr/bin/env bash
# pgc beside Scid, pgn-extract, pgn-reader's validate and zstd, where they are present: whole processes in turn, medians, one table.
# It installs nothing. On Debian the peers are the packages scid, pgn-extract and zstd; validate is the example of the crate pgn-reader,
# found by $VALIDATE.
#
#     benches/peers.sh FILE.pgn [PLAYER DATE EVENT]
#
# With a player, a date and an event the same searches are timed too. $RUNS (5) is how often each command runs.
set -euo pipefail
export LC_ALL=C PATH="$PATH:/usr/games"

file=$(realpath "$1")
player=${2:-} date=${3:-} event=${4:-}
runs=${RUNS:-5}
cargo build --release --quiet --manifest-path "$(dirname "$0")/../Cargo.toml"
pgc=$(realpath "$(dirname "$0")/../target/release/pgc")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

has() { command -v "$1" > /dev/null; }
names=() commands=() outputs=()
# Name, command, and the files that it writes: they are not there when it begins, for to take a large old one away costs too.
add() { names+=("$1"); commands+=("$2"); outputs+=("${3:-}"); }

# Scid has no command line: a script for its interpreter.
cat > import.tcl << 'TCL'
set id [sc_base create base]
sc_base import $id [lindex $argv 0]
sc_base close $id
exit
TCL
cat > search.tcl << 'TCL'
sc_base open base
eval sc_search header -filter RESET $argv
puts [sc_filter count]
exit
TCL

cat > board.tcl << 'TCL'
sc_base open base
sc_game new
foreach move $argv { sc_move addSan $move }
sc_search board RESET E false false
puts [sc_filter count]
exit
TCL
cat > tree.tcl << 'TCL'
set id [sc_base open base]
sc_game new
foreach move $argv { sc_move addSan $move }
set filter [sc_filter new $id]
sc_filter search $id $filter board
puts [sc_tree stats $id $filter]
exit
TCL

add "pgc pack -j1 --no-verify" "$pgc pack -q -j1 --no-verify -o x.pgc $file" "x.pgc x.pgci"
add "pgc pack -j1" "$pgc pack -q -j1 -o x.pgc $file" "x.pgc x.pgci"
add "pgc pack -j2" "$pgc pack -q -j2 -o x.pgc $file" "x.pgc x.pgci"
add "pgc unpack -j1" "$pgc unpack -q -j1 x.pgc -o y.pgn" y.pgn
add "pgc unpack -j2" "$pgc unpack -q -j2 x.pgc -o y.pgn" y.pgn
add "pgc test" "$pgc test -q x.pgc"
[ -n "${VALIDATE:-}" ] && add "pgn-reader validate" "$VALIDATE $file"
has tkscid && add "Scid import" "tkscid import.tcl $file" "base.s*"
has pgn-extract && add "pgn-extract -s" "pgn-extract -s -o y.pgn $file" y.pgn
has zstd && add "zstd -3" "zstd -q -3 $file -o z.zst" z.zst
ruy="e4 e5 Nf3 Nc6 Bb5" najdorf="e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"
add "pgc find, Ruy Lopez" "$pgc find x.pgc --moves-to '$ruy' --count"
has tkscid && add "Scid board" "tkscid board.tcl $ruy"
add "pgc tree, Najdorf" "$pgc tree x.pgc --moves-to '$najdorf'"
has tkscid && add "Scid tree" "tkscid tree.tcl $najdorf"
if [ -n "$player" ]; then
  add "pgc find -p" "$pgc find x.pgc -p $(printf %q "$player")"
  add "pgc find -d" "$pgc find x.pgc -d $date"
  add "pgc find -e" "$pgc find x.pgc -e $(printf %q "$event")"
  if has tkscid; then
    add "Scid player" "tkscid search.tcl -ignoreColors yes -white $(printf %q "{$player}")"
    add "Scid date" "tkscid search.tcl -date '{$date.01 $date.31}'"
    add "Scid event" "tkscid search.tcl -event $(printf %q "{$event}")"
  fi
  has pgn-extract && add "pgn-extract -Tp" "pgn-extract -s -Tp$(printf %q "$player") -o y.pgn $file" y.pgn
fi

now() { date +%s%N; }
for ((run = 0; run < runs; run++)); do
  for i in "${!names[@]}"; do
    # shellcheck disable=SC2086
    rm -f ${outputs[i]}
    begin=$(now)
    # A search that finds nothing exits with 1.
    bash -c "${commands[i]}" > /dev/null 2>&1 || [ $? = 1 ]
    echo $((($(now) - begin) / 1000)) >> "times.$i"
  done
done

bytes=$(stat -c %s "$file")
printf '| %s, %d bytes | ms | MB/s |\n|---|---:|---:|\n' "$(basename "$file")" "$bytes"
for i in "${!names[@]}"; do
  sort -n "times.$i" | awk -v name="${names[i]}" -v bytes="$bytes" \
    '{ t[NR] = $1 } END { m = t[int((NR + 1) / 2)]; printf "| %s | %.1f | %.1f |\n", name, m / 1000, bytes / m }'
done
printf '\n| size | bytes | of the PGN |\n|---|---:|---:|\n'
size() { awk -v n="$1" -v b="$2" -v s="$bytes" 'BEGIN { printf "| %s | %d | %.1f %% |\n", n, b, 100 * b / s }'; }
size "pgc archive" "$(stat -c %s x.pgc)"
[ -f x.pgci ] && size "pgc index" "$(stat -c %s x.pgci)"
ls base.s* > /dev/null 2>&1 && size "Scid base" "$(cat base.s* | wc -c)"
if has zstd; then size "zstd -19 --long=27" "$(zstd -q -19 --long=27 -T2 -c "$file" | wc -c)"; fi
