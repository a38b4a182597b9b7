#!/usr/bin/env bash
# Compute models with noise, hosts and days, in both engines: what is drawn follows from the seed alone,
# and its spread is that of the model.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# Four ranks, one a host: 400 kernels and bursts each, then a barrier.
{
    printf 'timeless-text 1\nranks 4\nvolume_unit "cpu-ns"\nprogram "kernels"\n'
    for rank in 0 1 2 3; do
        printf 'rank %d host="h%d"\n%d 0 MPI_Init clock_ns=0\n' $rank $rank $rank
        for ((i = 1; i <= 400; i++)); do printf '%d %d dgemm m=%d n=100 k=100 volume=1000000\n' $rank $i $((i + 100)); done
        printf '%d 401 MPI_Barrier comm=1 clock_ns=0\n%d 402 MPI_Finalize clock_ns=0\nend finalized clock_ns=0\n' $rank $rank
    done
} >t.txt
check 'a trace of kernels' "$timeless" undump t.txt -o t.tl

# model NAME NOISE VARIABILITY HOSTS
model() {
    cat >"$1.conf" <<END
version = 2;
reference_flops = 1.0e9;
units = ( { unit = "cpu-ns"; seconds_per_unit = 1.0e-9; } );
kernels = ( { kernel = "dgemm"; seconds = { mnk = 1e-10; mn = 1e-9; one = 1e-6; }; ${2-} } );
${3-}
${4-}
END
}
model exact
model noise 'noise = { shape = "half-normal"; sd = { mnk = 5e-11; }; };'
model days 'host_sd = 0.05; day_sd = 0.02;' 'variability = { host_sd = 0.1; day_sd = 0.01; };'
model slow '' '' 'hosts = ( { hosts = "*2"; factor = 3; },
    { hosts = "node-1:0"; kernels = ( { kernel = "dgemm"; seconds = { one = 1; }; } ); } );'

smpi() { "$timeless" replay t.tl -p star-1g --ranks-per-host 1 "$@"; }
loggops() { "$timeless" replay t.tl --engine loggops --params L=1us,o=0,g=0,G=0,O=0 "$@"; }
# between LOW HIGH NUMBER...: all numbers
between() {
    local low=$1 high=$2
    shift 2
    echo "$@" | tr ' ' '\n' | awk -v low="$low" -v high="$high" '{print} !($1 >= low && $1 <= high) {bad = 1} END {exit bad || !NR}'
}
differ() { ! cmp -s "$1" "$2"; }
# 400 ms of bursts; the sum of the kernels: 400 (1e-6) + (1e-10 1e4 + 1e-9 100) sum(101..500)
exact_s=$(awk 'BEGIN {s = 0.4 + 400e-6; for (i = 101; i <= 500; i++) s += i * 1.1e-6; print s}')
about() { # FACTOR NUMBER: of the exact sum, to 1 %
    between "$(awk -v x="$exact_s" -v f="$1" 'BEGIN {print x * f * 0.99}')" \
        "$(awk -v x="$exact_s" -v f="$1" 'BEGIN {print x * f * 1.01}')" "$2"
}
check 'a polynomial, by SimGrid' about 1 "$(smpi --model exact.conf -q)"
check 'a polynomial has its mean, by LogGOPS' about 1 "$(loggops --model exact.conf -q)"
check 'noise leaves the mean, to what its spread allows' about 1 "$(loggops --model noise.conf -q)"
check 'a slow host, LogGOPS' about 3 "$(loggops --model slow.conf -q)"
# Rank 1 has 400 calls of a second.
check 'a host and a core by name, SimGrid' between 400 401 "$(smpi --model slow.conf -q)"

for engine in smpi loggops; do
    rm -f a.json b.json
    $engine --model days.conf --seed 7 --json=a.json -q >a
    $engine --model days.conf --seed 7 --json=b.json -q >b
    check "the same seed, the same bytes, $engine" cmp a.json b.json
    $engine --model days.conf --seed 8 -q >b
    check "another seed, another prediction, $engine" differ a b
done
rm -f a.json b.json
loggops --model noise.conf --json=a.json -q >a
loggops --model noise.conf --threads 2 --json=b.json -q >b
check 'the number of threads does not change a prediction' cmp a.json b.json
rm -f a.json b.json
smpi --model exact.conf --json=a.json -q >a
smpi --model exact.conf --seed 5 --json=b.json -q >b
check 'a seed without noise changes nothing' cmp a.json b.json

spread() { # NAME OPTION...: writes s.json with 40 seeds
    loggops --model "$1.conf" --seeds 40 --json=s.json "${@:2}" >s.txt
}
field() { python3 -c \
    'import json, sys; print(eval(sys.argv[1], {"p": json.load(open("s.json")), "s": json.load(open("s.json"))["spread"]}))' "$1"; }
