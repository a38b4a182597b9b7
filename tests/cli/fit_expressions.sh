#!/usr/bin/env bash
# timeless fit: programs as they are taught, with blocks, owners and partners in the ways in which programs deal them out. The
# skeleton of five captures has the calls of another size.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99

# Without the call sites.
FILTER='s/ site=[0-9]*$//'

# program NAME PARAMETERS OTHER SIZES...: standard input is the program without its head. A size is ranks:VALUES, with a value
# for each parameter.
program() {
    local name=$1 names=$2 other=$3 size i=0 k parameter options='' captures=''
    shift 3
    {
        printf 'skeleton 1\nranks 4\n'
        for parameter in $names; do echo "param $parameter = 24"; done
        cat
    } >"$name.txt"
    # sets SIZE: the parameters as options of make
    sets() { printf 'ranks=%s' "${1%%:*}"; k=0; for parameter in $names; do k=$((k + 1))
            printf ' %s=%s' "$parameter" "$(cut -d, -f$k <<<"${1#*:}")"; done; }
    for size in "$@"; do
        i=$((i + 1))
        # shellcheck disable=SC2046
        "$timeless" make "skel:$name.txt" $(sets "$size") -o "$name-$i.tl" || return
        captures="$captures $name-$i.tl"
    done
    k=0
    for parameter in $names; do
        k=$((k + 1))
        options="$options -P $parameter=$(for size in "$@"; do cut -d, -f$k <<<"${size#*:}"; done | paste -sd,)"
    done
    # shellcheck disable=SC2046
    "$timeless" make "skel:$name.txt" $(sets "$other") -o "$name-other.tl" || return
    # shellcheck disable=SC2086
    check "$name: five captures have a skeleton" "$timeless" fit $captures $options -o "$name.skel"
    check "$name: it has the calls of another size" same_events "$name.skel,$(sets "$other" | tr ' ' ,)" "$name-other.tl"
}

# Gaussian elimination with cyclic rows: rows that become shorter, and the way back.
program gauss n 16:100 3:20 4:26 6:31 8:40 5:33 <<'EOF'
for k = 0 to n - 2 {
    MPI_Bcast peer=k % ranks count=n + 1 - k type_bytes=8
}
for k = n - 1 to 0 by -1 {
    MPI_Bcast peer=k % ranks count=1 type_bytes=8
}
EOF

# Floyd-Warshall with rows from rank * n / ranks on.
program floyd n 16:100 3:20 4:26 6:31 8:40 5:33 <<'EOF'
for k = 0 to n - 1 {
    MPI_Bcast peer=(ranks * (k + 1) - 1) / n count=n type_bytes=4
}
if rank == 0 {
    for r = 1 to ranks - 1 {
        MPI_Recv peer=r count=n * ((r + 1) * n / ranks - r * n / ranks) type_bytes=4
    }
} else {
    MPI_Send peer=0 count=n * ((rank + 1) * n / ranks - rank * n / ranks) type_bytes=4
}
EOF

# Blocks whose last one is larger, whose last ones are smaller, and of which the first ones are larger: the owner of each row.
for owner in 'min(k / (n / ranks), ranks - 1)' 'k / ((n + ranks - 1) / ranks)' \
    'k < n % ranks * (n / ranks + 1) ? k / (n / ranks + 1) : (k - n % ranks) / (n / ranks)'; do
    i=$((${i:-0} + 1))
    program "owner$i" n 16:103 3:20 4:26 6:31 8:43 5:33 <<EOF
for k = 0 to n - 1 {
    MPI_Bcast peer=$owner count=n type_bytes=8
}
for k = n - 1 to 0 by -1 {
    MPI_Bcast peer=$owner count=1 type_bytes=8
}
EOF
done
program shares n 16:103 3:20 4:26 6:31 8:43 5:33 <<'EOF'
MPI_Gatherv peer=0 count=n / ranks + (rank == ranks - 1 ? n % ranks : 0) recv_counts=n / ranks + (each == ranks - 1 ? n % ranks : 0)
MPI_Allgatherv count=(rank + 1) * n / ranks - rank * n / ranks recv_counts=(each + 1) * n / ranks - each * n / ranks
EOF

# SUMMA: panels of n / width columns, in rows and columns of ranks.
program summa 'n width' 36:180,5 4:24,2 6:36,3 9:36,4 12:48,4 16:48,3 <<'EOF'
grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)
comm row = coord(g, 0)
comm column = coord(g, 1)
MPI_Comm_split new_comm=row
MPI_Comm_split new_comm=column
for k = 0 to n / width - 1 {
    MPI_Bcast comm=row peer=k * width / (n / ranks_in(row)) count=n / ranks_in(column) * width type_bytes=8
    MPI_Bcast comm=column peer=k * width / (n / ranks_in(column)) count=n / ranks_in(row) * width type_bytes=8
}
EOF

program cannon n 36:120 4:20 9:30 16:40 4:64 9:63 <<'EOF'
grid g = root(ranks, 2) periodic, root(ranks, 2) periodic
MPI_Sendrecv_replace peer=neighbour(g, 1, -coord(g, 0)) recv_peer=neighbour(g, 1, coord(g, 0)) count=n * n / ranks type_bytes=8
MPI_Sendrecv_replace peer=neighbour(g, 0, -coord(g, 1)) recv_peer=neighbour(g, 0, coord(g, 1)) count=n * n / ranks type_bytes=8
EOF

# Ranks at the ends sit out every second phase.
program oddeven n 17:5000 3:100 4:130 6:200 8:333 5:250 <<'EOF'
for k = 0 to ranks - 1 {
    if (rank + k) % 2 == 0 ? rank + 1 < ranks : rank > 0 {
        MPI_Sendrecv peer=(rank + k) % 2 == 0 ? rank + 1 : rank - 1 recv_peer=(rank + k) % 2 == 0 ? rank + 1 : rank - 1 count=n / ranks
    }
}
EOF

# The last block is smaller.
program blocks 'n block sweeps' 16:203,25,3 3:40,10,2 4:50,7,3 6:66,16,2 8:61,8,4 5:80,9,5 <<'EOF'
for s = 1 to sweeps {
    MPI_Barrier
    for k = 0 to (n + block - 1) / block - 1 {
        if rank > 0 {
            MPI_Recv peer=rank - 1 count=min(block, n - k * block) type_bytes=8
        }
        if rank < ranks - 1 {
            MPI_Send peer=rank + 1 count=min(block, n - k * block) type_bytes=8
        }
    }
}
EOF

# Eight neighbours in a loop with two calls for each; rows, columns and corners as one element of a derived datatype.
program life 'n steps' 36:121,3 4:20,2 6:31,3 9:37,2 12:40,4 16:45,3 <<'EOF'
grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)
let height = (coord(g, 0) + 1) * n / dims(ranks, 2, 0) - coord(g, 0) * n / dims(ranks, 2, 0)
let width = (coord(g, 1) + 1) * n / dims(ranks, 2, 1) - coord(g, 1) * n / dims(ranks, 2, 1)
for t = 1 to steps {
    for k = 0 to 8 {
        if k != 4 && around(g, k) != null {
            MPI_Irecv peer=around(g, k) count=1 type_bytes=(k / 3 == 1 ? height : 1) * (k % 3 == 1 ? width : 1) tag=9 - k request=r
            MPI_Isend peer=around(g, k) count=1 type_bytes=(k / 3 == 1 ? height : 1) * (k % 3 == 1 ? width : 1) tag=k + 1 request=r
        }
    }
    MPI_Waitall request=r
}
EOF

# A part of a vector travels round a ring, that of the last rank is larger; a snapshot every so many steps.
program ring 'n steps every' 16:1003,30,5 3:100,7,2 4:131,10,3 6:200,9,4 5:333,20,6 <<'EOF'
for t = 1 to steps {
    for s = 0 to ranks - 2 {
        MPI_Sendrecv peer=(rank + 1) % ranks count=n / ranks + ((rank - s) % ranks == ranks - 1 ? n % ranks : 0) \
            recv_peer=(rank - 1) % ranks recv_count=n / ranks + ((rank - s - 1) % ranks == ranks - 1 ? n % ranks : 0)
    }
    MPI_Barrier
    if t % every == 0 {
        MPI_Gather peer=0 count=100
    }
}
EOF

program levels 'n cycles' 16:1024,3 4:64,2 8:128,3 2:64,4 6:96,2 4:128,5 <<'EOF'
for c = 1 to cycles {
    for l = 1 to 2 * (bits(n / ranks) - 1) {
        MPI_Sendrecv peer=(rank + 1) % ranks recv_peer=(rank - 1) % ranks count=1 type_bytes=8
    }
    MPI_Barrier
}
EOF

# 20 times what a rank has of the first two dimensions, less 192, is the same in all five captures.
program pencil 'n times' 36:36,2 4:8,2 6:12,3 9:12,2 12:24,4 16:16,3 <<'EOF'
grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)
comm row = coord(g, 0)
MPI_Comm_split new_comm=row
for t = 1 to times {
    MPI_Alltoall comm=row count=2 * n * n * n / ranks / dims(ranks, 2, 1) type_bytes=8
}
EOF

