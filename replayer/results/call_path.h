/* call_path.h - the functions in which a state is, from the call paths of the trace. */
#ifndef TLR_CALL_PATH_H
#define TLR_CALL_PATH_H

#include "timeline.h"

enum { TLR_MAX_LEVELS = 256 };

/* A function on a path, and the line at which the path leaves it. */
typedef struct tlr_level {
    const struct tl_source *source; /* NULL: unknown */
    const tl_site *site;
} tlr_level;

/* Outermost function first. */
typedef struct tlr_call_path {
    tlr_level levels[TLR_MAX_LEVELS];
    size_t n;
    const struct tl_source *until; /* of computation: where the path of the call after it leaves the
                                      last function; NULL: unknown */
} tlr_call_path;

/* The path of a call site. */
void tlr_call_path_at(const tl_reader *trace, uint32_t rank, uint32_t id, tlr_call_path *out);
/* The path of a call. Computation has the functions that the paths of the calls before and after it
 * have in common: both enter them in the same lines. */
void tlr_call_path_of(const tl_reader *trace, const tlr_state *state, tlr_call_path *out);

/* The name of the region in which a state is: the innermost function of job->regions_at on its
 * path; "elsewhere" if there is none. */
const char *tlr_region_at(const tlr_job *job, const tlr_state *state);

/* The name of a row for people, of at most `width` bytes, in `text` (width + 1 bytes): a call
 * path loses its outer callers, another text its middle; ".." is in their place. */
enum { TLR_SHORT_NAME = 128 };
/* Names of one table: if another of the `n` names would become the same text, a call
 * path loses the callers that both have instead, "call < .. < caller in which they differ". */
void tlr_shorten_apart(const char *name, const char *const *names, size_t n, size_t width,
                       char *text);

#endif
