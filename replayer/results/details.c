/* details.c - adds up the states in one pass. */
#include "config.h"

#include "call_path.h"
#include "chosen.h"
#include "core/room.h"
#include "critical_path.h"
#include "details.h"
#include "parallel_regions.h"
#include "samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_convert.h>

enum { CALLS, SITES, COMMUNICATORS, REGIONS, PAIRS, FUNCTIONS, N_TABLES };

typedef struct pass {
    const tl_reader *trace;
    const tlr_job *job;
    tlr_details *out;
    tlr_samples *samples; /* NULL: none */
    tlr_table tables[N_TABLES];
    bool has_regions;
    int64_t *levels; /* by rank: of the last MPI_Pcontrol */
    size_t n_parallel, parallel_room;
    tlr_region_time *parallel;
} pass;

static void add(tlr_table *table, const char *key, const tlr_state *s)
{
    tlr_sum *row = tlr_table_at(table, key);
    if (!row)
        return;
    row->count++;
    row->time_s += s->end_s - s->begin_s;
    row->wait_s[s->wait] += s->wait_s;
    row->bytes += s->bytes;
}

static void measure(tlr_table *table, const char *key, uint32_t rank, double took_s)
{
    tlr_sum *row = tlr_table_at(table, key);
    if (!row)
        return;
    row->n_measured++;
    row->measured_s += took_s;
    if (took_s > row->longest_s) {
        row->longest_s = took_s;
        row->longest_rank = rank;
    }
}

static bool is_message(const tlr_state *s)
{
    if (s->peer < 0)
        return 0;
    const tl_call_info *info = tl_call_by_code(s->call);
    return s->kind == TLR_STATE_MESSAGE ||
           (info && (info->action == TL_ACTION_SEND || info->action == TL_ACTION_ISEND ||
                     info->action == TL_ACTION_SENDRECV));
}

static void add_message(pass *p, const tlr_state *s)
{
    char key[32];
    snprintf(key, sizeof key, "%" PRIu32 " %" PRId32, s->rank, s->peer);
    add(&p->tables[PAIRS], key, s);
    int size = 0;
    for (int64_t bytes = s->bytes; bytes > 0; bytes >>= 1)
        size++;
    p->out->size_messages[size]++;
    p->out->size_bytes[size] += s->bytes;
}

static void add_to_region(pass *p, const tlr_state *s)
{
    char key[48];
    if (p->job->n_regions_at) {
        add(&p->tables[REGIONS], tlr_region_at(p->job, s), s);
        return;
    }
    if (s->call == TL_MPI_Pcontrol) {
        p->levels[s->rank] = s->tag;
        p->has_regions = 1;
    }
    tlr_region_name(p->levels[s->rank], key, sizeof key);
    add(&p->tables[REGIONS], key, s);
}

/* False without memory. */
static bool add_parallel(pass *p, const tlr_state *s)
{
    if (!tl_make_room(&p->parallel, p->n_parallel, &p->parallel_room, sizeof *p->parallel))
        return false;
    p->parallel[p->n_parallel++] =
        (tlr_region_time){s->rank, (uint32_t)s->tag, s->end_s - s->begin_s};
    return true;
}

static void add_function(pass *p, const char *name, double time_s, uint64_t n)
{
    tlr_sum *row = tlr_table_at(&p->tables[FUNCTIONS], name);
    if (!row)
        return;
    row->count += n;
    row->time_s += time_s;
}

static void add_sampled(void *pass_of, uint32_t rank, uint32_t site, double time_s, uint64_t n)
{
    pass *p = pass_of;
    char name[TLR_SITE_BYTES];
    tlr_sampled_function(p->trace, rank, site, name, sizeof name);
    add_function(p, name, time_s, n);
}

