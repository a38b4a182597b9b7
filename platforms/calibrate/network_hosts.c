/* network_hosts.c - the hosts of the ranks, and the properties of these hosts. */
#include "config.h"

#include "network_kinds.h"

#include "machine.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The longest description of a host, and the longest line of it. network_read.c reads lines shorter
 * than 512. */
enum { DESCRIPTION_BYTES = 8192, LINE_BYTES = 400 };

static void *get_memory(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory) {
        MPI_Abort(MPI_COMM_WORLD, 4);
        exit(4);
    }
    return memory;
}

int tlp_find_hosts(int *host, int *cores)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length, n_hosts = 0, n_ranks, own = (int)sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Get_processor_name(name, &length);
    char *names = get_memory((size_t)n_ranks * sizeof name);
    MPI_Allgather(name, sizeof name, MPI_BYTE, names, sizeof name, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Allgather(&own, 1, MPI_INT, cores, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < n_ranks; i++) {
        for (host[i] = 0;
             strcmp(names + (size_t)host[i] * sizeof name, names + (size_t)i * sizeof name) != 0;)
            host[i]++;
        n_hosts += host[i] == i;
    }
    free(names);
    return n_hosts;
}

void tlp_ranks_beside(const int *host, int n_ranks, int rank, int n, int *out)
{
    int found = 0;
    for (int i = 0; i < n_ranks && found < n; i++)
        if (host[i] == host[rank])
            out[found++] = i;
    while (found < n)
        out[found++] = -1;
}

const char *tlp_check_hosts(const int *host, int n_ranks, int n_hosts, int per_host, char *text,
                            size_t size)
{
    if (n_hosts < 2) {
        snprintf(text, size, "needs 2 hosts or more to measure what %d ranks on each share",
                 per_host);
        return text;
    }
    for (int first = 0; first < n_ranks; first++) {
        int n = 0;
        for (int i = 0; i < n_ranks && host[first] == first; i++)
            n += host[i] == first;
        if (!n || n == per_host)
            continue;
        snprintf(text, size,
                 "needs %d ranks on each host, but the launcher placed %d on the host of rank %d",
                 per_host, n, first);
        return text;
    }
    return NULL;
}

/* The description of this host, as text of DESCRIPTION_BYTES. */
static char *describe_own(int rank)
{
    char *own = get_memory(DESCRIPTION_BYTES), *text = NULL, *line, *rest;
    size_t size = 0, used = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return own;
    tlp_describe_machine(out);
    if (fclose(out) == 0 && text)
        for (rest = text; (line = strsep(&rest, "\n")) && used + LINE_BYTES < DESCRIPTION_BYTES;)
            if (*line)
                used += (size_t)snprintf(own + used, LINE_BYTES, "# machine %d %.*s\n", rank,
                                         LINE_BYTES - 32, line);
    free(text);
    return own;
}

char *tlp_describe_hosts(const int *host)
{
    int rank, n_ranks;
    size_t used = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    char *own = describe_own(rank), *all = get_memory((size_t)n_ranks * DESCRIPTION_BYTES + 1);
    MPI_Gather(own, DESCRIPTION_BYTES, MPI_BYTE, all, DESCRIPTION_BYTES, MPI_BYTE, 0,
               MPI_COMM_WORLD);
    for (int i = 0; i < n_ranks && !rank; i++) {
        const char *text = all + (size_t)i * DESCRIPTION_BYTES;
        const size_t length = host[i] == i ? strlen(text) : 0;
        memmove(all + used, text, length);
        used += length;
    }
    all[used] = '\0';
    free(own);
    return all;
}
