#!/usr/bin/env bash
# Programs with Cartesian communicators and others are exported to SimGrid's text: smpirun -replay takes as long as our replay
# of the original.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

# Slow links: smpirun prints six digits behind the point.
mkdir star
cat >star/platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="star" prefix="h-" suffix="" radical="0-5" speed="1kf" bw="30kBps" lat="70ms"/>
</platform>
END
printf 'h-%d\n' 0 1 2 3 4 5 >hosts

# 2 x 3 ranks. Communicator 3 is a copy of MPI_COMM_WORLD, 4 the row, 5 the column from below, 6 the grid: periods in its rows
# alone, so that the column's ends have the neighbour MPI_PROC_NULL. The tags are the same everywhere.
trace() { # CALL FILE [MAKE]: one more call; MAKE: and the call that makes the grid
    awk -v call="$1" -v make="${3:-}" '
    function event(text) { print rank, n++, text }
    function at(i, j) { return i < 0 || i > 1 ? "null" : 3 * i + (j + 3) % 3 }
    function shift(to, from, count) {
        event("MPI_Sendrecv count=" count " type_bytes=8 peer=" to " tag=7 " \
                "recv_count=" count " recv_type_bytes=8 recv_peer=" from " recv_tag=7 comm=6 volume=" 300 * (rank + 1))
    }
    BEGIN {
        print "timeless-text 1\nranks 6\nvolume_unit \"flops\""
        for (rank = 0; rank < 6; rank++) {
            i = int(rank / 3); j = rank % 3; n = 0; up = (rank + 1) % 6; down = (rank + 5) % 6
            around = at(i - 1, j) "," at(i + 1, j) "," at(i, j - 1) "," at(i, j + 1)
            print "rank " rank " host=\"h\""
            print "comm 3 parent=1 call=MPI_Comm_dup members=[0-5]"
            print "comm 4 parent=1 call=MPI_Comm_split members=[" 3 * i "-" 3 * i + 2 "]"
            print "comm 5 parent=1 call=MPI_Comm_split members=[" 3 + j "," j "]"
            print "comm 6 parent=1 call=MPI_Cart_create members=[0-5] sources=[" around "] destinations=[" around "]"
            event("MPI_Init clock_ns=0")
            if (make) event("MPI_Cart_create comm=1 new_comm=6")
            event("MPI_Irecv count=9000 type_bytes=1 peer=" down " tag=7 comm=1 request=1 volume=" 1000 + 77 * rank)
            event("MPI_Irecv count=500000 type_bytes=1 peer=" down " tag=7 comm=3 request=2")
            event("MPI_Isend count=500000 type_bytes=1 peer=" up " tag=7 comm=3 request=3")
            event("MPI_Isend count=9000 type_bytes=1 peer=" up " tag=7 comm=1 request=4")
            event("MPI_Waitall list=[1,2,3,4]")
            event("MPI_Sendrecv count=6400 type_bytes=8 peer=" (j + 1) % 3 " tag=7 " \
                "recv_count=6400 recv_type_bytes=8 recv_peer=" (j + 2) % 3 " recv_tag=7 comm=4 volume=500")
            event(i ? "MPI_Recv count=30000 type_bytes=1 peer=1 tag=7 comm=5" : \
                "MPI_Send count=30000 type_bytes=1 peer=0 tag=7 comm=5 volume=" 900 * j)
            shift(at(i, j + 1), at(i, j - 1), 1600)
            shift(at(i + 1, j), at(i - 1, j), 700)
            event("MPI_Allreduce count=1000 type_bytes=8 comm=6 volume=" 40 * rank)
            event("MPI_Bcast count=2000 type_bytes=8 peer=4 comm=3")
            if (call) event(call)
            event("MPI_Finalize clock_ns=0 volume=50")
            print "end finalized clock_ns=0"
        }
    }' | "$timeless" undump - -o "$2"
}
ours() { "$timeless" replay "$1" -q --platform star --hostfile hosts; }
theirs() {
    "$SMPIRUN" -np 6 -platform star/platform.xml -hostfile hosts -replay "$1" --cfg=smpi/host-speed:1f >theirs.log 2>&1
    sed -n 's/.*Simulation time \([0-9.]*\).*/\1/p' theirs.log
}
same_time() {
    echo "ours $1, theirs $2"
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(b > 10 && d <= 1e-6 && d >= -1e-6) }'
}
trace '' plain.tl || exit 99
trace 'MPI_Neighbor_alltoall count=900 type_bytes=8 recv_count=900 recv_type_bytes=8 comm=6' around.tl || exit 99
for name in plain around; do
    check "$name: a program with a Cartesian communicator is exported" "$timeless" export --to simgrid $name.tl -o $name
    check "$name: smpirun -replay takes as long as the original" same_time "$(ours $name.tl)" "$(theirs $name/list.txt)"
    check "$name: so does our replay of the export" same_time "$(ours $name/list.txt)" "$(theirs $name/list.txt)"
done
trace '' made.tl make || exit 99
check 'the call that makes the grid is left out' "$timeless" export --to simgrid made.tl -o made
cp err said
check 'a note on standard error says so' grep -q '^timeless: note: the text has MPI_COMM_WORLD only' said
check 'the rest is the same' sh -c 'for r in 0 1 2 3 4 5; do cmp made/rank-$r.txt plain/rank-$r.txt || exit 1; done'
# By formulas: the ends of a column send to one side only, and no message has a partner outside the six ranks.
check 'messages to MPI_PROC_NULL are left out' sh -c \
    '[ "$(grep -hE "^[0-9] (i?send) [0-9] [0-9]+ 5600$" plain/rank-*.txt | cut -d" " -f 1,3 | sort | tr "\n" " ")" = "0 3 1 4 2 5 " ]'
check 'a trace without other communicators has no note' sh -c '"$0" make ring --ranks 4 -o ring.tl &&
    "$0" export --to simgrid --no-compute ring.tl -o ring 2>said && ! grep note said' "$timeless"
refused_call() { trace "$2" no.tl && refused 3 "~$1" "$timeless" export --to simgrid no.tl -o no; } # REGEX CALL
check 'a collective on a row is refused by name' refused_call \
    'cannot say MPI_Barrier on a communicator other than MPI_COMM_WORLD \(6 events\)|MPI_Barrier on a communicator other than MPI_COMM_WORLD' \
    'MPI_Barrier comm=4 clock_ns=0'
check 'a collective on a column is refused by name' refused_call 'MPI_Allreduce on a communicator other than MPI_COMM_WORLD' \
    'MPI_Allreduce count=4 type_bytes=8 comm=5'
tap_done