# ---- two loops in each other around one call ----

# Bitonic sort.
program bitonic n 32:400 2:100 4:130 8:70 16:50 <<'EOF'
for k = 0 to bits(ranks - 1) - 1 {
    for j = k to 0 by -1 {
        MPI_Sendrecv peer=rank ^ (1 << j) recv_peer=rank ^ (1 << j) count=n type_bytes=4 tag=k
    }
}
EOF

# The distances grow, shrink, and start where the outer loop is; both loops are around three calls.
for inner in 'j = 0 to k' 'j = bits(ranks - 1) - 1 - k to 0 by -1' 'j = k to bits(ranks - 1) - 1' 'j = bits(ranks - 1) - 1 to k by -1'; do
    i=$((i + 1))
    program "nest$i" 'n times' 32:400,2 2:100,4 4:130,3 8:70,2 16:50,5 <<EOF
for t = 1 to times {
    MPI_Barrier
    for k = 0 to bits(ranks - 1) - 1 {
        for $inner {
            MPI_Irecv peer=rank ^ (1 << j) count=n tag=2 << k request=r
            MPI_Isend peer=rank ^ (1 << j) count=n tag=2 << k request=r
            MPI_Waitall request=r
        }
    }
}
EOF
done

# An exchange on a hypercube in each step, and nothing else: the iterations of both loops are a product.
program exchange 'n steps' 32:400,6 2:100,17 4:130,13 8:70,25 16:50,14 <<'EOF'
for t = 1 to steps {
    for j = 0 to bits(ranks - 1) - 1 {
        MPI_Sendrecv peer=rank ^ (1 << j) recv_peer=rank ^ (1 << j) count=n
    }
}
EOF

