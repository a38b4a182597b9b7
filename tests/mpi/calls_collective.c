/* calls_collective.c - collectives on 3 ranks: a noncommutative operator, between groups, in place.
 */
#include <mpi.h>
#include <stddef.h>

enum { N = 3 };
static int rank, in[64], out[64], counts[N] = {1, 2, 3}, displs[N] = {0, 8, 16};
static int same[N] = {2, 2, 2}, four[1] = {4};
static int byte_displs[N] = {0, 32, 64};
static MPI_Datatype types[N];
static MPI_Comm w;
static MPI_Op subtract;

static void take_away(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)b)[i] = ((int *)a)[i] - ((int *)b)[i];
}

/* Rank 0 alone and the two others: the root's group gives MPI_ROOT and MPI_PROC_NULL. */
static void between_groups(void)
{
    MPI_Comm own, c;
    MPI_Request r[2];
    int first = rank == 0, root = first ? MPI_ROOT : 0;
    int to_first = first ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Comm_split(w, first, rank, &own);
    MPI_Intercomm_create(own, 0, w, first, 9, &c);
    MPI_Barrier(c);
    MPI_Bcast(in, 5, MPI_INT, root, c);
    MPI_Bcast(in, 6, MPI_INT, to_first, c);
    MPI_Reduce(in, out, 7, MPI_INT, MPI_SUM, to_first, c);
    MPI_Allreduce(in, out, 8, MPI_INT, MPI_SUM, c);
    MPI_Gather(in, 2, MPI_INT, out, 1, MPI_2INT, root, c);
    MPI_Gatherv(in, rank, MPI_INT, out, counts, displs, MPI_INT, root, c);
    MPI_Scatter(in, 2, MPI_INT, out, 1, MPI_2INT, to_first, c);
    MPI_Scatterv(in, counts, displs, MPI_INT, out, rank, MPI_INT, root, c);
    MPI_Allgather(in, 4, MPI_INT, out, 4, MPI_INT, c);
    MPI_Allgatherv(in, 2, MPI_INT, out, same, displs, MPI_INT, c);
    MPI_Alltoall(in, 3, MPI_INT, out, 3, MPI_INT, c);
    MPI_Alltoallv(in, same, displs, MPI_INT, out, same, displs, MPI_INT, c);
    MPI_Alltoallw(in, same, byte_displs, types, out, same, byte_displs, types, c);
    MPI_Reduce_scatter(in, out, first ? four : same, MPI_INT, MPI_SUM, c);
    MPI_Ibcast(in, 9, MPI_INT, to_first, c, &r[0]);
    MPI_Ialltoallv(in, same, displs, MPI_INT, out, same, displs, MPI_INT, c, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&own);
    MPI_Comm_dup(c, &own);
    MPI_Comm_free(&own);
    MPI_Comm_free(&c);
}

static void in_place(void)
{
    void *const place = MPI_IN_PLACE;
    int root = rank == 1;
    MPI_Allreduce(place, out, 7, MPI_INT, MPI_MAX, w);
    MPI_Reduce(root ? place : in, out, 6, MPI_INT, MPI_SUM, 1, w);
    MPI_Gather(root ? place : in, 2, MPI_INT, out, 2, MPI_INT, 1, w);
    MPI_Gatherv(root ? place : in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, 1, w);
    MPI_Scatter(in, 3, MPI_INT, root ? place : out, 3, MPI_INT, 1, w);
    MPI_Scatterv(in, counts, displs, MPI_INT, root ? place : out, counts[rank], MPI_INT, 1, w);
    MPI_Allgather(place, 0, MPI_DATATYPE_NULL, out, 4, MPI_INT, w);
    MPI_Allgatherv(place, 0, MPI_DATATYPE_NULL, out, counts, displs, MPI_INT, w);
    MPI_Alltoall(place, 0, MPI_DATATYPE_NULL, out, 5, MPI_INT, w);
    MPI_Alltoallv(place, NULL, NULL, MPI_DATATYPE_NULL, out, same, displs, MPI_INT, w);
    MPI_Alltoallw(place, NULL, NULL, NULL, out, same, byte_displs, types, w);
    MPI_Reduce_scatter(place, out, counts, MPI_INT, MPI_SUM, w);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    w = MPI_COMM_WORLD;
    MPI_Comm_rank(w, &rank);
    MPI_Op_create(take_away, 0, &subtract);
    for (int i = 0; i < N; i++)
        types[i] = MPI_INT;
    MPI_Reduce(in, out, 6, MPI_INT, subtract, 0, w);
    between_groups();
    in_place();
    MPI_Finalize();
    return 0;
}
