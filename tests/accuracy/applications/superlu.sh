# SuperLU_DIST: a sparse matrix factorised on a grid of ranks.
packages='libsuperlu-dist-dev'
prepare() {
    local p q
    read -r p q <<<"$(grid "$ranks")"
    cat >solve.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <superlu_ddefs.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int n = 50, p = atoi(argv[1]), q = atoi(argv[2]);
    int rank, size, info;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gridinfo_t grid;
    superlu_gridinit(MPI_COMM_WORLD, p, q, &grid);
    const int total = n * n, begin = total * rank / size, end = total * (rank + 1) / size, m = end - begin;
    double *a = doubleMalloc_dist(5 * m), *b = doubleMalloc_dist(m), berr[1];
    int_t *columns = intMalloc_dist(5 * m), *rows = intMalloc_dist(m + 1), count = 0;
    for (int row = begin; row < end; row++) {
        rows[row - begin] = count;
        b[row - begin] = 1;
        const int other[5] = {row - n, row % n ? row - 1 : -1, row, row % n < n - 1 ? row + 1 : -1,
                              row + n < total ? row + n : -1};
        for (int i = 0; i < 5; i++)
            if (other[i] >= 0)
                columns[count] = other[i], a[count++] = i == 2 ? 4.5 : -1;
    }
    rows[m] = count;
    SuperMatrix A;
    dCreate_CompRowLoc_Matrix_dist(&A, total, total, count, m, begin, a, columns, rows, SLU_NR_loc, SLU_D, SLU_GE);
    superlu_dist_options_t options;
    set_default_options_dist(&options);
    options.PrintStat = NO;
    dScalePermstruct_t scale;
    dLUstruct_t lu;
    dSOLVEstruct_t solve;
    SuperLUStat_t stat;
    dScalePermstructInit(total, total, &scale);
    dLUstructInit(total, &lu);
    PStatInit(&stat);
    pdgssvx(&options, &A, &scale, b, m, 1, &grid, &lu, &solve, berr, &stat, &info);
    if (!rank)
        printf("info %d, first %.8f\n", info, b[0]);
    PStatFree(&stat);
    superlu_gridexit(&grid);
    MPI_Finalize();
    return 0;
}
C
    mpicc -O2 -I/usr/include/superlu-dist solve.c -o solve -lsuperlu_dist -lblas
    command=(./solve "$p" "$q")
}
findings() { grep '^info 0' "$1"; }
