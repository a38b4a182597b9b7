#!/usr/bin/env bash
# timeless budget of skeletons at other sizes than those of their captures: against closed formulas, and what no file states.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# ---- the errors that the file states: one rank of 1 us times N ----
cat >app.skel <<'EOS2'
skeleton 1
# fitted without capture 1 (ranks=4, N=100, steps=1, M=5): has all of its 60 calls; computation +2 %
# fitted without capture 2 (ranks=8, N=200, steps=9, M=5): has all of its 60 calls; computation -1 %
# fitted without capture 3 (ranks=16, N=400, steps=3, M=5): has all of its 60 calls; computation +3 %
ranks 4
param N = 100
param steps = 1
param M = 5
unit "cpu-ns"
compute 1000 * N # relative residual 0.010
for i = 1 to steps {
    MPI_Barrier
}
EOS2
logp='--engine loggops --params L=1ps,o=0s,g=0s,G=0s,O=0s -p star-1g --ranks-per-host 64'
bursts='--uncertain bursts=5'
# shellcheck disable=SC2086
budget() { "$timeless" budget "$1" $logp --uncertain network=0 $bursts --json=b.json "${@:2}"; }
# agree RANKS N UNCERTAINTY: "far" or "near", as the formula has it, or a number; the parts of the interval
agree() {
    python3 - "$@" <<'END'
import json, math, sys
ranks, N, what = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
errors = [math.log(x) for x in (1.02, 0.99, 1.03)]
t2, t3 = 2.919985580353726, 2.353363434801822 # Student's distribution, 0.95
near = t3 * math.sqrt(sum(e * e for e in errors) / 3)
step = math.sqrt(2) * math.log(2) # from each end to the middle, in ranks and N
slope = math.sqrt(((errors[0] / step) ** 2 + (errors[2] / step) ** 2) / 2)
far = t2 * slope * math.hypot(max(0, math.log(ranks / 16)), max(0, math.log(N / 400)))
u = {"near": near, "far": far}.get(what) or float(what)
b = json.load(open("b.json"))
inputs = {i["input"]: i for i in b["inputs"]}
assert abs(inputs["extrapolation"]["uncertainty"] - u) < 1e-9, (inputs["extrapolation"], u)
makespan = N * 1e-6
assert abs(b["makespan_s"] / makespan - 1) < 1e-3, b["makespan_s"]
part = inputs["extrapolation"]
assert abs((part["high_s"] - part["low_s"]) / 2 / makespan / u - 1) < 1e-3, (part, u)
assert abs((b["high_s"] - b["makespan_s"]) / makespan / math.hypot(u, 0.05) - 1) < 1e-3, (b, u)
END
}
check 'a skeleton at the size of a capture' budget app.skel --ranks 8 --set N=200
cp out said
check 'has the errors of the captures left out' agree 8 200 near
check 'stated by the file' grep -q '^extrapolation  *5.02 %  stated ' said
check 'the text says from what' grep -q \
    '^extrapolation: fits without one capture have its computation within -1 to +3 %, at distances up to 0.98; the distance of this prediction is 0 ' said
check 'nothing is missing' sh -c '! grep "^not in the interval" said'
check 'the next measurement is a capture of this size' \
    grep -qxF 'next: timeless record --folded --volume cputime -n 8 --parameter N=200 --parameter steps=1 --parameter M=5 -o next.tl -- PROGRAM, then timeless fit of all captures and next.tl' said
check 'at exactly the size of a capture: the capture itself is better' prints \
    '~^next: replay the capture of this size instead of the skeleton$' \
    budget app.skel --ranks 8 --set N=200 --set steps=9
check 'at a larger size' budget app.skel --ranks 64 --set N=6400
cp out said
check 'an exponent is wrong' agree 64 6400 far
check 'the next capture is nearer to it' grep -qF \
    'next: timeless record --folded --volume cputime -n 64 --parameter N=1600 --parameter steps=1 ' said
check 'the parameters may be behind the path' budget app.skel,ranks=64,N=6400
check 'with the same numbers' agree 64 6400 far
check 'the number of iterations' budget app.skel --ranks 8 --set N=200 --set steps=100
check 'makes no computation more uncertain' agree 8 200 near
check 'at a size far away' budget app.skel --ranks 8 --set N=400000000000
check 'the uncertainty is at most 99 %' agree 8 400000000000 0.99
check 'with a number of the user' budget app.skel --ranks 64 --set N=6400 --uncertain extrapolation=20
cp out said
check 'this one is valid' agree 64 6400 0.2
check 'and given' grep -q '^extrapolation  *20 %  given ' said
bursts=
check 'without computation' budget app.skel --no-compute
check 'there is no such input' sh -c '! grep extrapolation b.json'
bursts='--uncertain bursts=5'
check 'another value of a parameter that all captures have in common is no part of the interval' prints \
    '~^not in the interval: the effect of M=6 \(5 in all captures\)$' \
    budget app.skel --set M=6
