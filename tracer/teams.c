/* teams.c - measures the work of each thread of a team. */
#include "config.h"

#include "kernel.h"
#include "teams.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "comparable.h"
#include "parallel.h"
#include "workers.h"

__thread tlt_membership tlt_member __attribute__((tls_model("initial-exec")));

static bool measures;       /* teams are measured */
static const char *trouble; /* why a helper cannot be measured; atomic */
static pthread_key_t at_helper_end;

/* ---- the calling thread's own part ---- */

bool tlt_is_measured(void)
{
    return tlt_self.is_measured && (tlt_role == TLT_RECORDING || tlt_role == TLT_HELPING);
}

/* A recorded thread keeps its work for its next event. A helper adds its work to its team. */
static void credit(uint64_t work)
{
    if (tlt_role == TLT_RECORDING)
        tlt_self.volume_kept += work;
    else
        __atomic_fetch_add(&tlt_member.team->work, work, __ATOMIC_RELAXED);
}

/* The part of the region to which the work belongs. */
static void attribute(uint64_t work)
{
    tlt_region *r = tlt_member.team ? tlt_member.team->region : NULL;
    if (!r)
        return;
    if (tlt_member.part == TLT_ALONE) {
        __atomic_fetch_add(&r->alone, work, __ATOMIC_RELAXED);
        return;
    }
    if (tlt_member.part == TLT_ONE_AT_A_TIME)
        __atomic_fetch_add(&r->one_at_a_time, work, __ATOMIC_RELAXED);
    __atomic_fetch_add(&r->of[tlt_member.index % TLT_MOST_OF_TEAM], work, __ATOMIC_RELAXED);
}

void tlt_stop_working(bool counts)
{
    tlt_member.works = false;
    if (!counts || !tlt_is_measured())
        return;
    uint64_t burst = tlt.since_mark();
    if (burst > tlt.volume_bias) {
        credit(burst - tlt.volume_bias);
        attribute(burst - tlt.volume_bias);
    }
}

/* The work of the helpers goes to the master when it continues after a wait. Their work before a
 * barrier then belongs to the event that the master records after the barrier. */
void tlt_take_from(tlt_team *team)
{
    uint64_t work = __atomic_exchange_n(&team->work, 0, __ATOMIC_RELAXED);
    if (work)
        credit(work);
    if (tlt_role == TLT_RECORDING && team->kernels)
        tlt_kernel_queue_write(team->kernels);
}

void tlt_work_on(void)
{
    tlt_member.works = true;
    if (!tlt_is_measured())
        return;
    tlt_team *team = tlt_member.team;
    if (team && team->master == &tlt_self && tlt_role == TLT_RECORDING)
        tlt_take_from(team);
    if (tlt_role != TLT_BYSTANDER) /* recording has not ended in the meantime */
        tlt.mark(0);
}

/* ---- cores ---- */

static struct {
    pthread_mutex_t lock;
    cpu_set_t cores;      /* of all threads that were measured */
    uint32_t n_threads;   /* of a team, at most; atomic */
    int n_ranks, n_cores; /* of the host */
    bool shares_cores;
} seat = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A thread may be bound to a core of its own. */
static void add_cores(void)
{
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return;
    pthread_mutex_lock(&seat.lock);
    CPU_OR(&seat.cores, &seat.cores, &mine);
    pthread_mutex_unlock(&seat.lock);
}

void tlt_teams_seat(const tlt_hosts *hosts)
{
    seat.n_ranks = hosts->n_ranks;
    seat.n_cores = hosts->n_cores;
    seat.shares_cores = hosts->shares_cores;
    add_cores();
}

void tlt_teams_count(uint32_t n_threads)
{
    if (n_threads > __atomic_load_n(&seat.n_threads, __ATOMIC_RELAXED))
        __atomic_store_n(&seat.n_threads, n_threads, __ATOMIC_RELAXED);
}

