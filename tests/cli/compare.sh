# timeless compare: the table, the verdicts and the refusals, on a hand-made prediction of two ranks.
. "$top_srcdir/tests/tap.sh"
cat >"$scratch/p.json" <<'JSON'
{"format": "timeless-prediction-1", "timeless": "0.1.0", "trace": "hpl.tl", "platform": "local",
 "command": "hpcc", "engine": "smpi", "engine_version": "SimGrid 3.32.0", "network_model": "SMPI",
 "coll_selector": "default", "options": "", "model": "platform",
 "trace_hash": "0000000000000001", "platform_hash": "0000000000000002", "model_hash": "0000000000000000",
 "makespan_s": 5.0, "n_ranks": 2, "n_events": 8, "n_polls": 0, "n_opaque": 0,
 "ranks": [
  {"host": "a", "end_s": 5.0, "compute_s": 1.0, "kernel_s": 1.0, "p2p_s": 0.0, "wait_s": 0.0, "collective_s": 0.0, "events": 4},
  {"host": "a", "end_s": 4.9, "compute_s": 1.0, "kernel_s": 1.0, "p2p_s": 0.0, "wait_s": 0.0, "collective_s": 0.0, "events": 4}],
 "marks": [
  {"call": "MPI_Init", "site": "hpcc+0x1", "ordinal": 0, "measured_s": [0.0, 0.0], "predicted_s": [0.0, 0.0]},
  {"call": "MPI_Wtime", "site": "hpcc+0x10", "ordinal": 0, "measured_s": [0.001, 0.002], "predicted_s": [0.004, 0.004]},
  {"call": "MPI_Wtime", "site": "hpcc+0x10", "ordinal": 1, "measured_s": [4.001, 4.002], "predicted_s": [4.204, 4.104]},
  {"call": "MPI_Finalize", "site": "hpcc+0x99", "ordinal": 0, "measured_s": [5.0, 5.0], "predicted_s": [4.9, 4.8]}]}
JSON
cat >"$scratch/table" <<'EXPECTED'
hpl.tl on local, 2 ranks, SimGrid 3.32.0
  measured s  predicted s    error  longest rank from .. to
    4.000000     4.200000    +5.0%  MPI_Wtime hpcc+0x10 #0 .. MPI_Wtime hpcc+0x10 #1
    0.999000     0.696000   -30.3%! MPI_Wtime hpcc+0x10 #1 .. MPI_Finalize hpcc+0x99 #0
    5.000000     4.900000    -2.0%  makespan
1 shorter rows are left out; --all keeps those that took any time
|error|: median 5.0%, worst 30.3%; beyond the tolerance of 10%
EXPECTED
solve='MPI_Wtime hpcc+0x10 #0 .. MPI_Wtime hpcc+0x10 #1'
compare="$timeless compare $scratch/p.json"
keep() { cp "$scratch/$1" "$scratch/kept"; }
kept() { grep -q -e "$1" "$scratch/kept"; }

check_exit 1 'an error beyond the tolerance exits with 1' $compare --tolerance 10%
keep out
check 'the table is printed as before' diff "$scratch/table" "$scratch/kept"
check_exit 0 'errors within the tolerance exit with 0' $compare --tolerance 0.31
check_exit 0 'any error exits with 0 without a tolerance' $compare
check_exit 0 'rows shorter than --min-share are not judged' $compare --tolerance 6% --min-share 30%
check_exit 1 '--all judges every row' $compare --tolerance 31% --all
keep out
check '--all prints a short row' kept '+100.0%! MPI_Init hpcc+0x1 #0 .. MPI_Wtime hpcc+0x10 #0'
check_exit 1 '--json exits with 1 for an error beyond the tolerance' $compare --tolerance 10% --json
keep out
check 'the JSON has the rows' kept "\"name\": \"$solve\""
check 'the JSON says whether the comparison passed' kept '^  "passed": false,'

