# record.sh - timeless record: options, launchers, what it says.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile ends -pthread
trace=$scratch/r.tl

check_exit 2 "record without a command exits 2" $timeless record
for launcher in mpirun /usr/bin/mpiexec; do
    check "record -n 2 -- $launcher: the message has both ways to write it" ends_with 2 \
        "~-n 2 starts the program by mpirun itself, and $launcher would be started 2 times; write 'timeless record -n 2 PROGRAM', or leave out -n 2\$" \
        $timeless record -n 2 -o "$trace" -- $launcher -np 2 true
done
check "a command that does not exist is named" ends_with 4 "~^timeless: $scratch/absent: cannot be run" \
    $timeless record -o "$trace" -- "$scratch/absent"
on_terminal() { script -qec "$timeless record -o $trace -- readlink /proc/self/fd/0" /dev/null </dev/null | grep -q ^/dev/null; }
check "on a terminal, the command does not read what is typed" on_terminal
from_pipe() { [ "$(echo typed | $timeless record -o "$trace" -- cat 2>/dev/null)" = typed ]; }
check "the command reads from a pipe" from_pipe
check_exit 4 "a tracer that does not exist exits 4" env TIMELESS_TRACER=/absent $timeless record true
check "a program without MPI: record reports that no trace was written" ends_with 3 '~^timeless: no trace was written' \
    $timeless record -o "$trace" -- true
check_exit 3 "record exits with the exit code of the command" $timeless record -o "$trace" -- sh -c 'exit 3'
check_exit 143 "a command that SIGTERM ends exits 143" $timeless record -o "$trace" -- sh -c 'kill -TERM $$'

forwards_signal() {
    $timeless record -o "$trace" -- sh -c 'trap "exit 9" USR1; echo ready; for i in $(seq 900); do sleep 0.1; done' >"$scratch/ready" &
    local pid=$! code
    until [ -s "$scratch/ready" ]; do sleep 0.05; done
    kill -USR1 $pid
    wait $pid; code=$?
    [ $code = 9 ]
}
check "record passes signals on to the command" forwards_signal

# record_refused CODE NAME REGEX OPTION...: in one line, before the command begins
record_refused() {
    check "$2" refused "$1" "~^timeless: $3" $timeless record "${@:4}" -- touch "$scratch/began"
    check "$2: the command does not start" test ! -e "$scratch/began"
}
record_refused 4 "a trace in a folder that is not there" '.*/absent/x.tl: cannot be created' -o "$scratch/absent/x.tl"
record_refused 4 "a trace that is a folder" '.*: cannot be created: Is a directory' -o "$scratch"
record_refused 4 "a trace that is a device" '/dev/full: cannot be created: Is no regular file' -o /dev/full
record_refused 2 "a volume source that does not exist" "'absent' is no volume source" -o "$trace" --volume absent

$timeless make token -n 4 -o "$trace"
cp "$trace" "$scratch/before.tl"
check_exit 3 "a run that leaves no trace exits with 3" $timeless record -o "$trace" -- true
check "a run that leaves no trace keeps the earlier trace" cmp "$scratch/before.tl" "$trace"
rm -f "$trace"
: >"$trace"
check_exit 3 "an empty file in the place of the trace exits 3" $timeless record -o "$trace" -- true
echo 'int main(void)' >"$scratch/program.c"
record_refused 2 "a file that is no trace" '.*program.c: exists and is not a trace, so it is not overwritten; give another' -o \
    "$scratch/program.c"
check "a file that is no trace keeps its content" grep -qx 'int main(void)' "$scratch/program.c"
printf a >"$scratch/a"
record_refused 2 "a file that is shorter than a trace's first bytes" '.*/a: exists and is not a trace' -o "$scratch/a"

list() { $timeless record --list-volumes | grep -E '^none +none +none +works$'; }
check "--list-volumes lists the volume sources" list

complete() { "$print_events" "$1" "$2" | grep -qx 'end 1'; }
bare() { set_for_ranks LD_PRELOAD="$tracer" TIMELESS_OUTPUT="$trace"; $MPIRUN -np 2 "${for_ranks[@]}" "$scratch/ends" &&
    complete "$trace" 1; }
check "LD_PRELOAD by an option of mpirun, without timeless record, writes a trace" bare
default_name() { (cd "$scratch" && LD_PRELOAD=$tracer ./ends && complete ends.tl 0); }
check "without TIMELESS_OUTPUT the trace is named after the program" default_name
relative() { (cd "$scratch" && rm -f x.tl && $timeless record -o x.tl -- $MPIRUN -np 2 ./ends && complete x.tl 1); }
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
check "a relative path of the trace works" relative

