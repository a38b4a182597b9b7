# applications.sh - Debian's LAMMPS and a test program of ScaLAPACK: the same with and without the
# tracer, complete traces, replays that run to their end.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
applications() { bash "$top_srcdir/tests/accuracy/applications.sh" -n "$@"; }
if is_of_other_mpi lmp; then skip "lammps on 4 ranks" "Debian's is linked with Open MPI"
else check "lammps on 4 ranks" applications 4 lammps; fi
ranks=4
! uses_mpich || ranks=2 # each spins while it waits: more ranks than cores take minutes
check "xdinv on $ranks ranks" applications $ranks xdinv
# A program that finds a fault in its own results and is none of MPI's.
printf '#!/bin/sh\necho 1 PASSED\necho 2 FAILED\n' >"$scratch/xfail"
chmod +x "$scratch/xfail"
touch "$scratch/none.dat"
fails() { SCALAPACK_TESTS=$scratch applications 2 xfail 2>"$scratch/complaints"; }
check_exit 1 "a program with a failed check is reported as failed" fails
check "a program with a failed check: the report names the check" says '~a check failed' "$scratch/complaints"
check "a program with a failed check: the report names the incomplete trace" says '~the trace is not complete' "$scratch/complaints"
tap_done
