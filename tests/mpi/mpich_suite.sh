# mpich_suite.sh - tests of this folder that do not depend on the MPI, with programs of MPICH: MPI=mpich bash TEST runs one.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
tests='ends rows faults killed operators'
export ROUNDS=60 MOMENTS=0.17 # of killed.sh: one of each, for time

if ! command -v "$MPICC_MPICH" >/dev/null || ! grep -q tlt_mpich_family "$tracer"; then
    skip "tests with MPICH" "$MPICC_MPICH is not installed, or the tracer was built without MPICH"; tap_done; exit
fi
for test in $tests; do
    [ -z "${TAP_GUARDS:-}" ] || continue
    MPI=mpich bash "$here/$test.sh" >"$scratch/log" 2>&1
    while IFS= read -r line; do
        case $line in
            ok\ *|not\ ok\ *) tap_result "${line%% [0-9]*}" "MPICH, $test.sh: ${line#* - }" ;;
            1..*) ended=$test ;;
            *) echo "# $line" ;;
        esac
    done <"$scratch/log"
    check "MPICH, $test.sh: all checks ran" equal "${ended:-none}" "$test"
done
# MPICH gives all ranks but the first no communicator, as SMPI does.
check "MPICH, oracle.sh: MPI_Cart_sub that keeps no dimension takes no time" \
    env MPI=mpich bash "$here/oracle.sh" 11 1 --max-ranks 8 --platform "$here/oracle/fat-tree"
tap_done