printf 'name,seconds\n%s,4.0\nmakespan,10\n' "$solve" >"$scratch/m.csv"
check_exit 1 'a CSV of measurements is compared' $compare --measured "$scratch/m.csv" --tolerance 10%
keep out
check 'the makespan of the CSV is compared' kept '   10.000000     4.900000   -51.0%! makespan'
printf 'solve,4.0\n' >"$scratch/m.csv"
check_exit 3 'a CSV row that the prediction does not have exits with 3' $compare --measured "$scratch/m.csv"
keep err
check 'a CSV row that the prediction does not have is named with its line' kept "^timeless: $scratch/m.csv:1: the prediction has no row 'solve'; "
check_exit 4 'a CSV that does not exist exits with 4' $compare --measured /nowhere/m.csv

# Several runs, several predictions.
for t in 3.9 4.0 4.1 4.3; do printf '%s,%s\nmakespan,5.%s\n' "$solve" $t "${t#*.}"; done >"$scratch/m.csv"
sed 's/4.204, 4.104/4.404, 4.104/' "$scratch/p.json" >"$scratch/q.json"
check_exit 1 'several runs are compared with two predictions' $compare "$scratch/q.json" --measured "$scratch/m.csv" --tolerance 5% \
    --csv "$scratch/rows.csv" --junit "$scratch/rows.xml" --plot "$scratch/rows.svg"
keep out
check 'a row prints the medians and ranges of both' kept '^     3.900000     4.050000     4.300000     4 |     4.20[0-9]*     4.300000     4.39[0-9]*     2 |    +6.2%! '"$solve"
check '--csv writes medians and ranges' grep -q "^\"$solve\",4.05,3.9,4.3,4,4.3,.*,2,0.061728,0$" "$scratch/rows.csv"
check '--junit writes a test case for each row' grep -q '<testsuite name="timeless compare" tests="2" failures="2">' "$scratch/rows.xml"
check '--plot draws the predictions' grep -q '>predicted</text>' "$scratch/rows.svg"
check '--plot has the rows, the axis and its unit' python3 -c '
import sys, xml.etree.ElementTree as e
texts = ["".join(t.itertext()).strip() for t in e.parse(sys.argv[1]).getroot().iter("{http://www.w3.org/2000/svg}text")]
for t in "makespan", "measured", "predicted", "difference from the measured median [%]": assert texts.count(t) == 1, (t, texts)' "$scratch/rows.svg"
for file in rows.xml rows.svg; do
    check "$file is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/$file"
done
# A picture of many rows is higher than a screen.
for n in 1 2; do
    check "many rows: prediction $n" sh -c '"$1" make call_barrier --ranks 2 --iterations 40 -o "$2/rows.tl" && "$1" replay "$2/rows.tl" -p "$3" --scale network '$n' --no-compute -q --json="$2/rows$4.json"' - "$timeless" "$scratch" "$top_srcdir/platforms/star-1g" $n
done
check 'many rows: a plot is drawn' "$timeless" compare "$scratch/rows1.json" --against "$scratch/rows2.json" --all --plot "$scratch/rows.svg"
check 'many rows: the axis is at the top and at the bottom' test "$(grep -c 'difference from .*\[%\]' "$scratch/rows.svg")" = 2
sed 's/0000000000000001/0000000000000003/' "$scratch/p.json" >"$scratch/other.json"
check 'predictions of two recordings of one program: each is a measured run' $compare "$scratch/other.json" --all --json="$scratch/two.json"
check 'the JSON tells that the prediction differs by no more than the runs' json "$scratch/two.json" \
    'assert all(r["runs"] == 2 and r["within_runs"] == (r["measured_low_s"] <= r["predicted_s"] <= r["measured_high_s"]) for r in d["rows"])'
sed -i 's/"ordinal": 0/"ordinal": 7/' "$scratch/other.json"
check 'predictions of programs with other marks exit with 3' refused 3 'the predictions are of programs that differ in their marks or ranks' $compare "$scratch/other.json" --all
check_exit 4 'a plot that cannot be written exits with 4' $compare --plot /nowhere/x.svg

