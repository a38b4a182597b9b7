#!/usr/bin/env bash
# timeless join: the parts of one run make its trace; anything else is refused, by name.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
[ "${timeless#/}" = "$timeless" ] && timeless=$(cd "$OLDPWD" && cd "$(dirname "$timeless")" && pwd)/timeless

# header RUN [PARTS]; rank R HOST: lines of the text form
header() { printf '%s\n' 'timeless-text 1' 'ranks 3' 'program "p"' "run_id \"$1\"" "parts \"${2-node1 node2}\""; }
rank() { printf '%s\n' "rank $1 host=\"$2\"" "$1 0 MPI_Init clock_ns=0 volume=$1" 'end finalized clock_ns=7'; }
make() { $timeless undump - -o "$1"; }
{ header A; rank 0 node1; rank 2 node1; } | make a.tl
{ header A; rank 1 node2; } | make b.tl
{ header B; rank 1 node2; } | make other.tl
{ header A ''; rank 1 node2; } | make whole.tl

check 'parts are joined' $timeless join b.tl a.tl -o all.tl
check 'the joined trace is complete' $timeless info all.tl
{ header A; rank 0 node1; rank 1 node2; rank 2 node1; } | make expected.tl
same_text() { diff <($timeless dump all.tl) <($timeless dump expected.tl); }
check 'the trace has all ranks' same_text
check_exit 3 'a part alone is incomplete' $timeless info a.tl

# parts_refused NAME REGEX PART...
parts_refused() { check "$1 is refused" refused 3 "~^timeless: $2\$" $timeless join "${@:3}" -o no.tl; }
parts_refused 'a missing part' 'the part of node2 is missing; give the parts of all hosts, or --allow-missing if they are lost' a.tl
parts_refused 'another missing part' 'the part of node1 is missing; .*' b.tl
parts_refused 'a part twice' 'b.tl: has rank 1, as b.tl has; .*' a.tl b.tl b.tl
parts_refused 'a part of another run' 'other.tl:0: belongs to another run than a.tl; .*' a.tl other.tl
parts_refused 'a trace that is no part' 'whole.tl:0: is not a part of .*' a.tl whole.tl
check_exit 2 'no part is a usage error' $timeless join -o no.tl
check_exit 2 'no output is a usage error' $timeless join a.tl b.tl
check_exit 4 'an output that cannot be written' $timeless join a.tl b.tl -o absent/x.tl
head -c $(($(stat -c %s b.tl) - 5)) b.tl >torn.tl
check 'a damaged part is joined, a line names the part of the file and its rank' warns \
    '~^timeless: damaged.tl:[0-9]+: .* of rank 1 ' \
    $timeless join torn.tl a.tl -o damaged.tl
check 'a lost part: the parts that are left are joined, one line names the host and the ranks' warns \
    '~^timeless: left.tl: the part of node2 is missing: the trace has no events of 1 rank \(1\)$' \
    $timeless join --allow-missing a.tl -o left.tl
check_exit 3 'a lost part: the joined trace is incomplete' $timeless info left.tl
ends_lost() { $timeless info left.tl 2>/dev/null | grep -Eq '^ +1 +0 +0 +unknown +lost with its host \(join --allow-missing\)' && ! $timeless info left.tl 2>/dev/null | grep -q killed; }
check 'a lost part: info prints that its rank is lost with its host, and not that it was killed' ends_lost
check 'a lost part: JSON, too' grep -q '"end": "lost"' <($timeless info --json left.tl 2>/dev/null)
many() { { printf '%s\n' 'timeless-text 1' 'ranks 70' 'run_id "C"' 'parts "node1 node2"'; for r in $(seq 0 2 68); do rank $r node1; done; } | make many.tl
    $timeless info many.tl 2>/dev/null | grep -Eq '^ +35 .* lost with its host .* 1$'; }
check 'a lost part: the summary of many ranks, too' many
events_of() { $timeless dump "$1" 2>/dev/null | grep -E '^[02] '; }
same_left() { diff <(events_of left.tl) <(events_of expected.tl) && test "$(events_of left.tl | wc -l)" = 2; }
check 'a lost part: the events of the others are all there' same_left
check 'a lost part: replay refuses the trace, and names the rank and join' refused 3 "~^timeless: left.tl: has nothing of rank 1: its part of the run is lost, or is to be joined by 'timeless join'\$" \
    $timeless replay left.tl --platform "$(cd "$OLDPWD" && cd "$top_srcdir" && pwd)/platforms/star-1g" --no-compute
