/* details.c - one pass over the states, adding up. */
#include "config.h"

#include "details.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- rows by key ---- */

typedef struct table {
    size_t n, room; /* room: a power of two, more than twice n */
    size_t *slots;  /* index + 1 of a row; 0 empty */
    tlr_sum *rows;
    int failed; /* no memory */
} table;

static size_t find_slot(const table *t, const char *key)
{
    size_t i = XXH64(key, strlen(key), 0) & (t->room - 1);
    while (t->slots[i] && strcmp(t->rows[t->slots[i] - 1].name, key) != 0)
        i = (i + 1) & (t->room - 1);
    return i;
}

static int grow(table *t)
{
    const size_t room = t->room ? 2 * t->room : 64;
    size_t *slots = calloc(room, sizeof *slots);
    tlr_sum *rows = realloc(t->rows, room * sizeof *rows);
    if (rows)
        t->rows = rows;
    if (!slots || !rows) {
        free(slots);
        return 0;
    }
    free(t->slots);
    t->slots = slots;
    t->room = room;
    for (size_t r = 0; r < t->n; r++)
        t->slots[find_slot(t, t->rows[r].name)] = r + 1;
    return 1;
}

static void add(table *t, const char *key, const tlr_state *s)
{
    if (t->failed || ((t->n + 1) * 2 > t->room && !grow(t))) {
        t->failed = 1;
        return;
    }
    const size_t slot = find_slot(t, key);
    if (!t->slots[slot]) {
        char *name = strdup(key);
        if (!name) {
            t->failed = 1;
            return;
        }
        t->rows[t->n] = (tlr_sum){.name = name};
        t->slots[slot] = ++t->n;
    }
    tlr_sum *row = &t->rows[t->slots[slot] - 1];
    row->count++;
    row->time_s += s->end_s - s->begin_s;
    row->wait_s[s->wait] += s->wait_s;
    row->bytes += s->bytes;
}

static void free_rows(tlr_sum *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(rows[i].name);
    free(rows);
}

static void close_table(table *t)
{
    free_rows(t->rows, t->n);
    free(t->slots);
}

static int compare_sums(const void *a, const void *b)
{
    const tlr_sum *x = a, *y = b;
    if (x->time_s != y->time_s)
        return x->time_s > y->time_s ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void take_rows(table *t, tlr_sums *out)
{
    if (t->n)
        qsort(t->rows, t->n, sizeof *t->rows, compare_sums);
    out->n = t->n;
    out->rows = t->rows;
    t->n = 0;
    t->rows = NULL;
}

/* ---- the pass ---- */

typedef struct pass {
    const tl_reader *trace;
    tlr_details *out;
    table calls, sites, communicators, regions, pairs;
    int has_regions;
    int64_t *levels; /* by rank: of the last MPI_Pcontrol, or BEFORE */
} pass;

static const int64_t BEFORE = INT64_MIN;

static int is_message(const tlr_state *s)
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
    add(&p->pairs, key, s);
    int size = 0;
    for (int64_t bytes = s->bytes; bytes > 0; bytes >>= 1)
        size++;
    p->out->size_messages[size]++;
    p->out->size_bytes[size] += s->bytes;
}

static void add_to_region(pass *p, const tlr_state *s)
{
    char key[48] = "before MPI_Pcontrol";
    if (s->call == TL_MPI_Pcontrol) {
        p->levels[s->rank] = s->tag;
        p->has_regions = 1;
    }
    if (p->levels[s->rank] != BEFORE)
        snprintf(key, sizeof key, "MPI_Pcontrol(%" PRId64 ")", p->levels[s->rank]);
    add(&p->regions, key, s);
}

static void add_state(pass *p, const tlr_state *s)
{
    char key[640], site[256];
    if (is_message(s))
        add_message(p, s);
    if (s->kind == TLR_STATE_MESSAGE)
        return;
    const char *name = tlr_state_name(s, p->trace);
    p->out->ranks[s->rank].wait_s[s->wait] += s->wait_s;
    add(&p->calls, name, s);
    add_to_region(p, s);
    if (s->site) {
        tl_site_text(p->trace, s->rank, s->site, site, sizeof site);
        snprintf(key, sizeof key, "%.300s %s", name, site);
        add(&p->sites, key, s);
    }
    if (s->comm) {
        snprintf(key, sizeof key, s->comm == 1 ? "MPI_COMM_WORLD" : "communicator %" PRIu32,
                 s->comm - 1);
        add(&p->communicators, key, s);
    }
}

static int compare_traffic(const void *a, const void *b)
{
    const tlr_traffic *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int take_traffic(const table *pairs, tlr_details *out)
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

tl_status tlr_details_make(tlr_timeline *timeline, const tlr_job *jobs, size_t job,
                           tlr_details **out, tl_error *err)
{
    const tlr_state *states;
    size_t n;
    tl_status status = tlr_timeline_read(timeline, &states, &n, err);
    if (status != TL_OK)
        return status;
    const uint32_t n_ranks = tl_reader_run(jobs[job].trace)->n_ranks;
    pass p = {.trace = jobs[job].trace,
              .out = calloc(1, sizeof *p.out),
              .levels = calloc(n_ranks + 1, sizeof *p.levels)};
    if (p.out)
        p.out->ranks = calloc(n_ranks + 1, sizeof *p.out->ranks);
    int failed = !p.out || !p.levels || !p.out->ranks;
    if (!failed)
        p.out->n_ranks = n_ranks;
    for (uint32_t r = 0; r < n_ranks && !failed; r++)
        p.levels[r] = BEFORE;
    for (size_t i = 0; i < n && !failed; i++)
        if (states[i].job == job)
            add_state(&p, &states[i]);
    if (p.calls.failed || p.sites.failed || p.communicators.failed || p.regions.failed ||
        p.pairs.failed)
        failed = 1;
    if (!failed && take_traffic(&p.pairs, p.out)) {
        take_rows(&p.calls, &p.out->calls);
        take_rows(&p.sites, &p.out->sites);
        take_rows(&p.communicators, &p.out->communicators);
        if (p.has_regions)
            take_rows(&p.regions, &p.out->regions);
        *out = p.out;
        p.out = NULL;
    } else {
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory for the details of the prediction");
    }
    close_table(&p.calls);
    close_table(&p.sites);
    close_table(&p.communicators);
    close_table(&p.regions);
    close_table(&p.pairs);
    free(p.levels);
    tlr_details_free(p.out);
    return status;
}

void tlr_details_free(tlr_details *details)
{
    if (!details)
        return;
    free_rows(details->calls.rows, details->calls.n);
    free_rows(details->sites.rows, details->sites.n);
    free_rows(details->communicators.rows, details->communicators.n);
    free_rows(details->regions.rows, details->regions.n);
    free(details->traffic);
    free(details->ranks);
    free(details);
}
