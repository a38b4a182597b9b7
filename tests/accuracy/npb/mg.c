/* mg.c - the messages of MG of the NAS Parallel Benchmarks: V-cycles over n x n x n points on a
 * periodic grid of ranks, each level with half the points in each dimension. Where there are fewer
 * points than ranks, only some ranks have points; the others wait, and the messages by which ranks
 * lose and get them are left out. Arguments: n, cycles. */
#include "../bars/bar.h"

enum { MAX_LEVELS = 12 };
static int dims[3], at[3], n_levels, mine[3][MAX_LEVELS + 1], peer[3][2][MAX_LEVELS + 1];
static int is_dead[MAX_LEVELS + 1], room;

static int points(int d, int c, int n)
{
    return (c + 1) * n / dims[d] - c * n / dims[d];
}

static int rank_of(int d, int c)
{
    int to[3] = {at[0], at[1], at[2]};
    to[d] = (c + dims[d]) % dims[d];
    return to[0] + dims[0] * (to[1] + dims[1] * to[2]);
}

static void set_up(void)
{
    int step[3] = {1, 1, 1};
    for (int k = n_levels; k >= 1; k--)
        for (int d = 0; d < 3; d++) {
            mine[d][k] = points(d, at[d], 1 << k);
            const int next = points(d, (at[d] + step[d]) % dims[d], 1 << k);
            if (!next || !mine[d][k])
                step[d] *= 2;
            is_dead[k] |= !mine[d][k];
            peer[d][0][k] = rank_of(d, at[d] - step[d]);
            peer[d][1][k] = rank_of(d, at[d] + step[d]);
        }
}

static int face(int d, int k)
{
    const int a = mine[0][k], b = mine[1][k], c = mine[2][k];
    return d == 0 ? b * c : d == 1 ? (a + 2) * c : (a + 2) * (b + 2);
}

/* The faces of a level, along each dimension in both directions. */
static void exchange_faces(int k)
{
    if (is_dead[k])
        return;
    for (int d = 0; d < 3; d++) {
        MPI_Request requests[2];
        for (int side = 0; side < 2; side++)
            MPI_Irecv(bar_data, room, MPI_DOUBLE, peer[d][side][k], 10 * d + side, MPI_COMM_WORLD,
                      &requests[side]);
        for (int side = 1; side >= 0; side--)
            MPI_Send(bar_data, face(d, k), MPI_DOUBLE, peer[d][side][k], 10 * d + !side,
                     MPI_COMM_WORLD);
        for (int side = 0; side < 2; side++)
            MPI_Wait(&requests[side], MPI_STATUS_IGNORE);
    }
}

static void one_cycle(void)
{
    for (int k = n_levels; k >= 2; k--)
        exchange_faces(k - 1);
    exchange_faces(1);
    for (int k = 2; k < n_levels; k++) {
        exchange_faces(k);
        exchange_faces(k);
        exchange_faces(k);
    }
    exchange_faces(n_levels);
    exchange_faces(n_levels);
}

static void find_norm(void)
{
    MPI_Allreduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int log_ranks = 0;
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_cycles = bar_argument(argc, argv, 2);
    while (1 << (log_ranks + 1) <= bar_ranks)
        log_ranks++;
    while (1 << (n_levels + 1) <= n)
        n_levels++;
    for (int d = 0; d < 3; d++)
        dims[d] = 1 << (log_ranks + 2 - d) / 3;
    at[0] = bar_rank % dims[0];
    at[1] = bar_rank / dims[0] % dims[1];
    at[2] = bar_rank / dims[0] / dims[1];
    set_up();
    room = 2 * (2 + n / dims[2]) * (2 + n / dims[2]);
    MPI_Bcast(bar_data, 4, MPI_INT, 0, MPI_COMM_WORLD);
    exchange_faces(n_levels);
    find_norm();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n_cycles; i++) {
        one_cycle();
        exchange_faces(n_levels);
    }
    find_norm();
    bar_end();
    return 0;
}
