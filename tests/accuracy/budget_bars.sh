#!/usr/bin/env bash
# budget_bars.sh - two bars of the error budget, on emulated hosts: does its advice help, and does its interval hold?
#
#     tests/accuracy/budget_bars.sh follow|cover [-o FILE] [-w FOLDER] [-c SECONDS] [-r RUNS] [PROGRAM...]
#
#   (from the build folder, after make, as root, on a quiet machine; each about 12 minutes with the defaults)
#   -o FILE      rows are appended, and rows that are there are not measured again (default: budget_follow.csv, budget_cover.csv)
#   -w FOLDER    work there; calibrations and traces that are there are used (default: budget_bars)
#   -c SECONDS   of a calibration of the network (default: 30 for follow, 45 for cover; at most 60)
#   -r RUNS      measured runs of each program (default: 5 for follow, 10 for cover)
#
# The ten programs of tests/accuracy/bars run with two ranks on two emulated hosts (tests/cluster.sh, 100 Mb/s, a core
# each).  A run's time is that from the end of MPI_Init to the begin of MPI_Finalize, the longest of the ranks
# (tests/accuracy/clock.c).  Both bars were defined here before anything was measured:
#
# follow: "Following one suggestion of at most 60 s halves the width of the predicted interval or the real error in 8 of
#   10."  The coarse model is what a data sheet says of the network (100 Mb/s, 50 us, no overheads), and for computation
#   one rate of an instruction, measured on another program (lu; for lu itself cg).  Instructions are counted in an
#   emulator (--volume exact).  `timeless budget` names an input first; its command is run for the program, with
#   --for if it knows that, for at most SECONDS, into a copy of the model.  The budget of the program is then asked again.
#   Width: high - low of the interval.  Real error: |predicted - median of the measured runs|.  A program passes if one
#   of them is at most half of what it was.  A suggestion that names no measurement fails.
#
# cover: "Measured runs lie within the 90 % interval in 85 to 95 % of 100 runs."  The network is calibrated once, for
#   SECONDS, computation is recorded in CPU time on this machine, and the noise of the system is measured for 5 s a
#   core and given to the budget.  RUNS single runs of each program, of which each counts by itself, the interval being
#   that of single runs.  The budget has no other options than those of the replay, no --uncertain.
#
# Prints the rows and the count, exit code 1 if the bar is missed, 4 if a program failed, 77 where no hosts can be emulated.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$PWD}" "${MPICC:=mpicc}"
top_builddir=$(cd "$top_builddir" && pwd)
PATH=$top_builddir/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms} TIMELESS_QUIET=1
. "$here/mpi_env.sh"
. "$here/cluster.sh"
usage() { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
bar=${1-}
case $bar in
follow) seconds=30 runs=5 ;;
cover) seconds=45 runs=10 ;;
*) usage ;;
esac
shift
csv=$PWD/budget_$bar.csv work=$PWD/budget_bars
while getopts o:w:c:r: option; do
    case $option in
    o) csv=$(realpath "$OPTARG") ;;
    w) work=$(realpath -m "$OPTARG") ;;
    c) seconds=$OPTARG ;;
    r) runs=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ "$seconds" -le 60 ] || usage
mkdir -p "$work/hosts"
cd "$work"
trap cluster_down EXIT
export CLUSTER_PIN=1 CLUSTER_TIMEOUT=$((seconds + 240)) OMPI_MCA_mpi_yield_when_idle=1

log() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
# Program and its arguments: a tenth of a second to a second for two ranks.
programs() {
    cat <<'PROGRAMS'
bucket 20000 40 0
cg 300 40
drawn 2000 300
fft 32 20
hpcg 24 20
lu 80 20 10
lulesh 20 20
multigrid 32 10
stencil2d 300 300
stencil3d 40 100
PROGRAMS
}
command_of() { echo "$work/$(programs | sed -n "s/^$1 /$1 /p")"; }
# captured PROGRAM VOLUME: its trace, recorded on shared memory
captured() {
    [ ! -e "$1-$2.tl" ] || return 0
    log "record $1 ($2)"
    # shellcheck disable=SC2046
    timeless record -q --volume "$2" --call-paths 2 -o "$1-$2.new" -- mpirun -np 2 $(command_of "$1") >"$1.log" 2>&1 </dev/null
    mv "$1-$2.new" "$1-$2.tl"
}
# measured PROGRAM: seconds of $runs runs on the hosts, a line each, in PROGRAM.times
measured() {
    touch "$1.times"
    while [ "$(wc -l <"$1.times")" -lt "$runs" ]; do
        log "run $1"
        # shellcheck disable=SC2046
        cluster_run mpirun -x LD_PRELOAD="$work/clock.so" -H "$(cluster_hosts 1)" -np 2 $(command_of "$1") >out </dev/null
        awk '$1 == "rank_seconds" && $2 > s { s = $2 } END { if (s == "") exit 1; print s }' out >>"$1.times"
    done
}
# budget TRACE PLATFORM OPTION...: "makespan low high", and the next measurement on a line of its own
budget() {
    timeless budget "$1" --platform "$2" --ranks-per-host 1 --coll-selector ompi-4.1 "${@:3}" --json=budget.json >budget.txt
    python3 -c 'import json; b = json.load(open("budget.json")); print(b["makespan_s"], b["low_s"], b["high_s"])'
    sed -n 's/^next: //p' budget.txt
}
calibrated() { # FOLDER OPTION...: the network of the hosts
    cluster_run timeless calibrate network -o "$1" --nodes 2 --max-seconds "$seconds" --archive none "${@:2}" -- \
        mpirun -H node1,node2 -np 2 >calibrate.log 2>&1 || { cat calibrate.log >&2; return 1; }
}
# rate PROGRAM: mean seconds of an instruction of the program
rate() {
    [ -e "rate-$1" ] || {
        # shellcheck disable=SC2046
        timeless calibrate cpu -o rate.conf --archive none -- mpirun -np 2 $(command_of "$1") >rate.log 2>&1 </dev/null
        sed -n '/unit = "instructions"/,/classes/s/.*seconds_per_unit = \([^;]*\);.*/\1/p' rate.conf | head -n 1 >"rate-$1"
    }
    cat "rate-$1"
}
# coarse PROGRAM: the model of a data sheet, in coarse-PROGRAM
coarse() {
    local other=lu
    [ "$1" != lu ] || other=cg
    rm -rf "coarse-$1"
    mkdir "coarse-$1"
    printf '%s\n' 'title = "data sheet";' 'topology = "star";' 'nodes = 2;' 'node = { cores = 1; speed_flops = 1.0e9; };' \
        'link = { bandwidth_Bps = 1.25e7; latency_s = 2.5e-5; };' >"coarse-$1/platform.conf"
    timeless platform "coarse-$1/platform.conf" -o "coarse-$1" >/dev/null
    printf '%s\n' 'version = 2;' 'reference_flops = 1.0e9;' \
        "units = ( { unit = \"cpu-ns\"; seconds_per_unit = 1.0e-9; }, { unit = \"instructions\"; seconds_per_unit = $(rate \
        $other); } );" >"coarse-$1/model.conf"
}
# followed PROGRAM REMEDY: the measurement, into better-PROGRAM
followed() {
    rm -rf "better-$1"
    cp -r "coarse-$1" "better-$1"
    log "$1: $2"
    # shellcheck disable=SC2046
    case $2 in
    *'calibrate network'*) calibrated "better-$1" --for "$work/$1-exact.tl" ;;
    *'calibrate cpu'*) timeless calibrate cpu -o "better-$1" --archive none -- mpirun -np 2 $(command_of "$1") >cpu.log 2>&1 </dev/null ;;
    *) return 0 ;;
    esac
}
follow_one() {
    local before after remedy
    captured "$1" exact
    coarse "$1"
    { read -r before && read -r remedy; } < <(budget "$1-exact.tl" "./coarse-$1")
    followed "$1" "$remedy"
    read -r after < <(budget "$1-exact.tl" "./better-$1")
    measured "$1"
    sort -g "$1.times" | awk -v row="$1,\"$remedy\"" -v before="$before" -v after="$after" '
        { t[NR] = $1 }
        function abs(x) { return x < 0 ? -x : x }
        END { split(before, b, " "); split(after, a, " ")
              median = (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2
              narrow = (a[3] - a[2]) / (b[3] - b[2]); nearer = abs(a[1] - median) / abs(b[1] - median)
              printf "%s,%s,%s,%s,%s,%s,%s,%.9f,%.3f,%.3f,%s\n", row, b[1], b[2], b[3], a[1], a[2], a[3], median, narrow, nearer, (narrow <= 0.5 || nearer <= 0.5) ? "yes" : "no" }' >>"$csv"
}
cover_one() {
    local interval
    captured "$1" cputime
    if [ ! -e fine/done ]; then
        rm -rf fine
        calibrated fine
        touch fine/done
    fi
    [ -e noise/noise.0 ] || timeless calibrate noise -o noise --max-seconds 5 --archive none >noise.log 2>&1
    read -r interval < <(budget "$1-cputime.tl" ./fine --noise noise/noise.0)
    measured "$1"
    awk -v program="$1" -v interval="$interval" 'BEGIN { split(interval, i, " ") }
        { printf "%s,%d,%s,%s,%s,%s,%s\n", program, NR, i[1], i[2], i[3], $1, ($1 >= i[2] && $1 <= i[3]) ? "yes" : "no" }' \
            "$1.times" >>"$csv"
}
[ -s "$csv" ] || case $bar in
follow) echo "program,suggestion,predicted_s,low_s,high_s,predicted_after_s,low_after_s,high_after_s,measured_median_s,width_ratio,error_ratio,passed" >"$csv" ;;
cover) echo "program,run,predicted_s,low_s,high_s,measured_s,within" >"$csv" ;;
esac
cluster_up "$work/hosts" 2 100mbit || { echo "no emulated hosts here" >&2; exit 77; }
$MPICC -O2 -shared -fPIC -o clock.so "$here/accuracy/clock.c"
for program in $(programs | cut -d' ' -f1); do
    [ -e "$program" ] || $MPICC -O1 -g -o "$program" "$here/accuracy/bars/$program.c"
done
failed=''
for program in ${*:-$(programs | cut -d' ' -f1)}; do
    ! grep -q "^$program," "$csv" || continue
    set +e
    (set -e; trap - EXIT; "${bar}_one" "$program")
    [ $? = 0 ] || { log "$program failed"; failed=1; }
    set -e
done
cat "$csv"
missed=0
case $bar in
follow) awk -F, 'NR > 1 { n++; passed += $NF == "yes" } END { printf "%d of %d programs (bar: 8 of 10)\n", passed, n;
    exit !n || passed < 0.8 * n }' "$csv" || missed=1 ;;
cover) awk -F, 'NR > 1 { n++; within += $NF == "yes" } END { s = n ? 100 * within / n : 0;
    printf "%d of %d runs within the interval, %.0f %% (bar: 85 to 95 %%)\n", within, n, s; exit s < 85 || s > 95 }' "$csv" || missed=1 ;;
esac
[ ! "$failed" ] || exit 4
exit $missed
