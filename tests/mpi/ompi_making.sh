#!/usr/bin/env bash
# What Open MPI sends when it makes a communicator, counted by Open MPI itself, against tests/ompi_making.py, which is also
# the oracle of the replay (tests/cli/ompi_making.sh).
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi_env.sh"
cd "$scratch" || exit 99
calls='dup idup dup_with_info create split split_type cart sub graph adjacent'
if uses_mpich || ! ompi_info --parsable 2>/dev/null | grep -q '^mca:pml:monitoring:'; then
    skip 'what Open MPI sends when it makes a communicator' 'the MPI is not an Open MPI with the component pml monitoring'
    tap_done
    exit
fi
check 'the program' "${MPICC:-mpicc}" -O0 -Wno-stringop-overread -o making "$top_srcdir/tests/mpi/ompi_making.c"

# counted RANKS CALL...: "FROM TO BYTES MESSAGES" for each pair
counted() {
    local ranks=$1; shift
    rm -f sent.*
    mpirun -n "$ranks" --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename sent \
        ./making "$@" >out 2>&1 </dev/null || return 1
    cat sent.*.prof | awk '($1 == "I" || $1 == "E") && $6 { print $2, $3, $4, $6 }' | sort -n -k1,1 -k2,2
}
compared=16
ompi_info --version 2>/dev/null | grep -q '^Open MPI v4' || compared=24
# same RANKS CALL...; "sub" makes a grid first, which is another constructor
same() {
    local ranks=$1 expected; shift
    expected=" $*" expected=${expected// sub/ cart sub} expected=${expected# }
    python3 "$top_srcdir/tests/ompi_making.py" messages "${expected// /+}" "$ranks" $compared >expected
    counted "$ranks" "$@" >got && diff expected got
}
# All constructors in one run, each a number of times of its own: no two errors make up for each other.  Each in a run of
# its own names the one that differs.
several=() times=0
for call in $calls; do
    times=$((times + 1))
    for ((i = 0; i < times; i++)); do several+=("$call"); done
done
for n in 2 5 6 8; do
    if same $n "${several[@]}" >/dev/null; then alone=true; else alone=same; fi
    for call in $calls; do check "$call of $n ranks" $alone "$n" "$call"; done
done
tap_done
