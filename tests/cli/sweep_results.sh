# sweep_results.sh - the results file of a sweep keeps rows of other values and options, is written by one sweep at a
# time, and is checked when it is read.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
"$timeless" make dissemination -n 16 --bytes 1000 --iterations 5 -o d.tl || exit 99
"$timeless" make token -n 8 --bytes 1000 -o token.tl || exit 99
sweep() { "$timeless" sweep --engine loggops --params $params "$@"; }
# rows FILE COLUMN...: these columns of all rows, a row in a line
rows() { python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print(*(row[name] for name in sys.argv[2:]))' "$@"; }

# Rows of other values, options and traces.
check 'a grid is swept into a new file' sweep d.tl --grid seed=1:2 -o r.csv
check 'other values, with other options and another trace, are swept into it' sweep token.tl --grid seed=1 -o r.csv --no-compute
check 'the file has the rows of both' test "$(rows r.csv seed | tr '\n' ' ')" = '1 1 2 '
check 'each row has the command of its grid' test "$(rows r.csv command | tr '\n' ';')" = \
    "$(printf 'replay token.tl --engine=loggops --params=%s --no-compute;' $params)$(printf \
    'replay d.tl --engine=loggops --params=%s;' $params $params)"
"$timeless" replay token.tl --engine loggops --params $params --seed 1 --no-compute -q >expected
for seed in 1 2; do "$timeless" replay d.tl --engine loggops --params $params --seed $seed -q; done >>expected
check 'each row has the makespan of its replay' diff expected <(rows r.csv makespan_s)
cp r.csv before.csv
python3 - <<'END'
import csv
table = list(csv.reader(open("before.csv")))
table[-1][table[0].index("makespan_s")] = "42"
csv.writer(open("r.csv", "w"), lineterminator="\n").writerows(table)
END
check 'the first grid is swept again' sweep d.tl --grid seed=1:2 -o r.csv
check 'the first grid finds its points in the file' test "$(rows r.csv makespan_s | sed -n 2p)" = 42
check 'the other rows are kept' test "$(rows r.csv seed command | cut -c 1-10 | tr '\n' ';')" = '1 replay d;2 replay d;1 replay t;'
check 'the trace is changed' bash -c '"$0" make dissemination -n 16 --bytes 2000 --iterations 5 -o d.tl' "$timeless"
check 'a changed trace is swept again' sweep d.tl --grid seed=1:2 -o r.csv
check 'the new rows replace those of the old trace' test \
    "$(rows r.csv seed makespan_s | grep -c .) $(grep -c ',42,' r.csv)" = '3 0'
check 'values with commas and quotes are swept' sweep d.tl --grid 'noise=none;1000Hz:100us,coscheduled' -o q.csv
check 'another value is swept into their file' sweep d.tl --grid noise=1kHz:1us -o q.csv
check 'values with commas and quotes come back unchanged' test \
    "$(rows q.csv noise | tr '\n' ';')" = '1kHz:1us;none;1000Hz:100us,coscheduled;'
cp q.csv before.csv
check_exit 3 'other axes are refused' sweep d.tl --grid seed=7 -o q.csv
check 'the refused file stays as it was' cmp q.csv before.csv

# Files that a trace, an option or a platform names count by their contents.
# swept_again NAME CHANGE TRACE OPTION...: a sweep after the change has the makespan of a replay, which is another one.
swept_again() {
    local name=$1 change=$2 before after
    shift 2
    rm -f n.csv
    check "$name: is swept" "$timeless" sweep "$@" --grid seed=1 -o n.csv
    before=$(rows n.csv makespan_s)
    eval "$change"
    check "$name: is swept after the change" "$timeless" sweep "$@" --grid seed=1 -o n.csv
    after=$(rows n.csv makespan_s)
    check "$name: the makespan is that of a replay" equal "$after" "$("$timeless" replay "$@" -q)"
    check "$name: it is not that of before" test "$before" != "$after"
}
echo 'seconds_per_flop = 1e-10; reference_flops = 1e9;' >flops.conf
hpl=(hpl:N=200,NB=10,P=4,Q=1 --engine loggops --params $params --model flops.conf)
later='for ((i = 0; i < 200; i++)); do echo $((i % 2 ? 199 : i)); done >pivots.txt'
hash_of() { "$timeless" replay "$@" --json | sed -n 's/^ *"trace_hash": "\(.*\)",*$/\1/p'; }
seq 0 199 >pivots.txt
here=$(hash_of "${hpl[0]},PIVOTS=pivots.txt" "${hpl[@]:1}")
swept_again 'a file of pivots in a trace' "$later" "${hpl[0]},PIVOTS=pivots.txt" "${hpl[@]:1}"
check 'other pivots give the trace another hash' test "$here" != "$(hash_of "${hpl[0]},PIVOTS=pivots.txt" "${hpl[@]:1}")"
seq 0 199 >pivots.txt
swept_again 'a file of pivots in --set' "$later" "${hpl[@]}" --set PIVOTS=pivots.txt
mkdir profiled
cat >profiled/platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf" core="4"/><host id="b" speed="1Gf" core="4"/>
<link id="l" bandwidth="1GBps" latency="1us" bandwidth_file="slow.txt"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>
END
echo '0 1e9' >profiled/slow.txt
swept_again 'a profile beside the platform' 'echo "0 1e6" >profiled/slow.txt' token.tl -p ./profiled
echo '0 1e9' >slow.txt
swept_again 'a profile in the working folder, which has priority' 'echo "0 1e5" >slow.txt' token.tl -p ./profiled

# JSON has the values of the axes to the last digit.
check 'a seed of 54 bits is swept' sweep d.tl --grid seed=9007199254740993 --grid 'noise=none;1kHz:100us' --json=large.json
check 'JSON has all of its digits, and texts as texts' python3 -c '
import json
at = [p["at"] for p in json.load(open("large.json"))["points"]]
assert at == [{"seed": 9007199254740993, "noise": "none"}, {"seed": 9007199254740993, "noise": "1kHz:100us"}], at'

# An interrupted sweep.
check 'a grid is swept, to be interrupted' sweep d.tl --grid seed=11:12 -o i.csv
{ head -n 2 i.csv; sed -n 3p i.csv | head -c 20; } >j.csv.part
check 'other values are swept into the interrupted file' sweep d.tl --grid seed=1 -o j.csv
check 'the rows of an interrupted sweep are kept, except the cut one' test "$(rows j.csv seed | tr '\n' ' ')" = '1 11 '
check 'the part of an interrupted sweep is removed' test ! -e j.csv.part
{ head -c 10 i.csv; echo; cat i.csv; } >k.csv.part
check 'a part whose header was cut is read' sweep d.tl --grid seed=1 -o k.csv
check 'its rows are kept' equal "$(rows k.csv seed | tr '\n' ' ')" '1 11 12 '
{ echo other,columns; cat i.csv; } >k.csv.part
check_exit 3 'the part of another grid is refused' sweep d.tl --grid seed=1 -o k.csv
cp i.csv k.csv
sed '3d; 2s/.\{16\}$/0000000000000001/' i.csv >k.csv.part
check 'a sweep of a changed trace was interrupted' sweep d.tl --grid seed=1 -o k.csv
check 'its row replaces the one with the same values' equal "$(rows k.csv seed | tr '\n' ' ')" '1 11 12 '
check 'it is the newer one' grep -q 0000000000000001 k.csv

# Two sweeps at once.
exec 9>both.csv.part
flock 9
check_exit 4 'a file that another sweep writes is refused' sweep d.tl --grid seed=1 -o both.csv
exec 9>&-
check 'afterwards it is written' sweep d.tl --grid seed=1 -o both.csv
check 'no other file is left' bash -c '! ls both.csv?*'

# What is read is checked: wrong COLUMN VALUE
wrong() {
    python3 - "$@" <<'END'
import csv, sys
table = list(csv.reader(open("i.csv")))
table[2][table[0].index(sys.argv[1])] = sys.argv[2]
csv.writer(open("wrong.csv", "w"), lineterminator="\n").writerows(table)
END
    check "$1 '$2' in a results file is refused, and the line is named" ends_with 3 \
        "~^timeless: wrong.csv:3: '$2' is not a $1 of a result; correct or remove the line$" sweep d.tl --grid seed=11 -o wrong.csv
    check "$1 '$2': the file is left as it was" grep -q "^12,.*d.tl" wrong.csv
}
wrong makespan_s ''
for value in nan inf -1 1e999 5x 0x10; do wrong makespan_s "$value"; done
wrong mean_compute_s nan
wrong makespan_without_noise_s later
wrong events 1.5
wrong key 12
wrong key 00000000000000zz
sed '3s/$/,1/' i.csv >wrong.csv
check_exit 3 'a row with another number of columns is refused' sweep d.tl --grid seed=11 -o wrong.csv
printf 'seed,makespan_s\n1,2\n' >wrong.csv
check_exit 3 'a table of another kind is refused' sweep d.tl --grid seed=11 -o wrong.csv
check 'a table of another kind is not changed' test "$(wc -l <wrong.csv)" = 2

# Files are written in place.
umask 022
for file in results.csv results.json results.svg; do
    : >$file; chmod 640 $file; mkdir -p folder; mv $file folder; ln -sf folder/$file $file
done
check 'the files of a sweep may be symbolic links' sweep d.tl --grid seed=1:2 --grid params.L=1us,2us -o results.csv \
    --json=results.json --plot results.svg
for file in results.csv results.json results.svg; do
    check "$file: link and mode are kept" test "$(readlink $file) $(stat -c '%a' folder/$file)" = "folder/$file 640"
    check "$file: and it is written" test -s folder/$file
done
mkfifo pipe
check_exit 4 'a results file that is a pipe is refused' timeout 60 "$timeless" sweep d.tl --engine loggops --params $params \
    --grid seed=1 -o pipe
check 'the pipe still exists after the refusal' test -p pipe
timeout 60 cat pipe >json &
check '--json writes into a pipe' timeout 60 "$timeless" sweep d.tl --engine loggops --params $params --grid seed=1 -o p.csv --json=pipe
wait $!
check 'the JSON arrives at the other end of the pipe' json json 'd'
check 'the pipe still exists after the JSON' test -p pipe

# Sampled replays: half of the interval has a column.
export TIMELESS_PLATFORMS=$top_srcdir/platforms
sampled() { "$timeless" sweep hpl:N=6400,NB=16,P=2,Q=2 -p dahu --engine loggops --sample "$@"; }
check 'two seeds of a sampled replay are swept' sampled --grid seed=1,2 -o sampled.csv
cp err said
check 'differences below the intervals are a warning' says \
    '~^timeless: warning: 1 of 2 points differ from the smallest makespan \(seed=[12]\) by less than the 90 % intervals' said
check 'both rows have the half interval of their replay' test "$(rows sampled.csv half_interval_90_s)" = \
    "$(for seed in 1 2; do "$timeless" replay hpl:N=6400,NB=16,P=2,Q=2 -p dahu --engine loggops --sample --seed $seed --json |
        python3 -c 'import json, sys; p = json.load(sys.stdin)
print("%.17g" % (p["sampled"]["interval_90_s"][1] - p["makespan_s"]))'; done)"
cp sampled.csv again.csv
check 'rows that are there are not replayed again' sampled --grid seed=1,2 -o again.csv --jobs 1
cp err said
check 'their intervals are kept' cmp sampled.csv again.csv
check 'the intervals that were kept are a warning, too' says '~by less than the 90 % intervals' said
check 'other sizes are swept' sampled --grid hpl.N=6400,9600
check 'differences above the intervals are no warning' test ! -s err
tap_done
