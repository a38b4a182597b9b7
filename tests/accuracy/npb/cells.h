/* cells.h - what BT and SP share: q x q ranks, of which each has q of the q x q x q cells, so that
 * in each sweep along a dimension all ranks compute at each step. */
#include "../bars/bar.h"

enum { MAX_CELLS = 16 };
static int n_cells, before[3], behind[3], coordinate[3][MAX_CELLS], size[3][MAX_CELLS];

static int rank_at(int i, int j)
{
    return (i + n_cells) % n_cells + n_cells * ((j + n_cells) % n_cells);
}

static void make_cells(int n)
{
    for (n_cells = 1; (n_cells + 1) * (n_cells + 1) <= bar_ranks; n_cells++)
        ;
    const int i = bar_rank % n_cells, j = bar_rank / n_cells;
    before[0] = rank_at(i - 1, j);
    before[1] = rank_at(i, j - 1);
    before[2] = rank_at(i + 1, j - 1);
    behind[0] = rank_at(i + 1, j);
    behind[1] = rank_at(i, j + 1);
    behind[2] = rank_at(i - 1, j + 1);
    for (int c = 0; c < n_cells; c++) {
        coordinate[0][c] = (i + c) % n_cells;
        coordinate[1][c] = (j - c + n_cells) % n_cells;
        coordinate[2][c] = c;
        for (int d = 0; d < 3; d++)
            size[d][c] = bar_local(n, coordinate[d][c], n_cells);
    }
}

/* The cell of the rank in a plane of cells. */
static inline int cell_in(int d, int plane)
{
    int c = 0;
    while (coordinate[d][c] != plane)
        c++;
    return c;
}

static MPI_Request requests[12];

/* Two layers of five numbers, of all cells that have a neighbour there. */
static void copy_faces(void)
{
    int n[3][2] = {{0}};
    if (bar_ranks == 1)
        return;
    for (int c = 0; c < n_cells; c++)
        for (int d = 0; d < 3; d++) {
            const int face = 10 * size[(d + 1) % 3][c] * size[(d + 2) % 3][c];
            n[d][0] += coordinate[d][c] > 0 ? face : 0;
            n[d][1] += coordinate[d][c] < n_cells - 1 ? face : 0;
        }
    MPI_Irecv(bar_data, n[0][1], MPI_DOUBLE, behind[0], 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(bar_data, n[0][0], MPI_DOUBLE, before[0], 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(bar_data, n[1][1], MPI_DOUBLE, behind[1], 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(bar_data, n[1][0], MPI_DOUBLE, before[1], 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Irecv(bar_data, n[2][1], MPI_DOUBLE, behind[2], 4, MPI_COMM_WORLD, &requests[4]);
    MPI_Irecv(bar_data, n[2][0], MPI_DOUBLE, before[2], 5, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(bar_data, n[0][1], MPI_DOUBLE, behind[0], 1, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(bar_data, n[0][0], MPI_DOUBLE, before[0], 0, MPI_COMM_WORLD, &requests[7]);
    MPI_Isend(bar_data, n[1][1], MPI_DOUBLE, behind[1], 3, MPI_COMM_WORLD, &requests[8]);
    MPI_Isend(bar_data, n[1][0], MPI_DOUBLE, before[1], 2, MPI_COMM_WORLD, &requests[9]);
    MPI_Isend(bar_data, n[2][1], MPI_DOUBLE, behind[2], 5, MPI_COMM_WORLD, &requests[10]);
    MPI_Isend(bar_data, n[2][0], MPI_DOUBLE, before[2], 4, MPI_COMM_WORLD, &requests[11]);
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
}
