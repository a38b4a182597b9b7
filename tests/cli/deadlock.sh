#!/usr/bin/env bash
# timeless replay: runs that cannot end are told in one line: which ranks, where they are, what each waits for; legal runs end.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# trace NAME RANK...: each rank's calls, a line each; MPI_, comm and call numbers are added
trace() {
    local name=$1 rank=-1 n line; shift
    {
        printf '%s\n' 'timeless-text 1' "ranks $#" 'volume_unit "cpu-ns"'
        for lines; do
            rank=$((rank + 1)) n=0
            printf '%s\n' "rank $rank host=\"h\"" 'site 1 object="app" offset=18'
            while read -r line; do
                case $line in
                '') continue ;;
                comm*) echo "$line"; continue ;;
                Barrier*) line="$line clock_ns=0" ;;
                Send* | Recv* | Irecv* | Isend* | Sendrecv*) line="$line type_bytes=1" ;;
                esac
                case $line in *comm=* | Wait* | Start* | Thread*) ;; *) line="$line comm=1" ;; esac
                case $line in Match* | Thread*) ;; *) line="MPI_$line site=1" ;; esac
                echo "$rank $n $line"
                n=$((n + 1))
            done <<<"$lines"
            echo 'end cut clock_ns=0'
        done
    } | "$timeless" undump - -o "$name.tl"
}
# stuck NAME TRACE TEXT...: exits with 3 after one line that has each text, in this order
stuck() {
    local texts
    printf -v texts '%s.*' "${@:3}"
    check "$1" refused 3 "${texts%.*}" "$timeless" replay "$2.tl" -p star-1g --ranks-per-host 4
}
trace tags 'Recv count=8 peer=1 tag=7' 'Send count=8 peer=0 tag=8'
stuck 'a tag that nobody sends' tags 'tags.tl: the replay cannot continue, 1 ranks wait forever: ' \
    'rank 0 in MPI_Recv (event 0, app+0x12) for a message from rank 1 with tag 7 (sends 0 of them in all, receives 1)'
trace both 'Send count=1000000 peer=1 tag=1
    Recv count=1000000 peer=1 tag=1' 'Send count=1000000 peer=0 tag=1
    Recv count=1000000 peer=0 tag=1'
stuck 'both send first' both '2 ranks wait forever' \
    'rank 0 in MPI_Send (event 0, app+0x12) for a receive by rank 1 of tag 1;' \
    'rank 1 in MPI_Send (event 0, app+0x12) for a receive by rank 0 of tag 1'
trace circle 'Recv count=8 peer=2 tag=1
    Send count=8 peer=1 tag=1' 'Recv count=8 peer=0 tag=1
    Send count=8 peer=2 tag=1' 'Irecv count=8 peer=1 tag=1 request=1
    Waitall list=[1]
    Send count=8 peer=0 tag=1'
stuck 'a circle' circle 'rank 0 in MPI_Recv (event 0, app+0x12) for a message from rank 2 with tag 1;' \
    'rank 1 in MPI_Recv (event 0, app+0x12) for a message from rank 0 with tag 1;' \
    'rank 2 in MPI_Waitall (event 1, app+0x12) for a message from rank 1 with tag 1'
trace many 'Irecv count=8 peer=1 tag=1 request=1
    Irecv count=8 peer=1 tag=2 request=2
    Waitall list=[1,2]' 'Send count=8 peer=0 tag=2'
stuck 'several requests' many \
    'rank 0 in MPI_Waitall (event 2, app+0x12) for a message from rank 1 with tag 1 (sends 0 of them in all, receives 1) or 1 other requests'
trace waits 'Barrier' 'Recv count=8 peer=2 tag=1
    Barrier' 'Barrier'
stuck 'a barrier that one rank does not reach' waits '3 ranks wait forever' \
    'rank 0 in MPI_Barrier (event 0, app+0x12) for rank 1;' \
    'rank 1 in MPI_Recv (event 0, app+0x12) for a message from rank 2 with tag 1 (sends 0 of them in all, receives 1)' \
    'rank 2 in MPI_Barrier (event 0, app+0x12) for rank 1'
trace shift 'Sendrecv count=8 peer=1 tag=1 recv_count=8 recv_type_bytes=1 recv_peer=1 recv_tag=2' \
    'Sendrecv count=8 peer=0 tag=1 recv_count=8 recv_type_bytes=1 recv_peer=0 recv_tag=2'
