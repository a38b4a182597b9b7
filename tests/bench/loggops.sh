#!/usr/bin/env bash
# loggops.sh - the LogGOPS engine beside LogGOPSim: nanoseconds an event, megabytes, two cores.
#
#     tests/bench/loggops.sh        (from the build folder, after make; some minutes)
#
# LogGOPSim's figures are those of its best build on a machine of the same kind, with its own
# schedules, without their generation and conversion and without its start-up.  An event is an
# operation or a message, three to a message.  Time is the processor's, the shortest of three runs.
#
#   ns/event  of a trace with several iterations less that of one with a single iteration, as
#             LogGOPSim's is without its start-up
#   whole     of the whole command on one iteration, from opening the trace to the last line
#   MB        of the whole command; `start` is what the command takes before it has read a trace
#
# The last rows are those of the bars on two cores (elapsed time of the whole command, one thread
# over two; a sweep, one point at a time over two) and on 8 million ranks.  They mean something on a
# quiet machine only.  It needs Debian's package time.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
params=L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns

# timed REPEATS COMMAND...: seconds of the processor, kilobytes, elapsed seconds
timed() {
    local repeats=$1
    shift
    for _ in $(seq "$repeats"); do
        python3 - "$scratch/kilobytes" "$@" <<'END_OF_PYTHON'
import resource, subprocess, sys, time
begin = time.monotonic()
# A child's memory is at least that of the process which it was before its exec: Python's is too large.
subprocess.run(["/usr/bin/time", "-f", "%M", "-o", *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
elapsed = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, open(sys.argv[1]).read().strip(), elapsed)
END_OF_PYTHON
    done | sort -n | head -1
}
replay() { timed "$1" "$timeless" replay "$2" --engine loggops --params $params -q "${@:3}"; }
make() { "$timeless" make "$1" -n "$2" --bytes 1 --iterations "$3" -o "$4" || exit 1; }

read -r _ start _ < <(timed 3 "$timeless" --version)
awk -v kb="$start" 'BEGIN {printf "start: %.0f MB\n\n", kb / 1024}'
printf '%-14s %8s %9s %7s %10s %6s %5s %7s %10s %6s %5s\n' \
    pattern ranks ns/event whole LogGOPSim ratio bar MB LogGOPSim ratio bar

# row PATTERN RANKS MESSAGES ITERATIONS NS BAR MB: messages of a rank in one iteration; LogGOPSim's
# nanoseconds, how many times faster the bar asks for (0: it does not); LogGOPSim's megabytes (0:
# unknown)
row() {
    make "$1" "$2" 1 one.tl
    make "$1" "$2" "$4" more.tl
    local one more
    one=$(replay 3 one.tl) more=$(replay 3 more.tl)
    awk -v p="$1" -v n="$2" -v m="$3" -v i="$4" -v peer="$5" -v bar="$6" -v mb="$7" -v one="$one" -v more="$more" '
        function known(x, format) {return x ? sprintf(format, x) : "-"}
        BEGIN {
            split(one, a, " "); split(more, b, " ")
            events = 3 * n * m
            ns = (b[1] - a[1]) * 1e9 / (events * (i - 1))
            printf "%-14s %8d %9.1f %7.1f %10d %6.1f %5s %7.0f %10s %6s %5s\n", p, n, ns, a[1] * 1e9 / events, peer,
                peer / ns, known(bar, "%d"), b[2] / 1024, known(mb, "%d"), mb ? sprintf("%.1f", mb * 1024 / b[2]) : "-",
                mb ? "10" : "-"}'
}
row dissemination 16384 14 20 640 20 75
row dissemination 131072 17 6 1242 20 900
row dissemination 1048576 20 2 1960 50 7700
# A call of MPI_Allreduce is recursive doubling here: as many messages.  LogGOPSim was measured at 4Ki
# and 64Ki ranks; beside the others stands its figure at the next smaller number of these, which is too
# small, for it grows with the ranks.
row call_allreduce 4096 12 60 1255 20 0
row call_allreduce 16384 14 20 1255 20 0
row call_allreduce 65536 16 6 1533 20 0
row call_allreduce 131072 17 6 1533 20 0
row call_allreduce 1048576 20 2 1533 50 0
row stencil2d 4096 4 60 1426 10 91
row stencil2d 65536 4 10 2142 10 244
row stencil2d 1048576 4 3 2788 10 2200
row binomial 131072 0.99999 20 943 0 85
row binomial 1048576 0.99999 6 1927 0 658

printf '\n%-14s %8s %12s %12s %6s %5s\n' pattern ranks 'one core, s' 'two cores, s' ratio bar
# elapsed COMMAND...: the shortest of three runs
elapsed() { for _ in 1 2 3; do "$@"; done | cut -d' ' -f3 | sort -g | head -1; }
# cores PATTERN RANKS ITERATIONS
cores() {
    make "$1" "$2" "$3" p.tl
    local one two
    one=$(elapsed replay 1 p.tl --threads 1) two=$(elapsed replay 1 p.tl --threads 2)
    awk -v p="$1" -v n="$2" -v one="$one" -v two="$two" 'BEGIN {
        printf "%-14s %8d %12.2f %12.2f %6.2f %5s\n", p, n, one, two, one / two, "1.6"}'
}
cores dissemination 131072 10
cores call_allreduce 131072 10
cores stencil2d 262144 10
cores dissemination 1048576 2

# A process for each point: 16 replays with noise.
points() {
    timed 1 "$timeless" sweep p.tl --engine loggops --params $params --noise 1000Hz:50us --grid seed=1:16 -j "$1"
}
make dissemination 16384 4 p.tl
one=$(elapsed points 1) two=$(elapsed points 2)
awk -v one="$one" -v two="$two" 'BEGIN {printf "%-14s %8d %12.2f %12.2f %6.2f\n", "sweep of 16", 16384, one, two, one / two}'

printf '\n%-14s %8s %12s %12s %12s\n' pattern ranks step 'processor, s' MB
step() { awk -v step="$1" -v used="$2" 'BEGIN {split(used, u, " ");
    printf "%-14s %8d %12s %12.1f %12.0f\n", "binomial", 8388608, step, u[1], u[2] / 1024}'; }
step make "$(timed 1 "$timeless" make binomial -n 8388608 --bytes 1 -o p.tl)"
step replay "$(replay 1 p.tl)"
