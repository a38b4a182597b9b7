#!/usr/bin/env bash
# compare_prediction.sh - is HPL predicted as it is measured, on this machine and now?  Fails on a model that is wrong.
#
#   compare_prediction.sh [-x HPL] [-f FACTOR] [-t SHARE] [-s SHARE] [-c SECONDS] [N:NB]
#
#   -x HPL      a program that build_hpl.sh made; default: Debian's hpcc, whose last section is HPL
#   -f FACTOR   multiply what the model says of dgemm by this, to see that a wrong model is found: 0.85 is 15 % faster
#   -t SHARE    how far the prediction may be off, in percent; default 8
#   -s SHARE    how far the slowest measured run may lie above the fastest, in percent; default 5
#   -c SECONDS  for each of the two calibrations of an attempt, and half of a round; default 5
#   -p          compare one rank in processor time at once
#   N:NB        the problem; default 3000:128
#
# HPL is recorded once on one rank and, where there are two cores, on two.  For each, an attempt measures and calibrates
# by turns: run, calibration, run, calibration, run; the model is fitted to both calibrations together, so that it
# knows the machine of the same minute as the runs.  The median of the runs is compared with the prediction.
#
#   right      the runs are steady and the prediction is within SHARE of their median
#   wrong      the runs are steady and it is not; a second attempt must agree, as load that comes and goes
#              during a calibration looks the same once
#   unsteady   the runs spread more than SHARE
#
# On an unsteady machine one rank is compared in processor time, side by side: HPL solves again and again, a calibration
# runs at the same time on the same core, and they take turns of 20 ms, so that whatever slows the machine down slows
# down both.  HPL's own clock is its processor time (processor_clock.c).  A round lasts as long as a calibration does; its
# error is its own prediction against the mean of the solves that ended in it.  At least 3 and at most 10 rounds follow
# each other, until the 95 % interval of their mean error lies within SHARE (right) or outside of it (wrong); if it never
# does, the result is unsteady.  Two ranks are not judged then: they wait for each other, and time spent waiting is not
# processor time of work.
#
# Exit code 0: right.  1: wrong, for one rank or for two.  77: unsteady, and nothing was found wrong; with
# TIMELESS_STRICT=1 in the environment that is 1.  4: a program failed.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/../build}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
. "$here/mpi_env.sh"
hpl='' factor=1 tolerance=8 steady=5 seconds=5 side_by_side=
while getopts x:f:t:s:c:p option; do
    case $option in
    x) hpl=$(realpath "$OPTARG") ;;
    f) factor=$OPTARG ;;
    t) tolerance=$OPTARG ;;
    s) steady=$OPTARG ;;
    c) seconds=$OPTARG ;;
    p) side_by_side=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
IFS=: read -r n nb <<<"${1:-3000:128}"
work=$(mktemp -d "${TMPDIR:-/tmp}/compare-prediction.XXXXXX")
launcher='' calibration=
trap 'end_side_by_side; rm -rf "$work"' EXIT
trap 'exit 4' INT TERM
cd "$work"
# Where it may, the whole of it goes before other load.
first=
[ "$(nice -n -15 nice 2>/dev/null)" = "$(nice)" ] || first='nice -n -15'
fail() { echo "compare_prediction.sh: $*" >&2; exit 4; }

