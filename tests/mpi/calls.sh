# calls.sh - outcomes, sentinels and communicators, as they stand in the trace.
# Every row of mpi_calls.def is called in rows.sh.
# TIMELESS_ACCEPT=1 rewrites the expected texts; read them before committing.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"

check_calls() {
    local name=$1 ranks=$2 rank; shift 2
    compile "$name" "$@"
    check "$name runs as without the tracer, and its trace is complete" record "$name" "$ranks"
    for ((rank = 0; rank < ranks; rank++)); do
        if [ -n "${TIMELESS_ACCEPT-}" ]; then
            "$print_events" "$scratch/$name.tl" "$rank" >"$here/expected/$name.$rank"
        fi
        check "$name: events of rank $rank are the expected ones" \
            same_text "$here/expected/$name.$rank" "$print_events" "$scratch/$name.tl" "$rank"
    done
}
check_calls calls_p2p 2
check_calls calls_completion 2
check_calls calls_collective 3
check_calls calls_comm 4

# Failed tests and probes are counted with the next event.
check "failed tests are counted as polls of the next event" \
    grep -c '^MPI_Barrier$' <("$print_events" "$scratch/calls_completion.tl" 1 polls)
# polls CALL: of each event of rank 1 whose call has this name
polls() { "$timeless" dump --rank 1 "$scratch/calls_completion.tl" |
    awk -v call="$1" '$3 == call {print match($0, / polls=[0-9]+/) ? substr($0, RSTART + 7, RLENGTH - 7) : 0}' | tr '\n' ' '; }
check "looks at the clock that follow each other are one event with their number" test "$(polls MPI_Wtime)" = '0 2 5 '
check "failed tests between looks at the clock are polls of the next event" test "$(polls MPI_Barrier | awk '{print $NF}')" = 3
check "--clocks all: the program is recorded" "$timeless" record --clocks all -o "$scratch/calls_completion.tl" -- $MPIRUN -np 2 \
    "$scratch/calls_completion"
check "--clocks all: each look at the clock is an event" test "$(polls MPI_Wtime)" = '0 0 0 0 0 1 0 1 0 1 '
tap_done
