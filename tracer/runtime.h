/* runtime.h - the state of the tracer in one process, and the way of one recorded call.
 *
 * Every wrapper does the same:
 *
 *     if (!tlt_enter())                       not recording: pass the call on
 *         return tlt_real()->Call(...);
 *     ... fill an event, call tlt_pmpi.Call ...
 *     tlt_put(&event);
 *     tlt_leave();
 *
 * The time between tlt_enter and tlt_leave belongs to no volume.  tlt_enter tests only a
 * thread-local role. The role also excludes the calls that MPI or a kernel makes inside a recorded
 * call.  The tracer records the thread that called MPI_Init, and other threads if MPI permits them
 * (threads.h); wrappers call the MPI function itself by TLT_OUTSIDE.
 *
 * A Fortran binding calls the C function, which is recorded here: fortran.c reads the volume before
 * the binding begins, and restarts it when the binding returns.
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

/* What a thread does, as the tracer sees it. */
enum tlt_role {
    TLT_BYSTANDER = 0, /* it is not recorded */
    TLT_RECORDING,     /* it computes, and its next call is recorded */
    TLT_BINDING,       /* it is in a Fortran binding that has not called the C function yet */
    TLT_INSIDE,        /* it is in a recorded call */
    TLT_IN_KERNEL,     /* it is in a kernel that the program began (timeless_kernel.h) */
    TLT_HELPING        /* it is not recorded, but its computation is measured: teams.h */
};

/* Which kernels are events. */
enum tlt_kernels {
    TLT_KERNELS_NONE = 0,
    TLT_KERNELS_LARGE, /* all but level 1 of BLAS on short vectors */
    TLT_KERNELS_ALL
};

/* The Fortran call in which this thread is. */
typedef struct tlt_binding_call {
    void *caller;         /* its return address in the program; NULL: no Fortran call */
    const void *frame;    /* of the wrapper that returns there */
    const void *requests; /* the INTEGERs of the program for its request or array of requests */
    bool after_poll;      /* the C function was a failed poll */
} tlt_binding_call;

typedef struct tlt_state {
    tl_writer *writer;            /* NULL: not recording */
    void (*mark)(int after_poll); /* of the chosen volume source (volume.h) */
    uint64_t (*since_mark)(void);
    uint64_t volume_bias; /* the volume that is measured if the program does nothing */
    bool shared;          /* several threads may call MPI: see threads.h */
    enum tlt_kernels kernels;
    bool all_looks;  /* each MPI_Wtime is an event */
    bool call_times; /* MPI calls have took_ns */
    int rank;
    int n_ranks;
    uint64_t start_ns;      /* monotonic clock at the end of Init */
    uint64_t foreign_calls; /* number of calls of threads that MPI does not permit */
} tlt_state;

extern tlt_state tlt;
extern __thread int tlt_role __attribute__((tls_model("initial-exec")));
extern __thread tlt_binding_call tlt_binding __attribute__((tls_model("initial-exec")));

/* A place where the program called a wrapper. */
typedef struct tlt_place {
    void *caller;      /* return address of the wrapper */
    const void *frame; /* __builtin_frame_address(0) of the wrapper; NULL unknown */
} tlt_place;

/* Use these in a wrapper: the place where the program called it, and the id of this call site. */
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

/* Ends the computation before a call, and adds it to tlt_self.volume_kept. */
static inline void tlt_end_burst(void)
{
    tlt_role = TLT_INSIDE;
    uint64_t burst = tlt.since_mark();
    if (burst > tlt.volume_bias)
        tlt_self.volume_kept += burst - tlt.volume_bias;
    tlt_self.volume_kept += tlt_self.volume_of_operators;
    tlt_self.volume_of_operators = 0;
}

/* Begins a kernel. Returns whether to record it. If so, call tlt_leave later; if several threads
 * are recorded, call tlt_lock before. */
static inline bool tlt_enter_kernel(void)
{
    if (tlt_role != TLT_RECORDING)
        return false;
    tlt_end_burst();
    return true;
}

/* user_kernel.c: a kernel of the program contains an MPI call: the tracer ignores the kernel. */
void tlt_dissolve_kernel(void);
void tlt_user_kernels_reset(void);

/* Begins a call of a thread that is not TLT_RECORDING.  Returns whether to record it. */
bool tlt_enter_otherwise(void);

/* Begins a call. Returns whether to record it; if so, call tlt_leave later. */
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

/* Evaluates `call`, an MPI function of tlt_pmpi; other threads may record meanwhile.  They may
 * write `event` as the begin of this call; NULL: only the outcome matters (completions, probes). */
