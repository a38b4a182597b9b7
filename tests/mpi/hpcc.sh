# hpcc.sh - Debian's unmodified hpcc under the tracer: its own checks pass, the trace is complete.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
if is_of_other_mpi "$HPCC"; then skip "hpcc" "Debian's hpcc is linked with Open MPI"; tap_done; exit; fi
bash "$top_srcdir/tests/hpcc_input.sh" 200 2 2 40 >"$scratch/hpccinf.txt"
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
run() { (cd "$scratch" && $timeless record -o hpcc.tl -- $MPIRUN -np 4 "$HPCC"); }
check_exit 0 "hpcc runs" run
result=$scratch/hpccoutf.txt
check "hpcc reports success" says '~^Success=1$' "$result"
check "no check of hpcc fails" bash -c 'test -s "$1" && ! grep FAILED "$1"' - "$result"
check "the residual of HPL passes" says '~Ax-b.*PASSED' "$result"
complete() { for rank in 0 1 2 3; do "$print_events" "$scratch/hpcc.tl" $rank >"$scratch/$rank" &&
    grep -qx 'end 1' "$scratch/$rank" || return 1; done; }
check "the trace is complete" complete
# HPL is the last section: 5 panels of 40 columns of N = 200.
check "the trace has the kernels of the factorisation" says '~^dgemm m=[0-9]+ n=[0-9]+ k=40$' "$scratch/0"
check "wildcard receives have a Match" says '~^Match peer=[0-3] tag=[0-9]+ request=' "$scratch/0"
no_unknown() { test -s "$scratch/0" && ! grep -hE '^MPI_(Send|Isend|Irecv|Recv|Allreduce|Bcast) .*comm=0' "$scratch"/[0-3]; }
check "the trace has no unknown communicator" no_unknown
tap_done
