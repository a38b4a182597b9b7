#!/usr/bin/env bash
# swaps.sh - a trace has the outcome of each MPI_Compare_and_swap, and a replay has it, too.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile swaps
cd "$scratch" || exit 99
export TIMELESS_VOLUME=none

# outcomes TRACE: 1 swapped, 0 not, ? not known
outcomes() { "$timeless" dump "$1" | awk '/MPI_Compare_and_swap/ { print / swapped=1/ ? 1 : / not_swapped=1/ ? 0 : "?" }'; }
same_outcomes() { diff <(awk '{ print $2 }' "$1") <(outcomes swaps.tl); }
# In shared memory Open MPI has the result at once; by messages when the access is complete.
by_messages=rdma
! has_osc_pt2pt || by_messages=pt2pt
for component in sm $by_messages; do
    export OMPI_MCA_osc=$component
    record swaps 2 >printed
    check "$component: some accesses of the program swap and others do not" test \
        "$(awk '{ print $2 }' printed | sort -u | xargs)" = "0 1" -a "$(wc -l <printed)" = 9
    check "$component: the trace has the program's outcomes" same_outcomes printed
    check "$component: the events that were held back are in order" same_text "$here/expected/swaps" \
        bash -c '"$0" dump swaps.tl |
            sed -n "s/^0 [0-9]* MPI_\(Win_[a-z_]*\|Compare_and_swap\|Put\|Barrier\|Finalize\) .*/\1/p"' "$timeless"
done
# Open MPI 4.1's pt2pt waits forever in an epoch of so many.
export OMPI_MCA_osc=sm
check "an epoch with 5,000 accesses is recorded" record swaps 2 5000
check "an epoch with 5,000 accesses: those after the 4,096th have outcomes" test "$(outcomes swaps.tl | uniq -c | xargs)" = '4096 ? 904 0'

# 100 accesses of elements of 8 bytes, as SMPI makes them: an element here, and one there if it swaps.
trace() {
    echo 'timeless-text 1'; echo 'ranks 2'; echo 'volume_unit "none"'
    for rank in 0 1; do
        echo "rank $rank host=\"h\""
        echo 'comm 3 parent=1 call=MPI_Win_create members=[0-1]'
        echo "$rank 0 MPI_Win_create comm=1 new_comm=3"
        echo "$rank 1 MPI_Win_lock_all mode=0 comm=3"
        if [ $rank = 0 ]; then
            for ((i = 2; i < 102; i++)); do
                echo "0 $i MPI_Compare_and_swap count=2 type_bytes=$2 peer=1 recv_count=1 recv_type_bytes=$2 comm=3 $1"
            done
        else
            i=2
        fi
        echo "$rank $i MPI_Win_unlock_all comm=3"
        echo "$rank $((i + 1)) MPI_Win_free comm=3"
        echo 'end finalized clock_ns=0'
    done
}
cp -r "$here/oracle/star" star
seconds() { trace "$@" | "$timeless" undump - -o text.tl && "$timeless" replay -q -p star text.tl; }
swapped=$(seconds swapped=1 8) not_swapped=$(seconds not_swapped=1 8) unknown=$(seconds '' 8) short=$(seconds swapped=1 1)
check "an access that does not swap takes less time" test -n "$not_swapped" -a "$(awk "BEGIN { print $not_swapped < $swapped }")" = 1
check "an access without outcome takes the time of a swap" test -n "$unknown" -a "$unknown" = "$swapped"
check "an access to longer elements takes more time" test "$(awk "BEGIN { print $short < $swapped }")" = 1
tap_done
