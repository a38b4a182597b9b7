/* timeline.h - the states of each rank over time, as an engine computes them.
 *
 * The engine adds each state when it ends, in a process of its own (sandbox.h). The states are in a
 * file without a name, so that the memory of the replay does not grow with them. Afterwards this
 * process reads them. */
#ifndef TLR_TIMELINE_H
#define TLR_TIMELINE_H

#include "replayer.h"

#include <stdbool.h>

/* The states of one rank follow each other without gaps and do not overlap. */
typedef enum tlr_state_kind {
    TLR_STATE_COMPUTE,
    TLR_STATE_KERNEL,
    TLR_STATE_SEND, /* and one-sided accesses */
    TLR_STATE_RECEIVE,
    TLR_STATE_WAIT,
    TLR_STATE_COLLECTIVE,
    TLR_STATE_IO,
    TLR_STATE_OTHER,   /* Init, Finalize, Pcontrol, Wtime */
    TLR_STATE_MESSAGE, /* no time: a message that MPI_Start sends */
    TLR_N_STATES
} tlr_state_kind;

/* The reason for the waiting in a call, in Scalasca's terms. A receive waits for a send that begins
 * later. A send that ends with its receive (a synchronous one, or one above the eager limit) waits
 * for a receive that begins later. A collective waits for the last rank that it needs: the root of
 * a broadcast, all ranks at the root of a reduction, the lower ranks of a scan, the neighbours,
 * otherwise all ranks. */
typedef enum tlr_wait {
    TLR_WAIT_NONE,
    TLR_WAIT_LATE_SENDER,
    TLR_WAIT_LATE_RECEIVER,
    TLR_WAIT_COLLECTIVE,
    TLR_N_WAITS
} tlr_wait;

typedef struct tlr_state {
    double begin_s, end_s; /* since the job's start */
    double wait_s;         /* of the call, until the rank for which it waited was ready */
    double cause_s;        /* when cause_rank started the message or collective that ended the
                              call */
    int64_t bytes;         /* sent in the call; if none are sent, received */
    uint32_t job, rank;
    uint32_t site;   /* of the rank; 0 unknown; of computation: that of its parallel region, or 0 */
    uint32_t before; /* of other computation: the call sites of the rank before and after it; */
    uint32_t after;  /* 0 unknown */
    uint32_t comm;   /* index + 1 of a tlr_plan_comm; 0 none */
    int32_t peer;    /* rank in MPI_COMM_WORLD, or -1 */
    int32_t tag;     /* level of MPI_Pcontrol, id of a user's kernel, of computation that of its
                        parallel region (parallel_regions.h) */
    int32_t cause_rank; /* may be the rank itself; -1: only the call itself */
    uint16_t call;      /* 0: computation between the calls */
    uint8_t kind;       /* tlr_state_kind */
    uint8_t wait;       /* tlr_wait: of what ended the call, although wait_s may be 0 */
} tlr_state;

typedef struct tlr_chosen tlr_chosen; /* chosen.h */

tl_status tlr_timeline_create(tlr_timeline **out, tl_error *err);
void tlr_timeline_free(tlr_timeline *timeline);
/* Keeps the chosen states only, and sums over the others (chosen.h), which the timeline owns. In
 * replays of one job by an engine in this process. */
void tlr_timeline_choose(tlr_timeline *timeline, tlr_chosen *chosen);
/* NULL: all states are kept. */
tlr_chosen *tlr_timeline_chosen(const tlr_timeline *timeline);

/* ---- in the engine's process ---- */

void tlr_timeline_put(tlr_timeline *timeline, const tlr_state *state);
/* Forgets all states. 0: the file cannot be emptied. */
int tlr_timeline_restart(tlr_timeline *timeline);
/* To be called when all states have been added. */
tl_status tlr_timeline_finish(tlr_timeline *timeline, tl_error *err);
/* To be called after that if the states were not added in the order of their ends, although those
 * of each rank were. Takes 16 bytes of memory for each state. */
tl_status tlr_timeline_sort(tlr_timeline *timeline, tl_error *err);

/* ---- afterwards ---- */

/* All states that are kept, ordered by their ends. Valid until the timeline is freed. */
tl_status tlr_timeline_read(tlr_timeline *timeline, const tlr_state **out, size_t *n,
                            tl_error *err);
/* "compute", "kernel", ... */
const char *tlr_state_kind_name(unsigned kind);
/* The kind in a picture (looks.def): its name, and its colour as "#59b266". */
const char *tlr_state_label(unsigned kind);
const char *tlr_state_colour(unsigned kind);
/* "late sender", "late receiver", "wait at collective"; "" if the state has no waiting. */
const char *tlr_wait_name(unsigned wait);
/* Whether a message from another rank ended the call. */
bool tlr_state_has_arrow(const tlr_state *state);
/* "MPI_Send", "dgemm", the program's name of a kernel, "compute". */
const char *tlr_state_name(const tlr_state *state, const tl_reader *trace);
/* For a call path, of which each function may be a template of C++ with a name of 500 bytes; for
 * the text of a state with up to two of them. */
enum { TLR_SITE_BYTES = 8192, TLR_PLACE_BYTES = 2 * TLR_SITE_BYTES + 512 };
/* The name and the call site as far as it is known: "MPI_Send exchange (halo.c:66)". Computation
 * has the call sites around it: "compute step (main.c:40) .. exchange (halo.c:66)". */
void tlr_state_place(const tlr_state *state, const tl_reader *trace, char *text, size_t size);

/* ---- as other programs read it: replayer/results/timeline_write.c ---- */

typedef enum tlr_timeline_format {
    TLR_TIMELINE_CSV,
    TLR_TIMELINE_CHROME,  /* JSON, for Perfetto and chrome://tracing */
    TLR_TIMELINE_PAJE,    /* for ViTE and pajeng */
    TLR_TIMELINE_PARAVER, /* FILE.prv; FILE.pcf and FILE.row: paraver.h */
    TLR_TIMELINE_PICTURE  /* tlr_timeline_draw */
} tlr_timeline_format;

/* The format follows from the end of the file name: .csv, .json, .paje, .trace, .prv, .svg, .pdf or
 * .png. */
tl_status tlr_timeline_format_of(const char *path, tlr_timeline_format *out, tl_error *err);
tl_status tlr_timeline_write(tlr_timeline *timeline, tlr_timeline_format format,
                             const tlr_job *jobs, tlr_prediction *const *predictions, size_t n_jobs,
                             FILE *out, tl_error *err);

/* ---- timeline_picture.c ---- */

/* Draws a row for each rank (of many ranks, for some of them together) into the file at `path`.
 * TL_ERR_SYSTEM: there is no gnuplot, or the file cannot be written. */
tl_status tlr_timeline_draw(tlr_timeline *timeline, const tlr_job *jobs,
                            tlr_prediction *const *predictions, size_t n_jobs, const char *path,
                            tl_error *err);

#endif
