#!/usr/bin/env bash
# Debian's own MPI programs, unchanged, with and without the tracer, and the predictions of their traces.
#
#   applications.sh [-n RANKS] [-l SECONDS] [-k FOLDER] [-t TRACES] [PROGRAM ...]
#
#   -n RANKS     ranks of each program (default 4; netpipe always has 2)
#   -l SECONDS   a run or replay that takes longer has failed (default 300)
#   -k FOLDER    keep outputs and traces there
#   -t TRACES    record nothing: replay the traces that -k kept in this folder
#
# PROGRAM is a file of the folder applications (cp2k, petsc, ...), or real for all of them; hpcc, lammps, netpipe, a test
# program of ScaLAPACK (xdlu, xcevc, ...), of BLACS (xCbtest) or PBLAS (dpb1tst; dpb1tim, a timer), or scalapack for all of
# these three but xdsyevr and xssyevr (README.md); default: hpcc, lammps, netpipe and some of each kind.  As root, packages
# that a program needs are installed.
#
# A program passes when its own checks pass, none fails and they are the same with and without the tracer, its trace is
# complete, and both engines replay the trace on each platform without any option.  Exit code 1 when one does not.
#
# Prints a line of CSV for each program.  without_s and traced_s are seconds of the wall clock, packing included; PLATFORM is
# the makespan predicted by SimGrid and PLATFORM_ratio this divided by the makespan predicted by LogGOPS; cpu_s and MB are the
# processor time and the greatest memory of the engine's replay on the last platform.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${top_builddir:=$here/..}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
. "$here/mpi_env.sh"
: "${MPIRUN:=mpirun}" "${HPCC:=hpcc}"
[ "${SCALAPACK_TESTS:-}" ] || SCALAPACK_TESTS=$(echo /usr/lib/*/scalapack/"${MPI:-openmpi}"-tests)
n_ranks=4 limit_s=300 keep='' traces=''
platforms='star-1g fat-tree dahu'
while getopts n:l:k:t: option; do
    case $option in
    n) n_ranks=$OPTARG ;;
    l) limit_s=$OPTARG ;;
    k) mkdir -p "$OPTARG"; keep=$(cd "$OPTARG" && pwd) ;;
    t) traces=$(cd "$OPTARG" && pwd) ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- hpcc lammps netpipe xdlu xcllt xzqr xssvd xcevc xdinv xzls xcsep xdgsep xcheevr \
    xsnep xdtrd xsbrd xzhrd xshseqr xddblu xspbllt xzptllt xsdtlu xzgblu xCbtest dpb1tst zpb3tst cpb2tim
work=$(mktemp -d "${TMPDIR:-/tmp}/applications.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

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

genome_reads() { # writes reads.fa: pieces of a random genome
    /usr/bin/python3 - <<'END'
import random

random.seed(1)
genome = "".join(random.choice("ACGT") for _ in range(1000))
with open("reads.fa", "w") as f:
    for i in range(400):
        at = random.randrange(len(genome) - 60)
        f.write(">r%d\n%s\n" % (i, genome[at : at + 60]))
END
}

install() { # PACKAGE...: those that are missing
    local missing=() p
    for p; do dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p"); done
    [ ${#missing[@]} = 0 ] || [ "$(id -u)" != 0 ] ||
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Writes what the program reads, and sets `command` and `ranks`.  A file of the folder applications defines `prepare` and
# `findings` itself, and the list `packages`.
prepare_known() { # PROGRAM
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
findings_known() { # PROGRAM OUTPUT
    case $1 in
    hpcc) grep -oE 'PASSED|FAILED|^Success=.*' hpccoutf.txt ;;
    lammps) sed -n '/^ *Step /,/^Loop /{/^Loop /!p}' "$2" ;;
    netpipe) grep -oE '[0-9]+ bytes .*|Integrity check.*' "$2" | sed 's/  *[0-9]* times//' ;;
    x[CF]btest) grep -oE '[0-9]+ PASSED, +[0-9]+ SKIPPED, +[0-9]+ FAILED' "$2" ;;
    ?pb?tim) grep -E '^  Test number +[0-9]+ completed' "$2" ;;
    *) grep -vE 'flagged as|TOTAL TESTS  PASSED' "$2" | grep -oE '\<(PASSED|FAILED|Passed|Failed)\>|^ +[0-9]+ tests completed.*' ;;
    esac || true
}

# The checks that passed; of lammps and of the folder applications, the lines that have to be equal.
n_good() { # PROGRAM FINDINGS
    if [ -e "$recipes/$1.sh" ]; then
        grep -c . "$2" || true
        return
    fi
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
    timeout "$limit_s" "$@" >"$name.out" 2>"$name.err" </dev/null || {
        complain "$name: exit code $?"
        tail -n 5 "$name.err" >&2
    }
    took_s=$(since "$from")
    cat "$name.err" >>"$name.out"
    findings "$name.out" >"$name.found" || true
}

# Prints makespan, processor time and memory (MB) of one replay; nothing if it fails.
predict() { # ENGINE PLATFORM
    /usr/bin/python3 - "$limit_s" timeless replay app.tl --platform "$2" --engine "$1" -q --json <<'END' 2>replay.err ||
import json, resource, subprocess, sys

done = subprocess.run(sys.argv[2:], timeout=float(sys.argv[1]), stdout=subprocess.PIPE, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.6g %.1f %.0f" % (json.loads(done.stdout)["makespan_s"], used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3))
END
    {
        complain "replay on $2 by $1 failed"
        grep '^timeless' replay.err | head -n 3 >&2
    }
}

of_trace() { timeless info "$1" | sed -n "s/^$2  *//p"; }

recipes=$here/accuracy/applications
status=0
header='program,ranks,checks,events,bytes_per_event,without_s,traced_s'
for platform in $platforms; do header+=,$platform,${platform}_ratio; done
echo "$header,smpi_cpu_s,smpi_MB,loggops_cpu_s,loggops_MB"
for program; do
    case $program in
    # shellcheck disable=SC2046
    scalapack) set -- "$@" $(cd "$SCALAPACK_TESTS" && ls -d x[sdcz]* xCbtest xFbtest | grep -v 'x[sd]syevr' &&
        cd PBLAS && echo ?pb?tst && cd TIMING && echo ?pb?tim) ;;
    real) for recipe in "$recipes"/*.sh; do set -- "$@" "$(basename "$recipe" .sh)"; done ;;
    esac
done
for program; do
    case $program in scalapack | real) continue ;; esac
    mkdir -p "$work/$program" && cd "$work/$program"
    ranks=$n_ranks
    row=$(
        status=0 checks=- untraced_s=- traced_s=-
        if [ "$traces" ]; then
            cp "$traces/$program-$ranks-app.tl" app.tl
        else
            if [ -e "$recipes/$program.sh" ]; then
                . "$recipes/$program.sh"
                # shellcheck disable=SC2086
                install $packages
                prepare >prepare.out 2>&1 || { complain 'it cannot be prepared'; tail -n 5 prepare.out >&2; }
            else
                findings() { findings_known "$program" "$1"; }
                prepare_known "$program"
            fi
            run untraced "$MPIRUN" -np "$ranks" "${command[@]}"
            untraced_s=$took_s
            rm -rf hpccoutf.txt assembly
            run traced timeless record -o app.tl -- "$MPIRUN" -np "$ranks" "${command[@]}"
            traced_s=$took_s
            checks=$(n_good "$program" traced.found)
            [ "$checks" -gt 0 ] || complain 'no check passed'
            ! has_failure traced.found || complain 'a check failed'
            cmp -s untraced.found traced.found || complain 'its findings differ from those without the tracer'
            [ "$(of_trace app.tl complete)" = yes ] || complain 'the trace is not complete'
            if [ "$keep" ]; then
                for file in app.tl untraced.out traced.out; do
                    [ ! -e "$file" ] || cp "$file" "$keep/$program-$ranks-$file"
                done
            fi
        fi
        read -r _ per_event _ <<<"$(of_trace app.tl bytes | tr -d '(')"
        row=$program,$ranks,$checks,$(of_trace app.tl events),$per_event,$untraced_s,$traced_s
        for platform in $platforms; do
            read -r smpi_s smpi_cpu_s smpi_MB <<<"$(predict smpi "$platform")" || true
            read -r loggops_s loggops_cpu_s loggops_MB <<<"$(predict loggops "$platform")" || true
            row+=,${smpi_s:--},$(awk -v a="${smpi_s:-0}" -v b="${loggops_s:-0}" \
                'BEGIN { if (a > 0 && b > 0) printf "%.3f", a / b; else print "-" }')
            [ "${smpi_s:-}" ] && [ "${loggops_s:-}" ] || status=1
        done
        echo "$row,${smpi_cpu_s:--},${smpi_MB:--},${loggops_cpu_s:--},${loggops_MB:--}"
        exit $status
    ) || status=1
    echo "$row"
    cd "$work"
    [ "$keep" ] || rm -rf "${work:?}/$program"
done
exit $status
