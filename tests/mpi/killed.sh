#!/usr/bin/env bash
# killed.sh - a rank that is killed keeps every event but the one under way, however short the run was,
# at no harm to the program where the disk has no room for that.  ROUNDS: lengths of the runs;
# MOMENTS: seconds after which a run is killed from outside.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
: "${SANITIZE:=}"
[ -z "$SANITIZE" ] || ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0
compile killed
: "${ROUNDS:=0 1 60 3000 20000}" "${MOMENTS:=0.02 0.03 0.05 0.08 0.13 0.21}"
export TIMELESS_VOLUME=none
export OMPI_MCA_ess_singleton_isolated=1 # a rank without mpirun starts no daemon beside it
trace=$scratch/killed.tl
alone() { { LD_PRELOAD=$tracer TIMELESS_OUTPUT=$trace "$scratch/killed" "$@" >"$scratch/said" 2>&1; } 2>/dev/null; }

# events FILE: the events and definitions of rank 0 without clocks
# Packing adds the source lines of call sites (source_lines.sh).
text() { "$timeless" dump "$1" 2>/dev/null | sed '/^site /s/ function=.*//'; }
events() { text "$1" | sed -n 's/ clock_ns=[0-9]*//; /^\(comm\|site\|[0-9]\)/p'; }
# lasting FILE: them without MPI_Finalize and its call site, of which only the run that finalizes has anything
lasting() {
    "$timeless" dump "$1" 2>/dev/null | awk '{ sub(/ clock_ns=[0-9]+/, "") }
        /^site/ { sub(/ function=.*/, ""); sites[$2] = $0; next }
        / MPI_Finalize / || !/^(comm|[0-9])/ { next }
        { print; if (match($0, /site=[0-9]+$/)) used[substr($0, RSTART + 5)] = 1 }
        END { for (s in used) print sites[s] }' | sort
}
# whole ROUNDS: the trace of a run that nobody kills
whole() { alone "$1" finalize; mv "$trace" "$scratch/whole.tl"; lasting "$scratch/whole.tl" >"$scratch/whole.lasting"; }
nothing_lost() { lasting "$1" | diff "$scratch/whole.lasting" - >"$scratch/lost" && [ -s "$scratch/whole.lasting" ] ||
    { head "$scratch/lost"; return 1; }; }
incomplete() { "$timeless" info "$1" >"$scratch/info" 2>&1; [ $? = 3 ] && says '~^complete +no' "$scratch/info"; }
removed() { [ ! -e "$1" ] || { ls -la "$(dirname "$1")"; return 1; }; }

for rounds in $ROUNDS; do
    whole $rounds
    check "$rounds rounds: a complete trace has no TRACE.open" removed "$trace.open"
    for how in $([ $rounds = 20000 ] && echo kill || echo kill term segv int cpu quick); do
        rm -f "$trace" "$trace.open"
        alone $rounds $how
        check "$rounds rounds, $how: the trace has every event" nothing_lost "$trace"
        check "$rounds rounds, $how: the trace is incomplete" incomplete "$trace"
    done
done
check "info prints how many events were recovered" says '~^recovered +[0-9]+ events of killed ranks, from .*killed.tl.open' "$scratch/info"
text "$trace" >"$scratch/before.txt"
check "an incomplete trace is packed" "$timeless" pack "$trace" -o "$scratch/packed.tl"
check "the packed trace has every event" nothing_lost "$scratch/packed.tl"
check "the packed trace is incomplete" incomplete "$scratch/packed.tl"
check "an incomplete trace is packed in place" "$timeless" pack "$trace" -o "$trace"
check "packed in place: the trace has every event" nothing_lost "$trace"
check "packed in place: TRACE.open is removed" removed "$trace.open"
check "packed in place: the text is unchanged" diff "$scratch/before.txt" <(text "$trace")
alone 10 finalize; cp "$trace" "$scratch/other.tl"
alone 10 kill; cp "$trace.open" "$scratch/other.tl.open"
check "TRACE.open of another run is ignored" "$timeless" info "$scratch/other.tl"
head -c 300 "$trace.open" >"$scratch/x"; cp "$scratch/x" "$trace.open"
check "a truncated TRACE.open: the trace is incomplete" incomplete "$trace"

# Under mpirun; what record says.
unset TIMELESS_VOLUME
"$timeless" record --volume none -o "$trace" -- $MPIRUN -np 3 "$scratch/killed" 30 kill >/dev/null 2>"$scratch/said"
check "3 ranks: record points to TRACE.open" says \
    '~killed.tl.open holds the last events of [123] killed ranks?: keep it beside the trace' "$scratch/said"
