# comm_tags.sh - threads of a rank make communicators with the same members at the same time, in another order on each rank.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
platform=$top_srcdir/platforms/star-1g

# compile_for MPI: the program with the library that decides the order, by $MPICC
compile_for() {
    $MPICC -O1 -g -shared -fPIC -o "$scratch/libcomm_tags_late.so" "$here/comm_tags_late.c" -ldl &&
        $MPICC -O1 -g -pthread -o "$scratch/comm_tags" "$here/comm_tags.c" "$scratch/libcomm_tags_late.so"
}
# definitions RANK CALL FIELD: this field of the last two communicators that the call made, in the order of their definitions
definitions() { "$timeless" dump --rank "$1" "$scratch/comm_tags.tl" | grep "^comm .* call=$2 " | grep -o " $3=[0-9]*" |
    tail -n 2 | xargs; }
# opposite CALL FIELD: ranks 0 and 1 define the two communicators in opposite order
opposite() { equal "$(definitions 0 "$@")" "$(definitions 2 "$@")" &&
    equal "$(definitions 0 "$@")" "$(definitions 1 "$@" | awk '{ print $2, $1 }')"; }
# program_of NAME: with the MPI of this name
program_of() {
    check "$1: the program compiles" compile_for
    check "$1: MPI_Comm_create_group by threads is recorded" record comm_tags 4 group
    check "$1: the ranks define the communicators in opposite order" opposite MPI_Comm_create_group tag
    check "$1: MPI_Comm_create_group by threads is replayed" "$timeless" replay "$scratch/comm_tags.tl" --platform "$platform" --no-compute
    check "$1: MPI_Comm_dup by threads of intercommunicators with the same members is recorded" record comm_tags 4 inter
    check "$1: the ranks define the duplicates in opposite order" opposite MPI_Comm_dup parent
    for engine in smpi loggops; do
        check "$1: MPI_Comm_dup by threads of intercommunicators with the same members is replayed ($engine)" "$timeless" replay \
            "$scratch/comm_tags.tl" --platform "$platform" --no-compute --engine $engine
    done
}
if uses_mpich; then
    program_of MPICH
    tap_done; exit
fi
program_of "Open MPI"
if command -v "$MPICC_MPICH" >/dev/null && grep -q tlt_mpich_family "$tracer"; then
    MPICC=$MPICC_MPICH MPIRUN=$MPIRUN_MPICH
    program_of MPICH
else
    skip "threads that make communicators with MPICH" "$MPICC_MPICH is not installed, or the tracer was built without MPICH"
fi
tap_done
