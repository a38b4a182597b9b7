/* reading.h - a trace on its way to programs.
 *
 * program.c and made.c translate events; both call blocks.c for collectives, and all three append
 * by operations.c.  No other file includes this header but stream.c. */
#ifndef TLR_LOGGOPS_READING_H
#define TLR_LOGGOPS_READING_H

#include "program.h"
#include "machine/rank_model.h"
#include "event_steps.h"

#include <stdbool.h>

/* The trace's requests follow these. */
enum { FOR_SENDRECV_SEND = 1, FOR_SENDRECV_RECV, DETACHED, FIRST_OF_TRACE };

/* What is known of one request while a rank's events are read. */
typedef struct loggops_request {
    size_t op;           /* 1 + the operation that started it last; 0: none */
    bool is_cancelled;   /* since then */
    loggops_op on_start; /* of a persistent request; kind LOGGOPS_END if it is none */
    int64_t bytes;       /* of a persistent request with a label; negative: it receives */
} loggops_request;

/* The probes of a stream that are read before the first is answered. */
enum { LOGGOPS_PROBES_AHEAD = 4 };

/* What has been read of a rank up to a probe. */
typedef struct loggops_read_point {
    uint64_t n_read, n_regions;
    loggops_sums sums;
    tlr_model_sums of_rates;
    uint64_t compute_ps;
} loggops_read_point;

/* Beyond so many accesses of a rank, the next one waits for the older half. */
enum { LOGGOPS_MOST_ACCESSES = 4096 };

/* An access to a window that nothing has waited for. */
typedef struct loggops_access {
    uint32_t window, request;
    int32_t target;
    bool is_put;
} loggops_access;

/* The ranks that may access a window, or whose windows are accessed. */
typedef struct loggops_group {
    int64_t *ranks;
    size_t n, room;
} loggops_group;

typedef struct loggops_window {
    loggops_group posted, started;
} loggops_window;

/* A thread of the rank that called MPI. */
typedef struct loggops_thread {
    size_t left; /* 1 + the number of operations when it last left MPI; 0: it has no event yet */
    double compute_s; /* not yet an operation */
    uint32_t timer;   /* its own request; 0: none yet */
} loggops_thread;

typedef struct loggops_reading {
    /* What most events need comes first. */
    loggops_op *ops; /* of this rank */
    size_t n_ops, ops_room;
    uint64_t n_read, n_regions; /* events so far, and parallel regions of threads */
    double compute_s;           /* not yet an operation */
    loggops_sums sums;          /* so far; estimated_s of the model is in rates */
    uint64_t compute_ps, io_ps; /* of a stream, so far */
    const tlr_model *model;
    double s_per_s; /* of the rank's host, for a second of the model's */
    uint32_t rank;
    uint32_t n_ranks;
    uint32_t world;       /* of a stream: its only communicator */
    bool is_stream;       /* operations are gone once they have been simulated ... */
    bool is_made;         /* ... and a program makes the events */
    tlr_rank_model rates; /* of this rank */
    uint32_t n_probes;    /* of a stream: in the operations at hand */
    loggops_read_point at_probes[LOGGOPS_PROBES_AHEAD];

    loggops_label *labels;
    size_t n_labels, labels_room;
    bool is_labelled; /* labels are wanted */

    tl_reader *trace;
    tlr_plan *plan;
    tlr_walk walk; /* of this rank */
    loggops_choice *choice;
    const tlr_options *options;
    const loggops_places *places;
    double *measured_s;
    loggops_run *run;
    tl_error *err;
    tl_status status; /* of the first failure; what follows it does nothing of use */

    int64_t *list;
    size_t n_list, list_room;
    loggops_request *requests;
    size_t requests_room;
    uint32_t n_requests;
    loggops_request no_request; /* without memory */
    int32_t *n_started;         /* by communicator: collectives that do not block */
    size_t n_started_room;
    loggops_access *accesses; /* open ones, in their order */
    size_t n_accesses, accesses_room;
    uint32_t *unused; /* requests of our own that are not in use */
    size_t n_unused, unused_room;
    uint32_t n_own;          /* all of these */
    loggops_window *windows; /* by the rank's id */
    size_t windows_room;
    loggops_window no_window; /* without memory */
    uint32_t *split;          /* by the rank's id of a file: request of the split call; 0: none */
    size_t split_room;
    loggops_thread *threads;
    size_t n_threads, threads_room;
    size_t resumed_from; /* loggops_thread.left, until the thread's next operation; 0: since then */
    uint32_t thread;     /* whose events follow */
    uint32_t entered;    /* tlr_step.entered of the event at hand */
    loggops_table programs; /* those of the ranks before */
} loggops_reading;

/* ---- operations.c ---- */

