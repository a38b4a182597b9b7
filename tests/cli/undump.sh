#!/usr/bin/env bash
# dump and undump: there and back again without a difference, and errors with their place.
. "$(dirname "$0")/../tap.sh"

cd "$scratch" || exit 1
# back TRACE: the trace made of its text has the same text, events, description and ends
back() {
    "$timeless" dump "$1" >there.txt 2>there.err
    "$timeless" undump there.txt -o back.tl || return 1
    "$timeless" dump back.tl >back.txt 2>/dev/null
    cmp there.txt back.txt && cmp <("$timeless" dump --json "$1" 2>/dev/null) <("$timeless" dump --json back.tl 2>/dev/null) &&
        cmp <("$timeless" info --json "$1" 2>/dev/null | same_info) <("$timeless" info --json back.tl 2>/dev/null | same_info)
}
same_info() { # what info says of the run, but for the file
    python3 -c '
import json, sys
info = json.load(sys.stdin)
print([info[k] for k in ("program", "volume_unit", "volume_source", "mpi_library", "writer", "origin", "ranks")])'
}
make_trace=$top_builddir/tests/golden/make_trace
"$make_trace" all all.tl && "$make_trace" ring ring.tl || exit 99
check 'random events of every call come back from the text' back all.tl
check 'a ring comes back from the text' back ring.tl
check 'a part of a trace is cut' "$timeless" cut ring.tl --section 1 -o part.tl
check 'a part of a trace comes back from the text' back part.tl
head -c $(($(stat -c %s ring.tl) - 20)) ring.tl >short.tl
check 'the intact events of a truncated trace come back' back short.tl
check 'a truncated rank comes back without an end' test "$(grep -c '^end' back.txt)" = 2
cp ring.tl stays.tl

cat >hand.txt <<'END'
# written by hand
timeless-text 1
ranks 4
program "a \"b\" \\ \x0a\x01é"

rank 1 host="n\x20 1"
comm 3 parent=1 call=MPI_Comm_split members=[3-0]
comm 4 parent=3 call=700 members=[0-2/2,1,0]
site 4294967295 object="a b" offset=18446744073709551615
1 0 MPI_Send tag=any peer=null type_bytes=-1 count=-9223372036854775808 comm=3   site=2
1 1 dgemm m=1 n=2 k=3 volume=18446744073709551615 polls=4294967295
1 2 dgemm list=[]
1 3 MPI_Waitall list=[-1,0,9223372036854775807]
1 4 MPI_Reduce count=0 type_bytes=0 peer=root comm=1 in_place=1 noncommutative=1
1 5 MPI_Pcontrol level=-1 clock_ns=3
end aborted clock_ns=7
rank 3 host=""
END
cat >hand.expected <<'END'
timeless-text 1
ranks 4
volume_unit ""
volume_source ""
program "a \"b\" \\ \x0a\x01é"
mpi_library ""
writer ""
origin ""
rank 1 host="n  1"
comm 3 parent=1 call=MPI_Comm_split members=[3-0]
comm 4 parent=3 call=700 members=[0,2-0]
site 4294967295 object="a b" offset=18446744073709551615
1 0 MPI_Send count=-9223372036854775808 type_bytes=-1 peer=null tag=any comm=3 volume=0 site=2
1 1 dgemm m=1 n=2 k=3 volume=18446744073709551615 polls=4294967295 site=0
1 2 dgemm list=[] volume=0 site=0
1 3 MPI_Waitall list=[-1,0,9223372036854775807] volume=0 site=0
1 4 MPI_Reduce count=0 type_bytes=0 peer=root comm=1 in_place=1 noncommutative=1 volume=0 site=0
1 5 MPI_Pcontrol level=-1 clock_ns=3 volume=0 site=0
end aborted clock_ns=7
END
check 'a text written by hand is read from standard input' sh -c "'$timeless' undump - -o hand.tl <hand.txt"
"$timeless" dump hand.tl >hand.dump 2>hand.err
check 'a text written by hand is dumped in its canonical form' diff -u hand.expected hand.dump
check 'a text written by hand comes back' back hand.tl

