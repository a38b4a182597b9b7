#!/usr/bin/env bash
# timeless replay: calls that SMPI does not have end when the messages do that they are made of; files
# take what a disk takes; a receive from any source takes what it took in the run.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf"><disk id="d0" read_bw="100MBps" write_bw="50MBps"/></host>
<host id="n1" speed="1Gf"><disk id="d1" read_bw="100MBps" write_bw="50MBps"/></host>
<host id="n2" speed="1Gf"><disk id="d2" read_bw="100MBps" write_bw="50MBps"/></host>
<host id="n3" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="10us"/>
<route src="n0" dst="n1"><link_ctn id="l"/></route><route src="n0" dst="n2"><link_ctn id="l"/></route>
<route src="n0" dst="n3"><link_ctn id="l"/></route><route src="n1" dst="n2"><link_ctn id="l"/></route>
<route src="n1" dst="n3"><link_ctn id="l"/></route><route src="n2" dst="n3"><link_ctn id="l"/></route>
</zone></platform>
XML
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >p/model.conf

UNIT=cpu-ns # of traces
seconds() { "$timeless" replay "$1.tl" -p p -q "${@:2}" || echo failed; }
# same NAME TRACE OTHER: the same end, bit by bit, with both engines
same() {
    local a b engine
    for engine in smpi loggops; do
        a=$(seconds "$2" --engine $engine) b=$(seconds "$3" --engine $engine)
        check "$1 ($engine)" test "$a" = "$b" -a "$a" != failed
    done
}
# takes NAME SECONDS TRACE OPTIONS...: to 2e-3: messages without bytes take their time
takes() { check "$1" near "$(seconds "${@:3}")" "$2" 2e-3; }

# --- neighbourhoods: a ring of three, one of them with an open end ---
cart() { echo "comm 3 parent=1 call=MPI_Cart_create members=[0-2] sources=[$1] destinations=[$1]"; }
dup='comm 3 parent=1 call=MPI_Comm_dup members=[0-2]'
size='count=30000 type_bytes=1'
both="$size recv_count=30000 recv_type_bytes=1"
by_hand() { # PEER...: what the exchange is made of
    local request=0 list=
    for peer; do request=$((request + 1)); echo "Irecv $size peer=$peer tag=0 comm=3 request=$request"; done
    for peer; do request=$((request + 1)); echo "Isend $size peer=$peer tag=0 comm=3 request=$request"; done
    for ((i = 1; i <= request; i++)); do list+=${list:+,}$i; done
    echo "Waitall list=[$list]"
}
neighbors() { # NAME CALL: of ranks 1 in the middle, 0 and 2 at the ends
    trace "$1" "$(cart null,1)"$'\n'"$2" "$(cart 0,2)"$'\n'"$2" "$(cart 1,null)"$'\n'"$2"
}
trace hand "$dup"$'\n'"$(by_hand 1)" "$dup"$'\n'"$(by_hand 0 2)" "$dup"$'\n'"$(by_hand 1)"
neighbors allgather "Neighbor_allgather $both comm=3"
neighbors alltoall "Neighbor_alltoall $both comm=3"
neighbors alltoallv "Neighbor_alltoallv type_bytes=1 recv_type_bytes=1 comm=3 list=[30000,30000,30000,30000]"
neighbors alltoallw "Neighbor_alltoallw comm=3 list=[30000,30000,30000,30000]"
neighbors ialltoall "Ineighbor_alltoall $both comm=3 request=1"$'\nWait request=1'
neighbors kept "MPIX_Neighbor_alltoall_init $both comm=3 request=1"$'\nStart request=1\nWait request=1\nRequest_free request=1'
for name in allgather alltoall alltoallv alltoallw ialltoall kept; do
    same "neighbours: $name is messages to and from each" $name hand
done

# --- communicators of the same ranks, made by a group and by all in another order on each rank ---
by_all() { echo "comm $1 parent=1 call=MPI_Comm_idup members=[0-2]"; }
by_group() { echo "comm $1 parent=1 call=MPI_Comm_create_group members=[0-2]"; }
all_first=$(by_all 3; by_group 4; printf '%s\n' 'Comm_idup comm=1 request=1 new_comm=3' 'Comm_create_group comm=1 new_comm=4' \
    'Wait request=1' "Bcast $size peer=0 comm=3" "Bcast $size peer=0 comm=4")
