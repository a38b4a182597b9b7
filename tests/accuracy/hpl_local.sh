#!/usr/bin/env bash
# Measured against predicted time of HPL's solve on this machine, from Debian's hpcc.
#
#   hpl_local.sh [-t SHARE] [-r REPEATS] [-m FOLDER] [-k FOLDER] [-p] [N:NB ...]
#
#   -t SHARE    exit with 1 when an error is larger, such as 20%
#   -r REPEATS  runs without the tracer, whose median is the measurement; default 5
#   -m FOLDER   a platform folder that 'timeless calibrate kernels -o' wrote; default: calibrate now
#   -k FOLDER   keep traces and predictions there
#   -p          on a busy machine, as root: let the runs go before other load
#
# For 1, 2 and 4 ranks and every N:NB (default 2000:64 3000:128): one run is recorded, HPL cut out of
# it and replayed; then hpcc runs REPEATS times without the tracer.  Times are HPL_time, which is the
# interval between two MPI_Wtime calls, and so a row of 'timeless compare'.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
. "$here/mpi_env.sh"
tolerance= repeats=5 model= keep= priority=
while getopts t:r:m:k:p option; do
    case $option in
    t) tolerance=$OPTARG ;;
    r) repeats=$OPTARG ;;
    m) model=$(cd "$OPTARG" && pwd) ;;
    k) mkdir -p "$OPTARG"; keep=$(cd "$OPTARG" && pwd) ;;
    p) priority=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 2000:64 3000:128
work=$(mktemp -d "${TMPDIR:-/tmp}/hpl-local.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
cores=$(nproc)
first() {   # COMMAND... before other load, where asked for
    if [ "$priority" ]; then
        setsid -w bash -c 'echo -15 >/proc/self/autogroup; exec nice -n -15 "$@"' first "$@"
    else "$@"; fi
}
hpcc_run() { # RANKS [COMMAND...]: runs hpcc, prints HPL's time
    local ranks=$1; shift
    rm -f hpccoutf.txt
    # Waiting ranks spin, as Open MPI's do, unless they would keep others from their core.
    OMPI_MCA_mpi_yield_when_idle=$((ranks > cores)) \
        first "$@" mpirun -np "$ranks" hpcc >run.log 2>&1 || { cat run.log >&2; return 1; }
    grep -q '^Success=1' hpccoutf.txt || { echo 'hpcc failed its own checks' >&2; return 1; }
    sed -n 's/^HPL_time=//p' hpccoutf.txt
}
# The row of the table whose measured time is nearest to what HPL printed.
solve_row() {
    awk -v t="$1" '$3 ~ /%!?$/ { d = $1 - t; if (d < 0) d = -d
                   if (best == "" || d < best) { best = d; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +/, ""); row = $0 } }
                   END { if (best == "" || best > 0.001) exit 1; print row }'
}
if [ -z "$model" ]; then
    timeless calibrate kernels -o here
    model=$work/here
fi
failed=0
printf '%5s %6s %4s %10s %10s %10s %10s %10s %8s\n' ranks N NB 'traced s' 'min s' 'median s' 'max s' \
    'predicted s' error
for problem; do
    n=${problem%:*} nb=${problem#*:}
    for grid in '1 1' '1 2' '2 2'; do
        ranks=$((${grid% *} * ${grid#* }))
        # shellcheck disable=SC2086
        "$here/hpcc_input.sh" "$n" $grid "$nb" >hpccinf.txt
        traced=$(hpcc_run $ranks timeless record -q -o hpcc.tl --)
        timeless cut hpcc.tl --section last -o hpl.tl
        timeless replay hpl.tl --platform "$model" -q --json=hpl.json >/dev/null
        row=$(timeless compare --all hpl.json | solve_row "$traced") ||
            { echo "no row of the trace has HPL's time $traced" >&2; exit 3; }
        for ((i = 0; i < repeats; i++)); do hpcc_run $ranks; done | sort -g >times
        median=$(awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }' times)
        echo "$row,$median" >measured.csv
        code=0
        timeless compare hpl.json --measured measured.csv ${tolerance:+--tolerance "$tolerance"} >compared ||
            code=$?
        [ $code -le 1 ] || exit $code
        failed=$((failed | code))
        awk -v ranks=$ranks -v n="$n" -v nb="$nb" -v traced="$traced" -v min="$(head -n 1 times)" \
            -v max="$(tail -n 1 times)" '$3 ~ /%!?$/ {
            printf "%5d %6d %4d %10.4f %10.4f %10.4f %10.4f %10.4f %8s\n", ranks, n, nb, traced, min, $1, max, $2, $3 }' compared
        if [ "$keep" ]; then
            for file in hpl.tl hpl.json compared; do cp "$file" "$keep/$n-$nb-$ranks-$file"; done
        fi
    done
done
exit $failed
