#!/usr/bin/env bash
# HPL's phases, by SimGrid and by LogGOPS, in windows of a run.
#
#   hpl_phases.sh [-p PLATFORM] [-w PANELS] [-a SHARE,...] [-o 'OPTION ...'] PROGRAM ...
#
#   PROGRAM      "hpl:N=...,NB=...,P=...,Q=...", as for 'timeless replay'
#   -p PLATFORM  default: dahu@2020-01
#   -w PANELS    panels of a window (default: 16)
#   -a SHARES    where the windows begin, as shares of the run (default: 0.05,0.35,0.65)
#   -o OPTIONS   for both replays, such as '--ranks-per-host 1'
#
# For each window: the makespan, and the mean over the ranks of the time in each phase: the factorisation of panels with its
# pivot exchanges, the broadcast, the swap, the update.  The time of a phase is that of its calls of MPI and its kernels.
# The windows have no back substitution.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
timeless=$(cd "$top_builddir" && pwd)/cli/timeless
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
platform=dahu@2020-01 panels=16 shares=0.05,0.35,0.65 options=
while getopts p:w:a:o: option; do
    case $option in
    p) platform=$OPTARG ;;
    w) panels=$OPTARG ;;
    a) shares=$OPTARG ;;
    o) options=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# != 0 ] || { echo "$0: give a program, hpl:N=..." >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/hpl-phases.XXXXXX")
trap 'rm -rf "$work"' EXIT
first_panel() { # PROGRAM SHARE
    awk -v share="$2" -v program="${1#hpl:}" 'BEGIN {
        n_keys = split(program, keys, ",")
        for (i = 1; i <= n_keys; i++) { split(keys[i], part, "="); value[part[1]] = part[2] }
        print int(share * value["N"] / value["NB"])
    }'
}
for program in "$@"; do
    for share in ${shares//,/ }; do
        from=$(first_panel "$program" "$share")
        window=$program,FROM=$from,PAST=$((from + panels))
        for engine in smpi loggops; do
            # shellcheck disable=SC2086
            "$timeless" replay "$window" -p "$platform" --engine "$engine" -q --details --json="$work/$engine.json" \
                $options >/dev/null
        done
        python3 "$here/accuracy/hpl_phases.py" "$window" "$work/smpi.json" "$work/loggops.json"
    done
done
