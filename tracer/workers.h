/* workers.h - threads of the program that do not call MPI and belong to no team of OpenMP, for
 * example those of task runtimes, of std::async and of Python's pools.
 *
 * Each thread that pthread_create makes is in a list. While workers run, the recorded thread reads
 * their CPU clocks before its events, at most once a millisecond. What they and the recorded thread
 * have computed since the latest reading becomes a parallel region (TL_MPI_Parallel), which takes
 * as long as its longest thread. Threads whose lives do not overlap count as one thread.
 *
 * Only clocks of CPU time can be read for another thread. With other sources, and for threads that
 * pthread_create did not make, the trace states the CPU time that no event has. */
#ifndef TLT_WORKERS_H
#define TLT_WORKERS_H

#include "runtime.h"
#include "volume.h"

#include <stdbool.h>

/* Some workers run, or have computed what no event has. Atomic. */
extern bool tlt_workers_busy;

/* The calling thread starts MPI: the threads that it creates now are those of MPI. Recording
 * begins. */
void tlt_workers_expect_mpi(void);
void tlt_workers_start(const tlt_volume_source *source);
/* Before an event at this call site: writes a region, if it is time, or if it is the last chance.
 */
void tlt_workers_take(uint32_t site, bool is_last);
/* Before the writer is closed: writes the CPU time that no event has, if it is considerable. */
void tlt_workers_check(tl_writer *writer);

/* The calling thread is recorded from now on. Returns how much of its computation other events
 * have. The second function: it ends, and has computed this much since its last event. */
uint64_t tlt_worker_joins(void);
void tlt_worker_leaves(uint64_t work);

/* The calling thread calls a kernel. False if it is no worker. */
bool tlt_worker_enter_kernel(void);
void tlt_worker_leave_kernel(uint16_t code, void *caller, uint32_t n_sizes, const int64_t *sizes);

#endif
