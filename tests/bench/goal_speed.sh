#!/usr/bin/env bash
# goal_speed.sh - replays of GOAL beside LogGOPSim, on the same schedules and parameters, with reading.
#
#     tests/bench/goal_speed.sh LOGGOPSIM [REPEATS]        (from the build folder, after make)
#
# LOGGOPSIM is the program that you have built (spcl/LogGOPSim, with -O3).  Both read the binary form.  The time is the user
# time of the whole command; runs alternate, and the shortest of each program counts.  The makespans must be the same.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
[ -x "${1:-}" ] || { echo 'skipped: give the path of a LogGOPSim'; exit 0; }
peer=$(realpath "$1") repeats=${2:-5}
cd "$scratch" || exit 99

# timed FILE COMMAND...: appends the user seconds to FILE; the output of the command is in the file `said`
timed() {
    local file=$1
    shift
    python3 - "$file" "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True, stdout=open("said", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, file=open(sys.argv[1], "a"))
END
}
printf '%-14s %6s %10s %12s %12s %12s %6s\n' pattern ranks operations 'ns/operation' 'LogGOPSim' 'makespan, s' ratio
# row PATTERN RANKS A B: with the arguments A and B of goal_schedules.py
row() {
    local n mine its
    n=$(python3 "$top_srcdir/tests/bench/goal_schedules.py" "$1" "$3" "$4" s.bin) || exit 99
    rm -f mine its
    for _ in $(seq "$repeats"); do
        timed its "$peer" -f s.bin -b -L 5000 -o 2000 -g 3000 -G 2 -O 1 -S 65535
        theirs=$(sed -n 's/.*Maximum finishing time at host [0-9]*: \([0-9]*\) .*/\1/p' said)
        timed mine "$timeless" replay -q --engine loggops --params L=5us,o=2us,g=3us,G=2ns,O=1ns,S=65535 s.bin
        ours=$(cat said)
    done
    awk -v p="$1" -v r="$2" -v n="$n" \
        -v mine="$(sort -g mine | head -1)" -v its="$(sort -g its | head -1)" -v ours="$ours" -v theirs="$theirs" '
        BEGIN {
            printf "%-14s %6d %10d %12.0f %12.0f %12.9g %6.2f\n", p, r, n, mine * 1e9 / n, its * 1e9 / n, ours, its / mine
            if (ours * 1e9 - theirs > 0.5 || theirs - ours * 1e9 > 0.5) { print "LogGOPSim: " theirs " ns"; exit 1 }
        }' || exit 1
}
row stencil 1024 32 108
row dissemination 1024 1024 50
row stencil 16384 128 8
row binomial 65536 65536 8