stuck 'Sendrecv' shift \
    'rank 1 in MPI_Sendrecv (event 0, app+0x12) for a message from rank 0 with tag 2 (sends 0 of them in all, receives 1)'
eight=(); for r in 1 2 3 4 5 6 7; do eight+=("Recv count=8 peer=0 tag=$r"); done
trace eight 'Barrier comm=2' "${eight[@]}"
stuck 'more ranks than a line takes' eight '7 ranks wait forever: rank 1 in MPI_Recv' '; and 4 more'

size='count=8 type_bytes=1'
trace calls "Bcast $size peer=0
    Allreduce $size" "Bcast $size peer=0
    Reduce $size peer=0"
stuck 'another collective' calls \
    'calls.tl: collective number 2 on a communicator of 2 ranks differs: rank 0 calls MPI_Allreduce (event 1, app+0x12), rank 1 calls MPI_Reduce (event 1, app+0x12); all members'
trace roots "Bcast $size peer=0" "Bcast $size peer=1"
stuck 'another root' roots 'collective number 1' 'rank 1 calls MPI_Bcast (event 0, app+0x12) with another root'
trace fewer $'Barrier\nBarrier' 'Barrier'
stuck 'one too few' fewer \
    'collective number 2 on a communicator of 2 ranks differs: rank 0 calls MPI_Barrier (event 1, app+0x12), rank 1 makes no further one'
trace sub 'comm 3 parent=1 call=MPI_Comm_split members=[0,2]
    Barrier comm=3' 'Barrier comm=2' 'comm 3 parent=1 call=MPI_Comm_split members=[0,2]
    Ibarrier comm=3 request=1
    Wait request=1'
stuck 'blocking and not' sub \
    'collective number 1 on a communicator of 2 ranks differs: rank 0 calls MPI_Barrier (event 0, app+0x12), rank 2 calls MPI_Ibarrier'

# Thread 1 of rank 0 received while thread 0 was in the fence, which stands at its return.
trace fence 'comm 3 parent=1 call=MPI_Win_create members=[0,1]
    Win_create comm=1 new_comm=3
    Thread tag=1
    Recv count=8 peer=1 tag=1
    Thread tag=0
    Win_fence comm=3 mode=0' 'comm 3 parent=1 call=MPI_Win_create members=[0,1]
    Win_create comm=1 new_comm=3
    Win_fence comm=3 mode=0
    Send count=8 peer=0 tag=1'
stuck 'a fence of one thread' fence '2 ranks wait forever: rank 0 in MPI_Recv (event 2, app+0x12)' 'rank 1 in MPI_Win_fence' \
    "; MPI_Win_fence is known by its return alone, other threads' calls may stand too early"

# Legal: a short and a long message of one tag, or of one kind of collective, whose receives are posted before.
sizes() { # SHORT LONG: both calls and a wait, after computation
    printf '%s volume=1000000\n%s\nWaitall list=[1,2]\n' "$1 request=1" "$2 request=2"
}
ends() { "$timeless" replay "$1.tl" -p fat-tree --ranks-per-host 1; }
trace sizes "$(sizes 'Isend count=100 peer=1 tag=0' 'Isend count=100000 peer=1 tag=0')" \
    "$(sizes 'Irecv count=100 peer=0 tag=0' 'Irecv count=100000 peer=0 tag=0' | sed 's/ volume.*//')"
check 'a short and a long message of one tag arrive' ends sizes
trace overlap "$(sizes "Ibcast $size peer=0" "Ibcast ${size/8/100000} peer=0")" "$(sizes "Ibcast $size peer=0" "Ibcast ${size/8/100000} peer=0" | sed 's/ volume.*//')"
check 'a short and a long broadcast that are open together arrive' ends overlap

# A rank that is missing, and a run that did not end.
printf '%s\n' 'timeless-text 1' 'ranks 3' 'rank 0 host="h"' 'end cut clock_ns=0' 'rank 2 host="h"' 'end cut clock_ns=0' |
    "$timeless" undump - -o missing.tl
stuck 'a missing rank' missing 'missing.tl: rank 1 '
printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' 'end exited clock_ns=0' | "$timeless" undump - -o exited.tl
stuck 'a rank that ended early' exited 'exited.tl: rank 0 did not reach MPI_Finalize'
tap_done
