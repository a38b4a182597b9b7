/* loggops_program.h - the programs of the LogGOPS engine, made of a trace. */
#ifndef TLR_LOGGOPS_PROGRAM_H
#define TLR_LOGGOPS_PROGRAM_H

#include "loggops.h"
#include "plan.h"

/* Reads every rank's events.  Ranks that do the same, each with its own neighbours, get one program
 * in common.  `measured_s`, [mark][rank], may be NULL; model NULL: computation takes no time. */
tl_status loggops_read_trace(tl_reader *trace, tlr_plan *plan, const tlr_model *model,
                             double *measured_s, loggops_run **out, tl_error *err);
void loggops_run_free(loggops_run *run);

/* ---- loggops_share.c ---- */

/* The programs of a run by their contents. */
typedef struct loggops_table {
    uint32_t *slots; /* index + 1; open addressing */
    size_t n_slots;  /* a power of two */
    uint64_t *hashes;
    size_t hashes_room, programs_room;
} loggops_table;

/* Room for n elements, the new ones zero; 0 without memory. */
int loggops_grow(void **array, size_t n, size_t *room, size_t size);
/* Gives the rank the program of the run that is equal to `read`, or a copy of it; 0 without memory.
 */
int loggops_share_program(loggops_table *table, loggops_run *run, uint32_t rank,
                          const loggops_program *read);
void loggops_table_free(loggops_table *table);

/* ---- loggops_comm.c ---- */

/* The plan's communicators, and a last one that stands for every rank's MPI_COMM_SELF; 0 without
 * memory.  The members stay the plan's. */
int loggops_read_comms(loggops_run *run, const tlr_plan *plan);

#endif
