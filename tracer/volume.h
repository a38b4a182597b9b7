/* volume.h - the interface of volume sources, which count the computation between two calls.
 *
 * To add a source, write a file with one tlt_volume_source and add it to the list in volume.c. */
#ifndef TLT_VOLUME_H
#define TLT_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The state of a source; each thread has its own. */
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
    /* Whether each thread can measure itself, and can thus separate computation from waiting
     * (teams.h). */
    bool is_per_thread;
    /* Takes the text after "papi:" in the requested source; may change name and unit. Returns NULL,
     * or what is wrong. A source without this function accepts no text. */
    const char *(*choose_event)(const char *event);
    /* Starts to count for the calling thread. NULL if it counts, or the reason why it does not. The
     * thread that calls MPI_Init calls it first. Every other recorded thread calls it before its
     * first reading, which then gives the computation of the thread since its start, if the source
     * knows it. */
    const char *(*start)(void);
    /* A call ends, and a burst of the thread begins. After a failed poll the source may save work,
     * because such a call is one of many. */
    void (*mark)(int after_poll);
    /* The next call begins, or a kernel ends. Returns what was computed since the last mark or
     * reading, and marks. */
    uint64_t (*since_mark)(void);
    /* Stops counting for the calling thread. */
    void (*stop)(void);
} tlt_volume_source;

extern const tlt_volume_source tlt_volume_papi;
extern const tlt_volume_source tlt_volume_rseq;
extern const tlt_volume_source tlt_volume_cputime;
extern const tlt_volume_source tlt_volume_process;
extern const tlt_volume_source tlt_volume_none;
extern const tlt_volume_source tlt_volume_exact;

/* Starts the requested source; if it is NULL, "" or "auto", the first source that works. If that
 * fails, returns NULL with the reason in `why`. Otherwise `why` has the reasons why better sources
 * were not used. */
const tlt_volume_source *tlt_volume_choose(const char *wanted, char *why, size_t why_size);

/* The position of a source in the list, which is the same in every process. */
int tlt_volume_number(const tlt_volume_source *source);

/* Prints a line for each source to standard output, with whether it works here: for the sources
 * that match `wanted`, or with "all" for every source that needs no emulator and no file. */
void tlt_volume_list(const char *wanted);

#endif
