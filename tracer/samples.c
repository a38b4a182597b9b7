/* samples.c - counts samples of the stack by the computation in which they were taken. */
#include "config.h"

#include "samples.h"

#include "runtime.h"
#include "stacks.h"
#include "sampled.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_SLOTS = 1 << 13 };

/* Hash table. When half of it is used, new samples are counted at 0, an unknown place; when three
 * quarters are used, they are not counted. */
static struct {
    uint32_t from, to, at, n; /* n 0: empty */
} slots[N_SLOTS];
static size_t n_used;

static const char *own_begin, *own_end; /* the memory of the tracer */

static void find_own(void)
{
    Dl_info own;
    if (!dladdr((void *)(uintptr_t)&find_own, &own))
        return;
    own_begin = own.dli_fbase;
    const ElfW(Ehdr) *header = own.dli_fbase;
    const ElfW(Phdr) *segments = (const void *)(own_begin + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD) /* in the order of addresses */
            own_end = own_begin + segments[i].p_vaddr + segments[i].p_memsz;
}

static bool is_computing(void)
{
    return tlt_role == TLT_RECORDING;
}

void tlt_samples_start(uint32_t site)
{
    const char *wanted = getenv("TIMELESS_SAMPLE_STACKS");
    const unsigned long hertz = wanted ? strtoul(wanted, NULL, 10) : 0;
    if (!hertz)
        return;
    if (!own_begin)
        find_own();
    const tlt_stacks_settings settings = {.clock = CLOCK_THREAD_CPUTIME_ID,
                                          .period_ns = 1000000000U / hertz,
                                          .depth = tlt_path_depth,
                                          .is_wanted = is_computing};
    const char *why = tlt_stacks_start(&settings);
    tlt_self.is_sampled = !why;
    tlt_self.sampled_from = site;
    if (why && tlt_first_of_launcher("no samples"))
        tlt_say("rank %d: a thread has no samples of the stack: %s", tlt.rank, why);
}

static void count(uint32_t from, uint32_t to, uint32_t at, uint32_t n)
{
    const uint64_t key = (uint64_t)from << 40 ^ (uint64_t)to << 20 ^ at;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15U >> 51);
    while (slots[i].n && (slots[i].from != from || slots[i].to != to || slots[i].at != at))
        i = (i + 1) % N_SLOTS;
    if (!slots[i].n && n_used >= (at ? N_SLOTS / 2 : N_SLOTS / 4 * 3)) {
        if (at)
            count(from, to, 0, n);
        return;
    }
    n_used += !slots[i].n;
    slots[i].from = from;
    slots[i].to = to;
    slots[i].at = at;
    slots[i].n += n;
}

/* The tracer's own functions stand for those of OpenMP, which they call. */
static void leave_out_own(tlt_stack *stack)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < stack->n; i++) {
        const char *address = stack->addresses[i];
        if (address < own_begin || address >= own_end)
            stack->addresses[n++] = stack->addresses[i];
    }
    stack->n = n;
}

void tlt_samples_take(uint32_t site)
{
    tlt_stack *stacks;
    const size_t n = tlt_stacks_take(&stacks);
    for (size_t i = 0; i < n; i++) {
        leave_out_own(&stacks[i]);
        count(tlt_self.sampled_from, site, tlt_site_sampled(stacks[i].addresses, stacks[i].n),
              stacks[i].weight);
    }
    tlt_self.sampled_from = site;
}

void tlt_samples_write(tl_writer *writer)
{
    char name[TL_SAMPLED_SIZE];
    tl_counter counter = {.id = TL_SAMPLED_FIRST, .name = name};
    for (size_t i = 0; i < N_SLOTS && n_used; i++) {
        if (!slots[i].n)
            continue;
        tl_sampled_write((tl_sampled){slots[i].from, slots[i].to, slots[i].at}, name);
        counter.value = slots[i].n;
        tl_writer_define_counter(writer, &counter);
        counter.id++;
        slots[i].n = 0;
    }
    n_used = 0;
}

/* ---- the program takes the signal ---- */

static void give_way(int signal)
{
    if (tlt_stacks_give_way(signal))
        tlt_say("rank %d: no further samples of the stack: the program uses signal %d", tlt.rank,
                signal);
}

/* Found before the program begins, because signal handlers may call the wrappers. */
static __typeof__(&sigaction) next_sigaction;
static __typeof__(&signal) next_signal;

__attribute__((constructor)) static void find_next(void)
{
    next_sigaction = (__typeof__(next_sigaction))tlt_next("sigaction", NULL);
    next_signal = (__typeof__(next_signal))tlt_next("signal", NULL);
}

TLT_API int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    if (TLT_UNLIKELY(!next_sigaction))
        find_next();
    if (new)
        give_way(number);
    return next_sigaction(number, new, old);
}

TLT_API __sighandler_t signal(int number, __sighandler_t handler)
{
    if (TLT_UNLIKELY(!next_signal))
        find_next();
    give_way(number);
    return next_signal(number, handler);
}
