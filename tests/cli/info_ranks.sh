# info_ranks.sh - info of 2^24 ranks in bounded memory.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
# A header of 2^24 ranks, of which one has left something.
printf '%s\n' 'timeless-text 1' 'ranks 16777216' 'volume_unit "none"' 'rank 7 host="h"' '7 0 MPI_Init clock_ns=0 volume=0' \
    'end finalized clock_ns=1' | "$timeless" undump - -o many.tl || exit 99
if [ -z "${SANITIZE:-}" ]; then
    for option in '' --json; do
        check_exit 3 "2^24 ranks${option:+, $option}: exit code 3, in 512 MB" bash -c \
            "ulimit -v 600000; timeout 120 '$timeless' info $option many.tl >out"
        check "2^24 ranks${option:+, $option}: a few lines" test "$(wc -c <out)" -lt 10000
    done
else
    skip '2^24 ranks in 512 MB' 'sanitizers need more memory'
fi
tap_done
