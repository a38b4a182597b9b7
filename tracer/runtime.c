/* runtime.c - when recording starts and ends. */
#include "config.h"

#include "runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comparable.h"
#include "kernel.h"
#include "mpi/interface.h"
#include "requests.h"
#include "samples.h"
#include "skip/skip.h"
#include "stacks.h"
#include "swaps.h"
#include "teams.h"
#include "turns.h"
#include "volume.h"
#include "workers.h"

tlt_state tlt;
__thread int tlt_role __attribute__((tls_model("initial-exec")));
__thread tlt_binding_call tlt_binding __attribute__((tls_model("initial-exec")));

static const tlt_volume_source *volume;

void tlt_say(const char *format, ...)
{
    char line[1024];
    va_list args;
    int n = snprintf(line, sizeof line, "timeless: ");
    va_start(args, format);
    vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    va_end(args);
    strcat(line, "\n");
    /* One write, so that lines of different ranks do not mix. */
    ssize_t ignored = write(STDERR_FILENO, line, strlen(line));
    (void)ignored;
}

bool tlt_reserve_list(size_t n)
{
    if (n <= tlt_self.list_size)
        return true;
    int64_t *list = realloc(tlt_self.list, 2 * n * sizeof *list);
    if (!list) {
        tlt_fail("out of memory");
        return false;
    }
    tlt_self.list = list;
    tlt_self.list_size = 2 * n;
    return true;
}

void tlt_write(const tl_event *event)
{
    tlt_self.n_calls += event->call < TL_KERNEL_dgemm; /* the first kernel */
    if (!tlt.writer || (TLT_UNLIKELY(tlt_swaps_hold) && tlt_swaps_take(event)))
        return;
    tl_status status = tl_writer_put(tlt.writer, event);
    if (TLT_UNLIKELY(status != TL_OK))
        tlt_fail(tl_writer_error(tlt.writer)->text);
}

/* Does nothing if no look is kept. */
static void write_look(void)
{
    if (TLT_LIKELY(!tlt_self.look.call))
        return;
    tl_event event = tlt_self.look;
    tlt_self.look.call = 0;
    if (TLT_UNLIKELY(tlt.shared))
        tlt_thread_turn(&event);
    tlt_write(&event);
}

/* ---- how long calls take ---- */

/* In place of the source's since_mark, which every recorded call asks when it begins: so a call
 * whose time is not wanted has no branch for it. */
static uint64_t measure_and_begin(void)
{
    const uint64_t burst = volume->since_mark(); /* first: the clock is no part of it */
    tlt_self.began_ns = tlt_monotonic_ns();
    return burst;
}

uint64_t tlt_take_time(void)
{
    const uint64_t polled_ns = tlt_self.polled_ns;
    const uint64_t began_ns = tlt_self.began_ns;
    tlt_self.polled_ns = 0;
    tlt_self.began_ns = 0;
    return began_ns ? polled_ns + tlt_monotonic_ns() - began_ns : 0;
}

/* Events of kernels and of the tracer itself have none, and those that are written before the
 * call neither. */
static bool is_timed(const tl_event *event)
{
    switch (event->call) {
    case TL_MPI_Finalize:
    case TL_MPI_Abort:
    case TL_MPI_Wtime:
    case TL_MPI_Comm_free:
    case TL_MPI_Comm_disconnect:
    case TL_MPI_Win_free:
    case TL_MPI_File_close:
    case TL_MPI_Request_free:
    case TL_MPI_Cancel: return false;
    default: return event->call >= TL_MPI_Init && event->call < TL_KERNEL_dgemm;
    }
}

void tlt_put_look(tl_event *event)
{
    if (tlt.all_looks) {
        tlt_put(event);
        return;
    }
    if (TLT_UNLIKELY(tlt_self.is_sampled))
        tlt_samples_take(event->site);
    event->volume = tlt_self.volume_kept;
    tlt_self.volume_kept = 0;
    tlt_self.look = *event;
}

void tlt_put(tl_event *event)
{
    if (TLT_UNLIKELY(tlt.call_times)) {
        const uint64_t took_ns = tlt_take_time(); /* an event without a time takes the polls, too */
        event->took_ns = is_timed(event) ? (float)took_ns : 0;
    }
    write_look();
    if (TLT_UNLIKELY(tlt_self.is_sampled))
        tlt_samples_take(event->site);
    /* The volume of a region of OpenMP is the sum of its parts: no other event takes it. */
    if (TLT_UNLIKELY(__atomic_load_n(&tlt_workers_busy, __ATOMIC_RELAXED)) &&
        event->call != TL_MPI_Parallel)
        tlt_workers_take(event->site,
                         event->call == TL_MPI_Finalize || event->call == TL_MPI_Abort);
    if (TLT_UNLIKELY(tlt.shared) && !tlt_thread_turn(event))
        return;
    event->volume = tlt_self.volume_kept;
    event->polls = tlt_self.polls;
    tlt_self.volume_kept = 0;
    tlt_self.polls = 0;
    tlt_write(event);
}

