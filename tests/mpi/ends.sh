# ends.sh - however a run ends, the program's exit code stays and the trace says how it ended.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile ends -pthread
trace=$scratch/ends.tl

# try HOW CODE END WORDS: one rank; its exit code, the end in the trace, what the command says
try() {
    check_exit "$2" "$1: the exit code is the program's" $timeless record -o "$trace" -- "$scratch/ends" "$1"
    cp "$scratch/err" "$scratch/said"
    "$print_events" "$trace" 0 >"$scratch/events"
    check "$1: the trace has the right end" says "~^end $3\$" "$scratch/events"
    check "$1: the command reports the end" says "~$4" "$scratch/said"
}
unset TIMELESS_QUIET
try finalize 0 1 '1 ranks?, 4 events, [0-9]+ bytes, complete$'
try exit 6 2 'incomplete: rank 0 exited without MPI_Finalize'
try return 7 2 'incomplete: rank 0 exited without MPI_Finalize'
try abort 8 3 'incomplete: rank 0 called MPI_Abort'
check "the abort is an event with its code" says '~^MPI_Abort code=8 comm=1' "$scratch/events"
try kill 137 0 'incomplete: rank 0 was killed$'
check "kill: the command names the file with the last events" says '~ends.tl.open holds the last events of 1 killed rank: ' "$scratch/said"
try fork 5 1 '4 events, [0-9]+ bytes, complete$'
try thread 0 1 '[78] events, [0-9]+ bytes, complete$'
try funneled 0 4 '1 MPI calls of other threads'

# A trace that cannot be written changes nothing for the program.
export TIMELESS_OUTPUT=$scratch/absent/x.tl
preloaded() { LD_PRELOAD=$tracer $MPIRUN -np 2 "$scratch/ends" "$1"; }
check_exit 0 "no folder for the trace: the program runs" preloaded finalize
cp "$scratch/err" "$scratch/said"
check "no folder for the trace: one rank reports it once" test "$(grep -c 'timeless: no trace:' "$scratch/said")" = 1
mkfifo "$scratch/pipe"
export TIMELESS_OUTPUT=$scratch/pipe
check_exit 0 "a pipe for the trace: the program runs" preloaded finalize
check "a pipe for the trace: the pipe still exists" test -p "$scratch/pipe"
tap_done
