/* killed.c - a run that ends by a signal: killed ROUNDS HOW [COUNTER].
 *
 * Each of ROUNDS makes events of all kinds of slots, some without surprise, some with: messages to
 * itself, lists of requests of changing length, new communicators.  Then every rank does what HOW
 * says: kill, term, segv, int, cpu (a limit on CPU time), quick (_exit), finalize, wait (for a
 * signal). COUNTER is a file in which rank 0 counts the rounds that it has done. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 40 };

static unsigned next_random(void)
{
    static unsigned state = 1;
    state = state * 1103515245U + 12345U;
    return state >> 8;
}

static void list_of_requests(int n)
{
    static char in[MOST][64], out[64];
    MPI_Request requests[2 * MOST];
    for (int i = 0; i < n; i++)
        MPI_Irecv(in[i], 64, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(out, (int)(next_random() % 64), MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[n + i]);
    MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
}

static void round_of_events(int i)
{
    static char out[4096], in[4096];
    const int bytes = (int)(next_random() % 4096), tag = (int)(next_random() % 30000);
    MPI_Sendrecv(out, 8, MPI_CHAR, 0, 0, in, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, bytes, MPI_CHAR, 0, tag, in, 4096, MPI_CHAR, 0, tag, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    if (i % 7 == 0)
        list_of_requests((int)(next_random() % MOST) + 1);
    if (i % 50 == 0) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_free(&comm);
    }
}

static volatile uint64_t *map_counter(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    void *at = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, 8))
        at = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

static int number_of(const char *how)
{
    static const struct {
        const char *how;
        int number;
    } signals[] = {
        {"kill", SIGKILL}, {"term", SIGTERM}, {"segv", SIGSEGV}, {"int", SIGINT}, {"cpu", SIGXCPU}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!strcmp(how, signals[i].how))
            return signals[i].number;
    return 0;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    const char *how = argc > 2 ? argv[2] : "finalize";
    volatile uint64_t mine = 0, *counter = &mine;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 3 && !rank && !(counter = map_counter(argv[3])))
        return 1;
    for (int i = 0; i < rounds; i++) {
        round_of_events(i);
        ++*counter;
    }
    if (!strcmp(how, "quick"))
        _exit(9);
    if (number_of(how)) {
        /* Open MPI handles SIGSEGV; a shell's background job ignores SIGINT. */
        signal(number_of(how), SIG_DFL);
        raise(number_of(how));
    }
    while (!strcmp(how, "wait"))
        pause();
    MPI_Finalize();
    return 0;
}
