/* statistical_plan.c - divides a run into blocks and chooses whose volumes each block takes. */
#include "statistical.h"

#include "core/error.h"

#include <inttypes.h>
#include <math.h>

enum {
    MIN_ANCHORS = 16,
    FEWEST_EVENTS = 96, /* of a rank in a block */
    MOST_EVENTS = 2048,
    MOST_BLOCKS = 1 << 16,
    MAX_GROUPS = 64,      /* the number of sums of ranks that are compared */
    MAX_CANDIDATES = 16,  /* for the anchor */
    FIRST_KEPT = 4,       /* of the blocks of a shape */
    HEAD_EVENTS = 1 << 20 /* of rank 0, by which anchors are compared */
};
/* Bytes for each call that volumes may cost, of a kept volume, and of a block that keeps none. */
static const double bytes_of_call = 0.11, bytes_of_volume = 1.5, bytes_of_block = 12;
/* The time that a block takes is found for messages that take so many mean volumes of an event. */
enum { N_PACES = 4 };
static const double latencies[N_PACES] = {0, 1.0 / 16, 1, 16};

/* A call at a place of the program. */
typedef struct candidate {
    uint64_t path;
    uint64_t n;     /* calls of each rank */
    uint64_t score; /* events in blocks that have others like them */
    uint16_t call;
    bool is_sync;
} candidate;

typedef struct planning {
    tl_reader *r;
    uint32_t n_ranks, n_groups;
    uint64_t n_events; /* of the longest rank */
    tl_sampling *out;
    tl_error *err;
    candidate *candidates;
    size_t n_candidates, capacity;
    uint64_t *head; /* a hash of the call and path of each of the first events of rank 0 */
    size_t n_head;
    /* Of each block: a hash of the calls of all ranks; volumes of groups of ranks; the times that
     * it takes. */
    uint64_t *shapes;
    uint64_t *sampled; /* events that take a volume, if the block takes them from another one */
    double *loads, *paces[N_PACES];
    double *longest; /* of each stretch between two meetings: the volume of the longest rank */
    uint32_t *block_of;
    size_t n_stretches, stretches_capacity, blocks_capacity;
} planning;

static tl_status no_memory(planning *p)
{
    return tl_no_memory(p->err, tl_reader_path(p->r));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return tl_hash_of(&value, sizeof value, hash);
}

/* ---- places ---- */

/* A hash of the call path of a call site, which is the same on all ranks; 0 for site 0. */
static uint64_t path_key(const tl_reader *r, uint32_t rank, uint32_t site)
{
    uint64_t key = 0;
    for (const tl_site *s; site && (s = tl_reader_site(r, rank, site)); site = s->caller)
        key = mix(tl_hash_of(s->object, strlen(s->object), key), s->offset);
    return key;
}

uint32_t tl_sampling_site(const tl_sampling *s, const tl_reader *r, uint32_t rank)
{
    const tl_site *sites;
    const size_t n = s->path ? tl_reader_sites(r, rank, &sites) : 0;
    for (size_t i = 0; i < n; i++)
        if (path_key(r, rank, sites[i].id) == s->path)
            return sites[i].id;
    return s->path ? UINT32_MAX : 0;
}

static bool is_meeting(const planning *p, uint32_t rank, const tl_event *e)
{
    if (!(tl_call_by_code(e->call)->traits & TL_TRAIT_SYNC))
        return false;
    if (e->comm == TL_COMM_WORLD)
        return true;
    const tl_comm *comm = tl_reader_comm(p->r, rank, e->comm);
    return comm && comm->n_members == p->n_ranks;
}

/* ---- going through the events of a rank ---- */

typedef bool visitor(planning *p, uint32_t rank, const tl_event *e, void *arg);

static tl_status visit(planning *p, uint32_t rank, visitor *each, void *arg)
{
    tl_cursor *c;
    tl_event e;
    TL_TRY(tl_cursor_open(p->r, rank, &c, p->err));
    tl_status status;
    while ((status = tl_cursor_next(c, &e)) == TL_OK)
        if (!each(p, rank, &e, arg)) {
            status = no_memory(p);
            break;
        }
    status = tl_cursor_end(c, status, p->err);
    tl_cursor_close(c);
    return status;
}

