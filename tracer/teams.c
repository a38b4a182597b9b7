/* teams.c - measure what each thread of a team works. */
#include "config.h"

#include "teams.h"

#include <pthread.h>

__thread tlt_membership tlt_member __attribute__((tls_model("initial-exec")));

static bool measures;       /* teams are measured */
static const char *trouble; /* why a helper cannot be measured; atomic */
static pthread_key_t at_helper_end;

/* ---- the calling thread's own part ---- */

static bool is_measured(void)
{
    return tlt_self.is_measured && (tlt_role == TLT_RECORDING || tlt_role == TLT_HELPING);
}

/* A recorded thread keeps what it has worked for its next event; helpers give it to their team. */
static void credit(uint64_t work)
{
    if (tlt_role == TLT_RECORDING)
        tlt_self.volume_kept += work;
    else
        __atomic_fetch_add(&tlt_member.team->work, work, __ATOMIC_RELAXED);
}

static void stop_working(void)
{
    tlt_member.works = false;
    if (!is_measured())
        return;
    uint64_t burst = tlt.since_mark();
    if (burst > tlt.volume_bias)
        credit(burst - tlt.volume_bias);
}

/* The helpers' work goes to the master when it goes on after a wait: what they have worked before a
 * barrier then belongs to the event that the master puts after it. */
static void take_from(tlt_team *team)
{
    uint64_t work = __atomic_exchange_n(&team->work, 0, __ATOMIC_RELAXED);
    if (work)
        credit(work);
}

static void work_on(void)
{
    tlt_member.works = true;
    if (!is_measured())
        return;
    tlt_team *team = tlt_member.team;
    if (team && team->master == &tlt_self && tlt_role == TLT_RECORDING)
        take_from(team);
    tlt.mark(0);
}

/* ---- helpers come and go ---- */

static void helper_ends(void *unused)
{
    (void)unused;
    tlt_stop_volume();
    tlt_member = (tlt_membership){0};
    if (tlt_role == TLT_HELPING)
        tlt_role = TLT_BYSTANDER;
}

/* Measures the calling thread, which no one has measured so far. */
static bool begin_helper(void)
{
    const char *why = NULL;
    if (!tlt_self.is_measured) {
        why = pthread_setspecific(at_helper_end, &tlt_self) == 0 ? tlt_start_volume()
                                                                 : "out of memory for threads";
        if (why)
            __atomic_store_n(&trouble, why, __ATOMIC_RELAXED);
    }
    if (!why)
        tlt_role = TLT_HELPING;
    return !why;
}

tlt_membership tlt_team_enter(tlt_team *team, bool joins)
{
    tlt_membership before = tlt_member;
    if (joins)
        __atomic_fetch_add(&team->n_threads, 1, __ATOMIC_RELAXED);
    if (before.works)
        stop_working();
    if (!before.team && tlt_role == TLT_BYSTANDER && !begin_helper())
        return before;
    tlt_member.team = team;
    work_on();
    return before;
}

void tlt_team_leave(tlt_membership before)
{
    if (!tlt_member.team)
        return;
    stop_working();
    tlt_member = before;
    if (before.works)
        work_on();
    if (!before.team && tlt_role == TLT_HELPING)
        tlt_role = TLT_BYSTANDER;
}

/* ---- regions ---- */

bool tlt_team_begin(tlt_team *team)
{
    if (!measures || !(tlt_member.team ? tlt_is_in_team() : tlt_role == TLT_RECORDING))
        return false;
    stop_working();
    *team = (tlt_team){.master = &tlt_self};
    return true;
}

/* Recording ends here if a helper could not be measured: the volumes would be too small. */
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

void tlt_team_end(tlt_team *team)
{
    if (is_measured())
        take_from(team);
    work_on();
    check_helpers();
}

bool tlt_wait_begin(void)
{
    if (!tlt_is_in_team() || !tlt_member.works)
        return false;
    stop_working();
    return true;
}

void tlt_wait_end(void)
{
    work_on();
}

/* ---- the process ---- */

void tlt_teams_start(bool measured)
{
    static bool has_key;
    if (!has_key)
        has_key = pthread_key_create(&at_helper_end, helper_ends) == 0;
    measures = measured && has_key;
}

void tlt_teams_forget(void)
{
    measures = false;
    tlt_self.is_measured = false;
    tlt_member = (tlt_membership){0};
}