static void add_state(pass *p, const tlr_state *s)
{
    char key[TLR_PLACE_BYTES];
    if (s->kind == TLR_STATE_COMPUTE && s->tag > 0 && !add_parallel(p, s))
        p->tables[CALLS].failed = 1;
    if (is_message(s))
        add_message(p, s);
    if (s->kind == TLR_STATE_MESSAGE)
        return;
    if (p->samples && s->kind == TLR_STATE_COMPUTE &&
        !tlr_samples_add(p->samples, s, s->end_s - s->begin_s))
        add_function(p, "without a sample", s->end_s - s->begin_s, 0);
    const char *name = tlr_state_name(s, p->trace);
    p->out->ranks[s->rank].wait_s[s->wait] += s->wait_s;
    add(&p->tables[CALLS], name, s);
    add_to_region(p, s);
    if (s->site) {
        tlr_state_place(s, p->trace, key, sizeof key);
        add(&p->tables[SITES], key, s);
    }
    if (s->comm) {
        snprintf(key, sizeof key, s->comm == 1 ? "MPI_COMM_WORLD" : "communicator %" PRIu32,
                 s->comm - 1);
        add(&p->tables[COMMUNICATORS], key, s);
    }
}

/* Adds how long the calls of a rank took in the recorded run. */
static tl_status add_measured(pass *p, uint32_t rank, tl_error *err)
{
    char key[TLR_PLACE_BYTES];
    tl_cursor *c = NULL;
    tl_event e;
    tl_status status = tl_cursor_open(p->job->trace, rank, &c, err);
    while (status == TL_OK && (status = tl_cursor_next(c, &e)) == TL_OK) {
        if (!(e.took_ns > 0))
            continue;
        const tlr_state s = {.rank = rank, .site = e.site, .call = e.call, .tag = e.tag};
        measure(&p->tables[CALLS], tlr_state_name(&s, p->trace), rank, e.took_ns * 1e-9);
        if (!s.site)
            continue;
        tlr_state_place(&s, p->trace, key, sizeof key);
        measure(&p->tables[SITES], key, rank, e.took_ns * 1e-9);
    }
    if (c && status != TL_END && err)
        *err = *tl_cursor_error(c);
    tl_cursor_close(c);
    return status == TL_END ? TL_OK : status;
}

static const char *name_of_call(unsigned call)
{
    const tl_call_info *info = tl_call_by_code((uint16_t)call);
    return !call ? "compute" : info ? info->name : "?";
}

/* Adds the states that were not kept. */
static int add_rest(pass *p, const tlr_chosen *c)
{
    for (unsigned call = 0; call <= UINT16_MAX; call++) {
        const tlr_rest *rest = &c->rest[call];
        tlr_sum *row = rest->count ? tlr_table_at(&p->tables[CALLS], name_of_call(call)) : NULL;
        if (!row)
            continue;
        row->count += rest->count;
        row->time_s += rest->time_s;
        row->bytes += rest->bytes;
        for (unsigned w = 0; w < TLR_N_WAITS; w++)
            row->wait_s[w] += rest->wait_s[w];
    }
    for (uint32_t r = 0; r < c->n_ranks; r++)
        for (unsigned w = 0; w < TLR_N_WAITS; w++)
            p->out->ranks[r].wait_s[w] += c->wait_s[r][w];
    return (p->out->chosen = strdup(c->text)) != NULL;
}