# text_refused LINE TEXT LINE...: undump of these lines names the line and the fault
text_refused() {
    printf '%s\n' "${@:3}" >bad.txt
    refused 3 "timeless: bad.txt:$1: .*$2.*; " "$timeless" undump bad.txt -o bad.tl
}
head=('timeless-text 1' 'ranks 2')
part=("${head[@]}" 'rank 0 host="h"')
check 'a file of another kind is refused' text_refused 1 'is not the text' 'hello'
: >empty.txt
check_exit 3 'an empty text exits with 3' "$timeless" undump empty.txt -o bad.tl
check 'a text without ranks is refused' text_refused 2 'ranks' 'timeless-text 1' 'rank 0 host=""'
check 'too many ranks are refused' text_refused 2 'number of ranks' 'timeless-text 1' 'ranks 99999999'
check 'a field that is given twice is refused' text_refused 4 'twice' "${head[@]}" 'program "a"' 'program "b"'
check 'a field without quotation marks is refused' text_refused 3 'quotation' "${head[@]}" 'program a'
check 'an unknown field is refused' text_refused 3 'description' "${head[@]}" 'colour "red"'
check 'a rank beyond the last one is refused' text_refused 3 'no rank' "${head[@]}" 'rank 2 host=""'
check 'a rank that is given twice is refused' text_refused 4 'twice' "${part[@]}" 'rank 0 host="h"'
check 'an event outside of a rank is refused' text_refused 5 'outside' "${part[@]}" 'end finalized clock_ns=0' '0 0 MPI_Wtime clock_ns=0'
check 'an event of another rank is refused' text_refused 4 'rank 1' "${part[@]}" '1 0 MPI_Wtime clock_ns=0'
check 'a gap in the numbers of events is refused' text_refused 4 'event 1 where event 0' "${part[@]}" '0 1 MPI_Wtime clock_ns=0'
check 'an unknown call is refused' text_refused 4 'MPI_Sent' "${part[@]}" '0 0 MPI_Sent'
check 'a slot that the call does not fill is refused' text_refused 4 "no 'peer'" "${part[@]}" '0 0 MPI_Wtime peer=0 clock_ns=0'
check 'a slot that is missing is refused' text_refused 4 "lacks 'clock_ns'" "${part[@]}" '0 0 MPI_Wtime'
check 'a slot that is given twice is refused' text_refused 4 'twice' "${part[@]}" '0 0 MPI_Wtime clock_ns=0 clock_ns=0'
check 'a value that is not a number is refused' text_refused 4 'number' "${part[@]}" '0 0 MPI_Wtime clock_ns=x'
check 'a number that is too large is refused' text_refused 4 'number' "${part[@]}" '0 0 MPI_Start request=4294967296'
check 'sizes in another order are refused' text_refused 4 'order' "${part[@]}" '0 0 dgemm n=1 m=1 k=1'
check 'a size that is missing is refused' text_refused 4 'lacks' "${part[@]}" '0 0 dgemm m=1 n=1'
check 'members beyond the last rank are refused' text_refused 4 'members' "${part[@]}" 'comm 3 parent=1 call=MPI_Comm_dup members=[0-2]'
check 'a communicator that is given twice is refused' text_refused 5 'twice' "${part[@]}" 'comm 3 parent=1 call=MPI_Comm_dup members=[0]' \
    'comm 3 parent=1 call=MPI_Comm_dup members=[0]'
members() { for i in $(seq 3 70); do echo "comm $i parent=1 call=MPI_Comm_dup members=[0-$((600000 + i))]"; done; }
mapfile -t many < <(members)
check 'more members than a reader accepts are refused' sh -c 'printf "%s\n" "$@" >many.txt; "$0" undump many.txt -o many.tl 2>many.err; [ $? = 3 ] && [ ! -e many.tl ] && grep -q "^timeless: many.txt: .*members.*; " many.err' \
    "$timeless" 'timeless-text 1' 'ranks 1000000' 'rank 0 host="h"' "${many[@]}"
check 'an unknown end is refused' text_refused 4 'way to end' "${part[@]}" 'end well clock_ns=0'
check_exit 4 'a text that does not exist exits with 4' "$timeless" undump missing.txt -o bad.tl
check_exit 4 'a folder that does not exist exits with 4' "$timeless" undump hand.txt -o no/such.tl
check_exit 2 'a command without --output exits with 2' "$timeless" undump hand.txt
check 'an existing trace outlives a text that is refused' sh -c \
    "! '$timeless' undump empty.txt -o stays.tl && cmp ring.tl stays.tl"
tap_done
