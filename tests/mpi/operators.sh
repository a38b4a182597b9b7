#!/usr/bin/env bash
# operators.sh - what an operator of the program computes inside of MPI is computation of the rank.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
cd "$scratch" || exit 99
export TIMELESS_VOLUME=cputime

# has_volumes TRACE: the ranks have 3 ms for each time that MPI applied the operator, and a little more
has_volumes() {
    local rank n wrong
    while read -r rank n wrong; do
        "$print_events" "$1" "$rank" volumes |
            awk -v n="$n" -v wrong="$wrong" '{ sum += $2 } END { print n, sum; exit wrong || n < 4 || sum < 3e6 * n || sum > 3.6e6 * n + 3e6 }' ||
            return 1
    done
}
recorded() { record "$@" >applied && [ "$(wc -l <applied)" = 4 ]; }
recorded_well() { recorded "$@" 2>said && ! grep MPI_Op_create said; }
volumes_are_right() {
    check "$1: it runs, and nothing is said of its operators" recorded_well "$2" 4 "${@:3}"
    check "$1: what its operators compute is in the volumes" has_volumes "$2.tl" <applied
}
compile operators
volumes_are_right "C" operators
volumes_are_right "C, threads" operators multiple
late() { "$print_events" operators.tl 0 volumes | awk '$1 == "MPI_Allreduce" { print $2; exit }' | { read -r v && [ "$v" -lt 3000000 ]; }; }
check "C: the volume of an operator is not before the call that applies it" late
TIMELESS_CALL_TIMES=1 recorded operators 4
took() { "$timeless" dump operators.tl | grep -m 1 '^0 .*MPI_Allreduce' | grep -o 'took_ns=[0-9]*' | { IFS== read -r _ ns && [ "$ns" -ge 3000000 ]; }; }
check "C: a call lasts until its operators have ended, with --call-times" took
check "C: more functions than there are places" recorded operators 4 many
check "C: one line is about them" equal "$(grep -c 'more than 32 functions' err)" 1
check "C: the results are right, and the volumes of those with a place" has_volumes operators.tl <applied
for binding in MPIF_H USE_MPI USE_MPI_F08; do
    check "$binding: the program compiles" $MPIFORT -O1 -w -fallow-argument-mismatch -ffree-line-length-none -J . -D$binding \
        -o operators-$binding "$here/fortran/operators.F90"
    volumes_are_right "$binding" operators-$binding
done
said='this is MPICH'
if ! uses_mpich && said=$(${MPICXX:-mpicxx} -O1 -w "$here/operators.cpp" -o operators-cxx -lmpi_cxx 2>&1); then
    check "C++ bindings: operators get all that Open MPI passes to them" record operators-cxx 4
else
    skip 'an operator of the C++ bindings' "this MPI has not those of Open MPI: ${said##*$'\n'}"
fi
tap_done
