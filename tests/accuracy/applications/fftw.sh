# FFTW-MPI: transforms in space, there and back.
packages='libfftw3-mpi-dev libfftw3-dev'
prepare() {
    cat >fft.c <<'C'
#include <fftw3-mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    const ptrdiff_t n = 48;
    ptrdiff_t n0, start;
    const ptrdiff_t room = fftw_mpi_local_size_3d(n, n, n, MPI_COMM_WORLD, &n0, &start);
    fftw_complex *x = fftw_alloc_complex((size_t)room);
    fftw_plan there = fftw_mpi_plan_dft_3d(n, n, n, x, x, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_mpi_plan_dft_3d(n, n, n, x, x, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < n0 * n * n; i++)
        x[i][0] = (double)((i + start) % 7), x[i][1] = 0;
    for (int i = 0; i < 5; i++) {
        fftw_execute(there);
        fftw_execute(back);
        for (ptrdiff_t k = 0; k < n0 * n * n; k++)
            x[k][0] /= (double)(n * n * n), x[k][1] /= (double)(n * n * n);
    }
    double sum = 0, all = 0;
    for (ptrdiff_t i = 0; i < n0 * n * n; i++)
        sum += x[i][0];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!start)
        printf("sum %.4f\n", all);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(x);
    MPI_Finalize();
    return 0;
}
C
    mpicc -O2 fft.c -o fft -lfftw3_mpi -lfftw3 -lm
    command=(./fft)
}
findings() { grep '^sum' "$1"; }
