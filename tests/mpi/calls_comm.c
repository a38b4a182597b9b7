/* calls_comm.c - every constructor of communicators, on 4 ranks. */
#include <mpi.h>

static int rank;
static MPI_Comm w;

static void use(MPI_Comm *c)
{
    if (*c == MPI_COMM_NULL)
        return;
    MPI_Barrier(*c);
    MPI_Comm_free(c);
}

static void graphs(void)
{
    MPI_Comm c;
    int index[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2};
    int degree = 1, one = 1, neighbour = rank ^ 1;
    MPI_Graph_create(w, 4, index, edges, 0, &c);
    use(&c);
    MPI_Dist_graph_create(w, 1, &rank, &degree, &neighbour, &one, MPI_INFO_NULL, 0, &c);
    use(&c);
    MPI_Dist_graph_create_adjacent(w, 1, &neighbour, &one, 1, &neighbour, &one, MPI_INFO_NULL, 0,
                                   &c);
    use(&c);
}

static void grids(void)
{
    MPI_Comm c, row;
    int dims[2] = {1, 3}, periods[2] = {0, 0}, keep[2] = {0, 1};
    MPI_Cart_create(w, 2, dims, periods, 0, &c); /* rank 3 gets none */
    if (c == MPI_COMM_NULL)
        return;
    MPI_Cart_sub(c, keep, &row);
    use(&row);
    MPI_Comm_disconnect(&c);
}

static void groups(void)
{
    MPI_Group all, some;
    MPI_Comm c;
    int members[2] = {3, 1};
    MPI_Comm_group(w, &all);
    MPI_Group_incl(all, 2, members, &some);
    MPI_Comm_create(w, some, &c);
    use(&c);
    if (rank == 1 || rank == 3) {
        MPI_Comm_create_group(w, some, 7, &c);
        use(&c);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

/* Two groups, and a copy that is under way when it is used. */
static void intercommunicators(void)
{
    MPI_Comm half, inter, c;
    MPI_Request r;
    int value = rank;
    MPI_Comm_split(w, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, w, rank < 2 ? 2 : 0, 5, &inter);
    if (rank < 2)
        MPI_Send(&value, 1, MPI_INT, rank, 6, inter);
    else
        MPI_Recv(&value, 1, MPI_INT, rank - 2, 6, inter, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Comm_idup(w, &c, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
    MPI_Comm c, d;
    MPI_Init(&argc, &argv);
    w = MPI_COMM_WORLD;
    MPI_Comm_rank(w, &rank);
    /* First: MPI_Dist_graph_create of Open MPI 5.0.7 can hang if some twenty nonblocking
     * collectives, those of constructors included, have used the communicator. Its own messages
     * have tags that those get as well (open-mpi/ompi#13918). */
    graphs();
    MPI_Comm_dup(w, &c);
    MPI_Comm_dup_with_info(c, MPI_INFO_NULL, &d);
    MPI_Barrier(d);
    MPI_Comm_free(&c);
    MPI_Comm_free(&d);
    MPI_Comm_split(w, rank % 2 ? 1 : MPI_UNDEFINED, -rank, &c);
    use(&c);
    MPI_Comm_split_type(w, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &c);
    use(&c);
    MPI_Barrier(MPI_COMM_SELF);
    groups();
    grids();
    intercommunicators();
    MPI_Finalize();
    return 0;
}
