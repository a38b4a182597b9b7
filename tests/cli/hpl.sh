#!/usr/bin/env bash
# hpl.sh - HPL's events as a trace that is no file: replay, sweep, dump, make; and timeless hpl.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
program=hpl:N=300,NB=24,P=2,Q=3,MOVES=0
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
model=$TIMELESS_PLATFORMS/star-1g/model.conf
replay() { "$timeless" replay "$@"; }

# A file of it is the same trace.  In a file the place of a panel's receive is fixed.
check 'make: HPL is written as a trace' "$timeless" make hpl N=300 NB=24 P=2 Q=3 MOVES=0 -o made.tl
check 'info reads it' "$timeless" info made.tl
replay made.tl -p star-1g -q >from_file
replay $program,RECEIVE=0 -p star-1g -q >from_program
check 'replay: the file and the program take the same time' cmp from_file from_program
replay made.tl --engine loggops --params $params --model "$model" -q >from_file
replay $program,RECEIVE=0 --engine loggops --params $params --model "$model" -q >from_program
check 'replay: so they do with the LogGOPS engine' cmp from_file from_program
replay made.tl --engine loggops --params $params --model "$model" --noise 1000Hz:50us -q >from_file
replay $program,RECEIVE=0 --engine loggops --params $params --model "$model" --noise 1000Hz:50us --threads 2 -q >from_program
check 'replay: and with noise, on two threads' cmp from_file from_program
replay $program --engine loggops --params $params --model "$model" --json=loggops.json -q >/dev/null
check 'replay: all computation of HPL is in kernels with the LogGOPS engine too' python3 - loggops.json <<'END'
import json, sys
for rank in json.load(open(sys.argv[1]))["ranks"]:
    assert rank["kernel_s"] > 0 and abs(rank["kernel_s"] / rank["compute_s"] - 1) < 1e-6, rank
END
"$timeless" dump made.tl | grep '^[0-9]' >from_file
"$timeless" dump $program | grep '^[0-9]' >from_program
check 'dump: the events are the same' cmp from_file from_program
replay $program,RECEIVE=1 -p star-1g -q >late
replay $program,RECEIVE=0 -p star-1g -q >early
differ() { ! cmp -s "$1" "$2"; }
check 'replay: the place of the receive decides' differ early late
replay $program -p star-1g --json=first.json -q >/dev/null
replay $program -p star-1g --json=second.json -q >/dev/null
check 'replay: the same program gives the same bytes' cmp first.json second.json
check 'replay: the prediction has the events of all ranks' python3 - first.json from_program <<'END'
import json, sys
prediction = json.load(open(sys.argv[1]))
assert prediction["n_events"] >= sum(1 for _ in open(sys.argv[2])), prediction["n_events"]
END

# The sample trace is HPL out of Debian's hpcc.  Pivots depend on N alone; hpl_pivots_600.txt is what a program of
# tests/accuracy/build_hpl.sh wrote down for N = 600 (HPL_PIVOTS).  tests/accuracy/hpl_calls.sh compares 34 more.
here=$(cd "$top_srcdir" && pwd)
pivots=$here/tests/accuracy/hpl_pivots_600.txt
sample=hpl:N=600,NB=60,P=2,Q=2
compare() {
    "$timeless" dump "$1" >made.txt || return 1
    python3 "$here/tests/accuracy/hpl_compare.py" run.txt made.txt >result
    local code=$?
    cat result
    return $code
}
"$timeless" dump "$here/traces/hpl-4.tl" >run.txt
check 'hpcc: every message and kernel of its HPL is made' compare $sample,PIVOTS=$pivots
check 'hpcc: with its pivots all messages have their sizes' \
    grep -q '^40 panel messages, 3822 others: 3822 identical.* kernels equal$' result
check 'hpcc: with drawn pivots messages differ in size alone' compare $sample
check 'hpcc: with drawn pivots some do' grep -qE ' [1-9][0-9]* of another size, 0 on one side alone' result
check_exit 3 'hpcc: another swap is noticed' compare $sample,SWAP=0,PIVOTS=$pivots
check_exit 3 'hpcc: another factorisation is noticed' compare $sample,NBMIN=2,PIVOTS=$pivots
check_exit 3 'hpcc: another block size is noticed' compare $sample,NB=64,PIVOTS=$pivots
check_exit 3 'replay: pivots that are no rows are refused' replay $sample,PIVOTS=run.txt -p star-1g

# Over a grid.
check 'sweep: parameters of HPL are axes' "$timeless" sweep $program -p star-1g --grid hpl.NB=16,24 --grid hpl.BCAST=0,5 -o s.csv -j 2
for nb in 16 24; do
    for bcast in 0 5; do replay $program,NB=$nb,BCAST=$bcast -p star-1g -q; done
