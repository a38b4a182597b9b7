# extrapolate.sh - 16 ranks out of a recording of 4 are those of a recording of 16.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/like.sh"
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

check 'programs on a grid' "$MPICC" -O1 $SANITIZE -o grid "$top_srcdir/tests/mpi/grid.c"
check 'stencils and sweeps' "$MPICC" -O1 $SANITIZE -o patterns "$top_srcdir/tests/bench/patterns.c"
# recorded NAME RANKS PROGRAM...
recorded() { ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$timeless" record -q --folded --volume none -n "$2" -o "$1.$2.tl" -- "${@:3}"; }
extrapolated() { "$timeless" extrapolate "$1.$2.tl" -n "$3" -o "$1.new.tl" "${@:4}"; }
makespan() { "$timeless" replay "$1" --engine loggops --params $params -q; }
# grows NAME OPTION...: 4 ranks become those 16 that were recorded, and take as long
grows() {
    extrapolated "$1" 4 16 "${@:2}" && like "$1.16.tl" "$1.new.tl" &&
        [ "$(makespan "$1.16.tl")" = "$(makespan "$1.new.tl")" ]
}
stays() { extrapolated "$1" 16 16 && like "$1.16.tl" "$1.new.tl"; }
refused() { # TEXT NAME FROM TO
    rm -f "$2.new.tl"
    extrapolated "${@:2}" >out 2>&1
    [ $? = 3 ] && grep -qF -- "$1" out && [ ! -e "$2.new.tl" ]
}

for ranks in 4 16; do
    check "a sweep on $ranks ranks" recorded sweep $ranks ./patterns wavefront 2
    check "a periodic stencil in space" recorded space $ranks ./patterns stencil3d 11
    check "without periods" recorded flat $ranks ./grid skip,shift,cart,corners,blocking,windows,split,wild
    check "with periods" recorded ring $ranks ./grid skip,persistent,shift,cart,split periodic
done
check 'the sweep: 16 out of 4' grows sweep
check 'the stencil in space, whose grid has to be said' grows space --grid 2px2px1p
check 'halos, shifts, neighbourhoods, corners, rows and columns' grows flat
check 'around' grows ring
for name in sweep flat ring; do check "$name: 16 out of 16" stays $name; done
check 'ranks to themselves' refused 'has to do with the rank itself: whether a periodic dimension has one rank' space 4 16

check 'with persistent requests' recorded persistent 4 ./grid persistent
check 'an order that no rank shows' bash -c "'$timeless' extrapolate persistent.4.tl -n 16 -o new.tl | grep -q 'times, no rank shows'"
check 'can be replayed' makespan new.tl
check 'roots that go round' recorded roots 4 ./grid roots
check 'are refused' refused 'rank 0, event 3: the root of MPI_Bcast is rank 1 of 4' roots 4 16
check 'turns by parity, of 4' recorded parity 4 ./grid parity
check 'are refused' refused 'what a rank between them does cannot be told' parity 4 16
check 'of 16' recorded parity 16 ./grid parity
check 'too' refused 'ranks 1 and 2 have like places in a 4x4 grid, but do other things: event 2 is MPI_Send' parity 16 64
check 'uneven vectors' recorded fft 4 ./patterns fft 1
check 'are refused' refused 'MPI_Alltoallv has shares of different sizes' fft 4 16
tap_done
