#!/usr/bin/env bash
# The events of "hpl:..." against runs of HPL, call by call, in 34 configurations of up to 64 ranks.
#
#   hpl_calls.sh [-x HPL] [-k FOLDER] [CONFIGURATION ...]
#
#   -x HPL      the program that build_hpl.sh made (required)
#   -k FOLDER   keep the traces there
#
# A configuration is "N=300 NB=32 P=2 Q=3 BCAST=1 ...", with the names of 'timeless replay hpl:'.  Each is run
# and recorded, its pivots written down, and compared with what the program makes twice: with these pivots, where
# every message and kernel must be the same, and with pivots of its own, where bytes must agree to 1 % over all
# configurations.  Takes about ten minutes on two cores.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
timeless=$(cd "$top_builddir" && pwd)/cli/timeless
. "$here/mpi_env.sh"
hpl= keep=
while getopts x:k: option; do
    case $option in
    x) hpl=$(realpath "$OPTARG") ;;
    k) mkdir -p "$OPTARG"; keep=$(cd "$OPTARG" && pwd) ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ "$hpl" ] || { echo "$0: give -x HPL, a program that build_hpl.sh made" >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/hpl-calls.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

set_defaults() {
    N=400 NB=32 PMAP=0 P=2 Q=3 PFACT=2 NBMIN=4 NDIV=2 RFACT=1 BCAST=1 DEPTH=1 SWAP=2 THRESHOLD=64 L1=0 U=0 EQUIL=1
}
input() {   # of xhpl, for the variables
    printf '%s\n' 'HPL.dat' 'of hpl_calls.sh' HPL.out 6 1 $N 1 $NB $PMAP 1 $P $Q 16.0 1 $PFACT 1 $NBMIN 1 $NDIV \
        1 $RFACT 1 $BCAST 1 $DEPTH $SWAP $THRESHOLD $L1 $U $EQUIL 8
}
compare() { # CONFIGURATION NAME
    local assignment text
    set_defaults
    for assignment in $1; do eval "$assignment"; done
    input >hpccinf.txt
    rm -f pivots
    HPL_PIVOTS=$work/pivots timeout 300 "$timeless" record --kernels=all -o run.tl -- \
        mpirun -np $((P * Q)) "$hpl" >log 2>&1 || { echo "the run failed:"; tail -n 5 log; return 1; }
    grep -q '^Success=1' log || { echo "HPL calls its result wrong"; return 1; }
    text=hpl:N=$N,NB=$NB,PMAP=$PMAP,P=$P,Q=$Q,PFACT=$PFACT,NBMIN=$NBMIN,NDIV=$NDIV,RFACT=$RFACT,BCAST=$BCAST
    text=$text,DEPTH=$DEPTH,SWAP=$SWAP,THRESHOLD=$THRESHOLD,L1=$L1,U=$U,EQUIL=$EQUIL
    "$timeless" dump run.tl >run.txt
    "$timeless" dump "$text" >drawn.txt
    "$timeless" dump "$text,PIVOTS=$work/pivots" >made.txt
    if [ "$keep" ]; then cp run.tl "$keep/$2.tl"; cp pivots "$keep/$2.pivots"; fi
    for dump in run drawn; do
        awk -v name=$dump '$3 ~ /MPI_(Send|Ssend|Issend)/ {
            for (i = 4; i <= NF; i++) { if ($i ~ /^count=/) c = substr($i, 7); if ($i ~ /^type_bytes=/) b = substr($i, 12)
                if ($i ~ /^tag=/) t = substr($i, 5) }
            if (t > 1000 && t <= 4000) sum += c * b } END { printf "%.0f %s\n", sum, name }' $dump.txt
    done >>bytes.txt
    python3 "$here/accuracy/hpl_compare.py" run.txt made.txt
}

if [ $# = 0 ]; then
    set -- "P=1 Q=1" "P=1 Q=4 BCAST=0" "P=1 Q=5 BCAST=3 DEPTH=0" "P=4 Q=1" "P=5 Q=1 SWAP=0 DEPTH=0" \
        "BCAST=0 SWAP=0" "BCAST=1 SWAP=1" "BCAST=2 SWAP=2" "BCAST=3 SWAP=0 DEPTH=0" "BCAST=4 SWAP=1 DEPTH=0" \
        "BCAST=5 SWAP=2 DEPTH=0" "P=3 Q=2 PFACT=0 RFACT=0 SWAP=1" "P=3 Q=2 PFACT=0 RFACT=1 L1=1 SWAP=0" \
        "P=3 Q=2 PFACT=0 RFACT=2 U=1 SWAP=1" "P=2 Q=2 PFACT=1 RFACT=0 L1=1 U=1" "P=2 Q=2 PFACT=1 RFACT=1" \
        "P=2 Q=2 PFACT=1 RFACT=2 L1=1" "P=2 Q=4 PFACT=2 RFACT=0" "P=2 Q=4 PFACT=2 RFACT=2 L1=1 U=1 NBMIN=1" \
        "P=4 Q=4 NBMIN=8 NDIV=3 N=777 NB=48 BCAST=2 SWAP=1" "P=4 Q=4 NBMIN=2 NDIV=2 PFACT=1 RFACT=2 BCAST=2 SWAP=0" \
        "P=4 Q=4 PMAP=1 BCAST=4 SWAP=1 EQUIL=0" "P=4 Q=4 PMAP=1 BCAST=5 SWAP=0 DEPTH=0" "P=5 Q=3 BCAST=3 SWAP=0 L1=1 U=1" \
        "P=7 Q=2 SWAP=1 DEPTH=2 NB=24 N=700" "P=6 Q=3 SWAP=2 THRESHOLD=40 BCAST=2 N=601" "P=3 Q=6 DEPTH=3 BCAST=5" \
        "P=5 Q=5 SWAP=1 EQUIL=1 BCAST=4 N=650 NB=16" "P=8 Q=2 SWAP=1 N=900 NB=40" "P=2 Q=8 BCAST=3 N=900 NB=40 THRESHOLD=100" \
        "P=8 Q=4 SWAP=0 BCAST=2 N=1000 NB=40" "P=4 Q=8 SWAP=1 BCAST=5 N=1000 NB=40" "P=12 Q=4 SWAP=0 N=1100 NB=32 BCAST=3" \
        "P=8 Q=8 SWAP=1 BCAST=2 N=1200 NB=48"
fi
failed=0 number=0
for configuration; do
    number=$((number + 1))
    printf '%-55s ' "$configuration"
    compare "$configuration" "$number" || failed=$((failed + 1))
done
awk -v failed=$failed -v n=$number '{ sum[$2] += $1 }
    END { off = sum["run"] ? sum["drawn"] / sum["run"] - 1 : 0
          printf "%d of %d configurations equal; with drawn pivots bytes %+.3f %%\n", n - failed, n, 100 * off
          exit failed || off > 0.01 || off < -0.01 }' bytes.txt
