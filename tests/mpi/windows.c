/* windows.c - a run that is recorded in windows, from MPI_Pcontrol(1) to MPI_Pcontrol(0), with
 * calls that cross the borders of the windows.
 *
 *     windows N GAP_MS WINDOW_MS     N times: GAP_MS outside of a window, then a window of
 * WINDOW_MS
 *
 * A part of the run is a loop of computation (5 ms), a pause (no call of sleep, which would be an
 * event), an exchange with the neighbours and an MPI_Allreduce.  Across the borders go a receive
 * and a send that start before a window and complete in it, a persistent request and a communicator
 * that are made outside and used inside, and a message whose sender is still inside when its
 * receiver has left the window. */
#include <mpi.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

static int rank, n_ranks, left, right;

static double now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void compute(double ms)
{
    const double end = now_ms(CLOCK_THREAD_CPUTIME_ID) + ms;
    while (now_ms(CLOCK_THREAD_CPUTIME_ID) < end)
        continue;
}

static void step(MPI_Comm comm, MPI_Request *persistent, int pause_ms)
{
    int out = rank, in = 0, sum = 0;
    compute(5);
    poll(NULL, 0, pause_ms);
    MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
    MPI_Start(persistent);
    MPI_Send(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Wait(persistent, MPI_STATUS_IGNORE);
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, comm);
}

/* All ranks make the same number of steps. */
static void steps_for(double ms, MPI_Comm comm, MPI_Request *persistent)
{
    const int pause_ms = ms > 1000 ? 95 : 0, n = (int)(ms / (5 + pause_ms));
    for (int i = 0; i < n; i++)
        step(comm, persistent, pause_ms);
}

int main(int argc, char **argv)
{
    const int n_windows = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 2;
    const double gap_ms = argc > 2 ? strtod(argv[2], NULL) : 100;
    const double window_ms = argc > 3 ? strtod(argv[3], NULL) : 50;
    static int got, kept, sent[1 << 10];
    MPI_Request persistent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    left = (rank + n_ranks - 1) % n_ranks;
    right = (rank + 1) % n_ranks;
    MPI_Recv_init(&kept, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &persistent);
    for (int w = 0; w < n_windows; w++) {
        MPI_Comm comm;
        MPI_Request across[2];
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        steps_for(gap_ms, comm, &persistent);
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &across[0]);
        MPI_Isend(sent, 1 << 10, MPI_INT, right, 4, comm, &across[1]);
        MPI_Pcontrol(1);
        MPI_Send(&rank, 1, MPI_INT, right, 3, comm);
        MPI_Recv(sent, 1 << 10, MPI_INT, left, 4, comm, MPI_STATUS_IGNORE);
        MPI_Waitall(2, across, MPI_STATUSES_IGNORE);
        steps_for(window_ms, comm, &persistent);
        if (rank % 2) { /* the sender is inside, the receiver outside */
            MPI_Send(&rank, 1, MPI_INT, left, 5, comm);
            MPI_Pcontrol(0);
        } else {
            MPI_Pcontrol(0);
            MPI_Recv(&got, 1, MPI_INT, right, 5, comm, MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&comm);
    }
    MPI_Request_free(&persistent);
    MPI_Finalize();
    return 0;
}