group_first=$(by_group 3; by_all 4; printf '%s\n' 'Comm_create_group comm=1 new_comm=3' 'Comm_idup comm=1 request=1 new_comm=4' \
    'Wait request=1' "Bcast $size peer=0 comm=4" "Bcast $size peer=0 comm=3")
trace made "$all_first" "$group_first" "$all_first"
for engine in smpi loggops; do
    check "made by a group and by all, in either order: the ranks meet ($engine)" "$timeless" replay made.tl -p p --engine $engine
done

# --- intercommunicators: rank 0, and ranks 1 and 2 ---
one='comm 3 parent=1 call=MPI_Intercomm_create members=[0] remote=[1-2]'
two='comm 3 parent=1 call=MPI_Intercomm_create members=[1-2] remote=[0]'
inter() { trace "$1" "$one"$'\n'"$2" "$two"$'\n'"$3" "$two"$'\n'"${4-$3}"; }
send() { echo "Isend count=$2 type_bytes=1 peer=$1 tag=0 comm=3 request=$3"; }
recv() { echo "Irecv count=$2 type_bytes=1 peer=$1 tag=0 comm=3 request=$3"; }
inter bcast "Bcast $size peer=root comm=3" "Bcast $size peer=0 comm=3"
inter bcast_hand "$(send 0 30000 1; send 1 30000 2)"$'\nWaitall list=[1,2]' "$(recv 0 30000 1)"$'\nWaitall list=[1]'
same 'between groups: a broadcast is a message to each' bcast bcast_hand
inter reduce "Reduce $size peer=root comm=3" "Reduce $size peer=0 comm=3"
inter gatherv "Gatherv recv_type_bytes=1 peer=root comm=3 count=0 type_bytes=0 list=[30000,30000]" \
    "Gatherv $size peer=0 comm=3 recv_type_bytes=0 list=[]"
inter reduce_hand "$(recv 0 30000 1; recv 1 30000 2)"$'\nWaitall list=[1,2]' "$(send 0 30000 1)"$'\nWaitall list=[1]'
same 'a reduction is a message from each' reduce reduce_hand
same 'and so is a gather' gatherv reduce_hand
inter allreduce "Allreduce $size comm=3" "Allreduce $size comm=3"
inter iallreduce "Iallreduce $size comm=3 request=1"$'\nWait request=1' "Iallreduce $size comm=3 request=1"$'\nWait request=1'
inter allreduce_hand "$(recv 0 30000 1; recv 1 30000 2; send 0 30000 3; send 1 30000 4)"$'\nWaitall list=[1,2,3,4]' \
    "$(recv 0 30000 1; send 0 30000 2)"$'\nWaitall list=[1,2]'
same 'an allreduce is both with everyone' allreduce allreduce_hand
same 'blocking or not' iallreduce allreduce_hand
inter peers "Send $size peer=1 tag=1 comm=3" '' "Recv $size peer=0 tag=1 comm=3"
trace peers_world "Send $size peer=2 tag=1 comm=1" '' "Recv $size peer=0 tag=1 comm=1"
same 'a partner is a rank of the other group' peers peers_world
inter scan "Reduce_scatter type_bytes=1 list=[2] comm=3" "Reduce_scatter type_bytes=1 list=[1,1] comm=3"
check 'what cannot be done is refused: by name and number' refused 3 \
    'calls that are not modelled (MPI_Reduce_scatter 3x); with --allow-opaque they take no time' \
    "$timeless" replay scan.tl -p p

# --- persistent collectives, Comm_idup ---
call="MPIX_Bcast_init $size peer=0 comm=1 request=1"$'\nStart request=1\nWait request=1\nStartall list=[1]\nWaitall list=[1]'
ibcast="Ibcast $size peer=0 comm=1 request=1"
trace ibcast "$ibcast"$'\nWait request=1\n'"$ibcast"$'\nWaitall list=[1]' "$ibcast"$'\nWait request=1\n'"$ibcast"$'\nWaitall list=[1]'
trace bcast_init "$call" "$call"
same 'a persistent broadcast, twice' bcast_init ibcast
made='comm 3 parent=1 call=MPI_Comm_dup members=[0-1]'
trace dup "$made"$'\nComm_dup comm=1 new_comm=3' "$made"$'\nComm_dup comm=1 new_comm=3'
trace idup "$made"$'\nComm_idup comm=1 new_comm=3 request=1\nWait request=1' \
    "$made"$'\nComm_idup comm=1 new_comm=3 request=1\nWait request=1'
