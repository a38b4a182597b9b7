/* sampled.h - counters that have samples of the stack (timeless record --sample-stacks). */
#ifndef TL_SAMPLED_H
#define TL_SAMPLED_H

/* "timeless:samples FROM TO AT", ids of call sites: the number of samples at AT, in the computation
 * between the calls at FROM and TO. 0: unknown. */
#define TL_SAMPLED_NAME "timeless:samples "
enum { TL_SAMPLED_FIRST = 1 << 20 }; /* their lowest id */

#endif