/* ---- candidates for the anchor ---- */

/* The number of calls is counted twice; bit 0 is set if ranks do not meet in one of them. */
static bool count_call(planning *p, uint32_t rank, const tl_event *e, void *arg)
{
    uint64_t *n = tl_map_at(arg, (uint64_t)e->site << 16 | e->call);
    if (!n)
        return false;
    *n = (*n + 2) | !is_meeting(p, rank, e);
    if (rank || p->n_head == HEAD_EVENTS)
        return true;
    p->head[p->n_head++] = mix(path_key(p->r, rank, e->site), e->call);
    return true;
}

static bool add_candidates(planning *p, const tl_map *counts)
{
    for (size_t i = 0; i < counts->capacity; i++) {
        const struct tl_map_entry *entry = &counts->entries[i];
        if (!entry->used || entry->value / 2 < MIN_ANCHORS)
            continue;
        if (!tl_make_room(&p->candidates, p->n_candidates, &p->capacity, sizeof *p->candidates))
            return false;
        p->candidates[p->n_candidates++] =
            (candidate){.path = path_key(p->r, 0, (uint32_t)(entry->key >> 16)),
                        .n = entry->value / 2,
                        .call = (uint16_t)entry->key,
                        .is_sync = !(entry->value & 1)};
    }
    return true;
}

/* What tl_sampling_site finds, for all paths: the id of the first call site, and 1. */
static bool find_sites(const planning *p, uint32_t rank, tl_map *site_of)
{
    const tl_site *sites;
    const size_t n = tl_reader_sites(p->r, rank, &sites);
    for (size_t i = 0; i < n; i++) {
        uint64_t *site = tl_map_at(site_of, path_key(p->r, rank, sites[i].id));
        if (!site)
            return false;
        *site = *site ? *site : (uint64_t)sites[i].id + 1;
    }
    return true;
}

/* Drops candidates that a rank has not called as often at the site by which it finds the anchor:
 * another site can have the same path, or none. Blocks are counted by this site. */
static bool keep_common(planning *p, uint32_t rank, const tl_map *counts)
{
    tl_map site_of = {0};
    size_t n = 0;
    const bool ok = find_sites(p, rank, &site_of);
    for (size_t i = 0; ok && i < p->n_candidates; i++) {
        const candidate *c = &p->candidates[i];
        const uint64_t *site = c->path ? tl_map_find(&site_of, c->path) : NULL;
        const uint64_t *count =
            site || !c->path ? tl_map_find(counts, (site ? *site - 1 : 0) << 16 | c->call) : NULL;
        if (count && *count / 2 == c->n)
            p->candidates[n++] = *c;
    }
    tl_map_free(&site_of);
    p->n_candidates = n;
    return ok;
}

/* Those that are called most come first; of equal ones those at which all ranks meet. */
static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->is_sync != y->is_sync)
        return x->is_sync ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path;
}

/* All candidates that are called equally often cut the run alike. */
static void thin_candidates(planning *p)
{
    if (p->n_candidates)
        qsort(p->candidates, p->n_candidates, sizeof *p->candidates, compare_candidates);
    size_t n = 0;
    for (size_t i = 0; i < p->n_candidates && n < MAX_CANDIDATES; i++)
        if (!n || p->candidates[n - 1].n != p->candidates[i].n)
            p->candidates[n++] = p->candidates[i];
    p->n_candidates = n;
}