# Predictions with other predictions: q.json takes 4.4 s for solve, p.json 4.2 s.
check_exit 0 '--against compares two predictions' $compare --against "$scratch/q.json"
keep out
check '--against prints both times and the change' kept '^ *4\.2  *4\.4  *+4\.8%  '"$solve"'$'
check '--against does not need measured clocks' kept '^         4\.9          4\.9     +0\.0%  makespan$'
check_exit 1 '--against: a change beyond the tolerance exits with 1' $compare --against "$scratch/q.json" --tolerance 4%
check_exit 0 '--against: a change within the tolerance exits with 0' $compare --against "$scratch/q.json" --tolerance 5%
check_exit 0 '--against: a faster prediction passes with --slower-only' "$timeless" compare "$scratch/q.json" --against "$scratch/p.json" --tolerance 1% --slower-only
check_exit 1 '--against writes JSON' $compare --against "$scratch/q.json" --tolerance 4% --json
keep out
check '--against: the JSON has both times' kept '"versus_s": 4.4'
check_exit 3 '--against: several predictions of different programs exit with 3' $compare --against "$scratch/q.json" --against "$scratch/other.json"
sed 's/"format": "timeless-prediction-1"/"changes": "link.bandwidth=2x", &/' "$scratch/q.json" >"$scratch/changed.json"
check '--against: predictions with and without --scale are not of one model and the error says so' refused 3 \
    'the predictions have different --scale or --set, so they are not of one model; compare each of them alone' \
    $compare --against "$scratch/q.json" --against "$scratch/changed.json"
for differs in 'engine/different engines' 'options/different options of replay' 'model_hash/different models of computation' 'coll_selector/different --coll-selector'; do
    sed "s/\"${differs%/*}\": \"[^\"]*\"/\"${differs%/*}\": \"00000000000000ff\"/" "$scratch/p.json" >"$scratch/changed.json"
    check "${differs##*/}: predictions are not of one model and the error says so: ${differs##*/}" refused 3 \
        "~the predictions [a-z ]*${differs##*/}, so they are not of one model; compare each of them alone" \
        $compare "$scratch/changed.json"
done

cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
# Two versions of a program: the second sends twice the bytes, the third calls something else.
"$timeless" make ring -n 4 --bytes 1000000 -o v1.tl; "$timeless" make ring -n 4 --bytes 2000000 -o v2.tl
"$timeless" make alltoall -n 4 --bytes 1000000 -o v3.tl; "$timeless" make ring -n 5 --bytes 1000000 -o v5.tl
for v in 1 2 3 5; do "$timeless" replay v$v.tl -p star-1g --no-compute --details --json=v$v.json -q >/dev/null; done
"$timeless" replay v2.tl -p star-1g --no-compute --json=plain.json -q >/dev/null
check '--against: two versions of a program' "$timeless" compare v1.json --against v2.json --all --json
cp out programs.json
check '--against: the rows are sums of both predictions' python3 -c '
import json
a, b, rows = (json.load(open(f)) for f in ("v1.json", "v2.json", "programs.json"))
rows = {r["name"]: r for r in rows["rows"]}
def near(x, y): assert abs(x / y - 1) < 1e-9, (x, y)
for p, key in (a, "predicted_s"), (b, "versus_s"):
    near(rows["makespan"][key], p["makespan_s"])
    near(rows["by kind: messages"][key], sum(r["p2p_s"] for r in p["ranks"]) / 4)
    for s in p["details"]["sites"]:
        if s["time_s"]:
            near(rows["site " + s["name"]][key], s["time_s"] / 4)
near(rows["makespan"]["change"], b["makespan_s"] / a["makespan_s"] - 1)
assert any(n.startswith("site ") for n in rows), rows'
check 'a site whose line has moved is the same, with the line of B' bash -c '
    sed "s/? (ring:8)/main (app.c:12)/" v1.json >m1.json && sed "s/? (ring:8)/main (app.c:14)/" v2.json >m2.json &&
    "$1" compare m1.json --against m2.json | grep -q "  site MPI_Sendrecv main (app.c:14)$"' - "$timeless"
