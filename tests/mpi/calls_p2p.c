/* calls_p2p.c - every point-to-point call once, on 2 ranks; expected/calls_p2p.* says what a trace
 * of it holds. */
#include <mpi.h>
#include <stdlib.h>

static int rank, peer, data[64], other[64];
static MPI_Comm world;

static void blocking(void)
{
    char *space = malloc(1 << 16);
    MPI_Buffer_attach(space, 1 << 16);
    if (rank == 0) {
        MPI_Send(data, 3, MPI_INT, 1, 1, world);
        MPI_Bsend(data, 4, MPI_DOUBLE, 1, 2, world);
        MPI_Ssend(data, 5, MPI_CHAR, 1, 3, world);
        MPI_Barrier(world);
        MPI_Rsend(data, 6, MPI_SHORT, 1, 4, world);
    } else {
        MPI_Request posted;
        MPI_Recv(data, 8, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
        MPI_Recv(data, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 2, world, MPI_STATUS_IGNORE);
        MPI_Recv(data, 5, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 6, MPI_SHORT, 0, 4, world, &posted);
        MPI_Barrier(world);
        MPI_Wait(&posted, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(data, 1, MPI_INT, peer, 5, other, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 5, world,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(data, 7, MPI_INT, peer, 6, peer, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 7, world);
    MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&space, &(int){0});
    free(space);
}

/* Types that hold addresses, from and to MPI_BOTTOM. */
static void absolute(void)
{
    MPI_Aint at[2];
    MPI_Datatype types[2];
    int length = 3;
    MPI_Get_address(data, &at[0]);
    MPI_Get_address(other, &at[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Type_create_hindexed(1, &length, &at[i], MPI_INT, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    data[0] = 17 + rank;
    MPI_Sendrecv(MPI_BOTTOM, 1, types[0], peer, 9, MPI_BOTTOM, 1, types[1], peer, 9, world,
                 MPI_STATUS_IGNORE);
    if (other[0] != 17 + peer)
        MPI_Abort(world, 1);
}

static void nonblocking(void)
{
    char *space = malloc(1 << 16);
    MPI_Request r[4];
    MPI_Buffer_attach(space, 1 << 16);
    if (rank == 0) {
        MPI_Barrier(world);
        MPI_Isend(data, 1, MPI_INT, 1, 10, world, &r[0]);
        MPI_Ibsend(data, 2, MPI_INT, 1, 11, world, &r[1]);
        MPI_Issend(data, 3, MPI_INT, 1, 12, world, &r[2]);
        MPI_Irsend(data, 4, MPI_INT, 1, 13, world, &r[3]);
    } else {
        for (int i = 0; i < 4; i++)
            MPI_Irecv(data + 8L * i, 8, MPI_INT, i % 2 ? MPI_ANY_SOURCE : 0, 10 + i, world, &r[i]);
        MPI_Barrier(world);
    }
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&space, &(int){0});
    free(space);
}

static void persistent(void)
{
    char *space = malloc(1 << 16);
    MPI_Request r[4];
    MPI_Buffer_attach(space, 1 << 16);
    if (rank == 0) {
        MPI_Send_init(data, 1, MPI_INT, 1, 20, world, &r[0]);
        MPI_Bsend_init(data, 2, MPI_INT, 1, 21, world, &r[1]);
        MPI_Ssend_init(data, 3, MPI_INT, 1, 22, world, &r[2]);
        MPI_Rsend_init(data, 4, MPI_INT, 1, 23, world, &r[3]);
    } else {
        for (int i = 0; i < 4; i++)
            MPI_Recv_init(data + 8L * i, 8, MPI_INT, 0, i ? 20 + i : MPI_ANY_TAG, world, &r[i]);
    }
    for (int round = 0; round < 2; round++) {
        if (rank == 1)
            MPI_Startall(4, r);
        MPI_Barrier(world);
        for (int i = 0; rank == 0 && i < 4; i++)
            MPI_Start(&r[i]);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    }
    MPI_Wait(&r[0], MPI_STATUS_IGNORE); /* inactive: nothing completes */
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&r[i]);
    MPI_Buffer_detach(&space, &(int){0});
    free(space);
}

static void probes(void)
{
    int flag = 0;
    if (rank == 0) {
        MPI_Barrier(world);
        MPI_Send(data, 2, MPI_INT, 1, 30, world);
        MPI_Send(data, 2, MPI_INT, 1, 31, world);
    } else {
        MPI_Iprobe(0, 30, world, &flag, MPI_STATUS_IGNORE); /* nothing there: a poll */
        MPI_Barrier(world);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
        MPI_Recv(data, 2, MPI_INT, 0, 30, world, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, 31, world, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(data, 2, MPI_INT, 0, 31, world, MPI_STATUS_IGNORE);
    }
}

/* Probes that take the message out for a receive of its own. */
static void matched_probes(void)
{
    MPI_Message first, second;
    MPI_Request r;
    int flag = 0;
    if (rank == 0) {
        MPI_Barrier(world);
        MPI_Send(data, 3, MPI_INT, 1, 40, world);
        MPI_Send(data, 4, MPI_INT, 1, 41, world);
    } else {
        MPI_Improbe(0, 40, world, &flag, &first, MPI_STATUS_IGNORE); /* a poll */
        MPI_Barrier(world);
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &first, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, 41, world, &flag, &second, MPI_STATUS_IGNORE);
        MPI_Imrecv(other, 4, MPI_INT, &second, &r);
        MPI_Mrecv(data, 5, MPI_INT, &first, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Mprobe(MPI_PROC_NULL, 42, world, &first, MPI_STATUS_IGNORE);
    MPI_Mrecv(data, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    peer = 1 - rank;
    blocking();
    absolute();
    nonblocking();
    persistent();
    probes();
    matched_probes();
    MPI_Finalize();
    return 0;
}
