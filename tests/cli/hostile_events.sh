#!/usr/bin/env bash
# timeless replay: a trace whose checksums are right and whose events are not valid.  Both engines refuse it in the
# same words, with exit code 3, before any simulated second has passed.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us"/></zone></platform>
XML
loggops=(--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --allow-opaque)
smpi=(--platform ./p)

# trace NAME LINES...: one rank's definitions and calls each; what a rank lacks of ranks 0 and 1 is nothing
trace() {
    local name=$1 rank=-1 n line; shift
    [ $# -gt 1 ] || set -- "$1" ''
    {
        printf '%s\n' 'timeless-text 1' "ranks $#" 'volume_unit "none"'
        for lines; do
            rank=$((rank + 1)) n=0
            echo "rank $rank host=\"h\""
            while read -r line; do
                case $line in
                '') ;;
                comm*) echo "$line" ;;
                *) echo "$rank $n $line"; n=$((n + 1)) ;;
                esac
            done <<<"$lines"
            echo 'end cut clock_ns=0'
        done
    } >"$name.txt"
    "$timeless" undump "$name.txt" -o "$name.tl"
}
# of_an_event TEXT OPTION...: the replay is refused for an event of rank 0
of_an_event() {
    refused 3 "$1; the trace is not valid" timeout 60 "$timeless" replay t.tl -q "${@:2}" && says '~^timeless: t[.]tl: rank 0, event [0-9]* [(].*[)]: ' said
}
# refused_by ENGINE NAME PATTERN
refused_by() {
    local -n options=$1
    check "$1: $2" of_an_event "$3" "${options[@]}"
}
# refused_in_both NAME PATTERN LINES...
refused_in_both() {
    local name=$1 pattern=$2; shift 2
    trace t "$@"
    refused_by smpi "$name" "$pattern"
    refused_by loggops "$name" "$pattern"
}
# refused_smpi: of calls that the loggops engine does not have
refused_smpi() {
    local name=$1 pattern=$2; shift 2
    trace t "$@"
    refused_by smpi "$name" "$pattern"
}
size='count=1 type_bytes=8'
message="$size tag=0 comm=1"

# ---- requests ----
for call in 'Wait request=5' 'Test request=1000000' 'Waitall list=[7]' 'Testsome list=[1]' 'Waitany list=[4000000000]'; do
    refused "MPI_$call" 'request [0-9]* was never made' "MPI_$call"
done
refused_in_both 'a wait for 2^62' "request $((2 ** 62)) was never made" "MPI_Waitall list=[$((2 ** 62))]"
refused_in_both 'a wait for a negative request' 'request -1 was never made' 'MPI_Waitall list=[-1]'
refused_in_both 'a wait for one that has completed' 'request 1 was never made' \
    "MPI_Isend $message peer=1 request=1"$'\nMPI_Wait request=1\nMPI_Wait request=1'
refused_in_both 'a request twice in a call' 'request 1 .*' "MPI_Isend $message peer=1 request=1"$'\nMPI_Waitall list=[1,1]'
refused_in_both 'a persistent one twice in a call' 'request 1 twice in a call' \
    "MPI_Send_init $message peer=1 request=1"$'\nMPI_Start request=1\nMPI_Waitall list=[1,1]'
refused_in_both 'a number that is in use' 'request 3 is in use' \
    "MPI_Isend $message peer=1 request=3"$'\n'"MPI_Irecv $message peer=1 request=3"
refused_in_both 'a start of what is not persistent' 'request 1 is not ready to start' \
    "MPI_Isend $message peer=1 request=1"$'\nMPI_Start request=1'
refused_in_both 'a start of what is under way' 'request 1 is not ready to start' \
    "MPI_Send_init $message peer=1 request=1"$'\nMPI_Startall list=[1,1]'
refused_in_both 'a match of nothing' 'request 9 was never made' 'Match request=9 peer=0 tag=0'
refused_in_both 'a match from outside' 'there is no rank 2 among 2' \
    "MPI_Irecv $size peer=any tag=0 comm=1 request=1"$'\nMatch request=1 peer=2 tag=0'
refused_in_both 'of a blocking receive' 'there is no rank 2 among 2' $'Match request=0 peer=2 tag=0\n'"MPI_Recv $size peer=any tag=0 comm=1"
refused_in_both 'a freed request' 'request 1 was never made' \
    "MPI_Isend $message peer=1 request=1"$'\nMPI_Request_free request=1\nMPI_Cancel request=1'

