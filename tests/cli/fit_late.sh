#!/usr/bin/env bash
# timeless fit: a library tests now and then whether its sends are complete, and the tests succeed at other places in each
# run. The sends are completed at the end. Requests of one call site may be completed in any order.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# capture RANKS STEPS [tested]: a ring; a test completes all sends so far where it depends on rank and step
capture() {
    local n=$1 steps=$2 rank i k
    {
        printf '%s\n' 'timeless-text 1' "ranks $n"
        for ((rank = 0; rank < n; rank++)); do
            printf '%s\n' "rank $rank host=\"h\"" "$rank 0 MPI_Init clock_ns=0" \
                'site 1 object="app" offset=7' 'site 2 object="app" offset=8' 'site 3 object="app" offset=9' 'site 4 object="app" offset=10'
            k=1
            open=
            for ((i = 1; i <= steps; i++)); do
                echo "$rank $((k++)) MPI_Isend count=8 type_bytes=8 peer=$(((rank + 1) % n)) tag=1 comm=1 request=$i site=1"
                open=${open:+$open,}$i
                echo "$rank $((k++)) MPI_Recv count=8 type_bytes=8 peer=$(((rank + n - 1) % n)) tag=1 comm=1 site=2"
                [ $(((rank * 7 + i * i + n) % 3)) = 0 ] || continue
                echo "$rank $((k++)) MPI_Testall list=[$open] site=3"
                open=
            done
            [ -z "$open" ] || echo "$rank $((k++)) MPI_Waitall list=[$open] site=4"
            echo "$rank $k MPI_Finalize clock_ns=0"
            echo 'end finalized clock_ns=0'
        done
    } | "$timeless" undump - -o "$n.tl"
}
captures() { capture 3 5 && capture 4 7 && capture 6 9; }
fit() { "$timeless" fit 3.tl 4.tl 6.tl --parameter steps=5,7,9 -o late.skel; }
check 'captures of sends that tests complete' captures
check 'they have a skeleton' fit
cp "$scratch/out" report
check 'the report has the number of these sends' grep -q '^order assumed.* sends that are completed at the end' report
capture 7 6
messages() { "$timeless" dump "$1" | sed -n 's/ site=[0-9]*$//; s/ volume=[0-9]*//; s/ request=[0-9]*//; /Isend\|Recv/s/^\([0-9]*\) [0-9]*/\1/p'; }
messages 7.tl >true
messages late.skel,ranks=7,steps=6 >made
check 'it has the messages of another size' cmp true made
check 'each send is completed, before the end' test "$("$timeless" dump late.skel,ranks=7,steps=6 | grep -c 'MPI_Waitall list=\[1,2,3,4,5,6\]')" = 7
check 'both engines replay it' bash -c '"$1" replay late.skel --ranks 30 --set steps=8 -p star-1g -q &&
    "$1" replay late.skel --ranks 30 --set steps=8 --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns -q' - "$timeless"

# mixed RANKS [SITE]: requests of one call site are completed in an order that depends on the rank, and MPI_Waitall completes two of three
# at this call site
mixed() {
    local n=$1 rank i k wait at=${2:-4}
    {
        printf '%s\n' 'timeless-text 1' "ranks $n"
        for ((rank = 0; rank < n; rank++)); do
            printf '%s\n' "rank $rank host=\"h\"" "$rank 0 MPI_Init clock_ns=0" \
                'site 1 object="app" offset=7' 'site 2 object="app" offset=8' 'site 3 object="app" offset=9' 'site 4 object="app" offset=10'
            k=1
            for ((i = 1; i <= 3; i++)); do
                echo "$rank $((k++)) MPI_Irecv count=$((100 * i)) type_bytes=1 peer=$(((rank + n - i) % n)) tag=$i comm=1 request=$i site=1"
            done
            for ((i = 1; i <= 3; i++)); do
                echo "$rank $((k++)) MPI_Isend count=$((100 * i)) type_bytes=1 peer=$(((rank + i) % n)) tag=$i comm=1 request=$((3 + i)) site=2"
            done
            for wait in $((1 + rank % 3)) $((1 + (rank + 2) % 3)) $((1 + (rank + 1) % 3)); do
                echo "$rank $((k++)) MPI_Wait request=$wait site=3"
            done
            echo "$rank $((k++)) MPI_Waitall list=[$((5 - rank % 2)),6] site=$at"
            echo "$rank $((k++)) MPI_Waitall list=[$((4 + rank % 2))] site=$at"
            echo "$rank $k MPI_Finalize clock_ns=0"
            echo 'end finalized clock_ns=0'
        done
    } | "$timeless" undump - -o "$n.tl"
}
mixed_captures() { local n; for n in 4 6 9 12; do mixed $n "$@" || return; done; }
check 'captures of requests that are completed in any order' mixed_captures
check 'they have a skeleton' "$timeless" fit 4.tl 6.tl 9.tl 12.tl --holes nearest -o mixed.skel
cp "$scratch/out" report
check 'the report has the number of these waits' grep -q '^order assumed.* waits for another request than the oldest' report
messages 9.tl | sort >true
messages mixed.skel,ranks=9 | sort >made
check 'it has the messages of a capture' cmp true made
completed() { "$timeless" dump "$1" | awk '/MPI_Wait /{n++} END {exit n != 6 * 9}'; }
check 'each request is completed' completed mixed.skel,ranks=9
check 'a receive is started as early as it is completed' bash -c 'order() { sed -n "s/^\([0-9]*\) .*MPI_Irecv .* tag=\([0-9]\).*/\1:\2/p"; }
    cmp <("$1" dump mixed.skel,ranks=9 | order) <(for r in 0 1 2 3 4 5 6 7 8; do printf "$r:%d\n" $((1 + r % 3)) $((1 + (r + 2) % 3)) $((1 + (r + 1) % 3)); done)' \
    - "$timeless"
# As for waits that one source line makes of requests of two names.
at_one_place() {
    mixed_captures 3 && "$timeless" fit 4.tl 6.tl 9.tl 12.tl --holes nearest -o place.skel -q && completed place.skel,ranks=9 &&
        grep 'MPI_Wait request=r0$' place.skel && grep 'MPI_Wait request=r1$' place.skel
}
check 'MPI_Wait at the place of MPI_Waitall still completes its own requests' at_one_place
check 'both engines replay this, too' bash -c '"$1" replay mixed.skel --ranks 18 -p star-1g -q &&
    "$1" replay mixed.skel --ranks 18 --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns -q' - "$timeless"
tap_done
