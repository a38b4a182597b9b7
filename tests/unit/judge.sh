#!/usr/bin/env bash
# judge.sh - how tests/accuracy judges predictions: figures computed by hand, bad input, bars, naive predictions.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms TIMELESS_QUIET=1
accuracy=$(cd "$top_srcdir/tests/accuracy" && pwd)
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
cd "$scratch" || exit 99
judge() { python3 "$accuracy/judge.py" "$@"; }
# line N FILE: its words, separated by single spaces
line() { sed -n "$1p" "$2" | xargs; }

# Errors of +10 and -10 % of program a, +30 % of program b.  Draws of two programs: a a (mean 0, median 10), a b (10, 10),
# b b (30, 30), with probabilities of 1/4, 1/2 and 1/4.  The 90th percentile of 10, 10, 30 is 10 + 0.8 * 20.
cat >table <<'END'
hosts      program    row            median s       low s      high s runs predicted s error %
# SHA-256 of the predictions
1gbit:2    a          1B             1.000000    0.900000    1.100000    3    1.100000   +10.0
1gbit:2    a          4B             2.000000    2.000000    2.000000    3    1.800000   -10.0
1gbit:2    b          N=10,1rM       1.000000    1.000000    1.000000    3    1.300000   +30.0

  errors in %  of another judge
END
judge table >out.txt
check 'judge.py: bias, median, their intervals, 90th percentile and worst' equal "$(line 2 out.txt)" \
    '1gbit:2 3 +10.0 +0.0 to +30.0 10.0 10.0 to 30.0 26.0 +30.0 1gbit:2 b N=10,1rM'
check 'judge.py: a single group is all' equal "$(line 3 out.txt)" "$(line 2 out.txt | sed 's/^1gbit:2/all/')"
judge table >again.txt
check 'judge.py: the same rows give the same intervals' cmp out.txt again.txt
{ echo '# prose'; echo prose; echo '```'; head -n 5 table; echo '```'; echo prose; } >page.md
judge page.md >again.txt
check 'judge.py: a table in a page is read' cmp out.txt again.txt
cat >rows.csv <<'END'
# a comment
group,program,case,measured_s,predicted_s
1gbit:2,a,1B,1,1.1
1gbit:2,a,4B,2,1.8
1gbit:2,b,"N=10,1rM",1,1.3
END
judge rows.csv >again.txt
check 'judge.py: CSV with the same rows gives the same figures' cmp out.txt again.txt

# Predictions are wrong by the factor 2, the naive ones by 4 and 16: 1 - 1/2 and 1 - 1/4.
cat >skill.csv <<'END'
group,program,case,measured_s,predicted_s,naive_bytes_s,naive_hockney_s
x,a,1,1,2,0.25,0.0625
x,a,2,1,0.5,4,16
y,a,1,1,1000,,
END
judge skill.csv >out.txt
check 'judge.py: the skill over bytes / bandwidth' equal "$(grep ' x .*bytes' out.txt | xargs)" 'x 2 bytes 0.500 2.000 4.000'
check 'judge.py: the skill over Hockney' equal "$(grep ' x .*hockney' out.txt | xargs)" 'x 2 hockney 0.750 2.000 16.000'
check 'judge.py: rows without naive predictions have no skill' equal \
    "$(grep -c '^  y .*bytes' out.txt) $(grep ' all .*bytes' out.txt | xargs)" \
    '0 all 2 bytes 0.500 2.000 4.000'
check 'judge.py: a single program has no interval' equal "$(line 3 out.txt)" 'y 1 +99900.0 99900.0 99900.0 +99900.0 y a 1'

check 'judge.py: bars that are met' judge --bar bias=10.1,median=10.1,p90=26.1,worst=30.1 table
check_exit 1 'judge.py: a median that is beyond its bar exits 1' judge --bar median=9.9,worst=31 table
check 'judge.py: and is named' equal "$(tail -n 1 out)" 'missed: median 10 (bar: 9.9)'
check_exit 1 'judge.py: a worst error that is beyond its bar exits 1' judge --bar worst=29.9 table
check 'judge.py: a skill that meets its bar' judge --bar skill=0.5 skill.csv
check_exit 1 'judge.py: the lower skill counts' judge --bar skill=0.6 skill.csv
check_exit 1 'judge.py: a bar for the skill needs naive predictions' judge --bar skill=0.1 table
check_exit 2 'judge.py: an unknown bar is refused' judge --bar mode=5 table

# refuses FILE LINE TEXT
refuses() {
    judge "$1" >out.txt 2>message
    [ $? = 3 ] && cat message && grep -qF "judge.py: $1:$2: " message && grep -qF -- "$3" message && [ ! -s out.txt ]
}
sed 's/ 1.800000/ fast/' table >bad
check 'judge.py: time that is not a number: file and line' refuses bad 4 "predicted_s is 'fast'"
sed 's/,2,1.8/,0,1.8/' rows.csv >bad
check 'judge.py: time of zero: file and line' refuses bad 4 "measured_s is '0'"
sed 's/ -10.0//' table >bad
check 'judge.py: row that is too short: file and line' refuses bad 4 '8 columns'
sed 's/,1.3$/,1.3,7/' rows.csv >bad
check 'judge.py: CSV row that is too long: file and line' refuses bad 5 '6 columns'
sed 's/measured_s/seconds/' rows.csv >bad
check 'judge.py: wrong columns: file and line' refuses bad 2 'the columns must be'
sed 's/,4B,/,1B,/' rows.csv >bad
check 'judge.py: row that is there twice: file and line' refuses bad 4 'twice'
echo prose >bad
check 'judge.py: file without rows' refuses bad 1 'no rows'
check_exit 3 'judge.py: missing file exits 3' judge nowhere

