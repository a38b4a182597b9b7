#!/usr/bin/env bash
# Measured against predicted time of HPL's solve on this machine.
#
#   hpl_local.sh [-x HPL] [-a] [-l] [-t SHARE] [-r REPEATS] [-s SECONDS] [-m FOLDER] [-k FOLDER] [-p] [N:NB[:RANKS] ...]
#
#   -x HPL      a program that build_hpl.sh made; default: Debian's hpcc, whose last section is HPL
#   -a          the whole table: N from 1000 to 12000, NB from 32 to 256, 1 and 2 ranks (about 8 minutes with -x)
#   -l          the ladder of models, besides the one that calibration chooses
#   -t SHARE    exit with 1 when the median error of the chosen model is larger, such as 3%
#   -r REPEATS  runs without the tracer, whose median is the measurement; default 5, at most 2 from N 8000 on
#   -s SECONDS  for each calibration, one with as many cores at once as a run has ranks; default 60
#   -m FOLDER   raw measurements 1.csv, 2.csv, ... by number of cores, of an earlier calibration
#   -k FOLDER   keep traces, predictions, models and raw measurements there
#   -p          on a busy machine, as root: let the runs go before other load
#
# For every N:NB (default 2000:64 3000:128) and 1, 2 and 4 ranks, or those given: one run is recorded, HPL
# cut out of it and replayed; then it runs REPEATS times without the tracer.  Times are HPL_time, which is
# the interval between two MPI_Wtime calls, and so a row of 'timeless compare'.
#
# The ladder is that of Cornebize's thesis: M-1 of all cores together, M-1 of each core, M-2, then with noise
# (the median of 30 seeds).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
. "$here/mpi_env.sh"
hpl= table= ladder= tolerance= repeats=5 seconds=60 raw= keep= priority=
while getopts x:alt:r:s:m:k:p option; do
    case $option in
    x) hpl=$(realpath "$OPTARG") ;;
    a) table=1 ;;
    l) ladder=1 ;;
    t) tolerance=${OPTARG%\%} ;;
    r) repeats=$OPTARG ;;
    s) seconds=$OPTARG ;;
    m) raw=$(cd "$OPTARG" && pwd) ;;
    k) mkdir -p "$OPTARG"; keep=$(cd "$OPTARG" && pwd) ;;
    p) priority=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ "$table" ]; then
    problems=
    for problem in 1000:32 1000:64 1000:128 2000:32 2000:64 2000:256 3000:64 3000:128 5000:32 5000:192 \
        8000:64 8000:256 12000:128; do
        problems="$problems $problem:1 $problem:2"
    done
    # shellcheck disable=SC2086
    set -- $problems