# A loop that counts down.
program down 'n steps' 32:400,6 2:100,7 4:130,3 8:70,5 16:50,4 <<'EOF'
for t = 1 to steps {
    MPI_Barrier
    for j = bits(ranks - 1) - 1 to 0 by -1 {
        MPI_Sendrecv peer=(rank + (1 << j)) % ranks recv_peer=(rank - (1 << j)) % ranks count=n
    }
}
EOF

# Block Gram-Schmidt.
program gram 'm w' 16:20,6 2:5,3 4:8,4 3:7,2 6:10,5 <<'EOF'
for j = 0 to m - 1 {
    for i = 0 to j {
        MPI_Allreduce count=(j - i + 1) * w * w type_bytes=8
    }
}
EOF

# ---- products of sizes that shrink ----

program cholesky 'n nb' 16:300,16 3:40,4 4:51,6 6:64,7 5:70,8 8:90,5 <<'EOF'
for k = 0 to (n + nb - 1) / nb - 1 {
    MPI_Bcast peer=k % ranks count=(n - k * nb) * min(nb, n - k * nb) type_bytes=8
}
EOF

# The triangle of a block and the panel below it; a triangle and a square that shrink by a row.
program panels 'n nb' 16:300,16 3:40,4 4:51,6 6:64,7 5:70,8 8:90,5 <<'EOF'
for k = 0 to (n + nb - 1) / nb - 1 {
    let w = min(nb, n - k * nb)
    MPI_Bcast peer=k % ranks count=w * (w + 1) / 2 type_bytes=8
    MPI_Bcast peer=k % ranks count=w * (n - k * nb - w) type_bytes=8
}
for k = 0 to n - 2 {
    MPI_Reduce peer=k % ranks count=(n - 1 - k) * (n - k) / 2 type_bytes=8
    MPI_Allreduce count=(n - k) * (n - k) type_bytes=8
}
EOF