check "3 ranks: record names a killed rank" says '~incomplete: rank [012] was killed' "$scratch/said"
"$timeless" record --volume none -o "$trace" -- $MPIRUN -np 3 "$scratch/killed" 30 finalize 2>"$scratch/said"
check "the next recording leaves no TRACE.open" removed "$trace.open"
export TIMELESS_VOLUME=none

# At any moment, from outside.
rounds_known() { # rank 0 has all rounds that the program has counted
    local counted=$(od -An -tu8 "$scratch/counter" | tr -d ' ') seen
    seen=$(grep -c '^0 [0-9]* MPI_Sendrecv ' "$scratch/part.events")
    [ "$counted" -gt 0 ] && [ "$seen" -ge $((2 * counted)) ] && [ "$seen" -le $((2 * counted + 2)) ] && return
    echo "$counted rounds, $seen exchanges"; "$timeless" info "$trace" 2>&1; return 1
}
alone 100000 finalize; events "$trace" | grep '^0 ' >"$scratch/whole.events"
is_beginning() { local n; n=$(wc -l <"$scratch/part.events"); [ "$n" -gt 2 ] &&
    cmp -n "$(stat -c %s "$scratch/part.events")" "$scratch/part.events" "$scratch/whole.events"; }
for moment in $MOMENTS; do
    rm -f "$scratch/counter" "$trace" "$trace.open"
    LD_PRELOAD=$tracer TIMELESS_OUTPUT=$trace "$scratch/killed" 100000 wait "$scratch/counter" >/dev/null 2>&1 &
    program=$!
    until [ "$(od -An -tu8 "$scratch/counter" 2>/dev/null | tr -d ' ')" -gt 0 ] 2>/dev/null; do sleep 0.01; done
    sleep $moment
    "$timeless" info "$trace" >"$scratch/live" 2>&1 # of a run that goes on
    { kill -KILL $program; wait $program; } 2>/dev/null
    events "$trace" | grep '^0 ' >"$scratch/part.events"
    check "killed from outside after $moment s: no round is lost" rounds_known
    check "killed from outside after $moment s: the events are a beginning of the run" is_beginning
    check "killed from outside after $moment s: info of the running program reports no damage" says '~^complete +no$' "$scratch/live"
done

# No room.
# Without these settings both MPIs write large files of their own: PMIx and shared memory of Open MPI, and UCX for MPICH.
limited() { (export PMIX_MCA_gds=hash OMPI_MCA_btl=self UCX_TLS=self; ulimit -f "$1"; shift; alone "$@"); }
runs_through() { local code; limited "$@"; code=$?; [ $code = 0 ] || { cat "$scratch/said"; echo "exit code $code"; return 1; }; }
whole 3000
unset TIMELESS_QUIET
check "a limit on the size of files below that of TRACE.open: the program runs as without the tracer" runs_through 200 3000 finalize
check "a limit on the size of files below that of TRACE.open: a message reports it" says \
    '~killed.tl.open: cannot be written: File too large: a rank that is killed loses its last events' "$scratch/said"
check "a limit on the size of files below that of TRACE.open: the trace is complete" "$timeless" info "$trace"
export TIMELESS_QUIET=1

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    # mounted TYPE OPTIONS SCRIPT: in a folder of a file system of its own
    mounted() { mkdir -p "$scratch/mount"; unshare -m bash -c 'mount -t "$1" -o "$2" "$1" "$3" ||
        exit 99; cd "$3"; eval "$4"' bash "$1" "$2" "$scratch/mount" "$3"; }
    export tracer timeless scratch
    run='LD_PRELOAD=$tracer TIMELESS_OUTPUT=$PWD/killed.tl "$scratch/killed"'
    for size in 4 16 40 80 120 200 400 2000; do
        check_exit 0 "a disk of $size KiB: the program runs as without the tracer" mounted tmpfs size=${size}k "$run 3000 finalize"
    done
    keep='cp killed.tl* "$scratch/"; true'
    rm -f "$trace"*; mounted tmpfs size=400k "$run 3000 kill; $keep" >/dev/null 2>&1
    check "a disk with room for short frames only: the trace has every event" nothing_lost "$trace"
    rm -f "$trace"*; mounted ramfs size=1m "$run 3000 kill; $keep" >/dev/null 2>&1
    check "a file system that allocates nothing: the trace has every event" nothing_lost "$trace"
    filled='until [ -s killed.tl.open ]; do sleep 0.01; done; head -c 100000000 /dev/zero >rest 2>/dev/null'
    check_exit 0 "a disk that becomes full while the program runs: the program runs as without the tracer" \
        mounted tmpfs size=3m "$run 200000 finalize & $filled; wait \$!"
else
    skip "a full disk" "no mounts are allowed here"
fi
tap_done