void tlt_put_match(uint32_t request, int32_t source, int32_t tag)
{
    tl_event event = {.call = TL_MPI_Match, .request = request, .peer = source, .tag = tag};
    write_look();
    if (TLT_UNLIKELY(tlt.shared))
        tlt_thread_turn(&event);
    tlt_write(&event);
}

/* One rank speaks for all on its host: what stops one, a full disk say, stops the others. */
static void say_stopped(const char *why)
{
    if (tlt_first_to_complain())
        tlt_say("rank %d: %s; the trace is incomplete from here on, the program goes on", tlt.rank,
                why);
}

void tlt_stop(tl_end_reason reason, uint64_t clock_ns)
{
    write_look();
    if (reason == TL_END_EXITED && tlt_self.is_measured && tlt_workers_busy)
        tlt_workers_take(0, true);
    tlt_swaps_release(); /* which may fail, and has then ended the part */
    tl_writer *writer = tlt.writer;
    if (!writer)
        return;
    __atomic_store_n(&tlt.writer, NULL, __ATOMIC_RELAXED);
    if (tlt.foreign_calls && reason != TL_END_FAILED) {
        char why[256];
        snprintf(why, sizeof why,
                 "%llu MPI calls of other threads than the one that called MPI_Init, which "
                 "MPI_Init_thread did not permit, are not in the trace",
                 (unsigned long long)tlt.foreign_calls);
        tl_writer_remark(writer, why);
        say_stopped(why);
        reason = TL_END_FAILED;
    }
    if (reason == TL_END_FINALIZED)
        tlt_mpi->counters_write(writer);
    tlt_samples_write(writer);
    tlt_kernel_volumes_write(writer);
    tlt_teams_check();
    if (reason == TL_END_FINALIZED)
        tlt_workers_check(writer);
    tlt_comparable_write(writer);
    if (tl_writer_flush(writer) != TL_OK && reason != TL_END_FAILED)
        say_stopped(tl_writer_error(writer)->text);
    tl_writer_close(writer, reason, clock_ns);
    tlt_stacks_stop_all();
    tlt_stop_volume();
}

const char *tlt_start_volume(void)
{
    const char *why = tlt_self.is_measured ? NULL : volume->start();
    tlt_self.is_measured = !why;
    return why;
}

void tlt_stop_volume(void)
{
    if (tlt_self.is_measured)
        volume->stop();
    tlt_self.is_measured = false;
}

void tlt_fail(const char *what)
{
    char room[sizeof((tl_error *)0)->text];
    if (!tlt.writer)
        return;
    tl_writer_remark(tlt.writer, tlt_utf8(what, room, sizeof room));
    say_stopped(what);
    tlt_stop(TL_END_FAILED, tlt_clock_ns());
}

bool tlt_enter_otherwise(void)
{
    if (tlt_role == TLT_BINDING) {
        tlt_role = TLT_INSIDE;
        return true;
    }
    if (tlt_role == TLT_IN_KERNEL) {
        tlt_dissolve_kernel();
        tlt_end_burst();
        return true;
    }
    if (!__atomic_load_n(&tlt.writer, __ATOMIC_RELAXED))
        return false;
    if (!tlt.shared) {
        __atomic_fetch_add(&tlt.foreign_calls, 1, __ATOMIC_RELAXED);
        return false;
    }
    if (!tlt_thread_join())
        return false;
    const uint64_t elsewhere = tlt_worker_joins();
    tlt_end_burst();
    tlt_self.volume_kept -= tlt_self.volume_kept < elsewhere ? tlt_self.volume_kept : elsewhere;
    return true;
}

bool tlt_leave_shared(void)
{
    tlt_thread_forget_call();
    bool goes_on = __atomic_load_n(&tlt.writer, __ATOMIC_RELAXED) != NULL;
    tlt_unlock();
    return goes_on;
}

/* The child of fork() shares the open file but is no rank. */
static void forget_after_fork(void)
{
    tlt_threads_after_fork();
    tlt_teams_forget();
    tlt_stacks_forget();
    if (tlt.writer)
        tl_writer_abandon(tlt.writer);
    tlt.writer = NULL;
    tlt_role = TLT_BYSTANDER;
}

/* Also reached when the program, or MPI on an error, calls exit(). */
__attribute__((destructor)) static void close_at_exit(void)
{
    bool locks = tlt.shared && !tlt_self.holds_lock;
    if (locks)
        tlt_lock();
    tlt_stop(TL_END_EXITED, tlt_clock_ns());
    if (locks)
        tlt_unlock();
}

/* `timeless record` asks in a process of its own: which volume sources there are, whether one
 * works.
 */
