#!/usr/bin/env bash
# Programs with sub-communicators and Cartesian ones are exported to GOAL: the messages, by formulas of the rank, and the
# same makespan after an import.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
schedules=$top_srcdir/traces/schedules
params=(--engine loggops --model "$top_srcdir/platforms/star-1g/model.conf" --params)
replayed() { "$timeless" replay "$1" -q "${params[@]}" "$2"; }

# 2 x 3 ranks: comm 3 is MPI_COMM_WORLD again, 4 the row, 5 the column from below, 6 the grid without periods.
trace() { # CALL: of the neighbours
    awk -v call="$1" '
    function event(text) { print rank, n++, text }
    function at(i, j) { return i < 0 || i > 1 || j < 0 || j > 2 ? "null" : 3 * i + j }
    BEGIN {
        print "timeless-text 1\nranks 6\nvolume_unit \"cpu-ns\""
        for (rank = 0; rank < 6; rank++) {
            i = int(rank / 3); j = rank % 3; n = 0; up = (rank + 1) % 6; down = (rank + 5) % 6
            around = at(i - 1, j) "," at(i + 1, j) "," at(i, j - 1) "," at(i, j + 1)
            print "rank " rank " host=\"h\""
            print "comm 3 parent=1 call=MPI_Comm_dup members=[0-5]"
            print "comm 4 parent=1 call=MPI_Comm_split members=[" 3 * i "-" 3 * i + 2 "]"
            print "comm 5 parent=1 call=MPI_Comm_split members=[" 3 + j "," j "]"
            print "comm 6 parent=3 call=MPI_Cart_create members=[0-5] sources=[" around "] destinations=[" around "]"
            event("MPI_Irecv count=100 type_bytes=1 peer=" down " tag=7 comm=1 request=1 volume=" 1000 + rank)
            event("MPI_Irecv count=5000 type_bytes=1 peer=" down " tag=7 comm=3 request=2")
            event("MPI_Isend count=5000 type_bytes=1 peer=" up " tag=7 comm=3 request=3")
            event("MPI_Isend count=100 type_bytes=1 peer=" up " tag=7 comm=1 request=4")
            event("MPI_Waitall list=[1,2,3,4]")
            event("MPI_Sendrecv count=64 type_bytes=8 peer=" (j + 1) % 3 " tag=1 " \
                "recv_count=64 recv_type_bytes=8 recv_peer=" (j + 2) % 3 " recv_tag=1 comm=4 volume=500")
            event(i ? "MPI_Recv count=3 type_bytes=1 peer=1 tag=7 comm=5" : "MPI_Send count=3 type_bytes=1 peer=0 tag=7 comm=5")
            event("MPI_Sendrecv count=16 type_bytes=8 peer=" at(i, j + 1) " tag=2 " \
                "recv_count=16 recv_type_bytes=8 recv_peer=" at(i, j - 1) " recv_tag=2 comm=6")
            if (call) event(call)
            event("MPI_Finalize clock_ns=0 volume=50")
            print "end finalized clock_ns=0"
        }
    }' | "$timeless" undump - -o "$2"
}
# The messages by formulas: SOURCE DESTINATION BYTES, sorted.
messages() { # BYTES of the message to each neighbour, 0: none
    for r in 0 1 2 3 4 5; do
        local i=$((r / 3)) j=$((r % 3))
        echo "$r $(((r + 1) % 6)) 100"
        echo "$r $(((r + 1) % 6)) 5000"
        echo "$r $((3 * i + (j + 1) % 3)) 512"
        [ $i = 1 ] || echo "$r $((r + 3)) 3"
        [ $j = 2 ] || echo "$r $((r + 1)) 128"
        [ "$1" = 0 ] && continue
        [ $i = 0 ] || echo "$r $((r - 3)) $1"
        [ $i = 1 ] || echo "$r $((r + 3)) $1"
        [ $j = 0 ] || echo "$r $((r - 1)) $1"
        [ $j = 2 ] || echo "$r $((r + 1)) $1"
    done | sort
}
# A reader of GOAL of its own: sends as SOURCE DESTINATION BYTES; and whether the k-th send from one rank to another with a
# tag has as many bytes as the k-th receive there.
sends() { awk '$1 == "rank" { r = $2 } $2 == "send" { print r, $5, $3 + 0 }' "$1" | sort; }
receives() { awk '$1 == "rank" { r = $2 } $2 == "recv" { print $5, r, $3 + 0 }' "$1" | sort; }
pairs() {
    awk '$1 == "rank" { r = $2 }
        $2 == "send" { k = r " " $5 " " $7; s[k] = s[k] " " $3 }
        $2 == "recv" { k = $5 " " r " " $7; d[k] = d[k] " " $3 }
        END { for (k in s) if (s[k] != d[k]) { print k ":" s[k] " !=" d[k]; bad = 1 } for (k in d) if (!(k in s)) bad = 1; exit bad }' "$1"
}
same_messages() { messages "$2" >formula.txt; diff -u formula.txt <(sends "$1") && diff -u formula.txt <(receives "$1") && pairs "$1"; }

