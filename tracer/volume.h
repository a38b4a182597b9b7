/* volume.h - what counts the computation between two calls.
 *
 * To add a source, write a file with one tlt_volume_source and name it in the list of volume.c.
 */
#ifndef TLT_VOLUME_H
#define TLT_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* State of a source: each thread has its own. */
#define TLT_PER_THREAD __thread __attribute__((tls_model("initial-exec")))

static inline uint64_t tlt_read_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

typedef struct tlt_volume_source {
    const char *option; /* value of TIMELESS_VOLUME that asks for it */
    const char *name;   /* as the trace's header says it: "papi:PAPI_TOT_INS" */
    const char *unit;   /* "instructions" */
    /* Each thread can measure itself: tells what it computes from what it waits (teams.h). */
    bool is_per_thread;
    /* Takes what stands after "papi:" in the wanted source, and may change name and unit; NULL, or
     * what is wrong.  A source without it takes nothing. */
    const char *(*choose_event)(const char *event);
    /* Begins to count for the calling thread.  NULL when it counts, or why it does not.  After the
     * thread that calls MPI_Init, every other one that is recorded calls it before its first
     * reading, which is then what the thread has computed in its life if the source can know it. */
    const char *(*start)(void);
    /* A call ends: what the thread does from here on is a burst.  After a failed poll the source
     * may save work: the call is one of many. */
    void (*mark)(int after_poll);
    /* The next call begins: the burst, or how much of it there is already. */
    uint64_t (*since_mark)(void);
    /* Ends it for the calling thread. */
    void (*stop)(void);
} tlt_volume_source;

extern const tlt_volume_source tlt_volume_papi;
extern const tlt_volume_source tlt_volume_rseq;
extern const tlt_volume_source tlt_volume_perf;
extern const tlt_volume_source tlt_volume_cputime;
extern const tlt_volume_source tlt_volume_process;
extern const tlt_volume_source tlt_volume_none;
extern const tlt_volume_source tlt_volume_exact_qemu;
extern const tlt_volume_source tlt_volume_exact_valgrind;

/* Starts the wanted source; the first that works if wanted is NULL, "" or "auto".  Returns NULL and
 * says why in `why` when it does not; on success `why` says why better ones were passed over. */
const tlt_volume_source *tlt_volume_choose(const char *wanted, char *why, size_t why_size);

/* Position of a source in the list: the same number in every process. */
int tlt_volume_number(const tlt_volume_source *source);

/* Prints a line on each source, and whether it works here, to standard output: those that `wanted`
 * asks for, or with "all" every one that needs no emulator. */
void tlt_volume_list(const char *wanted);

#endif
