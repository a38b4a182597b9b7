/* Conway's game of life on a non-periodic board, 2-D blocks, eight neighbours, derived datatypes.
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 0}, me[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, me);
    int h = (me[0] + 1) * n / dims[0] - me[0] * n / dims[0],
        l = (me[1] + 1) * n / dims[1] - me[1] * n / dims[1];
    int w = l + 2;
    unsigned char *a = calloc(w, h + 2), *b = calloc(w, h + 2);
    for (int i = 1; i <= h; i++)
        for (int j = 1; j <= l; j++)
            a[i * w + j] = (i * 31 + j * 17 + rank) % 3 == 0;
    MPI_Datatype row, column;
    MPI_Type_contiguous(l, MPI_UNSIGNED_CHAR, &row);
    MPI_Type_vector(h, 1, w, MPI_UNSIGNED_CHAR, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);
    for (int t = 0; t < steps; t++) {
        MPI_Request req[16];
        int m = 0;
        for (int di = -1; di <= 1; di++)
            for (int dj = -1; dj <= 1; dj++) {
                int to[2] = {me[0] + di, me[1] + dj}, peer;
                if ((!di && !dj) || to[0] < 0 || to[0] >= dims[0] || to[1] < 0 || to[1] >= dims[1])
                    continue;
                MPI_Cart_rank(grid, to, &peer);
                MPI_Datatype type = !di ? column : !dj ? row : MPI_UNSIGNED_CHAR;
                int si = di > 0 ? h : 1, sj = dj > 0 ? l : 1;
                int ri = di > 0 ? h + 1 : di < 0 ? 0 : 1, rj = dj > 0 ? l + 1 : dj < 0 ? 0 : 1;
                MPI_Irecv(a + ri * w + rj, 1, type, peer, 9 - (di + 1) * 3 - (dj + 1), grid,
                          &req[m++]);
                MPI_Isend(a + si * w + sj, 1, type, peer, (di + 1) * 3 + dj + 1 + 1, grid,
                          &req[m++]);
            }
        MPI_Waitall(m, req, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= h; i++)
            for (int j = 1; j <= l; j++) {
                int s = -a[i * w + j];
                for (int y = i - 1; y <= i + 1; y++)
                    for (int x = j - 1; x <= j + 1; x++)
                        s += a[y * w + x];
                b[i * w + j] = s == 3 || (s == 2 && a[i * w + j]);
            }
        unsigned char *c = a;
        a = b;
        b = c;
    }
    int alive = 0, total;
    for (int i = 1; i <= h; i++)
        for (int j = 1; j <= l; j++)
            alive += a[i * w + j];
    MPI_Reduce(&alive, &total, 1, MPI_INT, MPI_SUM, 0, grid);
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