void tlt_teams_check(void)
{
    char reason[128];
    const uint32_t n = __atomic_load_n(&seat.n_threads, __ATOMIC_RELAXED);
    pthread_mutex_lock(&seat.lock);
    const uint32_t n_cores = (uint32_t)CPU_COUNT(&seat.cores);
    pthread_mutex_unlock(&seat.lock);
    if (n < 2)
        return;
    if (n > n_cores)
        snprintf(reason, sizeof reason, "%u threads on %u core%s", n, n_cores,
                 n_cores == 1 ? "" : "s");
    else if (seat.shares_cores && n * (uint32_t)seat.n_ranks > (uint32_t)seat.n_cores)
        snprintf(reason, sizeof reason, "%d ranks of %u threads on %d cores", seat.n_ranks, n,
                 seat.n_cores);
    else
        return;
    tlt_not_comparable(reason);
}

/* ---- helpers come and go ---- */

static void helper_ends(void *unused)
{
    (void)unused;
    tlt_stop_volume();
    tlt_team_drop();
}

/* Starts to measure the calling thread, which was not measured before. */
static bool begin_helper(void)
{
    const char *why = NULL;
    if (!tlt_self.is_measured) {
        add_cores();
        why = pthread_setspecific(at_helper_end, &tlt_self) == 0 ? tlt_start_volume()
                                                                 : "out of memory for threads";
        if (why)
            __atomic_store_n(&trouble, why, __ATOMIC_RELAXED);
    }
    if (!why)
        tlt_role = TLT_HELPING;
    return !why;
}

tlt_membership tlt_team_enter(tlt_team *team, int index)
{
    tlt_membership before = tlt_member;
    if (index >= 0) {
        __atomic_fetch_add(&team->n_threads, 1, __ATOMIC_RELAXED);
        if (team->region && !team->is_inner)
            team->region->of[index % TLT_MOST_OF_TEAM] = 0;
    }
    if (before.works)
        tlt_stop_working(true);
    if (!before.team && tlt_role == TLT_BYSTANDER && !begin_helper())
        return before;
    tlt_member.team = team;
    tlt_member.part = TLT_BESIDE;
    if (index >= 0)
        tlt_member.index = team->is_inner ? team->index : (uint16_t)index;
    tlt_work_on();
    return before;
}

void tlt_team_leave(tlt_membership before)
{
    if (!tlt_member.team)
        return;
    if (tlt_member.works)
        tlt_stop_working(true);
    tlt_member = before;
    if (before.works)
        tlt_work_on();
    if (!before.team && tlt_role == TLT_HELPING)
        tlt_role = TLT_BYSTANDER;
}

void tlt_team_switch(tlt_membership to)
{
    if (tlt_member.works)
        tlt_stop_working(true);
    to.index = tlt_member.index;
    tlt_member = to;
    if (to.works)
        tlt_work_on();
}

void tlt_team_drop(void)
{
    tlt_member = (tlt_membership){0};
    if (tlt_role == TLT_HELPING)
        tlt_role = TLT_BYSTANDER;
}

/* ---- kernels of helpers ---- */

bool tlt_helper_enter_kernel(void)
{
    if (!tlt_member.team->kernels)
        return false;
    tlt_stop_working(true);
    tlt_role = TLT_INSIDE;
    tlt_member.is_in_kernel = true;
    return true;
}

void tlt_helper_leave_kernel(uint16_t code, void *caller, uint32_t n_sizes, const int64_t *sizes)
{
    if (!tlt_member.team) {
        tlt_worker_leave_kernel(code, caller, n_sizes, sizes);
        return;
    }
    const uint64_t volume = tlt_is_measured() ? tlt_kernel_volume() : 0;
    tlt_member.is_in_kernel = false;
    tlt_role = TLT_HELPING;
    if (!tlt_kernel_queue_put(tlt_member.team->kernels, code, caller, volume, n_sizes, sizes))
        __atomic_store_n(&trouble, "out of memory for kernels", __ATOMIC_RELAXED);
    tlt_work_on();
}

/* ---- regions ---- */

