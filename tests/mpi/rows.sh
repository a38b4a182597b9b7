# rows.sh - every traced row of mpi_calls.def in C and in each Fortran binding: a program made from the rows
# calls each with known arguments, and its trace holds just these calls and what they were given.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
rows="python3 $here/rows/rows.py $top_srcdir/compress/mpi_calls.def"
export PYTHONDONTWRITEBYTECODE=1

# functions PROGRAM: the MPI functions of the library that it is linked with
functions() { nm -D --defined-only "$(ldd "$1" | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3 }')" | awk '$3 ~ /^MPIX?_/ { print $3 }'; }
echo '#include <mpi.h>
int main(void) { return MPI_Init(0, 0); }' >"$scratch/empty.c"
$MPICC -o "$scratch/empty" "$scratch/empty.c" && MPI_FUNCTIONS=$(functions "$scratch/empty") || exit 99
export MPI_FUNCTIONS

# MPICH has no module of extensions.
without_ext=
$MPICC -dM -E "$scratch/empty.c" | grep -q ' OPEN_MPI ' || without_ext=-DWITHOUT_MPI_EXT

make_programs() {
    local binding
    $rows c >"$scratch/run.c" && $rows fortran >"$scratch/run.f90" &&
        $MPICC -O1 -g -w -I "$scratch" -o "$scratch/C" "$here/rows/frame.c" || return 1
    for binding in MPIF_H USE_MPI USE_MPI_F08; do
        $MPIFORT -O0 -g -w -fallow-argument-mismatch -ffree-line-length-none -J "$scratch" -I "$scratch" \
            -I "$here/rows" -D$binding $without_ext -o "$scratch/$binding" "$here/rows/frame.F90" || return 1
    done
}
check "each row has a case, and the programs compile" make_programs

holds() { $rows check "$timeless" "$scratch/$1.tl" "$2" && "$print_events" "$scratch/$1.tl" 0 sites | diff <(echo "$1") -; }
aborts() { ! record "$1" 1 abort && [ -s "$scratch/$1.tl" ]; }
for program in C MPIF_H USE_MPI USE_MPI_F08; do
    check "$program: the program runs as without the tracer" record $program 2 all "$scratch/file"
    rm -f "$scratch"/file*
    check "$program: the trace holds the calls and their arguments" holds $program all
    check "$program: the program runs with MPI_Init_thread" record $program 1 thread
    check "$program: the trace of MPI_Init_thread holds the calls" holds $program thread
    check "$program: the program ends by MPI_Abort" aborts $program
    check "$program: the trace of MPI_Abort holds the calls" holds $program abort
done

replays() {
    local star=$here/oracle/star
    "$timeless" replay "$scratch/C.tl" --platform "$star" --hostfile "$star/hosts" --no-compute --io-bandwidth 100MBps
}
record C 2 all "$scratch/file" >/dev/null 2>&1
check "a trace with all rows is replayed" replays

# The test can fail: a row that is not in the program, arguments that are not those recorded.
sed 's/^TL_CALL(97, Bcast/TL_CALL(1000, Unknown, BCAST, T_NONE, COMM(comm))\n&/' "$top_srcdir/compress/mpi_calls.def" >"$scratch/more.def"
differs() { ! python3 "$here/rows/rows.py" "$1" check "$timeless" "$scratch/C.tl" all >/dev/null; }
check "this test reports a row that is not in the trace" differs "$scratch/more.def"
sed 's/^TL_CALL(97, Bcast, BCAST, T_NONE, RBUF(buffer), COUNT(count)/TL_CALL(97, Bcast, BCAST, T_NONE, RBUF(buffer), ARG(int, target_count)/' \
    "$top_srcdir/compress/mpi_calls.def" >"$scratch/other.def"
check "this test reports a slot that is not expected" differs "$scratch/other.def"
tap_done
