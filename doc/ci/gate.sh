#!/usr/bin/env bash
# gate.sh - fails a build that became slower, by prediction, and also by measurement if you want.
#
#   gate.sh baseline FOLDER PLATFORM -- COMMAND...   records what is fast enough today into FOLDER
#   gate.sh check FOLDER PLATFORM -- COMMAND...      exits with 1 if COMMAND became slower than FOLDER's
#
# COMMAND starts the program, as mpirun -np 4 ./app. PLATFORM is the machine to predict for. If the program became slower,
# check prints by what calls and call sites, and the path of a page.
# Environment:
#   GATE_TOLERANCE           how much slower a prediction may be (default 2%)
#   GATE_REPLAY              options of timeless replay (default --no-compute: messages and collectives alone, which are the
#                            same in each recording, so that the noise of the runner does not decide)
#   GATE_RECORD              options of timeless record (default --call-paths 8)
#   GATE_RUNS                runs to measure, too (default 0: prediction alone)
#   GATE_MEASURED_TOLERANCE  how much slower a measured time may be (default 10%)
set -euo pipefail
what=${1-} folder=${2-} platform=${3-}
[ "${4-}" = -- ] && [ $# -gt 4 ] || { sed -n 's/^# \{0,1\}//p' "$0" >&2; exit 2; }
shift 4
runs=${GATE_RUNS:-0}
mkdir -p "$folder"

# predict NAME: the trace NAME.tl on the platform, with details in NAME.json; a line of the measurements' form
predict() {
    timeless replay "$folder/$1.tl" --platform "$platform" ${GATE_REPLAY---no-compute} --details --json="$folder/$1.json" -q |
        awk -v platform="$platform" '{ print "predicted on " platform "," $1 }'
}
# measure COMMAND...: the wall-clock time of each run
measure() {
    local from
    for _ in $(seq "$runs"); do
        from=$(date +%s.%N)
        "$@" >/dev/null
        awk -v from="$from" -v to="$(date +%s.%N)" 'BEGIN { printf "measured,%.3f\n", to - from }'
    done
}
# compare KIND TOLERANCE
compare() {
    timeless compare --baseline "$folder/$1.csv" --measured "$folder/$1-now.csv" --slower-only --tolerance "$2" --junit "$folder/$1.xml"
}
# explain: what became slower, where, and the page
explain() {
    timeless compare "$folder/before.json" --against "$folder/now.json"
    if timeless report "$folder/before.json" "$folder/now.json" -q -o "$folder/report.html" >/dev/null; then
        echo "page: $folder/report.html"
    fi
}

case $what in
baseline)
    timeless record ${GATE_RECORD---call-paths 8} -o "$folder/before.tl" -- "$@" >&2
    predict before >"$folder/predicted.csv"
    measure "$@" >"$folder/measured.csv" ;;
check)
    failed=0
    timeless record ${GATE_RECORD---call-paths 8} -o "$folder/now.tl" -- "$@" >&2
    predict before >"$folder/predicted.csv" # anew: this Timeless may predict other times than that of the baseline
    predict now >"$folder/predicted-now.csv"
    compare predicted "${GATE_TOLERANCE:-2%}" || { failed=$?; explain; }
    if [ "$runs" -gt 0 ]; then
        measure "$@" >"$folder/measured-now.csv"
        compare measured "${GATE_MEASURED_TOLERANCE:-10%}" || failed=$?
    fi
    exit $failed ;;
*) sed -n 's/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
