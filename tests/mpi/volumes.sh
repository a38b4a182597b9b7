# volumes.sh - volumes hold what was computed, not what was waited for.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile volumes
trace=$scratch/volumes.tl
# volume RANK CALL [N]: of its first, or N-th, event of that name
volume() { "$print_events" "$trace" "$1" volumes | awk -v call="$2" -v n="${3:-1}" '$1 == call && ++seen == n {print $2; exit}'; }

# What the program itself has measured: own WORD FIELD
own() { awk -v word="$1" -v n="$2" '$1 == word { print $n }' "$scratch/own"; }
# recorded NAME COMMAND...: and what it printed is kept
recorded() { check "$@"; cp "$scratch/out" "$scratch/own"; }
# computed N: the volume before the N-th send is the CPU time that the program has measured, to 1 %
computed() {
    local ns
    ns=$(own computed $((1 + $1)))
    [ "${ns:-0}" -ge 100000000 ] && between "$(volume 0 MPI_Send "$1")" $((ns - ns / 100)) $((ns + ns / 100))
}
# The same in one of three recordings: time that a hypervisor takes away is part of the wall clock, and not of
# CPU time.  [WRAPPER]: how to record.
once_computed() { # N [WRAPPER]
    local n=$1; shift
    computed "$n" || { "$@" record volumes 2 >"$scratch/own" && computed "$n"; } ||
        { "$@" record volumes 2 >"$scratch/own" && computed "$n"; }
}
# Polls are calls of MPI, which are no computation; the loop around them is.
hardly_any() {
    local ns
    ns=$(own polled 2)
    between "$(volume 1 MPI_Iprobe)" 0 $((${ns:-0} / 2))
}

# Sources that do not work here are said to, and passed over.
works() { TIMELESS_LIST_VOLUMES=all LD_PRELOAD=$tracer env | grep -q "^$1 .* works\$"; }
sources="cputime auto"
if works rseq; then sources="$sources rseq"; else skip rseq "does not work here"; fi
for source in $sources; do
    export TIMELESS_VOLUME=$source
    recorded "$source: recorded" record volumes 2
    unit=$("$print_events" "$trace" 0 run | sed -n 's/^unit //p')
    if [ "$unit" = cpu-ns ]; then
        check "$source: 100 ms of computation have a volume of 100 ms" once_computed 1
        check "$source: sleeping has no volume; computation between looks at the clock has" once_computed 2
        check "$source: waiting has no volume, and polling nearly none" hardly_any
    else
        check "$source: instructions are counted" between "$(volume 0 MPI_Send)" 1000000 100000000000
    fi
done

# All ranks and a busy process share one CPU: the bursts are interrupted many times.
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
crowded() (
    taskset -pc "$cpu" "$BASHPID"
    while :; do :; done &
    "$@"
    status=$?
    kill $!
    exit $status
)
for source in $sources; do
    [ $source = auto ] && continue
    export TIMELESS_VOLUME=$source
    recorded "$source, crowded: recorded" crowded record volumes 2
    check "$source, crowded: 100 ms of computation have a volume of 100 ms" once_computed 1 crowded
    check "$source, crowded: waiting has no volume, and polling nearly none" hardly_any
done
if works rseq; then
    without_rseq() { GLIBC_TUNABLES=glibc.pthread.rseq=0 works "$1"; }
    check "without restartable sequences rseq is not used" not without_rseq rseq
    check "without restartable sequences cputime is used" without_rseq cputime
    # A hypervisor may stop the CPU until the time is over.
    echo '#include <time.h>
        int nanosleep(const struct timespec *t, struct timespec *left)
        {
            static int n;
            (void)left;
            return n++ ? clock_nanosleep(CLOCK_MONOTONIC, 0, t, 0) : 0;
        }' | $MPICC -xc - -shared -fPIC -o "$scratch/awake.so"
    awake() { TIMELESS_LIST_VOLUMES=all LD_PRELOAD="$scratch/awake.so $tracer" env | grep -q "^rseq .* works\$"; }
    check "a first nap without sleep: rseq is used" awake
fi
export TIMELESS_VOLUME=none
check "none: the program is recorded" record volumes 2
check "none: events have no volume" test "$(volume 0 MPI_Send)" = 0
export TIMELESS_VOLUME=absent
check_exit 3 "a source that does not exist: the program runs and exits 3" record volumes 2
cp "$scratch/err" "$scratch/said"
check "a source that does not exist: one rank reports that there is no trace" \
    test "$(grep -c "no trace: 'absent' is no volume source" "$scratch/said")" = 1
tap_done
