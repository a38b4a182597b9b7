#!/usr/bin/env bash
# Debian's own MPI programs, unchanged, with and without the tracer.
#
#   applications.sh [-n RANKS] [-l SECONDS] [-k FOLDER] [PROGRAM ...]
#
#   -n RANKS     ranks of each program (default 4; netpipe always has 2)
#   -l SECONDS   a run or replay that takes longer has failed (default 300)
#   -k FOLDER    keep outputs and traces there
#
# PROGRAM is hpcc, lammps, netpipe, a test program of ScaLAPACK (xdlu, xcevc, ...), of BLACS (xCbtest)
# or PBLAS (dpb1tst; dpb1tim, a timer), or scalapack for all of the last three but xdsyevr and xssyevr
# (README.md); default: hpcc, lammps, netpipe and some of each kind.
#
# A program passes when its own checks pass, none fails and they are the same with and without the
# tracer, its trace is complete, and the replay of the trace on the platform fat-tree runs to its
# end.  Exit code 1 when one does not.  Seconds are of the wall clock.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${top_builddir:=$here/..}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
. "$here/mpi_env.sh"
: "${MPIRUN:=mpirun}" "${HPCC:=hpcc}"
[ "${SCALAPACK_TESTS:-}" ] || SCALAPACK_TESTS=$(echo /usr/lib/*/scalapack/"${MPI:-openmpi}"-tests)
n_ranks=4 limit_s=300 keep=
while getopts n:l:k: option; do
    case $option in
    n) n_ranks=$OPTARG ;;
    l) limit_s=$OPTARG ;;
    k) mkdir -p "$OPTARG"; keep=$(cd "$OPTARG" && pwd) ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- hpcc lammps netpipe xdlu xcllt xzqr xssvd xcevc xdinv xzls xcsep xdgsep xcheevr \
    xsnep xdtrd xsbrd xzhrd xshseqr xddblu xspbllt xzptllt xsdtlu xzgblu xCbtest dpb1tst zpb3tst cpb2tim
work=$(mktemp -d "${TMPDIR:-/tmp}/applications.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# Kernels that the platform's model has no line for take a nanosecond per operation.
cp -r "$TIMELESS_PLATFORMS/fat-tree" platform
echo 'seconds_per_flop = 1.0e-9;' >>platform/model.conf

lammps_input() {
    cat <<'END'
units           lj
lattice         fcc 0.8442
region          box block 0 8 0 8 0 8
create_box      1 box
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 87287
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0 2.5
neighbor        0.3 bin
neigh_modify    every 20 delay 0 check no
fix             1 all nve
thermo          10
run             100
END
}

# The nearly square grid of this many ranks, "P Q".
grid() {
    local p q=1
    for ((p = 1; p * p <= $1; p++)); do [ $(($1 % p)) -ne 0 ] || q=$p; done
    echo "$q $(($1 / q))"
}

# Writes what the program reads, and sets `command` and `ranks`.
prepare() { # PROGRAM
    ranks=$n_ranks
    case $1 in
    hpcc)
        # shellcheck disable=SC2046
        "$here/hpcc_input.sh" 400 $(grid "$ranks") 40 >hpccinf.txt
        command=("$HPCC") ;;
    lammps) lammps_input >in.melt; command=(lmp -in in.melt) ;;
    netpipe) ranks=2 command=(NPopenmpi -i -u 65536 -n 100 -o netpipe.out) ;;
    *)
        local folder=$SCALAPACK_TESTS
        case $1 in
        x[CF]btest) folder+=/BLACS ;;
        ?pb?tst) folder+=/PBLAS ;;
        ?pb?tim) folder+=/PBLAS/TIMING ;;
        esac
        cp "$folder"/*.dat .
        case $1 in
        # With its condition estimate two of the four do not end, tracer or not (README.md).
        x[sdcz]llt) sed -i 's/^T  */F /' LLT.dat ;;
        # The same loop may end at different turns on different ranks (README.md, xslu).
        x[sd]lu) sed -i 's/^T\t/F\t/' LU.dat ;;
        # Without the one large matrix, of 500 rows, which takes minutes.
        x??*evr) sed -i "/^'TEST 10 /,/^'End of tests/{/^'End/!d}" SEPR.dat ;;
        # The auxiliary tests end with MPI_Abort by their own will.
        x[CF]btest) sed -i "s/^'T'\( *Run AUX\)/'F'\1/" bt.dat ;;
        esac
        command=("$folder/$1") ;;
    esac
}

