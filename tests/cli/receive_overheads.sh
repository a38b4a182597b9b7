#!/usr/bin/env bash
# Receives that one MPI_Waitall waits for take their overhead (smpi/or) one by one as their messages come, in both engines.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
use_platforms_without_overheads star-1g
echo 'smpi/or:0:1e-2:0' >>"$TIMELESS_PLATFORMS/star-1g/options.conf"

# gather NAME WAITS MS...: rank i sends a byte to rank 0 after so many ms of computation; rank 0 waits by these calls
gather() {
    local name=$1 waits=$2 rank=0 ms; shift 2
    {
        printf 'timeless-text 1\nranks %d\nvolume_unit "cpu-ns"\nrank 0 host="h0"\n' $(($# + 1))
        for ms; do
            echo "0 $rank MPI_Irecv count=1 type_bytes=1 peer=$((rank + 1)) tag=0 comm=1 request=$((rank + 1))"
            rank=$((rank + 1))
        done
        printf '%s\n' "$waits" | awk -v n=$rank '{ print 0, n++, $0 } END { print "end cut clock_ns=0" }'
        rank=0
        for ms; do
            rank=$((rank + 1))
            printf 'rank %d host="h%d"\n%d 0 MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=1 volume=%d\nend cut clock_ns=0\n' \
                $rank $rank $rank $((ms * 1000000))
        done
    } | "$timeless" undump - -o "$name.tl"
}
# takes NAME MS OPTION...: in both engines, where a receive takes 10 ms and all else next to nothing
takes() {
    local engine
    for engine in smpi loggops; do
        "$timeless" replay "$1.tl" -p star-1g --ranks-per-host 1 --engine $engine -q "${@:3}" |
            awk -v ms="$2" '{ print; d = $1 * 1e3 - ms } END { exit !(NR == 1 && d > -1 && d < 1) }' || return 1
    done
}
check 'early messages are taken in before the last one comes' gather early 'MPI_Waitall list=[1,2,3]' 0 50 100
check '... so that only the last receive follows its message' takes early 110
check 'messages that come while an earlier one is taken in' gather close 'MPI_Waitall list=[1,2,3]' 0 50 55
check '... wait for it' takes close 70
check 'messages at once' gather once 'MPI_Waitall list=[1,2,3]' 0 0 0
check '... are taken in one after the other' takes once 30
check 'messages that came before the wait' gather before 'MPI_Waitall list=[1,2,3] volume=40000000' 0 0 100
check '... are taken in when it begins' takes before 110
check 'waits for one after the other' gather alone $'MPI_Wait request=3\nMPI_Wait request=1\nMPI_Wait request=2' 0 0 50
check '... take in their own messages' takes alone 80
# A collective beside the program takes in its own message from 0 to 10 ms. The program's message comes after 1 ms, while it waits.
"$timeless" undump - -o beside.tl <<'END'
timeless-text 1
ranks 2
volume_unit "cpu-ns"
rank 0 host="h0"
0 0 MPI_Irecv count=8 type_bytes=1 peer=1 tag=0 comm=1 request=1
0 1 MPI_Ireduce count=1 type_bytes=8 peer=0 comm=1 request=2
0 2 MPI_Waitall list=[1,2]
end cut clock_ns=0
rank 1 host="h1"
1 0 MPI_Ireduce count=1 type_bytes=8 peer=0 comm=1 request=1
1 1 MPI_Send count=8 type_bytes=1 peer=0 tag=0 comm=1 volume=1000000
1 2 MPI_Wait request=1
end cut clock_ns=0
END
check 'a receive waits for the CPU that a collective beside the program has' takes beside 20
# Overheads below 0: SimGrid takes a segment without a positive part as 0, and so does the engine loggops.
check 'overheads below 0 for all sizes of a segment' gather below 'MPI_Waitall list=[1,2,3]' 0 0 0
sed -i 's/^smpi.or:.*/smpi\/or:0:-1e-2:0/' "$TIMELESS_PLATFORMS/star-1g/options.conf"
check '... are none' takes below 0
sed -i 's/^smpi.or:.*/smpi\/or:0:1e-2:-1e-9/' "$TIMELESS_PLATFORMS/star-1g/options.conf"
check 'an overhead that shrinks with the size exits 3 and says from which size on' refused 3 \
    "option smpi/or: '0:1e-2:-1e-9' has a negative value from 0 bytes on" \
    "$timeless" replay below.tl -p star-1g --engine loggops -q
check 'an option on the command line replaces that of the platform, in both engines' takes once 60 --cfg smpi/or:0:2e-2:0
tap_done
