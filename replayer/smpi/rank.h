/* rank.h - one simulated rank, which reads its events and issues the SMPI calls of these events. */
#ifndef TLR_SMPI_RANK_H
#define TLR_SMPI_RANK_H

#include "state.h"

/* ---- rank.c ---- */

/* Simulates the pending computation. */
void smpi_compute(smpi_rank *r);

/* A datatype of that many bytes. */
MPI_Datatype smpi_type(int bytes);
/* A count, or the bytes of a type, in the range that MPI requires. */
int smpi_count(const smpi_rank *r, int64_t count);
/* The body of each simulated rank. */
void smpi_rank_main(int argc, char **argv);
#endif
