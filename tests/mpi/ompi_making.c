/* ompi_making.c - makes a communicator by each constructor that the arguments name. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Comm grid_of(int n)
{
    const int dims[] = {n, 1}, periods[] = {0, 0};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    return grid;
}

static MPI_Comm graph_of(int n)
{
    int ends[64], neighbours[64];
    MPI_Comm graph;
    for (int i = 0; i < n; i++) {
        ends[i] = i + 1;
        neighbours[i] = (i + 1) % n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, ends, neighbours, 0, &graph);
    return graph;
}

/* `grid` is what MPI_Cart_sub is given. */
static int make(const char *name, int me, int n, MPI_Comm *made, MPI_Comm *grid)
{
    const int before = (me + n - 1) % n, after = (me + 1) % n, keep[] = {1, 0};
    if (!strcmp(name, "dup"))
        return MPI_Comm_dup(MPI_COMM_WORLD, made);
    if (!strcmp(name, "dup_with_info"))
        return MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, made);
    if (!strcmp(name, "idup")) {
        MPI_Request request;
        MPI_Comm_idup(MPI_COMM_WORLD, made, &request);
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (!strcmp(name, "create")) { /* of the first half */
        MPI_Group world, half;
        int range[1][3] = {{0, (n - 1) / 2, 1}};
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_range_incl(world, 1, range, &half);
        return MPI_Comm_create(MPI_COMM_WORLD, half, made);
    }
    if (!strcmp(name, "split"))
        return MPI_Comm_split(MPI_COMM_WORLD, me ? me % 2 : MPI_UNDEFINED, me, made);
    if (!strcmp(name, "split_type"))
        return MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
    if (!strcmp(name, "cart"))
        *made = grid_of(n);
    else if (!strcmp(name, "sub"))
        return MPI_Cart_sub(*grid = grid_of(n), keep, made);
    else if (!strcmp(name, "graph"))
        *made = graph_of(n);
    else if (!strcmp(name, "adjacent"))
        return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after,
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
    else
        return MPI_ERR_OTHER;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int me, n;
    int rc = argc > 1 ? MPI_SUCCESS : MPI_ERR_OTHER;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 1; i < argc && rc == MPI_SUCCESS; i++) {
        MPI_Comm made = MPI_COMM_NULL, grid = MPI_COMM_NULL;
        rc = make(argv[i], me, n, &made, &grid);
        /* The next constructor finds the same number of a communicator free on all ranks. */
        if (made != MPI_COMM_NULL)
            MPI_Comm_free(&made);
        if (grid != MPI_COMM_NULL)
            MPI_Comm_free(&grid);
    }
    MPI_Finalize();
    return rc != MPI_SUCCESS;
}
