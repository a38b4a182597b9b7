/* watch.c - how many events the process has read and written, for whoever shows progress. */
#include "watch.h"

#include "timeless_files.h"

static struct {
    void (*step)(void *arg, uint64_t n_read, uint64_t n_written);
    void *arg;
} watch;

void tl_watch(void (*step)(void *arg, uint64_t n_read, uint64_t n_written), void *arg)
{
    watch.step = step;
    watch.arg = arg;
}

void tl_watch_step(uint64_t n_read, uint64_t n_written)
{
    if (watch.step)
        watch.step(watch.arg, n_read, n_written);
}
