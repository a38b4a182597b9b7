/* user_kernel.c - kernels that the program begins and ends itself (timeless_kernel.h).
 *
 * Inside such a kernel the thread's role is TLT_IN_KERNEL, and kernels inside it are not recorded.
 * A call of MPI dissolves the kernel. Its computation then counts as if there were no kernel. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "skip/skip.h"
#include "timeless_kernel.h"

enum {
    N_NAMES = 1 << 10,
    MAX_NAMES = N_NAMES / 2,
    MAX_NAME_BYTES = 128,
    MAX_SIZES = 16,
    FIRST_COUNTER = 4096 /* behind those that a user asks for */
};

/* Names are compared by content, because the program may build them anew each time. */
static struct {
    uint32_t id;
    uint64_t volume;
    char text[MAX_NAME_BYTES];
} names[N_NAMES];
static uint32_t n_names;

/* The kernel in which this thread is. */
static __thread struct {
    unsigned depth; /* kernels begun and not ended; the outermost counts */
    uint32_t site;
    uint32_t n_sizes;
    int64_t sizes[MAX_SIZES];
    char name[MAX_NAME_BYTES];
} inside __attribute__((tls_model("initial-exec")));

void tlt_user_kernels_reset(void)
{
    memset(names, 0, sizeof names);
    n_names = 0;
}

/* ---- the volumes of all kernels ---- */

uint64_t tlt_kernel_volumes[TLT_N_KERNEL_CODES];

static void write_volume(tl_writer *writer, const char *kind, const char *name, uint64_t volume)
{
    static uint32_t id = FIRST_COUNTER;
    char text[3 * MAX_NAME_BYTES + 16], room[3 * MAX_NAME_BYTES];
    snprintf(text, sizeof text, "kernel:%s%s", kind, tlt_utf8(name, room, sizeof room));
    const tl_counter counter = {.id = id++, .name = text, .value = volume};
    if (volume)
        tl_writer_define_counter(writer, &counter);
}

void tlt_kernel_volumes_write(tl_writer *writer)
{
    if (tlt_skip_list()) /* they did not compute */
        return;
    for (int i = 0; i < TLT_N_KERNEL_CODES; i++)
        if (tlt_kernel_volumes[i])
            write_volume(writer, "", tl_call_by_code((unsigned)(TL_KERNEL_dgemm + i))->name,
                         tlt_kernel_volumes[i]);
    for (int i = 0; i < N_NAMES; i++)
        write_volume(writer, "user:", names[i].text, names[i].volume);
}

/* The id of a name, which is defined when it first appears; 0 if there are too many. A call took
 * this volume. */
static uint32_t id_of(const char *name, uint64_t volume)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    size_t i = hash % N_NAMES;
    while (names[i].id) {
        if (!strcmp(names[i].text, name)) {
            names[i].volume += volume;
            return names[i].id;
        }
        i = (i + 1) % N_NAMES;
    }
    char room[3 * MAX_NAME_BYTES];
    const tl_user_kernel kernel = {.id = n_names + 1, .name = tlt_utf8(name, room, sizeof room)};
    if (n_names == MAX_NAMES || !tlt.writer ||
        tl_writer_define_kernel(tlt.writer, &kernel) != TL_OK)
        return 0;
    strcpy(names[i].text, name);
    names[i].volume = volume;
    names[i].id = ++n_names;
    return n_names;
}

static uint32_t site_of(tlt_place place)
{
    if (TLT_UNLIKELY(tlt.shared))
        tlt_lock();
    const uint32_t site = tlt_site_from(place);
    if (TLT_UNLIKELY(tlt.shared))
        tlt_unlock();
    return site;
}

static void say_once(const char *name, const char *what)
{
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        tlt_say("rank %d: kernel '%.60s': %s", tlt.rank, name, what);
}

/* The functions without the inline functions of the header. */
TLT_API void tlt_begin(const char *name, int n_sizes,
                       const int64_t *sizes) __asm__("timeless_kernel_begin");
TLT_API void tlt_end(void) __asm__("timeless_kernel_end");

TLT_API void tlt_begin(const char *name, int n_sizes, const int64_t *sizes)
{
    if (inside.depth++ || tlt_role != TLT_RECORDING)
        return;
    const size_t length = strlen(name);
    if (n_sizes < 0 || n_sizes > MAX_SIZES || length >= MAX_NAME_BYTES) {
        say_once(name, "not recorded; give at most 16 sizes and 127 characters");
        return;
    }
    if (!tlt_enter_routine())
        return;
    memcpy(inside.name, name, length + 1);
    inside.site = site_of((tlt_place){__builtin_return_address(0), __builtin_frame_address(0)});
    inside.n_sizes = (uint32_t)n_sizes;
    if (n_sizes) /* without sizes there may be no array */
        memcpy(inside.sizes, sizes, (size_t)n_sizes * sizeof *sizes);
    tlt.mark(0); /* for what is computed before a call of MPI, if there is one */
    tlt_role = TLT_IN_KERNEL;
}

/* Writes the event, unless there are too many names. */
static void put_kernel(const char *name, uint32_t site, uint32_t n_sizes, const int64_t *sizes)
{
    const uint64_t volume = tlt_kernel_volume();
    if (TLT_UNLIKELY(tlt.shared))
        tlt_lock();
    tl_event event = {.call = TL_KERNEL_user,
                      .site = site,
                      .tag = (int32_t)id_of(name, volume),
                      .list_len = n_sizes,
                      .list = sizes};
    if (event.tag) {
        tlt_put(&event);
        tlt_leave();
        return;
    }
    if (TLT_UNLIKELY(tlt.shared))
        tlt_unlock();
    tlt_role = TLT_RECORDING; /* what it computed is volume */
    say_once(name, "not recorded: there are more than 512 names");
}

TLT_API void tlt_end(void)
{
    if (!inside.depth || --inside.depth || tlt_role != TLT_IN_KERNEL)
        return;
    tlt_role = TLT_INSIDE;
    put_kernel(inside.name, inside.site, inside.n_sizes, inside.sizes);
}

void tlt_dissolve_kernel(void)
{
    say_once(inside.name, "calls MPI; its computation counts as volume between calls");
    inside.depth = 0;
    tlt_role = TLT_RECORDING;
}
