# MUMPS: the factorisation of a sparse matrix that rank 0 holds.
packages='libmumps-dev'
prepare() {
    cat >factor.c <<'C'
#include <dmumps_c.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 50 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    DMUMPS_STRUC_C id = {.comm_fortran = -987654, .par = 1, .sym = 0, .job = -1};
    dmumps_c(&id);
    id.icntl[0] = id.icntl[1] = id.icntl[2] = -1;
    id.icntl[3] = 0;
    if (!rank) {
        id.n = n * n;
        id.irn = malloc(5 * n * n * sizeof *id.irn);
        id.jcn = malloc(5 * n * n * sizeof *id.jcn);
        id.a = malloc(5 * n * n * sizeof *id.a);
        id.rhs = malloc(n * n * sizeof *id.rhs);
        for (int row = 0; row < n * n; row++) {
            const int other[5] = {row, row % n ? row - 1 : -1, row % n < n - 1 ? row + 1 : -1, row - n,
                                  row + n < n * n ? row + n : -1};
            for (int i = 0; i < 5; i++)
                if (other[i] >= 0) {
                    id.irn[id.nnz] = row + 1;
                    id.jcn[id.nnz] = other[i] + 1;
                    id.a[id.nnz++] = i ? -1 : 4.5;
                }
            id.rhs[row] = 1;
        }
    }
    id.job = 6;
    dmumps_c(&id);
    if (!rank)
        printf("info %d, first %.8f\n", id.infog[0], id.rhs[0]);
    id.job = -2;
    dmumps_c(&id);
    MPI_Finalize();
    return 0;
}
C
    mpicc -O2 factor.c -o factor -ldmumps -lmumps_common
    command=(./factor)
}
findings() { grep '^info 0' "$1"; }
