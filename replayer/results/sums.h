/* sums.h - time, waits and bytes, summed by name. */
#ifndef TLR_SUMS_H
#define TLR_SUMS_H

#include "timeline.h"

typedef struct tlr_sum {
    char *name;
    uint64_t count;
    double time_s;              /* of all ranks */
    double wait_s[TLR_N_WAITS]; /* the part of it that was waiting, by kind */
    int64_t bytes;
    double balanced_s;  /* of a parallel region: if all threads did the same work */
    uint32_t n_threads; /* of a parallel region, at most */
    /* In the recorded run, if the trace has durations: */
    uint64_t n_measured;
    double measured_s, longest_s; /* of all calls; of the longest one */
    uint32_t longest_rank;
} tlr_sum;

/* The mean work of the threads of a parallel region in that of the slowest one. */
static inline double tlr_balance_of(const tlr_sum *region)
{
    return region->time_s > 0 ? region->balanced_s / region->time_s : 1;
}

/* Ordered by time, longest first. */
typedef struct tlr_sums {
    size_t n;
    tlr_sum *rows;
} tlr_sums;

/* Rows by name, while they are summed. */
typedef struct tlr_table {
    size_t n, room; /* room: a power of two, more than twice n */
    size_t *slots;  /* index + 1 of a row; 0 empty */
    tlr_sum *rows;
    int failed; /* no memory */
} tlr_table;

/* "MPI_Pcontrol(1)"; "before MPI_Pcontrol" for TLR_NO_LEVEL. */
#define TLR_NO_LEVEL INT64_MIN
void tlr_region_name(int64_t level, char *text, size_t size);

/* The row of a name. A new row is all 0. NULL without memory. Valid until the next call. */
tlr_sum *tlr_table_at(tlr_table *table, const char *name);
/* Moves the rows to `out`, in order. */
void tlr_table_take(tlr_table *table, tlr_sums *out);
void tlr_table_close(tlr_table *table);
void tlr_sums_free(tlr_sum *rows, size_t n);

#endif