bool tlt_team_begin(tlt_team *team, tlt_region *region)
{
    const tlt_team *outer = tlt_member.team;
    if (!measures || !(outer ? tlt_is_in_team() : tlt_role == TLT_RECORDING))
        return false;
    tlt_stop_working(true);
    *team = (tlt_team){.master = &tlt_self,
                       .kernels = outer ? outer->kernels : tlt_own_kernel_queue(),
                       .region = outer ? outer->region : region,
                       .is_inner = outer != NULL,
                       .index = tlt_member.index};
    if (!outer) { /* a thread sets its place in `of` when it joins: most of them are not used */
        region->before = tlt_self.volume_kept;
        region->alone = region->one_at_a_time = 0;
        region->is_serial = false;
    }
    return true;
}

/* If a helper cannot be measured, the recording ends here, because the volumes would be too small.
 */
static void check_helpers(void)
{
    const char *why = __atomic_load_n(&trouble, __ATOMIC_RELAXED);
    if (TLT_UNLIKELY(why != NULL) && tlt_role == TLT_RECORDING) {
        tlt_role = TLT_INSIDE;
        if (tlt.shared)
            tlt_lock();
        tlt_fail(why);
        tlt_leave();
    }
}

/* The event of a region, with the work since the event before. There is none if the thread recorded
 * events inside of the region, because their volumes have parts of the work. */
static void put_region(const tlt_team *team, tlt_place place)
{
    const tlt_region *r = team->region;
    const uint32_t n = team->n_threads;
    int64_t parts[TL_PARALLEL_THREADS + TLT_MOST_OF_TEAM];
    parts[TL_PARALLEL_BEFORE] = (int64_t)r->before;
    parts[TL_PARALLEL_ALONE] = (int64_t)r->alone;
    parts[TL_PARALLEL_ONE_AT_A_TIME] = (int64_t)r->one_at_a_time;
    uint64_t sum = r->before + r->alone;
    for (uint32_t i = 0; i < n && i < TLT_MOST_OF_TEAM; i++) {
        parts[TL_PARALLEL_THREADS + i] = (int64_t)r->of[i];
        sum += r->of[i];
    }
    if (!n || n > TLT_MOST_OF_TEAM || sum == r->before || sum != tlt_self.volume_kept ||
        r->is_serial)
        return;
    tlt_role = TLT_INSIDE;
    if (tlt.shared)
        tlt_lock();
    tl_event event = {.call = TL_MPI_Parallel,
                      .site = tlt_site_from(place),
                      .list_len = TL_PARALLEL_THREADS + n,
                      .list = parts};
    tlt_put(&event);
    tlt_leave();
}

void tlt_team_end(tlt_team *team, tlt_place place)
{
    if (tlt_is_measured())
        tlt_take_from(team);
    tlt_teams_count(__atomic_load_n(&team->n_threads, __ATOMIC_RELAXED));
    if (!team->is_inner && team->region && tlt_is_measured() && tlt_role == TLT_RECORDING)
        put_region(team, place);
    tlt_work_on();
    check_helpers();
}

void tlt_work_as(tlt_part part)
{
    if (!tlt_is_in_team() || tlt_member.part == part)
        return;
    const bool works = tlt_member.works;
    if (works)
        tlt_stop_working(true);
    tlt_member.part = (uint8_t)part;
    if (works)
        tlt_work_on();
}

bool tlt_wait_begin(void)
{
    if (!tlt_is_in_team() || !tlt_member.works)
        return false;
    tlt_stop_working(true);
    return true;
}

void tlt_wait_end(void)
{
    tlt_work_on();
}

/* ---- the process ---- */

void tlt_teams_start(bool measured)
{
    static bool has_key;
    if (!has_key)
        has_key = pthread_key_create(&at_helper_end, helper_ends) == 0;
    measures = measured && has_key;
}

bool tlt_teams_are_measured(void)
{
    return measures;
}

void tlt_teams_forget(void)
{
    measures = false;
    tlt_self.is_measured = false;
    tlt_member = (tlt_membership){0};
}
