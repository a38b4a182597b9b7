/* runtime.h - the state of the tracer in one process and the way of one recorded call.
 *
 * Every wrapper does the same:
 *
 *     if (!tlt_enter())                       not recording: pass the call on
 *         return tlt_real()->Call(...);
 *     ... fill an event, call tlt_pmpi.Call ...
 *     tlt_put(&event);
 *     tlt_leave();
 *
 * What runs between tlt_enter and tlt_leave belongs to no volume.  One thread is recorded, the one
 * that called MPI_Init; a thread-local role is the only test on the way in, and also keeps calls
 * that MPI or a kernel makes from inside a recorded call out of the trace.
 *
 * A Fortran call arrives here through the C function that its binding calls: fortran.c has read the
 * volume before, and marks it again when the binding returns.
 */
#ifndef TLT_RUNTIME_H
#define TLT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "timeless.h"

#define TLT_API __attribute__((visibility("default")))
#define TLT_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum tlt_role {
    TLT_BYSTANDER = 0,
    TLT_RECORDING,
    TLT_BINDING, /* in a Fortran binding that has not called the C function yet */
    TLT_INSIDE
};

/* Which kernels are events. */
enum tlt_kernels {
    TLT_KERNELS_NONE = 0,
    TLT_KERNELS_LARGE, /* all but level 1 of BLAS on short vectors */
    TLT_KERNELS_ALL
};

/* The Fortran call in which this thread is. */
typedef struct tlt_binding_call {
    void *caller;         /* its return address in the program; NULL: in none */
    const void *requests; /* the program's INTEGERs for the request, or for the array of them */
    bool after_poll;      /* the C function was left so */
} tlt_binding_call;

typedef struct tlt_state {
    tl_writer *writer;            /* NULL: not recording */
    void (*mark)(int after_poll); /* of the chosen volume source (volume.h) */
    uint64_t (*since_mark)(void);
    uint64_t volume_bias; /* since a mark with nothing after it */
    uint64_t volume_kept; /* computed since the last event, before calls without event */
    uint32_t polls;
    enum tlt_kernels kernels;
    int rank;
    int n_ranks;
    uint64_t start_ns;      /* monotonic clock at the end of Init */
    uint64_t foreign_calls; /* of threads that are not recorded */
    int64_t *list;          /* scratch for tl_event.list, of list_size elements */
    size_t list_size;
} tlt_state;

extern tlt_state tlt;
extern __thread int tlt_role __attribute__((tls_model("initial-exec")));
extern __thread tlt_binding_call tlt_binding __attribute__((tls_model("initial-exec")));

/* Where the program called the wrapper in which this stands, and the call site's id. */
#define TLT_CALLER() (tlt_binding.caller ? tlt_binding.caller : __builtin_return_address(0))
#define TLT_SITE() tlt_site(TLT_CALLER())

static inline uint64_t tlt_monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static inline uint64_t tlt_clock_ns(void)
{
    return tlt_monotonic_ns() - tlt.start_ns;
}

/* True when this call is to be recorded; then tlt_leave must follow. */
static inline bool tlt_enter_kernel(void)
{
    if (tlt_role != TLT_RECORDING)
        return false;
    tlt_role = TLT_INSIDE;
    uint64_t burst = tlt.since_mark();
    if (burst > tlt.volume_bias)
        tlt.volume_kept += burst - tlt.volume_bias;
    return true;
}

static inline bool tlt_enter(void)
{
    if (tlt_enter_kernel())
        return true;
    if (TLT_UNLIKELY(tlt_role == TLT_BINDING)) {
        tlt_role = TLT_INSIDE;
        return true;
    }
    if (TLT_UNLIKELY(tlt.writer != NULL && tlt_role == TLT_BYSTANDER))
        __atomic_fetch_add(&tlt.foreign_calls, 1, __ATOMIC_RELAXED);
    return false;
}

static inline void tlt_leave_and_mark(bool after_poll)
{
    if (TLT_UNLIKELY(!tlt.writer)) {
        tlt_role = TLT_BYSTANDER;
        return;
    }
    if (TLT_UNLIKELY(tlt_binding.caller != NULL)) {
        tlt_binding.after_poll = after_poll;
        return;
    }
    tlt.mark(after_poll);
    tlt_role = TLT_RECORDING;
}

static inline void tlt_leave(void)
{
    tlt_leave_and_mark(false);
}

/* Leaves a call that found nothing: a failed test or probe. */
static inline void tlt_leave_poll(void)
{
    tlt.polls++;
    tlt_leave_and_mark(true);
}

/* Writes an event; its volume and polls are filled in here. */
void tlt_put(tl_event *event);
/* Writes a Match pseudo-event: no volume, no polls. */
void tlt_put_match(uint32_t request, int32_t source, int32_t tag);
/* Makes tlt.list hold at least n elements; false when memory is short (recording has then ended).
 */
bool tlt_reserve_list(size_t n);

/* After MPI has started: opens the output and records the call that started it. */
void tlt_start(uint16_t call, void *return_address);
/* Ends the rank's part of the trace. */
void tlt_stop(tl_end_reason reason);
/* Something went wrong in the middle: says so once, ends the rank's part, passes calls through. */
void tlt_fail(const char *what);

/* next.c: the routine that a wrapper of that name stands before; ends the process with a message
 * when there is none. */
void *tlt_next(const char *symbol, void *return_address);

/* sites.c: id of a return address, defining it on first sight; 0 when there are too many. */
uint32_t tlt_site(void *return_address);
void tlt_sites_reset(void);

/* output.c: creates the trace on rank 0 and opens every rank's part; all ranks succeed or none.
 * Collective over MPI_COMM_WORLD. */
tl_writer *tlt_output_open(int rank, int n_ranks, const char *volume_unit,
                           const char *volume_source);
/* One line on standard error, "timeless: ...". */
void tlt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
