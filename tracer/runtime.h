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
 * What runs between tlt_enter and tlt_leave belongs to no volume.  A thread-local role is the only
 * test on the way in, and also keeps calls that MPI or a kernel makes from inside a recorded call
 * out of the trace.  The thread that called MPI_Init is recorded, and others where MPI permits them
 * (threads.h); the MPI function itself is called through TLT_OUTSIDE.
 *
 * A Fortran call arrives here through the C function that its binding calls: fortran.c has read the
 * volume before, and marks it again when the binding returns.
 */
#ifndef TLT_RUNTIME_H
#define TLT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "paths.h"
#include "python.h"
#include "threads.h"
#include "timeless.h"

#define TLT_API __attribute__((visibility("default")))
#define TLT_LIKELY(x) __builtin_expect(!!(x), 1)
#define TLT_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum tlt_role {
    TLT_BYSTANDER = 0,
    TLT_RECORDING,
    TLT_BINDING, /* in a Fortran binding that has not called the C function yet */
    TLT_INSIDE,
    TLT_IN_KERNEL, /* one that the program began */
    TLT_HELPING    /* not recorded, but what it works is measured: see teams.h */
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
    const void *frame;    /* of the wrapper that returns there */
    const void *requests; /* the program's INTEGERs for the request, or for the array of them */
    bool after_poll;      /* the C function was left so */
} tlt_binding_call;

typedef struct tlt_state {
    tl_writer *writer;            /* NULL: not recording */
    void (*mark)(int after_poll); /* of the chosen volume source (volume.h) */
    uint64_t (*since_mark)(void);
    uint64_t volume_bias; /* since a mark with nothing after it */
    bool shared;          /* several threads may call MPI: see threads.h */
    enum tlt_kernels kernels;
    bool selecting; /* only a part is recorded in full: select.h */
    bool all_looks; /* each look at the clock is an event */
    int rank;
    int n_ranks;
    uint64_t start_ns;      /* monotonic clock at the end of Init */
    uint64_t foreign_calls; /* of threads that MPI does not permit */
} tlt_state;

extern tlt_state tlt;
extern __thread int tlt_role __attribute__((tls_model("initial-exec")));
extern __thread tlt_binding_call tlt_binding __attribute__((tls_model("initial-exec")));

/* Another thread may change the selection. */
static inline enum tlt_kernels tlt_kernels(void)
{
    return __atomic_load_n(&tlt.kernels, __ATOMIC_RELAXED);
}

/* A place where the program called a wrapper. */
typedef struct tlt_place {
    void *caller;      /* return address of the wrapper */
    const void *frame; /* __builtin_frame_address(0) of the wrapper; NULL unknown */
} tlt_place;

/* Where the program called the wrapper in which this stands, and the call site's id. */
#define TLT_CALLER() (tlt_binding.caller ? tlt_binding.caller : __builtin_return_address(0))
#define TLT_FRAME() (tlt_binding.caller ? tlt_binding.frame : __builtin_frame_address(0))
#define TLT_PLACE() ((tlt_place){TLT_CALLER(), TLT_FRAME()})
#define TLT_SITE() tlt_site_from(TLT_PLACE())

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

static inline void tlt_end_burst(void)
{
    tlt_role = TLT_INSIDE;
    uint64_t burst = tlt.since_mark();
    if (burst > tlt.volume_bias)
        tlt_self.volume_kept += burst - tlt.volume_bias;
}

/* True when this kernel is to be recorded; then tlt_leave must follow, after tlt_lock where several
 * threads are recorded. */
static inline bool tlt_enter_kernel(void)
{
    if (tlt_role != TLT_RECORDING)
        return false;
    tlt_end_burst();
    return true;
}

/* user_kernel.c: MPI is called inside a kernel of the program: from here on the thread is recorded
 * as if none had begun. */
void tlt_dissolve_kernel(void);
void tlt_user_kernels_reset(void);

/* A call of a thread that is not recorded, or of one that is in a Fortran binding.  True when it is
 * to be recorded. */
bool tlt_enter_otherwise(void);

/* True when this call is to be recorded; then tlt_leave must follow. */
static inline bool tlt_enter(void)
{
    if (TLT_UNLIKELY(tlt_role != TLT_RECORDING)) {
        if (tlt_role == TLT_INSIDE || !tlt_enter_otherwise())
            return false;
    } else {
        tlt_end_burst();
    }
    if (TLT_UNLIKELY(tlt.shared))
        tlt_lock();
    return true;
}

/* The value of `call`, an MPI function of tlt_pmpi, during which other threads may record.  `event`
 * tells them what this thread has begun; NULL when the outcome alone matters: completions, probes.
 */
#define TLT_OUTSIDE(event, call)                                                                   \
    ({                                                                                             \
        if (TLT_UNLIKELY(tlt.shared))                                                              \
            tlt_let_go(event);                                                                     \
        __typeof__(call) result_ = (call);                                                         \
        if (TLT_UNLIKELY(tlt.shared))                                                              \
            tlt_take_up();                                                                         \
        result_;                                                                                   \
    })

