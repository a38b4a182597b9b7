#!/usr/bin/env bash
# timeless extrapolate: patterns with more ranks are those that timeless make writes; the rule case by case;
# what does not fit is refused by name.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/like.sh"
cd "$scratch" || exit 99

grown() { # PATTERN FROM TO OPTION...
    local pattern=$1 from=$2 to=$3
    shift 3
    "$timeless" make "$pattern" -n "$from" --bytes 40 --iterations 3 -o from.tl &&
        "$timeless" make "$pattern" -n "$to" --bytes 40 --iterations 3 -o to.tl &&
        "$timeless" extrapolate from.tl -n "$to" -o grown.tl "$@" && like to.tl grown.tl
}
# refused CODE TEXT COMMAND...: ends with this code, says this in one line, and writes nothing
refused() {
    local code=$1 text=$2 rc
    shift 2
    rm -f new.tl
    "$@" >out 2>&1
    rc=$?
    [ $rc -eq "$code" ] && [ "$(wc -l <out)" = 1 ] && grep -qF -- "$text" out && [ ! -e new.tl ] && [ ! -e new.tl.part ]
}
refuse() { # TEXT OPTION...: extrapolating t.tl is
    local text=$1
    shift
    refused 3 "$text" "$timeless" extrapolate t.tl -o new.tl "$@"
}

check 'a stencil of 16 ranks as one of 64' grown stencil2d 16 64
check 'of 64 as one of 512, in space' grown stencil3d 64 512
check 'a sweep of 16 as one of 64' grown sweep 16 64
check 'of 4, which has no inner rank, as one of 16' grown sweep 4 16
check 'and one of 144' grown sweep 4 144
check 'with nothing left to a rule' bash -c "! '$timeless' extrapolate from.tl -n 144 -o new.tl | grep -q 'by call site'"
check 'a token of 4 ranks as one of 50' grown token 4 50
check 'a stencil of 4 as one of 16, if it is said to be periodic' grown stencil2d 4 16 --grid 2px2p
check 'of 8 as one of 64' grown stencil3d 8 64 --grid 2px2px2p
for call in call_barrier call_bcast call_allreduce call_alltoall; do check "$call" grown $call 4 60; done
check 'the same bytes every time' bash -c "'$timeless' extrapolate from.tl -n 60 -o new.tl && cmp new.tl grown.tl"
check 'info tells where it is from' bash -c "'$timeless' info grown.tl | grep -qE '^origin +timeless extrapolate --ranks 60 of from.tl \([0-9a-f]{16}\): weak scaling, grid 4 to 60, volumes drawn with seed 1$'"
check 'over itself' "$timeless" extrapolate from.tl -n 60 -o from.tl
check 'too' cmp from.tl grown.tl

"$timeless" make stencil2d -n 4 -o t.tl
check 'two ranks that do the same' refuse 'whether it is periodic cannot be told; say so, as in --grid 2px2' -n 16
"$timeless" make stencil2d -n 16 -o t.tl
check 'a new grid by its sizes' "$timeless" extrapolate t.tl --new-grid 4x6 -o new.tl
check 'has so many ranks' bash -c "'$timeless' info new.tl | grep -qE '^ranks +24$'"
check 'a new grid with other dimensions' refused 2 'give 2 sizes' "$timeless" extrapolate t.tl --new-grid 8 -o new.tl
check 'another number of ranks' refused 2 'has not 9 ranks' "$timeless" extrapolate t.tl --new-grid 4x6 -n 9 -o new.tl
check 'a dimension that vanishes' refuse 'what the neighbours along it do cannot be told' --new-grid 1x16
check 'a grid that its partners do not fit' refuse 'rank 0, event 1: MPI_Irecv has to do with rank 3, which is no neighbour of it in a 16x1 grid' --grid 16x1 -n 64
check 'a grid of another number of ranks' refused 2 "give one of 16 ranks" "$timeless" extrapolate t.tl --grid 3x3 -n 64 -o new.tl
check 'no grid' refused 2 "the grid 'four'" "$timeless" extrapolate t.tl --grid four -n 64 -o new.tl
"$timeless" make random -n 16 -o t.tl
check 'random partners' refuse 'nor does any other grid fit better' -n 64
"$timeless" make alltoall -n 128 -o t.tl
check 'all to all' refuse 'no stencil or sweep' -n 256
tap_done