same 'Comm_idup costs what Comm_dup does' idup dup

# --- communicators with the same members, made by two threads at once ---
dups='comm 3 parent=1 call=MPI_Comm_dup members=[0-1]
comm 4 parent=1 call=MPI_Comm_dup members=[0-1]'
begin=$'Comm_dup comm=1 new_comm=3\nComm_dup comm=1 new_comm=4\n'
end=$'\nBcast count=8 type_bytes=1 peer=0 comm=5\nBarrier comm=6 clock_ns=0'
trace ordered "$dups
comm 5 parent=3 call=MPI_Comm_dup members=[0-1]
comm 6 parent=4 call=MPI_Comm_dup members=[0-1]
$begin"$'Comm_dup comm=3 new_comm=5\nComm_dup comm=4 new_comm=6'"$end" "$dups
comm 5 parent=4 call=MPI_Comm_dup members=[0-1]
comm 6 parent=3 call=MPI_Comm_dup members=[0-1]
$begin"$'Comm_dup comm=3 new_comm=6\nComm_dup comm=4 new_comm=5\nBcast count=8 type_bytes=1 peer=0 comm=6\nBarrier comm=5 clock_ns=0'
check 'their parents tell them apart' test "$(seconds ordered)" != failed
check 'in a part, too' "$timeless" cut ordered.tl --events 0:6 -o part.tl
trace strangers "$dups"$'\ncomm 5 parent=3 call=MPI_Win_create members=[0-1]\n'"$begin"$'Win_create comm=3 new_comm=5' \
    "$dups"$'\ncomm 5 parent=4 call=MPI_Win_create members=[0-1]\n'"$begin"$'Win_create comm=4 new_comm=5'
check 'of different parents: each lacks its like' refused 3 \
    'a communicator of 2 ranks (0, ...) is known to 1 of them and not to rank 1' \
    "$timeless" replay strangers.tl -p p
trace orphan $'comm 3 parent=9 call=MPI_Win_create members=[0]\nWin_create comm=1 new_comm=3'
check_exit 3 'a window on nothing' "$timeless" replay orphan.tl -p p

# --- persistent sends, started again before their first message was taken ---
message='count=64 type_bytes=1 comm=1'
take="Recv $message peer=0 tag=2"$'\n'"Recv $message peer=0 tag=1"$'\n'"Recv $message peer=0 tag=1"
trace overtaken "Send $message peer=1 tag=1"$'\n'"Send $message peer=1 tag=1"$'\n'"Send $message peer=1 tag=2" "$take"
for call in Send Bsend Rsend; do
    trace again "${call}_init $message peer=1 tag=1 request=1
        Start request=1
        Wait request=1
        Startall list=[1]
        Waitall list=[1]
        Send $message peer=1 tag=2
        Request_free request=1" "$take"
    same "a message of ${call}_init that a later one overtakes" again overtaken
done
trace nobody "Send_init $message peer=null tag=1 request=1
    Start request=1
    Wait request=1
    Start request=1
    Waitall list=[1]
    Request_free request=1"
trace nothing 'Barrier comm=2 clock_ns=0'
same 'to nobody' nobody nothing

# --- files ---
file='comm 3 parent=1 call=MPI_File_open members=[0-1] name="f"'
files() { trace "$1" "$file"$'\nFile_open mode=4 comm=1 new_comm=3\n'"$2"$'\nFile_close comm=3' \
    "$file"$'\nFile_open mode=4 comm=1 new_comm=3\n'"${3-$2}"$'\nFile_close comm=3'; }
