# select.sh - recording a part of the run in full: what is left out, that all ranks agree, that the
# trace replays.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
compile select -lblas
trace=$scratch/select.tl

# parts RANK: a line for each work() of the program: "full" if it has its volume, kernel and call
# sites, "bare" if it has none of them, else what it has
parts() {
    "$timeless" dump "$trace" | awk -v rank="$1" '
        function field(name,  i) {
            for (i = 4; i <= NF; i++)
                if (index($i, name "=") == 1) return substr($i, length(name) + 2)
        }
        $1 != rank || $2 !~ /^[0-9]+$/ { next }
        $3 == "dgemm" { kernel = 1 }
        field("volume") + 0 > 12000000 { volume = 1 }
        $3 == "MPI_Irecv" { site = (field("site") + 0 > 0) }
        $3 == "MPI_Wait" {
            print kernel volume site == "111" ? "full" : kernel volume site == "0" || kernel volume site == "" ? "bare" : "kernel=" kernel " volume=" volume " site=" site
            kernel = volume = site = ""
        }' | tr '\n' ' '
}
# in_all RANKS EXPECTED: the same in each of these ranks
in_all() {
    local rank
    for rank in $1; do
        [ "$(parts "$rank")" = "$2" ] || { echo "rank $rank: $(parts "$rank"), not $2"; return 1; }
    done
}
# calls: of all ranks, without what may be left out
calls() { for rank in 0 1 2 3; do "$print_events" "$1" $rank | grep -vE '^(dgemm|MPI_Iprobe|comm|MPI_Pcontrol)'; done; }
replays() { "$timeless" replay "$trace" --platform star-1g >/dev/null; }

# selected NAME EXPECTED-RANKS EXPECTED [OPTION...]: every call of MPI is there, in full where it is said
selected() {
    local name=$1 ranks=$2 expected=$3; shift 3
    check "$name: the run is recorded" $timeless record --volume cputime -o "$trace" "$@" -- $MPIRUN -np 4 "$scratch/select" $argument
    check "$name: the selected parts are recorded in full" in_all "$ranks" "$expected"
    calls "$trace" >"$scratch/these"
    check "$name: the trace has every call of MPI" equal "$(cat "$scratch/all")" "$(cat "$scratch/these")"
    check "$name: the trace is replayed" replays
}
argument=
$timeless record --volume cputime -o "$trace" -- $MPIRUN -np 4 "$scratch/select"
calls "$trace" >"$scratch/all"
check "no selection: everything is recorded in full" in_all '0 1 2 3' 'full full full full '
selected regions '0 1 2 3' 'bare full bare bare ' --regions
says_part() { "$timeless" info "$trace" | grep -q 'recorded in part: regions'; }
check "regions: info reports that the run was recorded in part" says_part
n_sections() { [ "$("$timeless" info --json --sections "$trace" | grep -c '"first_event"')" = 3 ]; }
selected "from a section" '0 1 2 3' 'bare bare bare full ' --since 2
check "from a section: info numbers the sections in the same way" n_sections
selected "sections" '0 1 2 3' 'bare full full bare ' --since 1 --until 1
selected "until a section" '0 1 2 3' 'full full full bare ' --until 1
selected "from a time that passes at once" '0 1 2 3' 'bare full full full ' --since 0.000001s
selected "until a time far ahead" '0 1 2 3' 'full full full full ' --until 1000s
selected "some ranks" '1 3' 'full full full full ' --ranks 1,3-3
check "some ranks: the other ranks have MPI calls only" in_all '0 2' 'bare bare bare bare '
argument=1
selected "a signal to one rank" '0 1 2 3' 'bare full full bare ' --signal USR2
# MPI_THREAD_MULTIPLE and MPI_THREAD_SERIALIZED
argument='1 3'
selected "several threads: a signal" '0 1 2 3' 'bare full full bare ' --signal USR2
argument='-1 2'
selected "several threads: sections" '0 1 2 3' 'bare full full bare ' --since 1 --until 1
selected "several threads: a time" '0 1 2 3' 'bare full full full ' --since 0.000001s
argument=
selected "several selections" '0 1' 'bare full bare bare ' --regions --since 1 --ranks 0-1
selected "a section that never comes" '0 1 2 3' 'bare bare bare bare ' --since 99
says_nothing() { $timeless record --volume cputime -o "$trace" --since 99 -- $MPIRUN -np 4 "$scratch/select" 2>&1 |
    grep -q 'warning: .*the program never came to this part'; }
check "a section that never comes: record warns" says_nothing

check "--exclude: the run is recorded" $timeless record -o "$trace" --exclude MPI_Iprobe,dgemm,MPI_Pcontrol -- $MPIRUN -np 4 \
    "$scratch/select"
left_out() { ! "$timeless" dump "$trace" | grep -E ' (MPI_Iprobe|dgemm|MPI_Pcontrol) '; }
check "--exclude: the trace does not have the excluded calls" left_out
check "--exclude: the trace is replayed" replays

record_refused() { check "$1" refused 2 "$2" $timeless record -o "$trace" "${@:3}" -- true; } # NAME TEXT OPTION...
record_refused "a call that replay needs" '' --exclude MPI_Iprobe,MPI_Wait
record_refused "an unknown call" '' --exclude MPI_Nothing
record_refused "no place in the run" '' --since 1.5
record_refused "no rank" '' --ranks 1,,2
record_refused "ranks backwards" '' --ranks 0,3-1
record_refused "more ranks than the tracer can be told" '' --ranks "$(seq -s, 0 2 2000)"
record_refused 'a rank that there will not be' 'the run has no rank 9; give ranks below 2' --ranks 0-1,9 -n 2
check "a rank that the run does not have is named before the run" ends_with 3 'there is no rank 9 in a run of 2 ranks' \
    $timeless record -q -o "$trace" --ranks 0,2-9 -- $MPIRUN -np 2 "$scratch/select"
check "a rank that the run does not have is named after the run" grep -q -- '--ranks names rank 9, but the run has 2 ranks' "$scratch/said"
check_exit 7 "a rank that the run does not have: the exit code of the command is kept" $timeless record -q -o "$trace" --ranks 9 \
    -- sh -c '"$@"; exit 7' - $MPIRUN -np 2 "$scratch/select"
record_refused "another signal" '' --signal KILL
record_refused "a begin after the end, in sections" '' --until 2 --since 10
record_refused 'a begin after the end, in seconds' '--since 2.5s is after --until 1s' --since 2.5s --until 1s
tap_done
