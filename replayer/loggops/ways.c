/* ways.c - what messages cost on a route: the costs that SMPI predicts on links that no other
 * message uses. */
#include "config.h"

#include "ways.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static double factor_at(const tlr_segments *s, double bytes)
{
    return tlr_factor_at(s, bytes + LOGGOPS_ENVELOPE_BYTES);
}

/* ---- derived parameters ---- */

/* What a message alone gets of a route. */
typedef struct share {
    double alone_Bps;  /* of the slowest link, or of a window of TCP */
    double shared_Bps; /* of the slowest link that both directions use, beside acknowledgements */
} share;

/* SimGrid's acknowledgements count on links that both directions share. It compares TCP's window
 * with the latency of the links without factors. */
static share share_of(const loggops_law *law, const tlr_route *route)
{
    share s = {fmin(route->bandwidth_Bps, route->both_Bps), route->both_Bps / law->crosstraffic};
    if (law->gamma > 0 && route->latency_s > 0)
        s.alone_Bps = fmin(s.alone_Bps, law->gamma / (2 * route->latency_s));
    return s;
}

static double ps(double s)
{
    return fmin(s * 1e12, (double)LOGGOPS_MOST_PS);
}

/* The overhead of the first byte, in seconds, and that of each further byte. */
static uint64_t overhead(const tlr_segments *s, double bytes, double *per_byte_ps)
{
    const int i = tlr_overhead_segment(s, bytes);
    *per_byte_ps = i < 0 ? 0 : ps(s->per_byte[i]);
    return i < 0 ? 0 : (uint64_t)llrint(ps(s->value[i] + s->per_byte[i]));
}

static loggops_costs costs_at(const loggops_law *law, const tlr_route *route, uint64_t from_bytes)
{
    /* The least latency is assumed: the engine needs one above 0. */
    const double bytes = from_bytes ? (double)from_bytes : 1, least_ps = 1e4;
    const share gets = share_of(law, route);
    /* SimGrid multiplies the share of a link that a message gets, even beyond the bandwidth of the
     * link, unless the factors limit each message by itself. */
    const double factor = factor_at(&law->bandwidth, bytes),
                 of_alone = law->is_bound ? fmin(1, factor) : factor,
                 of_link = law->is_bound ? 1 : factor,
                 s_byte = 1 / fmin(gets.alone_Bps * of_alone, gets.shared_Bps * of_link);
    loggops_costs c = {.from_bytes = from_bytes,
                       .G_ps_byte = ps(law->crosstraffic / (route->bandwidth_Bps * of_link)),
                       .B_ps_byte = ps(s_byte)};
    c.o_start_ps = overhead(&law->starts, bytes, &c.O_start_ps_byte);
    c.o_ps = overhead(&law->sends, bytes, &c.O_ps_byte);
    c.o_receive_ps = overhead(&law->receives, bytes, &c.O_receive_ps_byte);
    if (law->charges_long && bytes >= law->S_bytes) {
        c.o_ps = c.o_start_ps;
        c.O_ps_byte = c.O_start_ps_byte;
    }
    const double first_s =
        factor_at(&law->latency, bytes) * route->latency_s + (1 + LOGGOPS_ENVELOPE_BYTES) * s_byte;
    c.L_ps = (uint64_t)llrint(fmax(least_ps, ps(first_s)));
    return c;
}

static void add_border(uint64_t *borders, unsigned *n, double at)
{
    const uint64_t border = (uint64_t)at;
    unsigned i = 0;
    while (i < *n && borders[i] < border)
        i++;
    if (*n == LOGGOPS_MAX_SIZES + 1 || (i < *n && borders[i] == border))
        return;
    memmove(borders + i + 1, borders + i, (*n - i) * sizeof *borders);
    borders[i] = border;
    ++*n;
}

/* A platform may state less latency for longer messages. On the way from one host to another, none
 * overtakes a shorter one: it would hold the adapter that receives for all of its bytes. What an
 * eager message has more of the latency than longer ones therefore passes after this adapter. */
static void keep_order(loggops_path *path, double S_bytes)
{
    for (unsigned i = path->n; i-- > 1;) {
        loggops_costs *shorter = &path->sizes[i - 1];
        const uint64_t L_ps = path->sizes[i].L_ps;
        if ((double)path->sizes[i].from_bytes >= S_bytes || shorter->L_ps <= L_ps)
            continue;
        shorter->late_ps = shorter->L_ps - L_ps;
        shorter->L_ps = L_ps;
    }
}