data='comm=3 count=100000000 type_bytes=1'
files write "File_write $data"
takes 'writing takes what the disk takes' 2 write
takes 'at a stated bandwidth' 0.5 write --io-bandwidth 200MBps
files read "File_read_at $data" ''
takes 'reading as well; the other rank waits when it closes the file' 1 read
files write_all "File_write_all $data"
takes 'collectively' 2 write_all
files iwrite "File_iwrite $data request=1"$'\nBarrier comm=1 clock_ns=0 volume=1500000000\nWait request=1'
takes 'beside computation' 2 iwrite
files iwrite_long "File_iwrite $data request=1"$'\nBarrier comm=1 clock_ns=0 volume=3000000000\nWait request=1'
takes 'which may take longer' 3 iwrite_long
files split "File_read_all_begin $data"$'\nBarrier comm=1 clock_ns=0 volume=400000000\nFile_read_all_end comm=3'
takes 'a split collective' 1 split
printf 'n%d\n' 3 0 >diskless
check 'a host without a disk, --model-strict: is named, with the number of calls' refused 3 \
    "write.tl: has 2 calls that read or write files, and the host 'n3' has no disk; give --io-bandwidth, or --allow-opaque" \
    "$timeless" replay write.tl -p p --hostfile diskless --model-strict
check 'allowed to take no time' "$timeless" replay write.tl -p p --hostfile diskless --allow-opaque
takes 'or a stated bandwidth' 0.5 write --hostfile diskless --io-bandwidth 200MBps

check_exit 3 'the engine loggops knows no disk: --model-strict' "$timeless" replay write.tl -p p --engine loggops --model-strict
assumed() { "$timeless" replay write.tl -p p "$@" --json >assumed.json &&
    python3 -c 'import json; print(json.dumps(json.load(open("assumed.json"))["assumed_files"], sort_keys=True))'; }
check 'without a disk: a bandwidth is assumed, and the prediction states it' equal "$(assumed --hostfile diskless)" \
    '{"bandwidth_Bps": 500000000.0, "calls": 2}'
check 'the engine loggops: likewise' equal "$(assumed --engine loggops)" "$(assumed --hostfile diskless)"
takes 'the time is that of this bandwidth' "$(seconds write --io-bandwidth 500MBps)" write --engine loggops
for name in write write_all iwrite split; do
    takes "at a stated bandwidth, the engine loggops: $name" "$(seconds $name --io-bandwidth 50MBps)" $name \
        --io-bandwidth 50MBps --engine loggops
done

# --- windows: tests/mpi/oracle.sh compares them with smpirun; here what Open MPI cannot make ---
window='comm 3 parent=1 call=MPI_Win_create members=[0-1]'
fence=$'\nWin_fence mode=0 comm=3\n'
trace put "$window"$'\nWin_create comm=1 new_comm=3'"$fence""Put count=1000000000 type_bytes=1 peer=1 comm=3$fence" \
    "$window"$'\nWin_create comm=1 new_comm=3'"$fence$fence"
takes 'a put takes what a message takes' "1.05 * 1e9 / (0.940694 * 1e9)" put
takes 'with the engine loggops, too' "$(seconds put)" put --engine loggops

# --- windows and files of ranks with several threads: calls in the recorded order, computation side by side ---
thread_1=$'Thread tag=1\n' thread_0=$'Thread tag=0\n'
trace thread_put "$window
    Win_create comm=1 new_comm=3$fence${thread_1}Put count=100000000 type_bytes=1 peer=1 comm=3 volume=300000000
    ${thread_0}Win_fence mode=0 comm=3 volume=1000000000" \
    "$window"$'\nWin_create comm=1 new_comm=3'"$fence$fence"
takes 'a thread puts while another computes' 1 thread_put
takes 'with the engine loggops, too' 1 thread_put --engine loggops
files thread_write "$thread_1""File_write $data volume=500000000"$'\n'"$thread_0"'Barrier comm=1 clock_ns=0 volume=1000000000' \
    'Barrier comm=1 clock_ns=0'
takes 'a thread writes while another computes' 2.5 thread_write
takes 'with the engine loggops, too' 2.5 thread_write --engine loggops --io-bandwidth 50MBps
files thread_iwrite "${thread_1}File_iwrite $data request=1 volume=500000000
    ${thread_0}Barrier comm=1 clock_ns=0 volume=3000000000
    ${thread_1}Wait request=1" 'Barrier comm=1 clock_ns=0'
