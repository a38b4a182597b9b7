/* volume_perf.c - CPU time of the thread, without a system call for each reading.
 *
 * A task-clock event of the thread has a page that the kernel rewrites, under a sequence lock,
 * whenever the thread gets a CPU. While the sequence number does not change, the thread has kept
 * its CPU. Its CPU time then advances with the wall clock, which the vDSO reads in user space. The
 * thread's CPU clock is read only if the number has changed. (The time conversion in the page is
 * not used, because virtual machines rarely offer it.) */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "volume.h"

static size_t page_bytes;
static TLT_PER_THREAD int fd = -1;
static TLT_PER_THREAD volatile struct perf_event_mmap_page *page;
static TLT_PER_THREAD uint32_t base_sequence;
static TLT_PER_THREAD uint64_t base_ns; /* CPU time minus wall clock while base_sequence stands */
static TLT_PER_THREAD uint64_t marked_ns;

static uint64_t read_cpu_ns(void)
{
    for (;;) {
        uint64_t wall_ns = tlt_read_clock_ns(CLOCK_MONOTONIC);
        if (__builtin_expect(page->lock == base_sequence, 1))
            return wall_ns + base_ns;
        base_sequence = page->lock;
        wall_ns = tlt_read_clock_ns(CLOCK_MONOTONIC);
        base_ns = tlt_read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - wall_ns;
    }
}

static void mark(int after_poll)
{
    (void)after_poll;
    marked_ns = read_cpu_ns();
}

static uint64_t since_mark(void)
{
    const uint64_t before_ns = marked_ns;
    mark(0);
    return marked_ns - before_ns;
}

static void stop(void)
{
    if (page)
        munmap((void *)page, page_bytes);
    if (fd >= 0)
        close(fd);
    page = NULL;
    fd = -1;
}

/* Some systems map a page that never changes. */
static const char *check_page_follows(void)
{
    uint32_t before = page->lock;
    struct timespec nap = {.tv_nsec = 1000000};
    nanosleep(&nap, NULL);
    return page->lock != before ? NULL : "the kernel does not update the event's page";
}

static const char *start(void)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .exclude_kernel = 1};
    fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno == EACCES || errno == EPERM
                   ? "perf events are not permitted (kernel.perf_event_paranoid)"
                   : "the system has no perf events";
    if (!page_bytes)
        page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *address = mmap(NULL, page_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) {
        stop();
        return "the event's page cannot be mapped";
    }
    page = address;
    static bool checked;
    const char *reason = checked ? NULL : check_page_follows();
    if (reason)
        stop();
    else
        checked = true;
    if (!reason)
        base_sequence = page->lock - 1; /* anything else: the first reading sets the base */
    return reason;
}

const tlt_volume_source tlt_volume_perf = {.option = "perf",
                                           .name = "perf:task-clock",
                                           .unit = "cpu-ns",
                                           .is_per_thread = true,
                                           .start = start,
                                           .mark = mark,
                                           .since_mark = since_mark,
                                           .stop = stop};
