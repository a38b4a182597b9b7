#!/usr/bin/env bash
# loggops.sh - the LogGOPS engine beside LogGOPSim: nanoseconds an event and bytes a rank.
#
#     tests/bench/loggops.sh        (from the build folder, after make)
#
# LogGOPSim's figures are those of its best build on a machine of the same kind, measured with its
# own schedules (dissemination, 16Ki, 128Ki, 1Mi ranks; 2-D stencil 64Ki, 1Mi; binomial 128Ki, 1Mi).
# Time is the processor's.  An event is an operation or a message, three to a message.  Ours are of the whole command less
# those of a trace with one iteration, so that starting up does not count; the memory is the whole
# command's.  Of three runs the shortest counts.  LARGE=1 adds 1Mi ranks.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
params=L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns

# timed TRACE: seconds of the processor, kilobytes
timed() {
    for _ in 1 2 3; do
        python3 - "$timeless" replay "$1" --engine loggops --params $params -q <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
END
    done | sort -n | head -1
}

printf '%-14s %8s %10s %12s %8s %12s\n' pattern ranks ns/event LogGOPSim ratio bytes/rank
# row PATTERN RANKS MESSAGES NS: messages of a rank in one iteration; LogGOPSim's nanoseconds
row() {
    local one more iterations=6
    "$timeless" make "$1" -n "$2" --bytes 1 -o one.tl && "$timeless" make "$1" -n "$2" --bytes 1 --iterations $iterations -o more.tl || exit 1
    one=$(timed one.tl) more=$(timed more.tl)
    awk -v p="$1" -v n="$2" -v m="$3" -v peer="$4" -v one="$one" -v more="$more" -v i=$iterations 'BEGIN {
        split(one, a, " "); split(more, b, " ")
        ns = (b[1] - a[1]) * 1e9 / (3 * n * m * (i - 1))
        printf "%-14s %8d %10.1f %12d %8.1f %12.0f\n", p, n, ns, peer, peer / ns, b[2] * 1024 / n}'
}
row dissemination 16384 14 640
row dissemination 131072 17 1242
row stencil2d 65536 4 2142
row binomial 131072 0.99999 943
if [ "${LARGE:-}" ]; then
    row dissemination 1048576 20 1960
    row stencil2d 1048576 4 2788
fi
