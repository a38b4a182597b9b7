#!/usr/bin/env bash
# call_times.sh - how long calls take is recorded on request, and stands beside the prediction.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile call_times -I"$top_srcdir/tracer"
compile threads -pthread -Wno-stringop-overflow
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
recorded() { $timeless record "$@"; }
check "a program with a stall of 200 ms is recorded with call times" recorded --call-times -o stall.tl -- $MPIRUN -np 2 ./call_times 50
"$timeless" dump stall.tl >stall.txt

# took RANK CALL: the durations of a call in ms, one a line
took() { sed -n "s/^$1 [0-9]* $2 .*took_ns=\([0-9]*\) .*/\1/p" stall.txt | awk '{print $1 / 1e6}'; }
before_calls='Init|Finalize|Wtime|Comm_free|Cancel|Request_free' # recorded when they begin, or without a time
untimed() { grep -E '^[01] [0-9]+ MPI_' stall.txt | grep -vE "took_ns=|MPI_($before_calls) "; }
check_exit 1 "each MPI call that is recorded at its end has a duration" untimed
# The stalls are of 200 and 120 ms. A busy machine may keep the one who waits from its core for a part of them, and one who polls
# is in MPI_Test for a part of the time only.
has_long() { took "$1" "$2" | awk -v least="$3" '$1 >= least && $1 < 1000 {found = 1} END {exit !found}' || { took "$1" "$2"; return 1; }; }
check "rank 1 received one message 200 ms late" has_long 1 MPI_Recv 100
check "MPI_Test has the time of the failed polls, which are no events" has_long 1 MPI_Test 10

check "failed polls are recorded before a kernel" recorded --call-times --clocks all -o polls.tl -- $MPIRUN -np 2 ./call_times 1 polls
check "MPI_Wtime and calls that are recorded when they begin have no duration" test \
    "$("$timeless" dump polls.tl | grep -E "^1 [0-9]+ MPI_($before_calls) " | grep -vc took_ns=)" = 5
check "a call after a kernel that took failed polls does not have their time" awk '$1 == 1 && /MPI_Pcontrol/ {
    sub(/.*took_ns=/, ""); print; found = $1 > 0 && $1 < 1e7 } END {exit !found}' <("$timeless" dump polls.tl)

