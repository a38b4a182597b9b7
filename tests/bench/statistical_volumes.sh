#!/usr/bin/env bash
# statistical_volumes.sh - what statistical volumes cost, and what they change in predictions.
#
#     tests/bench/statistical_volumes.sh [PROGRAM...]        (from the build folder, after make)
#
# Programs, each on 4 ranks: stencil2d, stencil3d, wavefront (patterns.c), cg (tests/accuracy/bars/cg.c), hpl (hpcc); all by
# default. Planted, for the suite: a loop of Allreduce whose ranks share none, half or all of their noise. A row for each of
# three platforms and both engines, one rank on a host: bytes a call of the whole trace, lossless and statistical; the
# predicted makespan of the lossless trace; changes of the makespan and of the time in MPI (waiting, and messages) of all
# ranks; the share of this time. tests/accuracy/README.md has the largest changes.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$(cd "$top_srcdir" && pwd)/platforms}
root=$(cd "$top_srcdir" && pwd)
cd "$scratch" || exit 4

# rows NAME TRACE PLATFORM...
rows() {
    "$timeless" pack --volume-precision statistical "$2" -o statistical.tl || return
    python3 - "$timeless" "$@" <<'END'
import json, subprocess, sys

timeless, name, trace, *platforms = sys.argv[1:]


def said(*words):
    return json.loads(subprocess.run([timeless, *words, "--json"], stdout=subprocess.PIPE, check=True).stdout)


def bytes_of_call(path):
    facts = said("info", path)
    return facts["bytes"] / sum(r["events"] for r in facts["ranks"])


def predict(path, platform, engine):
    p = said("replay", path, "-p", platform, "--engine", engine, "--ranks-per-host", "1")
    assert path == trace or p["volume_sample"]
    return p["makespan_s"], sum(r["p2p_s"] + r["wait_s"] + r["collective_s"] for r in p["ranks"]), p["n_ranks"]


before, after = bytes_of_call(trace), bytes_of_call("statistical.tl")
for platform in platforms:
    for engine in ("smpi", "loggops"):
        s, mpi_s, n = predict(trace, platform, engine)
        new_s, new_mpi_s, n = predict("statistical.tl", platform, engine)
        print(f"{name:<12} {before:8.3f} {after:11.3f}  {platform:<9} {engine:<8} {s:11.6f} {100 * (new_s / s - 1):+9.3f} %"
              f" {100 * (new_mpi_s / mpi_s - 1):+8.3f} % {100 * mpi_s / n / s:5.0f} %", flush=True)
END
}
# planted CORRELATION: 4 ranks, 30,000 iterations
planted() {
    python3 - "$1" >planted.txt <<'END'
import random, sys

correlation, ranks, iterations = float(sys.argv[1]), 4, 30000
print(f'timeless-text 1\nranks {ranks}\nvolume_unit "cpu-ns"\nprogram "planted"')
shared = random.Random(99)
noise = [shared.gauss(0, 1) for _ in range(iterations)]
for rank in range(ranks):
    own = random.Random(rank)
    print(f'rank {rank} host="h"\nsite 1 object="a" offset=1\n{rank} 0 MPI_Init clock_ns=0 volume=0')
    for i, common in enumerate(noise):
        x = correlation ** 0.5 * common + (1 - correlation) ** 0.5 * own.gauss(0, 1)
        print(f"{rank} {i + 1} MPI_Allreduce count=1 type_bytes=8 comm=1 volume={int(1e5 * (1 + 0.1 * x))} site=1")
    print(f"{rank} {iterations + 1} MPI_Finalize clock_ns=9 volume=0\nend finalized clock_ns=9")
END
    "$timeless" undump planted.txt -o planted.tl && "$timeless" pack planted.tl -o planted.tl && rows "planted $1" planted.tl star-1g
}
record() { "$timeless" record -q --folded --kernels none --pack-seconds 600 -o run.tl -- "$MPIRUN" -np 4 "$@" >/dev/null &&
    rows "$name" run.tl star-1g graphene fat-tree; }

[ $# -gt 0 ] || set -- stencil2d stencil3d wavefront cg hpl
printf '%-12s %8s %11s  %-9s %-8s %11s %11s %10s %7s\n' program lossless statistical platform engine makespan changes 'MPI time' share
for name; do
    case $name in
    planted) planted 0 && planted 0.5 && planted 1 ;;
    stencil2d | stencil3d | wavefront)
        $MPICC -O1 -o patterns "$root/tests/bench/patterns.c"
        case $name in stencil2d) n=3000 ;; stencil3d) n=2200 ;; *) n=250 ;; esac
        record ./patterns "$name" $n 20000
        ;;
    cg)
        $MPICC -O1 -I"$root/tests/accuracy/bars" -o cg "$root/tests/accuracy/bars/cg.c" -lm
        record ./cg 200 7000
        ;;
    hpl)
        bash "$root/tests/hpcc_input.sh" 2000 2 2 32 >hpccinf.txt
        record "$HPCC"
        ;;
    *) echo "$0: no program $name; see the head of this file" >&2; exit 2 ;;
    esac || exit 1
done
