/* isendrecv.c - calls of MPI 4 on 2 ranks: MPI_Isendrecv and messages in partitions.  With -DPLAIN
 * the same communication by calls of MPI 3, which is how the tracer records it.
 *
 *     isendrecv          what both can do with the same events
 *     isendrecv any      MPI_Isendrecv with wildcards
 *     isendrecv some     MPI_Waitsome
 *     isendrecv free     MPI_Request_free
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 64, N_PARTS = 4, N_IN_PART = N / N_PARTS };

static int rank, partner, sent[4][N], received[4][N];
static MPI_Comm world;

/* What rank `from` sends in this round. */
static void fill(int data[N], int from, int round)
{
    for (int i = 0; i < N; i++)
        data[i] = 10000 * from + 100 * round + i;
}

static void check(const int data[N], int n, int from, int round)
{
    int expected[N];
    fill(expected, from, round);
    if (memcmp(data, expected, (size_t)n * sizeof *data) != 0) {
        printf("rank %d: round %d: wrong data\n", rank, round);
        MPI_Abort(world, 1);
    }
}

/* The program has one request for the message to its partner and the one from it; with calls of
 * MPI 3 it has two. */
#ifdef PLAIN
enum { N_HANDLES = 2 };
static void exchange(int i, int n, int tag, int source, int recvtag, MPI_Request r[N_HANDLES])
{
    MPI_Isend(sent[i], n, MPI_INT, partner, tag, world, &r[0]);
    MPI_Irecv(received[i], n + 1, MPI_INT, source, recvtag, world, &r[1]);
}
static void replace(int n, int tag, MPI_Request r[N_HANDLES])
{
    MPI_Isend(sent[0], n, MPI_INT, partner, tag, world, &r[0]);
    MPI_Irecv(received[0], n, MPI_INT, partner, tag, world, &r[1]);
}
#else
enum { N_HANDLES = 1 };
static void exchange(int i, int n, int tag, int source, int recvtag, MPI_Request r[N_HANDLES])
{
    MPI_Isendrecv(sent[i], n, MPI_INT, partner, tag, received[i], n + 1, MPI_INT, source, recvtag,
                  world, r);
}
static void replace(int n, int tag, MPI_Request r[N_HANDLES])
{
    memcpy(received[0], sent[0], sizeof sent[0]);
    MPI_Isendrecv_replace(received[0], n, MPI_INT, partner, tag, partner, tag, world, r);
}
#endif

static void wait_for(MPI_Request r[N_HANDLES])
{
#ifdef PLAIN
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
#else
    MPI_Wait(r, MPI_STATUS_IGNORE);
#endif
}

static void test_until_done(MPI_Request r[N_HANDLES])
{
    for (int flag = 0; !flag;)
#ifdef PLAIN
        MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
#else
        MPI_Test(r, &flag, MPI_STATUS_IGNORE);
#endif
}

static void wait_any(MPI_Request r[N_HANDLES])
{
#ifdef PLAIN
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
#else
    int index;
    MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE);
#endif
}

static void test_any(MPI_Request r[N_HANDLES])
{
    for (int flag = 0; !flag;)
#ifdef PLAIN
        MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
#else
    {
        int index;
        MPI_Testany(1, r, &index, &flag, MPI_STATUS_IGNORE);
    }
#endif
}

static void wait_some(MPI_Request r[N_HANDLES])
{
    int n, indices[N_HANDLES];
    for (int n_done = 0; n_done < N_HANDLES; n_done += n)
        MPI_Waitsome(N_HANDLES, r, &n, indices, MPI_STATUSES_IGNORE);
}

/* Each way in which its request completes. */
static void exchanges(void)
{
    MPI_Request r[4][N_HANDLES];
    for (int i = 0; i < 4; i++)
        fill(sent[i], rank, i);
    exchange(0, 5, 10, partner, 10, r[0]);
    wait_for(r[0]);
    check(received[0], 5, partner, 0);
    exchange(1, 20, 11, partner, 11, r[0]);
    test_until_done(r[0]);
    check(received[1], 20, partner, 1);
    exchange(2, 30, 12 + rank, partner, 12 + partner, r[0]);
    wait_any(r[0]);
    check(received[2], 30, partner, 2);
    exchange(3, 7, 14, partner, 14, r[0]);
    test_any(r[0]);
    check(received[3], 7, partner, 3);
    replace(40, 15, r[0]);
    wait_for(r[0]);
    check(received[0], 40, partner, 0);
    /* Several at a time, whose ids are those of the requests before. */
    for (int i = 0; i < 4; i++)
        exchange(i, 10 + i, 20 + i, partner, 20 + i, r[i]);
    MPI_Waitall(2 * N_HANDLES, r[0], MPI_STATUSES_IGNORE);
    for (int flag = 0; !flag;)
        MPI_Testall(2 * N_HANDLES, r[2], &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++)
        check(received[i], 10 + i, partner, i);
    MPI_Wait(r[0], MPI_STATUS_IGNORE); /* null */
}