trace '' plain.tl
trace 'MPI_Neighbor_alltoall count=10 type_bytes=8 recv_count=10 recv_type_bytes=8 comm=6' around.tl
trace 'MPI_Neighbor_allgather count=7 type_bytes=8 recv_count=7 recv_type_bytes=8 comm=6' gather.tl
check 'sub-communicators and a grid are exported to GOAL' "$timeless" export --to goal plain.tl -o plain.goal
check 'the messages are those of the formulas, between ranks of MPI_COMM_WORLD' same_messages plain.goal 0
check 'neighbourhood collectives are exported to GOAL' "$timeless" export --to goal around.tl -o around.goal
check 'MPI_Neighbor_alltoall has a message to each neighbour, none over the border' same_messages around.goal 80
"$timeless" export --to goal gather.tl -o gather.goal
check 'MPI_Neighbor_allgather has a message to each neighbour, none over the border' same_messages gather.goal 56
check 'tags of MPI_COMM_WORLD remain, equal ones of another communicator change' sh -c \
    'grep -q "send 100b .* tag 7$" plain.goal && ! grep "send 5000b .* tag 7$" plain.goal && grep -q "send 512b .* tag 1$" plain.goal'
"$timeless" import --from goal plain.goal -o again.tl
for p in L=5us,o=2us,g=2us,G=2.5ns,O=1ns L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=200 L=1us,o=3us,g=4us,G=1ns,O=0ns; do
    check "the import takes as long as the trace, with $p" equal "$(replayed plain.tl $p)" "$(replayed again.tl $p)"
done
check "SimGrid's engine: the import takes as long as the trace" equal "$("$timeless" replay -q plain.tl -p star-1g)" \
    "$("$timeless" replay -q again.tl -p star-1g)"

# Collectives by schedules, on a communicator of some ranks, too.
for op in allreduce alltoall bcast barrier; do
    file=$(ls "$schedules/${op}"_*.sched | head -n 1)
    "$timeless" make call_$op -n 8 --bytes 1001 -o coll.tl
    check "$op becomes the messages of a schedule" "$timeless" export --to goal coll.tl --coll $op="$file" -o coll.goal
    "$timeless" import --from goal coll.goal -o coll2.tl
    check "$op takes as long as by the schedule" equal \
        "$("$timeless" replay -q coll.tl "${params[@]}" L=5us,o=2us,g=2us,G=2.5ns,O=1ns --coll $op="$file")" \
        "$(replayed coll2.tl L=5us,o=2us,g=2us,G=2.5ns,O=1ns)"
done
trace 'MPI_Barrier comm=4 clock_ns=0' rows.tl
check 'a barrier of each row becomes messages' "$timeless" export --to goal rows.tl \
    --coll barrier="$schedules/barrier_dissemination.sched" -o rows.goal
{ messages 0; for r in 0 1 2 3 4 5; do for d in 1 2; do echo "$r $((r / 3 * 3 + (r + d) % 3)) 0"; done; done; } | sort >rows.txt
check 'the barrier of 3 ranks has 2 rounds in each row' diff -u rows.txt <(sends rows.goal)

export_refused() { # EXIT PATTERN TRACE OPTION...
    local code=$1 pattern=$2 trace=$3
    shift 3
    "$timeless" export --to goal "$trace" "$@" -o no.goal 2>err.txt
    [ $? = "$code" ] && [ ! -e no.goal ] && grep -Eq "$pattern" err.txt || { cat err.txt; return 1; }
}
# Without options, they become the messages of the algorithm by which the trace is replayed.
same_without_options() { # TRACE
    local p
    "$timeless" export --to goal "$1" -o own.goal && pairs own.goal || return
    for p in L=5us,o=2us,g=2us,G=2.5ns,O=1ns L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=200; do
        equal "$(replayed "$1" $p)" "$("$timeless" replay -q own.goal "${params[@]:0:2}" --params $p)" || return
    done
}
for op in allgather allreduce alltoall barrier bcast gather reduce scatter; do
    "$timeless" make call_$op -n 11 --bytes 1001 -o coll.tl
    check "$op without options takes as long as the trace" same_without_options coll.tl
done
check 'so does a barrier of each row' same_without_options rows.tl
few() { # RANKS: of programs whose ranks have a message from each other rank, of another size from each
    printf '%s\n' 'skeleton 1' "ranks $1" 'MPI_Reduce_scatter_block count=100 type_bytes=8' >scatter.skel
    printf '%s\n' 'skeleton 1' "ranks $1" 'mpi "MPICH Version: 4.0.2"' 'MPI_Scan count=100 type_bytes=8' >scan.skel
}
few 11
check 'reduce_scatter, too' same_without_options scatter.skel
check 'and the scan of MPICH' same_without_options scan.skel
few 1024
check '1024 ranks take seconds, not half a minute' bash -c 'ulimit -t 15; "$0" export --to goal scatter.skel -o many.goal' "$timeless"
check '--coll without a file is refused' export_refused 2 'give CALL=FILE' rows.tl --coll barrier=ring
check '--coll of an unknown collective is refused' export_refused 2 'no schedule for .scan' rows.tl --coll scan=./x.sched
check '--coll needs --to goal' export_refused 2 'needs --to goal' rows.tl --coll barrier=./x.sched --to simgrid
check 'a nonblocking neighbourhood collective is refused' eval \
    'trace "MPI_Ineighbor_allgather count=1 type_bytes=8 recv_count=1 recv_type_bytes=8 comm=6 request=9" nb.tl &&
        export_refused 3 "cannot say MPI_Ineighbor_allgather" nb.tl'
trace 'MPI_Comm_split comm=1 new_comm=4 color=1 key=0' split.tl 2>/dev/null || trace 'MPI_Comm_dup comm=1 new_comm=3' split.tl
check 'calls that make communicators are left out, and the file says so' sh -c \
    '"$1" export --to goal split.tl -o split.goal && grep -q "^// left out: 6 calls" split.goal &&
        "$1" import --from goal split.goal -o split2.tl' - "$timeless"
tap_done
