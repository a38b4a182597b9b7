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
# refused CODE TEXT COMMAND...: it exits with this code, prints one line with this text, and writes nothing
refused() {
    local code=$1 text=$2 rc
    shift 2
    rm -f new.tl
    "$@" >out 2>&1
    rc=$?
    [ $rc -eq "$code" ] && [ "$(wc -l <out)" = 1 ] && grep -qF -- "$text" out && ! compgen -G "new.tl*"
}
refuse() { # TEXT OPTION...: extrapolating t.tl is
    local text=$1
    shift
    refused 3 "$text" "$timeless" extrapolate t.tl -o new.tl "$@"
}

check 'stencil2d: 16 ranks become those of 64' grown stencil2d 16 64
check 'stencil3d: 64 ranks become those of 512' grown stencil3d 64 512
check 'sweep: 16 ranks become those of 64' grown sweep 16 64
check 'sweep: 4 ranks, none of them inner, become those of 16' grown sweep 4 16
check 'sweep: 4 ranks become those of 144' grown sweep 4 144
check 'sweep: some rank shows the order of each two calls' bash -c \
    "! '$timeless' extrapolate from.tl -n 144 -o new.tl | grep -q 'by call site'"
check 'token: 4 ranks become those of 50' grown token 4 50
check 'stencil2d: 4 ranks become those of 16 with a periodic --process-grid' grown stencil2d 4 16 --process-grid 2px2p
check 'stencil3d: 8 ranks become those of 64 with a periodic --process-grid' grown stencil3d 8 64 --process-grid 2px2px2p
for call in call_barrier call_bcast call_allreduce call_alltoall; do check "$call: 4 ranks become those of 60" grown $call 4 60; done
check 'the same trace and options write the same bytes' bash -c "'$timeless' extrapolate from.tl -n 60 -o new.tl && cmp new.tl grown.tl"
check 'info prints the origin of an extrapolated trace' bash -c \
    "'$timeless' info grown.tl | grep -qE '^origin +timeless extrapolate --ranks 60 of from.tl \([0-9a-f]{16}\): weak scaling, grid 4 to 60, volumes drawn with seed 1$'"
check_exit 2 'a trace does not replace itself' "$timeless" extrapolate from.tl -n 60 -o from.tl

"$timeless" make stencil2d -n 4 -o t.tl
check 'two ranks along a dimension that make the same calls are refused' refuse \
    'the trace does not show whether it is periodic; if it is, give --process-grid 2px2' -n 16
"$timeless" make stencil2d -n 16 -o t.tl
check '--new-grid gives the sizes of the new grid' "$timeless" extrapolate t.tl --new-grid 4x6 -o new.tl
check 'a trace with --new-grid 4x6 has 24 ranks' bash -c "'$timeless' info new.tl | grep -qE '^ranks +24$'"
check '--new-grid with another number of dimensions is a usage error' refused 2 'give 2 sizes' "$timeless" extrapolate t.tl \
    --new-grid 8 -o new.tl
check '--new-grid and --ranks that differ are a usage error' refused 2 'does not have 9 ranks' "$timeless" extrapolate t.tl \
    --new-grid 4x6 -n 9 -o new.tl
check 'a dimension that becomes 1 is refused' refuse 'the trace does not show what neighbours along it do' --new-grid 1x16
check 'a --process-grid that the partners do not fit is refused' refuse \
    'rank 0, event 1: the partner of MPI_Irecv is rank 3, which is not a neighbour in a 16x1 grid' --process-grid 16x1 -n 64
check '--process-grid with another number of ranks is a usage error' refused 2 "give one of 16 ranks" "$timeless" extrapolate \
    t.tl --process-grid 3x3 -n 64 -o new.tl
check '--process-grid that is not a grid is a usage error' refused 2 "the grid 'four'" "$timeless" extrapolate t.tl \
    --process-grid four -n 64 -o new.tl
"$timeless" make random -n 16 -o t.tl
check 'random partners are refused' refuse 'no other grid fits better' -n 64
"$timeless" make alltoall -n 128 -o t.tl
check 'messages between all ranks are refused' refuse 'this is not a stencil or sweep' -n 256
"$timeless" make ring -n 4 -o ring.tl
check '--seed without anything that is drawn is refused, and the message names both options' ends_with 2 \
    '--seed is for --volumes draw' "$timeless" extrapolate ring.tl -n 8 --volumes typical --seed 2 -o no.tl
tap_done