done >expected
check 'sweep: its points are those replays' diff expected <(column s.csv makespan_s)
"$timeless" make token -n 4 -o token.tl
failed() { "$timeless" sweep "$@" 2>err; [ $? -ne 0 ] && grep -q 'the axis hpl.NB applies to HPL only' err; }
check 'sweep: of another trace hpl.NB is refused' failed token.tl -p star-1g --grid hpl.NB=16,24

# An HPL.dat.
cat >HPL.dat <<'END'
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
6            device out (6=stdout,7=stderr,file)
2            # of problems sizes (N)
200 300      Ns
2            # of NBs
16 24        NBs
0            PMAP process mapping (0=Row-,1=Column-major)
2            # of process grids (P x Q)
2 1          Ps
2 3          Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
2            # of broadcast
1 3          BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
END
check 'hpl: an HPL.dat is predicted' "$timeless" hpl HPL.dat -p star-1g -j 2
"$timeless" hpl HPL.dat -p star-1g -j 2 --json=table.json >table
check 'hpl: runs too short for windows have no interval of 0 %' sh -c '
    "$1" hpl HPL.dat -p star-1g --sample >sampled && grep -q "all replayed$" sampled && ! grep "+-0 %" sampled' - "$timeless"
check 'hpl: the table has the runs in the order of HPL' python3 - table table.json <<'END'
import itertools, json, sys
lines = [l.split() for l in open(sys.argv[1]) if l.startswith("W")]
rows = json.load(open(sys.argv[2]))
wanted = [(v, n, nb, p, q) for (p, q), n, nb, v in
          itertools.product([(2, 2), (1, 3)], [200, 300], [16, 24], ["WR11C2R4", "WR13C2R4"])]
assert [(l[0], *map(int, l[1:5])) for l in lines] == wanted, lines
assert [(r["variant"], r["N"], r["NB"], r["P"], r["Q"]) for r in rows] == wanted
for line, row in zip(lines, rows):
    n, s = row["N"], row["seconds"]
    assert s > 0 and abs(row["gflops"] * s / (n * n * (2 / 3 * n + 3 / 2) / 1e9) - 1) < 1e-9
    assert float(line[5]) == round(s, 2) and abs(float(line[6]) / row["gflops"] - 1) < 1e-3
END
check 'hpl: its seconds are those of replay from the barrier on' python3 - table.json "$timeless" <<'END'
import json, subprocess, sys
row = json.load(open(sys.argv[1]))[0]
out = subprocess.run([sys.argv[2], "replay", row["program"], "-p", "star-1g", "-q"], capture_output=True, check=True)
assert 0 < float(out.stdout) - row["seconds"] < 0.01 * row["seconds"] + 1e-3, (out.stdout, row)
END
head -n 20 HPL.dat >short.dat
check_exit 3 'hpl: a file that ends early is refused' "$timeless" hpl short.dat -p star-1g
"$timeless" hpl short.dat -p star-1g 2>message
check 'hpl: the message names the line' grep -q 'short.dat:21: the file ends before this line; give an HPL.dat' message
check_exit 2 'hpl: without a platform' "$timeless" hpl HPL.dat
cp "$scratch/out" said
check '... no table is begun' test ! -s said
sed 's/^16 24 /16 x /' HPL.dat >wrong.dat
check_exit 3 'hpl: what is no number is refused' "$timeless" hpl wrong.dat -p star-1g
check_exit 4 'hpl: a missing file exits with 4' "$timeless" hpl missing.dat -p star-1g
check_exit 3 'hpl: runs that fail are reported' "$timeless" hpl HPL.dat -p no-such-platform

# What moves rows has its seconds in few compute models.
warns_once() { warns '~^timeless: warning: .*user:HPL_dlacpy, .*user:HPL_dlaswp10N, .*MOVES=0$' "$@" && [ "$(wc -l <said)" = 1 ]; }
quiet() { "$@" 2>warning >/dev/null && [ ! -s warning ]; }
moving=hpl:N=300,NB=24,P=2,Q=3
check 'replay: kernels that move rows are named where the model lacks them' warns_once replay $moving -p star-1g -q
check 'replay: so they are with --json and with the LogGOPS engine' \
    warns_once replay $moving --engine loggops --params $params --model "$model" --json
check 'replay: without these kernels nothing is missing' quiet replay $program -p star-1g -q
check 'replay: on dahu nothing is missing' quiet replay $moving -p dahu -q
check 'hpl: all runs together warn once' warns_once "$timeless" hpl HPL.dat -p star-1g

# The order of the process rows takes no time that grows with the square of their number.
in_seconds() { (ulimit -t "$1"; shift; exec "$@"); } # of CPU time
check_exit 3 'replay: a long column of processes is prepared in time' in_seconds 10 "$timeless" replay \
    hpl:N=20000,NB=64,P=10000,Q=1 -p star-1g
tap_done
