#!/usr/bin/env bash
# Messages within a node share its memory, in both engines. Laws for each platform, engine, collective and algorithm, and for
# all powers of two of bytes from 1 B to 4 MiB, with all ranks on one node and with one on each:
#   - More bytes never take less time, unless the algorithm itself changes, which it then does between nodes, too, or the platform
#     states another protocol between nodes.
#   - The memory never moves more bytes a second than the platform states: each byte that a rank must receive is read and written.
# The measured overheads within a node of dahu's other networks fall at 64 KiB, so dahu has its network of 2018 here.
# By default, a part of them; WHOLE=1 tries all, or those of PLATFORMS (NAME:RANKS[:RANKS OF A NODE]), ENGINES and BYTES.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
all_operations='allgather allreduce alltoall bcast gather reduce reduce_scatter scatter'

# laws PLATFORM:RANKS[:RANKS OF A NODE] ENGINE OPERATIONS BYTES
laws() {
    local operation platform ranks per_host
    IFS=: read -r platform ranks per_host <<<"$1"
    : "${per_host:=$ranks}"
    for operation in $3; do
        "$timeless" study collectives --op $operation --ranks $ranks --bytes $4 -p $platform --ranks-per-host $per_host --engine $2 \
            --csv $operation.csv >$operation.out 2>&1 || { cat $operation.out; return 1; }
    done
    python3 "$top_srcdir/tests/cli/node_memory.py" "$timeless" $2 $platform $ranks $per_host $(printf '%s.csv ' $3) | tee -a points
    return "${PIPESTATUS[0]}"
}

if [ "${WHOLE:-}" ]; then
    for platform in ${PLATFORMS:-cloud:8 dahu@network-2018-10:2 dahu@network-2018-10:16 fat-tree:2 fat-tree:16
        graphene:4 local:2 stampede:4 star-1g:2 star-1g:4 theta:4 tibidabo:2 cloud:8:1 dahu@network-2018-10:8:1 fat-tree:8:1
        graphene:8:1 stampede:8:1 star-1g:8:1 theta:8:1 tibidabo:8:1}; do
        for engine in ${ENGINES:-smpi loggops}; do
            for operation in $all_operations; do
                check "$platform ranks, $engine, $operation" laws $platform $engine $operation ${BYTES:-1..4M:2}
            done
        done
    done
    awk '{ n += $1; bad += $4 } END { print "# " n " points, " bad + 0 " of them against a law" }' points
else
    for engine in smpi loggops; do
        check "dahu, 16 ranks, $engine: laws of alltoall" laws dahu@network-2018-10:16 $engine alltoall 16K..256K:2
        check "star-1g, 4 ranks, $engine: laws of all collectives" laws star-1g:4 $engine "$all_operations" 32K..128K:2
        check "fat-tree, 8 nodes, $engine: laws of alltoall and allreduce" laws fat-tree:8:1 $engine 'alltoall allreduce' 4K..64K:2
    done
fi
tap_done
