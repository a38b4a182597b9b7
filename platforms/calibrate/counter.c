/* counter.c - seconds per count of a hardware counter. */
#include "config.h"

#include "calibrate.h"

#include "clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROWS = 1 << 17, PASSES = 60 };

/* Typical work between kernels: swaps and copies rows by an index, tests, counts. */
static uint64_t work_outside_of_kernels(double *values, uint32_t *index)
{
    uint64_t seed = 1, large = 0;
    for (size_t i = 0; i < ROWS; i++) {
        values[i] = (double)i;
        index[i] = (uint32_t)i;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < ROWS; i++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            uint32_t other = (uint32_t)(seed >> 47);
            double value = values[index[other]];
            values[index[other]] = values[i];
            values[i] = value;
            if (value > ROWS / 2.0)
                large++;
            else
                index[i] = other;
        }
    }
    return large;
}

tl_status tlp_measure_counter(uint32_t perf_type, uint64_t perf_config, double *seconds_per_count,
                              tl_error *err)
{
    struct perf_event_attr attr = {.type = perf_type,
                                   .size = sizeof attr,
                                   .config = perf_config,
                                   .disabled = 1,
                                   .exclude_kernel = perf_type == PERF_TYPE_HARDWARE,
                                   .exclude_hv = 1};
    double *values = malloc(ROWS * sizeof *values);
    uint32_t *index = malloc(ROWS * sizeof *index);
    tl_status status = TL_OK;
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
    if (fd < 0) {
        status =
            tl_fail(err, TL_ERR_UNSUPPORTED,
                    "this machine has no such counter: %s; use another volume", strerror(errno));
        goto cleanup;
    }
    if (!values || !index) {
        status = tl_no_memory(err, "measuring a counter");
        goto cleanup;
    }
    volatile uint64_t sink = work_outside_of_kernels(values, index);
    uint64_t count = 0;
    double begin_s = tl_now_s(CLOCK_THREAD_CPUTIME_ID);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    sink += work_outside_of_kernels(values, index);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    double seconds = tl_now_s(CLOCK_THREAD_CPUTIME_ID) - begin_s;
    (void)sink;
    if (read(fd, &count, sizeof count) != (ssize_t)sizeof count || count == 0) {
        status = tl_fail(err, TL_ERR_UNSUPPORTED,
                         "the counter of this machine does not count; use another volume");
        goto cleanup;
    }
    *seconds_per_count = seconds / (double)count;
cleanup:
    if (fd >= 0)
        close(fd);
    free(values);
    free(index);
    return status;
}