# version NAME SHIFT BYTES [AGAIN]: step calls exchange in two lines, with 1000 and BYTES, and with AGAIN in a third one between them
version() {
    local r n line
    {
        printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "none"'
        for r in 0 1; do
            printf '%s\n' "rank $r host=\"h\"" "site 1 object=\"app\" offset=1 function=\"main\" file=\"app.c\" line=$((30 + $2))"
            n=0
            for line in 9 10 11; do
                printf '%s\n' "site $line object=\"app\" offset=$line caller=1 function=\"step\" file=\"app.c\" line=$((line + $2))" \
                    "site $((line + 10)) object=\"app\" offset=2 caller=$line function=\"exchange\" file=\"app.c\" line=$((4 + $2))"
                [ $line != 10 ] || [ "${4:-}" ] || continue
                [ $line != 11 ] && bytes=1000 || bytes=$3
                printf '%s\n' "$r $n MPI_Sendrecv_replace count=$bytes type_bytes=1 peer=$((1 - r)) tag=0 recv_peer=$((1 - r)) recv_tag=0 comm=1 site=$((line + 10))"
                n=$((n + 1))
            done
            echo 'end cut clock_ns=0'
        done
    } | "$timeless" undump - -o "$1.tl" && "$timeless" replay "$1.tl" -p star-1g --ranks-per-host 1 --details --json="$1.json" -q >/dev/null
}
version w1 0 20000 && version w2 1 40000 && version w3 1 40000 again
"$timeless" compare w1.json --against w2.json --all >moved
check 'call paths of which all lines have moved are the same' sh -c '! grep "^only" moved && grep -c "  site MPI_Sendrecv_replace exchange (app.c:5) < step:1[02] < main:31$" moved | grep -qx 2'
check 'by their order in the program' sh -c 'grep -q "^ .* [+-]0.0%  site .* < step:10 <" moved && grep -q "^ .* +[1-9][0-9.]*%  site .* < step:12 <" moved'
check 'if one is new, they are compared by function' sh -c '"$0" compare w1.json --against w3.json --all | grep -q "  site MPI_Sendrecv_replace exchange (app.c) < step < main$"' "$timeless"
check 'JUnit calls the sides A and B, and the platform by its name' bash -c '
    ! "$1" compare v1.json --against v2.json --tolerance 1% --junit v.xml >table.txt && grep -q "<testcase classname=\"star-1g\" name=\"makespan\".*message=\"B [0-9.e-]*, A " v.xml &&
    ! grep -q "name=\"call compute\"\|computation, and" v.xml' - "$timeless"
check_exit 1 '--against: a slower version fails' "$timeless" compare v1.json --against v2.json --tolerance 10% --slower-only
check_exit 0 '--against: a faster version passes' "$timeless" compare v2.json --against v1.json --tolerance 10% --slower-only
check '--against lists what one version has alone' "$timeless" compare v1.json --against v3.json
keep out
check '... of the first' kept '^only in A: call MPI_Sendrecv$'
check '... of the second' kept '^only in B: site MPI_Waitall ? (alltoall)'
check '--against: without details, it names the option' "$timeless" compare v1.json --against plain.json
keep out
check '... for rows by call site' kept 'need predictions of .timeless replay --details'
check_exit 3 '--against: other numbers of ranks are refused' "$timeless" compare v1.json --against v5.json
check_exit 2 '--against needs a prediction' "$timeless" compare --against "$scratch/q.json"
check_exit 2 '--against and --measured exclude each other' $compare --against "$scratch/q.json" --measured "$scratch/m.csv"
sed 's/"clock": "comparable",//; s/"format"/"clock": "the ranks shared cores", "format"/' "$scratch/p.json" >"$scratch/folded.json"
check_exit 0 '--against: the clock of the recording does not matter' "$timeless" compare "$scratch/folded.json" --against "$scratch/q.json" --tolerance 5%

