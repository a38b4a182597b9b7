/* flame.c - adds up the states by their stacks, in one pass. */
#include "config.h"

#include "flame.h"

#include "call_path.h"
#include "samples.h"
#include "timeless_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 1 << 14 };

typedef struct pass {
    const tl_reader *trace;
    tlr_samples *samples; /* NULL: none */
    tlr_table stacks[TLR_FLAME_N_KINDS];
    int failed; /* no memory */
    bool has_call_paths, has_regions;
    int64_t *regions; /* by rank: level of the last MPI_Pcontrol */
} pass;

/* A stack in the making. */
typedef struct stack {
    char text[STACK_BYTES];
    size_t used;
} stack;

static void push(stack *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void push(stack *s, const char *format, ...)
{
    va_list args;
    if (s->used && s->used < sizeof s->text - 1)
        s->text[s->used++] = ';';
    const size_t begin = s->used, room = sizeof s->text - begin;
    va_start(args, format);
    const int n = vsnprintf(s->text + begin, room, format, args);
    va_end(args);
    s->used = n < 0 || (size_t)n >= room ? sizeof s->text - 1 : begin + (size_t)n;
    for (char *c = s->text + begin; *c; c++)
        if (*c == ';' || (unsigned char)*c < ' ')
            *c = '_'; /* a file with such a name */
}

/* Samples without source hit many offsets: `is_sampled`. */
static void push_path(stack *s, const tlr_call_path *p, bool is_sampled)
{
    for (size_t i = 0; i < p->n; i++) {
        const tlr_level *l = &p->levels[i];
        if (l->source && *l->source->function)
            push(s, "%s", l->source->function);
        else if (l->site->offset && !is_sampled)
            push(s, "%s+0x%" PRIx64, l->site->object, l->site->offset);
        else
            push(s, "%s", l->site->object);
    }
}

/* ---- states ---- */

static void add(pass *p, tlr_flame_kind kind, const stack *s, double time_s)
{
    if (time_s <= 0)
        return;
    tlr_sum *row = tlr_table_at(&p->stacks[kind], s->text);
    if (row)
        row->time_s += time_s;
    else
        p->failed = 1;
}

static void push_call(const pass *p, stack *s, const tlr_state *state, const tlr_call_path *at)
{
    const char *name = tlr_state_name(state, p->trace);
    const tl_source *source = at->n ? at->levels[at->n - 1].source : NULL;
    if (source && *source->file && source->line)
        push(s, "%s (%s:%" PRIu32 ")", name, source->file, source->line);
    else
        push(s, "%s", name);
}

/* Between two lines of a function that computes, or calls wrappers. */
static void push_computation(stack *s, const tlr_call_path *at)
{
    const tl_source *from = at->n ? at->levels[at->n - 1].source : NULL;
    if (from && *from->file && from->line && at->until && at->until->line != from->line)
        push(s, "compute (%s:%" PRIu32 " .. %" PRIu32 ")", from->file, from->line, at->until->line);
    else
        push(s, "compute");
}

static void add_state(pass *p, const tlr_state *state)
{
    stack s = {.used = 0};
    tlr_call_path at;
    if (state->kind == TLR_STATE_MESSAGE ||
        tlr_samples_add(p->samples, state, state->end_s - state->begin_s))
        return;
    if (state->call == TL_MPI_Pcontrol)
        p->regions[state->rank] = state->tag;
    if (!p->has_call_paths && p->has_regions) {
        char region[48];
        tlr_region_name(p->regions[state->rank], region, sizeof region);
        push(&s, "%s", region);
    }
    tlr_call_path_of(p->trace, state, &at);
    push_path(&s, &at, false);
    if (state->kind == TLR_STATE_COMPUTE) {
        push_computation(&s, &at);
        add(p, TLR_FLAME_COMPUTE, &s, state->end_s - state->begin_s);
        return;
    }
    push_call(p, &s, state, &at);
    const double took_s = state->end_s - state->begin_s, wait_s = fmin(state->wait_s, took_s);
    add(p, TLR_FLAME_CALL, &s, took_s - wait_s);
    if (wait_s > 0) {
        push(&s, "%s", tlr_wait_name(state->wait));
        add(p, TLR_FLAME_WAIT, &s, wait_s);
    }
}

static void add_sampled(void *pass_of, uint32_t rank, uint32_t site, double time_s, uint64_t n)
{
    pass *p = pass_of;
    stack s = {.used = 0};
    tlr_call_path at;
    (void)n;
    tlr_call_path_at(p->trace, rank, site, &at);
    push_path(&s, &at, true);
    push(&s, "compute");
    add(p, TLR_FLAME_COMPUTE, &s, time_s);
}

static bool has_call_paths(const tl_reader *trace)
{
    for (uint32_t r = 0; r < tl_reader_run(trace)->n_ranks; r++) {
        const tl_site *sites;
        const size_t n = tl_reader_sites(trace, r, &sites);
        for (size_t i = 0; i < n; i++)
            if (sites[i].caller)
                return 1;
    }
    return 0;
}

tl_status tlr_flame_make(tlr_timeline *timeline, const tl_reader *trace, size_t job, tlr_flame *out,
                         tl_error *err)
{
    const tlr_state *states;
    size_t n;
    TL_TRY(tlr_timeline_read(timeline, &states, &n, err));
    tl_status status = TL_OK;
    const uint32_t n_ranks = tl_reader_run(trace)->n_ranks;
    pass p = {.trace = trace,
              .has_call_paths = has_call_paths(trace),
              .regions = calloc(n_ranks + 1, sizeof *p.regions)};
    memset(out, 0, sizeof *out);
    if (p.has_call_paths) /* otherwise a stack begins with the region */
        status = tlr_samples_open(trace, &p.samples, err);
    p.failed = !p.regions || status != TL_OK;
    for (uint32_t r = 0; p.regions && r < n_ranks; r++)
        p.regions[r] = TLR_NO_LEVEL;
    for (size_t i = 0; i < n; i++)
        p.has_regions |= states[i].job == job && states[i].call == TL_MPI_Pcontrol;
    for (size_t i = 0; i < n && !p.failed; i++)
        if (states[i].job == job)
            add_state(&p, &states[i]);
    if (!p.failed)
        tlr_samples_share(p.samples, add_sampled, &p);
    out->has_call_paths = p.has_call_paths;
    if (p.failed)
        status = tl_no_memory(err, "call paths");
    for (int k = 0; k < TLR_FLAME_N_KINDS; k++) {
        if (!p.failed)
            tlr_table_take(&p.stacks[k], &out->stacks[k]);
        tlr_table_close(&p.stacks[k]);
    }
    tlr_samples_free(p.samples);
    free(p.regions);
    return status;
}

void tlr_flame_free(tlr_flame *flame)
{
    for (int k = 0; k < TLR_FLAME_N_KINDS; k++)
        tlr_sums_free(flame->stacks[k].rows, flame->stacks[k].n);
    memset(flame, 0, sizeof *flame);
}

void tlr_flame_write_folded(const tlr_flame *flame, FILE *out)
{
    for (int k = 0; k < TLR_FLAME_N_KINDS; k++)
        for (size_t i = 0; i < flame->stacks[k].n; i++)
            fprintf(out, "%s %.0f\n", flame->stacks[k].rows[i].name,
                    flame->stacks[k].rows[i].time_s * 1e9);
}
