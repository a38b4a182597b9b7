/* call_times.c - loaded before MPI: prints the seconds in each MPI call, summed by call, and
 * between the calls, of each rank: "call RANK NAME SECONDS" and "rank_seconds SECONDS". The ranks
 * leave MPI_Init together. With CALL_TIMES_PRIORITY set, a rank has real-time priority from there
 * to MPI_Finalize. For the calls of the programs in tests/accuracy/bars. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BARRIER,
    BCAST,
    ALLREDUCE,
    REDUCE,
    ALLTOALL,
    ALLTOALLV,
    GATHERV,
    SEND,
    RECV,
    ISEND,
    IRECV,
    WAIT,
    WAITALL,
    SENDRECV,
    CART_CREATE,
    COMM_SPLIT,
    COMM_FREE,
    COMPUTE,
    N_SUMS
};
static const char *const names[] = {
    "MPI_Barrier",    "MPI_Bcast",     "MPI_Allreduce", "MPI_Reduce",   "MPI_Alltoall",
    "MPI_Alltoallv",  "MPI_Gatherv",   "MPI_Send",      "MPI_Recv",     "MPI_Isend",
    "MPI_Irecv",      "MPI_Wait",      "MPI_Waitall",   "MPI_Sendrecv", "MPI_Cart_create",
    "MPI_Comm_split", "MPI_Comm_free", "compute"};
static double begin_s, last_s, entered_s, sums_s[N_SUMS];

static void set_priority(int on)
{
    const struct sched_param p = {.sched_priority = on};
    if (getenv("CALL_TIMES_PRIORITY") && sched_setscheduler(0, on ? SCHED_RR : SCHED_OTHER, &p))
        perror("sched_setscheduler");
}

static void enter(void)
{
    entered_s = PMPI_Wtime();
    sums_s[COMPUTE] += entered_s - last_s;
}

static int leave(int call, int code)
{
    last_s = PMPI_Wtime();
    sums_s[call] += last_s - entered_s;
    return code;
}

int MPI_Init(int *argc, char ***argv)
{
    const int code = PMPI_Init(argc, argv);
    set_priority(1);
    PMPI_Barrier(MPI_COMM_WORLD);
    begin_s = last_s = PMPI_Wtime();
    return code;
}

int MPI_Finalize(void)
{
    char text[2000];
    int rank, used = 0;
    enter();
    set_priority(0);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N_SUMS; i++)
        if (sums_s[i] > 0)
            used += snprintf(text + used, sizeof text - (size_t)used, "call %d %s %.9f\n", rank,
                             names[i], sums_s[i]);
    printf("%srank_seconds %.9f\n", text, entered_s - begin_s);
    fflush(stdout);
    return PMPI_Finalize();
}

/* clang-format off */
#define WRAP(call, name, parameters, ...) \
    int MPI_##name parameters { enter(); return leave(call, PMPI_##name(__VA_ARGS__)); }
typedef MPI_Datatype type;
WRAP(BARRIER, Barrier, (MPI_Comm c), c)
WRAP(BCAST, Bcast, (void *b, int n, type t, int root, MPI_Comm c), b, n, t, root, c)
WRAP(ALLREDUCE, Allreduce, (const void *s, void *r, int n, type t, MPI_Op o, MPI_Comm c), s, r, n, t, o, c)
WRAP(REDUCE, Reduce, (const void *s, void *r, int n, type t, MPI_Op o, int root, MPI_Comm c), s, r, n, t, o, root, c)
WRAP(ALLTOALL, Alltoall, (const void *s, int n, type t, void *r, int m, type u, MPI_Comm c), s, n, t, r, m, u, c)
WRAP(ALLTOALLV, Alltoallv, (const void *s, const int *n, const int *d, type t, void *r, const int *m, const int *e, type u, MPI_Comm c), s, n, d, t, r, m, e, u, c)
WRAP(GATHERV, Gatherv, (const void *s, int n, type t, void *r, const int *m, const int *d, type u, int root, MPI_Comm c), s, n, t, r, m, d, u, root, c)
WRAP(SEND, Send, (const void *b, int n, type t, int to, int tag, MPI_Comm c), b, n, t, to, tag, c)
WRAP(RECV, Recv, (void *b, int n, type t, int from, int tag, MPI_Comm c, MPI_Status *s), b, n, t, from, tag, c, s)
WRAP(ISEND, Isend, (const void *b, int n, type t, int to, int tag, MPI_Comm c, MPI_Request *q), b, n, t, to, tag, c, q)
WRAP(IRECV, Irecv, (void *b, int n, type t, int from, int tag, MPI_Comm c, MPI_Request *q), b, n, t, from, tag, c, q)
WRAP(WAIT, Wait, (MPI_Request *q, MPI_Status *s), q, s)
WRAP(WAITALL, Waitall, (int n, MPI_Request q[], MPI_Status s[]), n, q, s)
WRAP(SENDRECV, Sendrecv, (const void *b, int n, type t, int to, int tag, void *r, int m, type u, int from, int other, MPI_Comm c, MPI_Status *s), b, n, t, to, tag, r, m, u, from, other, c, s)
WRAP(CART_CREATE, Cart_create, (MPI_Comm c, int k, const int d[], const int p[], int order, MPI_Comm *out), c, k, d, p, order, out)
WRAP(COMM_SPLIT, Comm_split, (MPI_Comm c, int colour, int key, MPI_Comm *out), c, colour, key, out)
WRAP(COMM_FREE, Comm_free, (MPI_Comm *c), c)