# Earlier runs.
for t in 3.9 4.0 4.1 4.3 4.2; do printf 'a,%s\nb,1%s\n' $t "${t#*.}"; done >"$scratch/before.csv"
printf 'a,4.1\nb,14\na,4.0\nb,13\n' >"$scratch/same.csv"
printf 'a,6.1\nb,19\na,6.0\nb,18\n' >"$scratch/new.csv"
check_exit 0 '--baseline: noise exits with 0' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/same.csv"
keep out
check '--baseline: noise is reported as no more than noise' kept '^no more than noise: F = .* threshold .* at 95%, p = .*; 2 quantities together, 2 against 5 runs$'
check_exit 1 '--baseline: a change exits with 1' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/new.csv" --junit "$scratch/new.xml"
keep out
check '--baseline: a change is reported as more than noise' kept '^more than noise: '
check '--baseline: the JUnit file has the verdict of the test' grep -q 'tests="3" failures="2"' "$scratch/new.xml"
check '--baseline: the JUnit file names the rows that changed' grep -q '<testcase [^>]*name="a"[^>]*><failure message="measured 6.05, expected 4.1: +47.6%, more than noise"' "$scratch/new.xml"
check '--baseline: the rows that changed are listed' kept '^failed: a, +47.6%$'
printf 'a,6.1\nb,12\na,6.0\nb,13\n' >"$scratch/one.csv"
check_exit 1 '--baseline: one row changed' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/one.csv" --tolerance 20% --junit "$scratch/one.xml"
check 'one row changed: only its case and the test fail' sh -c 'grep -q "failures=\"2\"" "$0" && grep -q "name=\"b\"[^>]*/>" "$0"' "$scratch/one.xml"
printf 'a,2.1\nb,10\na,2.0\nb,10\n' >"$scratch/fast.csv"
check_exit 1 'a run that became faster has changed' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/fast.csv"
check_exit 0 '--slower-only: a run that became faster passes' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/fast.csv" --slower-only --tolerance 5%
check_exit 0 '--slower-only: without a tolerance, too' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/fast.csv" --slower-only
check_exit 1 '--slower-only: a run that became slower fails' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/new.csv" --slower-only
check_exit 0 '--slower-only: measurements below the prediction pass' $compare --tolerance 10% --min-share 50% --slower-only
check_exit 1 '--slower-only: measurements above the prediction fail' $compare --tolerance 10% --slower-only
# unused OPTION PATTERN ARGUMENT...: an option that would change nothing exits with 2 and is named
unused() {
    check_exit 2 "$1 is refused if it changes nothing" "$timeless" compare "${@:3}"
    keep err
    check "$1: the message says why" kept "$2"
}
unused --slower-only '--slower-only: without a tolerance nothing fails' "$scratch/p.json" --slower-only
unused --confidence '--confidence: fewer than 3 predictions are not tested' "$scratch/p.json" --confidence 99%
unused '--min-share of measurements' '--min-share is for measured times of the recording' --baseline "$scratch/before.csv" --measured "$scratch/new.csv" --min-share 50%
unused '--min-share beyond the run' '--min-share: no row is longer than the run' "$scratch/p.json" --min-share 101%
check_exit 2 '--slower-only and --history exclude each other' "$timeless" compare --history "$scratch" --slower-only
check_exit 0 '--baseline: a change within the tolerance exits with 0' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/new.csv" --tolerance 60%
head -n 2 "$scratch/before.csv" >"$scratch/once.csv"
check_exit 1 '--baseline: with one earlier run the tolerance decides' "$timeless" compare --baseline "$scratch/once.csv" --measured "$scratch/new.csv" --tolerance 10%
keep out
check '--baseline: too few earlier runs are reported' kept '^too few runs before to tell a change from noise$'
echo 'c,1' >>"$scratch/same.csv"
check_exit 3 '--baseline: a name without earlier measurement exits with 3' "$timeless" compare --baseline "$scratch/before.csv" --measured "$scratch/same.csv"

# A platform that was calibrated several times.
mkdir "$scratch/here"
for i in 1 2 3 4 5; do
    printf '2026-11-2%sT10:00:00Z,kernels,dgemm s per flop,%s\n' $i 4.0${i}e-11
    printf '2026-11-2%sT10:01:00Z,network,latency s,%s\n' $i 2.1${i}e-5
