# isendrecv.sh - MPI_Isendrecv and messages in partitions: their events, and so their replay, are those of the same program
# with MPI_Isend, MPI_Irecv and persistent requests.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
cd "$scratch" || exit 99
star=(--platform "$here/oracle/star" --hostfile "$here/oracle/star/hosts" --no-compute)

has_calls() { printf '%s\n' '#include <mpi.h>' 'int main(void) { return !MPI_Isendrecv || !MPI_Parrived; }' >has.c &&
    $MPICC -o has has.c 2>/dev/null; }
# run FILE PROGRAM [ARGUMENTS...]
run() { $timeless record -o "$1" -- $MPIRUN -n 2 "./${@:2}" >"$1.out" 2>"$1.err" && [ ! -s "$1.out" ] && "$timeless" info "$1" |
    grep -q '^complete  *yes'; }
events() { "$print_events" "$1" "$2"; }
same_calls() { local rank; for rank in 0 1; do diff <(events plain.tl $rank) <(events "$1" $rank) || return 1; done &&
    [ "$(events "$1" 0 | wc -l)" -gt 30 ]; }
predicted() { "$timeless" replay "$1" "${star[@]}" "${@:2}" --json |
    sed -E '/"(clock|command|n_polls|trace[a-z_]*)":/d; /"marks": /,/^ \]/d'; }
same_replay() { predicted plain.tl "$@" >plain.json && grep -q '"makespan_s": [0-9.e-]*[1-9]' plain.json &&
    predicted new.tl "$@" | diff plain.json -; }
polls() { [ "$("$print_events" new.tl 1 polls | wc -l)" -gt 0 ]; }
# ends MODE PATTERN: so many events of both ranks match it
ends() { local rank; run "$1.tl" new "$1" && for rank in 0 1; do events "$1.tl" $rank; done | grep -cE "$2" | grep -qx "$3"; }
# The status has the outcome, or the call is recorded by its name alone.
any() { local rank; run any.tl new any && for rank in 0 1; do events any.tl $rank; done >any; }
outcome() {
    local n_named; n_named=$(grep -c '^MPI_Isendrecv$' any)
    case $1 in
    MPICH) equal "$n_named $(grep -cE '^MPI_I(send|recv) ' any)" '2 0' && ! "$timeless" replay any.tl "${star[@]}" 2>said &&
        says '~calls that are not modelled \(MPI_Isendrecv 2x\)' said ;;
    *) equal "$n_named $(grep -c '^Match .*tag=50' any)" '0 2' && "$timeless" replay any.tl "${star[@]}" >/dev/null ;;
    esac
}
# The Fortran program has the calls of the C program once.
fortran() {
    local rank
    $MPIFORT -w -O0 -g -fallow-argument-mismatch -D"$1" -DWITHOUT_MPI_EXT -J . -I "$here/fortran" -o fortran \
        "$here/fortran/isendrecv.F90" || return
    run fortran.tl fortran || return
    for rank in 0 1; do
        printf '%s\n' MPI_Init "MPI_Isend count=5 type_bytes=4 peer=$((1 - rank)) tag=10 comm=1 request=1" \
            "MPI_Irecv count=6 type_bytes=4 peer=$((1 - rank)) tag=10 comm=1 request=2" \
            'MPI_Waitall list=[1,2]' "MPI_$([ $rank = 0 ] && echo Send ||
            echo Recv)_init count=12 type_bytes=4 peer=$((1 - rank)) tag=11 comm=1 request=1" 'MPI_Start request=1' \
            "MPI_$([ $rank = 0 ] && echo Wait || echo Test) request=1" 'MPI_Wait request=0' 'MPI_Request_free request=1' \
            MPI_Finalize | sed "$([ $rank = 1 ] || echo '/^MPI_Wait request=0/d')" |
            diff - <(events fortran.tl $rank | grep -vE '^(comm|end) ') || return
    done
}
check_mpi() {
    local mpi=$1 binding
    $MPICC -O1 -g -w -o new "$here/isendrecv.c" && $MPICC -O1 -g -w -DPLAIN -o plain "$here/isendrecv.c"
    check "$mpi: the program with MPI_Isendrecv and partitions runs, its trace is complete" run new.tl new
    check "$mpi: the program with calls of MPI 3 runs" run plain.tl plain
    check "$mpi: the events are the same" same_calls new.tl
    check "$mpi: SMPI predicts the same" same_replay
    check "$mpi: LogGOPS predicts the same" same_replay --engine loggops
    check "$mpi: MPI_Parrived without success is a poll" polls
    check "$mpi: MPI_Waitsome completes the send and the receive" ends some '^MPI_Waitsome list=\[1,2\]$' 2
    # MPICH refuses it for this request.
    [ "$mpi" = MPICH ] || check "$mpi: MPI_Request_free ends the send and the receive" ends free '^MPI_Request_free request=[12]$' 4
    check "$mpi: wildcards run as without the tracer" any
    check "$mpi: their outcome is recorded, or replay refuses them" outcome "$mpi"
    # In MPICH's module mpi the flag of MPI_Parrived is an integer; in Open MPI's
    # module mpi_f08 MPI_Psend_init has no info.
    for binding in MPIF_H $([ "$mpi" != MPICH ] || echo USE_MPI_F08); do
        check "$mpi: $binding: the events are the expected ones" fortran $binding; done
}
if has_calls; then check_mpi "$($MPICC -dM -E has.c | grep -q ' OPEN_MPI ' && echo Open MPI || echo MPICH)"
else skip "MPI_Isendrecv of the chosen MPI" "$MPICC: this MPI has no MPI_Isendrecv; Open MPI 5 and MPICH 4 have it"; fi
rm -f ./*.tl
MPICC=$MPICC_MPICH MPIFORT=$MPIFORT_MPICH MPIRUN=$MPIRUN_MPICH
if grep -q tlt_mpich_family "$tracer" && command -v "$MPICC" >/dev/null && has_calls; then check_mpi MPICH
else skip "MPI_Isendrecv of MPICH" "$MPICC: not found, too old, or the tracer was built without MPICH"; fi
tap_done