check 'in the JSON too' python3 -c '
import json
assert "not in the interval: the effect of M=6 (5 in all captures)" in json.load(open("b.json"))["notes"]'

# ---- what a file does not state ----
# unstated PATTERN FILE OPTION...: there is a line, and no such input
unstated() {
    budget "${@:2}" >said && grep -q "$1" said && grep -q 'state it with --uncertain extrapolation=PERCENT$' said &&
        ! grep -q '"extrapolation"' b.json
}
sed '/^# fitted/d' app.skel >own.skel
check 'a skeleton that a person wrote has no number' unstated \
    '^not in the interval: extrapolation, because own.skel does not state how wrong' own.skel
check 'the user may give one' budget own.skel --set N=200 --uncertain extrapolation=20
check 'and it counts' agree 4 200 0.2
sed 's/; computation.*//' app.skel >old.skel
check 'a fit that states no errors has none' unstated '^not in the interval: extrapolation, because old.skel does not state' old.skel
sed 's/without capture \(.\).*): has/without capture \1 (ranks=4, N=100): has/' app.skel >equal.skel
check 'captures of one size have none for another' unstated \
    '^not in the interval: extrapolation, because no capture of equal.skel with a stated' equal.skel --ranks 8
sed 's/has all of its 60 calls; computation +2 %/differs from it: rank 0, event 1: MPI_Send/' app.skel >other.skel
check 'a fit that made other calls without a capture' budget other.skel
cp out said
check 'is reported' grep -qxF \
    'not in the interval: calls at other sizes, because without 1 of the captures the fit made others (see other.skel)' said
sed 's/: has all.*/: not possible: MPI_Send/' app.skel >none.skel
check 'a fit that is not possible without any of the captures has no number' unstated \
    '^not in the interval: extrapolation, because no fit without' none.skel
sed 's/60 calls; /60 calls, except for drawn sizes; /' app.skel >drawn.skel
check 'drawn sizes are reported' prints '~^not in the interval: drawn sizes; other draws: --set draw_seed=NUMBER$' \
    budget drawn.skel
sed 's/computation +2 %/computation nan %/; s/(ranks=8, N=200,.*)/(ranks=8)/; s/computation +3 %/computation -100 %/' app.skel >bad.skel
check 'errors that are no numbers are none' unstated 'does not state' bad.skel
check_exit 2 'a trace that was recorded has no extrapolation' "$timeless" budget "$top_srcdir/traces/stencil-64.tl" -p star-1g \
    --uncertain extrapolation=3
"$timeless" make stencil2d -n 16 -o 16.tl
"$timeless" extrapolate -q 16.tl -n 64 -o 64.tl
check 'an extrapolated trace has no number' unstated \
    '^not in the interval: extrapolation, because 64.tl has the computation of fewer ranks' 64.tl

# ---- what fit states is the error of the other captures' laws ----
cat >program.skel <<'EOS2'
skeleton 1
ranks 4
param N = 100
unit "instructions"
MPI_Barrier
compute 1000 * N + 40 * N * bits(N) + 10000
MPI_Barrier
EOS2
i=0
for size in 4,100 5,230 7,390 8,900; do
    i=$((i + 1))
    "$timeless" make program.skel,ranks=${size%,*},N=${size#*,} -o $i.tl
done
volume() { "$timeless" dump "$1" | sed -n 's/.* volume=\([0-9]*\).*/\1/p' | awk '{n += $1} END {printf "%.0f\n", n}'; }
check 'four captures' "$timeless" fit 1.tl 2.tl 3.tl 4.tl -P N=100,230,390,900 -o fitted.skel
check 'the first three' "$timeless" fit 1.tl 2.tl 3.tl -P N=100,230,390 -o three.skel
made=$(volume three.skel,ranks=8,N=900) recorded=$(volume 4.tl)
check 'the stated error is that of the others at the capture left out' grep -qF \
    "(ranks=8, N=900): has all of its 24 calls; computation $(awk -v a="$made" -v b="$recorded" \
    'BEGIN { printf "%+.3g %%", 100 * (a / b - 1) }')" fitted.skel
printf '%s\n' 'version = 2; reference_flops = 1e9;' 'units = ({unit = "instructions"; seconds_per_unit = 1e-9;});' >model.conf
check 'the budget takes it: as stated' prints '~^extrapolation .* stated ' \
    budget fitted.skel --ranks 32 --set N=3000 --model model.conf
tap_done
