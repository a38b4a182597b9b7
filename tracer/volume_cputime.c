/* volume_cputime.c - CPU time of the thread, or of all threads of the process, by a clock (a system
 * call), and no volume at all. */
#include "config.h"

#include "mpi/interface.h"
#include "volume.h"

static TLT_PER_THREAD uint64_t marked_ns;

static const char *start_clock(clockid_t id)
{
    struct timespec t;
    return clock_gettime(id, &t) == 0 ? NULL : "the system has no such clock";
}

static const char *start(void)
{
    return start_clock(CLOCK_THREAD_CPUTIME_ID);
}

static void mark(int after_poll)
{
    (void)after_poll;
    marked_ns = tlt_read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t since_mark(void)
{
    const uint64_t before_ns = marked_ns;
    mark(0);
    return marked_ns - before_ns;
}

/* A second recorded thread would count what the first one did. */
static const char *start_process(void)
{
    const bool several = tlt_mpi_is_known() && tlt_mpi->permits_threads();
    return !several ? start_clock(CLOCK_PROCESS_CPUTIME_ID)
                    : "several threads of the process may call MPI";
}

static void mark_process(int after_poll)
{
    (void)after_poll;
    marked_ns = tlt_read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t since_mark_process(void)
{
    const uint64_t before_ns = marked_ns;
    mark_process(0);
    return marked_ns - before_ns;
}

static const char *start_nothing(void)
{
    return NULL;
}

static void mark_nothing(int after_poll)
{
    (void)after_poll;
}

static uint64_t zero(void)
{
    return 0;
}

static void stop(void)
{
}

const tlt_volume_source tlt_volume_cputime = {.option = "cputime",
                                              .name = "clock:thread-cputime",
                                              .unit = "cpu-ns",
                                              .is_per_thread = true,
                                              .start = start,
                                              .mark = mark,
                                              .since_mark = since_mark,
                                              .stop = stop};

const tlt_volume_source tlt_volume_process = {.option = "process",
                                              .name = "clock:process-cputime",
                                              .unit = "cpu-ns",
                                              .start = start_process,
                                              .mark = mark_process,
                                              .since_mark = since_mark_process,
                                              .stop = stop};

const tlt_volume_source tlt_volume_none = {.option = "none",
                                           .name = "none",
                                           .unit = "none",
                                           .start = start_nothing,
                                           .mark = mark_nothing,
                                           .since_mark = zero,
                                           .stop = stop};
