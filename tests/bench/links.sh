#!/usr/bin/env bash
# links.sh - links that several nodes share: the makespan of the LogGOPS engine over that of SimGrid.
#
#     tests/bench/links.sh [CASE...]        (from the build folder, after make; some minutes)
#
# A case is a platform, a pattern, or both (dragonfly/fft).  Each platform has 128 nodes with a rank
# on each, and links of 100 Gb/s; graphene is the shipped one.  The patterns have no computation, so
# that the network decides.  BYTES is the size of a message (default: 256 KiB); HPL has its own.  The
# last line counts the cases that differ by at most 10 %, and has the largest difference.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
: "${BYTES:=262144}"

# describe NAME TOPOLOGY SETTINGS: a platform of 128 nodes
describe() {
    cat >"$1.conf" <<END
topology = "$2"; $3
node = { cores = 4; speed = "1Gf"; };
link = { bandwidth = "12.5GBps"; latency = "0.5us"; };
loopback = { bandwidth = "10GBps"; latency = "0.2us"; };
options = [ "smpi/send-is-detached-thresh:16384", "smpi/bw-factor:0:0.7;16384:0.94",
            "smpi/lat-factor:0:1;16384:2", "smpi/os:0:3e-7:1e-10;16384:0:0",
            "smpi/ois:0:3e-7:1e-10;16384:0:0", "smpi/or:0:1.4e-6:8.5e-11;16384:0:0" ];
END
    "$timeless" platform "$1.conf" -o "$1" >/dev/null || exit 1
}
describe tree-1-1 fat-tree 'children = [ 8, 16 ]; parents = [ 1, 8 ];'
describe tree-4-1 fat-tree 'children = [ 8, 16 ]; parents = [ 1, 2 ];'
describe torus torus 'dimensions = [ 8, 4, 4 ];'
describe dragonfly dragonfly 'groups = 4; chassis_per_group = 2; blades_per_chassis = 4; nodes_per_blade = 4; group_links = 2;'
ln -s "$top_srcdir/platforms/graphene" graphene

skeleton() { # skeleton NAME: the statements are standard input
    { printf 'skeleton 1\nranks 128\n'; cat; } | sed "s/BYTES/$BYTES/g" >"$1.skel"
}
skeleton alltoall <<'END'
for i = 1 to ranks - 1 {
    MPI_Sendrecv peer=(rank + i) % ranks recv_peer=(rank - i) % ranks count=BYTES
}
END
skeleton burst <<'END'
for i = 1 to ranks - 1 {
    MPI_Irecv peer=(rank - i) % ranks count=BYTES request=a
}
for i = 1 to ranks - 1 {
    MPI_Isend peer=(rank + i) % ranks count=BYTES request=a
}
MPI_Waitall request=a
END
skeleton allgather <<'END'
let place = permute(rank, ranks, 5)
for i = 1 to ranks - 1 {
    MPI_Sendrecv peer=unpermute((place + 1) % ranks, ranks, 5) recv_peer=unpermute((place - 1) % ranks, ranks, 5) count=BYTES
}
END
halo() { # halo GRID DIMENSIONS: ten times
    printf 'grid g = %s\nfor i = 1 to 10 {\nfor d = 0 to %d {\nfor k = -1 to 1 by 2 {\n' "$1" $(($2 - 1))
    printf 'MPI_Irecv peer=neighbour(g, d, k) count=BYTES tag=d * 4 - k + 1 request=a\nMPI_Isend peer=neighbour(g, d, k) count=BYTES tag=d * 4 + k + 1 request=a\n}\n}\nMPI_Waitall request=a\n}\n'
}
halo '8 periodic, 16 periodic' 2 | skeleton halo2
halo '4 periodic, 4 periodic, 8 periodic' 3 | skeleton halo3
skeleton random <<'END'
for i = 1 to 10 {
    MPI_Sendrecv peer=permute(rank, ranks, i) recv_peer=unpermute(rank, ranks, i) count=BYTES
}
END
skeleton incast <<'END'
for i = 1 to 10 {
    for k = 1 to 15 {
        if rank % 16 == 0 {
            MPI_Irecv peer=(rank + k * 8 + 1) % ranks count=BYTES request=a
        } else if rank % 8 == 1 && (rank - 1 - k * 8) % 16 == 0 {
            MPI_Send peer=(rank - 1 - k * 8) % ranks count=BYTES
        }
    }
    if rank % 16 == 0 {
        MPI_Waitall request=a
    }
}
END
skeleton fft <<'END'
comm row = rank / 16
comm column = rank % 16
MPI_Comm_split new_comm=row
MPI_Comm_split new_comm=column
for i = 1 to 4 {
    MPI_Alltoall comm=row count=BYTES
    MPI_Alltoall comm=column count=BYTES
}
END

# makespan ENGINE PLATFORM PATTERN
makespan() {
    local program=$3.skel
    [ "$3" != hpl ] || program=hpl:N=8192,NB=256,P=8,Q=16
    timeout 900 "$timeless" replay "$program" --platform "./$2" --ranks-per-host 1 --no-compute --engine "$1" \
        --coll alltoall=pair -q 2>err ||
        { cat err >&2; echo 0; }
}

# is_chosen PLATFORM PATTERN [CASE...]
is_chosen() {
    [ $# -gt 2 ] || return 0
    case " ${*:3} " in *" $1 "* | *" $2 "* | *" $1/$2 "*) ;; *) return 1 ;; esac
}

printf '%-10s %-10s %12s %12s %8s\n' platform pattern 'SimGrid, s' 'LogGOPS, s' ratio
for platform in tree-1-1 tree-4-1 torus dragonfly graphene; do
    for pattern in alltoall burst allgather halo2 halo3 random incast fft hpl; do
        is_chosen $platform $pattern "$@" || continue
        printf '%-10s %-10s %12.6g %12.6g\n' $platform $pattern "$(makespan smpi $platform $pattern)" \
            "$(makespan loggops $platform $pattern)"
    done
done | awk '{
    ratio = $3 > 0 && $4 > 0 ? $4 / $3 : 0
    printf "%s %8.3f\n", $0, ratio; fflush()
    n++; good += ratio >= 1 / 1.1 && ratio <= 1.1
    far = ratio > 1 ? ratio : ratio > 0 ? 1 / ratio : 999
    if (far > worst) worst = far
} END {printf "%d of %d within 10 %%, worst %.2f times\n", good, n, worst}'
