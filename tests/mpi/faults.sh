# faults.sh - whatever happens to a run or to its trace, the program goes on as it does without us, one
# line at most says so, and what has been written can be read and says why it stops.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
: "${SANITIZE:=}"
[ -z "$SANITIZE" ] || ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0:handle_abort=0 # the program's own signals end it
compile faults -rdynamic
$MPICC -I"$top_builddir" -shared -fPIC -O1 -o "$scratch/starve.so" "$here/starve.c" -ldl ||
    { tap_result 'not ok' "compile starve.c"; tap_done; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
rounds=15000
export ROUNDS=$rounds
trace=$scratch/faults.tl

# plain HOW: what the program prints and exits with by itself; traced HOW [COMMAND...]: the same under
# `timeless record`, what is said goes to $scratch/said, what info says to $scratch/info
plain() { $MPIRUN $options -np 2 "$scratch/faults" "$@" >"$scratch/plain" 2>/dev/null; echo "exit $?" >>"$scratch/plain"; }
traced() {
    $timeless record -o "$trace" -- $MPIRUN $options -np 2 "$scratch/faults" "$@" >"$scratch/traced" 2>"$scratch/said"
    echo "exit $?" >>"$scratch/traced"
    $timeless info "$trace" >"$scratch/info" 2>&1
}
options=
same() { diff <(without_process "$scratch/plain") <(without_process "$scratch/traced"); }
# mpiexec.hydra prints the PID and the exit code of one process that ended: the one with the fault, or another
# that it killed then.
without_process() { sed 's/ PID [0-9]* / /; s/^=   EXIT CODE: [0-9]*$/=   EXIT CODE:/' "$1"; }
without_trace() { diff <(sed 's/^exit 0$/exit 3/' "$scratch/plain") "$scratch/traced"; } # record tells
warnings() { grep -cE '^timeless: (rank [0-9]+:|no trace:)' "$scratch/said"; }
once() { [ "$(warnings)" = 1 ] || { cat "$scratch/said"; return 1; }; }
never() { [ "$(warnings)" = 0 ] || { cat "$scratch/said"; return 1; }; }
info_says() { says "~$1" "$scratch/info"; }
complete() { info_says '^complete +yes'; }
# keeps RANK: at most 64 KiB of events are; one has 8 bytes and more in a frame
keeps() { awk -v rank="$1" -v least=$((rounds - 8192)) -v most=$((2 * rounds + 10)) \
    '$1 == rank && $2 >= least && $2 <= most { found = 1 } END { exit !found }' "$scratch/info" || { cat "$scratch/info"; return 1; }; }

# ---- the program ends as it should not ----
began=$SECONDS
plain none; traced none
limit=$((4 + SECONDS - began)) # of a run that has to begin within it
check "no fault: the program runs as without the tracer" same
check "no fault: the trace is complete" complete

# same_as_some HOW: the traced run is like an untraced one. Those of MPICH 4.2.1 differ among themselves: mpiexec.hydra exits
# with 0 in one of eight runs whose ranks are all killed, and an abort reaches rank 0 in every second run before it prints.
same_as_some() {
    local n
    for ((n = 0; n < 40; n++)); do
        ! same || return 0
        [ "${MPI:-}" = mpich ] || return 1
        plain "$1"
        end_left
    done
    return 1
}
# MPICH 4.2.1 ends after an MPI error of rank 1 while rank 0 still waits for it, at full speed and for ever, traced or not.
end_left() {
    local left
    # shellcheck disable=SC2086 # several processes
    ! left=$(pgrep -f "^$scratch/faults ") || kill -KILL $left
}
# ending HOW PATTERN: how info says that rank 1 ended
ending() {
    plain "$1" & traced "$1" # both wait for most of their time
    wait $!
    end_left
    check "$1: output and exit code are as without the tracer" same_as_some "$1"
    check "$1: the tracer prints nothing" never
    check "$1: the trace has the end of rank 1" info_says "^ +1 +[0-9]+ +[0-9]+ +.* $2"
    check "$1: rank 1 loses at most 64 KiB" keeps 1
    check "$1: rank 0 loses at most 64 KiB" keeps 0
}
# A rank that is killed while it writes leaves a torn frame.
killed='(killed|damaged)'
ending kill "$killed"
check "kill: the clock of a killed rank is that of its last mark, or unknown" info_says '^ +1 .*(unknown|> [0-9.]+) +(killed|damaged)'
ending killall "$killed"
ending segv killed
ending quick killed
ending abort aborted
ending leave 'exited without MPI_Finalize'
ending error "$killed"
options="--timeout $limit"
ending stop "$killed"
options=

# ---- the trace cannot go on; the program can ----
plain none
# going_on NAME PATTERN [SAME]: one line was said, which matches
going_on() {
    check "$1: the program runs as without the tracer" "${3:-same}"
    check "$1: one rank reports the fault for all" once
    check "$1: the message names the fault" says "~^timeless: (rank [0-9]+: |no trace: ).*$2" "$scratch/said"
}
# A file system of 160 KiB is full in the middle of the run: a part of every rank is there.
in_namespace=
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then in_namespace="unshare -m"
elif unshare -rm true 2>/dev/null; then in_namespace="unshare -rm"
fi
mounted() { # FOLDER MOUNT-ARGUMENTS -- COMMAND: keeps a copy of the trace in $scratch/kept.tl
    local folder=$1 arguments=$2; shift 3
    mkdir -p "$folder"
    $in_namespace bash -c \
        'folder=$1 kept=$2; shift 2; mount '"$arguments"' "$folder" || exit 99; "$@"; code=$?; cp "$folder"/*.tl "$kept" 2>/dev/null; exit $code' \
        bash "$folder" "$scratch/kept.tl" "$@"
}
if [ -n "$in_namespace" ]; then
    trace=$scratch/small/faults.tl
    full() { mounted "$scratch/small" "-t tmpfs -o size=160k tmpfs" -- \
        $timeless record -o "$trace" -- $MPIRUN -np 2 "$scratch/faults" none >"$scratch/traced" 2>"$scratch/said"
        echo "exit $?" >>"$scratch/traced"; $timeless info "$scratch/kept.tl" >"$scratch/info" 2>&1; }
    # If both ranks find room at the same moment, one frame may have a hole, and no reason has room any more; info names the damage.
    for _ in 1 2 3 4 5; do
        full
        grep -q '^complete .*damaged in' "$scratch/info" || break
    done
    going_on "a full disk" 'faults.tl:[0-9]+: cannot be written: No space left on device'
    check "a full disk: the file is not damaged" info_says '^complete +no$'
    check "a full disk: the trace has the reason for rank 0" info_says '^ +0 +[0-9]+ .*tracer failed .*No space left on device'
    check "a full disk: the trace has the reason for rank 1" info_says '^ +1 +[0-9]+ .*tracer failed .*No space left on device'
    mkdir -p "$scratch/small"; : >"$scratch/small/x"
    readonly_folder() { mounted "$scratch/small" "--bind -o ro $scratch/small" -- "$@"; }
    check_exit 4 "a folder that cannot be written: record refuses before the run" \
        readonly_folder $timeless record -o "$trace" -- touch "$scratch/began"
    check "a folder that cannot be written: the command does not start" test ! -e "$scratch/began"
    export TIMELESS_OUTPUT=$trace
    readonly_folder env LD_PRELOAD="$tracer" $MPIRUN -np 2 "$scratch/faults" none >"$scratch/traced" 2>"$scratch/said"
    echo "exit $?" >>"$scratch/traced"
    unset TIMELESS_OUTPUT
    going_on "a folder that cannot be written, without record" 'cannot be created: Read-only file system'
    trace=$scratch/faults.tl
else
    skip "a full disk, a read-only folder" "no mounts are allowed here; a limit on the size of files stands in"
fi
# If both ranks find room at the same moment, their frames fill the file to its limit, and no reason has room any more.
for _ in 1 2 3 4 5; do
    traced limit
    $timeless info "$trace" 2>/dev/null | grep -q '^complete .*damaged in' || break
done
going_on "a limit on the size of files" 'cannot be written: File too large'
check "a limit on the size of files: the trace has the reason for rank 0" info_says '^ +0 +[0-9]+ .*tracer failed .*File too large'
check "a limit on the size of files: the trace has the reason for rank 1" info_says '^ +1 +[0-9]+ .*tracer failed .*File too large'

traced lone-limit
going_on "a limit for one rank" 'faults.tl:[0-9]+: cannot be written: File too large'

traced remove "$trace"
going_on "the trace is removed" 'was removed while it was written' without_trace
check "the trace is removed: record reports that no trace was written" says '~^timeless: no trace was written: .*removed' "$scratch/said"
traced empty "$trace"
going_on "the trace is emptied" 'was cut short while it was written' without_trace
# If one rank fills the file again before the other one writes, neither notices; info then names the damaged part.
for _ in 1 2 3 4 5; do
    traced truncate "$trace"
    [ "$(warnings)" = 0 ] && info_says '^complete .*damaged in' >/dev/null || break
done
going_on "the trace is cut short" 'was cut short while it was written'
check "the trace is cut short: info reads the remaining events" info_says '^events +[1-9]'
traced close "$scratch/own"
going_on "the program closes the trace" 'was closed by the program'
check "a closed descriptor: the tracer does not write to the next file with its number" test \
    "$(cat "$scratch/own.0" "$scratch/own.1" | tr '\n' ,)" = mine,mine,
traced descriptors
check "no free descriptor: the program runs as without the tracer" same
check "no free descriptor: the trace is complete" complete

# Only some ranks have the tracer: the program runs, and the others are named.
plain none
# One script for all ranks, as Debian 13's mpirun crashes if its command line has several programs (Open MPI 5.0.7).
cat >"$scratch/first.sh" <<'EOS'
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -ge "$1" ] || export LD_PRELOAD=$2
shift 2; exec "$@"
EOS
partly() { # RANKS-WITH RANKS-WITHOUT
    TIMELESS_OUTPUT=$scratch/partly.tl timeout $((limit + 20)) $MPIRUN -np $(($1 + $2)) \
        sh "$scratch/first.sh" "$1" "$tracer" "$scratch/faults" none >"$scratch/traced" 2>"$scratch/said"
    echo "exit $?" >>"$scratch/traced"
}
partly 1 1
going_on "one rank without the tracer" 'rank 1 runs without the tracer'
check "one rank without the tracer: there is no trace" test ! -e "$scratch/partly.tl"
partly 1 2
check "two ranks without the tracer: the program exits 0" says '~^exit 0$' "$scratch/traced"
check "two ranks without the tracer: the message names both" says '~no trace: ranks 1, 2 run without the tracer' "$scratch/said"

