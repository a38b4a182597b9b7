#!/usr/bin/env bash
# gate.sh - fails a build that became slower, by prediction and by measurement.
#
#   gate.sh baseline FOLDER PLATFORM -- COMMAND...   records what is fast enough today into FOLDER
#   gate.sh check FOLDER PLATFORM -- COMMAND...      exits with 1 if COMMAND became slower than FOLDER's times
#
# COMMAND starts the program, as mpirun -np 4 ./app. PLATFORM is the machine to predict for.
# Environment: GATE_RUNS, runs to measure (default 5); GATE_TOLERANCE, how much slower passes (default 10%);
# GATE_REPLAY, options of timeless replay (--ranks-per-host 1).
set -euo pipefail
what=${1-} folder=${2-} platform=${3-}
[ "${4-}" = -- ] && [ $# -gt 4 ] || { sed -n 's/^# \{0,1\}//p' "$0" >&2; exit 2; }
shift 4
mkdir -p "$folder"

# predict: the program is recorded once, and replayed on the platform; a line of the measurements' form
predict() {
    timeless record -o "$folder/run.tl" -- "$@" >&2
    printf 'predicted on %s,%s\n' "$platform" "$(timeless replay "$folder/run.tl" --platform "$platform" ${GATE_REPLAY-} -q)"
}
# measure: the wall-clock time of each run
measure() {
    local from
    for _ in $(seq "${GATE_RUNS:-5}"); do
        from=$(date +%s.%N)
        "$@" >/dev/null
        awk -v from="$from" -v to="$(date +%s.%N)" 'BEGIN { printf "measured,%.3f\n", to - from }'
    done
}

case $what in
baseline)
    predict "$@" >"$folder/predicted.csv"
    measure "$@" >"$folder/measured.csv" ;;
check)
    failed=0
    predict "$@" >"$folder/predicted-now.csv"
    measure "$@" >"$folder/measured-now.csv"
    for kind in predicted measured; do
        timeless compare --baseline "$folder/$kind.csv" --measured "$folder/$kind-now.csv" --slower-only \
            --tolerance "${GATE_TOLERANCE:-10%}" --junit "$folder/$kind.xml" || failed=$?
    done
    exit $failed ;;
*) sed -n 's/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
