# HYPRE: a Laplacian in space by BoomerAMG.
packages='libhypre-dev'
prepare() {
    cat >amg.c <<'C'
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, n = 24;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    HYPRE_Init();
    const int total = n * n * n, begin = (int)((long)total * rank / size),
              end = (int)((long)total * (rank + 1) / size) - 1;
    HYPRE_IJMatrix A;
    HYPRE_IJVector b, x;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, begin, end, begin, end, &A);
    HYPRE_IJMatrixSetObjectType(A, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(A);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, begin, end, &b);
    HYPRE_IJVectorSetObjectType(b, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(b);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, begin, end, &x);
    HYPRE_IJVectorSetObjectType(x, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(x);
    for (int row = begin; row <= end; row++) {
        const int at[3] = {row % n, row / n % n, row / n / n}, step[3] = {1, n, n * n};
        int columns[7], count = 0;
        double values[7], one = 1, zero = 0;
        for (int d = 0; d < 3; d++) {
            if (at[d] > 0)
                columns[count] = row - step[d], values[count++] = -1;
            if (at[d] < n - 1)
                columns[count] = row + step[d], values[count++] = -1;
        }
        columns[count] = row, values[count++] = 6;
        HYPRE_IJMatrixSetValues(A, 1, &count, &row, columns, values);
        HYPRE_IJVectorSetValues(b, 1, &row, &one);
        HYPRE_IJVectorSetValues(x, 1, &row, &zero);
    }
    HYPRE_IJMatrixAssemble(A);
    HYPRE_IJVectorAssemble(b);
    HYPRE_IJVectorAssemble(x);
    HYPRE_ParCSRMatrix matrix;
    HYPRE_ParVector right, left;
    HYPRE_IJMatrixGetObject(A, (void **)&matrix);
    HYPRE_IJVectorGetObject(b, (void **)&right);
    HYPRE_IJVectorGetObject(x, (void **)&left);
    HYPRE_Solver amg;
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetTol(amg, 1e-7);
    HYPRE_BoomerAMGSetMaxIter(amg, 20);
    HYPRE_BoomerAMGSetup(amg, matrix, right, left);
    HYPRE_BoomerAMGSolve(amg, matrix, right, left);
    int iterations;
    HYPRE_BoomerAMGGetNumIterations(amg, &iterations);
    if (!rank)
        printf("iterations %d\n", iterations);
    HYPRE_BoomerAMGDestroy(amg);
    HYPRE_IJMatrixDestroy(A);
    HYPRE_IJVectorDestroy(b);
    HYPRE_IJVectorDestroy(x);
    HYPRE_Finalize();
    MPI_Finalize();
    return 0;
}
C
    mpicc -O2 -I/usr/include/hypre amg.c -o amg -lHYPRE -lm
    command=(./amg)
}
findings() { grep '^iterations' "$1"; }
