/* calls_collective.c - every collective, blocking and nonblocking, on 3 ranks; then in place. */
#include <mpi.h>

enum { N = 3 };
static int rank, in[64], out[64], counts[N] = {1, 2, 3}, displs[N] = {0, 8, 16};
static int same[N] = {2, 2, 2};
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

static void blocking(void)
{
    MPI_Barrier(w);
    MPI_Bcast(in, 5, MPI_INT, 1, w);
    MPI_Reduce(in, out, 6, MPI_INT, MPI_SUM, 2, w);
    MPI_Reduce(in, out, 6, MPI_INT, subtract, 0, w);
    MPI_Allreduce(in, out, 7, MPI_INT, MPI_MAX, w);
    MPI_Gather(in, 2, MPI_INT, out, 1, MPI_2INT, 1, w);
    MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, 2, w);
    MPI_Scatter(in, 3, MPI_INT, out, 3, MPI_INT, 0, w);
    MPI_Scatterv(in, counts, displs, MPI_INT, out, counts[rank], MPI_INT, 1, w);
    MPI_Allgather(in, 4, MPI_INT, out, 4, MPI_INT, w);
    MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, w);
    MPI_Alltoall(in, 5, MPI_INT, out, 5, MPI_INT, w);
    MPI_Alltoallv(in, same, displs, MPI_INT, out, same, displs, MPI_INT, w);
    MPI_Alltoallw(in, same, byte_displs, types, out, same, byte_displs, types, w);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, w);
    MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, w);
    MPI_Scan(in, out, 3, MPI_INT, MPI_SUM, w);
    MPI_Exscan(in, out, 4, MPI_INT, MPI_SUM, w);
}

static void nonblocking(void)
{
    MPI_Request r[17];
    int n = 0;
    static int o[17][64];
    MPI_Ibarrier(w, &r[n++]);
    MPI_Ibcast(o[n], 5, MPI_INT, 1, w, &r[n]), n++;
    MPI_Ireduce(in, o[n], 6, MPI_INT, MPI_SUM, 2, w, &r[n]), n++;
    MPI_Iallreduce(in, o[n], 7, MPI_INT, MPI_MAX, w, &r[n]), n++;
    MPI_Igather(in, 2, MPI_INT, o[n], 1, MPI_2INT, 1, w, &r[n]), n++;
    MPI_Igatherv(in, counts[rank], MPI_INT, o[n], counts, displs, MPI_INT, 2, w, &r[n]), n++;
    MPI_Iscatter(in, 3, MPI_INT, o[n], 3, MPI_INT, 0, w, &r[n]), n++;
    MPI_Iscatterv(in, counts, displs, MPI_INT, o[n], counts[rank], MPI_INT, 1, w, &r[n]), n++;
    MPI_Iallgather(in, 4, MPI_INT, o[n], 4, MPI_INT, w, &r[n]), n++;
    MPI_Iallgatherv(in, counts[rank], MPI_INT, o[n], counts, displs, MPI_INT, w, &r[n]), n++;
    MPI_Ialltoall(in, 5, MPI_INT, o[n], 5, MPI_INT, w, &r[n]), n++;
    MPI_Ialltoallv(in, same, displs, MPI_INT, o[n], same, displs, MPI_INT, w, &r[n]), n++;
    MPI_Ialltoallw(in, same, byte_displs, types, o[n], same, byte_displs, types, w, &r[n]), n++;
    MPI_Ireduce_scatter(in, o[n], counts, MPI_INT, MPI_SUM, w, &r[n]), n++;
    MPI_Ireduce_scatter_block(in, o[n], 2, MPI_INT, MPI_SUM, w, &r[n]), n++;
    MPI_Iscan(in, o[n], 3, MPI_INT, MPI_SUM, w, &r[n]), n++;
    MPI_Iexscan(in, o[n], 4, MPI_INT, MPI_SUM, w, &r[n]), n++;
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
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
    MPI_Pcontrol(1);
    blocking();
    MPI_Pcontrol(2);
    nonblocking();
    MPI_Pcontrol(3);
    in_place();
    MPI_Pcontrol(0);
    MPI_Wtime();
    MPI_Finalize();
    return 0;
}
