#!/usr/bin/env bash
# compare_prediction.sh - is HPL predicted as it is measured, on this machine and now?  Fails on a model that is wrong.
#
#   compare_prediction.sh [-x HPL] [-f FACTOR] [-t SHARE] [-s SHARE] [-c SECONDS] [N:NB]
#
#   -x HPL      a program that build_hpl.sh made; default: Debian's hpcc, whose last section is HPL
#   -f FACTOR   multiply what the model says of dgemm by this, to see that a wrong model is found: 0.85 is 15 % faster
#   -t SHARE    how far the prediction may be off, in percent; default 8
#   -s SHARE    how far the slowest measured run may lie above the fastest, in percent; default 5
#   -c SECONDS  for each of the two calibrations of an attempt; default 5
#   N:NB        the problem; default 3000:128
#
# HPL is recorded once on one rank and, where there are two cores, on two.  For each, an attempt measures and calibrates
# by turns: run, calibration, run, calibration, run; the model is fitted to both calibrations together, so that it
# knows the machine of the same minute as the runs.  The median of the runs is compared with the prediction.
#
#   right      the runs are steady and the prediction is within SHARE of their median
#   wrong      the runs are steady and it is not; a second attempt must agree, as load that comes and goes
#              during a calibration looks the same once
#   unsteady   the runs spread more than SHARE; repeated, three attempts in all
#
# Exit code 0: right.  1: wrong, for one rank or for two.  77: unsteady, and nothing was found wrong; with
# TIMELESS_STRICT=1 in the environment that is 1.  4: a program failed.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/../build}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
. "$here/mpi_env.sh"
hpl='' factor=1 tolerance=8 steady=5 seconds=5
while getopts x:f:t:s:c: option; do
    case $option in
    x) hpl=$(realpath "$OPTARG") ;;
    f) factor=$OPTARG ;;
    t) tolerance=$OPTARG ;;
    s) steady=$OPTARG ;;
    c) seconds=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
IFS=: read -r n nb <<<"${1:-3000:128}"
work=$(mktemp -d "${TMPDIR:-/tmp}/compare-prediction.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "compare_prediction.sh: $*" >&2; exit 4; }

hpl_run() { # RANKS [COMMAND...]: runs HPL, prints the seconds of its solve
    local ranks=$1; shift
    rm -f hpccoutf.txt
    "$here/hpcc_input.sh" "$n" 1 "$ranks" "$nb" >hpccinf.txt
    # Two ranks spin while they wait, each on a core of its own, as by default; one goes where there is room.
    OMPI_MCA_mpi_yield_when_idle=0 OMPI_MCA_hwloc_base_binding_policy=$([ "$ranks" = 1 ] && echo none || echo core) \
        timeout 600 "$@" mpirun -np "$ranks" "${hpl:-${HPCC:-hpcc}}" >run.log 2>&1 </dev/null || { cat run.log >&2; fail "HPL failed"; }
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
# attempt RANKS: prints a row, sets verdict
attempt() {
    local ranks=$1 low median high prediction spread error
    hpl_run "$ranks" >times
    calibrated "$ranks" first.csv
    hpl_run "$ranks" >>times
    calibrated "$ranks" second.csv
    hpl_run "$ranks" >>times
    { cat first.csv; sed 1d second.csv; } >both.csv
    # The factor multiplies the seconds of every dgemm that was measured: its line is that much off.
    awk -F, -v OFS=, -v factor="$factor" 'NR > 1 && $1 == "dgemm" { $NF *= factor } { print }' both.csv >used.csv
    timeless calibrate kernels --from used.csv --noise n0 --archive none -o model.conf 2>calibrate.log ||
        { cat calibrate.log >&2; fail "no model"; }
    prediction=$(predicted "hpl-$ranks.tl" model.conf "$(cat "traced-$ranks")")
    read -r low median high <<<"$(sort -g times | tr '\n' ' ')"
    spread=$(awk -v a="$low" -v b="$high" 'BEGIN { print 100 * (b / a - 1) }')
    error=$(awk -v p="$prediction" -v m="$median" 'BEGIN { print 100 * (p / m - 1) }')
    verdict=$(awk -v s="$spread" -v most="$steady" -v e="$error" -v tolerance="$tolerance" 'BEGIN {
        print ((s > most) ? "unsteady" : ((e < 0 ? -e : e) > tolerance) ? "wrong" : "right") }')
    printf '%5d %6d %4d %9.4f %9.4f %9.4f %8.1f %11.4f %+7.1f  %s\n' "$ranks" "$n" "$nb" "$low" "$median" "$high" "$spread" "$prediction" "$error" "$verdict"
}
# judge RANKS: sets result
judge() {
    local i wrong=0
    "$here/hpcc_input.sh" "$n" 1 "$1" "$nb" >hpccinf.txt
    hpl_run "$1" timeless record -q -o whole.tl -- >"traced-$1"
    if [ "$hpl" ]; then cp whole.tl "hpl-$1.tl"; else timeless cut whole.tl --section last -o "hpl-$1.tl"; fi
    for i in 1 2 3; do
        attempt "$1"
        case $verdict in
        right) result=right; return ;;
        wrong) wrong=$((wrong + 1)) ;;
        esac
        [ $wrong -lt 2 ] || { result=wrong; return; }
    done
    result=unsteady
}
printf '%5s %6s %4s %9s %9s %9s %8s %11s %7s\n' ranks N NB 'low s' 'median s' 'high s' 'spread %' 'predicted s' 'error %'
results=
for ranks in 1 2; do
    [ $ranks -le "$(nproc)" ] || continue
    judge $ranks
    results="$results $result"
done
case $results in
*wrong*) echo "wrong: the prediction is more than $tolerance % off in two attempts on a steady machine"; exit 1 ;;
*unsteady*)
    echo "unsteady: in three attempts the measured runs spread more than $steady %, or one alone was steady and off; nothing can be said of the prediction"
    [ "${TIMELESS_STRICT:-}" = 1 ] && exit 1
    exit 77
    ;;
esac
echo "right: the prediction is within $tolerance % of the measured runs"
