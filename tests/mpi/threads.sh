# threads.sh - programs under MPI_THREAD_MULTIPLE: every thread is recorded, in an order that replays.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile threads -pthread
trace=$scratch/threads.tl
platform=$top_srcdir/platforms/star-1g

# calls RANK NAME: how often the rank has the call
calls() { "$timeless" dump --rank "$1" "$trace" | grep -c "^$1 [0-9]* $2 "; }
# volumes RANK: thread and sum of its volumes in milliseconds
volumes() {
    "$timeless" dump --rank "$1" "$trace" | awk '
        $3 == "Thread" {sub("tag=", "", $4); thread = $4}
        match($0, / volume=[0-9]+/) {sum[thread + 0] += substr($0, RSTART + 8, RLENGTH - 8)}
        END {for (t in sum) print t, sum[t] / 1e6}'
}
# The threads compute for 10, 20, ... 80 ms, 360 ms in all; one that comes late may take the number of one that went. On a busy
# machine, what they do between calls besides takes up to 80 ms (MPICH, load 40); a volume that counts twice would make 720 ms.
right_volumes() {
    volumes "$1" >"$scratch/volumes"
    awk '{sum += $2} $2 > 9.5 && $2 < 180 {threads++} END {exit !(sum > 350 && sum < 540 && threads > 4)}' \
        "$scratch/volumes" || { cat "$scratch/volumes"; return 1; }
}
replays() { "$timeless" replay "$trace" --platform "$platform" --ranks-per-host 1 "$@"; }

check "8 threads on 3 ranks are recorded; one thread forks" record threads 3 8 10 fork
check "the trace is complete" says '~^complete +yes' <("$timeless" info "$trace")
for rank in 0 2; do
    check "rank $rank: the trace has all collectives" test "$(calls $rank MPI_Allreduce)" = 80
    check "rank $rank: the trace has all MPI_Comm_split" test "$(calls $rank MPI_Comm_split)" = 8
    check "rank $rank: every Enter has its Return" test "$(calls $rank Enter)" -gt 0 -a \
        "$(calls $rank Enter)" -le "$(calls $rank Return)"
done
check "each thread's volume is its own" right_volumes 1
check "8 threads on 3 ranks: the trace is replayed" replays
check "8 threads on 3 ranks: the trace is replayed without computation" replays --no-compute
check "8 threads on 3 ranks: by the engine loggops" replays --engine loggops
check "8 threads on 3 ranks: the last section is cut" "$timeless" cut "$trace" --section last -o "$scratch/part.tl"
trace=$scratch/part.tl
check "8 threads on 3 ranks: the last section is replayed" replays

# A part that begins in the calls of another thread than the first.
cat >"$scratch/text" <<'EOS'
timeless-text 1
ranks 1
volume_unit "none"
rank 0 host="node"
0 0 MPI_Init clock_ns=0 volume=0
0 1 Thread tag=3 volume=0
0 2 MPI_Barrier comm=1 clock_ns=5 volume=0
0 3 MPI_Barrier comm=1 clock_ns=6 volume=0
end cut clock_ns=7
EOS
check "a part names its first thread" sh -c '"$1" undump -o "$2/whole.tl" "$2/text" &&
    "$1" cut "$2/whole.tl" --events 2:4 -o "$2/part.tl" && "$1" dump "$2/part.tl" | grep "^0 0 Thread tag=3 "' \
    - "$timeless" "$scratch"

record threads 2 1 10 && trace=$scratch/threads.tl
check "one thread only: no event is split" test "$(calls 0 Thread)$(calls 0 Enter)$(calls 0 Return)" = 000
# Threads that do not call MPI. seconds: of computation of rank 0, its regions as long as their longest thread; busy: the CPU
# time of all threads in them. Both in units of 50 ms.
compile workers -pthread -lblas
trace=$scratch/workers.tl
seconds() {
    "$timeless" dump --rank 0 "$trace" | awk '
        $3 == "Parallel" {split(substr($4, 7), w, /[],[]/); most = 0; for (i = 4; i in w; i++) {busy += w[i];
        if (w[i] > most) most = w[i]} time += w[1] + most}
        END {printf "%.0f %.0f\n", time / 5e7, busy / 5e7}'
}
for mode in '' multiple; do
    check "workers${mode:+, MPI_THREAD_MULTIPLE}: the program is recorded" $timeless record --volume cputime -o "$trace" \
        -- $MPIRUN -np 2 "$scratch/workers" $mode
    check "workers${mode:+, MPI_THREAD_MULTIPLE}: all that they compute is in volumes; four at the same time take the time of one" test "$(seconds)" = '4 7'
    check "workers${mode:+, MPI_THREAD_MULTIPLE}: what they do in BLAS are kernels" test "$(calls 1 dgemm)" = 3
done
says_nothing_missing() { "$timeless" info "$trace" >"$scratch/info" && ! grep -q 'recorded in part' "$scratch/info"; }
check "workers: nothing is missing" says_nothing_missing
check "a thread that pthread_create did not make: the program is recorded" $timeless record --volume cputime -o "$trace" \
    -- $MPIRUN -np 2 "$scratch/workers" strange
cp "$scratch/err" "$scratch/said"
missing='all but 0\.1[0-9]* s of CPU time \(at most 0\.05[0-9]* s on a rank\) of threads'
check "record states its CPU time" says "~warning: .*$missing" "$scratch/said"
check "info states it" says "~^recorded in part .*$missing" <("$timeless" info "$trace")
for engine in loggops smpi; do
    check "$engine: the trace is replayed" replays --engine $engine --json="$scratch/workers.json"
    check "$engine: the prediction is printed" replays --engine $engine
    cp "$scratch/out" "$scratch/prediction"
    check "$engine: the prediction states it" says "~^recorded in part .*$missing" "$scratch/prediction"
    check "$engine: its JSON states it" says "~\"recorded_in_part\": \"$missing" "$scratch/workers.json"
done
tap_done
