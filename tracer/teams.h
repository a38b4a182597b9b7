/* teams.h - the computation of the threads of a rank together, in the parallel regions of OpenMP.
 *
 * A volume source measures the thread that reads it. In a parallel region every thread of the team
 * reads the source for itself, whenever it begins to work and whenever it begins to wait in the
 * runtime: for the others at a barrier, for a lock, for tasks, for the next region. The volume of
 * the rank is the sum of the work of its threads. It depends neither on how they wait (spinning or
 * asleep) nor on the number of cores.
 *
 * gomp.c calls these functions from the entry points of GCC's runtime, ompt.c from the callbacks of
 * LLVM's. They do nothing in threads and processes that are not recorded. */
#ifndef TLT_TEAMS_H
#define TLT_TEAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts.h"
#include "runtime.h"

typedef struct tlt_kernel_queue tlt_kernel_queue;

/* The threads of one parallel region. It exists as long as the region. */
typedef struct tlt_team {
    uint64_t work;             /* of helpers, which the master has not taken yet; atomic */
    uint32_t n_threads;        /* that have joined; atomic */
    const tlt_thread *master;  /* the thread that met the region */
    tlt_kernel_queue *kernels; /* of helpers, for the recorded thread to write; NULL: not kept */
} tlt_team;

/* The state of a thread in a team. */
typedef struct tlt_membership {
    tlt_team *team;    /* NULL: it is in none that is measured */
    bool works;        /* false: it waits in the runtime, or is in a kernel */
    bool is_in_kernel; /* which it must leave by tlt_helper_leave_kernel */
} tlt_membership;

extern __thread tlt_membership tlt_member __attribute__((tls_model("initial-exec")));

/* Whether the calling thread is measured as a member of a team. False inside MPI and inside
 * kernels. */
static inline bool tlt_is_in_team(void)
{
    return tlt_member.team && (tlt_role == TLT_RECORDING || tlt_role == TLT_HELPING);
}

/* The calling thread reaches a parallel region, whose master it will be. From here on it waits.
 * False if the region is not measured; no other function may then be called for it. */
bool tlt_team_begin(tlt_team *team);
/* The region is over; its master continues to work. */
void tlt_team_end(tlt_team *team);

/* The first function: the calling thread begins to work on a part of the region. `joins`: it is new
 * in the team. Returns the earlier state of the thread. The second function ends the part and takes
 * that state. */
tlt_membership tlt_team_enter(tlt_team *team, bool joins);
void tlt_team_leave(tlt_membership before);
/* The thread changes to another activity, in the same team or in another one. */
void tlt_team_switch(tlt_membership to);
/* The thread is no longer a member, whether or not the team still exists. */
void tlt_team_drop(void);

/* The calling thread begins to wait in the runtime. False if it is not measured; otherwise
 * tlt_wait_end must follow. */
bool tlt_wait_begin(void);
void tlt_wait_end(void);

/* The parts of all this, for threads that are no team of OpenMP (openblas.c): whether the calling
 * thread is measured now; it stops, and its work since it continued counts, or does not count; it
 * continues; it takes the work of the helpers of a team. */
bool tlt_is_measured(void);
void tlt_stop_working(bool counts);
void tlt_work_on(void);
void tlt_take_from(tlt_team *team);

/* The calling thread, a helper, calls a kernel. False if the kernel is not recorded. */
bool tlt_helper_enter_kernel(void);
void tlt_helper_leave_kernel(uint16_t code, void *caller, uint32_t n_sizes, const int64_t *sizes);

/* helper_kernels.c: the queue of the calling thread; a helper adds a kernel (false: out of memory);
 * the thread of the queue writes the kernels in it. */
tlt_kernel_queue *tlt_own_kernel_queue(void);
bool tlt_kernel_queue_put(tlt_kernel_queue *queue, uint16_t code, void *caller, uint32_t n_sizes,
                          const int64_t *sizes);
void tlt_kernel_queue_write(tlt_kernel_queue *queue);
void tlt_kernel_queue_free(void); /* the calling thread's own */

/* Records on which cores the threads of this rank run, and how many threads there were at most.
 * Before the writer is closed: reports whether they had to share cores (comparable.h). */
void tlt_teams_seat(const tlt_hosts *hosts);
void tlt_teams_count(uint32_t n_threads);
void tlt_teams_check(void);

/* From here on teams are measured, or are not (if the source cannot measure each thread for
 * itself). */
void tlt_teams_start(bool measured);
bool tlt_teams_are_measured(void);
/* To be called in the child of fork(). */
void tlt_teams_forget(void);

/* gomp.c, ompt.c: whether the process has GCC's runtime, or one with callbacks like LLVM's. Teams
 * can then be measured. */
bool tlt_gomp_is_there(void);
bool tlt_ompt_is_there(void);

#endif
