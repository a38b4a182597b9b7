#!/usr/bin/env bash
# A captured run of HPL, its polls decided by the replay, against the stream "hpl:..." with the same pivots.
#
#   hpl_polls.sh -x HPL [-k FOLDER] [-p PLATFORM]... [NAME=VALUE ...]
#
#   -x HPL       the program that build_hpl.sh made
#   -k FOLDER    keep the trace and the pivots there, and take them from there the next time
#   -p PLATFORM  default: dahu, star-1g, theta and graphene
#
# NAME=VALUE as in 'timeless replay hpl:'; default N=2000 NB=32 P=4 Q=4, one-ring modified, depth 1, long swap.
# The run is folded onto the cores at hand, so its polls succeeded wherever the scheduler let them.  Each platform
# is tried with latencies of 0.95, 1 and 1.05 of its own: the two agree only as well as each agrees with itself.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
timeless=$(cd "$top_builddir" && pwd)/cli/timeless
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
. "$here/mpi_env.sh"
hpl= keep= platforms=
while getopts x:k:p: option; do
    case $option in
    x) hpl=$(realpath "$OPTARG") ;;
    k) mkdir -p "$OPTARG"; keep=$(cd "$OPTARG" && pwd) ;;
    p) platforms="$platforms $OPTARG" ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ "$hpl" ] || { echo "$0: give -x HPL, a program that build_hpl.sh made" >&2; exit 2; }
N=2000 NB=32 PMAP=0 P=4 Q=4 PFACT=2 NBMIN=4 NDIV=2 RFACT=1 BCAST=1 DEPTH=1 SWAP=1 THRESHOLD=64 L1=0 U=0 EQUIL=1
for assignment; do eval "$assignment"; done
work=$(mktemp -d "${TMPDIR:-/tmp}/hpl-polls.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "${keep:-$work}"
if [ ! -f solve.tl ]; then
    printf '%s\n' 'HPL.dat' 'of hpl_polls.sh' HPL.out 6 1 $N 1 $NB $PMAP 1 $P $Q 16.0 1 $PFACT 1 $NBMIN 1 $NDIV \
        1 $RFACT 1 $BCAST 1 $DEPTH $SWAP $THRESHOLD $L1 $U $EQUIL 8 >hpccinf.txt
    rm -f pivots
    OPENBLAS_NUM_THREADS=1 HPL_PIVOTS=$PWD/pivots "$timeless" record --folded --kernels=all -o run.tl -- \
        mpirun --oversubscribe -np $((P * Q)) "$hpl" >log 2>&1 || { tail -n 5 log; exit 1; }
    # Of each rank what is between the two calls of MPI_Wtime around HPL_pdgesv, without what it computed beside
    # its kernels and without the copies of HPL_pdmxswp: the stream has neither.
    "$timeless" dump run.tl | python3 -c '
import re, sys
rank, parts = None, []
for line in sys.stdin:
    words = line.split()
    if words[0] == "rank":
        rank, parts = words[1], [[]]
        print(line, end="")
    elif words[0] == "end":
        solve = max(parts, key=lambda part: sum(" dgemm " in e and not re.search(" [mnk]=0 ", e) for e in part))
        events = ["MPI_Init clock_ns=0", "MPI_Barrier comm=1 clock_ns=0"] + solve + ["MPI_Finalize clock_ns=0"]
        for number, event in enumerate(events):
            print(rank, number, event.split(" ", 2)[2] if event[0].isdigit() else event)
        print("end finalized clock_ns=0")
    elif rank and words[0] == rank:
        if words[2] == "MPI_Wtime":
            parts.append([])
        elif words[2] != "dcopy":
            parts[-1].append(re.sub(" volume=[0-9]+", "", line.strip()))
    elif words[0] == "volume_unit":
        print("volume_unit \"none\"")
    elif words[0] not in ("clock", "remark", "counter"):
        print(line, end="")
' |
        "$timeless" undump - -o solve.tl
fi
stream=hpl:N=$N,NB=$NB,PMAP=$PMAP,P=$P,Q=$Q,PFACT=$PFACT,NBMIN=$NBMIN,NDIV=$NDIV,RFACT=$RFACT,BCAST=$BCAST
stream=$stream,DEPTH=$DEPTH,SWAP=$SWAP,THRESHOLD=$THRESHOLD,L1=$L1,U=$U,EQUIL=$EQUIL,MOVES=0,PIVOTS=$PWD/pivots
printf '%-10s %8s %12s %12s %12s %8s\n' platform latency recorded adaptive stream difference
for platform in ${platforms:-dahu star-1g theta graphene}; do
    for latency in 0.95 1 1.05; do
        at=(-q --platform "$platform" --scale latency "$latency" --seed 1)
        recorded=$("$timeless" replay solve.tl "${at[@]}")
        adaptive=$("$timeless" replay solve.tl "${at[@]}" --polls adaptive)
        made=$("$timeless" replay "$stream" "${at[@]}")
        awk -v p="$platform" -v l="$latency" -v r="$recorded" -v a="$adaptive" -v m="$made" 'BEGIN {
            printf "%-10s %8s %12.6f %12.6f %12.6f %+7.1f%%\n", p, l, r, a, m, 100 * (a / m - 1) }'
    done
done