static void some(void)
{
    MPI_Request r[N_HANDLES];
    fill(sent[0], rank, 0);
    exchange(0, 8, 30, partner, 30, r);
    wait_some(r);
    check(received[0], 8, partner, 0);
}

/* Open MPI 5 refuses to free this request before it is complete. */
static void let_go(void)
{
    MPI_Request r[N_HANDLES];
    exchange(1, 9, 31, partner, 31, r);
    for (int i = 0; i < N_HANDLES; i++) {
        for (int flag = 0; !flag;)
            MPI_Request_get_status(r[i], &flag, MPI_STATUS_IGNORE);
        MPI_Request_free(&r[i]);
    }
}

static void start(int n, MPI_Request r[])
{
    if (n == 1)
        MPI_Start(r);
    else
        MPI_Startall(n, r);
}

/* From rank 0 to rank 1, twice with the same request. */
static void send_parts(void)
{
    MPI_Request r[2];
    fill(sent[0], 0, 0);
#ifdef PLAIN
    MPI_Send_init(sent[0], N, MPI_INT, 1, 40, world, &r[0]);
#else
    int list[] = {3};
    MPI_Psend_init(sent[0], N_PARTS, N_IN_PART, MPI_INT, 1, 40, world, MPI_INFO_NULL, &r[0]);
#endif
    MPI_Send_init(sent[1], 3, MPI_INT, 1, 41, world, &r[1]);
#ifdef PLAIN
    start(1, r);
#else
    start(1, r);
    MPI_Pready(2, r[0]);
    MPI_Pready_range(0, 1, r[0]);
    MPI_Pready_list(1, list, r[0]);
#endif
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    fill(sent[0], 0, 1);
#ifdef PLAIN
    MPI_Startall(1, &r[1]);
    MPI_Start(&r[0]);
#else
    start(2, r);
    for (int i = N_PARTS - 1; i >= 0; i--)
        MPI_Pready(i, r[0]);
#endif
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void receive_parts(void)
{
    MPI_Request r[2];
    int flag = 1;
#ifdef PLAIN
    MPI_Recv_init(received[0], N, MPI_INT, 0, 40, world, &r[0]);
#else
    MPI_Precv_init(received[0], N_PARTS, N_IN_PART, MPI_INT, 0, 40, world, MPI_INFO_NULL, &r[0]);
#endif
    MPI_Recv_init(received[1], 3, MPI_INT, 0, 41, world, &r[1]);
    start(1, r);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    check(received[0], N, 0, 0);
    MPI_Barrier(world);
    start(2, r);
#ifdef PLAIN
    for (flag = 0; !flag;)
        MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
#else
    for (int i = 0; i < N_PARTS; i++)
        do
            MPI_Parrived(r[0], i, &flag);
        while (!flag);
    MPI_Parrived(r[0], 0, &flag);
#endif
    check(received[0], N, 0, 1);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* What came is known by the message itself: some MPIs do not report it. */
static void wildcards(void)
{
    MPI_Request r[N_HANDLES];
    fill(sent[0], rank, 0);
    exchange(0, 6, 50, MPI_ANY_SOURCE, MPI_ANY_TAG, r);
    wait_for(r);
    check(received[0], 6, partner, 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    partner = 1 - rank;
    if (argc > 1 && !strcmp(argv[1], "any")) {
        wildcards();
    } else if (argc > 1 && !strcmp(argv[1], "some")) {
        some();
    } else if (argc > 1) {
        let_go();
    } else {
        exchanges();
        if (rank == 0)
            send_parts();
        else
            receive_parts();
    }
    MPI_Finalize();
    return 0;
}
