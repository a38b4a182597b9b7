/* oracle_run.h - one rank of a schedule: state and the two halves of the interpreter. */
#ifndef ORACLE_RUN_H
#define ORACLE_RUN_H

#include <mpi.h>
#include <stddef.h>

#include "oracle.h"

typedef struct oracle_rank {
    const oracle_schedule *schedule;
    int rank; /* in MPI_COMM_WORLD */
    MPI_Comm comms[ORACLE_MAX_COMMS];
    MPI_Datatype types[TYPES + 1];
    MPI_Op ops[OPS];
    char *out, *in; /* what is sent from, and where blocking calls receive */
    char *attached; /* for Bsend */
    int n_pending;
    MPI_Request pending[ORACLE_MAX_PENDING];
    char *landing[ORACLE_MAX_PENDING]; /* where a pending receive goes, NULL for sends */
    MPI_Status statuses[ORACLE_MAX_PENDING];
} oracle_rank;

/* Arguments of the calls with one count per rank, as this rank gives them. */
typedef struct oracle_shares {
    int counts[ORACLE_MAX_RANKS], displs[ORACLE_MAX_RANKS];
    MPI_Datatype types[ORACLE_MAX_RANKS];
} oracle_shares;

/* What `me` sends to each rank (or receives from each).  In units of bytes for Alltoallw, whose
 * types differ by pair. */
void oracle_fill_shares(const oracle_rank *self, const oracle_step *step, int me, int sends,
                        oracle_shares *s);
/* Gatherv, Scatterv, Allgatherv: one count for each rank, whoever asks. */
void oracle_fill_row(const oracle_rank *self, const oracle_step *step, oracle_shares *s);

/* Carry out this rank's part of a step; `me` is its rank in the step's communicator. */
void oracle_run_p2p(oracle_rank *self, const oracle_step *step, int me);
void oracle_run_collective(oracle_rank *self, const oracle_step *step, int me);
void oracle_run_communicator(oracle_rank *self, const oracle_step *step, int me);
void oracle_run_nonblocking(oracle_rank *self, const oracle_step *step, int me);
/* Computes a share of up to `units`. */
void oracle_compute(const oracle_step *step, int me, int64_t units);
void oracle_run_window(oracle_rank *self, const oracle_step *step, int me);

#endif
