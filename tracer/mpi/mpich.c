/* mpich.c - checks that the tracer is loaded into every rank of this host that MPICH's launcher,
 * Hydra, started. Otherwise the tracer's operations on MPI_COMM_WORLD would wait forever for a rank
 * without it, for example if a wrapper script loads the tracer into some ranks only.
 *
 * Before MPI_Init each rank takes a name that only one process of this host can hold: it consists
 * of the process that started the host's ranks, which is the other end of PMI's socket, and of the
 * number that Hydra gives the rank. After MPI_Init, which waits for all ranks, a name that nobody
 * holds is that of a rank without the tracer. The check is impossible, and all ranks are assumed to
 * have the tracer, if another launcher started them, and for ranks on other hosts. */
#include "config.h"

#include "pmpi.h" /* first: it names what follows */

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "hosts.h"
#include "runtime.h"

static long read_number(const char *variable)
{
    const char *text = getenv(variable);
    char *end = NULL;
    const long n = text ? strtol(text, &end, 10) : -1;
    return text && *text && !*end ? n : -1;
}

/* The process that started the ranks of this host; 0: unknown. */
static pid_t find_launcher(void)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    const long fd = read_number("PMI_FD");
    if (fd < 0 || getsockopt((int)fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return 0;
    return peer.pid;
}

static socklen_t name_rank(struct sockaddr_un *name, pid_t launcher, long local_rank)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1,
                           "timeless rank %ld of %ld", local_rank, (long)launcher);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static bool has_answered;

void tlt_mpich_answer(void)
{
    struct sockaddr_un name;
    const pid_t launcher = find_launcher();
    const long rank = read_number("MPI_LOCALRANKID");
    const int fd = launcher && rank >= 0 ? open_socket() : -1;
    if (fd < 0)
        return;
    const socklen_t size = name_rank(&name, launcher, rank);
    /* The descriptor stays open until the process ends. */
    has_answered = bind(fd, (struct sockaddr *)&name, size) == 0;
    if (!has_answered)
        close(fd);
}

typedef struct roll_call {
    int fd;
    pid_t launcher;
} roll_call;

static bool is_missing(void *of, long rank)
{
    const roll_call *call = of;
    struct sockaddr_un name;
    const socklen_t size = name_rank(&name, call->launcher, rank);
    return connect(call->fd, (struct sockaddr *)&name, size) != 0 && errno == ECONNREFUSED;
}

bool tlt_mpich_has_all_ranks(void)
{
    const pid_t launcher = find_launcher();
    const long n_ranks = read_number("MPI_LOCALNRANKS");
    roll_call call = {has_answered && launcher ? open_socket() : -1, launcher};
    if (call.fd < 0)
        return true;
    const bool all =
        tlt_all_are_present(n_ranks, read_number("MPI_LOCALRANKID"),
                            n_ranks < tlt.n_ranks ? " of this host" : "", is_missing, &call);
    close(call.fd);
    return all;
}
