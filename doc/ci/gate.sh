#!/usr/bin/env bash
# gate.sh - fails a build that became slower, by prediction, and also by measurement if you want.
#
#   gate.sh baseline FOLDER PLATFORM -- COMMAND...   records what is fast enough today into FOLDER
#   gate.sh check FOLDER PLATFORM -- COMMAND...      exits with 1 if COMMAND became slower than FOLDER's
#
# COMMAND starts the program, as mpirun -np 4 ./app. PLATFORM is the machine to predict for. If the program became slower,
# check prints by what calls and call sites, and the path of a page. Other exit codes than 0 and 1 are no verdict. 2: wrong
# usage. 3: something could not be compared, and nothing else became slower. The program failed (recorded or measured), or there
# is no baseline of as many ranks, or GATE_COMPUTE_TOLERANCE is set and there is no prediction with computation.
# Environment:
#   GATE_TOLERANCE           how much slower a prediction may be (default 2%)
#   GATE_REPLAY              options of timeless replay (default --ranks-per-host 1 --no-compute: messages and collectives
#                            alone, which are the same in each recording, so that the noise of the runner does not decide;
#                            a rank on each host, so that they use the network)
#   GATE_COMPUTE_TOLERANCE   how much slower a prediction with computation may be, such as 50% (default: it is printed, and
#                            does not decide)
#   GATE_RECORD              options of timeless record (default --call-paths 8)
#   GATE_RUNS                runs to measure, too (default 0: prediction alone)
#   GATE_MEASURED_TOLERANCE  how much slower a measured time may be (default 10%)
set -euo pipefail
what=${1-} folder=${2-} platform=${3-} replay=${GATE_REPLAY---ranks-per-host 1 --no-compute}
[ "${4-}" = -- ] && [ $# -gt 4 ] || { sed -n 's/^# \{0,1\}//p' "$0" >&2; exit 2; }
shift 4
runs=${GATE_RUNS:-0}
mkdir -p "$folder"

# record NAME COMMAND...: into the trace NAME.tl
record() {
    local trace=$folder/$1.tl
    shift
    rm -f "$folder"/{predicted,measured,compute}.xml "$folder/report.html" # of the check before
    timeless record ${GATE_RECORD---call-paths 8} -o "$trace" -- "$@" >&2 ||
        { echo "gate.sh: the program failed, or was not recorded; nothing was compared" >&2; exit 3; }
}
# predict NAME: the trace NAME.tl on the platform, with details in NAME.json; a line of the measurements' form
predict() {
    timeless replay "$folder/$1.tl" --platform "$platform" $replay --details --json="$folder/$1.json" -q |
        awk -v platform="$platform" '{ print "predicted on " platform "," $1 }'
}
# predict_compute NAME: likewise with computation, if the other prediction is without
predict_compute() {
    timeless replay "$folder/$1.tl" --platform "$platform" ${replay//--no-compute/} -q 2>"$folder/compute.log" |
        awk '{ print "with computation," $1 }'
}
# measure COMMAND...: the wall-clock time of each run
measure() {
    local from
    for _ in $(seq "$runs"); do
        from=$(date +%s.%N)
        "$@" >/dev/null || { echo "gate.sh: the program failed in a measured run; nothing was measured" >&2; exit 3; }
        awk -v from="$from" -v to="$(date +%s.%N)" 'BEGIN { printf "measured,%.3f\n", to - from }'
    done
}
# compare KIND TOLERANCE
compare() {
    timeless compare --baseline "$folder/$1.csv" --measured "$folder/$1-now.csv" --slower-only --tolerance "$2" --junit "$folder/$1.xml"
}
# explain: what became slower, where, and the page
explain() {
    cat "$folder/changes.txt"
    if timeless report "$folder/before.json" "$folder/now.json" -q -o "$folder/report.html" >/dev/null; then
        echo "page: $folder/report.html"
    fi
}
# compare_compute: prints the change of the time with computation, and judges it with GATE_COMPUTE_TOLERANCE
compare_compute() {
    if ! predict_compute before >"$folder/compute.csv" || ! predict_compute now >"$folder/compute-now.csv"; then
        echo "gate.sh: there is no prediction with computation: $(head -n 1 "$folder/compute.log")" >&2
        [ -z "${GATE_COMPUTE_TOLERANCE-}" ] || return 3
    elif [ -n "${GATE_COMPUTE_TOLERANCE-}" ]; then
        compare compute "$GATE_COMPUTE_TOLERANCE"
    else
        paste -d, "$folder/compute.csv" "$folder/compute-now.csv" |
            awk -F, '$2 > 0 { printf "with computation: %.4g s before, %.4g s now (%+.1f %%); GATE_COMPUTE_TOLERANCE judges it\n", $2, $4, 100 * ($4 / $2 - 1) }'
    fi
}

# note CODE: "slower" stays the verdict, whatever fails behind it
note() { [ "$failed" = 1 ] || failed=$1; }

case $what in
baseline)
    record before "$@"
    predict before >"$folder/predicted.csv"
    measure "$@" >"$folder/measured.csv" ;;
check)
    failed=0
    [ -s "$folder/before.tl" ] || { echo "gate.sh: $folder has no baseline; make one with: gate.sh baseline $folder" >&2; exit 3; }
    record now "$@"
    predict before >"$folder/predicted.csv" # anew: this Timeless may predict other times than that of the baseline
    predict now >"$folder/predicted-now.csv"
    timeless compare "$folder/before.json" --against "$folder/now.json" >"$folder/changes.txt"
    compare predicted "${GATE_TOLERANCE:-2%}" || { failed=$?; explain; }
    case " $replay " in *' --no-compute '*) compare_compute || note $? ;; esac
    if [ "$runs" -gt 0 ]; then
        if (measure "$@") >"$folder/measured-now.csv"; then
            compare measured "${GATE_MEASURED_TOLERANCE:-10%}" || note $?
        else
            note 3
        fi
    fi
    exit $failed ;;
*) sed -n 's/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