# ---- peers, roots, sizes, lists ----
for peer in 2 2147483647 any -5; do
    refused "a send to $peer" 'there is no rank [-0-9]* among 2' "MPI_Send $message peer=$peer"
done
refused_in_both 'a receive from rank 2 of 2' 'there is no rank 2 among 2' "MPI_Recv $message peer=2"
refused_in_both 'a tag of -7' 'a tag of -7' "MPI_Send $size peer=1 tag=-7 comm=1"
for root in 2 null root; do
    refused "a root of $root" 'there is no rank [-0-9]* among 2' "MPI_Bcast $size peer=$root comm=1" "MPI_Bcast $size peer=$root comm=1"
done
refused_in_both 'a negative count' 'a count of -3' 'MPI_Send count=-3 type_bytes=8 peer=1 tag=0 comm=1'
refused_in_both 'a negative size' "elements of -$((2 ** 62)) bytes" "MPI_Allreduce count=1 type_bytes=-$((2 ** 62)) comm=1" \
    "MPI_Allreduce count=1 type_bytes=-$((2 ** 62)) comm=1"
refused_in_both 'a product beyond 63 bits' 'more bytes than 63 bits can count' \
    "MPI_Send count=$((2 ** 40)) type_bytes=$((2 ** 40)) peer=1 tag=0 comm=1"
refused_in_both 'all blocks beyond 63 bits' 'more bytes than 63 bits can count' \
    "MPI_Allreduce count=1 type_bytes=$((2 ** 62)) comm=1" "MPI_Allreduce count=1 type_bytes=$((2 ** 62)) comm=1"
for list in '' 1 1,1,1; do
    refused "a list [$list] for two ranks" '[013] counts instead of 2' "MPI_Allgatherv count=1 type_bytes=8 recv_type_bytes=8 comm=1 list=[$list]" "MPI_Allgatherv count=1 type_bytes=8 recv_type_bytes=8 comm=1 list=[1,1]"
done
refused_in_both 'a negative count in a list' 'a count of -1' "MPI_Reduce_scatter type_bytes=8 comm=1 list=[1,-1]" \
    "MPI_Reduce_scatter type_bytes=8 comm=1 list=[1,1]"
refused_in_both 'a list without one side' '2 counts instead of 4' \
    "MPI_Alltoallv type_bytes=8 recv_type_bytes=8 comm=1 list=[1,1]" \
    "MPI_Alltoallv type_bytes=8 recv_type_bytes=8 comm=1 list=[1,1,1,1]"
window='comm 3 parent=1 call=MPI_Win_create members=[0-1]'
refused_in_both 'a message on a window' 'number 3 is a window, not a communicator' \
    "$window"$'\n'"MPI_Send $size peer=1 tag=0 comm=3" "$window"
refused_smpi 'a put into a communicator' 'number 1 is a communicator, not a window' "MPI_Put $size peer=1 comm=1"
refused_smpi 'a window that was freed' 'window 3 has been freed before' "$window"$'\nMPI_Win_create comm=1 new_comm=3\nMPI_Win_free comm=3\nMPI_Win_fence mode=0 comm=3' "$window"
refused_smpi 'the end of an access that did not begin' 'no MPI_Win_start of window 3 before' "$window"$'\nMPI_Win_create comm=1 new_comm=3\nMPI_Win_complete comm=3' "$window"$'\nMPI_Win_create comm=1 new_comm=3'
refused_smpi 'the end of an exposure that ended before' 'no MPI_Win_post of window 3 before' "$window"$'\nMPI_Win_create comm=1 new_comm=3\nMPI_Win_post list=[] mode=0 comm=3\nMPI_Win_wait comm=3\nMPI_Win_wait comm=3' "$window"$'\nMPI_Win_create comm=1 new_comm=3'
refused_smpi 'a group with a rank twice' 'rank 1 twice in a group' "$window"$'\nMPI_Win_post list=[1,1] mode=0 comm=3' "$window"
refused_smpi 'neighbours of MPI_COMM_WORLD' 'communicator 1 has no neighbours' "MPI_Neighbor_allgather $size recv_count=1 recv_type_bytes=8 comm=1"
refused_smpi 'a thread of a great number' 'there is no thread 2000000000' 'Thread tag=2000000000'

