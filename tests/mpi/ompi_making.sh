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
check 'the program' "${MPICC:-mpicc}" -O1 -Wno-stringop-overread -o making "$top_srcdir/tests/mpi/ompi_making.c"

# counted CALL RANKS: "FROM TO BYTES MESSAGES" for each pair
counted() {
    rm -f sent.*
    mpirun -n "$2" --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename sent \
        ./making "$1" >out 2>&1 </dev/null || return 1
    cat sent.*.prof | awk '($1 == "I" || $1 == "E") && $6 { print $2, $3, $4, $6 }' | sort -n -k1,1 -k2,2
}
compared=16
ompi_info --version 2>/dev/null | grep -q '^Open MPI v4' || compared=24
same() {
    python3 "$top_srcdir/tests/ompi_making.py" messages "$1" "$2" $compared >expected
    counted "$1" "$2" >got && diff expected got
}
# "sub" makes a grid first, which is another constructor.
sub() {
    { python3 "$top_srcdir/tests/ompi_making.py" messages cart "$1"; python3 "$top_srcdir/tests/ompi_making.py" messages sub "$1"; } |
        awk '{ bytes[$1 " " $2] += $3; n[$1 " " $2] += $4 } END { for (pair in n) print pair, bytes[pair], n[pair] }' | sort -n -k1,1 -k2,2 >expected
    counted sub "$1" >got && diff expected got
}
for n in 2 5 6 8; do
    for call in $calls; do
        if [ "$call" = sub ]; then check "sub of $n ranks" sub "$n"; else check "$call of $n ranks" same "$call" "$n"; fi
    done
done
tap_done