hpl_run() { # RANKS [COMMAND...]: runs HPL, prints the seconds of its solve
    local ranks=$1; shift
    rm -f hpccoutf.txt
    "$here/hpcc_input.sh" "$n" 1 "$ranks" "$nb" >hpccinf.txt
    # Two ranks spin while they wait, each on a core of its own, as by default; one goes where there is room.
    OMPI_MCA_mpi_yield_when_idle=0 OMPI_MCA_hwloc_base_binding_policy=$([ "$ranks" = 1 ] && echo none || echo core) \
        timeout 600 $first "$@" mpirun -np "$ranks" "${hpl:-${HPCC:-hpcc}}" >run.log 2>&1 </dev/null ||
        { cat run.log >&2; fail "HPL failed"; }
    [ ! -e hpccoutf.txt ] || cat hpccoutf.txt >>run.log
    grep -q '^Success=1' run.log || fail "HPL failed its own checks"
    sed -n 's/^HPL_time=//p' run.log
}
# predicted TRACE MODEL SECONDS: the predicted time of the row that took SECONDS when the trace was recorded
predicted() {
    timeless replay "$1" --platform local --model "$2" -q --json=hpl.json >replayed
    timeless compare --all --csv rows.csv hpl.json >/dev/null
    awk -v t="$3" 'match($0, /^"[^"]*"/) && split(substr($0, RLENGTH + 2), f, ",") {
        d = f[1] - t; if (d < 0) d = -d
        if (best == "" || d < best) { best = d; prediction = f[5] } }
        END { if (best == "" || best > 0.001 * t + 0.001 || prediction <= 0) exit 1; print prediction }' rows.csv ||
        fail "no row of the trace has HPL's time $3"
}
calibrated() { # CORES FILE
    timeless calibrate kernels --cores "$1" --max-seconds "$seconds" --archive none --raw "$2" -o unused.conf 2>calibrate.log ||
        { cat calibrate.log >&2; fail "the calibration failed"; }
}
# model CSV...: model.conf, fitted to these measurements.  The factor multiplies the seconds of every dgemm that was
# measured: its line is that much off.
model() {
    awk -F, -v OFS=, -v factor="$factor" 'FNR == 1 && NR > 1 { next }
        FNR > 1 && $1 == "dgemm" { $NF *= factor } { print }' "$@" >used.csv
    timeless calibrate kernels --reuse used.csv --noise-form n0 --archive none -o model.conf 2>calibrate.log ||
        { cat calibrate.log >&2; fail "no model"; }
}
# attempt RANKS: prints a row, sets verdict
attempt() {
    local ranks=$1 low median high prediction spread error
    hpl_run "$ranks" >times
    calibrated "$ranks" first.csv
    hpl_run "$ranks" >>times
    calibrated "$ranks" second.csv
    hpl_run "$ranks" >>times
    model first.csv second.csv
    prediction=$(predicted "hpl-$ranks.tl" model.conf "$(cat "traced-$ranks")")
    read -r low median high <<<"$(sort -g times | tr '\n' ' ')"
    spread=$(awk -v a="$low" -v b="$high" 'BEGIN { print 100 * (b / a - 1) }')
    error=$(awk -v p="$prediction" -v m="$median" 'BEGIN { print 100 * (p / m - 1) }')
    verdict=$(awk -v s="$spread" -v most="$steady" -v e="$error" -v tolerance="$tolerance" 'BEGIN {
        print ((s > most) ? "unsteady" : ((e < 0 ? -e : e) > tolerance) ? "wrong" : "right") }')
    printf '%5d %6d %4d %9.4f %9.4f %9.4f %8.1f %11.4f %+7.1f  %s\n' "$ranks" "$n" "$nb" "$low" "$median" "$high" "$spread" \
        "$prediction" "$error" "$verdict"
}
# What the two sides of a comparison in processor time are.
children() { # PID: sets pids
    pids=()
    { read -ra pids <"/proc/$1/task/$1/children"; } 2>/dev/null || true
}
pause() { read -rt 0.02 -u "$never" || true; }
start_solves() { # HPL, which solves the same problem up to 400 times
    "$here/hpcc_input.sh" "$n" 1 1 "$nb" | awk -v n="$n" -v nb="$nb" 'function twenty(what, i, line) {
            for (i = 0; i < 20; i++) line = line what " "
            return line }
        NR == 5 || NR == 7 { $1 = 20 } NR == 6 { $0 = twenty(n) } NR == 8 { $0 = twenty(nb) } { print }' >hpccinf.txt
    rm -f hpccoutf.txt
    OMPI_MCA_mpi_yield_when_idle=0 OMPI_MCA_hwloc_base_binding_policy=core \
        $first mpirun -np 1 -x LD_PRELOAD="$work/processor_clock.so" "${hpl:-${HPCC:-hpcc}}" >run.log 2>&1 </dev/null &
    launcher=$!
    until grep -q '^HPLinpack 2' hpccoutf.txt 2>/dev/null; do
        kill -0 "$launcher" 2>/dev/null || { cat run.log >&2; fail "HPL failed"; }
        sleep 0.2
    done
    children "$launcher"
    solvers=("${pids[@]}")
}
end_side_by_side() {
    [ -z "$calibration" ] || { children "$calibration"; kill -KILL "$calibration" "${pids[@]}" || true; } 2>/dev/null
    [ -z "$launcher" ] || { kill -CONT "${solvers[@]}"; kill "$launcher"; wait "$launcher"; } 2>/dev/null || true
    launcher='' calibration=
}
# turns FILE SEED: a calibration in turns with the solves
turns() {
    $first timeless calibrate kernels --cores 1 --seed "$2" --max-seconds $((2 * seconds)) --archive none --raw "$1" -o unused.conf \
        >calibrate.log 2>&1 &
    calibration=$!
    while kill -0 "$calibration" 2>/dev/null; do
        children "$calibration"
        if [ ${#pids[@]} = 1 ]; then
            kill -STOP "${pids[@]}" 2>/dev/null || true # they may have ended
            kill -CONT "${solvers[@]}" || fail "HPL ended"
            pause
            kill -STOP "${solvers[@]}"
            kill -CONT "${pids[@]}" 2>/dev/null || true
        fi
        pause
    done
    wait "$calibration" || { cat calibrate.log >&2; fail "the calibration failed"; }
    calibration=
}
# in_turns: rounds of solves and calibrations side by side; sets result
in_turns() {
    local round solved=0 now mean prediction summary
    start_solves
    : >errors
    result=unsteady
    for round in 1 2 3 4 5 6 7 8 9 10; do
        turns "round-$round.csv" "$round"
        ! grep -q FAILED hpccoutf.txt || fail "HPL failed its own checks"
        now=$(grep -c '^W[RC]' hpccoutf.txt || true)
        # HPL prints four digits of the Gflop/s, and two behind the point of the seconds.
        mean=$(grep '^W[RC]' hpccoutf.txt | tail -n +$((solved + 1)) | awk -v n="$n" '
            { sum += (2 / 3 * n * n * n + 3 / 2 * n * n) / ($NF * 1e9) } END { print NR ? sum / NR : 0 }')
        [ "$now" -gt "$solved" ] || continue
        model "round-$round.csv"
        prediction=$(predicted hpl-1.tl model.conf "$(cat traced-1)")
        awk -v p="$prediction" -v m="$mean" 'BEGIN { print 100 * (p / m - 1) }' >>errors
        printf '%5d %6d %4d %9s %9.4f %9d %8s %11.4f %+7.1f  round %d\n' 1 "$n" "$nb" - "$mean" $((now - solved)) \
            - "$prediction" "$(tail -n 1 errors)" "$round"
        solved=$now
        # Student's t for 2 to 9 degrees of freedom
        summary=$(awk -v tolerance="$tolerance" 'BEGIN { split("4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26", t, " ") }
            { sum += $1; squares += $1 * $1 }
            END {
                mean = sum / NR; size = mean < 0 ? -mean : mean
                if (NR > 2) half = t[NR - 2] * sqrt((squares / NR - mean * mean) / (NR - 1))
                print (NR > 2 && size + half <= tolerance) ? "right" : (NR > 2 && size - half > tolerance) ? "wrong" : "unsteady", \
                    sprintf("%+.1f +-%.1f", mean, half) }' errors)
        result=${summary%% *}
        [ "$result" = unsteady ] || break
    done
    end_side_by_side
    echo "1 rank, processor time: error in %, and its 95 % interval: ${summary#* }: $result"
}
# judge RANKS: sets result
judge() {
    local wrong=0
    hpl_run "$1" timeless record -q -o whole.tl -- >"traced-$1"
    if [ "$hpl" ]; then cp whole.tl "hpl-$1.tl"; else timeless cut whole.tl --section last -o "hpl-$1.tl"; fi
    while [ -z "$side_by_side" ]; do
        attempt "$1"
        case $verdict in
        right) result=right; return ;;
        wrong) wrong=$((wrong + 1)) ;;
        *) side_by_side=1 ;;
        esac
        [ $wrong -lt 2 ] || { result=wrong; return; }
    done
    in_turns
}
exec {never}<> <(:)
${CC:-cc} -O2 -shared -fPIC -o processor_clock.so "$here/accuracy/processor_clock.c" -ldl || fail "processor_clock.c does not compile"
printf '%5s %6s %4s %9s %9s %9s %8s %11s %7s\n' ranks N NB 'low s' 'median s' 'high s' 'spread %' 'predicted s' 'error %'
results=
for ranks in 1 2; do
    [ $ranks -le "$(nproc)" ] || continue
    judge $ranks
    results="$results $result"
    [ -z "$side_by_side" ] || break
done
case $results in
*wrong*) echo "wrong: the prediction is more than $tolerance % off"; exit 1 ;;
*unsteady*)
    echo "unsteady: the measured runs spread more than $steady %, and the 95 % interval of the error in processor time holds $tolerance % after 10 rounds"
    [ "${TIMELESS_STRICT:-}" = 1 ] && exit 1
    exit 77
    ;;
esac
echo "right: the prediction is within $tolerance % of ${side_by_side:+the processor time of }the measured runs"