# Arguments and names of files are any bytes, a trace has UTF-8: é and a symbol of four bytes, then what is none.
bytes=$'\xc3\xa9\xf0\x9f\x98\x80 \xff \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82'
any_bytes() {
    cp "$scratch/ends" "$scratch/"$'ends\xe9' && $timeless record -o "$trace" -- "$scratch/"$'ends\xe9' plain "$bytes" || return
    $timeless info --json "$trace" >"$scratch/info.json" && $timeless dump "$trace" >"$scratch/dump.txt" || return
    python3 - "$scratch" <<'END'
import json, sys
program = json.load(open(sys.argv[1] + "/info.json", encoding="utf-8"))["program"]
none = "\ufffd"
wanted = "/ends" + none + " plain \u00e9\U0001f600 " + " ".join(none * n for n in (1, 2, 3, 4, 2))
assert program.endswith(wanted), ascii(program)
assert 'object="ends' + none + '"' in open(sys.argv[1] + "/dump.txt", encoding="utf-8").read()
END
}
check "a command line that is not UTF-8 is recorded as UTF-8" any_bytes

# The launcher is told what to forward; a stand-in shows how.
printf '#!/bin/sh\n[ "$1" != --version ] || exec echo "mpirun (Open MPI) 4.1.4"\necho "$@"; echo "list: $OMPI_MCA_mca_base_env_list"\n' >"$scratch/mpirun"
chmod +x "$scratch/mpirun"
stand_in() { $timeless record -o "$trace" -- "$scratch/mpirun" "$@" >"$scratch/got" 2>"$scratch/err"; }
printf '#!/bin/sh\necho "$@" >>%s\n' "$scratch/asked" >"$scratch/mpirun-all"
chmod +x "$scratch/mpirun-all"
once_only() { $timeless record -o "$trace" -- "$scratch/mpirun-all" job; equal "$(cat "$scratch/asked")" job; }
check "a script with a name like mpirun-all runs once, and is not asked for a version" once_only
stand_in -np 1 a : -np 1 b
check "record adds -x for every program of the command line" \
    says '~^-x LD_PRELOAD -x TIMELESS_OUTPUT -x TIMELESS_QUIET -x TIMELESS_RUN_ID -np 1 a : -x LD_PRELOAD -x TIMELESS_OUTPUT -x TIMELESS_QUIET -x TIMELESS_RUN_ID -np 1 b$' "$scratch/got"
thread_limits() {
    unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS
    stand_in -np 1 a
    says LD_PRELOAD "$scratch/got" && ! grep NUM_THREADS "$scratch/got" || return
    $timeless record --folded -o "$trace" -- "$scratch/mpirun" -np 1 a >"$scratch/got" 2>"$scratch/err"
    says '~-x OPENBLAS_NUM_THREADS -x OMP_NUM_THREADS -x OMP_WAIT_POLICY -x OPENBLAS_THREAD_TIMEOUT -np 1 a$' "$scratch/got"
}
check "--folded limits the threads of ranks on other hosts, too" thread_limits
export OMPI_MCA_mca_base_env_list=MINE=1
stand_in -np 1 a
check "mca_base_env_list of the environment is kept and extended" \
    says "~^list: MINE=1;LD_PRELOAD=$tracer;TIMELESS_OUTPUT=$trace;TIMELESS_QUIET=1;TIMELESS_RUN_ID=[0-9a-f]+\$" "$scratch/got"
shows_mine() { $timeless record -o "$trace" -- $MPIRUN -np 2 sh -c 'test "$MINE" = 1 && exec "$0"' "$scratch/ends" && complete "$trace" 1; }
if uses_mpich; then skip "mca_base_env_list of the environment reaches the ranks" "it is a parameter of Open MPI"
else check "mca_base_env_list of the environment reaches the ranks" shows_mine; fi
unset OMPI_MCA_mca_base_env_list
stand_in --mca mca_base_env_list 'MINE=1' -np 1 a
check "mca_base_env_list of the command line is kept and extended" \
    says "~^--mca mca_base_env_list MINE=1;LD_PRELOAD=$tracer;TIMELESS_OUTPUT=$trace;TIMELESS_QUIET=1;TIMELESS_RUN_ID=[0-9a-f]+ -np 1 a\$" "$scratch/got"
with_option() { set_for_ranks MINE=1; $timeless record -o "$trace" -- $MPIRUN -np 2 "${for_ranks[@]}" sh -c 'test "$MINE" = 1 &&
    exec "$0"' "$scratch/ends" && complete "$trace" 1; }
check "a variable that the command line gives to the ranks reaches them" with_option
tap_done
