#!/usr/bin/env bash
# timeless fit: a library tests now and then whether its sends are complete, and the tests succeed at other places in each
# run. The sends are completed at the end.
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
tap_done
