/* SUMMA: C = A B with panels of width b, on a pr x pc grid from MPI_Dims_create. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int size, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int n = argc > 1 ? atoi(argv[1]) : 96, width = argc > 2 ? atoi(argv[2]) : 4;
    int dims[2] = {0, 0};
    MPI_Dims_create(size, 2, dims);
    int pr = dims[0], pc = dims[1], row = rank / pc, col = rank % pc;
    int nr = n / pr, nc = n / pc;
    MPI_Comm rows, cols;
    MPI_Comm_split(MPI_COMM_WORLD, row, col, &rows);
    MPI_Comm_split(MPI_COMM_WORLD, col, row, &cols);
    double *a = calloc(nr * nc, 8), *b = calloc(nr * nc, 8), *c = calloc(nr * nc, 8);
    double *pa = calloc(nr * width, 8), *pb = calloc(width * nc, 8);
    for (int k = 0; k < n; k += width) {
        int acol = k / nc, brow = k / nr;
        if (col == acol)
            for (int i = 0; i < nr; i++)
                memcpy(pa + i * width, a + i * nc + k % nc, width * 8);
        if (row == brow)
            memcpy(pb, b + (k % nr) * nc, width * nc * 8);
        MPI_Bcast(pa, nr * width, MPI_DOUBLE, acol, rows);
        MPI_Bcast(pb, width * nc, MPI_DOUBLE, brow, cols);
        for (int i = 0; i < nr; i++)
            for (int l = 0; l < width; l++)
                for (int j = 0; j < nc; j++)
                    c[i * nc + j] += pa[i * width + l] * pb[l * nc + j];
    }
    MPI_Comm_free(&rows);
    MPI_Comm_free(&cols);
    MPI_Finalize();
    return 0;
}
