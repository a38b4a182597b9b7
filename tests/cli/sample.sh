#!/usr/bin/env bash
# sample.sh - timeless replay --sample: windows of a run, all of it predicted, and how far that may be off.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
program=hpl:N=6400,NB=16,P=2,Q=2
loggops='--platform dahu --engine loggops --params L=2us,o=0.5us,g=0.5us,G=0.08ns,O=0.02ns,S=65536'
replay() { "$timeless" replay "$@"; }
# in_interval FULL.json SAMPLED.json TIMES
cat >in_interval.py <<'END'
import json, sys
full, sampled = (json.load(open(path)) for path in sys.argv[1:3])
half = float(sys.argv[3]) * (sampled["sampled"]["interval_90_s"][1] - sampled["makespan_s"])
assert half > 0
assert abs(full["makespan_s"] - sampled["makespan_s"]) <= half, (full["makespan_s"], sampled["makespan_s"], half)
END

# shellcheck disable=SC2086 # words
{
replay $program $loggops --json=full.json -q >/dev/null
replay $program $loggops --json=sampled.json --sample >sampled.txt
replay $program $loggops --json=again.json --sample -q >/dev/null
replay $program $loggops --json=finer.json --sample 0.3% -q >/dev/null
}
check 'replay --sample: the full replay is in the interval' python3 in_interval.py full.json sampled.json 1
check 'replay --sample: the text prints the interval' grep -q '^90% interval .* s, +-' sampled.txt
check 'replay --sample: the text prints windows, steps and events' \
    grep -Eq '^sampled  .* 6 windows, [0-9]+ of 400 steps, about [0-9]+ % of the events' sampled.txt
check 'replay --sample: the same run gives the same bytes' cmp sampled.json again.json
check 'replay --sample: the JSON says what was replayed' python3 - full.json sampled.json <<'END'
import json, sys
full, sampled = (json.load(open(path)) for path in sys.argv[1:])
about = sampled["sampled"]
assert "sampled" not in full
assert about["windows"] == 6 and about["steps"] == 400 and 0 < about["steps_replayed"] < 160, about
assert abs(sampled["n_events"] / full["n_events"] - about["share_of_events"]) < 0.03, about
assert sampled["trace"] == full["trace"] and sampled["trace_hash"] == full["trace_hash"]
for a, b in zip(full["ranks"], sampled["ranks"]):
    assert abs(b["compute_s"] / a["compute_s"] - 1) < 0.05, (a, b)
END
check 'replay --sample 0.3%: as many windows as this takes' python3 - finer.json <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
half = p["sampled"]["interval_90_s"][1] - p["makespan_s"]
assert p["sampled"]["windows"] == 0 or half <= 0.0030001 * p["makespan_s"], p["sampled"]
assert p["sampled"]["wanted"] == 0.003
END

# Panels that are received when they arrive, on a platform with contention.
replay hpl:N=4800,NB=16,P=2,Q=2,MOVES=0 -p star-1g --json=full.json -q >/dev/null
replay hpl:N=4800,NB=16,P=2,Q=2,MOVES=0 -p star-1g --sample --json=sampled.json -q >/dev/null
check 'replay --sample: so it is with SimGrid' python3 in_interval.py full.json sampled.json 2
for engine in smpi loggops; do
    for wait in busy idle; do
        for sample in '' --sample; do
            replay hpl:N=4800,NB=16,P=2,Q=2,MOVES=0 -p star-1g --engine $engine --energy=1/kWh --set energy.wait=$wait $sample \
                --json="energy$sample.json" -q >/dev/null
        done
        check "replay --sample --energy: the mean power is that of the full run, $engine, $wait" python3 - energy.json energy--sample.json <<'END'
import json, sys
full, sampled = (json.load(open(path)) for path in sys.argv[1:])
power = lambda p, key: p["energy"][key] / p["makespan_s"]
for key in "job_j", "hosts_j":
    assert abs(power(sampled, key) / power(full, key) - 1) < 0.01, (key, power(sampled, key), power(full, key))