tl_status loggops_derive_path(const loggops_law *law, const tlr_route *route, loggops_path *out,
                              tl_error *err)
{
    const tlr_segments *all[] = {&law->bandwidth, &law->latency, &law->sends, &law->starts,
                                 &law->receives};
    uint64_t borders[LOGGOPS_MAX_SIZES + 2] = {0};
    unsigned n = 1;
    add_border(borders, &n, law->S_bytes);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (unsigned i = 0; i < all[k]->n; i++) {
            const double from = all[k]->from_bytes[i] - (k < 2 ? LOGGOPS_ENVELOPE_BYTES : 0);
            if (from > 0 && from < 1e18)
                add_border(borders, &n, from + 1);
        }
    if (n > LOGGOPS_MAX_SIZES)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "the platform's options distinguish more than %d ranges of sizes; give the "
                       "network of the loggops engine by --params",
                       LOGGOPS_MAX_SIZES);
    out->n = n;
    out->charges_as_smpi = 1;
    out->charges_long = law->charges_long;
    for (unsigned i = 0; i < n; i++)
        out->sizes[i] = costs_at(law, route, borders[i]);
    keep_order(out, law->S_bytes);
    return TL_OK;
}

/* ---- ways ---- */

/* A route and its costs. */
typedef struct way_kind {
    tlr_route route;
    bool is_within;
    loggops_path *path;
} way_kind;

/* Pairs of nodes are remembered in a word: a number of each node and that of the kind, from 1 on.
 * Messages use few pairs at a time: for each node, there is room for 16. */
enum { NODE_BITS = 24, KIND_BITS = 16, MOST_KINDS = (1 << KIND_BITS) - 1 };
enum { PAIRS_OF_NODE = 16, LEAST_MEMO_BITS = 10, MOST_MEMO_BITS = 22 };

struct loggops_ways {
    const tlr_cluster *cluster;
    const uint32_t *host_of; /* by node */
    loggops_law laws[2];     /* between hosts, within one */
    _Atomic uint64_t *memo;
    unsigned memo_bits;
    pthread_mutex_t lock; /* of what follows */
    way_kind kinds[MOST_KINDS];
    _Atomic uint32_t n_kinds;
    uint32_t slots[2 << KIND_BITS]; /* by hash of the route: kind + 1 */
    uint64_t failed_pair;           /* the first of those without a way */
    tl_error failure;               /* its status is TL_OK if there is none */
};

tl_status loggops_ways_open(const loggops_law laws[2], loggops_ways **out, tl_error *err)
{
    loggops_ways *w = calloc(1, sizeof *w);
    if (!w)
        return tl_no_memory(err, "routes");
    w->laws[0] = laws[0];
    w->laws[1] = laws[1];
    w->failed_pair = UINT64_MAX;
    pthread_mutex_init(&w->lock, NULL);
    *out = w;
    return TL_OK;
}

void loggops_ways_close(loggops_ways *w)
{
    for (uint32_t i = 0; w && i < w->n_kinds; i++)
        free(w->kinds[i].path);
    if (w) {
        pthread_mutex_destroy(&w->lock);
        free(w->memo);
    }
    free(w);
}

tl_status loggops_ways_place(loggops_ways *w, const tlr_cluster *cluster, const uint32_t *host_of,
                             uint32_t n_nodes, tl_error *err)
{
    w->cluster = cluster;
    w->host_of = host_of;
    w->memo_bits = LEAST_MEMO_BITS;
    while (w->memo_bits < MOST_MEMO_BITS && (uint64_t)n_nodes * PAIRS_OF_NODE > UINT64_C(1)
                                                                                    << w->memo_bits)
        w->memo_bits++;
    free(w->memo);
    w->memo = calloc(UINT64_C(1) << w->memo_bits, sizeof *w->memo);
    return w->memo ? TL_OK : tl_no_memory(err, "routes");
}

static void fail(loggops_ways *w, uint64_t pair, const tl_error *failure)
{
    if (pair >= w->failed_pair)
        return;
    w->failed_pair = pair;
    w->failure = *failure;
}

tl_status loggops_ways_status(const loggops_ways *w, tl_error *err)
{
    if (!w || w->failed_pair == UINT64_MAX)
        return TL_OK;
    *err = w->failure;
    return w->failure.status;
}

static bool are_equal(const way_kind *kind, const tlr_route *route, bool is_within)
{
    return kind->is_within == is_within && kind->route.latency_s == route->latency_s &&
           kind->route.bandwidth_Bps == route->bandwidth_Bps &&
           kind->route.both_Bps == route->both_Bps;
}