elif [ $# = 0 ]; then
    set -- 2000:64 3000:128
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/hpl-local.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
cores=$(nproc)
first() {   # COMMAND... before other load, where asked for
    if [ "$priority" ]; then
        setsid -w bash -c 'echo -15 >/proc/self/autogroup; exec nice -n -15 "$@"' first "$@"
    else "$@"; fi
}
hpl_run() { # RANKS [COMMAND...]: runs HPL, prints its time
    local ranks=$1; shift
    rm -f hpccoutf.txt
    # Waiting ranks spin, as Open MPI's do, and stay on their core, unless they would keep others from it.
    local binding=core
    [ "$ranks" -le "$cores" ] || binding=none
    OMPI_MCA_mpi_yield_when_idle=$((ranks > cores)) OMPI_MCA_hwloc_base_binding_policy=$binding \
        first "$@" mpirun -np "$ranks" "${hpl:-hpcc}" >run.log 2>&1 || { cat run.log >&2; return 1; }
    cat hpccoutf.txt >>run.log
    grep -q '^Success=1' run.log || { echo 'HPL failed its own checks' >&2; return 1; }
    sed -n 's/^HPL_time=//p' run.log
}
# solve_prediction TIME: what is predicted for the row whose measured time is nearest to what HPL printed
solve_prediction() {
    timeless compare --all --csv rows.csv hpl.json >/dev/null
    awk -v t="$1" 'match($0, /^"[^"]*"/) && split(substr($0, RLENGTH + 2), f, ",") {
        d = f[1] - t; if (d < 0) d = -d
        if (best == "" || d < best) { best = d; prediction = f[5] } }
        END { if (best == "" || best > 0.001 * t + 0.001) exit 1; print prediction }' rows.csv
}
# models_of CORES: fits the models to measurements on so many cores at once, and lists their names.
models='best'
[ -z "$ladder" ] || models='best m1-pooled m1-per-core m2 m2-noise'
models_of() {
    local n=$1 busy=$1
    [ "$busy" -le "$cores" ] || busy=$cores
    [ -e "$n-best.conf" ] && return
    if [ "$raw" ]; then cp "$raw/$busy.csv" "$n.csv"
    else first timeless calibrate kernels --cores "$busy" --max-seconds "$seconds" --raw "$n.csv" -o "$n-noise.conf"; fi
    fit() { timeless calibrate kernels --reuse "$n.csv" -o "$n-$1.conf" "${@:2}" 2>/dev/null; }
    fit best --noise-form n0
    if [ "$ladder" ]; then
        fit m1-pooled --model-form m1 --noise-form n0
        fit m1-per-core --model-form m1 --noise-form n0 --per-core
        fit m2 --model-form m2 --noise-form n0
        fit m2-noise --model-form m2
    fi
    [ -z "$keep" ] || { cp "$n.csv" "$keep/$busy.csv"; cp "$n"-*.conf "$keep"; }
}
printf '%5s %6s %4s %10s %10s %10s %10s' ranks N NB 'traced s' 'min s' 'median s' 'max s'
for model in $models; do printf ' %17s' "$model"; done
printf '\n'
: >errors
for problem; do
    IFS=: read -r n nb only <<<"$problem"
    for grid in '1 1' '1 2' '2 2'; do
        ranks=$((${grid% *} * ${grid#* }))
        [ -z "$only" ] || [ "$only" = $ranks ] || continue
        models_of $ranks
        # shellcheck disable=SC2086
        "$here/hpcc_input.sh" "$n" $grid "$nb" >hpccinf.txt
        traced=$(hpl_run $ranks timeless record -q -o whole.tl --)
        if [ "$hpl" ]; then cp whole.tl hpl.tl; else timeless cut whole.tl --section last -o hpl.tl; fi
        runs=$repeats
        [ "$n" -lt 8000 ] || [ "$runs" -le 2 ] || runs=2
        for ((i = 0; i < runs; i++)); do hpl_run $ranks; done | sort -g >times
        median=$(awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }' times)
        printf '%5d %6d %4d %10.4f %10.4f %10.4f %10.4f' $ranks "$n" "$nb" "$traced" "$(head -n 1 times)" "$median" "$(tail -n 1 times)"
        for model in $models; do
            seeds=
            [ $model != m2-noise ] || seeds='--seeds 30'
            # shellcheck disable=SC2086
            timeless replay hpl.tl --platform local --model "$ranks-$model.conf" $seeds -q --json=hpl.json >replayed
            predicted=$(solve_prediction "$traced") ||
                { echo "no row of the trace has HPL's time $traced" >&2; exit 3; }
            error=$(awk -v p="$predicted" -v m="$median" 'BEGIN { print 100 * (p / m - 1) }')
            echo "$model $ranks $error" >>errors
            printf ' %9.4f %+6.1f%%' "$predicted" "$error"
            [ -z "$keep" ] || cp hpl.json "$keep/$n-$nb-$ranks-$model.json"
        done
        printf '\n'
        [ -z "$keep" ] || cp hpl.tl "$keep/$n-$nb-$ranks.tl"
    done
done
# Of runs that have a core for each rank.
printf '\n%-12s %16s %8s %8s %8s   of %s\n' model 'median |error|' mean worst bias 'runs with a core for each rank'
for model in $models; do
    awk -v model=$model -v cores="$cores" '$1 == model && $2 <= cores { print ($3 < 0 ? -$3 : $3), $3 }' errors | sort -g |
        awk -v model=$model '{ e[NR] = $1; sum += $1; bias += $2 }
            END { if (NR) printf "%-12s %15.1f%% %7.1f%% %7.1f%% %+7.1f%%   %d\n", model, (e[int((NR + 1) / 2)] + e[int(NR / 2) + 1]) / 2,
                                 sum / NR, e[NR], bias / NR, NR }'
done | tee summary
[ -z "$tolerance" ] || awk -v most="$tolerance" '$1 == "best" { exit !(substr($2, 1, length($2) - 1) + 0 <= most) }' summary
