/* faults.c - a run to which something happens in the middle: faults HOW [WHAT].
 *
 * Every rank makes events that do not compress (as many as ROUNDS says), then rank 1 does or
 * suffers what HOW says, then as many again.  Rank 0 prints a sum that only right results give.
 *
 *   none       nothing
 *   kill       rank 1 is killed; killall: all are
 *   segv       rank 1 writes to where nothing is
 *   abort      rank 1 calls MPI_Abort
 *   leave      rank 1 exits without MPI_Finalize; quick: by _exit
 *   error      rank 1 makes an MPI error, which is fatal
 *   stop       waits for a signal
 *   descriptors  every rank takes all file descriptors
 *   close      every rank closes the trace's descriptor and writes a file of its own, WHAT.RANK
 *   remove     rank 0 removes the file WHAT; truncate: cuts it in half; empty: to nothing
 *   limit      no file may grow beyond 100 KiB from the beginning; lone-limit: of rank 1 only
 *   flag       nothing, but fault_now is set from the beginning, for starve.c
 */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int fault_now;

static int rank, n_ranks;
static uint64_t sum;

static unsigned next_random(void)
{
    static unsigned state = 1;
    state = state * 1103515245U + 12345U;
    return state >> 8;
}

static void make_events(int rounds)
{
    static char out[1 << 12], in[1 << 12];
    for (int i = 0; i < rounds; i++) {
        int bytes = (int)(next_random() % sizeof out), tag = (int)(next_random() % 30000), got;
        MPI_Status status;
        memset(out, tag & 127, (size_t)bytes);
        MPI_Sendrecv(out, bytes, MPI_CHAR, 0, tag, in, sizeof in, MPI_CHAR, 0, tag, MPI_COMM_SELF,
                     &status);
        MPI_Get_count(&status, MPI_CHAR, &got);
        sum = sum * 31 + (uint64_t)got + (got ? (uint64_t)in[got - 1] : 0);
    }
}

/* Closes the first descriptor of which the name ends in .tl, and takes its number. */
static void take_descriptor_of_trace(const char *what)
{
    char link[64], name[4096], own[4096];
    snprintf(own, sizeof own, "%s.%d", what, rank);
    for (int fd = 3; fd < 65536; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, name, sizeof name);
        if (n < 3 || memcmp(name + n - 3, ".tl", 3) != 0)
            continue;
        close(fd);
        break;
    }
    int mine = open(own, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int fd = mine; fd >= 0 && fd < 2000; fd = dup(mine)) /* every number that is free */
        ;
    if (write(mine, "mine\n", 5) != 5)
        abort();
}

static void suffer(const char *how, const char *what)
{
    int all = !strcmp(how, "killall");
    if (!strcmp(how, "descriptors"))
        while (open("/dev/null", O_RDONLY) >= 0)
            ;
    if (!strcmp(how, "close"))
        take_descriptor_of_trace(what);
    if (rank == 0 && !strcmp(how, "remove"))
        unlink(what);
    if (rank == 0 && !strcmp(how, "empty") && truncate(what, 0))
        abort();
    if (rank == 0 && !strcmp(how, "truncate")) {
        struct stat st;
        if (stat(what, &st) || truncate(what, st.st_size / 2))
            abort();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "stop"))
        for (;;)
            pause();
    if (rank != 1 && !all)
        return;
    if (!strncmp(how, "kill", 4))
        raise(SIGKILL);
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 8);
    if (!strcmp(how, "leave"))
        exit(6);
    if (!strcmp(how, "quick"))
        _exit(6);
    if (!strcmp(how, "error"))
        MPI_Send(NULL, 1, MPI_CHAR, n_ranks, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "none", *what = argc > 2 ? argv[2] : "";
    const char *given = getenv("ROUNDS");
    int rounds = given ? (int)strtol(given, NULL, 10) : 20000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    int limited = !strcmp(how, "limit") || (!strcmp(how, "lone-limit") && rank == 1);
    if (limited && setrlimit(RLIMIT_FSIZE, &(struct rlimit){100 << 10, 100 << 10}))
        abort();
    fault_now = !strcmp(how, "flag");
    make_events(rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    suffer(how, what);
    make_events(rounds);
    uint64_t mine = sum;
    MPI_Reduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %llu\n", (unsigned long long)sum);
    MPI_Finalize();
    return 0;
}
