#!/usr/bin/env bash
# sample_stacks.sh - samples of the stack name the functions that compute, and leave the program alone.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile sample_stacks -ldl
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
recorded() { local trace=$1; shift; $timeless record -q -o "$trace" "$@" -- $MPIRUN -np 2 ./sample_stacks $rounds "${how[@]}"; }
how=() rounds=24 # 0.6 s for each rank, 290 samples
check "a program is recorded with samples" recorded sampled.tl --sample-stacks 250Hz
for engine in smpi loggops; do
    check "$engine: it is replayed with details" eval \
        '$timeless replay sampled.tl --platform star-1g --ranks-per-host 1 --engine $engine --details --json=$engine.json >$engine.txt'
    # 70 and 30 % of the computation are shown within 10 points, almost 4 standard deviations: on the critical path by caller, and by function
    shares() {
        python3 - "$1" <<'PY'
import json, sys
details = json.load(open(sys.argv[1]))["details"]
total = sum(f["time_s"] for f in details["functions"])
iterate = sum(f["time_s"] for f in details["functions"] if f["name"] == "iterate (sample_stacks.c)")
samples = sum(f["samples"] for f in details["functions"])
path = {name: sum(s["time_s"] for s in details["critical_path"]["sites"] if s["name"].startswith("compute iterate < " + name + " < main"))
        for name in ("assemble", "solve")}
share = path["assemble"] / (path["assemble"] + path["solve"])
print(samples, "samples", share, iterate / total)
assert samples > 100 and abs(share - 0.7) < 0.1 and iterate / total > 0.95, path
PY
    }
    check "$engine: 70 % of the critical path is in one function, 30 % in another" shares "$engine.json"
done
check "the table of functions is printed" grep -q '^iterate (sample_stacks.c) ' smpi.txt
pages() { $timeless report sampled.tl --platform star-1g --ranks-per-host 1 -o page.html --flame=flame.html --folded-stacks sampled.folded &&
    grep -q '"functions":' page.html; }
check "the page and the flame graph are written" pages
# stack NAME: its share of the time of all stacks that compute
stack() { awk -v name="$1" '/;compute / {all += $NF; if (index($0, name)) own += $NF} END {printf "%.3f\n", own / all}' sampled.folded; }
check "the flame graph has both functions below main" between "$(stack 'main;assemble;iterate;compute')" 0.6 0.8
check "info does not list samples as counters" eval '$timeless info sampled.tl >info.txt && ! grep timeless:samples info.txt'
check "pack and undump keep them" eval '$timeless dump sampled.tl >a.txt && $timeless undump a.txt -o b.tl && $timeless pack b.tl -o c.tl && $timeless dump c.tl | diff - a.txt'

how=(own) rounds=4
own() { recorded own.tl --sample-stacks 250 2>own.txt && ! grep 'samples of the stack' own.txt; }
check "a program with a SIGPROF of its own, poll, fork, vfork and dlopen runs as without" own
check "and has samples" test "$($timeless dump own.tl | grep -c timeless:samples)" -gt 0
how=(waits)
check "a program that blocks the last signals gets none of them" recorded waits.tl --sample-stacks 250
check "and has samples" test "$($timeless dump waits.tl | grep -c timeless:samples)" -gt 0
how=(all)
taken() { recorded all.tl --sample-stacks 1000Hz 2>all.txt; }
check "a program that takes all signals gets none of them" taken
check "and one line for each rank says that there are no further samples" test "$(grep -c 'no further samples of the stack: the program uses signal' all.txt)" = 2
how=()
check "without the option" recorded plain.tl
check "there are no samples" eval '$timeless dump plain.tl >plain.txt && ! grep timeless:samples plain.txt'
check_exit 2 "a rate of 0 is refused" $timeless record --sample-stacks 0 -- true
check_exit 2 "an emulator has no time to sample" $timeless record --sample-stacks 100 --volume exact -- true
tap_done
