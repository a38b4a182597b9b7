/* calls_completion.c - every way in which requests complete, on 2 ranks. */
#include <mpi.h>
#include <stdlib.h>

static int rank, data[16][4];
static MPI_Comm world;

/* Rank 1 receives n messages of tags first.. that rank 0 sends after a barrier. */
static void post(int n, int first, MPI_Request r[])
{
    if (rank == 0) {
        MPI_Barrier(world);
        for (int i = 0; i < n; i++)
            MPI_Send(data[i], 4, MPI_INT, 1, first + i, world);
    } else {
        for (int i = 0; i < n; i++)
            MPI_Irecv(data[i], 4, MPI_INT, i == 1 ? MPI_ANY_SOURCE : 0, first + i, world, &r[i]);
    }
}

static void one_by_one(void)
{
    MPI_Request r[3];
    int index, flag = 0;
    post(3, 10, r);
    if (rank == 0)
        return;
    MPI_Test(&r[2], &flag, MPI_STATUS_IGNORE); /* not yet sent: polls */
    MPI_Testany(3, r, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        MPI_Test(&r[2], &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);           /* null */
    MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE); /* all null */
}

static void many(void)
{
    MPI_Request r[4];
    MPI_Status statuses[4];
    int n, indices[4], flag = 0;
    post(4, 20, r);
    if (rank == 0)
        return;
    MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
    MPI_Testsome(4, r, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Barrier(world);
    MPI_Waitsome(1, r, &n, indices, statuses);
    for (n = 0; n == 0;)
        MPI_Testsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
    while (!flag)
        MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
}

/* A request that never matches, and one that is let go. */
static void cancel_and_free(void)
{
    MPI_Request r;
    MPI_Irecv(data[0], 4, MPI_INT, MPI_ANY_SOURCE, 99, world, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Isend(data[0], 4, MPI_INT, 1, 30, world, &r);
        MPI_Request_free(&r);
    } else {
        MPI_Recv(data[0], 4, MPI_INT, 0, 30, world, MPI_STATUS_IGNORE);
    }
}

/* Open MPI gives all small sends that left at once the same handle. */
static void shared_handles(void)
{
    MPI_Request r[6], copy[6];
    if (rank == 0) {
        for (int i = 0; i < 6; i++)
            MPI_Isend(data[i], 1, MPI_INT, 1, 40 + i, world, &r[i]);
        MPI_Wait(&r[4], MPI_STATUS_IGNORE);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 6; i++) {
            MPI_Isend(data[i], 1, MPI_INT, 1, 50 + i, world, &r[0]);
            copy[i] = r[0];
        }
        MPI_Waitall(6, copy, MPI_STATUSES_IGNORE);
        /* The second request has replaced the first one in the variable. */
        MPI_Irecv(data[0], 4, MPI_INT, MPI_PROC_NULL, 60, world, &r[0]);
        copy[0] = r[0];
        MPI_Irecv(data[1], 4, MPI_INT, MPI_PROC_NULL, 61, world, &r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Wait(&copy[0], MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < 12; i++)
            MPI_Recv(data[i], 1, MPI_INT, 0, 40 + i + (i >= 6 ? 4 : 0), world, MPI_STATUS_IGNORE);
    }
}

/* On rank 1: 1, 3 and 6 looks at the clock between two other events, those of the last kind with
 * failed polls among them. */
static void looks(void)
{
    MPI_Request r;
    int flag;
    if (rank == 1)
        MPI_Irecv(data[0], 4, MPI_INT, 0, 70, world, &r);
    for (int n = 1; n <= 3 && rank == 1; n += 2) {
        for (int i = 0; i < n; i++)
            MPI_Wtime();
        MPI_Barrier(MPI_COMM_SELF);
    }
    for (int i = 0; i < 3 && rank == 1; i++) {
        MPI_Wtime();
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE); /* not yet sent */
        MPI_Wtime();
    }
    MPI_Barrier(world);
    if (rank == 0)
        MPI_Send(data[0], 4, MPI_INT, 1, 70, world);
    else
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    one_by_one();
    many();
    cancel_and_free();
    shared_handles();
    looks();
    MPI_Finalize();
    return 0;
}