# What a run says about itself, without what differs from run to run: the lines from which the
# checks are counted.
findings() { # PROGRAM OUTPUT
    case $1 in
    hpcc) grep -oE 'PASSED|FAILED|^Success=.*' hpccoutf.txt ;;
    lammps) sed -n '/^ *Step /,/^Loop /{/^Loop /!p}' "$2" ;;
    netpipe) grep -oE '[0-9]+ bytes .*|Integrity check.*' "$2" | sed 's/  *[0-9]* times//' ;;
    x[CF]btest) grep -oE '[0-9]+ PASSED, +[0-9]+ SKIPPED, +[0-9]+ FAILED' "$2" ;;
    ?pb?tim) grep -E '^  Test number +[0-9]+ completed' "$2" ;;
    *) grep -vE 'flagged as|TOTAL TESTS  PASSED' "$2" | grep -oE '\<(PASSED|FAILED|Passed|Failed)\>|^ +[0-9]+ tests completed.*' ;;
    esac || true
}

n_good() { # PROGRAM FINDINGS: checks that passed; of lammps the lines that have to be equal
    case $1 in
    lammps) grep -c '[0-9]' "$2" || true ;;
    *) awk '/^ +[0-9]+ tests completed and passed|^[0-9]+ PASSED,/ { sum += $1 }
            /^(PASSED|Passed|Success=1|.*Integrity check passed|  Test number .*)$/ { n++ }
            END { print sum ? sum : n + 0 }' "$2" ;;
    esac
}

has_failure() { grep -qiE '^FAILED|integrity check failed|^Success=[^1]|[1-9][0-9]* (tests completed and failed|FAILED)' "$1"; }

now_s() { date +%s.%N; }
since() { awk -v from="$1" -v to="$(now_s)" 'BEGIN { printf "%.1f", to - from }'; }

complain() { echo "applications.sh: $program: $1" >&2; status=1; }

run() { # NAME COMMAND...: sets took_s
    local name=$1 from; shift
    from=$(now_s)
    timeout "$limit_s" "$@" >"$name.out" 2>"$name.err" || {
        complain "$name: exit code $?"
        tail -n 5 "$name.err" >&2
    }
    took_s=$(since "$from")
    cat "$name.err" >>"$name.out"
    findings "$program" "$name.out" >"$name.found"
}

of_trace() { timeless info "$1" | sed -n "s/^$2  *//p"; }

status=0
printf '%-10s %5s %7s %9s %10s %8s %9s %8s %8s\n' program ranks checks events bytes 'bytes/ev' \
    'without s' 'traced s' 'replay s'
for program; do
    if [ "$program" = scalapack ]; then
        # shellcheck disable=SC2046
        set -- "$@" $(cd "$SCALAPACK_TESTS" && ls -d x[sdcz]* xCbtest xFbtest | grep -v 'x[sd]syevr' &&
            cd PBLAS && echo ?pb?tst && cd TIMING && echo ?pb?tim)
    fi
done
for program; do
    [ "$program" != scalapack ] || continue
    rm -f app.tl hpccoutf.txt
    prepare "$program"
    run untraced "$MPIRUN" -np "$ranks" "${command[@]}"
    untraced_s=$took_s
    rm -f hpccoutf.txt
    run traced timeless record -o app.tl -- "$MPIRUN" -np "$ranks" "${command[@]}"
    traced_s=$took_s
    checks=$(n_good "$program" traced.found)
    [ "$checks" -gt 0 ] || complain 'no check passed'
    ! has_failure traced.found || complain 'a check failed'
    cmp -s untraced.found traced.found || complain 'its findings differ from those without the tracer'
    [ "$(of_trace app.tl complete)" = yes ] || complain 'the trace is not complete'
    run replay timeless replay app.tl --platform "$work/platform" -q
    read -r bytes per_event <<<"$(of_trace app.tl bytes | sed 's/(\(.*\) per event)/\1/')"
    printf '%-10s %5d %7d %9d %10d %8.2f %9.1f %8.1f %8.1f\n' "$program" "$ranks" "$checks" \
        "$(of_trace app.tl events)" "$bytes" "$per_event" "$untraced_s" "$traced_s" "$took_s"
    if [ "$keep" ]; then
        for file in app.tl untraced.out traced.out replay.out; do
            [ ! -e "$file" ] || cp "$file" "$keep/$program-$ranks-$file"
        done
    fi
done
exit $status
