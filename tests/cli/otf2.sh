#!/usr/bin/env bash
# export to OTF2: its own tool reads the archive, and finds in it what the trace holds.  import: the same trace again.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 1

cat >pair.txt <<'END'
timeless-text 1
ranks 2
program "pair -n 2"
mpi_library "Open MPI v4.1.4"
rank 0 host="n0"
comm 3 parent=1 call=MPI_Comm_split members=[1,0]
0 0 MPI_Init clock_ns=0 volume=10
0 1 MPI_Comm_split comm=1 new_comm=3
0 2 MPI_Isend count=10 type_bytes=8 peer=0 tag=3 comm=3 request=1 volume=500
0 3 dgemm m=2 n=3 k=4
0 4 MPI_Wait request=1
0 5 Match peer=1 tag=7 request=0
0 6 MPI_Recv count=4 type_bytes=1 peer=any tag=any comm=1
0 7 MPI_Reduce count=8 type_bytes=4 peer=1 comm=3
0 8 MPI_Iallreduce count=8 type_bytes=4 comm=1 request=1
0 9 MPI_Barrier comm=2 clock_ns=0
0 10 MPI_Waitall list=[1]
0 11 MPI_Finalize clock_ns=0 volume=30
end finalized clock_ns=0
rank 1 host="n1"
comm 3 parent=1 call=MPI_Comm_split members=[1,0]
1 0 MPI_Init clock_ns=0
1 1 MPI_Comm_split comm=1 new_comm=3
1 2 MPI_Irecv count=10 type_bytes=8 peer=any tag=3 comm=3 request=4
1 3 Match peer=1 tag=3 request=4
1 4 MPI_Wait request=4
1 5 MPI_Send_init count=4 type_bytes=1 peer=0 tag=7 comm=1 request=1
1 6 MPI_Start request=1
1 7 MPI_Wait request=1
1 8 MPI_Request_free request=1
1 9 MPI_Reduce count=8 type_bytes=4 peer=1 comm=3
1 10 MPI_Iallreduce count=8 type_bytes=4 comm=1 request=1
1 11 MPI_Wait request=1
1 12 MPI_Finalize clock_ns=0 volume=30
end finalized clock_ns=0
END
# Rank 0's records but for enter and leave: its communicator's rank 0 is rank 1.
cat >records.expected <<'END'
MPI_COLLECTIVE_BEGIN 21
COMM_CREATE 21 Communicator: "communicator 1" <1>
MPI_COLLECTIVE_END 22 Operation: CREATE_HANDLE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 0, Received: 0
MPI_ISEND 1022 Receiver: 0 ("rank 1" <1>), Communicator: "communicator 1" <1>, Tag: 3, Length: 80, Request: 0
MPI_ISEND_COMPLETE 1048 Request: 0
MPI_RECV 1049 Sender: 1 ("rank 1" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 4
MPI_COLLECTIVE_BEGIN 1049
MPI_COLLECTIVE_END 1050 Operation: REDUCE, Communicator: "communicator 1" <1>, Root: 1 ("rank 0" <0>), Sent: 32, Received: 64
NON_BLOCKING_COLLECTIVE_REQUEST 1050 Request: 1
MPI_COLLECTIVE_BEGIN 1051
MPI_COLLECTIVE_END 1052 Operation: BARRIER, Communicator: "MPI_COMM_SELF" <2>, Root: NONE, Sent: 0, Received: 0
NON_BLOCKING_COLLECTIVE_COMPLETE 1053 Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 64, Received: 64, Request: 1
END
"$timeless" undump pair.txt -o pair.tl
check 'a trace is exported to OTF2' "$timeless" export --to otf2 --rate 2 --kernel dgemm=1 -o pair pair.tl
# events ARCHIVE: what its tool reads, a line each; without a complaint
events() { otf2-print "$1/trace.otf2" 2>complaints | sed -n '/^-----/,$p' | sed '1d; s/  */ /g; s/ $//' && [ ! -s complaints ]; }
check "OTF2's tool reads the archive" sh -c 'otf2-print pair/trace.otf2 >/dev/null 2>complaints && [ ! -s complaints ]'
events pair >pair.events
sed -nE '/^(ENTER|LEAVE)/d; s/^([A-Z_]+) 0 /\1 /p' pair.events >records
check 'messages, collectives and their times are exported' diff -u records.expected records
check 'a kernel is exported as a region' test "$(grep -c '^ENTER 0 1023 Region: "dgemm"\|^LEAVE 0 1047 Region: "dgemm"' pair.events)" = 2
check 'the program is a region around all calls' test "$(grep -c 'Region: "pair -n 2"' pair.events)" = 4
check "OTF2's tool accepts the definitions" sh -c 'otf2-print -G pair/trace.otf2 >pair.defs 2>complaints && [ ! -s complaints ]'
check 'each rank has its host' grep -q 'LOCATION_GROUP *1 *Name: "rank 1".*Parent: "node::n1"' pair.defs
check 'a communicator has its members in order' grep -q 'COMM_GROUP.*2 Members: 1 ("rank 1" <1>), 0 ("rank 0" <0>)' pair.defs
check 'a communicator names the one from which it was made' grep -q '^COMM .*communicator 1".*Parent: "MPI_COMM_WORLD" <0>' pair.defs
check_exit 4 'an existing folder is not changed' "$timeless" export --to otf2 --no-compute -o pair pair.tl
check '--no-compute exports a trace' "$timeless" export --to otf2 --no-compute -o still pair.tl
check '--no-compute leaves the calls without computation' sh -c 'otf2-print still/trace.otf2 |
    grep -q "^LEAVE  *0  *10  *Region: .MPI_Finalize"'

# Each collective once, root 1 of three ranks: what Score-P counts for it on each rank.
collectives() {
    local r n=(2 4 6)
    printf 'timeless-text 1\nranks 3\n'
    for r in 0 1 2; do
        local twice="$((2 * n[r])),$((4 * n[r])),$((6 * n[r]))"
        local root=' recv_count=0 recv_type_bytes=0' gets=' count=0 type_bytes=0' lists=' recv_type_bytes=0 list=[]' \
            from=' type_bytes=0 list=[]'
        [ $r = 1 ] && root=' recv_count=5 recv_type_bytes=4' gets=' count=5 type_bytes=4' \
            lists=' recv_type_bytes=4 list=[2,4,6]' from=' type_bytes=4 list=[2,4,6]'
        printf 'rank %s host="h"\n' $r
        printf "$r %s\n" '0 MPI_Init clock_ns=0' '1 MPI_Barrier comm=1 clock_ns=0' '2 MPI_Bcast count=5 type_bytes=4 peer=1 comm=1' \
            '3 MPI_Reduce count=5 type_bytes=4 peer=1 comm=1' '4 MPI_Allreduce count=5 type_bytes=4 comm=1' \
            "5 MPI_Gather count=5 type_bytes=4$root peer=1 comm=1" "6 MPI_Scatter$gets recv_count=5 recv_type_bytes=4 peer=1 comm=1" \
            '7 MPI_Allgather count=5 type_bytes=4 recv_count=5 recv_type_bytes=4 comm=1' \
            '8 MPI_Alltoall count=5 type_bytes=4 recv_count=5 recv_type_bytes=4 comm=1' \
            '9 MPI_Reduce_scatter_block count=5 type_bytes=4 comm=1' '10 MPI_Scan count=5 type_bytes=4 comm=1' \
            '11 MPI_Exscan count=5 type_bytes=4 comm=1' "12 MPI_Gatherv count=${n[r]} type_bytes=4$lists peer=1 comm=1" \
            "13 MPI_Scatterv$from recv_count=${n[r]} recv_type_bytes=4 peer=1 comm=1" \
            "14 MPI_Allgatherv count=${n[r]} type_bytes=4 recv_type_bytes=4 list=[2,4,6] comm=1" \
            '15 MPI_Reduce_scatter type_bytes=4 list=[2,4,6] comm=1' \
            "16 MPI_Iallgatherv count=${n[r]} type_bytes=4 recv_type_bytes=4 list=[2,4,6] comm=1 request=1" \
            '17 MPI_Iallreduce count=5 type_bytes=4 comm=1 request=2' \
            '18 MPI_Waitall list=[1,2]' \
            "19 MPI_Alltoallv type_bytes=1 recv_type_bytes=1 list=[$twice,$twice] comm=1" \
            '20 MPI_Allreduce count=5 type_bytes=4 comm=1 in_place=1' '21 MPI_Finalize clock_ns=0'
        echo 'end finalized clock_ns=0'
    done
}
collectives >coll.txt
"$timeless" undump coll.txt -o coll.tl || exit 99
"$timeless" export --to otf2 -o coll coll.tl || exit 99
cat >sizes.expected <<'END'
BARRIER 0 0 0 0 0 0
BCAST 0 20 60 20 0 20
REDUCE 20 0 20 60 20 0
ALLREDUCE 60 60 60 60 60 60
GATHER 20 0 20 60 20 0
SCATTER 0 20 60 20 0 20
ALLGATHER 60 60 60 60 60 60
ALLTOALL 60 60 60 60 60 60
REDUCE_SCATTER_BLOCK 60 60 60 60 60 60
SCAN 60 20 40 40 20 60
EXSCAN 40 0 20 20 0 40
GATHERV 8 0 16 48 24 0
SCATTERV 0 8 48 16 0 24
ALLGATHERV 24 48 48 48 72 48
REDUCE_SCATTER 48 24 48 48 48 72
ALLGATHERV 24 48 48 48 72 48
ALLREDUCE 60 60 60 60 60 60
ALLTOALLV 24 24 48 48 72 72
ALLREDUCE 40 40 40 40 40 40
END
# sizes ARCHIVE: operation, and the sent and received bytes of each rank
sizes() {
    for r in 0 1 2; do
        otf2-print -L $r "$1/trace.otf2" | sed -nE 's/.*Operation: ([A-Z_]+),.*Sent: ([0-9]+), Received: ([0-9]+).*/\1 \2 \3/p' >sizes.$r
    done
    paste -d' ' sizes.0 sizes.1 sizes.2 | cut -d' ' -f1-3,5,6,8,9
}
sizes coll >sizes
check 'the sizes of collectives are counted as Score-P counts them' diff -u sizes.expected sizes

# A larger one: as many records as calls.
"$timeless" make --ranks 9 --iterations 5 --bytes 4096 stencil2d -o many.tl || exit 99
"$timeless" dump many.tl >many.txt
check 'a pattern is exported to OTF2' "$timeless" export --to otf2 -o many many.tl
events many >many.events
# as_many RECORD CALL...: there are as many records as events of these calls
as_many() {
    local record=$1 calls n; shift
    calls=$(printf '|%s' "$@")
    n=$(grep -cE "^[0-9]+ [0-9]+ (${calls#|}) " many.txt)
    check "$record" test "$n" -gt 0 -a "$(grep -c "^$record " many.events)" = "$n"
}
as_many MPI_ISEND MPI_Isend
as_many MPI_IRECV_REQUEST MPI_Irecv
as_many MPI_ISEND_COMPLETE MPI_Isend
as_many MPI_IRECV MPI_Irecv
calls=$(grep -cE '^[0-9]+ [0-9]+ ' many.txt)
check 'the archive has an ENTER and a LEAVE for each call' test "$(grep -c '^ENTER' many.events)" = $((calls + 9)) \
    -a "$(grep -c '^LEAVE' many.events)" = $((calls + 9))

# Short bursts keep their sum, although the clock counts whole nanoseconds.
{ printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"'
  for ((i = 0; i < 1000; i++)); do echo "0 $i MPI_Wtime clock_ns=0 volume=1"; done
  echo 'end finalized clock_ns=0'; } | "$timeless" undump - -o short.tl
"$timeless" export --to otf2 --rate 0.3 short.tl -o short
check 'each of 1000 calls takes 1 ns, and 1000 bursts of 0.3 ns take 300 ns' test \
    "$(events short | awk 'END { print $2, $3, NR }')" = '0 1300 2002'

# ---- the import ----
import() { "$timeless" import --from otf2 "$@"; }
# back NAME: NAME.tl is the trace of the archive NAME, and its export has the same records
back() { import "$1/trace.otf2" -o "$1.back.tl" && "$timeless" export --to otf2 -o "$1.back" "$1.back.tl" &&
    events "$1" >"$1.there" && events "$1.back" >"$1.again" && sed -i '/DGEMM/d' "$1.there" && diff <(norm "$1.there") <(norm "$1.again"); }
# norm FILE: without the numbers of requests and regions, the name of the program, and MPI_IN_PLACE, which an archive does not have
norm() { sed -E 's/, Request: [0-9]+//; s/Request: [0-9]+//; s/Region: .*/region/; /Sent: [46]0, Received: [46]0/s/[46]0/N/g' "$1"; }
sed -E 's/^ranks 3/&\nvolume_unit "cpu-ns"/; s/^[02] 2 MPI_Bcast.*/& volume=5000000/; s/^2 9 .*/& volume=7000000/' coll.txt >timed.txt
"$timeless" undump timed.txt -o timed.tl && "$timeless" export --to otf2 -o timed timed.tl || exit 99
check 'an archive of collectives is imported, and its export has the same records' back timed
check 'so is one of nonblocking messages' back many
# makespan TRACE OPTION...: of a replay
makespan() { "$timeless" replay -q --platform "$top_srcdir/platforms/star-1g" "$@"; }
for options in '--host-speed 1Gf' '--engine loggops --no-compute'; do
    check "a replay of the import takes as long as one of the trace ($options)" \
        equal "$(makespan timed.tl $options)" "$(makespan timed.back.tl $options)"
done
check 'an assumption is printed, and is in the trace' eval 'import timed/trace.otf2 -o again.tl 2>facts &&
    grep -q "trace.otf2: calls of MPI_Alltoallv and .*: 3$" facts && "$timeless" dump again.tl |
    grep -q "^origin .*MPI_Alltoallv and .*: 3"'
check 'MPI_IN_PLACE does not change the size of a reduction' eval '"$timeless" dump timed.back.tl |
    grep -q "^0 20 MPI_Allreduce count=20 type_bytes=1 comm=1 "'
import pair/trace.otf2 -o pair.back.tl
"$timeless" dump pair.back.tl | sed -E '1,/^origin/d; /^end/,$d; s/ site=0//; s/ clock_ns=[0-9]+//' >pair.back
cat >pair.back.expected <<'END'
rank 0 host="n0"
comm 3 parent=1 call=MPI_Comm_split members=[1,0]
0 0 MPI_Init volume=20
0 1 MPI_Comm_split comm=1 new_comm=3 volume=0
0 2 MPI_Isend count=80 type_bytes=1 peer=0 tag=3 comm=3 request=1 volume=1000
0 3 MPI_Wait request=1 volume=24
0 4 MPI_Recv count=4 type_bytes=1 peer=1 tag=7 comm=1 volume=0
0 5 MPI_Reduce count=32 type_bytes=1 peer=1 comm=3 volume=0
0 6 MPI_Iallreduce count=32 type_bytes=1 comm=1 request=1 volume=0
0 7 MPI_Barrier comm=2 volume=0
0 8 MPI_Waitall list=[1] volume=0
0 9 MPI_Finalize volume=60
END
check 'communicators, requests, hosts and volumes are imported' diff -u pair.back.expected pair.back
check 'the program and its MPI library come back' eval '"$timeless" dump pair.back.tl | grep -x "program .*\|mpi_library .*" |
    tr "\n" " " | grep -qx "program \"pair -n 2\" mpi_library \"Open MPI v4.1.4\" "'
timed() { import --call-times pair/trace.otf2 -o times.tl && "$timeless" dump times.tl | grep -q '^0 [0-9]* MPI_Recv .* took_ns=[0-9]'; }
check '--call-times keeps how long calls took' timed
check '--volume none and --rate' eval 'import --volume none pair/trace.otf2 -o none.tl && "$timeless" dump none.tl |
    grep -q "^0 9 .* volume=0 " && import --rate 2.5 pair/trace.otf2 -o fast.tl && "$timeless" dump fast.tl |
    grep -q "^0 9 .* volume=150 "'
check 'a counter that the archive lacks is refused' refused 3 'timeless: pair/trace.otf2: has no counter' import \
    --volume PAPI_TOT_INS pair/trace.otf2 -o no.tl
# damage FILE BYTES: the archive with a part of one file is refused
damage() { rm -rf cut && cp -r pair cut && head -c "$2" "pair/$1" >"cut/$1" &&
    refused 3 'timeless: cut/trace.otf2: ' import cut/trace.otf2 -o no.tl && [ ! -e no.tl ]; }
for file in trace.otf2 trace.def trace/1.evt trace/0.def; do
    check "an archive is refused if $file ends early" damage $file 12
done
check 'an archive without a file of events is refused' eval 'rm -rf cut && cp -r pair cut && rm cut/trace/1.evt &&
    refused 3 "timeless: cut/trace.otf2: " import cut/trace.otf2 -o no.tl'
check 'an anchor file that OTF2 reads without end is refused' eval 'rm -rf cut && cp -r pair cut && printf "\377" |
    dd of=cut/trace.otf2 bs=1 seek=46 conv=notrunc &&
    refused 3 "timeless: cut/trace.otf2: is no OTF2 archive, or damaged" import cut/trace.otf2 -o no.tl'
check_exit 3 'a file that is no archive is refused' import pair.txt -o no.tl

# An archive as Score-P writes it, with a clock of 1 MHz, names as in Fortran, a thread, a counter, and calls without events.
gcc -O1 "$top_srcdir/tests/cli/otf2_write.c" -o otf2_write $(pkg-config --cflags --libs otf2) || exit 99
cat >hand.txt <<'END'
comm 0 2 0
comm 0 0 1 2
comm 0 1
0 0 counter 90
0 0 enter main
0 5 counter 95
0 5 enter mpi_init_
0 7 counter 100
0 7 leave mpi_init_
0 10 counter 150
0 10 enter MPI_Comm_split
0 12 leave MPI_Comm_split
0 12 counter 160
0 12 enter MPI_Comm_dup
0 13 collective 17 0 4294967295 0 0
0 13 leave MPI_Comm_dup
0 20 counter 1160
0 20 enter MPI_Irecv
0 20 irecv 7
0 21 leave MPI_Irecv
0 21 enter MPI_Irecv
0 21 irecv 8
0 21 leave MPI_Irecv
0 21 enter MPI_Irecv
0 21 irecv 9
0 21 leave MPI_Irecv
0 22 enter MPI_Test
0 22 tested 7
0 23 leave MPI_Test
0 23 enter MPI_Probe
0 24 leave MPI_Probe
0 25 enter MPI_Send
0 25 leave MPI_Send
0 30 enter MPI_WAITALL
0 40 received 0 1 5 64 7
0 40 cancelled 8
0 41 leave MPI_WAITALL
0 50 enter MPI_Recv
0 52 recv 2 2 6 16
0 52 leave MPI_Recv
0 60 enter MPI_Reduce
0 61 collective 12 2 0 0 24
0 62 leave MPI_Reduce
0 70 enter MPI_Finalize
0 80 leave MPI_Finalize
0 81 leave main
100 30 enter work
100 31 leave work
1 5 enter MPI_Init
1 7 leave MPI_Init
1 10 enter MPI_Comm_split
1 12 leave MPI_Comm_split
1 12 enter MPI_Comm_dup
1 13 collective 17 0 4294967295 0 0
1 13 leave MPI_Comm_dup
1 60 enter MPI_Reduce
1 61 collective 12 2 0 12 0
1 62 leave MPI_Reduce
1 70 enter MPI_Finalize
1 71 leave MPI_Finalize
2 5 enter MPI_Init
2 7 leave MPI_Init
2 10 enter MPI_Comm_split
2 12 leave MPI_Comm_split
2 12 enter MPI_Comm_dup
2 13 collective 17 0 4294967295 0 0
2 13 leave MPI_Comm_dup
2 30 enter MPI_Isend
2 30 isend 1 1 5 64 3
2 31 leave MPI_Isend
2 31 enter MPI_Wait
2 32 sent 3
2 32 leave MPI_Wait
2 33 enter MPI_Ssend
2 33 send 0 2 6 16
2 34 leave MPI_Ssend
2 60 enter MPI_Reduce
2 61 collective 12 2 0 12 0
2 62 leave MPI_Reduce
2 70 enter MPI_Finalize
2 71 leave MPI_Finalize
END
./otf2_write hand <hand.txt || exit 99
import hand/traces.otf2 -o hand.tl 2>facts
"$timeless" dump hand.tl | sed -E '1,/^origin/d; s/ site=0//' >hand.dump
cat >hand.expected <<'END'
rank 0 host="main"
comm 3 parent=1 call=MPI_Comm_split members=[2,0]
comm 4 parent=1 call=MPI_Comm_dup members=[0-2]
0 0 MPI_Init clock_ns=0 volume=5000
0 1 MPI_Comm_split comm=1 new_comm=3 volume=3000
0 2 MPI_Comm_dup comm=1 new_comm=4 volume=0
0 3 MPI_Irecv count=64 type_bytes=1 peer=0 tag=5 comm=3 request=1 volume=7000
0 4 MPI_Send count=0 type_bytes=0 peer=null tag=0 comm=1 volume=2000 polls=1
0 5 MPI_Waitall list=[1] volume=5000
0 6 MPI_Recv count=16 type_bytes=1 peer=2 tag=6 comm=4 volume=9000
0 7 MPI_Reduce count=12 type_bytes=1 peer=0 comm=4 volume=8000
0 8 MPI_Finalize clock_ns=63000 volume=8000
END
spent() { import --call-times hand/traces.otf2 -o spent.tl && "$timeless" dump spent.tl | sed -nE 's/^0 [0-9]+ (MPI_[A-Za-z_]*) .* took_ns=([0-9]*).*/\1 \2/p' | diff -u spent.expected -; }
printf 'MPI_%s\n' 'Comm_split 2000' 'Comm_dup 1000' 'Irecv 1000' 'Send 1000' 'Waitall 11000' 'Recv 2000' 'Reduce 2000' >spent.expected
check 'a call has the time of failed tests before it, and not that of MPI_Probe' spent
check "the calls of Score-P's archive are imported" diff -u hand.expected <(sed '/^end/,$d' hand.dump)
check 'a split makes smaller communicators than a copy' grep -qx 'comm 3 parent=1 call=MPI_Comm_split members=\[1\]' hand.dump
check 'what is left out is counted' test \
    "$(grep -o 'left out: [0-9]*\|not in MPI: [0-9]*' facts | tr -d '\n')" = 'left out: 1left out: 1not in MPI: 1'
check 'a counter gives the volumes' eval 'import --volume PAPI_TOT_INS hand/traces.otf2 -o papi.tl &&
    "$timeless" dump papi.tl >papi.txt && grep -qx "volume_unit \"instructions\"" papi.txt &&
    grep -q "^0 3 .* volume=1000 " papi.txt && grep -q "^0 1 .* volume=50 " papi.txt'
# import_refused TEXT LINE...: the archive with these records, too
import_refused() { local text=$1; shift; rm -rf bad; { cat hand.txt; printf '%s\n' "$@"; } | ./otf2_write bad &&
    refused 3 "~^timeless: bad/traces.otf2: $text" import bad/traces.otf2 -o no.tl; }
check 'one-sided communication and files are refused by name, with their number' \
    import_refused '.*made of MPI_Put \(2 calls, first by rank 1\), MPI_File_write \(1 calls, first by rank 2\)' \
    '1 80 enter MPI_Put' '1 81 leave MPI_Put' \
    '1 81 enter MPI_Put' '1 82 leave MPI_Put' '2 80 enter MPI_File_write' '2 81 leave MPI_File_write'
check 'calls of several threads are refused' import_refused 'rank 0: .*another thread' '100 40 enter MPI_Send' '100 40 send 1 0 0 8'
check 'requests that are not recorded are refused' import_refused '.*MPI_Isend without its request' '1 80 enter MPI_Isend' \
    '1 80 send 0 0 0 8' '1 81 leave MPI_Isend'
check 'a partner beyond the communicator is refused' import_refused 'rank 1: MPI_Send with rank 9 of 3' '1 80 enter MPI_Send' \
    '1 80 send 9 0 0 8' '1 81 leave MPI_Send'

# export_refused REGEX LINE...
export_refused() {
    local pattern=$1 i=0; shift
    { printf '%s\n' 'timeless-text 1' 'ranks 2' 'rank 0 host="h"' 'comm 3 parent=1 call=MPI_Intercomm_create members=[0] remote=[1]'
      for line; do echo "0 $((i++)) $line"; done
      echo 'end finalized clock_ns=0'; echo 'rank 1 host="h"'
      echo 'comm 3 parent=1 call=MPI_Intercomm_create members=[1] remote=[0]'; echo 'end finalized clock_ns=0'; } >bad.txt
    "$timeless" undump bad.txt -o bad.tl || return 1
    refused 3 "~^timeless: bad.tl: $pattern" "$timeless" export --to otf2 bad.tl -o bad.out
}
check 'messages between two groups are refused' export_refused \
    'rank 0, event 0: .* cannot say MPI_Send between two groups \(1 events\), nor MPI_Comm_spawn \(1, first: rank 0, event 1\); ' \
    'MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=3' MPI_Comm_spawn
check 'more computation than a clock can count is refused' export_refused '.*MPI_Wtime behind more computation' \
    'MPI_Wtime clock_ns=0 volume=9300000000000000000'
check 'a kernel without a rate is refused' export_refused '.*dgemm without a rate' 'dgemm m=1 n=1 k=1'
check 'a wildcard without its outcome is refused' export_refused '.*MPI_Recv whose message was not recorded' \
    'MPI_Recv count=1 type_bytes=1 peer=any tag=0 comm=1'
check 'a request that was not begun is refused' export_refused '.*MPI_Wait of a request' 'MPI_Wait request=2'
check 'a partner beyond the last rank is refused' export_refused '.*MPI_Send with a partner' \
    'MPI_Send count=1 type_bytes=1 peer=2 tag=0 comm=1'
check 'a neighbourhood collective is refused' export_refused '.*MPI_Neighbor_allgather ' \
    'MPI_Neighbor_allgather count=1 type_bytes=1 recv_count=1 recv_type_bytes=1 comm=1'
check 'several threads are refused' export_refused '.*Thread of several threads' 'Thread tag=1'
tap_done
