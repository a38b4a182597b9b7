#!/usr/bin/env bash
# tests/accuracy/budget.sh [-o OUT.csv] [stated|influence|replaced]...: with one of eight inputs made 15 % wrong, how
# often does timeless budget name it first? TIMELESS names the command (default: build/cli/timeless).
#
# The definition, written before the first result:
#
# The machine is star-1g with another compute model (below). The eight suspects are the times of three kernels
# (dgemm, dtrsm, dgemv), the time of all other computation (bursts), the bandwidth and the latency of the links, what
# sends and receives cost (overheads), and the bandwidth within a host (loopback). All computation is noisy (2 %).
# Programs: HPL as a program, a recorded trace of HPL, a
# recorded wavefront, a recorded program with receives from any source, patterns of `make`, and skeletons (Cholesky,
# triangular solves, a power method, and the stencil of doc/lab as a skeleton).
#
# stated:   8 inputs x 5 programs = 40 cases. The user knows how good each calibration is: that of one input is poor
#           (15 %), those of all others are good (2 %). The value of the poor one is wrong by 15 % in the platform that
#           the budget sees: too large in every second program, too small in the others. Right: the budget's first
#           input is this one. For each input five programs were chosen in which it plays a part by what
#           the program does; they were not replayed before. Every case counts: where the input turns out to have no
#           influence, the case is a miss.
#
# influence: added after the first results of `stated`: by how much its wrong value alone changes the makespan, in replays
#           without a budget. An input with 2 % cannot change a makespan by more than 2 %; so the case matters for sure if
#           the wrong value changes it by 2 % and more.
#
# replaced: the cases of `stated` with other programs in place of those ten that do not matter by `influence`; they were
#           chosen before a budget was made of them: eight by `influence`, the last of loopback and that of bursts
#           without replaying them.
#
# Kernels that are no suspects (HPL has more) are known exactly. All draws are functions of the case's number.
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
timeless=${TIMELESS:-$top/build/cli/timeless}
export TIMELESS_PLATFORMS=$top/platforms
out=/dev/stdout
[ "$1" != -o ] || { out=$(realpath "$2"); shift 2; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# ---- the machine ----
mkdir machine && cp "$top"/platforms/star-1g/{platform.xml,options.conf} machine
cat >machine/model.conf <<'CONF'
version = 2; reference_flops = 1e9; seconds_per_flop = 1e-10;
units = ({ unit = "cpu-ns"; seconds_per_unit = 1e-9; relative_sd = 0.02; });
kernels = (
  { kernel = "dgemm"; seconds = { one = 1e-6; mnk = 8e-11; }; },
  { kernel = "dtrsm"; seconds = { one = 2e-6; work = 1e-10; }; },
  { kernel = "dgemv"; seconds = { one = 1e-7; work = 2.5e-10; }; });
CONF

# ---- the programs ----
# Cholesky by columns of blocks: the owner of a column factors and solves it, sends it to all, and all update.
cat >cholesky.skel <<'SKEL'
skeleton 1
ranks 8
param blocks = 24
param nb = 256
unit "cpu-ns"
for k = 0 to blocks - 2 {
    let rows = (blocks - 1 - k) * nb
    if rank == k % ranks {
        compute nb * nb * nb / 8
        dtrsm m=rows n=nb order=nb
    }
    MPI_Bcast count=rows*nb type_bytes=8 peer=k%ranks
    dgemm m=rows n=local(rows, nb, rank, ranks) k=nb
}
SKEL
# Triangular systems with many right sides: a pipeline of ranks solves a part each and passes it on.
cat >solve.skel <<'SKEL'
skeleton 1
ranks 8
param n = 256
param sides = 64
param rounds = 20
unit "cpu-ns"
for i = 1 to rounds {
    if rank > 0 {
        MPI_Recv peer=rank-1 count=sides*n type_bytes=8
    }
    dtrsm m=n n=sides order=n
    compute 20 * n * 8
    if rank < ranks - 1 {
        MPI_Send peer=rank+1 count=sides*n type_bytes=8
    }
}
SKEL
# A power method: each rank multiplies its rows, all gather the vector.
cat >power.skel <<'SKEL'
skeleton 1
ranks 8
param n = 2048
param steps = 20
unit "cpu-ns"
for i = 1 to steps {
    dgemv m=local(n, 1, rank, ranks) n=n
    compute 4 * n
    MPI_Allgather count=local(n, 1, rank, ranks) type_bytes=8
    MPI_Allreduce count=1 type_bytes=8
}
SKEL
# The stencil of doc/lab: a block for each rank, four sides, the largest change of all.
cat >stencil.skel <<'SKEL'
skeleton 1
ranks 16
param steps = 20
param work = 1000000
param bytes = 4096
unit "cpu-ns"
let side = root(ranks, 2)
grid g = side periodic, side periodic
for i = 1 to steps {
    compute work
    for d = 0 to 1 {
        MPI_Irecv peer=neighbour(g, d, -1) count=bytes request=halo
        MPI_Irecv peer=neighbour(g, d, 1) count=bytes request=halo
        MPI_Isend peer=neighbour(g, d, -1) count=bytes request=halo
        MPI_Isend peer=neighbour(g, d, 1) count=bytes request=halo
    }
    MPI_Waitall request=halo
    MPI_Allreduce count=1 type_bytes=8
}
SKEL
made() { "$timeless" make "$1" --ranks "$2" --bytes "$3" --iterations "$4" -o "$5"; }
made token 8 8 50 token.tl; made token 8 1000 50 tokens.tl; made alltoall 16 60000 3 alltoall.tl; made ring 8 400000 3 ring.tl
made doubling 16 8 30 doubling.tl; made call_bcast 16 1000000 5 bcast.tl; made dissemination 16 1 30 dissemination.tl
made stencil2d 16 30000 10 halo.tl; made call_alltoall 8 200000 3 near.tl; made binomial 16 2000 30 binomial.tl
made sweep 16 4000 10 sweep.tl; made call_bcast 8 4000000 3 call.tl; made call_alltoall 4 1000000 3 pairs.tl
traces=$top/traces
near='--ranks-per-host 8' far='--ranks-per-host 1'

# INPUT|TRACE|PLACEMENT: where the input plays a part
cases() {
    cat <<END
kernel:dgemm|hpl:N=600,NB=60,P=2,Q=2,MOVES=0|$far
kernel:dgemm|$traces/hpl-4.tl|--ranks-per-host 4
kernel:dgemm|cholesky.skel|$far
kernel:dgemm|cholesky.skel,blocks=12,nb=160,ranks=4|$near
kernel:dgemm|hpl:N=800,NB=100,P=1,Q=4,MOVES=0|$far
kernel:dtrsm|solve.skel|$far
kernel:dtrsm|solve.skel,ranks=4,n=400,sides=100|$near
kernel:dtrsm|cholesky.skel,ranks=16,blocks=32,nb=400|$far
kernel:dtrsm|cholesky.skel,ranks=16,blocks=16,nb=160|$near
kernel:dtrsm|hpl:N=800,NB=200,P=2,Q=2,MOVES=0|$far
kernel:dgemv|power.skel|$far
kernel:dgemv|power.skel|$near
kernel:dgemv|power.skel,ranks=16,n=4096|$far
kernel:dgemv|power.skel,ranks=2,n=1024|$near
kernel:dgemv|power.skel,ranks=4,n=3000|$far
bursts|stencil.skel|$far
bursts|stencil.skel,ranks=4,work=3000000|$near
bursts|$traces/stencil-64.tl|--ranks-per-host 4
bursts|$traces/hybrid-4.tl|$far
bursts|stencil.skel,ranks=9,work=500000,bytes=16384|$far
bandwidth|alltoall.tl|$far
bandwidth|bcast.tl|$far
bandwidth|ring.tl|$far
bandwidth|halo.tl|$far
bandwidth|power.skel,ranks=16,n=16384|$far
latency|token.tl|$far
latency|doubling.tl|$far
latency|dissemination.tl|$far
latency|$traces/wavefront-16.tl|$far
latency|sweep.tl|$far
overheads|token.tl|$near
overheads|tokens.tl|$near
overheads|doubling.tl|--ranks-per-host 16
overheads|$traces/irregular-16.tl|$near
overheads|$traces/wavefront-16.tl|--ranks-per-host 16
loopback|near.tl|$near
loopback|ring.tl|$near
loopback|bcast.tl|--ranks-per-host 16
loopback|alltoall.tl|--ranks-per-host 16
loopback|power.skel,n=65536|$near
END
}
replaced_cases() {
    cat <<END
kernel:dgemm|hpl:N=1200,NB=200,P=1,Q=2,MOVES=0|$near
kernel:dgemm|cholesky.skel,ranks=2,blocks=12|$far
kernel:dgemm|cholesky.skel,ranks=4,blocks=16,nb=512|$far
kernel:dtrsm|solve.skel,ranks=16|$near
kernel:dtrsm|solve.skel,ranks=3,n=512|$far
kernel:dtrsm|cholesky.skel,ranks=16,blocks=16,nb=512|--ranks-per-host 16
bursts|$traces/hybrid-4.tl|--ranks-per-host 4
overheads|alltoall.tl|--ranks-per-host 16
loopback|call.tl|$near
loopback|pairs.tl|$near
END
}

# ---- the cases ----
suspects='kernel:dgemm kernel:dtrsm kernel:dgemv bursts bandwidth latency overheads loopback'
change() { # INPUT FACTOR: the option of a replay
    case $1 in
    kernel:*) echo "--set=$1.time=${2}x" ;;
    loopback) echo "--set=link:*loopback*.bandwidth=${2}x" ;;
    *) echo "--scale=$1=$2" ;;
    esac
}
stated_as() { # PERCENT: all suspects alike
    local s
    [ ! -s kernels ] || echo "--uncertain kernels=0"
    for s in $suspects; do
        case $s in kernel:*) grep -qF "$s" kernels && echo "--uncertain $s=$1" ;; *) echo "--uncertain $s=$1" ;; esac
    done
}
kernels_of() { # TRACE...: those among the suspects, to the file kernels
    local t
    for t in "$@"; do "$timeless" info "$t"; done | grep -oE '\b(dgemm|dtrsm|dgemv)\b' | sed 's/^/kernel:/' | sort -u >kernels
}
wrong() { [ $(($1 % 2)) = 0 ] && echo 1.15 || echo 0.85; } # CASE
first() { # KEY FILE: the input with the largest KEY
    python3 -c '
import json, sys
inputs = json.load(open(sys.argv[2]))["inputs"]
print(max(inputs, key=lambda i: i.get(sys.argv[1], -1))["input"])' "$@"
}
right=0 n=0
judge() { # MODE INPUT PROGRAM NAMED
    n=$((n + 1))
    [ "$2" != "$4" ] || right=$((right + 1))
    printf '%s,%s,"%s",%s,%s\n' "$1" "$2" "$3" "$4" "$([ "$2" = "$4" ] && echo yes || echo no)" >>"$out"
}
end() { echo "$1: $right of $n"; right=0 n=0; }

