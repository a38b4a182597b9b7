#!/usr/bin/env bash
# fit_npb.sh - skeletons of the messages of NAS Parallel Benchmarks, out of captures of at most 16 ranks, beside more ranks.
. "$top_srcdir/tests/tap.sh"
mkdir "$scratch/npb"
cp "$top_srcdir"/tests/accuracy/npb/*.[ch] "$scratch/npb/" || exit 99
cp "$scratch/npb/bt.c" "$scratch/npb/strong.c"
cp -r "$top_srcdir/tests/accuracy/bars" "$scratch/" || exit 99
cat >"$scratch/npb/programs.txt" <<'ROWS'
cg n,iterations 4:1400,2 8:1002,1 16:702,3 to 32:1403,0
lu n,steps 4:8,2 8:11,4 16:12,3 to 32:17,1
strong n,steps 4:60,1 9:60,1 16:60,1 to 25:60,1
sp n,steps 4:8,3 9:12,2 16:16,4 to 25:20,1
bt n,steps 4:8,3 9:12,2 16:16,4 to 25:20,1
ROWS
same() { "$top_srcdir/tests/accuracy/fit_bars.sh" -p "$scratch/npb" -v none -o "$scratch/all.csv" -k "$scratch/k" "$1" &&
    grep "^$1,$2," "$scratch/all.csv" | awk -F, '{ print } END { exit !(NR == 1 && $4 > 0 && $5 == 0 && $6 > 0 && $6 == $7 && $8 == $9) }'; }
check 'CG: transposed ranks, and sums along rows' same cg 32
check 'LU: inner points of a grid, with a remainder' same lu 32
check 'BT: cells, of which each rank has several' same bt 25
check 'SP: sweeps through cells without the boundary' same sp 25
check 'BT: one size of the problem in all captures' same strong 25
tap_done
