/* samples.h - in which functions the program computes, by samples of the stack (stacks.h). They are
 * counted by the call sites before and after the computation. */
#ifndef TLT_SAMPLES_H
#define TLT_SAMPLES_H

#include "timeless.h"

/* Begins to sample the calling thread, if the user wants it (TIMELESS_SAMPLE_STACKS). `site`: of
 * its last event. */
void tlt_samples_start(uint32_t site);
/* The computation of the thread ends at this call site. */
void tlt_samples_take(uint32_t site);
/* Writes what was counted as counters. */
void tlt_samples_write(tl_writer *writer);

#endif
