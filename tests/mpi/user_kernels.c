/* user_kernels.c - kernels that the program names: one after the other, nested, around BLAS, around
 * MPI, left without an end. */
#include <cblas.h>
#include <mpi.h>
#include <stdio.h>
#include <timeless_kernel.h>

enum {
    LONG = 30000000
}; /* additions, many times longer than what interrupts take between two calls */

static volatile double sum;

static void compute(int n)
{
    for (int i = 0; i < n; i++)
        sum = sum + i;
}

int main(int argc, char **argv)
{
    static double a[16], b[16], c[16];
    timeless_kernel_end();
    TIMELESS_KERNEL_BEGIN("early", 1);
    MPI_Init(&argc, &argv);
    timeless_kernel_end();
    for (int i = 1; i <= 3; i++) {
        char name[32]; /* made anew each time */
        snprintf(name, sizeof name, "assemble");
        TIMELESS_KERNEL_BEGIN(name, 1000, i);
        compute(1000 * i);
        timeless_kernel_end();
    }
    timeless_kernel_begin("no sizes", 0, NULL);
    timeless_kernel_end();
    TIMELESS_KERNEL_BEGIN("outer", 4);
    compute(LONG);
    TIMELESS_KERNEL_BEGIN("inner", 4);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 4, 4, 4, 1, a, 4, b, 4, 0, c, 4);
    timeless_kernel_end();
    timeless_kernel_end();
    MPI_Barrier(MPI_COMM_WORLD);
    TIMELESS_KERNEL_BEGIN("with MPI", 5);
    compute(LONG);
    MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    TIMELESS_KERNEL_BEGIN("inner", 5);
    timeless_kernel_end();
    timeless_kernel_end();
    TIMELESS_KERNEL_BEGIN("without end", 6);
    MPI_Barrier(MPI_COMM_WORLD);
    TIMELESS_KERNEL_BEGIN("assemble", 7, 8, 9);
    timeless_kernel_end();
    MPI_Finalize();
    TIMELESS_KERNEL_BEGIN("late", 1);
    timeless_kernel_end();
    return 0;
}