# What a rank has of the rows that remain, dealt out in blocks to a grid of ranks.
program remaining 'n nb' 36:300,8 4:40,4 6:51,6 9:64,7 12:70,8 8:93,5 <<'EOF'
grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)
comm row = coord(g, 0)
MPI_Comm_split new_comm=row
for k = 0 to (n + nb - 1) / nb - 1 {
    let rows = local(n, nb, coord(g, 0), dims(ranks, 2, 0)) - local(k * nb, nb, coord(g, 0), dims(ranks, 2, 0))
    MPI_Bcast comm=row peer=k % ranks_in(row) count=rows * min(nb, n - k * nb) type_bytes=8
}
EOF

# Transposition in rounds of a tournament, with the number of the pair as tag (FFTW). An even and an odd number of ranks.
tournament() {
    local me='rank * ranks + (%s)' back='(%s) * ranks + rank' other
    other='ranks % 2 == 1 ? (2 * (k + (k >= rank)) - rank) % ranks : rank == ranks - 1 ? k : (2 * k - rank) % (ranks - 1) == rank ? ranks - 1 : (2 * k - rank) % (ranks - 1)'
    echo 'for k = 0 to ranks - 2 {'
    echo "MPI_Sendrecv count=2 * n * n / (ranks * ranks) peer=$other recv_peer=$other tag=${me/\%s/$other} recv_tag=${back/\%s/$other}"
    echo '}'
}
program tournament n 10:90 4:48 6:36 5:40 8:64 9:54 < <(tournament)

# The largest parts of a transposition whose sizes are no multiple of the ranks.
program parts 'n m' 10:90,77 4:20,85 6:33,70 5:41,23 8:64,253 9:50,109 <<'EOF'
MPI_Alltoall count=(n + ranks - 1) / ranks * ((m + ranks - 1) / ranks) type_bytes=16
EOF

# Sizes that depend on data are no product: three times, five numbers by chance.
chance() {
    local k i v files
    RANDOM=5
    for k in 1 2 3; do
        files=''
        for i in '3 40' '4 51' '6 64' '5 70' '8 90'; do
            v=$((RANDOM % 1000 + 1))
            printf 'skeleton 1\nranks 4\nparam n = 1\nMPI_Bcast peer=0 count=%d\nMPI_Barrier\n' $v >chance.txt
            "$timeless" make skel:chance.txt "ranks=${i% *}" "n=${i#* }" -o "chance-${i% *}.tl" || return
            files="$files chance-${i% *}.tl"
        done
        # shellcheck disable=SC2086
        "$timeless" fit $files -P n=40,51,64,70,90 -P nb=4,6,7,8,5 -o chance.skel 2>chance.err
        [ $? = 3 ] && grep -q 'no expression has the values of count' chance.err || return
    done
}
check 'sizes by chance are refused' chance

