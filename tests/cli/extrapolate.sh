#!/usr/bin/env bash
# timeless extrapolate: patterns with more ranks are those that timeless make writes; the rule case by case;
# what does not fit stands in fit_refused.transcript.
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
"$timeless" make stencil2d -n 16 -o t.tl
check '--new-grid gives the sizes of the new grid' "$timeless" extrapolate t.tl --new-grid 4x6 -o new.tl
check 'a trace with --new-grid 4x6 has 24 ranks' bash -c "'$timeless' info new.tl | grep -qE '^ranks +24$'"
tap_done