# Beside the prediction.
details() { "$timeless" replay stall.tl --platform star-1g --ranks-per-host 1 --details "$@"; }
check "the trace is replayed with details" details --json=stall.json
# rows TEXT: the rows below the heading of a table
rows() { awk -v title="$1" 'NF == 0 {inside = 0} inside {print} $0 ~ title "$" {inside = 1}'; }
# is_stall: rows "MEASURED PREDICTED DIFFERENCE CALLS LONGEST RANK NAME", the greatest difference first; one is that of the late receive,
# perhaps not the first one: a busy machine delays other receives, too
is_stall() {
    awk '$1 > 0.1 && $3 > 0.1 && $5 > 0.1 && $6 == 1 && /MPI_Recv/ {found = 1} /^The clock/ {next}
        {size = $3 < 0 ? -$3 : $3 + 0; wrong += NR > 1 && size > last; last = size; print} END {exit !found || wrong}'
}
check "replay --details: the call site that received late is in order of the differences" is_stall < <(details | rows 'call site, sum of all ranks')
compared() { "$timeless" compare stall.json "$@"; }
check "compare: the call site that received late is in order of the differences" is_stall < <(compared | rows 'call site, sum of all ranks')
check "compare: and MPI_Recv among the calls" is_stall < <(compared | rows 'call, sum of all ranks')
echo makespan,1 >makespan.csv
check_exit 1 "compare --measured prints no times of the recorded calls" grep 'sum of all ranks' <(compared --measured makespan.csv)
json_rows() { compared --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["call_times"]["sites"]
sizes = [abs(row["measured_s"] - row["predicted_s"]) for row in rows]
assert sizes == sorted(sizes, reverse=True), rows
assert any("MPI_Recv" in row["name"] and row["longest_rank"] == 1 and row["measured_s"] - row["predicted_s"] > 0.1 for row in rows), rows'; }
check "compare --json has them in the same order" json_rows
check "the engine loggops has them, too" is_stall < <(details --engine loggops | rows 'call site, sum of all ranks')
report() { "$timeless" report stall.tl --platform star-1g --ranks-per-host 1 -o stall.html && grep -q '"call_times":' stall.html; }
check "report: the page has them" report

# Without the option; and what it costs.
check "the program is recorded without call times" recorded -o plain.tl -- $MPIRUN -np 2 ./call_times 50
check_exit 1 "without the option no event has a duration" grep took_ns= <("$timeless" dump plain.tl)
check_exit 1 "and a prediction has no times of calls" grep '"call_times":' <("$timeless" replay plain.tl --platform star-1g --details --json)
check "20,000 calls are recorded with call times" recorded --call-times -o long.tl -- $MPIRUN -np 2 ./call_times 5000
# The same events with and without durations, both packed: bytes of a duration.
bytes_each() {
    "$timeless" dump long.tl | sed 's/ took_ns=[0-9]*//' | "$timeless" undump - -o without.tl &&
        "$timeless" pack without.tl -o packed.tl && "$timeless" pack long.tl -o with.tl &&
        awk -v with="$(stat -c %s with.tl)" -v without="$(stat -c %s packed.tl)" -v n="$("$timeless" dump long.tl | grep -c took_ns=)" \
            'BEGIN {each = (with - without) / n; printf "%.2f bytes each\n", each; exit !(n > 19000 && each < 2.5)}'
}
check "a duration takes less than 2.5 bytes" bytes_each
check "undump reads the durations of a dump" bash -c '"$0" undump stall.txt -o back.tl && "$0" dump back.tl | diff - stall.txt' "$timeless"
check "cut keeps them" bash -c '"$0" cut stall.tl --events 5:20 -o part.tl && "$0" dump part.tl | grep -q took_ns=' "$timeless"

# Ranks that share a core.
check "with --folded, call times are recorded" recorded --folded --call-times -o folded.tl -- $MPIRUN -np 4 ./call_times 50
folded() { "$timeless" replay folded.tl --platform star-1g --details --json=folded.json && "$timeless" compare folded.json --all; }
check "folded: the clock is reported as not comparable" prints '~The clock of the recording is not comparable: ' folded
check_exit 5 "folded: a tolerance is refused" "$timeless" compare folded.json --tolerance 10%

# Threads, and a child.
check "8 threads on 3 ranks, one of which forks, are recorded" recorded --call-times -o threads.tl -- $MPIRUN -np 3 ./threads 8 10 fork
check "their trace is complete" says '~^complete +yes' <("$timeless" info threads.tl)
threads_have() { "$timeless" dump threads.tl | grep -E '^[0-2] [0-9]+ (MPI_Allreduce|Return) ' | grep -c took_ns=; }
check "their calls have durations" test "$(threads_have)" -ge 240
check "their trace is replayed" "$timeless" replay threads.tl --platform star-1g --no-compute --details

# Of an archive of DUMPI: MPI_Wait has the 100 ns of a failed test.
imported() { python3 "$top_srcdir/tests/cli/dumpi_write.py" dumpi && "$timeless" import --from dumpi --call-times -o dumpi.tl dumpi/all.meta &&
    "$timeless" dump dumpi.tl | grep -q '^0 3 MPI_Wait request=1 took_ns=200 volume=[0-9]* polls=1 '; }
check "import --from dumpi --call-times keeps durations" imported

of_mpich=
! uses_mpich || of_mpich=-DOF_MPICH
$MPIFORT -O1 -g -fallow-argument-mismatch -ffree-line-length-none -w -J "$scratch" $of_mpich -DMPIF_H -o fortran "$here/fortran/calls_p2p.F90"
check "a Fortran program is recorded with call times" recorded --call-times -o fortran.tl -- $MPIRUN -np 2 ./fortran
"$timeless" dump fortran.tl >stall.txt
check_exit 1 "its MPI calls have durations" untimed
tap_done
