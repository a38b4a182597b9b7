/* papi_set.h - PAPI, which is loaded at its first use. */
#ifndef TLT_PAPI_SET_H
#define TLT_PAPI_SET_H

#include <papi.h>
#include <stdbool.h>

enum { TLT_PAPI_MAX_EVENTS = 32 };

/* The events of --counters. PAPI counts one set for each thread. If the volume is an event, too,
 * the events follow it in its set. */
typedef struct tlt_papi_beside {
    const char *names[TLT_PAPI_MAX_EVENTS];
    int n;
    int set;   /* PAPI_NULL until they are counted */
    int first; /* place of the first one in it */
} tlt_papi_beside;

extern tlt_papi_beside tlt_beside;

/* Starts to count these events for the calling thread; with `inherit` also for the threads that it
 * starts. Returns NULL, or the reason why it cannot. */
const char *tlt_papi_start(const char *const *names, int n, bool inherit, int *set);
void tlt_papi_read(int set, long long *values);
void tlt_papi_stop(int set);

#endif