# ---- communicators ----
# wrong NAME PATTERN LINES LINES
wrong() {
    trace t "$3" "$4"
    for engine in smpi loggops; do
        local -n options=$engine
        check "$engine: $1" refused 3 "$2" timeout 60 "$timeless" replay t.tl -q "${options[@]}"
    done
}
twice='comm 3 parent=1 call=MPI_Comm_dup members=[0,0]'
wrong 'a member twice' 'communicator 3 has rank 0 twice as a member' "$twice" ''
far='comm 4000000000 parent=1 call=MPI_Comm_dup members=[0-1]'
wrong 'a communicator with the number 4,000,000,000' 'one of them with the number 4000000000; number them in order' "$far" "$far"
part='comm 3 parent=1 call=MPI_Win_create members=[0]'
wrong 'a window with a part of the members' 'number 3 (MPI_Win_create) has other members than communicator 1' "$part" ''

# ---- great numbers take no memory ----
many=100000000
trace far "MPI_Isend $message peer=1 request=$many"$'\n'"MPI_Irecv $message peer=any request=$((many + 1))"$'\n'"Match request=$((many + 1)) peer=1 tag=0"$'\n'"MPI_Waitall list=[$many,$((many + 1))]" \
    "MPI_Isend $message peer=0 request=4294967295"$'\n'"MPI_Recv $message peer=0"$'\nMPI_Wait request=4294967295'
trace near "MPI_Isend $message peer=1 request=1"$'\n'"MPI_Irecv $message peer=any request=2"$'\nMatch request=2 peer=1 tag=0\nMPI_Waitall list=[1,2]' \
    "MPI_Isend $message peer=0 request=1"$'\n'"MPI_Recv $message peer=0"$'\nMPI_Wait request=1'
# kilobytes TRACE OPTION...: the most memory that a process of the replay took; its output goes to `out`
kilobytes() {
    python3 - "$timeless" replay "$@" -q 3>kilobytes >out <<'END'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
os.write(3, str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
sys.exit(code)
END
}
for engine in smpi loggops; do
    declare -n options=$engine
    kilobytes near.tl "${options[@]}" && mv out near.out && mv kilobytes near.kilobytes
    check "$engine: a request with the number $many" kilobytes far.tl "${options[@]}"
    cp "$scratch/out" far.out
    check "$engine: and one with 1 end at the same time" sh -c '"$@" >far.out && cmp far.out near.out' - "$timeless" replay far.tl -q "${options[@]}"
    check "$engine: and take the same memory" awk -v a="$(<near.kilobytes)" -v b="$(<kilobytes)" 'BEGIN { print a, b; exit !(b < 1.2 * a + 10000) }'
done

# ---- kernels: n <= 0 does nothing, a transform has any number of dimensions, an unknown form is no obstacle ----
echo 'reference_flops = 1e9; seconds_per_flop = 1e-3; units = ({unit = "none"; seconds_per_unit = 1.0;});
kernels = ({kernel = "daxpy"; intercept_s = 10.0; per_work_s = 1.0;}, {kernel = "dgemm"; intercept_s = 0.0; per_work_s = 1.0;});' >kernels.conf
trace kernels $'daxpy n=-1\ndgemm list=[5,5,-5]\nfftw_dft list=[1,4,4,4]\nfftwl_dft howmany=2 n=8\nfftw_dft list=[5]\ndgemm list=[5]\nunknown list=[1,2]'
for engine in smpi loggops; do
    declare -n options=$engine
    check "$engine: kernels take the time of their work" sh -c '"$@" >out && awk "{ print; exit !(\$1 > 2.184 && \$1 < 2.186) }" out' - \
        "$timeless" replay kernels.tl --model kernels.conf -q "${options[@]}" # 5 (64 x 6 + 2 x 8 x 3 + 5) operations of 1 ms
    check "$engine: two calls are of an unknown form" sh -c '"$@" --json | grep -qx " \"n_unknown_kernels\": 2,"' - "$timeless" replay kernels.tl --no-compute "${options[@]}"
done
check 'the text of a prediction states them' sh -c '"$@" | grep -q "^unknown kernels  *2 calls"' - "$timeless" replay kernels.tl --no-compute "${loggops[@]}"

# ---- times that cannot be counted ----
echo 'reference_flops = 1e9; units = ({unit = "none"; seconds_per_unit = 1e-9;});' >model.conf
trace late "MPI_Send $message peer=1 volume=$((2 ** 62))" "MPI_Recv $message peer=0"
check 'loggops: 146 years: the message' refused 3 \
    'takes more than 53 simulated days' \
    "$timeless" replay late.tl --model model.conf "${loggops[@]}"

# ---- requests of calls that the engine does not have ----
trace skipped "$window"$'\n'"MPI_Rput $size peer=1 comm=3 request=9"$'\nMPI_Wait request=9' "$window"
check 'loggops: a request of a call that --allow-opaque takes as free' "$timeless" replay skipped.tl "${loggops[@]}"
tap_done
