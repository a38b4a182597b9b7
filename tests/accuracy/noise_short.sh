# noise_short.sh - the bars for the noise of messages: what noise_judge.py finds in made-up runs (cluster_short.sh runs cluster.sh -n).
. "$top_srcdir/tests/tap.sh"
judge() { python3 "$top_srcdir/tests/accuracy/noise_judge.py" "$@"; }
named=$top_srcdir/tests/accuracy/noise_rows.tsv
check "40 rows are named, each once" test "$(sort -u "$named" | wc -l)" = 40

# made SHIFT SPREAD RUN_SPREAD: folders two and four with 30 seeds about 1 s and 5 runs about 1 + SHIFT s, both even: the
# 50 % interval of the seeds has the width SPREAD / 2, and the runs are at -0.8, -0.4, 0, 0.4 and 0.8 half spreads
made() {
    python3 - "$named" "$@" <<'END'
import os, sys
named, scratch = sys.argv[1], os.environ["scratch"]
shift, spread, run_spread = map(float, sys.argv[2:])
os.chdir(scratch)
for where, folder in ("100mbit:2", "two"), ("100mbit:4", "four"):
    os.makedirs(folder, exist_ok=True)
    rows = [line.split() for line in open(named) if line.startswith(where)]
    with open(folder + "/drawn.tsv", "w") as drawn, open(folder + "/predictions.tsv", "w") as plain:
        plain.write("program\tcase\tpredicted_s\n")
        for _, program, case in rows:
            plain.write(f"{program}\t{case}\t1.0\t0\t0\n")
            for seed in range(30):
                drawn.write(f"{program}\t{case}\t{seed}\t{1 + spread * (seed - 14.5) / 29}\n")
    for program in {r[1] for r in rows}:
        for run in range(5):
            with open(f"{folder}/{program}.{run + 1}.times", "w") as times:
                for _, of, case in rows:
                    if of == program:
                        times.write(f"{case} {1 + shift + run_spread / 2 * 0.4 * (run - 2)}\n")
END
}
export scratch
verdict() { judge "$named" "100mbit:2=$scratch/two" "100mbit:4=$scratch/four" >"$scratch/table"; }
says() { cat "$scratch/table"; grep -q -- "$1" "$scratch/table"; }
made 0 0.1 0.1
check_exit 1 "runs of which 60 % are in the 50 % interval miss that bar" verdict
check "all medians are in the intervals" says '^medians: 40 of 40 rows .*: met$'
check "the shares are printed" says '^cover: 60 % and 100 % of 200 runs .*: missed$'
check "intervals about as wide as the runs are met" says '^width: 0.8[0-9] times .*: met$'
made 0.2 0.1 0.1
check_exit 1 "a shifted prediction misses the medians" verdict
check "no median is in the intervals" says '^medians: 0 of 40 rows .*: missed$'
made 0 0.1 0.01
check_exit 1 "intervals ten times as wide as the runs" verdict
check "are too wide" says '^width: 8\.[0-9]* times .*at most 3 times in 0 of 40 rows .*: missed$'
rm "$scratch"/four/*
: >"$scratch/four/drawn.tsv"; : >"$scratch/four/predictions.tsv"
check_exit 1 "rows that were not measured" verdict
check "are named" says '100mbit:4 .* 4096B was not measured'
tap_done
