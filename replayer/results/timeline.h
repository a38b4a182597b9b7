/* timeline.h - what each rank does when, as an engine finds it out.
 *
 * The engine puts states as they end, in a process of its own (sandbox.h); they lie in a nameless
 * file, so that the replay's memory does not grow with them.  Afterwards they are read here.
 */
#ifndef TLR_TIMELINE_H
#define TLR_TIMELINE_H

#include "replayer.h"

/* The states of one rank follow each other without gap and overlap. */
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

/* What a call waits for, in Scalasca's terms: a receive for a send that begins later; a send that
 * ends with its receive (synchronous, or too large for the eager limit) for a receive that begins
 * later; a collective for the last rank that it cannot do without (the root of a broadcast, all at
 * the root of a reduction, the lower ranks of a scan, the neighbours, otherwise all). */
typedef enum tlr_wait {
    TLR_WAIT_NONE,
    TLR_WAIT_LATE_SENDER,
    TLR_WAIT_LATE_RECEIVER,
    TLR_WAIT_COLLECTIVE,
    TLR_N_WAITS
} tlr_wait;

typedef struct tlr_state {
    double begin_s, end_s; /* since the job's start */
    double wait_s;         /* from its begin until the one was there whom it waited for */
    double cause_s;        /* since when what ended the call was under way, on cause_rank: the
                              message or collective that was complete last */
    int64_t bytes;         /* that the rank sends in the call, otherwise receives */
    uint32_t job, rank;
    uint32_t site;      /* of the rank; 0 unknown */
    uint32_t comm;      /* index + 1 of a tlr_plan_comm; 0 none */
    int32_t peer;       /* rank in MPI_COMM_WORLD, or -1 */
    int32_t tag;        /* level of MPI_Pcontrol, id of a user's kernel */
    int32_t cause_rank; /* may be the rank itself; -1: nothing but the call */
    uint16_t call;      /* 0: computation between the calls */
    uint8_t kind;       /* tlr_state_kind */
    uint8_t wait;       /* tlr_wait: of what ended the call, although wait_s may be 0 */
} tlr_state;

tl_status tlr_timeline_create(tlr_timeline **out, tl_error *err);
void tlr_timeline_free(tlr_timeline *timeline);

/* ---- in the engine's process ---- */

void tlr_timeline_put(tlr_timeline *timeline, const tlr_state *state);
/* Once all states are put. */
tl_status tlr_timeline_finish(tlr_timeline *timeline, tl_error *err);

/* ---- afterwards ---- */

/* All states, ordered by their ends; valid until the timeline is freed. */
tl_status tlr_timeline_read(tlr_timeline *timeline, const tlr_state **out, size_t *n,
                            tl_error *err);
/* "compute", "kernel", ... */
const char *tlr_state_kind_name(unsigned kind);
/* "late sender", "late receiver", "wait at collective"; "" of none. */
const char *tlr_wait_name(unsigned wait);
/* "MPI_Send", "dgemm", the user's name of a kernel, "compute". */
const char *tlr_state_name(const tlr_state *state, const tl_reader *trace);
/* That and the call site, "MPI_Send hpcc+0x12", as far as it is known. */
void tlr_state_place(const tlr_state *state, const tl_reader *trace, char *text, size_t size);

/* ---- as other programs read it: replayer/results/timeline_write.c ---- */

typedef enum tlr_timeline_format {
    TLR_TIMELINE_CSV,
    TLR_TIMELINE_CHROME, /* JSON, for Perfetto and chrome://tracing */
    TLR_TIMELINE_PAJE    /* for ViTE and pajeng */
} tlr_timeline_format;

/* From the end of a file's name: .csv, .json, .paje or .trace. */
tl_status tlr_timeline_format_of(const char *path, tlr_timeline_format *out, tl_error *err);
/* One self-contained HTML page of the run that had the platform to itself, with its details:
 * replayer/results/report.c. */
tl_status tlr_report_write(tlr_timeline *timeline, const tlr_job *job,
                           const tlr_prediction *prediction, FILE *out, tl_error *err);
tl_status tlr_timeline_write(tlr_timeline *timeline, tlr_timeline_format format,
                             const tlr_job *jobs, tlr_prediction *const *predictions, size_t n_jobs,
                             FILE *out, tl_error *err);

#endif
