/* routes.c - a cache of routes between hosts, which SimGrid 3.32 computes anew for each message.
 *
 * For every message SimGrid walks the zones twice: there and, for cross-traffic, back. Each walk
 * makes a dozen small objects. That is a tenth of the time of an allreduce on 16 ranks. A route
 * depends only on its two ends and on the latency of its links. Here it is kept, in a table of
 * fixed size, until the latency of a link changes.
 *
 * The functions below know nothing of SimGrid's objects, and of C++ only the
 * three pointers of a std::vector. The set of zones that a route passes is used by callbacks of
 * SimGrid's user only. There are none here, so the set stays empty. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Of libstdc++'s std::vector<pointer>. */
typedef struct vector {
    void **begin, **end, **limit;
} vector;

typedef struct route {
    const void *from, *to;
    double latency_s;
    uint32_t n_links;
    uint32_t age; /* it is good as long as none is younger */
    void **links;
} route;

enum { MIN_BITS = 10, MAX_BITS = 18, ROUTES_PER_RANK = 8 };

static route *table; /* [1 << table_bits], or NULL: no route is kept */
static unsigned table_bits;
static uint32_t age = 1;

void smpi_routes_prepare(uint32_t n_ranks)
{
    if (!smpi_shim_holds(SMPI_SHIM_ROUTES))
        return;
    table_bits = MIN_BITS;
    while (table_bits < MAX_BITS &&
           (UINT64_C(1) << table_bits) < ROUTES_PER_RANK * (uint64_t)n_ranks)
        table_bits++;
    table = calloc((size_t)1 << table_bits, sizeof *table);
}

static route *place_of(const void *from, const void *to)
{
    uint64_t h = (uintptr_t)from * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ (uintptr_t)to) * UINT64_C(0xbf58476d1ce4e5b9);
    return &table[h >> (64 - table_bits)];
}

/* The memory of a vector comes from operator new. */
static void give(const route *r, vector *links)
{
    const size_t n = r->n_links;
    if ((size_t)(links->limit - links->begin) < n) {
        smpi_memory_delete(links->begin);
        links->begin = smpi_memory_new(n * sizeof *links->begin);
        links->limit = links->begin + n;
    }
    if (n)
        memcpy(links->begin, r->links, n * sizeof *links->begin);
    links->end = links->begin + n;
}

static void keep(route *r, const void *from, const void *to, const vector *links, double latency_s)
{
    const size_t n = (size_t)(links->end - links->begin);
    void **copy = r->links;
    if (!copy || r->n_links < n) {
        copy = malloc((n ? n : 1) * sizeof *copy);
        if (!copy)
            return;
        free(r->links);
    }
    if (n)
        memcpy(copy, links->begin, n * sizeof *copy);
    *r = (route){from, to, latency_s, (uint32_t)n, age, copy};
}

typedef void find_function(const void *from, const void *to, vector *links, double *latency_s,
                           void *zones);
find_function find_route SMPI_REPLACES(SG_FIND_ROUTE);
void set_latency(void *link, double latency_s) SMPI_REPLACES(SG_SET_LATENCY);

/* SimGrid handles a route that continues another one, because it adds the latency link by link. */
void find_route(const void *from, const void *to, vector *links, double *latency_s, void *zones)
{
    static find_function *theirs;
    SMPI_BEHIND(theirs, SG_FIND_ROUTE);
    if (!table || links->begin != links->end || (latency_s && *latency_s != 0)) {
        theirs(from, to, links, latency_s, zones);
        return;
    }
    route *r = place_of(from, to);
    if (r->from == from && r->to == to && r->age == age) {
        give(r, links);
        if (latency_s)
            *latency_s = r->latency_s;
        return;
    }
    double sum_s = 0;
    theirs(from, to, links, &sum_s, zones);
    keep(r, from, to, links, sum_s);
    if (latency_s)
        *latency_s = sum_s;
}

void set_latency(void *link, double latency_s)
{
    static void (*theirs)(void *, double);
    SMPI_BEHIND(theirs, SG_SET_LATENCY);
    theirs(link, latency_s);
    age++;
}
