/* zones.c - what zones consist of: names, tables of routes, ways through graphs. */
#include "config.h"

#include "machine/zones.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- arrays and names ---- */

static const char *name_at(const void *array, size_t size, uint32_t number)
{
    return *(const char *const *)((const char *)array + size * number);
}

/* The slot of a name, or the free one that it would get. */
static size_t slot_of(const tlr_names *names, const void *array, size_t size, const char *name)
{
    size_t i = XXH64(name, strlen(name), 0) & (names->room - 1);
    while (names->slots[i] && strcmp(name_at(array, size, names->slots[i] - 1), name) != 0)
        i = (i + 1) & (names->room - 1);
    return i;
}

uint32_t tlr_names_find(const tlr_names *names, const void *array, size_t size, const char *name)
{
    return names->room ? names->slots[slot_of(names, array, size, name)] - 1 : TLR_NO_INDEX;
}

int tlr_names_add(tlr_names *names, const void *array, size_t size, uint32_t number)
{
    if (2 * names->n >= names->room) {
        tlr_names more = {.n = names->n, .room = names->room ? 2 * names->room : 64};
        more.slots = calloc(more.room, sizeof *more.slots);
        if (!more.slots)
            return 0;
        for (size_t i = 0; i < names->room; i++)
            if (names->slots[i])
                more.slots[slot_of(&more, array, size, name_at(array, size, names->slots[i] - 1))] =
                    names->slots[i];
        free(names->slots);
        *names = more;
    }
    names->slots[slot_of(names, array, size, name_at(array, size, number))] = number + 1;
    names->n++;
    return 1;
}

/* ---- zones ---- */

tlr_zones *tlr_zones_create(const char *path)
{
    tlr_zones *z = calloc(1, sizeof *z);
    if (z && (z->path = strdup(path))) {
        /* SimGrid's defaults of network/loopback-bw and network/loopback-lat */
        z->own_loopback = (tlr_link){.id = UINT64_MAX,
                                     .bandwidth_Bps = 1e10,
                                     .sharing = TLR_LINK_FATPIPE,
                                     .kind = TLR_LINK_LOOPBACK};
        return z;
    }
    free(z);
    return NULL;
}

void tlr_zones_free(tlr_zones *z)
{
    if (!z)
        return;
    for (size_t i = 0; i < z->n_zones; i++) {
        free(z->zones[i].routes.rows);
        free(z->zones[i].bypasses.rows);
        free(z->zones[i].before);
        free(z->zones[i].order);
        free(z->zones[i].arms);
        free(z->zones[i].shape);
    }
    for (size_t i = 0; i < z->n_points; i++) {
        free((char *)z->points[i].name);
        free(z->points[i].at);
    }
    for (size_t i = 0; i < z->n_named; i++)
        free((char *)z->named[i].name);
    free(z->zones);
    free(z->points);
    free(z->links);
    free(z->named);
    free(z->spans);
    free(z->point_names.slots);
    free(z->link_names.slots);
    free(z->order);
    free(z->path);
    free(z);
}