static tl_status find_candidates(planning *p)
{
    tl_status status = TL_OK;
    p->head = malloc(HEAD_EVENTS * sizeof *p->head);
    if (!p->head)
        return no_memory(p);
    for (uint32_t rank = 0; rank < p->n_ranks && !status && (!rank || p->n_candidates); rank++) {
        tl_map counts = {0};
        tl_rank_summary summary;
        tl_reader_rank(p->r, rank, &summary);
        p->n_events = summary.n_events > p->n_events ? summary.n_events : p->n_events;
        status = visit(p, rank, count_call, &counts);
        if (!status && ((!rank && !add_candidates(p, &counts)) || !keep_common(p, rank, &counts)))
            status = no_memory(p);
        tl_map_free(&counts);
    }
    thin_candidates(p);
    return status;
}

/* ---- the anchor ---- */

/* The number of events of a rank in a block. A block of few events costs more than it saves; of few
 * blocks, none is like another. */
static double block_events(const planning *p)
{
    const double n = (double)p->n_events, wanted = 0.8 * sqrt(n);
    const double events = wanted < FEWEST_EVENTS ? FEWEST_EVENTS
                          : wanted > MOST_EVENTS ? MOST_EVENTS
                                                 : wanted;
    return n / events > MOST_BLOCKS ? n / MOST_BLOCKS : events;
}

static uint64_t anchors_of_block(const planning *p, const candidate *c)
{
    const double n = (double)c->n * block_events(p) / (double)p->n_events;
    return n < 1 ? 1 : (uint64_t)llrint(n);
}

/* Counts the events of rank 0 in blocks whose calls are those of other blocks. */
static bool rate(planning *p, candidate *c)
{
    const uint64_t anchor = mix(c->path, c->call), every = anchors_of_block(p, c);
    tl_map seen = {0};
    uint64_t shape = 0, n_anchors = 0;
    c->score = 0;
    for (size_t i = 0, first = 0; i < p->n_head; i++) {
        shape = mix(shape, p->head[i]);
        if (p->head[i] != anchor || n_anchors++ % every)
            continue;
        uint64_t *n = tl_map_at(&seen, shape);
        if (!n) {
            tl_map_free(&seen);
            return false;
        }
        c->score += ++*n > FIRST_KEPT ? i + 1 - first : 0;
        first = i + 1;
        shape = 0;
    }
    tl_map_free(&seen);
    return true;
}

static tl_status choose_anchor(planning *p)
{
    const candidate *best = NULL;
    for (size_t i = 0; i < p->n_candidates; i++) {
        candidate *c = &p->candidates[i];
        if (!rate(p, c))
            return no_memory(p);
        /* A little more is not worth blocks at whose ends the ranks do not meet. */
        if (c->score && (!best || c->score > best->score + best->score / 20 ||
                         (c->is_sync && !best->is_sync && c->score > best->score * 0.95)))
            best = c;
    }
    if (!best)
        return TL_OK;
    p->out->call = best->call;
    p->out->path = best->path;
    p->out->every = anchors_of_block(p, best);
    p->out->n_blocks = (uint32_t)(1 + (best->n - 1) / p->out->every + 1);
    return TL_OK;
}

/* ---- blocks ---- */

/* Where a rank is. */
typedef struct position {
    uint32_t site; /* of the anchor */
    uint32_t block;
    uint64_t n_anchors, shape, n_passed; /* in the block */
    double volume;                       /* since the last meeting */
    size_t stretch;
} position;

static bool end_stretch(planning *p, position *at)
{
    const size_t i = at->stretch++;
    if (i == p->n_stretches) {
        if (!tl_make_room(&p->longest, i, &p->stretches_capacity, sizeof *p->longest) ||
            !tl_make_room(&p->block_of, i, &p->blocks_capacity, sizeof *p->block_of))
            return false;
        p->longest[i] = 0;
        p->block_of[i] = at->block;
        p->n_stretches++;
    }
    if (at->volume > p->longest[i])
        p->longest[i] = at->volume;
    at->volume = 0;
    return true;
}