spread days
check 'forty seeds give forty makespans' test "$(field 'len(s["makespan_s"]) == 40 and len(set(s["makespan_s"])) == 40')" = True
check 'the prediction is the median one' test \
    "$(field 'sorted(s["makespan_s"])[19] == p["makespan_s"] and s["makespan_s"][p["seed"] - s["first_seed"]] == p["makespan_s"]')" = True
check 'quantiles lie in order around it' test \
    "$(field 's["quantiles_s"]["0.025"] < s["quantiles_s"]["0.25"] < p["makespan_s"] < s["quantiles_s"]["0.975"]')" = True
check 'the text tells the interval' grep -q 'over 40 *seeds  95% of them' s.txt
hosts_sd=$(field 's["sd_s"] / s["mean_s"]')
spread days --cluster-seed 3
check 'one cluster varies by its days alone' between 0.001 0.025 "$(field 's["sd_s"] / s["mean_s"]')"
check 'more than one, by their hosts, too' between 0.03 0.1 "$hosts_sd"

# compare takes all seeds of a prediction, as if each stood in a file of its own.
sed 's/MPI_Barrier comm=1 clock_ns=0/MPI_Barrier comm=1 clock_ns=400000000/
    s/MPI_Finalize clock_ns=0/MPI_Finalize clock_ns=500000000/' t.txt |
    "$timeless" undump - -o t.tl
loggops --model days.conf --seeds 6 --seed 11 --json=all.json -q >/dev/null
for seed in 11 12 13 14 15 16; do loggops --model days.conf --seed $seed --json=one.$seed.json -q >/dev/null; done
printf '%s\n' makespan,0.52 makespan,0.51 makespan,0.53 'MPI_Init ? #0 .. MPI_Barrier ? #0,0.1' \
    'MPI_Barrier ? #0 .. MPI_Finalize ? #0,1' >measured.csv
compared() { "$timeless" compare --measured measured.csv --csv "$1.csv" "${@:2}" >"$1.txt"; }
check 'a comparison with all seeds' compared all all.json
check 'one file for each seed is compared' compared each one.*.json
check 'one file for each seed gives the same rows as one for all' cmp all.csv each.csv
check 'the rows of all seeds have six predictions' test "$(grep -c ',6,' all.csv)" = 3
ranges() { awk -F, 'NR > 1 && /Init .. MPI_Barrier|makespan/ { n++; if (!($7 < $6 && $6 < $8)) exit 1 }
    /^"makespan",0.52,0.51,0.53,3,/ { n++ } END { exit n < 2 }' all.csv; }
check 'measured and predicted rows have ranges' ranges
check 'the interval holds what it should' grep -q '^[01] of 3 measured medians lie in the interval of the predictions$' all.txt
awk -F, '/^"makespan"/ { print "makespan," $6 }' all.csv >middle.csv
check 'a measurement in the middle of them' "$timeless" compare all.json --measured middle.csv --json
cp out middle.json
check 'a measurement among the predictions is within their interval' json middle.json \
    'r, = d["rows"]; assert r["within"] and r["predictions"] == 6 and abs(r["error"]) < 1e-6'
echo makespan,9 >far.csv
check 'a measurement far from the predictions is not within their interval' bash -c \
    "'$timeless' compare all.json --measured far.csv --json | grep -q '\"within\": false'"
check 'a spread that lacks a seed' python3 -c \
    'import json; p = json.load(open("all.json")); p["spread"]["whole_s"].pop(); json.dump(p, open("bad.json", "w"))'
check_exit 3 'a spread that lacks a seed exits with 3' "$timeless" compare bad.json --measured far.csv
# shown NAME OPTION...: also the energy, the links, the details and the timeline
shown() { smpi --engine $engine --model days.conf --energy --links --details --timeline "$1.csv" --json="$1.json" "${@:2}"; }
for engine in smpi loggops; do
    check "energy, links, details and timeline with seeds, $engine" shown three --seeds 3
    shown one --seed "$(python3 -c 'import json; print(json.load(open("three.json"))["seed"])')" >/dev/null
    check "they are those of the median seed, $engine" eval 'cmp three.csv one.csv && python3 -c "
import json
three, one = json.load(open(\"three.json\")), json.load(open(\"one.json\"))
assert len(three.pop(\"spread\")[\"makespan_s\"]) == 3 and one[\"energy\"][\"job_j\"] > 0
assert three == one, (three, one)"'
done
# The files of the manual.
awk '/^\.SH/ {on = /^\.SH EXAMPLE/} /^\.fi/ {text = 0} on && text {print >("page" n ".conf")} /^\.nf/ {text = 1; n++}' \
    "$top_srcdir/doc/timeless-model.5"
for page in page*.conf; do check "the manual's $page" smpi --model "$page" --seeds 2; done
check 'there are two of them' test -s page2.conf
tap_done