stated() { judge_stated stated cases; }
replaced() { judge_stated replaced replaced_cases; }
judge_stated() { # MODE LIST
    local k=0 input trace place
    while IFS='|' read -r input trace place <&3; do
        k=$((k + 1))
        kernels_of "$trace"
        "$timeless" budget "$trace" -p ./machine $place $(stated_as 2) --uncertain "$input=15" "$(change "$input" "$(wrong $k)")" \
            --json=b.json >log 2>&1 || tail -n 1 log >&2
        judge "$1" "$input" "$trace $place" "$(first share b.json)"
        rm -f b.json
    done 3< <($2)
    end "$1"
}
influence() {
    local k=0 matter=0 input trace place right
    while IFS='|' read -r input trace place <&3; do
        k=$((k + 1))
        right=$(python3 -c '
import sys
good, wrong = map(float, sys.argv[1:])
print("%.2f,%s" % (100 * (wrong / good - 1), "yes" if abs(wrong / good - 1) >= 0.02 else "no"))' \
            "$("$timeless" replay "$trace" -p ./machine $place -q 2>log)" \
            "$("$timeless" replay "$trace" -p ./machine $place "$(change "$input" "$(wrong $k)")" -q 2>log)")
        [ "${right#*,}" = no ] || matter=$((matter + 1))
        printf 'influence,%s,"%s",%s\n' "$input" "$trace $place" "$right" >>"$out"
    done 3< <(cases)
    echo "influence: $matter of $k change the makespan by 2 % and more"
}
[ $# -gt 0 ] || set -- stated
echo 'mode,input,program,named,right' >"$out"
for mode in "$@"; do $mode; done