# ---- grids that are periodic in some dimensions ----

# All ranks around, by offset; the blocks of a grid on rank 0 every so many steps.
for size in 'dims(ranks, 2, 0), dims(ranks, 2, 1) periodic' 'dims(ranks, 2, 0) periodic, dims(ranks, 2, 1)'; do
    i=$((i + 1))
    program "strip$i" 'N steps every' 36:200,17,5 4:41,7,2 6:50,9,3 12:67,13,4 9:38,10,2 15:59,8,3 <<EOF
grid g = $size
let y = dims(ranks, 2, 0)
let x = dims(ranks, 2, 1)
for t = 1 to steps {
    for k = 0 to 8 {
        if k != 4 && around(g, k) != null {
            MPI_Irecv peer=around(g, k) count=1 tag=8 - k request=r
            MPI_Isend peer=around(g, k) count=1 tag=k request=r
        }
    }
    MPI_Waitall request=r
    if t % every == 0 {
        MPI_Gatherv peer=0 count=local(N, 1, coord(g, 0), y) * local(N, 1, coord(g, 1), x) recv_counts=local(N, 1, each / x, y) * local(N, 1, each % x, x)
    }
}
EOF
done

# Walls in one of three dimensions; rank 0 receives the block of each rank in turn.
program plume 'N steps every' 36:60,17,5 4:21,7,2 8:31,9,3 12:50,13,4 27:40,8,2 18:37,10,3 <<'EOF'
grid g = dims(ranks, 3, 0) periodic, dims(ranks, 3, 1) periodic, dims(ranks, 3, 2)
let z = dims(ranks, 3, 0)
let y = dims(ranks, 3, 1)
let x = dims(ranks, 3, 2)
for t = 1 to steps {
    for d = 0 to 2 {
        MPI_Sendrecv peer=neighbour(g, d, 1) recv_peer=neighbour(g, d, -1) count=N tag=d
        MPI_Sendrecv peer=neighbour(g, d, -1) recv_peer=neighbour(g, d, 1) count=N tag=d
    }
    MPI_Barrier
    if t % every == 0 {
        if rank > 0 {
            MPI_Send peer=0 count=local(N, 1, coord(g, 0), z) * local(N, 1, coord(g, 1), y) * local(N, 1, coord(g, 2), x)
        } else {
            for r = 1 to ranks - 1 {
                MPI_Recv peer=r count=local(N, 1, r / (x * y), z) * local(N, 1, r / x % y, y) * local(N, 1, r % x, x)
            }
        }
    }
}
EOF

# ---- calls that the compiler has made out of one ----

# duplicated NAME: every second event at site 1 moves to another place of the object file with the same source line
duplicated() {
    "$timeless" dump "$1.tl" | awk '
        /^rank / { n = 0 }
        /^site 1 / { print; sub(/^site 1 /, "site 9 "); sub(/offset=[0-9]*/, "offset=4242") }
        / site=1$/ && n++ % 3 == 1 { sub(/ site=1$/, " site=9") }
        { print }' >"$1.txt" && grep -q ' site=9$' "$1.txt" && "$timeless" undump "$1.txt" -o "$1-copies.tl"
}
check 'captures with copies of a call' bash -c \
    "$(declare -f duplicated); timeless=$timeless; duplicated gauss-1 && duplicated gauss-2 && duplicated gauss-3 && duplicated gauss-4"
check 'they have a skeleton' "$timeless" fit gauss-1-copies.tl gauss-2-copies.tl gauss-3-copies.tl gauss-4-copies.tl \
    -P n=20,26,31,40 -o copies.skel
check 'it has the calls of another size' same_events copies.skel,ranks=16,n=100 gauss-other.tl
tap_done