__attribute__((constructor)) static void answer_about_volumes(void)
{
    const char *wanted = getenv("TIMELESS_CHECK_VOLUME");
    char why[512] = "";
    const char *listed = getenv("TIMELESS_LIST_VOLUMES");
    if (listed)
        tlt_volume_list(listed);
    if (!wanted)
        return;
    const char *problem = tlt_mpi->counters_read_list();
    if (!problem && !tlt_volume_choose(wanted, why, sizeof why)) {
        tlt_say("%s; 'timeless record --list-volumes' lists what works here", why);
        _exit(1);
    }
    if (!problem)
        problem = tlt_mpi->counters_start_papi();
    if (!problem)
        return;
    tlt_say("--counters: %s", problem);
    _exit(1);
}

static bool enabled(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

static enum tlt_kernels choose_kernels(void)
{
    const char *value = getenv("TIMELESS_KERNELS");
    if (value && (!strcmp(value, "0") || !strcmp(value, "none")))
        return TLT_KERNELS_NONE;
    return value && !strcmp(value, "all") ? TLT_KERNELS_ALL : TLT_KERNELS_LARGE;
}

/* Chooses on rank 0 and says so; the others take the same, or say why they cannot. */
static const tlt_volume_source *choose_volume(void)
{
    char why[512] = "";
    const char *wanted = getenv("TIMELESS_VOLUME");
    const tlt_volume_source *chosen = tlt_volume_choose(wanted, why, sizeof why);
    const bool is_asked_for = wanted && *wanted && strcmp(wanted, "auto") != 0;
    if (tlt.rank == 0 && !chosen)
        tlt_say("no trace: %s; 'timeless record --list-volumes' lists what works here", why);
    else if (tlt.rank == 0 && !enabled("TIMELESS_QUIET"))
        tlt_say("volumes: %s (unit %s)%s%s", chosen->name, chosen->unit,
                *why && is_asked_for ? "; " : "", is_asked_for ? why : "");
    return chosen;
}

/* Every rank must measure in the same unit. */
static bool all_agree(const tlt_volume_source *chosen)
{
    int mine = chosen ? tlt_volume_number(chosen) : -1, range[2] = {mine, -mine}, least[2];
    tlt_mpi->least(range, least, 2);
    if (least[0] != -least[1] && tlt.rank == 0)
        tlt_say("no trace: the ranks cannot use the same volume source; name one with "
                "TIMELESS_VOLUME");
    return chosen && least[0] == -least[1];
}

/* Most sources see something of their own work; in a loop around MPI_Test it would make up much of
 * the volume. */
static uint64_t measure_bias(const tlt_volume_source *source)
{
    enum { ROUNDS = 100 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        source->mark(0);
        uint64_t nothing = source->since_mark();
        if (nothing < least)
            least = nothing;
    }
    return least;
}

void tlt_start(uint16_t call, tlt_place place)
{
    static bool fork_handler;
    if (tlt.writer)
        return;
    tlt_mpi->world(&tlt.rank, &tlt.n_ranks);
    if (tlt_mpi->is_spawned()) {
        if (tlt.rank == 0)
            tlt_say("processes made by MPI_Comm_spawn are not traced");
        return;
    }
    if (tlt_is_split(tlt.n_ranks) || !tlt_mpi->has_all_ranks())
        return;
    tlt_mpi->counters_read_list();
    volume = choose_volume();
    tlt_self.is_measured = volume != NULL;
    if (!all_agree(volume)) {
        tlt_stop_volume();
        return;
    }
    tlt.kernels = choose_kernels();
    const char *looks = getenv("TIMELESS_CLOCKS");
    tlt.all_looks = looks && !strcmp(looks, "all");
    tlt.mark = volume->mark;
    tlt.call_times = enabled("TIMELESS_CALL_TIMES");
    tlt.since_mark = tlt.call_times ? measure_and_begin : volume->since_mark;
    tlt.volume_bias = measure_bias(volume);
    tlt_mpi->counters_start();
    tlt_sites_reset();
    tlt_paths_start();
    tlt_python_start();
    tlt_user_kernels_reset();
    tlt_swaps_reset();
    bool ready =
        tlt_mpi->comms_reset() && tlt_requests_reset() && tlt_reserve_list(2 * (size_t)tlt.n_ranks);
    tl_writer *writer = tlt_output_open(ready, volume->unit, volume->name);
    if (!writer) {
        tlt_stop_volume();
        return;
    }
    if (!fork_handler)
        fork_handler =
            pthread_atfork(tlt_threads_before_fork, tlt_threads_after_fork, forget_after_fork) == 0;
    tlt.shared = tlt_mpi->permits_threads() && tlt_threads_start();
    tlt_teams_start(volume->is_per_thread);
    tlt_workers_start(volume);
    tlt_skip_start();
    tlt_take_long_turns();
    tlt_role = TLT_INSIDE;
    tlt.writer = writer;
    tl_event event;
    tlt_event_init(&event, call, tlt_site_from(place));
    tlt_put(&event);
    tlt_samples_start(event.site);
    tlt_mpi->barrier(); /* the ranks' clocks start together */
    tlt_mpi->counters_mark();
    tlt_comparable_start();
    tlt.start_ns = tlt_monotonic_ns();
    tlt_leave();
}