static int compare_rows(const void *a, const void *b)
{
    const tlr_route_row *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

const tlr_route_row *tlr_find_row(const tlr_route_table *table, uint32_t from, uint32_t to)
{
    const tlr_route_row key = {.from = from, .to = to};
    return table->n ? bsearch(&key, table->rows, table->n, sizeof *table->rows, compare_rows)
                    : NULL;
}

/* Two routes between the same points. */
static tl_status order_table(const tlr_zones *z, const tlr_zone *zone, tlr_route_table *table,
                             tl_error *err)
{
    if (table->n)
        qsort(table->rows, table->n, sizeof *table->rows, compare_rows);
    for (size_t i = 1; i < table->n; i++)
        if (!compare_rows(&table->rows[i - 1], &table->rows[i]))
            return tl_fail(err, TL_ERR_INPUT,
                           "%s: the zone '%s' has two routes between the same points; remove one "
                           "(a route leads back, too, unless it has symmetrical=\"NO\")",
                           z->path, zone->name);
    return TL_OK;
}

/* ---- ways through graphs ---- */

/* Of a graph of so many points, all ways can be worked out. */
enum { MOST_GRAPH_POINTS = 4096 };

/* Ways with the fewest links, by the algorithm of Floyd and Warshall; of several such ways the one
 * that SimGrid finds, which this order of the loops decides. */
static void find_ways(tlr_zone *zone, uint32_t *cost)
{
    const size_t n = zone->n_points;
    for (size_t i = 0; i < zone->routes.n; i++) {
        const tlr_route_row *row = &zone->routes.rows[i];
        cost[row->from * n + row->to] = row->links.n;
        zone->before[row->from * n + row->to] = row->from;
    }
    for (size_t i = 0; i < n && !zone->has_zones; i++)
        if (cost[i * n + i] == UINT32_MAX) { /* SimGrid's loopback */
            cost[i * n + i] = 1;
            zone->before[i * n + i] = (uint32_t)i;
        }
    for (size_t c = 0; c < n; c++)
        for (size_t a = 0; a < n; a++) {
            const uint32_t first = cost[a * n + c];
            for (size_t b = 0; first < UINT32_MAX && b < n; b++)
                if (cost[c * n + b] < UINT32_MAX && first + cost[c * n + b] < cost[a * n + b]) {
                    cost[a * n + b] = first + cost[c * n + b];
                    zone->before[a * n + b] = zone->before[c * n + b];
                }
        }
}

static int compare_firsts(const void *a, const void *b)
{
    const tlr_route_row *x = a, *y = b;
    return x->links.first != y->links.first ? (x->links.first < y->links.first ? -1 : 1)
                                            : compare_rows(a, b);
}

/* The points in the order in which routes name them first, which decides between ways of as many
 * links. `rows` gets the routes in the order of the file: that of their links. */
static void number_points(tlr_zone *zone, tlr_route_row *rows)
{
    uint32_t n = 0;
    memcpy(rows, zone->routes.rows, zone->routes.n * sizeof *rows);
    qsort(rows, zone->routes.n, sizeof *rows, compare_firsts);
    for (size_t i = 0; i < zone->routes.n; i++) {
        if (zone->order[rows[i].from] == TLR_NO_INDEX)
            zone->order[rows[i].from] = n++;
        if (zone->order[rows[i].to] == TLR_NO_INDEX)
            zone->order[rows[i].to] = n++;
    }
}

/* The first row of a point. */
static size_t first_row(const tlr_route_table *table, uint32_t from)
{
    size_t low = 0, high = table->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table->rows[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Dijkstra's ways from a point. Of points with as many links, the one that a route named first goes
 * first. */
static void find_ways_from(tlr_zone *zone, uint32_t from, uint32_t *cost, uint8_t *is_done)
{
    const size_t n = zone->n_points;
    uint32_t *before = &zone->before[from * n];
    memset(cost, 0xff, n * sizeof *cost);
    memset(is_done, 0, n);
    cost[from] = 0;
    for (;;) {
        uint32_t next = TLR_NO_INDEX;
        for (uint32_t i = 0; i < n; i++)
            if (!is_done[i] && cost[i] != UINT32_MAX &&
                (next == TLR_NO_INDEX || cost[i] < cost[next] ||
                 (cost[i] == cost[next] && zone->order[i] < zone->order[next])))
                next = i;
        if (next == TLR_NO_INDEX)
            break;
        is_done[next] = 1;
        for (size_t k = first_row(&zone->routes, next);
             k < zone->routes.n && zone->routes.rows[k].from == next; k++) {
            const tlr_route_row *row = &zone->routes.rows[k];
            if (cost[next] + row->links.n < cost[row->to]) {
                cost[row->to] = cost[next] + row->links.n;
                before[row->to] = next;
            }
        }
    }
    before[from] = from;
}

static tl_status find_all_ways(const tlr_zones *z, tlr_zone *zone, tl_error *err)
{
    const size_t n = zone->n_points;
    const bool is_floyd = zone->routing == TLR_ROUTING_FLOYD;
    if (n > MOST_GRAPH_POINTS)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: the zone '%s' has %zu points; the ways through a graph of at most %d "
                       "are worked out: split it into zones",
                       z->path, zone->name, n, MOST_GRAPH_POINTS);
    zone->before = malloc((n * n + 1) * sizeof *zone->before);
    zone->order = malloc((n + 1) * sizeof *zone->order);
    uint32_t *cost = malloc((is_floyd ? n * n + 1 : n + 1) * sizeof *cost);
    uint8_t *is_done = malloc(n + 1);
    tlr_route_row *rows = malloc((zone->routes.n + 1) * sizeof *rows);
    tl_status status = TL_OK;
    if (!zone->before || !zone->order || !cost || !is_done || !rows) {
        status = tl_no_memory(err, z->path);
    } else {
        memset(zone->before, 0xff, n * n * sizeof *zone->before);
        memset(zone->order, 0xff, n * sizeof *zone->order);
        if (is_floyd) {
            memset(cost, 0xff, n * n * sizeof *cost);
            find_ways(zone, cost);
        } else if (zone->routes.n) {
            number_points(zone, rows);
            for (uint32_t i = 0; i < n; i++)
                find_ways_from(zone, i, cost, is_done);
        }
    }
    free(rows);
    free(is_done);
    free(cost);
    return status;
}

tl_status tlr_zones_finish(tlr_zones *z, tl_error *err)
{
    for (size_t i = 0; i < z->n_zones; i++) {
        tlr_zone *zone = &z->zones[i];
        TL_TRY(order_table(z, zone, &zone->routes, err));
        TL_TRY(order_table(z, zone, &zone->bypasses, err));
        if (zone->routing == TLR_ROUTING_FLOYD || zone->routing == TLR_ROUTING_DIJKSTRA)
            TL_TRY(find_all_ways(z, zone, err));
    }
    return TL_OK;
}
