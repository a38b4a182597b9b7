/* volume_exact.c - instructions as an emulator counts them, without a hardware counter: QEMU with
 * our plugin, or Valgrind with our tool (exact/).
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

#if HAVE_VALGRIND_VALGRIND_H
#include "exact/valgrind_request.h"
#endif

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

static bool answered(const tlt_exact_ask *ask)
{
    if (!ask->answer)
        return false;
    table = ask->answer;
    slot = ask->slot;
    marked = 0;
    return true;
}

static const char *start_qemu(void)
{
    tlt_exact_ask ask = {.magic = TLT_EXACT_MAGIC, .self = (uintptr_t)&ask};
    syscall(TLT_EXACT_SYSCALL, &ask);
    return answered(&ask) ? NULL
                          : "the program does not run under QEMU with the plugin of Timeless";
}

static const char *start_valgrind(void)
{
#if HAVE_VALGRIND_VALGRIND_H
    tlt_exact_ask ask = {.magic = TLT_EXACT_MAGIC, .self = (uintptr_t)&ask};
    VALGRIND_DO_CLIENT_REQUEST_STMT(TLT_VALGRIND_ASK, &ask, 0, 0, 0, 0);
    return answered(&ask) ? NULL
                          : "the program does not run under Valgrind with the tool of Timeless";
#else
    return "built without the headers of Valgrind";
#endif
}

const tlt_volume_source tlt_volume_exact_qemu = {.option = "exact:qemu",
                                                 .name = "exact:qemu",
                                                 .unit = "instructions",
                                                 .is_per_thread = true,
                                                 .start = start_qemu,
                                                 .mark = mark,
                                                 .since_mark = since_mark,
                                                 .stop = stop};

const tlt_volume_source tlt_volume_exact_valgrind = {.option = "exact:valgrind",
                                                     .name = "exact:valgrind",
                                                     .unit = "instructions",
                                                     .is_per_thread = true,
                                                     .start = start_valgrind,
                                                     .mark = mark,
                                                     .since_mark = since_mark,
                                                     .stop = stop};
