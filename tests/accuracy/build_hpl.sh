#!/usr/bin/env bash
# Builds HPL alone from the source of Debian's hpcc, whose other parts take minutes for large matrices.
#
#   apt-get source hpcc
#   build_hpl.sh hpcc-1.5.0 PROGRAM
#
# It reads hpccinf.txt and prints HPL_time and Success as hpccoutf.txt has them.
set -eu
[ $# = 2 ] && [ -d "$1/hpl/src" ] || { echo "usage: $0 SOURCE PROGRAM" >&2; exit 2; }
hpl=$1/hpl
work=$(mktemp -d "${TMPDIR:-/tmp}/build-hpl.XXXXXX")
trap 'rm -rf "$work"' EXIT
# What MPI 3 took away, as Debian's patch does it.
cat >"$work/mpi3.h" <<'END'
#include <mpi.h>
#undef MPI_Type_struct
#undef MPI_Address
#define MPI_Type_struct MPI_Type_create_struct
#define MPI_Address MPI_Get_address
END
cat >"$work/main.c" <<'END'
#include "hpl.h"
#include <stdio.h>
int HPCC_Defaults(void);
int HPCC_Defaults(void)
{
    fputs("hpccinf.txt cannot be read\n", stderr);
    return MPI_Abort(MPI_COMM_WORLD, 1);
}
int main(int argc, char **argv)
{
    HPL_RuntimeData data;
    int failed = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    HPL_main(argc, argv, &data, &failed);
    if (rank == 0)
        printf("HPL_time=%.9g\nSuccess=%d\n", data.time, !failed);
    MPI_Finalize();
    return failed;
}
END
find "$hpl/src" "$hpl/testing" -name '*.c' >"$work/files"
mpicc -O2 -w -include "$work/mpi3.h" -DAdd_ -DF77_INTEGER=int -DStringSunStyle -DHPL_CALL_CBLAS \
    -I"$hpl/include" "$work/main.c" @"$work/files" -o "$2" -lblas -lm