static int compare_traffic(const void *a, const void *b)
{
    const tlr_traffic *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int take_traffic(const tlr_table *pairs, tlr_details *out)
{
    out->traffic = calloc(pairs->n + 1, sizeof *out->traffic);
    if (!out->traffic)
        return 0;
    for (; out->n_traffic < pairs->n; out->n_traffic++) {
        const tlr_sum *row = &pairs->rows[out->n_traffic];
        char *second;
        const unsigned long from = strtoul(row->name, &second, 10);
        out->traffic[out->n_traffic] = (tlr_traffic){.from = (uint32_t)from,
                                                     .to = (uint32_t)strtoul(second, NULL, 10),
                                                     .messages = row->count,
                                                     .bytes = row->bytes};
    }
    qsort(out->traffic, out->n_traffic, sizeof *out->traffic, compare_traffic);
    return 1;
}

tl_status tlr_details_make(const tlr_options *options, const tlr_job *jobs, size_t job,
                           tlr_details **out, tl_error *err)
{
    tlr_timeline *timeline = options->timeline;
    const unsigned n_threads = tlr_change_threads(options->changes, options->n_changes);
    const tlr_state *states;
    size_t n;
    TL_TRY(tlr_timeline_read(timeline, &states, &n, err));
    tl_status status = TL_OK;
    const uint32_t n_ranks = tl_reader_run(jobs[job].trace)->n_ranks;
    pass p = {.trace = jobs[job].trace,
              .job = &jobs[job],
              .has_regions = jobs[job].n_regions_at > 0,
              .out = calloc(1, sizeof *p.out),
              .levels = calloc(n_ranks + 1, sizeof *p.levels)};
    if (p.out)
        p.out->ranks = calloc(n_ranks + 1, sizeof *p.out->ranks);
    status = tlr_samples_open(p.trace, &p.samples, err);
    int failed = !p.out || !p.levels || !p.out->ranks || status != TL_OK;
    if (!failed)
        p.out->n_ranks = n_ranks;
    for (uint32_t r = 0; r < n_ranks && !failed; r++)
        p.levels[r] = TLR_NO_LEVEL;
    for (size_t i = 0; i < n && !failed; i++)
        if (states[i].job == job)
            add_state(&p, &states[i]);
    if (!failed)
        tlr_samples_share(p.samples, add_sampled, &p);
    if (!failed && tlr_timeline_chosen(timeline))
        failed = !add_rest(&p, tlr_timeline_chosen(timeline));
    /* A schedule of GOAL has no calls, and a made program no durations. */
    const bool has_measured = !tlr_timeline_chosen(timeline) && !tl_reader_is_goal(p.trace) &&
                              !tl_is_program(tl_reader_path(p.trace));
    for (uint32_t r = 0; r < n_ranks && !failed && has_measured; r++) {
        status = add_measured(&p, r, err);
        if (status != TL_OK)
            goto cleanup;
    }
    for (int t = 0; t < N_TABLES; t++)
        failed |= p.tables[t].failed;
    if (!failed && take_traffic(&p.tables[PAIRS], p.out)) {
        tlr_table_take(&p.tables[CALLS], &p.out->calls);
        tlr_table_take(&p.tables[SITES], &p.out->sites);
        tlr_table_take(&p.tables[COMMUNICATORS], &p.out->communicators);
        tlr_table_take(&p.tables[FUNCTIONS], &p.out->functions);
        if (p.has_regions)
            tlr_table_take(&p.tables[REGIONS], &p.out->regions);
        status = tlr_path_make(timeline, jobs, job, &p.out->path, err);
        if (status == TL_OK)
            status = tlr_sum_regions(jobs[job].trace, p.parallel, p.n_parallel, n_threads,
                                     &p.out->parallel, err);
        if (status == TL_OK) {
            *out = p.out;
            p.out = NULL;
        }
    } else {
        status = tl_no_memory(err, "details of the prediction");
    }
cleanup:
    for (int t = 0; t < N_TABLES; t++)
        tlr_table_close(&p.tables[t]);
    tlr_samples_free(p.samples);
    free(p.levels);
    free(p.parallel);
    tlr_details_free(p.out);
    return status;
}

void tlr_details_free(tlr_details *details)
{
    if (!details)
        return;
    const tlr_sums all[] = {details->calls,   details->sites,     details->communicators,
                            details->regions, details->functions, details->parallel};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tlr_sums_free(all[i].rows, all[i].n);
    tlr_path_free(details->path);
    free(details->traffic);
    free(details->chosen);
    free(details->ranks);
    free(details);
}
