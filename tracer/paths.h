/* paths.h - call paths: the callers of an MPI call. */
#ifndef TLT_PATHS_H
#define TLT_PATHS_H

#include <stdint.h>

/* The number of callers that are recorded for each call; 0: none. */
extern unsigned tlt_path_depth;

/* Reads TIMELESS_CALL_PATHS, at the start of the recording. */
void tlt_paths_start(void);

/* The call site of a call with its callers. `frame` is __builtin_frame_address(0) of the wrapper
 * that returns to `return_address`. */
uint32_t tlt_path_site(void *return_address, const void *frame);

#endif