head -c $(($(stat -c %s a.tl) - 5)) a.tl >torn_a.tl
check 'a part is lost and another is damaged: what is left is joined, a line names the lost part' warns \
    '~^timeless: rest.tl: the part of node2 is missing: ' \
    $timeless join --allow-missing torn_a.tl -o rest.tl
check 'a part is lost and another is damaged: a line names the damage' grep -Eq '^timeless: rest.tl:[0-9]+: .* of rank 2; ' said
check_exit 3 'a part is lost and another is damaged: the joined trace is damaged' $timeless info rest.tl
check_exit 3 'without --allow-missing the lost part is an error, whatever else is damaged' $timeless join torn_a.tl -o no.tl
head -c 40 b.tl >head.tl
check_exit 3 '--allow-missing does not join a part without its header' $timeless join --allow-missing a.tl head.tl -o no.tl
check_exit 3 '--allow-missing does not join a part of another run' $timeless join --allow-missing a.tl other.tl -o no.tl
check_exit 3 '--allow-missing does not join a part twice' $timeless join --allow-missing a.tl a.tl -o no.tl
check 'what is not joined is not written' test ! -e no.tl
check 'no part is lost: --allow-missing joins as without it' $timeless join --allow-missing b.tl a.tl -o again.tl
check 'no part is lost: the same bytes' cmp all.tl again.tl
check_exit 3 'the joined trace of a damaged part is damaged' $timeless info damaged.tl
# The ranks of node1 are killed, and the part of node2 ends within a chunk.
killed() { printf '%s\n' "rank $1 host=\"node1\"" "$1 0 MPI_Init clock_ns=0 volume=$1"; }
{ header A; killed 0; killed 2; } | make killed.tl
for order in 'killed.tl torn.tl' 'torn.tl killed.tl'; do
    # shellcheck disable=SC2086
    check "a damaged part and killed ranks of another host, $order: joined, a line names the ranks and their hosts" warns \
        '~^timeless: both.tl: incomplete: ranks 0 2 on node1 have no end after 1 event, rank 1 on node2 has no end after 1 event; 3 killed ranks lost .*$' \
        $timeless join $order -o both.tl
    $timeless info both.tl >ends 2>&1
    check "a damaged part and killed ranks of another host, $order: the rank of the damaged part is damaged" grep -Eq '^ +1 .* damaged +node2' ends
    check "a damaged part and killed ranks of another host, $order: the others are killed, not damaged" test "$(grep -Ec '^ +[02] +1 .* killed +node1' ends)" = 2
done
check 'killed ranks: they are joined, one line names them, their host and their events' warns \
    '~^timeless: killed_all.tl: incomplete: ranks 0 2 on node1 were killed after 1 event; 2 killed ranks lost .*$' \
    $timeless join killed.tl b.tl -o killed_all.tl
{ printf '%s\n' 'timeless-text 1' 'ranks 12' 'run_id "D"' 'parts "node1 node2"'; for r in 0 2 4 6 8 10; do killed $r; done; } | make even.tl
check 'killed ranks that are no range: they are joined, the line has the first ones' warns \
    '~incomplete: ranks 0 2 4 6 \.\.\. on node1 were killed after 1 event; 6 killed ranks' \
    $timeless join --allow-missing even.tl -o even_left.tl
: >empty.tl
parts_refused 'an empty part' 'empty.tl:0: is empty; .*leave this one out and give --allow-missing, if its node died' a.tl empty.tl
for order in 'a.tl empty.tl' 'empty.tl a.tl'; do
    # shellcheck disable=SC2086
    check "--allow-missing, $order: an empty part is a missing one, a line names the file" warns \
        '~^timeless: empty.tl: is empty, and counts as a missing part$' \
        $timeless join --allow-missing $order -o rest.tl
    check "--allow-missing, $order: a line names the host and the ranks" grep -qx 'timeless: rest.tl: the part of node2 is missing: the trace has no events of 1 rank (1)' said
    check "--allow-missing, $order: the same trace as without the empty part" cmp rest.tl left.tl
done
check 'nothing but empty parts is refused' ends_with 3 '~^timeless: all parts are empty; there is nothing to join$' \
    $timeless join --allow-missing empty.tl empty.tl -o no.tl
check 'nothing but empty parts: nothing is written' test -z "$(compgen -G "no.tl*")"
# A reader looks once for the open frames beside its file.
opened() { strace -f -e trace=openat -o calls $timeless join a.tl b.tl -o once.tl && equal "$(grep -c '"b.tl.open"' calls)" 1; }
if [ -z "$SANITIZE" ] && strace -o calls true 2>/dev/null; then check 'each part is opened once' opened
else skip 'each part is opened once' 'strace is not installed, or this is a build with sanitizers'; fi
tap_done
