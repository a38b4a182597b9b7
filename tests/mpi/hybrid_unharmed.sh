# hybrid_unharmed.sh - programs with OpenMP do under the tracer what they do without it.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
export OMP_CANCELLATION=true
for compiler in g++ clang++; do
    program=$scratch/$compiler
    OMPI_CXX=$compiler MPICH_CXX=$compiler mpicxx -O1 -g -fopenmp -o "$program" "$here/hybrid_unharmed.cpp"
    check_exit 4 "$compiler: the program exits 4 without the tracer" $MPIRUN -np 1 --bind-to none "$program"
    cp "$scratch/out" "$scratch/expected"
    check "$compiler: the result without the tracer is right" says '~^wrong 0$' "$scratch/expected"
    for source in auto cputime; do
        check_exit 4 "$compiler, $source: the exit code is that without the tracer" \
            $timeless record --volume $source -o "$scratch/trace.tl" -- $MPIRUN -np 1 --bind-to none "$program"
        cp "$scratch/out" "$scratch/got"
        check "$compiler, $source: the output is that without the tracer" diff "$scratch/expected" "$scratch/got"
        check "$compiler, $source: the trace is complete" says '~^complete +yes' <("$timeless" info "$scratch/trace.tl")
    done
    check_exit 5 "$compiler: a helper thread that calls exit() exits 5" \
        $timeless record -o "$scratch/trace.tl" -- $MPIRUN -np 1 --bind-to none "$program" exit
done
tap_done
