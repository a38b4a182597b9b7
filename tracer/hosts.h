/* hosts.h - finds out which ranks share a machine, and how closely. */
#ifndef TLT_HOSTS_H
#define TLT_HOSTS_H

#include <limits.h>
#include <stdbool.h>

enum { TLT_LABEL_BYTES = HOST_NAME_MAX + 16 };

typedef struct tlt_hosts {
    int n_hosts;
    bool first; /* this is the lowest rank on its host */
    char
        label[TLT_LABEL_BYTES]; /* of this rank's host: its name, numbered where it is not unique */
    char *parts;                /* labels of all hosts, blanks between; "" for one host */
    int n_ranks,
        n_cores;       /* of this rank's host: all ranks there, and the cores that these may use */
    bool shares_cores; /* some of these ranks may use the same cores */
    char folding[64];  /* "64 ranks on 2 cores" where ranks must share cores, else "" */
} tlt_hosts;

/* Collective over all ranks, with the same result on all of them. False if there is no memory for
 * it. */
bool tlt_hosts_find(int rank, int n_ranks, tlt_hosts *out);
void tlt_hosts_free(tlt_hosts *hosts);

/* The least value over all ranks. */
int tlt_least(int mine);

/* roll_call.c. The first function is to be called before MPI_Init. The second one is to be called
 * after it: true if every rank has the tracer, as far as this can be found out. Otherwise it
 * reports the ranks without it, and no collective call is allowed. */
void tlt_roll_call_answer(void);
bool tlt_roll_call(void);

/* split.c: a launcher has started several ranks, but this one is the only rank of its run. Reports
 * this once for all. */
bool tlt_is_split(int n_ranks);

/* Whether no rank is missing. Otherwise the first one with the tracer, `own`, reports the others.
 */
bool tlt_all_are_present(long n_ranks, long own, const char *of_what,
                         bool (*is_missing)(void *of, long rank), void *of);

#endif
