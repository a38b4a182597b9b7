#!/usr/bin/env bash
# compare_prediction.sh - is HPL predicted as it is measured, on this machine and now?  Fails on a model that is wrong.
#
#   compare_prediction.sh [-x HPL] [-f FACTOR] [-t SHARE] [-s SHARE] [-c SECONDS] [N:NB]
#
#   -x HPL      a program that build_hpl.sh made; default: Debian's hpcc, whose last section is HPL
#   -f FACTOR   multiply what the model says of dgemm by this, to see that a wrong model is found: 0.85 is 15 % faster
#   -t SHARE    how far the prediction may be off, in percent; default 8
#   -s SHARE    how far the slowest measured run of a steady attempt may lie above the fastest, in percent; default 5
#   -c SECONDS  for each of the two calibrations of an attempt; default 5
#   N:NB        the problem; default 3000:128
#
# HPL is recorded once on one rank and, where there are two cores, on two.  For each, an attempt measures and calibrates
# by turns: run, calibration, run, calibration, run; the model is fitted to both calibrations together, so that it
# knows the machine of the same minute as the runs.  The median of the runs is compared with the prediction.
#
#   right      the first attempt is steady, and within SHARE of its median; else, the 95 % interval of the mean error of
#              all attempts lies within SHARE
#   wrong      this interval lies outside of SHARE
#   unsteady   after 5 attempts it holds SHARE
#
# Two ranks wait for each other, so a machine whose load comes and goes slows them down more than one.  They are judged
# only where the first attempt with one rank was steady.
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
# attempt RANKS: prints a row, sets spread and error
attempt() {
    local ranks=$1 low median high prediction
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
    printf '%5d %6d %4d %9.4f %9.4f %9.4f %8.1f %11.4f %+7.1f\n' "$ranks" "$n" "$nb" "$low" "$median" "$high" "$spread" \
        "$prediction" "$error"
}
# interval: the verdict on the errors of the attempts, and their mean with its 95 % interval
interval() {
    # Student's t for 2 to 4 degrees of freedom
    awk -v tolerance="$tolerance" 'BEGIN { split("4.30 3.18 2.78", t, " ") }
        { sum += $1; squares += $1 * $1 }
        END {
            if (NR < 3) exit
            mean = sum / NR; size = mean < 0 ? -mean : mean
            variance = (squares / NR - mean * mean) / (NR - 1)
            half = t[NR - 2] * (variance > 0 ? sqrt(variance) : 0)
            verdict = (size + half <= tolerance) ? "right" : (size - half > tolerance) ? "wrong" : "unsteady"
            printf "%s %+.1f +-%.1f\n", verdict, mean, half
        }' errors
}
# judge RANKS: sets result, and is_steady by the first attempt
judge() {
    local i summary
    hpl_run "$1" timeless record -q -o whole.tl -- >"traced-$1"
    if [ "$hpl" ]; then cp whole.tl "hpl-$1.tl"; else timeless cut whole.tl --section last -o "hpl-$1.tl"; fi
    attempt "$1"
    is_steady=$(awk -v s="$spread" -v most="$steady" 'BEGIN { print (s <= most) }')
    result=right
    ! awk -v is_steady="$is_steady" -v e="$error" -v t="$tolerance" 'BEGIN { exit !(is_steady && e <= t && -e <= t) }' || return 0
    echo "$error" >errors
    for i in 2 3 4 5; do
        attempt "$1"
        echo "$error" >>errors
        summary=$(interval)
        result=${summary%% *}
        case $result in right | wrong) break ;; esac
    done
    echo "$1 rank(s), mean error of $i attempts in %, and its 95 % interval: ${summary#* }: $result"
}
printf '%5s %6s %4s %9s %9s %9s %8s %11s %7s\n' ranks N NB 'low s' 'median s' 'high s' 'spread %' 'predicted s' 'error %'
results=
for ranks in 1 2; do
    [ $ranks -le "$(nproc)" ] || continue
    judge $ranks
    results="$results $result"
    [ "$is_steady" = 1 ] || break
done
case $results in
*wrong*) echo "wrong: the prediction is more than $tolerance % off"; exit 1 ;;
*unsteady*)
    echo "unsteady: the 95 % interval of the mean error holds $tolerance % after 5 attempts"
    [ "${TIMELESS_STRICT:-}" = 1 ] && exit 1
    exit 77
    ;;
esac
echo "right: the prediction is within $tolerance % of the measured runs"
