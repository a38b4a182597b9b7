#!/usr/bin/env bash
# dahu_table.sh - the table of predictions of tests/accuracy/dahu.sh at a small scale, and its comparison.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
here=$(cd "$top_srcdir" && pwd)
top_builddir=$(cd "$top_builddir" && pwd)
export top_builddir
cd "$scratch" || exit 99
dahu() { bash "$here/tests/accuracy/dahu.sh" -o table.csv "$@"; }
rows() { [ "$(tail -n +2 table.csv | wc -l)" = "$1" ]; }

printf 'experiment,N,NB,P,Q,bcast,swap,depth,median_s\nfactorial,2000,64,2,32,1,0,0,0.1\n' >measured.csv
check 'dahu.sh: a block is predicted' dahu -b small
check 'dahu.sh: the table has a row for each shape' rows 2
cp table.csv first.csv
check 'dahu.sh: rows that are there are not predicted again' dahu -b small
check 'dahu.sh: the table is as it was' cmp first.csv table.csv
head -n 2 first.csv >table.csv
check 'dahu.sh: missing rows are predicted, and errors printed' dahu -b small -c measured.csv
check 'dahu.sh: a seed draws the same again' equal "$(cut -d, -f 1-18 first.csv)" "$(cut -d, -f 1-18 table.csv)"
dahu -b small -c measured.csv >out.txt
check 'dahu.sh: the measured row is beside its prediction' grep -qE '^ +2000 +64 +2 +32 +1 +0 +0 +0\.10 ' out.txt
cp table.csv before.csv
check_exit 1 'dahu.sh: a row that fails exits 1' dahu -b small -s 7 -- --seed none
check 'dahu.sh: and is not in the table' cmp before.csv table.csv
check 'dahu.sh: a sampled row has its interval' dahu -b small -s 8 -- --sample
check 'dahu.sh: from low to high around the seconds' awk -F, '$14 == 8 && $16 != "" && $16 <= $15 && $15 <= $17 { n++ }
    END { exit n != 2 }' table.csv
dahu -b ablation -l >list.txt
check 'dahu.sh: five rows are predicted with each part of the model changed' equal "$(cut -d, -f 11 list.txt | sort | uniq -c |
    awk '{ printf "%s:%s ", $2, $1 }')" \
    ':5 all-terms:5 equal:5 fixed-polls:5 mnk:5 no-loopback:5 no-noise:5 no-sharing:5 published-noise:5 '
dahu -b small -v no-sharing -l >list.txt
check 'dahu.sh: -v changes a part of the model in all rows' equal "$(cut -d, -f 11 list.txt | tr '\n' ' ')" 'no-sharing no-sharing '
check 'dahu.sh: a row with a part changed is predicted' dahu -b small -v equal -e loggops
dahu -b small -e loggops
check 'dahu.sh: with the same dgemm on all CPUs, the small run takes another time' awk -F, '$12 == "loggops" { s[$11 $8] = $15 }
    END { exit !(s["equal" 0] != s[0] && s["equal" 1] != s[1] && s[0]) }' table.csv
dahu -l >list.txt
check 'dahu.sh: each block has the sets nearest to its month' equal "$(cut -d, -f 1,9,10 list.txt | sort -u | tr '\n' ' ')" \
    'factorial,dgemm-2020-01-14,network-2020-08-17 geometry,dgemm-2020-07,network-2020-08-17 size,dgemm-2020-07,network-2020-10-15 '
check_exit 2 'dahu.sh: an unknown variant is refused' dahu -b small -v nothing -l
cp "$here/tests/accuracy/results/dahu_predictions.csv" shipped.csv
bash "$here/tests/accuracy/dahu.sh" -o shipped.csv -e loggops -l -- --sample >list.txt
check 'dahu_predictions.csv: all 141 rows are there' equal "$(wc -l <list.txt)" 0
dahu -l >list.txt
check 'dahu.sh: the grid has 13 sizes, 56 geometries and 72 variants' equal "$(cut -d, -f 1 list.txt | sort | uniq -c |
    awk '{ printf "%s:%s ", $2, $1 }')" 'factorial:72 geometry:56 size:13 '
check_exit 2 'dahu.sh: an unknown block is refused' dahu -b volume -l
check_exit 3 'dahu.sh: another file is not appended to' bash "$here/tests/accuracy/dahu.sh" -o measured.csv -b small

# Errors of +10 %, -10 %, +30 %; one of three pairs is in the wrong order; the row predicted fastest took 100 s, as did
# the fastest.
cat >predicted.csv <<'END'
block,N,NB,P,Q,bcast,swap,depth,dgemm,network,variant,engine,options,seed,seconds,low_s,high_s,events,cpu_s
x,1000,128,4,4,1,0,0,d,n,,smpi,,1,109,,,1,2
x,1000,128,4,4,1,0,0,d,n,,smpi,,2,111,,,1,2
x,1000,128,4,4,1,0,1,d,n,,smpi,,1,180,,,1,2
x,1000,256,4,4,1,0,0,d,n,,smpi,,1,195,,,1,2
END
cat >measured.csv <<'END'
experiment,N,NB,P,Q,bcast,swap,depth,median_s
factorial,1000,128,4,4,1,0,0,100
factorial,1000,128,4,4,1,0,1,200
factorial,1000,256,4,4,1,0,0,150
factorial,1000,512,4,4,1,0,0,1
END
python3 "$here/tests/accuracy/dahu_compare.py" predicted.csv measured.csv >out.txt
check 'dahu_compare.py: bias, median, worst, deviation, tau and cost of the choice' grep -qx \
    '  3 rows: bias +10.0%, median 10.0%, worst 30.0%, sd 16.3%, within 5 %: 0, tau 0.33, cost 0.0%' out.txt
check 'dahu_compare.py: the effect of depth' grep -qx \
    '  depth: measured +100.0%, predicted +63.6%, the same sign in 1 of 1 pairs' out.txt
check 'dahu_compare.py: the effect of NB' grep -qx \
    '  NB: measured +50.0%, predicted +77.3%, the same sign in 1 of 1 pairs' out.txt
printf 'experiment,N,NB,P,Q,bcast,swap,depth,median_s\nsize,7,1,1,1,1,1,1,5\n' >measured.csv
check_exit 1 'dahu_compare.py: nothing in common is an error' python3 "$here/tests/accuracy/dahu_compare.py" predicted.csv measured.csv

phases() { bash "$here/tests/accuracy/hpl_phases.sh" -w 4 -a 0.1 -o '--ranks-per-host 1' "$@" >phases.txt; }
check 'hpl_phases.sh: a window by both engines' phases hpl:N=2000,NB=64,P=4,Q=4
check 'hpl_phases.sh: the update takes the same time in both' awk '$1 == "update" { n++; d = $8 }
    END { exit !(n == 1 && d < 1 && d > -1) }' phases.txt
check 'hpl_phases.sh: the phases are a part of the makespan' awk '{ s[$1] = $3 }
    END { sum = s["factorisation"] + s["broadcast"] + s["swap"] + s["update"]
    exit !(sum > 0.5 * s["makespan"] && sum <= s["makespan"]) }' phases.txt
check_exit 3 'hpl_phases.sh: a program that cannot be replayed fails' phases hpl:N=2000,NB=64,P=4,Q=400
tap_done