cat >"$scratch/odd.sh" <<'EOS'
[ $((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2)) = 0 ] || export LD_PRELOAD=$1
shift; exec "$@"
EOS
TIMELESS_OUTPUT=$scratch/partly.tl timeout $((limit + 20)) $MPIRUN -np 4 sh "$scratch/odd.sh" "$tracer" "$scratch/faults" none \
    >"$scratch/traced" 2>"$scratch/said"
echo "exit $?" >>"$scratch/traced"
check "a script loads the tracer into some ranks: the program exits 0" says '~^exit 0$' "$scratch/traced"
check "a script loads the tracer into some ranks: one message names the others" test \
    "$(grep -c 'no trace: ranks 0, 2 run without the tracer' "$scratch/said")" = 1

if [ -n "$SANITIZE" ]; then
    skip "no memory, no descriptor" "the sanitizer has an allocator of its own; the plain build is tested"
    tap_done; exit
fi
# starving HOW ARGUMENT
starving() { STARVE=$1 LD_PRELOAD=$scratch/starve.so traced "$2"; }
starving memory flag
going_on "no memory in the middle" 'out of memory'
check "no memory in the middle of the run: the trace has the reason" info_says '^ +1 +[0-9]+ .*tracer failed .*out of memory'
starving start none
going_on "no memory at the start" 'out of memory' without_trace
starving files none
going_on "no descriptor at the start" 'Too many open files' without_trace
tap_done
