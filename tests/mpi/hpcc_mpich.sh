#!/usr/bin/env bash
# hpcc_mpich.sh [FOLDER] - HPL of hpcc, built with MPICH, under the tracer: its own checks pass, the trace is complete and
# replays, and the events are those of the same HPL built with Open MPI.
#
# Debian's hpcc is linked with Open MPI, so this builds the original source of Debian's source package with each MPI.  Needs
# the network for the first run, and three minutes.  FOLDER keeps the source and the programs for the next run (default:
# hpcc/ in the build folder).
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD/build}"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
. "$top_srcdir/tests/source_package.sh"
folder=${1:-$top_builddir/hpcc}
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 4
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless

# built NAME MPICC: $folder/NAME/hpcc.  Calls that MPI-3 removed are replaced.
built() {
    [ -x "$folder/$1/hpcc" ] && return
    mkdir -p "$folder/$1" && tar -xzf "$folder"/apt/hpcc_*.orig.tar.gz -C "$folder/$1" --strip-components=1 || return
    cat >"$folder/$1/hpl/Make.$1" <<END
SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir
RM = rm -f
TOUCH = touch
ARCH = \$(arch)
TOPdir = ../../..
INCdir = \$(TOPdir)/include
BINdir = \$(TOPdir)/bin/\$(ARCH)
LIBdir = \$(TOPdir)/lib/\$(ARCH)
HPLlib = \$(LIBdir)/libhpl.a
CC = $2 -include $here/conformance/removed.h -DAdd_ -DF77_INTEGER=int -DStringSunStyle -DHPL_CALL_CBLAS -I\$(INCdir) -I\$(INCdir)/\$(ARCH)
CCFLAGS = -O2 -w
LINKER = $2
HPL_LIBS = \$(HPLlib) -l:libblas.so.3 -lm
ARCHIVER = ar
ARFLAGS = r
RANLIB = echo
END
    make -C "$folder/$1" arch="$1"
}
run() { (cd "$scratch" && rm -f hpccoutf.txt &&
    timeout 300 "$timeless" record --folded --volume none -o "$1.tl" -- $2 4 "$folder/$1/hpcc" && mv hpccoutf.txt "$1.txt"); }
passed() { says '~^Success=1$' "$scratch/$1.txt" && says '~Ax-b.*PASSED' "$scratch/$1.txt" && ! grep FAILED "$scratch/$1.txt"; }
complete() { "$timeless" info "$scratch/$1.tl" | tee "$scratch/info" | grep -Eq '^complete +yes' &&
    says "~^MPI library +$2" "$scratch/info"; }

# The section of HPL in the trace of NAME, rank by rank.  It follows the last split of MPI_COMM_WORLD.  While HPL waits for
# a panel it polls and updates a few columns at a time, so two runs differ in the number of polls and of these kernels, and in
# the place of the panel's receive between other receives: kernels are added up, the lines are sorted.
section() {
    local rank
    for rank in 0 1 2 3; do
        "$print_events" "$scratch/$1.tl" $rank | awk -v rank=$rank '
            /^MPI_Comm_split comm=1 / {n = multiply = solve = 0}
            {split($2, a, "="); split($3, b, "="); split($4, c, "=")}
            /^MPI_(Iprobe|Wtime)/ {next}
            /^dgemm / {multiply += a[2] * b[2] * c[2]; next}
            /^dtrsm / {solve += a[2] * b[2] * c[2]; next}
            {line[n++] = $0}
            END {print rank, "dgemm", multiply; print rank, "dtrsm", solve; for (i = 0; i < n; i++) print rank, line[i]}'
    done | sort
}
same_calls() {
    section openmpi >"$scratch/openmpi.events" && section mpich >"$scratch/mpich.events" || return
    diff "$scratch/openmpi.events" "$scratch/mpich.events" && [ "$(wc -l <"$scratch/mpich.events")" -gt 1000 ]
}
# Of the whole of hpcc.
replays() { "$timeless" replay "$scratch/mpich.tl" --platform "$top_srcdir/platforms/star-1g" &&
    says '~^makespan +[0-9.e-]+ s' "$scratch/out"; }

[ -e "$(echo "$folder"/apt/hpcc_*.orig.tar.gz)" ] || source_package "$folder" hpcc >"$folder/apt.log" 2>&1 ||
    { echo "hpcc_mpich.sh: no source package of hpcc: $folder/apt.log" >&2; exit 4; }
bash "$top_srcdir/tests/hpcc_input.sh" 200 2 2 40 >"$scratch/hpccinf.txt"
for mpi in openmpi mpich; do
    case $mpi in
    openmpi) mpicc=$MPICC launcher="$MPIRUN -np" library='Open MPI' ;;
    mpich) mpicc=$MPICC_MPICH launcher="$MPIRUN_MPICH -n" library='MPICH' ;;
    esac
    check "$library: hpcc compiles" built $mpi "$mpicc"
    check "$library: hpcc runs under the tracer" run $mpi "$launcher"
    check "$library: the checks of hpcc pass" passed $mpi
    check "$library: the trace is complete" complete $mpi "$library"
done
check "HPL: the events under MPICH are those under Open MPI" same_calls
check "MPICH: the trace replays" replays
tap_done
