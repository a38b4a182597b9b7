/* hosts.c - ranks are on one machine when one kernel, under one host name, runs them. */
#include "config.h"

#include "hosts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/interface.h"
#include "runtime.h"

/* What every rank tells all others. */
typedef struct seat {
    char boot_id[40];
    char host[HOST_NAME_MAX + 1];
    cpu_set_t cpus;
} seat;

typedef struct machine {
    const seat *first;
    int number; /* among those of the same host name, from 1 */
    int n_ranks;
    int n_seats_cpus; /* those of all ranks, added up */
    cpu_set_t cpus;
} machine;

int tlt_least(int mine)
{
    int least = 0;
    tlt_mpi->least(&mine, &least, 1);
    return least;
}

static void take_seat(seat *s)
{
    memset(s, 0, sizeof *s);
    tlt_read_text("/proc/sys/kernel/random/boot_id", s->boot_id, sizeof s->boot_id);
    gethostname(s->host, sizeof s->host - 1);
    for (char *p = s->host; *p; p++)
        if (*p == ' ' || *p == '/') /* it becomes a word, and part of a file name */
            *p = '_';
    CPU_ZERO(&s->cpus);
    sched_getaffinity(0, sizeof s->cpus, &s->cpus);
}

/* The machine of this seat; a new one if it is the first there. */
static machine *machine_of(const seat *s, machine *machines, int *n_machines)
{
    int number = 1;
    for (int i = 0; i < *n_machines; i++) {
        if (strcmp(machines[i].first->host, s->host) != 0)
            continue;
        if (!strcmp(machines[i].first->boot_id, s->boot_id))
            return &machines[i];
        number++;
    }
    machines[*n_machines] = (machine){.first = s, .number = number};
    return &machines[(*n_machines)++];
}

static void label_of(const machine *m, char *label, size_t size)
{
    if (m->number == 1)
        snprintf(label, size, "%s", m->first->host);
    else
        snprintf(label, size, "%s-%d", m->first->host, m->number);
}

static void describe_folding(const machine *machines, int n_machines, char *text, size_t size)
{
    double worst = 1;
    for (int i = 0; i < n_machines; i++) {
        int cores = CPU_COUNT(&machines[i].cpus);
        if (!cores || machines[i].n_ranks <= worst * cores)
            continue;
        worst = (double)machines[i].n_ranks / cores;
        snprintf(text, size, "%d ranks on %d core%s", machines[i].n_ranks, cores,
                 cores == 1 ? "" : "s");
    }
}

static void list_parts(const machine *machines, int n_machines, char *parts)
{
    char *end = parts;
    *parts = '\0';
    for (int i = 0; n_machines > 1 && i < n_machines; i++) {
        if (i)
            *end++ = ' ';
        label_of(&machines[i], end, TLT_LABEL_BYTES);
        end += strlen(end);
    }
}

bool tlt_hosts_find(int rank, int n_ranks, tlt_hosts *out)
{
    *out = (tlt_hosts){0};
    size_t n = (size_t)n_ranks;
    seat *seats = malloc(n * sizeof *seats), mine;
    machine *machines = malloc(n * sizeof *machines);
    int n_machines = 0;
    bool ok = tlt_least(seats && machines);
    if (!ok || !seats || !machines)
        goto cleanup;
    take_seat(&mine);
    tlt_mpi->gather(&mine, seats, sizeof mine);
    for (int i = 0; i < n_ranks; i++) {
        machine *m = machine_of(&seats[i], machines, &n_machines);
        m->n_ranks++;
        m->n_seats_cpus += CPU_COUNT(&seats[i].cpus);
        CPU_OR(&m->cpus, &m->cpus, &seats[i].cpus);
        if (i == rank) {
            out->first = m->first == &seats[i];
            label_of(m, out->label, sizeof out->label);
        }
    }
    const machine *here = machine_of(&mine, machines, &n_machines);
    out->n_hosts = n_machines;
    out->n_ranks = here->n_ranks;
    out->n_cores = CPU_COUNT(&here->cpus);
    out->shares_cores = here->n_seats_cpus > out->n_cores;
    describe_folding(machines, n_machines, out->folding, sizeof out->folding);
    out->parts = malloc((size_t)(n_machines + 1) * TLT_LABEL_BYTES);
    ok = tlt_least(out->parts != NULL);
    if (ok && out->parts)
        list_parts(machines, n_machines, out->parts);
cleanup:
    free(seats);
    free(machines);
    return ok;
}

void tlt_hosts_free(tlt_hosts *hosts)
{
    free(hosts->parts);
    hosts->parts = NULL;
}
