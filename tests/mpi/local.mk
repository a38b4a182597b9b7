# tests/mpi