#define TLT_OUTSIDE(event, call)                                                                   \
    ({                                                                                             \
        if (TLT_UNLIKELY(tlt.shared))                                                              \
            tlt_let_go(event);                                                                     \
        __typeof__(call) result_ = (call);                                                         \
        if (TLT_UNLIKELY(tlt.shared))                                                              \
            tlt_take_up();                                                                         \
        result_;                                                                                   \
    })

/* The part of tlt_leave if several threads are recorded.  False: recording has ended. */
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

/* With call times: the duration of the call in which the thread is, and of the failed tests and
 * probes before it; 0 if the call has no begin. */
uint64_t tlt_take_time(void);

/* Ends a failed test or probe: it is counted, and is no event. */
static inline void tlt_leave_poll(void)
{
    if (TLT_UNLIKELY(tlt.call_times))
        tlt_self.polled_ns = tlt_take_time();
    tlt_self.polls++;
    tlt_leave_and_mark(true);
}

/* Initialises an event: all slots are 0 except call and site. It does so in two halves, because GCC
 * clears a structure of this size with a slower string instruction. */
static inline void tlt_event_init(tl_event *event, uint16_t call, uint32_t site)
{
    memset(event, 0, offsetof(tl_event, count));
    memset(&event->count, 0, sizeof *event - offsetof(tl_event, count));
    event->call = call;
    event->site = site;
}

/* Fills in volume and polls of an event, and writes it. */
void tlt_put(tl_event *event);
/* Keeps an MPI_Wtime until the next event of the thread. Its polls count the further MPI_Wtime that
 * follow directly. */
void tlt_put_look(tl_event *event);
/* Whether this MPI_Wtime is only counted, and its time is a part of the next volume. This does not
 * hold after a failed poll: then the program waits, and waiting is no computation. */
static inline bool tlt_is_further_look(void)
{
    return tlt_role == TLT_RECORDING && tlt_self.look.call && !tlt_self.polls;
}
/* Writes a Match pseudo-event, without volume and polls. */
void tlt_put_match(uint32_t request, int32_t source, int32_t tag);
/* Writes an event unchanged. */
void tlt_write(const tl_event *event);
/* Makes room for n elements in tlt_self.list. Without memory it ends the recording and returns
 * false.
 */
bool tlt_reserve_list(size_t n);

/* Begins to record after MPI has started: opens the output and writes the call that started MPI. */
void tlt_start(uint16_t call, tlt_place place);
/* Ends the rank's part of the trace, at a time of its clock. */
void tlt_stop(tl_end_reason reason, uint64_t clock_ns);
/* Begin and end the measurement of the calling thread, once. Returns an error text, or NULL. */
const char *tlt_start_volume(void);
void tlt_stop_volume(void);
/* Call it after a failure while recording: it warns once, ends the part of the rank, and from then
 * on calls are passed through. */
void tlt_fail(const char *what);

/* next.c: the routine that the wrapper with this name replaces. If there is none, it ends the
 * process with a message. */
void *tlt_next(const char *symbol, void *return_address);

/* The same for functions of which different modules of the program may have different versions. An
 * address that holds for all modules is kept in *known, after a call of `see` unless that is NULL.
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

/* sites.c: the id of the call site of a return address, which is defined in the trace when it is
 * new; 0 if there are too many. */
uint32_t tlt_site(void *return_address);
/* The same for a call path of n addresses, from inner to outer functions; the last function was
 * called at `site` (0: unknown). */
uint32_t tlt_site_path(void *const return_addresses[], size_t n, uint32_t site);
/* The same for a sample of the stack, which leaves sites for calls. */
uint32_t tlt_site_sampled(void *const addresses[], size_t n);
/* Defines a site in the trace and returns its id; 0 if there are too many. */
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

/* output.c: creates the trace, one file for each host, and opens the part of this rank. It succeeds
 * on all ranks or on none.  `ready`: this rank has enough memory.  Collective over MPI_COMM_WORLD.
 */
tl_writer *tlt_output_open(bool ready, const char *volume_unit, const char *volume_source);
/* Whether this rank is to print a warning for all ranks of the host: false if another running rank
 * has called this before. */
bool tlt_first_to_complain(void);
/* The same before MPI has started, for all processes of one launcher. */
bool tlt_first_of_launcher(const char *what);
/* Reads the first line of a small file, at most size - 1 bytes; "" if it cannot be read.  Returns
 * the number of bytes. */
size_t tlt_read_text(const char *path, char *text, size_t size);
/* Returns the text if it is UTF-8; otherwise a copy in `room`, cut to its size, with U+FFFD for
 * each invalid byte. */
const char *tlt_utf8(const char *text, char *room, size_t size);
/* Prints one line on standard error, "timeless: ...". */
void tlt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
