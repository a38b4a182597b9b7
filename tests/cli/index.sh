#!/usr/bin/env bash
# index.sh - the index of a large packed trace: info, cut and seeks give the same as without it.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
[ "${timeless#/}" = "$timeless" ] && timeless=$(cd "$OLDPWD" && cd "$(dirname "$timeless")" && pwd)/timeless
# 4.3 million events (an index is written from 2^22 on): bursts of messages, requests that are open
# for long, collectives on two communicators, regions of two levels.
cat >large.skel <<'S'
skeleton 1
ranks 4
param steps = 16000
unit "instructions"
comm pair = rank / 2
MPI_Comm_split new_comm=pair
for step = 1 to steps {
    if step % 1000 == 1 {
        MPI_Pcontrol level=step / 1000 % 2 + 1
    }
    MPI_Irecv peer=(rank + 1) % ranks count=7 type_bytes=8 tag=99 request=late
    for i = 1 to 16 {
        MPI_Irecv peer=(rank + 1) % ranks count=step % 9 type_bytes=8 tag=i request=burst
        MPI_Isend peer=(rank + ranks - 1) % ranks count=step % 9 type_bytes=8 tag=i request=burst
    }
    MPI_Waitall request=burst
    for i = 1 to 32 {
        compute step * i
        MPI_Allreduce count=1 type_bytes=8 comm=pair
    }
    MPI_Send peer=(rank + ranks - 1) % ranks count=7 type_bytes=8 tag=99
    MPI_Wait request=late
    if step % 400 == 0 {
        MPI_Barrier
    }
}
S
check "a large trace is made" $timeless make large.skel -o plain.tl
check "it is packed" $timeless pack plain.tl -o packed.tl
facts() { $timeless info "$@" | grep -vE '^(trace|hash|bytes|written by) '; }
same_facts() { facts plain.tl >expected; facts packed.tl | diff expected - && grep -Eq '^events +4[0-9]{6}$' expected; }
check "info prints the same" same_facts
same_sections() { facts --sections plain.tl >expected; facts --sections packed.tl | diff expected -; }
check "info --sections prints the same" same_sections
seek() { $timeless dump "$1" --rank 3 --events 1040000:1040020 | grep -E '^3 '; }
same_seek() { seek plain.tl >expected; seek packed.tl | diff expected - && test "$(wc -l <expected)" = 20; }
check "events far behind are the same" same_seek
text() { $timeless dump "$1" | grep -v '^origin '; }
# same_cut OPTION VALUE: the part is the same
same_cut() {
    $timeless cut plain.tl "$@" -o a.tl && $timeless cut packed.tl "$@" -o b.tl && text a.tl >expected && text b.tl | cmp expected - &&
        test "$(wc -l <expected)" -gt 1000
}
check "cut: a section in the middle" same_cut --section 20:21
check "cut: the last section" same_cut --section 39:last
check "cut: a region" same_cut --region 2:5
refusal() { $timeless cut "$1" --events 500010:500040 -o no.tl 2>&1 | sed 's/^timeless: [a-z]*.tl/X/'; }
refusal_is_same() { refusal plain.tl >expected; refusal packed.tl | diff expected - && grep -q 'rank' expected; }
check "cut: a part that is refused is refused with the same words" refusal_is_same
check "a packed trace is packed again" $timeless pack packed.tl -o again.tl
check "packed again: the same bytes" cmp packed.tl again.tl
tap_done
