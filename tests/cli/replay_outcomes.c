/* replay_outcomes.c - programs of two ranks, by name, whose replay depends on what calls came to.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static char big[1 << 21], other[1 << 21];

/* One rank enters first, the other after a message that it sends between its entry and its wait. */
static void idup(void)
{
    MPI_Comm comm;
    MPI_Request request;
    for (int first = 0; first < 2; first++) {
        if (rank != first)
            MPI_Recv(other, 1, MPI_CHAR, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        if (rank == first)
            MPI_Send(big, 1, MPI_CHAR, !first, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
}

/* The receive has its message when it is cancelled; without it, the last message would be taken. */
static void cancel(void)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled = 1;
    if (rank) {
        MPI_Send(big, sizeof big, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        MPI_Send(big, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(other, sizeof other, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Probe(1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Recv(other, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void taken(void)
{
    MPI_Request request;
    MPI_Irecv(other, 1, MPI_CHAR, !rank, 7, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank)
        MPI_Send(big, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(other, 1, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nobody(void)
{
    MPI_Message message[2], none = MPI_MESSAGE_NO_PROC;
    MPI_Request request;
    MPI_Mrecv(other, 1, MPI_CHAR, &none, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message[i], MPI_STATUS_IGNORE);
    MPI_Mrecv(other, 1, MPI_CHAR, &message[0], MPI_STATUS_IGNORE);
    MPI_Imrecv(other, 1, MPI_CHAR, &message[1], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Datatype empty_type(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(0, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void alltoallv(void)
{
    int some[2] = {3, 3}, none[2] = {0, 0}, at[2] = {0, 8};
    MPI_Alltoallv(big, some, at, empty_type(), other, none, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(big, none, at, MPI_INT, other, some, at, empty_type(), MPI_COMM_WORLD);
}

static void alltoallw(void)
{
    int some[2] = {3, 3}, none[2] = {0, 0}, at[2] = {0, 8};
    MPI_Datatype empty[2] = {empty_type(), empty_type()}, ints[2] = {MPI_INT, MPI_INT};
    MPI_Alltoallw(big, some, at, empty, other, none, at, ints, MPI_COMM_WORLD);
    MPI_Alltoallw(big, none, at, ints, other, some, at, empty, MPI_COMM_WORLD);
}

/* Eager messages and long ones, that each way to receive takes and reports. */
static void truncated(void)
{
    MPI_Request request[4];
    MPI_Status statuses[4];
    const int bytes[] = {100, sizeof big};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        if (rank) {
            for (int k = 0; k < 6; k++)
                MPI_Send(big, bytes[i], MPI_CHAR, 0, k, MPI_COMM_WORLD);
            continue;
        }
        MPI_Recv(other, 10, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(other, 10, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        for (int k = 0; k < 4; k++)
            MPI_Irecv(other, k % 2 ? 10 : (int)sizeof other, MPI_CHAR, 1, 2 + k, MPI_COMM_WORLD,
                      &request[k]);
        MPI_Waitall(4, request, i ? statuses : MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(big, 1, MPI_CHAR, 17, 0, MPI_COMM_WORLD);
    MPI_Send(big, -1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void gets(int n)
{
    MPI_Win window;
    MPI_Win_create(big, sizeof big, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < n && !rank; i++)
        MPI_Get(other, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"idup", idup},           {"cancel", cancel},       {"taken", taken},
                 {"nobody", nobody},       {"alltoallv", alltoallv}, {"alltoallw", alltoallw},
                 {"truncated", truncated}, {"wrong", wrong}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name))
            cases[i].run();
    if (argc > 2 && !strcmp(argv[1], "gets"))
        gets((int)strtol(argv[2], NULL, 10));
    MPI_Finalize();
    return 0;
}