/* Failures are noted in loggops_reading.status; loggops_out_of_memory also returns it. */
tl_status loggops_out_of_memory(loggops_reading *t);
/* The engine does not know the call. */
void loggops_refuse(loggops_reading *t, const tl_event *e);
/* Makes room for n elements of an array (its address), the new ones zero; 0 without memory. */
bool loggops_make_more_room(loggops_reading *t, void *array, size_t n, size_t *room, size_t size);
static inline bool loggops_has_room(loggops_reading *t, void *array, size_t n, size_t *room,
                                    size_t size)
{
    return n <= *room || loggops_make_more_room(t, array, n, room, size);
}

/* Appends an operation; a list, and returns its place; a wait for requests; an operation that
 * starts a request; the computation since the last operation. */
void loggops_add(loggops_reading *t, loggops_op op);
uint32_t loggops_add_list(loggops_reading *t, const int64_t *values, size_t n);
void loggops_add_wait(loggops_reading *t, const int64_t *requests, size_t n);
void loggops_add_started(loggops_reading *t, loggops_op op, int64_t request);
void loggops_add_compute(loggops_reading *t);

/* The state of a request of the trace. */
loggops_request *loggops_request_of(loggops_reading *t, int64_t id);
/* A request of our own; one that nothing has used before. */
uint32_t loggops_own_request(loggops_reading *t);
uint32_t loggops_new_request(loggops_reading *t);
/* Waits for these requests of our own, which nothing uses any more then. */
void loggops_wait_for(loggops_reading *t, const int64_t *requests, size_t n);
/* The partner as an operation names it. */
int32_t loggops_partner_in(const loggops_reading *t, uint32_t comm, int64_t peer);
/* Index of the event's communicator in the run. */
uint32_t loggops_comm_of(const loggops_reading *t, const tl_event *e);

/* ---- labels.c: what a timeline shows of the operations, if it is wanted ---- */

/* Computation of so many seconds before or, a kernel, in an event: it is not yet an operation. */
void loggops_label_computation(loggops_reading *t, const tl_event *e, bool is_kernel,
                               uint32_t before, double seconds);
/* An event, all of whose operations follow the first `n_before`. */
void loggops_label_event(loggops_reading *t, const tl_event *e, const tl_call_info *info,
                         size_t n_before);
/* The message that MPI_Start sends, by this operation. */
void loggops_label_started(loggops_reading *t, const loggops_op *op);
/* The computation was too short for an operation. */
void loggops_label_none(loggops_reading *t);
/* The operations before this one are gone: labels of what has no operation yet stay. */
void loggops_keep_labels(loggops_reading *t, size_t op);

/* ---- interfere.c ---- */

/* The seconds of a burst or kernel on the loaded host; adds them to the load. */
double loggops_slow_down(loggops_reading *t, uint32_t from, uint32_t to, uint16_t kernel,
                         double seconds);

/* ---- program.c, made.c ---- */

/* A reading that has not begun. */
loggops_reading loggops_reading_of(const loggops_source *source, tl_error *err);
/* Begins to read a rank: nothing has been read yet. */
tl_status loggops_begin_rank(loggops_reading *t, uint32_t rank);
/* The rank's computation in kernels, for the result. */
void loggops_note_kernels(loggops_reading *t);
/* What an event means; what was computed at the end. */
tl_status loggops_translate(loggops_reading *t, tl_event *e);
/* The same of all events that a program has made since. */
tl_status loggops_translate_made(loggops_reading *t, tl_cursor *cursor);
/* Frees all but the run and the table of programs. */
void loggops_reading_free(loggops_reading *t);

/* ---- thread.c ---- */

/* The following events are those of this thread of the rank. */
void loggops_switch_thread(loggops_reading *t, uint32_t number);
/* So many picoseconds of the thread that has been resumed, beside what other threads did. */
void loggops_compute_beside(loggops_reading *t, uint64_t amount);

/* ---- blocks.c ---- */

void loggops_add_collective(loggops_reading *t, const tl_event *e, const tl_call_info *info);
/* The two sides of the rank in a collective. */
void loggops_take_sides(const loggops_reading *t, const tl_event *e, const tl_meaning *m,
                        tl_side *sent, tl_side *received);
/* A nonblocking collective; one that starts whenever its request does. */
void loggops_add_numbered(loggops_reading *t, loggops_op op, int64_t request);
void loggops_add_persistent(loggops_reading *t, loggops_op op, int64_t request);
/* A collective of so many elements; less than two ranks do nothing. */
void loggops_add_small(loggops_reading *t, tl_action base, uint32_t comm, unsigned count,
                       unsigned type_bytes);
/* All members agree on something small: a constructor of communicators. */
void loggops_add_constructor(loggops_reading *t, const tl_event *e);

/* ---- one_sided.c, file.c ---- */

void loggops_add_one_sided(loggops_reading *t, const tl_event *e, const tl_call_info *info);
void loggops_close_windows(loggops_reading *t);
void loggops_add_file(loggops_reading *t, const tl_event *e, const tl_call_info *info);

#endif