static bool measure(planning *p, uint32_t rank, const tl_event *e, void *arg)
{
    position *at = arg;
    const bool is_anchor = tl_is_anchor(p->out, at->site, e);
    at->shape = mix(at->shape, (uint64_t)e->site << 16 | e->call);
    at->volume += (double)e->volume;
    p->sampled[at->block] += at->n_passed++ < TL_SAMPLE_VOLUMES;
    p->out->n_bursts++;
    p->loads[(size_t)at->block * p->n_groups + rank % p->n_groups] += (double)e->volume;
    if ((is_anchor || is_meeting(p, rank, e)) && !end_stretch(p, at))
        return false;
    if (!is_anchor || at->n_anchors++ % p->out->every)
        return true;
    p->shapes[at->block] = mix(p->shapes[at->block], at->shape);
    at->shape = at->n_passed = 0;
    at->block++;
    return true;
}

static tl_status measure_blocks(planning *p)
{
    const uint32_t n = p->out->n_blocks;
    p->n_groups = p->n_ranks < MAX_GROUPS ? p->n_ranks : MAX_GROUPS;
    p->shapes = calloc(n, sizeof *p->shapes);
    p->sampled = calloc(n, sizeof *p->sampled);
    p->loads = calloc((size_t)n * p->n_groups, sizeof *p->loads);
    p->out->source = calloc(n, sizeof *p->out->source);
    if (!p->shapes || !p->sampled || !p->loads || !p->out->source)
        return no_memory(p);
    for (uint32_t rank = 0; rank < p->n_ranks; rank++) {
        position at = {.site = tl_sampling_site(p->out, p->r, rank)};
        TL_TRY(visit(p, rank, measure, &at));
    }
    return TL_OK;
}

static tl_status find_paces(planning *p)
{
    const uint32_t n = p->out->n_blocks;
    tl_rank_summary summary;
    tl_reader_rank(p->r, 0, &summary);
    for (int i = 0; i < N_PACES; i++) {
        double *pace = p->paces[i] = calloc(n, sizeof *pace);
        if (!pace)
            return no_memory(p);
        const double latency = latencies[i] * (double)summary.volume / (double)summary.n_events;
        const tl_status status = tl_sampling_pace(p->out, p->r, latency, pace, p->err);
        if (status && status != TL_END)
            return status;
        for (uint32_t b = n - 1; b > 0; b--)
            pace[b] -= pace[b - 1];
        for (size_t k = 0; k < p->n_stretches && status == TL_END; k++)
            pace[p->block_of[k]] += p->longest[k];
    }
    return TL_OK;
}

/* ---- whose volumes a block takes ---- */

/* By how much the run, with the volumes chosen so far, is behind the recorded one. */
typedef struct arrears {
    double loads[MAX_GROUPS], paces[N_PACES];
} arrears;

/* Of a block: what it adds to the arrears if it takes the volumes of `source`. */
static arrears added(const planning *p, uint32_t block, uint32_t source)
{
    arrears a;
    for (int i = 0; i < N_PACES; i++)
        a.paces[i] = p->paces[i][block] - p->paces[i][source];
    for (uint32_t g = 0; g < p->n_groups; g++)
        a.loads[g] =
            p->loads[(size_t)block * p->n_groups + g] - p->loads[(size_t)source * p->n_groups + g];
    return a;
}

/* The product of what the arrears are of times, and of what ranks wait in them: at each pace, and
 * for each rank. */
static double product(const planning *p, const arrears *a, const arrears *b)
{
    const double n = (double)p->n_ranks / p->n_groups; /* ranks in a group */
    double sum = 0;
    for (int i = 0; i < N_PACES; i++) {
        double waits = 0;
        for (uint32_t g = 0; g < p->n_groups; g++)
            waits += (a->paces[i] - a->loads[g] / n) * (b->paces[i] - b->loads[g] / n);
        sum += a->paces[i] * b->paces[i] + waits / p->n_groups;
    }
    return sum;
}

static arrears sum_of(const planning *p, const arrears *a, const arrears *b)
{
    arrears sum;
    for (int i = 0; i < N_PACES; i++)
        sum.paces[i] = a->paces[i] + b->paces[i];
    for (uint32_t g = 0; g < p->n_groups; g++)
        sum.loads[g] = a->loads[g] + b->loads[g];
    return sum;
}

