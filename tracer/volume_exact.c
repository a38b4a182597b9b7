/* volume_exact.c - instructions as QEMU counts them with our plugin (exact/), without a hardware
 * counter.
 *
 * Threads that the recorded thread starts later, such as OpenMP's, count for it as long as they do
 * not call MPI themselves. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exact/exact.h"
#include "volume.h"

static TLT_PER_THREAD const tlt_exact_table *table;
static TLT_PER_THREAD uint32_t slot;
static TLT_PER_THREAD uint64_t marked;

static void mark(int after_poll)
{
    (void)after_poll;
    marked = tlt_exact_read(table, slot);
}

/* The count can shrink: a helper that calls MPI takes its own count with it. */
static uint64_t since_mark(void)
{
    const uint64_t before = marked;
    mark(0);
    return marked > before ? marked - before : 0;
}

static void stop(void)
{
}

static const char *start(void)
{
    tlt_exact_ask ask = {.magic = TLT_EXACT_MAGIC, .self = (uintptr_t)&ask};
    syscall(TLT_EXACT_SYSCALL, &ask);
    if (!ask.answer)
        return "the program does not run under QEMU with the plugin of Timeless";
    table = ask.answer;
    slot = ask.slot;
    marked = 0;
    return NULL;
}

const tlt_volume_source tlt_volume_exact = {.option = "exact:qemu",
                                            .name = "exact:qemu",
                                            .unit = "instructions",
                                            .is_per_thread = true,
                                            .start = start,
                                            .mark = mark,
                                            .since_mark = since_mark,
                                            .stop = stop};
