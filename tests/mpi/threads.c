/* threads.c - threads of every rank that call MPI at the same time: messages, wildcards, requests,
 * collectives and constructors, each thread on a communicator of its own and all on one.
 *
 *     threads [THREADS [ROUNDS [fork]]] */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64, LARGE = 20000 };

static int rank, n_ranks, n_threads = 8, n_rounds = 5, forks;
static MPI_Comm comms[MAX_THREADS];

static void expect(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Blocking messages round the ring, all threads on one communicator, told apart by the tag. */
static void blocking(int thread, int *large)
{
    const int right = (rank + 1) % n_ranks, left = (rank + n_ranks - 1) % n_ranks;
    int sent = thread, got = -1;
    MPI_Status status;
    MPI_Sendrecv(&sent, 1, MPI_INT, right, thread, &got, 1, MPI_INT, left, thread, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(got == thread, "MPI_Sendrecv");
    MPI_Sendrecv_replace(&got, 1, MPI_INT, right, thread, MPI_ANY_SOURCE, thread, MPI_COMM_WORLD,
                         &status);
    expect(got == thread && status.MPI_SOURCE == left, "MPI_Sendrecv_replace");
    if (rank % 2 == 0 && rank + 1 < n_ranks) {
        MPI_Ssend(&sent, 1, MPI_INT, rank + 1, thread, MPI_COMM_WORLD);
        MPI_Recv(large, LARGE, MPI_INT, rank + 1, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank % 2) {
        MPI_Probe(rank - 1, thread, MPI_COMM_WORLD, &status);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &status);
        expect(got == thread && status.MPI_SOURCE == rank - 1, "MPI_Ssend");
        MPI_Send(large, LARGE, MPI_INT, rank - 1, thread, MPI_COMM_WORLD);
    }
}

/* Wildcard receives and the calls that complete one request of several. */
static void requests(MPI_Comm comm, int thread)
{
    const int right = (rank + 1) % n_ranks, left = (rank + n_ranks - 1) % n_ranks;
    enum { N = 4 };
    int sent[N], got[N], index, flag = 0;
    MPI_Request r[2 * N];
    MPI_Status status;
    for (int i = 0; i < N; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : left, i ? i : MPI_ANY_TAG, comm,
                  &r[i]);
    for (int i = 0; i < N; i++) {
        sent[i] = 100 * thread + i;
        MPI_Isend(&sent[i], 1, MPI_INT, right, i, comm, &r[N + i]);
    }
    MPI_Waitany(2 * N, r, &index, &status);
    expect(index != MPI_UNDEFINED, "MPI_Waitany");
    for (int n = 0; n < 2;) {
        MPI_Testany(2 * N, r, &index, &flag, MPI_STATUS_IGNORE);
        n += flag;
    }
    MPI_Waitall(2 * N, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
        expect(got[i] == 100 * thread + i, "MPI_Irecv");

    MPI_Recv_init(&got[0], 1, MPI_INT, left, 7, comm, &r[0]);
    MPI_Ssend_init(&sent[0], 1, MPI_INT, right, 7, comm, &r[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, r);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        for (flag = 0; !flag;)
            MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void collectives(MPI_Comm comm, int thread)
{
    int sum = 0, root = thread, gathered[MAX_THREADS];
    MPI_Allreduce(&thread, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == thread * n_ranks, "MPI_Allreduce");
    MPI_Bcast(&root, 1, MPI_INT, thread % n_ranks, comm);
    MPI_Gather(&thread, 1, MPI_INT, gathered, 1, MPI_INT, 0, comm);
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

/* Ten milliseconds of CPU time, once more for each number of a thread. */
static void compute(int thread)
{
    struct timespec t;
    double start_s = -1, now_s;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        now_s = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
        if (start_s < 0)
            start_s = now_s;
    } while (now_s < start_s + 0.01 * (thread + 1));
}

static void *work(void *argument)
{
    const int thread = (int)(size_t)argument;
    int *large = calloc(LARGE, sizeof *large);
    compute(thread);
    for (int i = 0; i < n_rounds; i++) {
        blocking(thread, large);
        requests(comms[thread], thread);
        collectives(comms[thread], thread);
    }
    if (forks && thread == 0) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            MPI_Comm_rank(MPI_COMM_WORLD, &status);
            _exit(3);
        }
        waitpid(child, &status, 0);
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 3, "fork");
    }
    MPI_Comm half;
    MPI_Comm_split(comms[thread], rank % 2, rank, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    free(large);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[MAX_THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    n_threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : n_threads;
    n_rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : n_rounds;
    forks = argc > 3 && !strcmp(argv[3], "fork");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    expect(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE is not provided");
    for (int i = 0; i < n_threads; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 1; i < n_threads; i++)
        pthread_create(&threads[i], NULL, work, (void *)(size_t)i);
    work((void *)0);
    for (int i = 1; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < n_threads; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