/* The choice for one block. */
typedef struct choice {
    uint32_t source, n; /* n: the number of blocks from which it could choose */
    double least;       /* the square of the arrears with it */
    double usual;       /* of the differences to all of them, the mean square */
    bool goes_beyond;   /* the block reduces arrears more than each of them would */
} choice;

static choice choose(const planning *p, const arrears *now, uint32_t block, const uint32_t *kept)
{
    choice c = {.source = block, .least = HUGE_VAL, .goes_beyond = true};
    for (uint32_t i = 0; i < TL_SAMPLES && i < p->out->n_kept; i++) {
        if (p->shapes[kept[i]] != p->shapes[block])
            continue;
        const arrears adds = added(p, block, kept[i]), then = sum_of(p, now, &adds);
        const double square = product(p, &then, &then);
        c.n++;
        c.usual += product(p, &adds, &adds);
        c.goes_beyond = c.goes_beyond && product(p, now, &adds) > 0;
        if (square < c.least) {
            c.least = square;
            c.source = kept[i];
        }
    }
    c.usual /= c.n ? c.n : 1;
    return c;
}

/* One block of so many keeps its volumes in any case. Half of the bytes are for others. */
static uint32_t blocks_of_kept(const planning *p)
{
    const double n = bytes_of_volume / (bytes_of_call - bytes_of_block / block_events(p));
    return n < 8 ? 16 : n > 32 ? 64 : 2 * (uint32_t)llrint(n);
}

/* The blocks in their order: each takes the volumes with which the run, from its beginning up to
 * this block, is closest to the recorded one. */
static tl_status choose_sources(planning *p)
{
    tl_sampling *s = p->out;
    const uint32_t one_of = blocks_of_kept(p);
    uint32_t kept[TL_SAMPLES];
    arrears behind = {0};
    tl_map seen = {0};
    s->n_kept = 0;
    s->n_sampled = 0;
    for (uint32_t b = 0; b < s->n_blocks; b++) {
        uint64_t *n = tl_map_at(&seen, p->shapes[b]);
        if (!n) {
            tl_map_free(&seen);
            return no_memory(p);
        }
        const bool is_outer = !b || b + 1 == s->n_blocks;
        choice c = {.source = b};
        if (!is_outer && *n >= FIRST_KEPT && (*n - FIRST_KEPT + 1) % one_of)
            c = choose(p, &behind, b, kept);
        ++*n;
        s->source[b] = c.goes_beyond && c.least > 8 * c.usual ? b : c.source;
        const arrears adds = added(p, b, s->source[b]);
        behind = sum_of(p, &behind, &adds);
        s->n_sampled += s->source[b] != b ? p->sampled[b] : 0;
        if (s->source[b] == b && !is_outer)
            kept[s->n_kept++ % TL_SAMPLES] = b;
    }
    tl_map_free(&seen);
    s->n_kept += 2; /* the outer blocks */
    return TL_OK;
}

tl_status tl_sampling_plan(tl_reader *r, tl_sampling *out, tl_error *err)
{
    planning p = {.r = r, .n_ranks = tl_reader_run(r)->n_ranks, .out = out, .err = err};
    *out = (tl_sampling){0};
    tl_status status = find_candidates(&p);
    out->has_anchors = p.n_candidates > 0;
    if (!status)
        status = choose_anchor(&p);
    if (!status && out->n_blocks)
        status = measure_blocks(&p);
    if (!status && out->n_blocks)
        status = find_paces(&p);
    if (!status && out->n_blocks)
        status = choose_sources(&p);
    free(p.candidates);
    free(p.head);
    free(p.shapes);
    free(p.sampled);
    free(p.loads);
    for (int i = 0; i < N_PACES; i++)
        free(p.paces[i]);
    free(p.longest);
    free(p.block_of);
    if (status)
        tl_sampling_free(out);
    return status;
}

void tl_sampling_free(tl_sampling *s)
{
    free(s->source);
    *s = (tl_sampling){0};
}
