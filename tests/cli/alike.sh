#!/usr/bin/env bash
# Ranks that do the same are read once: the prediction is that of reading every one of them.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99

# agree OPTION...: of both traces the same end and the same shares of time, rank by rank
agree() {
    local t
    for t in shared apart; do
        "$timeless" replay $t.tl --engine loggops --params L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns,S=1000 --json=$t.json -q "$@" \
            >/dev/null || return 1
    done
    python3 - <<'END_OF_PYTHON'
import json, sys
shared, apart = (json.load(open(name)) for name in ("shared.json", "apart.json"))
same = all(shared[key] == apart[key] for key in ("ranks", "makespan_s", "n_events", "n_polls"))
sys.exit(not (same and shared["n_ranks"] > 1))
END_OF_PYTHON
}

# apart: the trace shared.tl, in which every rank's call sites are its own
apart() {
    "$timeless" dump shared.tl |
        awk '$1 == "rank" {rank = $2} $1 == "site" {sub(/offset=[0-9]+/, "offset=" rank + 1)} {print}' >apart.txt &&
        "$timeless" undump apart.txt -o apart.tl
}

for pattern in dissemination binomial gather scatter stencil2d sweep random call_bcast call_alltoall; do
    "$timeless" make $pattern -n 49 --iterations 3 --bytes 1200 -o shared.tl && apart
    check "$pattern" agree
done
"$timeless" make stencil2d -n 49 --iterations 3 --bytes 10 -o shared.tl && apart
check 'noise' agree --noise 10000Hz:20us
"$timeless" pack shared.tl -o packed.tl && mv packed.tl shared.tl
check 'a packed trace' agree

# Rank 2 is the root of a gather and records what it receives in place of what it sends; the clocks
# at the end differ, but for those of ranks 0 and 1; polls and computation count for each rank.
{
    printf 'timeless-text 1\nranks 6\nvolume_unit "instructions"\nvolume_source "x"\nprogram "p"\n'
    for r in 0 1 2 3 4 5; do
        printf 'rank %d host="h"\nsite 1 object="p" offset=0\n0 0 MPI_Init clock_ns=0 volume=0 site=1\n' $r
        printf '0 1 MPI_Allreduce count=3 type_bytes=8 comm=1 volume=1000 polls=2 site=1\n'
        printf '0 2 MPI_Gather count=%d type_bytes=1 recv_count=%d recv_type_bytes=1 peer=2 comm=1 volume=0 site=1\n' 2000 2000
        printf '0 3 MPI_Gather count=%d type_bytes=1 recv_count=%d recv_type_bytes=1 peer=2 comm=1 volume=0 site=1\n' 700 9
        printf '0 4 MPI_Finalize clock_ns=%d volume=0 site=1\nend finalized clock_ns=%d\n' $((r / 2 * 1000)) $((r / 2 * 1000))
    done
} | awk '$1 == "rank" {rank = $2} $1 == 0 && NF > 3 {$1 = rank} {print}' >shared.txt
check 'a text with collectives' "$timeless" undump shared.txt -o shared.tl
apart
check 'roots of collectives' agree --no-compute

# The same computation takes another time on each rank, where the model says that hosts differ.
grep -v Gather shared.txt | sed 's/ 4 MPI_F/ 2 MPI_F/; s/clock_ns=[0-9]*/clock_ns=0/' >text && "$timeless" undump text -o shared.tl && apart
printf 'version = 2; reference_flops = 1e9; units = ({unit = "instructions"; seconds_per_unit = 1e-9;});\n' >model.conf
check 'computation' agree --model model.conf
echo 'variability = {host_sd = 0.1; day_sd = 0.0;};' >>model.conf
check 'computation on hosts that differ' agree --model model.conf
check 'computation on hosts that differ: the makespans differ' json shared.json 'assert len({r["compute_s"] for r in d["ranks"]}) == 6'
tap_done
