/* node_dies.c - node_dies FOLDER [HOST]: a run in which the node HOST dies; without HOST, none.
 *
 * All ranks exchange messages.  Then the ranks of HOST create FOLDER/doomed.RANK and wait for their
 * death: the first in MPI_Recv, the others outside of MPI.  When somebody opens the named pipe
 * FOLDER/dead for writing, the others go on with messages to themselves.  After each, they store
 * its number in FOLDER/count.RANK.  At the end, rank 0 creates FOLDER/waits.0 and waits, and the
 * others create FOLDER/exits.RANK and exit without MPI_Finalize; both files have the process id. If
 * no node dies, all ranks do all of this and finalize. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_TOGETHER = 20, N_ALONE = 30000, N_AFTER = 500, LONGEST = 4096 };

static const char *folder;
static int rank, size;
static char out[LONGEST], in[LONGEST];

/* The same numbers in each run, without a pattern, so that each rank fills some frames. */
static unsigned next_random(void)
{
    static unsigned state = 1;
    state = state * 1103515245U + 12345U;
    return state >> 8;
}

static void message_to_itself(void)
{
    const int bytes = (int)(next_random() % LONGEST), tag = (int)(next_random() % 30000);
    MPI_Sendrecv(out, bytes, MPI_CHAR, 0, tag, in, LONGEST, MPI_CHAR, 0, tag, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

static void exchange(int i)
{
    MPI_Sendrecv(out, 100 + i, MPI_CHAR, (rank + 1) % size, i, in, 100 + i, MPI_CHAR,
                 (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, out, 16, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
}

static void store(const char *name, int64_t number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", folder, name, rank);
    const int fd = open(path, O_WRONLY | O_CREAT, 0666);
    if (fd < 0 || pwrite(fd, &number, sizeof number, 0) != sizeof number)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(fd);
}

/* Not by usleep(), which the tracer records. */
static void wait_for_death_of_node(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/dead", folder);
    if (open(path, O_RDONLY) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_for_a_signal(void)
{
    while (1)
        pause();
}

int main(int argc, char **argv)
{
    char host[256] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gethostname(host, sizeof host - 1);
    folder = argc > 1 ? argv[1] : ".";
    const int one_dies = argc > 2, dies = one_dies && !strcmp(host, argv[2]);
    for (int i = 0; i < N_TOGETHER; i++)
        exchange(i);
    for (int i = 0; i < N_ALONE + rank; i++)
        message_to_itself();
    if (dies)
        store("doomed", getpid());
    if (dies && rank == size / 2)
        MPI_Recv(in, 1, MPI_CHAR, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (dies)
        wait_for_a_signal();
    if (one_dies)
        wait_for_death_of_node();
    for (int i = 0; i < N_AFTER; i++) {
        message_to_itself();
        store("count", i + 1);
    }
    if (one_dies && rank == 0) {
        store("waits", getpid());
        wait_for_a_signal();
    }
    if (one_dies) {
        store("exits", getpid());
        exit(3);
    }
    MPI_Finalize();
    return 0;
}
