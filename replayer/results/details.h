/* details.h - sums over a timeline, by call, call site, communicator, region and partner. */
#ifndef TLR_DETAILS_H
#define TLR_DETAILS_H

#include "critical_path.h"

/* Messages of point-to-point calls from one rank to another. */
typedef struct tlr_traffic {
    uint32_t from, to;
    uint64_t messages;
    int64_t bytes;
} tlr_traffic;

enum { TLR_N_SIZES = 64 };

/* Seconds that a rank waits in its calls, by kind. */
typedef struct tlr_rank_waits {
    double wait_s[TLR_N_WAITS];
} tlr_rank_waits;

struct tlr_details {
    tlr_sums calls;         /* "MPI_Send", "dgemm", "compute" */
    tlr_sums sites;         /* "MPI_Send hpcc+0x12" */
    tlr_sums communicators; /* "MPI_COMM_WORLD", "communicator 3" */
    tlr_sums regions;       /* "MPI_Pcontrol(1)", "before MPI_Pcontrol"; none without it */
    tlr_sums parallel;      /* "Parallel grid.f90:85": the slowest threads of parallel regions */
    tlr_sums functions;     /* "solve (solver.c)": computation, if its stack was sampled */
    uint32_t n_ranks;
    tlr_rank_waits *ranks;
    char *chosen; /* ranks and time whose states were kept; NULL: all. The waits of ranks, the calls
                     and the parts of the path are of all, the rest of these states alone */
    tlr_path *path;
    size_t n_traffic;
    tlr_traffic *traffic; /* by from, to */
    /* Messages of 0 bytes, 1, 2 to 3, 4 to 7, ... */
    uint64_t size_messages[TLR_N_SIZES];
    int64_t size_bytes[TLR_N_SIZES];
};

/* The details of one job of a replay with these options. */
tl_status tlr_details_make(const tlr_options *options, const tlr_job *jobs, size_t job,
                           tlr_details **out, tl_error *err);
void tlr_details_free(tlr_details *details);
/* Prints the tables of a prediction with details (replayer/results/details_print.c). */
void tlr_details_print(const tlr_prediction *prediction, FILE *out);

#endif