done >"$scratch/here/history.csv"
check_exit 0 '--history: an unchanged platform exits with 0' "$timeless" compare --history "$scratch/here" --tolerance 50%
printf '2026-11-28T10:00:00Z,kernels,dgemm s per flop,5e-11\n' >>"$scratch/here/history.csv"
check_exit 1 '--history: a platform that has drifted exits with 1' "$timeless" compare --history "$scratch/here" --tolerance 5%
keep out
check '--history: the drift of a quantity is printed' kept ' +2[0-9.]*%! kernels: dgemm s per flop$'
# A quantity that was 0 has no relative change.
mkdir "$scratch/zero"
{ echo when,what,name,value
  for day in 1 2 3; do printf "2026-11-2${day}T10:00:00Z,network,%s\\n" wait,0 rest,0 latency,1e-6; done
  printf '2026-11-24T10:00:00Z,network,%s\n' wait,2e-6 rest,0 latency,1.1e-6; } >"$scratch/zero/history.csv"
check_exit 1 '--history: a quantity that is no longer 0 is beyond any tolerance' "$timeless" compare --history "$scratch/zero" --tolerance 50%
keep out
check '--history: a quantity that was 0 has no change in per cent' kept ' from 0! network: wait$'
check '--history: a quantity that stays 0 has not changed' kept ' +0.0%  network: rest$'
check '--history: the others have their median and worst change' kept '^|change|: median 5.0%, worst 10.0%'
"$timeless" compare --history "$scratch/zero" --json="$scratch/zero.json" --csv="$scratch/zero.csv" >"$scratch/zero.txt"
check '--history: JSON has null for it' python3 -c '
import json, sys
rows = {r["name"]: r["change"] for r in json.load(open(sys.argv[1]))["rows"]}
assert rows["network: wait"] is None and rows["network: rest"] == 0 and abs(rows["network: latency"] - 0.1) < 1e-9, rows' "$scratch/zero.json"
check '--history: CSV has an empty cell for it' grep -q '^"\{0,1\}network: wait"\{0,1\},2e-06,2e-06,2e-06,1,0,0,0,3,,1$' "$scratch/zero.csv"
check_exit 4 '--history: a platform without history exits with 4' "$timeless" compare --history "$top_srcdir/platforms/star-1g"

check_exit 2 'predictions and a baseline together exit with 2' $compare --baseline "$scratch/before.csv"
check 'a prediction is no baseline and the error names the way to compare it' refused 3 \
    'p.json:1: not a measurement; give a prediction without --baseline' \
    "$timeless" compare --baseline "$scratch/p.json" --measured "$scratch/same.csv"
check_exit 2 '--baseline without --measured exits with 2' "$timeless" compare --baseline "$scratch/before.csv"
printf '\211TLS\0' >"$scratch/a.tl"
check 'a trace in place of a prediction exits with 3: a trace in place of a prediction is reported as such' refused 3 \
    "a.tl: not a prediction; give a file that 'timeless replay --json=FILE' wrote" \
    "$timeless" compare "$scratch/a.tl"
check_exit 2 'a comparison without a prediction exits with 2' "$timeless" compare
check_exit 2 'a negative tolerance exits with 2' $compare --tolerance=-1%
check 'a tolerance of 5, which may mean 5% or 500%, exits with 2: a tolerance of 5 is answered by both readings' refused 2 \
    "'5': above 1, write it as a percentage: 5% or 500%" \
    $compare --tolerance 5
check_exit 0 'a tolerance of 500% accepts all errors' $compare --tolerance 500%
check_exit 2 'a tolerance that is not a number exits with 2' $compare --tolerance 10x
check_exit 4 'a prediction that does not exist exits with 4' "$timeless" compare /nowhere/p.json
: >"$scratch/empty.json"
check_exit 3 'an empty prediction exits with 3' "$timeless" compare "$scratch/empty.json"
echo '{"format": "timeless-prediction-1"}' >"$scratch/short.json"
check_exit 3 'a prediction without content exits with 3' "$timeless" compare "$scratch/short.json"
sed '/"marks"/,$d' "$scratch/p.json" >"$scratch/cut.json"
check_exit 3 'a truncated prediction exits with 3' "$timeless" compare "$scratch/cut.json"
sed 's/"measured_s": \[[^]]*\]/"measured_s": [0.0, 0.0]/' "$scratch/p.json" >"$scratch/unmeasured.json"
check_exit 3 'a trace without measured times exits with 3' "$timeless" compare "$scratch/unmeasured.json"
keep err
check 'a trace without measured times: the message names --measured' kept '; give measurements with --measured$'
tap_done
