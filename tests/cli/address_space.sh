# address_space.sh - replays under a limit on address space ('ulimit -v'), as clusters set it.
. "$top_srcdir/tests/tap.sh"
cd "$scratch"
limit_kb=2097152
replay() { "$timeless" replay "$1" --platform "$top_srcdir/platforms/fat-tree" --ranks-per-host "${@:2}"; }
limited() { (ulimit -v $limit_kb && replay "$@"); }
printed_in() { sed -n 's/^makespan *//p' "$1"; }
same() { printed_in free >one && test -s one && printed_in limited | diff one -; }

if [ -n "${SANITIZE:-}" ]; then
    skip "replays in 2 GB of address space" "the sanitizers reserve terabytes"
    tap_done
    exit
fi
"$timeless" make call_alltoall --ranks 64 --bytes 4096 --iterations 1 -o many.tl || exit 99
replay many.tl 4 >free
check "64 ranks in 2 GB of address space: the replay succeeds" limited many.tl 4
cp out limited
check "64 ranks in 2 GB of address space: the makespan is that without a limit" same

"$timeless" make token --ranks 4 --bytes 1000000000 --iterations 1 -o long.tl || exit 99
replay long.tl 1 >free
check "a message of 1 GB without a limit: the replay succeeds" test -n "$(printed_in free)"
check_exit 4 "a message of 1 GB in 2 GB of address space: exit code 4" limited long.tl 1
cp err said
check "a message of 1 GB in 2 GB of address space: the error names ulimit -v" \
    grep -q "1000 MB of message buffers are needed, but 'ulimit -v'" said

# allreduce COUNT TYPE_BYTES FILE: on two ranks
allreduce() {
    {
        printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "cpu-ns"' 'program "./a.out"'
        for rank in 0 1; do
            printf '%s\n' "rank $rank host=\"a\"" "$rank 0 MPI_Init clock_ns=0 volume=0" \
                "$rank 1 MPI_Allreduce count=$1 type_bytes=$2 comm=1 volume=0" \
                "$rank 2 MPI_Finalize clock_ns=1000 volume=0" 'end finalized clock_ns=1000'
        done
    } >allreduce.txt
    "$timeless" undump allreduce.txt -o "$3" || exit 99
}
allreduce 500 16777216 huge.tl
check_exit 3 "an allreduce of 8 GB: SimGrid's engine refuses it" replay huge.tl 1
cp err said
check "an allreduce of 8 GB: the error names --engine loggops" \
    grep -q "event 1 (MPI_Allreduce, .*): a reduction of 8389 MB, but SimGrid's .* use --engine loggops" said
check "an allreduce of 8 GB: the LogGOPS engine replays it" \
    "$timeless" replay huge.tl --engine loggops --params L=5us,o=2us,g=2us,G=1ns,O=0,S=1000 \
    --model "$top_srcdir/platforms/fat-tree/model.conf"

allreduce 1000000000 1 large.tl
full() { (ulimit -v 9000000 && replay large.tl 1 --cfg=contexts/stack-size:3000000); }
check_exit 4 "an allreduce of 1 GB without room for it: exit code 4" full
cp err said
check "an allreduce of 1 GB without room for it: the error names the memory that SimGrid asks for" \
    grep -q "out of memory: SimGrid asks for a block of" said
tap_done
