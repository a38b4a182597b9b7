# runs_mpi.sh - sourced.
#
#   runs_mpi SCRIPT   whether this test compiles, runs or records programs of MPI
runs_mpi() { grep -qE '\$\{?(MPIRUN|MPICC|MPIFORT|HPCC)\b|tests/mpi/tracer\.sh|tests/cluster\.sh|timeless record -n' "$1"; }
