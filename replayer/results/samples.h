/* samples.h - computation by the functions in which the recorder sampled the stack. */
#ifndef TLR_SAMPLES_H
#define TLR_SAMPLES_H

#include "sums.h"

/* The samples of a trace, and the computation that has been added to them. */
typedef struct tlr_samples tlr_samples;

/* *out is NULL if the trace has none. */
tl_status tlr_samples_open(const tl_reader *trace, tlr_samples **out, tl_error *err);
void tlr_samples_free(tlr_samples *samples);
/* Adds computation, which has the samples between the same two calls of the rank; if there are
 * none, those before the second call. False: these are none, too, or `samples` is NULL. */
bool tlr_samples_add(tlr_samples *samples, const tlr_state *state, double took_s);
/* For each sampled place with the time of its computation, if there was any; site 0: an unknown
 * place. */
typedef void tlr_samples_put(void *arg, uint32_t rank, uint32_t site, double time_s, uint64_t n);
void tlr_samples_share(const tlr_samples *samples, tlr_samples_put *put, void *arg);

/* The names of a place: "solve (solver.c)"; "compute solve < step < main". */
void tlr_sampled_function(const tl_reader *trace, uint32_t rank, uint32_t site, char *text,
                          size_t size);
void tlr_sampled_path(const tl_reader *trace, uint32_t rank, uint32_t site, char *text,
                      size_t size);

#endif