static size_t slot_of(const loggops_ways *w, const tlr_route *route, bool is_within)
{
    const size_t mask = sizeof w->slots / sizeof *w->slots - 1;
    const double key[] = {route->latency_s, route->bandwidth_Bps, route->both_Bps, is_within};
    size_t i = XXH64(key, sizeof key, 0) & mask;
    while (w->slots[i] && !are_equal(&w->kinds[w->slots[i] - 1], route, is_within))
        i = (i + 1) & mask;
    return i;
}

/* A copy that has only the ranges of sizes that there are. */
static loggops_path *copy_path(const loggops_path *path)
{
    const size_t bytes = offsetof(loggops_path, sizes) + path->n * sizeof path->sizes[0];
    loggops_path *copy = malloc(bytes);
    return copy ? memcpy(copy, path, bytes) : NULL;
}

/* The number of the kind of a route, from 1 on; 0: it fails. The caller holds the lock. */
static uint32_t kind_of(loggops_ways *w, const tlr_route *route, bool is_within, tl_error *err)
{
    const size_t slot = slot_of(w, route, is_within);
    const uint32_t n = w->n_kinds;
    loggops_path path;
    if (w->slots[slot])
        return w->slots[slot];
    if (n == MOST_KINDS) {
        tl_error_set(
            err, TL_ERR_UNSUPPORTED,
            "the hosts of the run have more than %d different routes; give --engine smpi, or "
            "the network by --params",
            MOST_KINDS);
        return 0;
    }
    if (loggops_derive_path(&w->laws[is_within], route, &path, err) != TL_OK)
        return 0;
    w->kinds[n] = (way_kind){*route, is_within, copy_path(&path)};
    if (!w->kinds[n].path) {
        tl_error_set(err, TL_ERR_MEMORY, "out of memory for the routes");
        return 0;
    }
    w->n_kinds = n + 1;
    return w->slots[slot] = n + 1;
}

/* Works out the way of a pair that is not remembered. */
static uint32_t find_kind(loggops_ways *w, uint64_t pair, uint32_t from, uint32_t to)
{
    tlr_route route;
    tl_error err;
    uint32_t kind = 0;
    const tl_status status =
        tlr_route_find(w->cluster, w->host_of[from], w->host_of[to], &route, &err);
    pthread_mutex_lock(&w->lock);
    if (status == TL_OK)
        kind = kind_of(w, &route, from == to, &err);
    if (!kind)
        fail(w, pair, &err);
    pthread_mutex_unlock(&w->lock);
    return kind;
}

uint16_t loggops_way_between(loggops_ways *w, uint32_t from, uint32_t to)
{
    const uint64_t pair = (uint64_t)from << NODE_BITS | to;
    _Atomic uint64_t *slot = &w->memo[pair * UINT64_C(0x9e3779b97f4a7c15) >> (64 - w->memo_bits)];
    const uint64_t known = atomic_load_explicit(slot, memory_order_acquire);
    uint16_t kind = (uint16_t)(known & MOST_KINDS);
    if (!kind || known >> KIND_BITS != pair) {
        kind = (uint16_t)find_kind(w, pair, from, to);
        if (kind)
            atomic_store_explicit(slot, pair << KIND_BITS | kind, memory_order_release);
    }
    return kind;
}

const loggops_path *loggops_way(const loggops_ways *w, uint32_t way, const loggops_path *fallback)
{
    return way ? w->kinds[way - 1].path : fallback;
}

void loggops_ways_describe(const loggops_ways *w, FILE *out)
{
    double latency_s[2] = {INFINITY, 0}, Bps[2] = {INFINITY, 0};
    uint32_t n = 0;
    for (uint32_t i = 0; w && i < w->n_kinds; i++) {
        const tlr_route *route = &w->kinds[i].route;
        if (w->kinds[i].is_within)
            continue;
        n++;
        latency_s[0] = fmin(latency_s[0], route->latency_s);
        latency_s[1] = fmax(latency_s[1], route->latency_s);
        Bps[0] = fmin(Bps[0], route->bandwidth_Bps);
        Bps[1] = fmax(Bps[1], route->bandwidth_Bps);
    }
    if (n)
        fprintf(out,
                "; %u kinds of routes between the nodes: latency %.9gus to %.9gus, slowest link "
                "%.9g to %.9g B/s",
                n, latency_s[0] * 1e6, latency_s[1] * 1e6, Bps[0], Bps[1]);
}
