# tracer.sh - sourced after tap.sh by the tests here: compile a program, record it, print its trace.
here=$top_srcdir/tests/mpi
print_events=$top_builddir/tests/mpi/print_events
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1
# In a build with sanitizers the tracer is loaded into programs that know nothing of them.
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

# compile NAME [FLAGS...]: $scratch/NAME from NAME.c
compile() {
    local name=$1; shift
    $MPICC -O1 -g -o "$scratch/$name" "$here/$name.c" "$@" || { tap_result 'not ok' "compile $name"; tap_done; exit 1; }
}
# record NAME RANKS [ARGUMENTS...]: runs it under mpirun, the trace goes to $scratch/NAME.tl
record() {
    local name=$1 ranks=$2; shift 2
    $timeless record -o "$scratch/$name.tl" -- $MPIRUN -np "$ranks" "$scratch/$name" "$@"
}
# same_text EXPECTED COMMAND...: compares the command's output with a file
same_text() { local expected=$1; shift; test -s "$expected" && "$@" | diff "$expected" -; }
# no_exact_counts: prints why instructions cannot be counted exactly here; fails if they can
no_exact_counts() {
    if [ -n "${SANITIZE:-}" ]; then echo "the sanitizers' memory does not fit into an emulator; the plain build is tested"
    elif $timeless record --list-volumes | grep -q '^exact:qemu .* does not take plugins'; then echo 'this QEMU takes no plugins'
    else return 1; fi
}
# set_for_ranks NAME=VALUE...: for_ranks are the options by which mpirun gives the ranks these variables
set_for_ranks() {
    local variable
    for_ranks=()
    for variable; do
        if uses_mpich; then for_ranks+=(-genv "${variable%%=*}" "${variable#*=}")
        else for_ranks+=(-x "$variable"); fi
    done
}
# exit_of_killed: the exit code of mpirun when a signal killed the ranks
exit_of_killed() { if uses_mpich; then echo 9; else echo 137; fi; }
# libmpi_of PROGRAM: the file of its MPI library
libmpi_of() { ldd "$1" | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3 }'; }
# The component rdma of Open MPI 4.1 crashes in MPI_Compare_and_swap of 8 bytes.  Open MPI 5 has rdma in place of pt2pt.
has_osc_pt2pt() { ompi_info --parsable 2>/dev/null | grep -q '^mca:osc:pt2pt:'; }
avoid_osc_rdma() { ! has_osc_pt2pt || export OMPI_MCA_osc=^rdma; }
# Of MPICH's streams and communicators of threads, the functions that timeless-record(1) says are not traced.
not_traced_of_mpich='^p?mpix_((allreduce|i?send|i?recv|wait|waitall)_enqueue|stream_(comm_create(_multiplex)?|i?send|i?recv)|threadcomm_(init|free|start|finish))(_c)?(_f08(ts)?)?_*$'
