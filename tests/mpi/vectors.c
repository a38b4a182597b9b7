/* vectors.c - BLAS calls on either side of the length from which vectors are recorded. */
#include <cblas.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    static double x[1024], y[1024];
    MPI_Init(&argc, &argv);
    cblas_daxpy(1023, 1, x, 1, y, 1);
    cblas_daxpy(1024, 1, x, 1, y, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, 2, 2, 1, x, 2, x + 8, 1, 0, y, 1);
    MPI_Finalize();
    return 0;
}