/* Where several threads are recorded: ends the call for them.  False: recording is over. */
bool tlt_leave_shared(void);

static inline void tlt_leave_and_mark(bool after_poll)
{
    bool over = TLT_UNLIKELY(tlt.shared) ? !tlt_leave_shared() : !tlt.writer;
    if (TLT_UNLIKELY(over)) {
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
    tlt_self.polls++;
    tlt_leave_and_mark(true);
}

/* Makes an event of which no more than the call and its site is known. In two halves, because
 * GCC sets a structure of this size to zero with a string instruction, which is slower. */
static inline void tlt_event_init(tl_event *event, uint16_t call, uint32_t site)
{
    memset(event, 0, offsetof(tl_event, count));
    memset(&event->count, 0, sizeof *event - offsetof(tl_event, count));
    event->call = call;
    event->site = site;
}

/* Writes an event; its volume and polls are filled in here. */
void tlt_put(tl_event *event);
/* Keeps a look at the clock until the thread's next event. Its polls count the looks that follow it
 * directly. */
void tlt_put_look(tl_event *event);
/* Whether this look is only counted, and its time is a part of the next volume. After a failed poll
 * it is not, because the program waits, and waiting is no computation. */
static inline bool tlt_is_further_look(void)
{
    return tlt_role == TLT_RECORDING && tlt_self.look.call && !tlt_self.polls;
}
/* Writes a Match pseudo-event: no volume, no polls. */
void tlt_put_match(uint32_t request, int32_t source, int32_t tag);
/* Writes an event as it is. */
void tlt_write(const tl_event *event);
/* Makes tlt_self.list hold at least n elements; false when memory is short (recording has then
 * ended). */
bool tlt_reserve_list(size_t n);

/* After MPI has started: opens the output and records the call that started it. */
void tlt_start(uint16_t call, tlt_place place);
/* Ends the rank's part of the trace, at a time of its clock. */
void tlt_stop(tl_end_reason reason, uint64_t clock_ns);
/* Begins and ends measuring the calling thread, once; what is wrong, or NULL. */
const char *tlt_start_volume(void);
void tlt_stop_volume(void);
/* Something went wrong in the middle: says so once, ends the rank's part, passes calls through. */
void tlt_fail(const char *what);

/* next.c: the routine that a wrapper of that name stands before; ends the process with a message
 * when there is none. */
void *tlt_next(const char *symbol, void *return_address);

/* The same for functions of which modules of the program may have brought different ones: an
 * address that holds for all of them is shown to `see`, unless that is NULL, and kept in `known`.
 */
void *tlt_next_known(void **known, const char *symbol, void *return_address, void (*see)(void *));
#define TLT_NEXT_SEEN(name, see)                                                                   \
    ({                                                                                             \
        static void *known_;                                                                       \
        void *address_ = __atomic_load_n(&known_, __ATOMIC_RELAXED);                               \
        if (TLT_UNLIKELY(!address_))                                                               \
            address_ = tlt_next_known(&known_, #name, __builtin_return_address(0), see);           \
        (__typeof__(&name))address_;                                                               \
    })
#define TLT_NEXT(name) TLT_NEXT_SEEN(name, NULL)

/* sites.c: id of a return address, defining it on first sight; 0 when there are too many. */
uint32_t tlt_site(void *return_address);
/* The same for a call path: each address is in the function that is called at the next one, the
 * last one in a function that is called at `site` (0: unknown). */
uint32_t tlt_site_path(void *const return_addresses[], size_t n, uint32_t site);
/* Gives a site its id and defines it in the trace; 0 when there are too many. */
uint32_t tlt_define_site(tl_site site);
void tlt_sites_reset(void);

/* The call site of a place, with its callers if they are recorded. */
static inline uint32_t tlt_site_from(tlt_place place)
{
    if (TLT_UNLIKELY(tlt_has_python) && tlt_in_python(place.caller)) {
        const uint32_t site = tlt_python_site(tlt_path_depth);
        if (site)
            return site;
    }
    return tlt_path_depth ? tlt_path_site(place.caller, place.frame) : tlt_site(place.caller);
}

/* output.c: creates the trace, one file per host, and opens every rank's part; all ranks succeed or
 * none.  `ready` tells whether this rank has the memory to record.  Collective over MPI_COMM_WORLD.
 */
tl_writer *tlt_output_open(bool ready, const char *volume_unit, const char *volume_source);
/* False when another rank of this host has asked before and still runs. */
bool tlt_first_to_complain(void);
/* The same before ranks know each other: of the processes with one parent, which is their launcher.
 */
bool tlt_first_of_launcher(const char *what);
/* First line of a small file, of size-1 bytes at most; "" if it cannot be read.  Returns the bytes
 * read. */
size_t tlt_read_text(const char *path, char *text, size_t size);
/* The text if it is UTF-8; otherwise, in `room` and cut to its size, with U+FFFD for each byte that
 * is not. */
const char *tlt_utf8(const char *text, char *room, size_t size);
/* One line on standard error, "timeless: ...". */
void tlt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