judge "$accuracy/results/cluster.csv" >out.txt
check 'cluster.csv: rows, bias, median, 90th percentile and worst are those of README.md' \
    equal "$(awk '$1 == "all" && NF > 8 { print $2, $3, $7, $11, $12 }' out.txt)" '172 -0.2 1.9 9.0 -41.7'

# Rank 0 sends 100 B, the root's 10 B and 5 B to rank 1, which has 1 s less of computation.
marks() { # SECONDS OF THE RANKS AT b
    printf '{"marks": [{"call": "MPI_Wtime", "site": "a", "ordinal": 0, "predicted_s": [1, 1]},
        {"call": "MPI_Wtime", "site": "b", "ordinal": 0, "predicted_s": [%s]}]}' "$1"
}
marks '3, 2' >ideal.json
marks '8, 7' >hockney.json
cat >ideal.csv <<'END'
job,rank,begin_s,end_s,state,call,site,bytes,peer,communicator,wait,wait_s
0,0,0,0,send,"MPI_Send","x",1000,1,0,,0
0,0,0,1,other,"MPI_Wtime","a",0,,,,0
0,1,0,1,other,"MPI_Wtime","a",0,,,,0
0,0,1,1,send,"MPI_Isend","x",100,1,0,,0
0,1,1,1,receive,"MPI_Recv","x",100,0,0,,0
0,0,1,1,collective,"MPI_Bcast","x",10,0,0,,0
0,1,1,1,collective,"MPI_Bcast","x",10,0,0,,0
0,0,1,1,collective,"MPI_Alltoall","x",5,,0,,0
0,1,1,1,collective,"MPI_Alltoall","x",5,,0,,0
0,0,1,1,send,"MPI_Send","x",9999,0,0,,0
0,0,1,3,other,"MPI_Wtime","b",0,,,,0
0,1,1,2,other,"MPI_Wtime","b",0,,,,0
END
echo 'MPI_Wtime a #0 .. MPI_Wtime b #0' >rows
naive() { python3 "$accuracy/naive.py" rows ideal.json "$1" hockney.json 10; }
check 'naive.py: 115 B at 10 B/s and 2 s of computation; Hockney' equal "$(naive ideal.csv)" "$(printf '13.5\t7')"
sed 's/MPI_Bcast/MPI_Gather/' ideal.csv >gather.csv
check_exit 3 'naive.py: a collective that it cannot count exits 3' naive gather.csv
sed '/Alltoall/s/,0,,0$/,1,,0/' ideal.csv >part.csv
check_exit 3 'naive.py: so does an alltoall on a part of the ranks' naive part.csv
echo 'MPI_Wtime a #0 .. MPI_Wtime c #0' >rows
check_exit 3 'naive.py: so does a row that is not predicted' naive ideal.csv

# Two ranks exchange 1 MB: 50 us and 8 ms at 1 Gb/s, since a link has a direction for each.
cat >exchange.txt <<'END'
timeless-text 1
ranks 2
volume_unit "none"
volume_source "none"
END
for rank in 0 1; do
    cat <<END
rank $rank host="h"
site 1 object="" offset=0 function="a" file="a.c" line=1
site 2 object="" offset=0 function="a" file="a.c" line=3
$rank 0 MPI_Init clock_ns=0 volume=0 site=1
$rank 1 MPI_Wtime clock_ns=1000 volume=0 site=1
$rank 2 MPI_Sendrecv count=1000000 type_bytes=1 peer=$((1 - rank)) tag=0 recv_count=1000000 recv_type_bytes=1 recv_peer=$((1 - rank)) recv_tag=0 comm=1 volume=0 site=1
$rank 3 MPI_Wtime clock_ns=2000 volume=0 site=2
$rank 4 MPI_Finalize clock_ns=3000 volume=0 site=1
end finalized clock_ns=3000
END
done >>exchange.txt
. "$accuracy/rows.sh"
exchange() {
    timeless undump exchange.txt -o exchange.tl &&
        timeless replay exchange.tl --platform star-1g --ranks-per-host 1 -q --json=exchange.json &&
        timeless compare --all --csv exchange.csv exchange.json >/dev/null && row_names exchange.csv 1 >exchange.rows
}
check 'rows.sh: rows of a trace' exchange
check 'rows.sh: are between two sites of MPI_Wtime' equal "$(cat exchange.rows)" 'MPI_Wtime a (a.c:1) #0 .. MPI_Wtime a (a.c:3) #0'
check 'rows.sh: 1 MB each way at 1 Gb/s' equal \
    "$(naive_rows exchange.tl exchange.rows star-1g 1gbit 1 | awk '{ printf "%.5f %.5f", $1, $2 }')" '0.00800 0.00805'
check 'rows.sh: at 100 Mb/s, 5 times as slow' equal \
    "$(naive_rows exchange.tl exchange.rows star-1g 100mbit 5 | awk '{ printf "%.5f %.5f", $1, $2 }')" '0.40000 0.40025'
tap_done
