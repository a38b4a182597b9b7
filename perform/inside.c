/* inside.c - keeps the samples of the stack that are taken in a call, and names their functions
 * when all is measured. */
#include "config.h"

#include "inside.h"

#include "core/room.h"
#include "stacks.h"
#include "symbols.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of samples is shorter, so that each reader can read it. */
enum { FUNCTION_BYTES = 120, LINE_BYTES = 3800 };

static struct {
    volatile bool is_wanted;
    size_t n, room;
    uintptr_t *words; /* of each sample: row, weight, number of addresses, addresses */
} kept;

static bool is_inside(void)
{
    return kept.is_wanted;
}

/* A timer of CPU time would not be faster than the ticks of the kernel. */
const char *perform_inside_open(unsigned hertz)
{
    const tlt_stacks_settings settings = {.clock = CLOCK_MONOTONIC,
                                          .period_ns = 1000000000U / hertz,
                                          .depth = TLT_STACK_LEVELS,
                                          .is_wanted = is_inside};
    return tlt_stacks_start(&settings);
}

void perform_inside_begin(void)
{
    kept.is_wanted = 1;
}

static void keep(uintptr_t word)
{
    if (tl_make_room(&kept.words, kept.n, &kept.room, sizeof *kept.words))
        kept.words[kept.n++] = word;
}

void perform_inside_end(void)
{
    kept.is_wanted = 0;
}

void perform_inside_keep(size_t row)
{
    tlt_stack *stacks;
    const size_t n = tlt_stacks_take(&stacks);
    for (size_t i = 0; i < n; i++) {
        keep(row);
        keep(stacks[i].weight);
        keep(stacks[i].n);
        for (uint32_t k = 0; k < stacks[i].n; k++)
            keep((uintptr_t)stacks[i].addresses[k]);
    }
}

static void put_name(const char *name, char *text)
{
    const size_t n = strlen(text);
    if (n + FUNCTION_BYTES + 2 > LINE_BYTES)
        return;
    snprintf(text + n, FUNCTION_BYTES, "%s%s", *text ? "|" : "", name);
    for (char *at = text + n + 1; (at = strpbrk(at, "|\n\r"));)
        *at = '/';
}

/* The functions at a return address, those that are inlined into others last; "[LIBRARY]" if they
 * have no names. */
static void put_functions(tls_symbols *symbols, const char *address, const Dl_info *of, char *text)
{
    const char *slash = strrchr(of->dli_fname, '/');
    const tl_object object = {.name = slash ? slash + 1 : of->dli_fname,
                              .path = of->dli_fname,
                              .build_id = TLS_ANY_BUILD};
    const tl_source *sources;
    const uint64_t offset = (uint64_t)(address - (const char *)of->dli_fbase) - 1;
    char none[FUNCTION_BYTES];
    uint32_t n = tls_find_sources(symbols, &object, offset, &sources);
    if (!n || !*sources[n - 1].function) {
        snprintf(none, sizeof none, "[%s]", object.name);
        put_name(none, text);
        return;
    }
    while (n-- > 0)
        put_name(sources[n].function, text);
}

static void put_stack(tls_symbols *symbols, const uintptr_t *sample, FILE *out)
{
    const uintptr_t n = sample[2], *addresses = sample + 3;
    Dl_info own, of[TLT_STACK_LEVELS];
    char text[LINE_BYTES] = "";
    size_t depth = 0;
    if (!dladdr((void *)(uintptr_t)&put_stack, &own))
        return;
    while (depth < n && dladdr((char *)addresses[depth] - 1, &of[depth]) &&
           of[depth].dli_fbase != own.dli_fbase)
        depth++;
    while (depth-- > 0)
        put_functions(symbols, (const char *)addresses[depth], &of[depth], text);
    if (*text)
        fprintf(out, "%zu %zu %s\n", (size_t)sample[0], (size_t)sample[1], text);
}

char *perform_inside_close(void)
{
    tls_symbols *symbols = tls_symbols_create();
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    tlt_stacks_stop();
    const uintptr_t *at = kept.words, *end = at + kept.n;
    for (; symbols && out && end - at > 3 && (size_t)(end - at) >= 3 + at[2]; at += 3 + at[2])
        put_stack(symbols, at, out);
    if (out)
        fclose(out);
    tls_symbols_free(symbols);
    free(kept.words);
    return text;
}
