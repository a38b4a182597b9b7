# call_paths.sh - calls have the path on which the program reached them.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
source=$here/source
cd "$scratch" || exit 1

# paths TRACE: the distinct call paths of rank 0, one on each line: the tag, if there is one, and the functions
paths() {
    $timeless dump --json --rank 0 "$1" | python3 -c '
import json, re, sys
seen = {}
for line in sys.stdin:
    e = json.loads(line)
    if e.get("source"):
        names = re.sub(r" \([^()]*:\d+\)|:\d+(?= <|$)", "", e["source"])
        seen[(str(e["tag"]) + " " if e["call"] == "MPI_Send" else "") + names] = 1
print("\n".join(seen))'
}
# recorded NAME [OPTION...]: NAME runs on one rank
recorded() { local name=$1; shift; $timeless record -q "$@" -o "$name.tl" -- $MPIRUN -np 1 "./$name"; }
has_paths() { paths "$1" | grep -E '^[0-9]+ ' | diff "$2" -; }

cat >expected <<'END'
1 wrap < direct < main
2 wrap < with_array < first < main
2 wrap < with_array < second < main
3 wrap < realigned < main
4 wrap < recurse < recurse < recurse < recurse < main
5 wrap < compare
6 wrap
7 wrap
8 wrap < in_thread
9 wrap < bare
4 wrap < recurse < recurse < pass < main
END
$MPICC -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -DBARE -c "$source/paths.c" -o bare.o
# variant NAME COMPILER FLAGS...
variant() {
    local name=$1; shift
    check "$name is compiled: $*" "$@" -g "$source/paths.c" bare.o -o "$name" -lpthread
    check "$name: recorded, with the exit code of the program" recorded "$name" --call-paths 32
    check "$name: each call has its path" has_paths "$name.tl" expected
}
variant O0 $MPICC -O0
variant O2 $MPICC -O2 -fomit-frame-pointer
variant frame-pointer $MPICC -O2 -fno-omit-frame-pointer -no-pie
variant clang env OMPI_CC=clang MPICH_CC=clang $MPICC -O2

check "a depth of 2" recorded O2 --call-paths 2
check "paths end after 2 callers" says '~^4 wrap < recurse < recurse$' <(paths O2.tl)
check "by the environment" env TIMELESS_CALL_PATHS=1 $timeless record -q -o O2.tl -- $MPIRUN -np 1 ./O2
check "paths end after 1 caller" says '~^4 wrap < recurse$' <(paths O2.tl)
check "a depth of 0" recorded O2 --call-paths 0
check "calls have their call site only" says '~^4 wrap$' <(paths O2.tl)
check_exit 2 "a depth of 65 is refused" $timeless record --call-paths 65 -- true

# ---- stripped; Fortran; C++ ----
cp O2 stripped; strip stripped
callers() { $timeless dump --rank 0 "$1" | grep -c '^site .* caller='; }
check "stripped: recorded" recorded stripped --call-paths 32
recorded O2 --call-paths 32
check "stripped: as many callers" equal "$(callers stripped.tl)" "$(callers O2.tl)"
check "Fortran is compiled" $MPIFORT -O2 -g "$source/heat.f90" -o heat
check "Fortran: recorded" recorded heat --call-paths 32
check "Fortran: the callers of a procedure of a module" says '~^grid::exchange < heat < main$' <(paths heat.tl)
check "C++ is compiled" ${MPICXX:-mpicxx} -O2 -g "$source/solver.cpp" -o solver
check "C++: recorded" recorded solver --call-paths 32
check "C++: the callers of a method" says '~^solver::Field<float>::exchange < main$' <(paths solver.tl)

cat >region.c <<'END'
#include <mpi.h>
static double sums[4];
__attribute__((noinline)) static void sweep(void)
{
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 100000; k++)
            ((volatile double *)sums)[i] += k;
    sums[0] += sums[1]; /* so that the region is no tail call */
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sweep();
    MPI_Finalize();
    return sums[0] < 0;
}
END
check "OpenMP is compiled" $MPICC -O2 -g -fopenmp region.c -o region
check "OpenMP: recorded" env OMP_NUM_THREADS=2 $timeless record -q --call-paths 32 -o region.tl -- $MPIRUN -np 1 ./region
check "OpenMP: the callers of a parallel region" says '~^sweep < main$' <(paths region.tl)

# ---- the trace ----
check "packing changes no path" eval "$timeless pack O2.tl -o packed.tl && has_paths packed.tl expected"
check "the text form has them" eval "$timeless dump O2.tl | $timeless undump - -o text.tl && has_paths text.tl expected"
check "a part has them" eval \
    "$timeless record -q --call-paths 9 -o heat.tl -- $MPIRUN -np 1 ./heat &&
        $timeless cut heat.tl --section 1 -o part.tl && says '~^grid::exchange < heat < main' <(paths part.tl)"
tap_done