assert abs(sampled["cost"]["total"] / sampled["energy"]["job_j"] * 3.6e6 - 1) < 1e-9
END
    done
done
replay hpl:N=300,NB=24,P=2,Q=3,MOVES=0 -p star-1g --sample >short.txt
check 'replay --sample: a short run is replayed in full' grep -q '^sampled  .*all steps were replayed' short.txt

printf '%s\n' 'HPL.dat' 'x' out 6 1 4800 1 16 0 1 2 2 16 1 2 1 4 1 2 1 1 1 1 1 1 2 64 0 0 1 8 >HPL.dat
check 'hpl --sample: a row ends with its error' \
    eval '"$timeless" hpl HPL.dat -p star-1g --sample 5% >table && grep -Eq "^WR11C2R4 .*e\+0[0-9]  \+-[0-9.]+ %$" table'
check 'hpl --sample --json: a row has its interval' \
    eval '"$timeless" hpl HPL.dat -p star-1g --sample --json >table && grep -q interval_90_s table'

# Recorded traces: from one pass of a repeated call to the next.
for pattern in stencil2d sweep; do
    "$timeless" make $pattern --ranks 16 --iterations 400 --bytes 20000 -o $pattern.tl >/dev/null
    replay $pattern.tl -p star-1g --ranks-per-host 1 -q >full
    replay $pattern.tl -p star-1g --ranks-per-host 1 --json=sampled.json --sample -q >sampled
    check "replay --sample: equal iterations of a $pattern take the time of all" awk \
        'NR == FNR {full = $1; next} {exit !($1 > 0.999999 * full && $1 < 1.000001 * full)}' full sampled
    check "replay --sample: of a $pattern a quarter is enough" python3 - sampled.json <<'END'
import json, sys
about = json.load(open(sys.argv[1]))["sampled"]
assert about["windows"] == 6 and about["steps"] % 400 == 0 and about["share_of_events"] < 0.32, about
END
done
check 'replay --sample: no window is left behind' eval '! ls "${TMPDIR:-/tmp}"/timeless-window-* 2>/dev/null | grep -q .'
# Steps that differ: each iteration computes, and more from one to the next; every fourth one a little more.
"$timeless" dump stencil2d.tl | awk '/ MPI_Waitall / {n[$1]++;
    sub(/volume=0/, "volume=" 20000 + 100 * n[$1] + 9000 * (n[$1] % 4 == 0) + 3000 * ($1 == 5))}
    /^volume_unit/ {$0 = "volume_unit \"cpu-ns\""} {print}' | "$timeless" undump - -o growing.tl
replay growing.tl -p star-1g --ranks-per-host 1 --json=full.json -q >/dev/null
replay growing.tl -p star-1g --ranks-per-host 1 --json=sampled.json --sample 2% -q >/dev/null
check 'replay --sample: steps that grow are predicted' python3 in_interval.py full.json sampled.json 1
check_exit 3 'replay --sample: a trace without steps is refused' replay "$top_srcdir/traces/stencil-64.tl" -p star-1g --sample

"$timeless" make ring --ranks 4 -o ring.tl >/dev/null
for words in '--details' '--timeline t.csv' '--links' '--noise 1000Hz:10us' '--engine loggops --set retransmission.loss=1e-6' 'hpl:N=300,NB=16,P=2,Q=2' '--sample=0%' '--sample=x'; do
    # shellcheck disable=SC2086 # words
    check_exit 2 "replay --sample: refused with $words" "$timeless" replay $program -p star-1g --sample $words
done
check 'replay --sample: an option without effect names the trace, not a window' refused 3 'timeless: growing.tl: has no parallel regions' \
    "$timeless" replay growing.tl -p star-1g --ranks-per-host 1 --sample --rank-threads 2
check_exit 2 "replay --sample: a window is refused" "$timeless" replay $program,FROM=8 -p star-1g --sample
tap_done
