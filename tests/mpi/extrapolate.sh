# extrapolate.sh - 16 ranks out of a recording of 4 are those of a recording of 16.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/like.sh"
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

check 'grid.c is compiled' "$MPICC" -O1 $SANITIZE -o grid "$top_srcdir/tests/mpi/grid.c"
check 'patterns.c is compiled' "$MPICC" -O1 $SANITIZE -o patterns "$top_srcdir/tests/bench/patterns.c"
# recorded NAME RANKS PROGRAM...
recorded() { ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$timeless" record -q --folded --volume none \
    -n "$2" -o "$1.$2.tl" -- "${@:3}"; }
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
    check "sweep: $ranks ranks are recorded" recorded sweep $ranks ./patterns wavefront 2
    check "space: $ranks ranks are recorded" recorded space $ranks ./patterns stencil3d 11
    check "flat: $ranks ranks are recorded" recorded flat $ranks ./grid skip,shift,cart,corners,blocking,windows,split,wild
    check "ring: $ranks ranks are recorded" recorded ring $ranks ./grid skip,persistent,shift,cart,split periodic
done
check 'sweep: 4 ranks are extrapolated to the recording of 16' grows sweep
check 'space: 4 ranks are extrapolated to the recording of 16 with --process-grid' grows space --process-grid 2px2px1p
check 'flat: halos, shifts, neighbourhoods, corners, rows and columns of 4 ranks are extrapolated to the recording of 16' grows flat
check 'ring: 4 ranks of a periodic grid are extrapolated to the recording of 16' grows ring
for name in sweep flat ring; do check "$name: 16 ranks of 16 stay as they are" stays $name; done
check 'space: messages of a rank to itself are refused without --process-grid' refused \
    'the partner of MPI_Irecv is the rank itself: the trace does not show whether a periodic dimension has one rank' space 4 16

check 'persistent: 4 ranks are recorded' recorded persistent 4 ./grid persistent
check 'persistent: the output states that no rank shows an order' bash -c \
    "'$timeless' extrapolate persistent.4.tl -n 16 -o new.tl | grep -q 'times, no rank shows'"
check 'persistent: the new trace is replayed' makespan new.tl
check 'roots: 4 ranks are recorded' recorded roots 4 ./grid roots
check 'roots: roots that change are refused' refused 'rank 0, event 3: the root of MPI_Bcast is rank 1 of 4' roots 4 16
check 'parity: 4 ranks are recorded' recorded parity 4 ./grid parity
check 'parity: calls by parity of 4 ranks are refused' refused 'the trace does not show what a rank between them does' parity 4 16
check 'parity: 16 ranks are recorded' recorded parity 16 ./grid parity
check 'parity: calls by parity of 16 ranks are refused' refused \
    'ranks 1 and 2 have like places in a 4x4 grid, but make different calls: event 2 is MPI_Send' parity 16 64
check 'fft: 4 ranks are recorded' recorded fft 4 ./patterns fft 1
check 'fft: unequal shares are refused' refused 'MPI_Alltoallv has shares of different sizes' fft 4 16
tap_done
