#!/usr/bin/env bash
# Builds HPL alone from the source of Debian's hpcc, whose other parts take minutes for large matrices.
#
#   apt-get source hpcc
#   build_hpl.sh hpcc-1.5.0 PROGRAM
#
# It reads hpccinf.txt and prints HPL_time and Success as hpccoutf.txt has them.  With HPL_PIVOTS=FILE in its
# environment it appends the row of each pivot to FILE, a line each.
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
#include <stdlib.h>
/* The factorisation of a panel, and then the rows of its pivots. */
void __real_HPL_pdfact(HPL_T_panel *panel);
void __wrap_HPL_pdfact(HPL_T_panel *panel);
void __wrap_HPL_pdfact(HPL_T_panel *panel)
{
    const char *path = getenv("HPL_PIVOTS");
    __real_HPL_pdfact(panel);
    if (!path || panel->grid->mycol != panel->pcol || panel->grid->myrow != panel->prow)
        return;
    FILE *out = fopen(path, "a");
    for (int i = 0; out && i < panel->jb; i++)
        fprintf(out, "%d\n", (int)panel->DPIV[i]);
    if (!out || fclose(out) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}
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
    -I"$hpl/include" "$work/main.c" @"$work/files" -Wl,--wrap=HPL_pdfact -o "$2" -lblas -lm
