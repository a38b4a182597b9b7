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

enum { TLT_MOST_OF_TEAM = 256 };

/* The parts of a parallel region that is not inside of another one, for its event. */
typedef struct tlt_region {
    uint64_t before;        /* work of the rank before it, which no event has yet */
    uint64_t alone;         /* by one thread, while the others wait; atomic, as the following */
    uint64_t one_at_a_time; /* in critical sections and the like */
    uint64_t of[TLT_MOST_OF_TEAM]; /* by thread, without `alone` */
    bool is_serial;                /* the program wants no threads for it */
} tlt_region;

/* The threads of one parallel region. It exists as long as the region. */
typedef struct tlt_team {
    tlt_region *region;        /* of the outermost team; NULL: there is none (openblas.c) */
    bool is_inner;             /* not the outermost */
    uint16_t index;            /* of the master in the outermost team */
    uint64_t work;             /* of helpers, which the master has not taken yet; atomic */
    uint32_t n_threads;        /* that have joined; atomic */
    const tlt_thread *master;  /* the thread that met the region */
    tlt_kernel_queue *kernels; /* of helpers, for the recorded thread to write; NULL: not kept */
} tlt_team;

/* How the work of a thread relates to that of the others. */
typedef enum tlt_part { TLT_BESIDE, TLT_ONE_AT_A_TIME, TLT_ALONE } tlt_part;

/* The state of a thread in a team. */
typedef struct tlt_membership {
    tlt_team *team;    /* NULL: it is in none that is measured */
    uint16_t index;    /* of the thread in the outermost team */
    uint8_t part;      /* tlt_part */
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
 * False if the region is not measured; no other function may then be called for it. `region` is
 * used if the team is not inside of another one. */
bool tlt_team_begin(tlt_team *team, tlt_region *region);
/* The region is over; its master continues to work. `place`: of the region in the program. */
void tlt_team_end(tlt_team *team, tlt_place place);

/* The first function: the calling thread begins to work on a part of the region. `index`: its
 * number in the team, if it is new there, else TLT_NOT_NEW. Returns the earlier state of the
 * thread. The second function ends the part and takes that state. */
enum { TLT_NOT_NEW = -1 };
tlt_membership tlt_team_enter(tlt_team *team, int index);
void tlt_team_leave(tlt_membership before);
/* The thread changes to another activity, in the same team or in another one. */
void tlt_team_switch(tlt_membership to);
/* The thread is no longer a member, whether or not the team still exists. */
void tlt_team_drop(void);

/* The calling thread begins to wait in the runtime. False if it is not measured; otherwise
 * tlt_wait_end must follow. */
bool tlt_wait_begin(void);
void tlt_wait_end(void);

/* What the thread does from here on is another part of the work. */
void tlt_work_as(tlt_part part);

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

/* helper_kernels.c: the queue of the calling thread, and that of all workers (workers.h); a helper
 * adds a kernel (false: out of memory); the thread of the queue writes the kernels in it, outside
 * of a recorded call or inside. */
tlt_kernel_queue *tlt_own_kernel_queue(void);
tlt_kernel_queue *tlt_workers_kernel_queue(void);
bool tlt_kernel_queue_put(tlt_kernel_queue *queue, uint16_t code, void *caller, uint64_t volume,
                          uint32_t n_sizes, const int64_t *sizes);
void tlt_kernel_queue_write(tlt_kernel_queue *queue);
void tlt_kernel_queue_empty(tlt_kernel_queue *queue);
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
