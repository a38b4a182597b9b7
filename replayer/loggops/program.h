/* program.h - the programs of the LogGOPS engine, made of a trace. */
#ifndef TLR_LOGGOPS_PROGRAM_H
#define TLR_LOGGOPS_PROGRAM_H

#include "actions.h"
#include "loggops/folder.h"
#include "plan.h"

#include <stdbool.h>

/* ---- select.c ---- */

typedef enum loggops_selector { LOGGOPS_DEFAULT = 0, LOGGOPS_OMPI, LOGGOPS_MPICH } loggops_selector;

/* How algorithms are chosen. */
typedef struct loggops_choice {
    loggops_selector selector;
    bool is_ompi;                 /* ompi-4.1 or ompi-5.0: communicators are made as there */
    uint64_t S_bytes;             /* sends of so many bytes wait for their receives */
    uint8_t chosen[TL_N_ACTIONS]; /* by action, whatever the selector says; 0: none */
    char *stand_ins; /* "bcast scatter_LR_allgather for scatter_allgather; ...;": what was taken for
                        what the engine does not have; the owner's to free; NULL: nothing */
    const char *noted[TL_N_ACTIONS]; /* by action: what the last of these was for */
} loggops_choice;

/* tlr_engine.algorithms */
tl_status loggops_algorithms(const char *collective, char **out, tl_error *err);
/* From --coll-selector, and from options smpi/NAME:ALGORITHM, as which --coll comes. */
tl_status loggops_read_choice(const tlr_platform *platform, const tlr_options *options,
                              loggops_choice *out, tl_error *err);
/* What an algorithm is chosen by; elements and bytes as in ompi_rules.def, and of an allgather with
 * different blocks in all. */
typedef struct loggops_call {
    tl_action action; /* that of the equal blocks */
    uint32_t size;    /* ranks */
    uint64_t count, bytes;
    int32_t root;
    bool has_sizes; /* a list of blocks ... */
    bool is_even;   /* ... that are equal, or none */
    bool is_noncommutative;
    uint32_t n_on_host; /* as in loggops_comm, and 0 if they do not follow each other */
    bool is_uneven;     /* some hosts have more ranks than others */
} loggops_call;

/* The algorithm of a blocking collective. Of TLR_ON_HOSTS, `parts` gets the list without its
 * length. TLR_NO_ALGORITHM without memory. */
enum { LOGGOPS_PARTS = 4 };
uint8_t loggops_choose(loggops_choice *choice, const loggops_call *call,
                       int64_t parts[LOGGOPS_PARTS]);

/* ---- program.c ---- */

/* What becomes the programs of a run. */
typedef struct loggops_source {
    tl_reader *trace;
    tlr_plan *plan;
    const tlr_model *model;       /* NULL: computation takes no time */
    const loggops_places *places; /* NULL: each rank has a host to itself */
    const tlr_options *options;
    loggops_choice *choice;
    double *measured_s; /* [mark][rank]; NULL: not wanted */
} loggops_source;

/* Reads every rank's events.  Ranks that do the same, each with its own neighbours, get one program
 * in common. */
tl_status loggops_read_trace(const loggops_source *source, loggops_run **out, tl_error *err);
void loggops_run_free(loggops_run *run);
/* What all ranks have in common: communicators and room for the rest. */
loggops_run *loggops_run_begin(const tlr_plan *plan, const loggops_places *places);

/* ---- stream.c ---- */

/* A run that is read while it is simulated, in constant memory for each rank: of a program that
 * makes its events, which asks the simulation where messages are, or of a long trace. */
typedef struct loggops_streams loggops_streams;
/* Whether the run is to be read so: a program; a trace whose operations would take more memory than
 * cursors of all ranks, and much.  Not for a timeline, which needs what a rank computes in all, nor
 * where a request's end decides what its begin means. */
bool loggops_is_streamed(tl_reader *trace, const tlr_plan *plan, const tlr_options *options);
tl_status loggops_streams_open(const loggops_source *source, loggops_streams **out, tl_error *err);
/* The run, for a simulation from the beginning. */
tl_status loggops_streams_run(loggops_streams *streams, loggops_run **run, tl_error *err);
void loggops_streams_close(loggops_streams *streams);

/* ---- interfere.c ---- */

tl_status loggops_load_open(uint32_t n_ranks, const loggops_places *places, loggops_load *load,
                            tl_error *err);
void loggops_load_free(loggops_load *load);
/* The load for the next reading, from what the last one added and how long the ranks took. */
void loggops_load_settle(loggops_load *load, const loggops_places *places,
                         const loggops_rank_result *ranks);

/* ---- share.c ---- */

/* The programs of a run by their contents. */
typedef struct loggops_table {
    uint32_t *slots; /* index + 1; open addressing */
    size_t n_slots;  /* a power of two */
    uint64_t *hashes;
    size_t hashes_room, programs_room, labels_room;
} loggops_table;

/* Room for n elements, the new ones zero; 0 without memory. */
int loggops_grow_more(void *array, size_t n, size_t *room, size_t size);
static inline int loggops_grow(void *array, size_t n, size_t *room, size_t size)
{
    return n <= *room || loggops_grow_more(array, n, room, size);
}
/* Gives the rank the program of the run that is equal to `read`, or a copy of it; 0 without memory.
 * Programs with different labels are different, if the run has labels. */
int loggops_share_program(loggops_table *table, loggops_run *run, uint32_t rank,
                          const loggops_program *read, const loggops_labels *labels);
void loggops_table_free(loggops_table *table);

/* ---- comm.c ---- */

/* The plan's communicators, and a last one that stands for every rank's MPI_COMM_SELF; 0 without
 * memory.  The members stay the plan's. */
int loggops_read_comms(loggops_run *run, const tlr_plan *plan, const loggops_places *places);

#endif