takes 'or for less time than the other computes' 3 thread_iwrite
takes 'with the engine loggops, too' 3 thread_iwrite --engine loggops
# Threads 0, 1 and 2 compute side by side; each of them enters a collective while the others compute.
three="comm 3 parent=1 call=MPI_Comm_dup members=[0-1]
Comm_dup comm=1 new_comm=3
Enter request=1
Barrier comm=3 clock_ns=0 volume=1000000000
${thread_1}Send count=8 type_bytes=1 peer=1 tag=1 comm=1 volume=2000000000
Thread tag=2
Isend count=8 type_bytes=1 peer=1 tag=2 comm=1 request=2 volume=3000000000
Wait request=2
${thread_0}Return request=1 new_comm=0"
trace thread_enter "$three" $'comm 3 parent=1 call=MPI_Comm_dup members=[0-1]\nComm_dup comm=1 new_comm=3\nBarrier comm=3 clock_ns=0
Recv count=8 type_bytes=1 peer=0 tag=2 comm=1\nRecv count=8 type_bytes=1 peer=0 tag=1 comm=1'
for engine in smpi loggops; do
    takes "threads compute side by side, one enters what another rank has in one place ($engine)" 4 thread_enter --engine $engine
done
# Thread 1 of rank 0 received while thread 0 was in the collective call, which stands at its return.
files thread_late "$thread_1"'Recv count=8 type_bytes=1 peer=1 tag=1 comm=1'$'\n'"$thread_0""File_write_all $data" \
    "File_write_all $data"$'\nSend count=8 type_bytes=1 peer=0 tag=1 comm=1'
check 'a collective call of one thread, received beside: is told of' refused 3 \
    "2 ranks wait forever: rank 0 in MPI_Recv .*; MPI_File_write_all is known by its return alone, other threads' calls may stand too early" \
    "$timeless" replay thread_late.tl -p p

# --- receives from any source ---
# Rank 1 computes for 1 s before it sends, rank 2 not at all; in the run rank 1 came first.  The one whose
# message came waits for an answer.
late='Send count=8 type_bytes=1 peer=0 tag=1 comm=1 volume=1000000000'
any='count=8 type_bytes=1 peer=any tag=1 comm=1'
first=$'\nMatch peer=1 tag=1 request=1\nWait request=1\n'
trace any "Irecv $any request=1$first""Recv count=8 type_bytes=1 peer=2 tag=1 comm=1 volume=500000000" \
    "$late" 'Send count=8 type_bytes=1 peer=0 tag=1 comm=1'
takes 'a receive takes the message that it took in the run' 1.5 any
takes 'by name' 1.5 any --wildcards recorded
trace first "Irecv $any request=1$first""Recv $any volume=500000000" "$late" 'Send count=8 type_bytes=1 peer=0 tag=1 comm=1'
takes 'or the one that comes first' 1 first --wildcards first
trace kept_any "Recv_init $any request=1
    Start request=1
    Match peer=1 tag=1 request=1
    Wait request=1
    Start request=1
    Match peer=2 tag=1 request=1
    Wait request=1" \
    "$late" 'Send count=8 type_bytes=1 peer=0 tag=1 comm=1'
takes 'a persistent one each time' 1 kept_any
posted="Irecv $any request=1
    Irecv $any request=2
    Match peer=2 tag=1 request=2
    Wait request=2
    Match peer=1 tag=1 request=1
    Barrier comm=1 clock_ns=0
    Wait request=1"
trace order "$posted" "$late"$'\nBarrier comm=1 clock_ns=0' $'Send count=8 type_bytes=1 peer=0 tag=1 comm=1\nBarrier comm=1 clock_ns=0'
takes 'in the order in which they were posted' 1 order
trace cancel "Irecv $any request=1"$'\nCancel request=1\nMatch peer=null tag=any request=1\nWait request=1' 'Barrier comm=2 clock_ns=0'
check 'a cancelled one takes nothing' test "$(seconds cancel)" != failed
numbered='request=1000000'
trace late_cancel "Irecv count=8 type_bytes=1 peer=1 tag=1 comm=1 $numbered"$'\n'"Cancel $numbered"$'\n'"Wait $numbered" "$late"
takes 'a receive with a large number that was cancelled too late takes its message' 1 late_cancel
check_exit 2 'a wrong choice' "$timeless" replay any.tl -p p --wildcards last
tap_done
