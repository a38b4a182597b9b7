/* topologies.c - the links between two hosts of a cluster, from their numbers: SimGrid's flat
 * cluster, torus, fat tree and dragonfly. */
#include "config.h"

#include "machine/zones.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- topo_parameters ---- */

/* Reads up to so many numbers with a character between two of them; *at is behind them then.
 * Returns how many; 0 if one of them is no number from 1 on. */
static unsigned take_numbers(const char **at, uint32_t *out, unsigned most)
{
    for (unsigned n = 0; n < most;) {
        char *end;
        errno = 0;
        const long number = strtol(*at, &end, 10);
        if (end == *at || **at == '+' || errno || number < 1 || number > TLR_MOST_HOSTS)
            return 0;
        out[n++] = (uint32_t)number;
        *at = end;
        if (*end != ',')
            return n;
        *at = end + 1;
    }
    return 0;
}

static int take_text(const char **at, char expected)
{
    if (**at != expected)
        return 0;
    if (expected)
        ++*at;
    return 1;
}

/* "4,4,2" */
static int parse_torus(tlr_cluster_shape *s, const char *at)
{
    s->n = take_numbers(&at, s->sizes, TLR_MOST_DIMENSIONS);
    return s->n && take_text(&at, '\0');
}

/* "2;4,4;1,2;1,2": levels; children, parents and parallel links of each */
static int parse_fat_tree(tlr_cluster_shape *s, const char *at)
{
    uint32_t *const lists[] = {s->sizes, s->parents, s->parallel};
    if (take_numbers(&at, &s->n, 1) != 1 || s->n > TLR_MOST_DIMENSIONS)
        return 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!take_text(&at, ';') || take_numbers(&at, lists[i], TLR_MOST_DIMENSIONS) != s->n)
            return 0;
    return take_text(&at, '\0');
}

/* "3,4;3,2;3,1;2": groups, chassis and blades, each with its parallel links; nodes */
static int parse_dragonfly(tlr_cluster_shape *s, const char *at)
{
    for (unsigned i = 0; i < 3; i++) {
        uint32_t pair[2];
        if (take_numbers(&at, pair, 2) != 2 || !take_text(&at, ';'))
            return 0;
        s->sizes[i] = pair[0];
        s->parallel[i] = pair[1];
    }
    s->n = 4;
    return take_numbers(&at, &s->sizes[3], 1) == 1 && take_text(&at, '\0');
}

static bool has_too_many(const tlr_cluster_shape *s, tlr_routing routing)
{
    double hosts = 1, links = 0;
    for (unsigned i = 0; i < s->n; i++)
        hosts *= s->sizes[i];
    double on_level = hosts;
    for (unsigned i = 0; routing == TLR_ROUTING_FAT_TREE && i < s->n; i++) {
        links += on_level * s->parents[i] * s->parallel[i];
        on_level *= (double)s->parents[i] / s->sizes[i];
    }
    if (routing == TLR_ROUTING_DRAGONFLY)
        links = hosts / s->sizes[3] * ((double)s->sizes[1] + s->sizes[2]) +
                (double)s->sizes[0] * s->sizes[0];
    return hosts > TLR_MOST_HOSTS || links > TLR_MOST_LINKS;
}

tl_status tlr_shape_parse(tlr_cluster_shape *shape, tlr_routing routing, const char *text,
                          char *why, size_t size)
{
    static const char *const forms[] = {
        [TLR_ROUTING_TORUS] = "the sizes of its dimensions, as 4,4,2",
        [TLR_ROUTING_FAT_TREE] = "levels, children, parents and parallel links, as 2;4,4;1,2;1,2",
        [TLR_ROUTING_DRAGONFLY] =
            "groups, chassis and blades, each with its links, and nodes, as 3,4;3,2;3,1;2"};
    const bool is_good = routing == TLR_ROUTING_TORUS      ? parse_torus(shape, text)
                         : routing == TLR_ROUTING_FAT_TREE ? parse_fat_tree(shape, text)
                                                           : parse_dragonfly(shape, text);
    shape->n_hosts = 1;
    for (unsigned i = 0; is_good && i < shape->n; i++)
        shape->n_hosts *= shape->sizes[i];
    if (is_good && has_too_many(shape, routing)) {
        snprintf(why, size, "topo_parameters=\"%.100s\": more than %d hosts or %d links",
                 tl_printable(text), TLR_MOST_HOSTS, TLR_MOST_LINKS);
        return TL_ERR_MEMORY;
    }
    if (!is_good)
        snprintf(why, size, "topo_parameters=\"%.100s\" cannot be understood; write %s",
                 tl_printable(text), forms[routing]);
    else if (routing == TLR_ROUTING_DRAGONFLY && shape->sizes[0] > shape->sizes[2])
        snprintf(why, size,
                 "topo_parameters=\"%.100s\": has more groups than blades in a chassis, for which "
                 "SimGrid has no links between groups",
                 tl_printable(text));
    else
        return TL_OK;
    return TL_ERR_INPUT;
}

/* ---- links ---- */

/* Of a cluster, hosts come first and then switches or routers: its boxes. Each has a number for its
 * limiter and one for its loopback; then come the numbers of both directions of the links. */
static void number_tree(tlr_cluster_shape *s)
{
    uint64_t boxes = 0, links = 0, on_level = s->n_hosts;
    for (unsigned i = 0; i < s->n; i++) {
        s->boxes_from[i] = boxes;
        s->links_from[i] = links;
        boxes += on_level;
        links += on_level * s->parents[i] * s->parallel[i];
        on_level = on_level / s->sizes[i] * s->parents[i];
    }
    s->boxes_from[s->n] = boxes;
    s->n_boxes = boxes + on_level;
    s->n_links = links;
}

/* The links of a dragonfly: those of hosts come first, then these. */
enum { GREEN, BLACK, BLUE };

static void number_fly(tlr_cluster_shape *s)
{
    const uint64_t groups = s->sizes[0], chassis = s->sizes[1], blades = s->sizes[2];
    s->n_boxes = s->n_hosts + s->n_hosts / s->sizes[3];
    s->links_from[GREEN] = s->n_hosts;
    s->links_from[BLACK] = s->links_from[GREEN] + groups * chassis * blades * blades;
    s->links_from[BLUE] = s->links_from[BLACK] + groups * chassis * chassis * blades;
    s->n_links = s->links_from[BLUE] + groups * groups;
}

uint64_t tlr_shape_number(tlr_cluster_shape *s, tlr_routing routing)
{
    s->n_boxes = s->n_links = s->n_hosts;
    if (routing == TLR_ROUTING_TORUS)
        s->n_links *= s->n;
    else if (routing == TLR_ROUTING_DRAGONFLY)
        number_fly(s);
    else if (routing == TLR_ROUTING_FAT_TREE)
        number_tree(s);
    return 2 * (s->n_boxes + s->n_links);
}

typedef struct shape_walk {
    const tlr_cluster_shape *shape;
    uint64_t first_link; /* behind the boxes */
    tlr_link_visitor *visit;
    void *arg;
} shape_walk;

static void pass(const shape_walk *w, uint64_t number, bool is_down, uint32_t n_parallel)
{
    const tlr_cluster_shape *s = w->shape;
    const tlr_link link = {.id = w->first_link + 2 * number + (is_down && s->is_split),
                           .latency_s = s->latency_s,
                           .bandwidth_Bps = s->Bps * n_parallel,
                           .sharing = s->is_split ? TLR_LINK_ONE_WAY : TLR_LINK_SHARED};
    w->visit(w->arg, &link);
}

static void pass_limiter(const shape_walk *w, uint64_t box)
{
    const tlr_cluster_shape *s = w->shape;
    const tlr_link link = {
        .id = s->first_link + 2 * box, .bandwidth_Bps = s->limiter_Bps, .kind = TLR_LINK_LIMITER};
    if (s->limiter_Bps > 0)
        w->visit(w->arg, &link);
}

static void pass_loopback(const shape_walk *w, uint64_t host)
{
    const tlr_cluster_shape *s = w->shape;
    const tlr_link link = {.id = s->first_link + 2 * host + 1,
                           .latency_s = s->loopback_s,
                           .bandwidth_Bps = s->loopback_Bps,
                           .sharing = TLR_LINK_FATPIPE,
                           .kind = TLR_LINK_LOOPBACK};
    w->visit(w->arg, &link);
}

/* ---- the topologies ---- */

/* Points from n_hosts on are routers at the centre. What both ends have in common is passed once.
 */
static void pass_flat(const tlr_zones *z, const shape_walk *w, uint32_t from, uint32_t to)
{
    const tlr_cluster_shape *s = w->shape;
    if (from < s->n_hosts) {
        pass_limiter(w, from);
        pass(w, from, 0, 1);
    }
    if (s->backbone != TLR_NO_INDEX && (from < s->n_hosts || to < s->n_hosts))
        w->visit(w->arg, &z->links[s->backbone]);
    if (to < s->n_hosts) {
        if (to != from || s->is_split)
            pass(w, to, 1, 1);
        if (to != from)
            pass_limiter(w, to);
    }
}

/* Whether the way along a dimension leads up, from the places where it begins and ends. */
static int leads_up(uint32_t from, uint32_t to, uint32_t size)
{
    return (to > from && to <= from + size / 2) ||
           (from > size / 2 && (from + size / 2) % size >= to);
}

/* One dimension after the other. A link belongs to the lower of its two ends. */
static void pass_torus(const shape_walk *w, uint32_t from, uint32_t to)
{
    const tlr_cluster_shape *s = w->shape;
    uint64_t at = from;
    uint64_t step = 1; /* between neighbours of the dimension */
    for (unsigned i = 0; i < s->n; step *= s->sizes[i++]) {
        const uint32_t size = s->sizes[i], end = (uint32_t)(to / step % size);
        const bool is_up = leads_up((uint32_t)(from / step % size), end, size);
        for (uint32_t place; (place = (uint32_t)(at / step % size)) != end;) {
            const uint32_t next = is_up ? (place + 1) % size : (place + size - 1) % size;
            const uint64_t there = at - place * step + next * step;
            pass_limiter(w, at);
            pass(w, (is_up ? at : there) * s->n + i, !is_up, 1);
            at = there;
        }
    }
    if (from != to)
        pass_limiter(w, to);
}

/* A box of a fat tree: its digits below its level count parents, the others children. */
typedef struct tree_box {
    unsigned level;
    uint32_t digits[TLR_MOST_DIMENSIONS];
} tree_box;

/* Its position on its level. */
static uint64_t position_of(const tlr_cluster_shape *s, const tree_box *b)
{
    uint64_t position = 0;
    for (unsigned i = s->n; i-- > 0;)
        position = position * (i < b->level ? s->parents[i] : s->sizes[i]) + b->digits[i];
    return position;
}

static void limit_box(const shape_walk *w, const tree_box *b)
{
    if (w->shape->limiter_Bps > 0)
        pass_limiter(w, w->shape->boxes_from[b->level] + position_of(w->shape, b));
}

/* The link from a box to one above. */
static void pass_branch(const shape_walk *w, const tree_box *lower, uint32_t port, bool is_down)
{
    const tlr_cluster_shape *s = w->shape;
    const uint64_t of_box = (uint64_t)s->parents[lower->level] * s->parallel[lower->level];
    pass(w, s->links_from[lower->level] + position_of(s, lower) * of_box + port, is_down, 1);
}

static bool is_above(const tlr_cluster_shape *s, const tree_box *upper, const tree_box *host)
{
    for (unsigned i = upper->level; i < s->n; i++)
        if (upper->digits[i] != host->digits[i])
            return 0;
    return upper->level > 0;
}

/* To the box below on the way to a host, by one of the links beside each other. */
static void step_down(const shape_walk *w, tree_box *at, const tree_box *host, uint32_t cable)
{
    const tree_box above = *at;
    const unsigned level = --at->level;
    at->digits[level] = host->digits[level];
    pass_branch(w, at, above.digits[level] + cable * w->shape->parents[level], 1);
    limit_box(w, &above);
}

/* Up until the other host is below, by D-mod-K, and down. Which of several parallel links leads
 * down depends on the source. */
static void pass_fat_tree(const shape_walk *w, uint32_t from, uint32_t to)
{
    const tlr_cluster_shape *s = w->shape;
    tree_box at = {0}, end = {0};
    uint32_t from_rest = from, to_rest = to;
    for (unsigned i = 0; i < s->n; i++) {
        at.digits[i] = from_rest % s->sizes[i];
        end.digits[i] = to_rest % s->sizes[i];
        from_rest /= s->sizes[i];
        to_rest /= s->sizes[i];
    }
    while (!is_above(s, &at, &end)) {
        const unsigned level = at.level;
        uint32_t d = to + s->first_host;
        for (unsigned i = 0; i < level; i++)
            d /= s->parents[i];
        d %= s->parents[level] * s->parallel[level];
        limit_box(w, &at);
        pass_branch(w, &at, d, 0);
        at.digits[level] = d % s->parents[level];
        at.level++;
    }
    while (at.level) {
        /* SimGrid tries the next port also after a step down, which chooses the cable there. */
        uint32_t port = (from + s->first_host) % s->parallel[at.level - 1] * s->sizes[at.level - 1];
        for (; at.level; port++) {
            const unsigned level = at.level - 1;
            const uint32_t size = s->sizes[level];
            port += (end.digits[level] + size - port % size) % size;
            if (port >= size * s->parallel[level])
                break;
            step_down(w, &at, &end, port / size);
        }
    }
    limit_box(w, &end);
}

/* Where a host of a dragonfly is. */
typedef struct fly_place {
    uint32_t group, chassis, blade;
} fly_place;

static fly_place place_in_fly(const tlr_cluster_shape *s, uint32_t host)
{
    const uint32_t router = host / s->sizes[3];
    return (fly_place){router / s->sizes[2] / s->sizes[1], router / s->sizes[2] % s->sizes[1],
                       router % s->sizes[2]};
}

static void limit_router(const shape_walk *w, const fly_place *at)
{
    const tlr_cluster_shape *s = w->shape;
    const uint64_t router = ((uint64_t)at->group * s->sizes[1] + at->chassis) * s->sizes[2];
    pass_limiter(w, s->n_hosts + router + at->blade);
}

/* To another blade of a chassis, or to another chassis, on the same blade. */
static void pass_green(const shape_walk *w, fly_place *at, uint32_t blade)
{
    const tlr_cluster_shape *s = w->shape;
    const uint64_t chassis = (uint64_t)at->group * s->sizes[1] + at->chassis;
    const uint32_t low = at->blade < blade ? at->blade : blade, high = at->blade + blade - low;
    pass(w, s->links_from[GREEN] + (chassis * s->sizes[2] + low) * s->sizes[2] + high,
         at->blade > blade, s->parallel[2]);
    at->blade = blade;
}

static void pass_black(const shape_walk *w, fly_place *at, uint32_t chassis)
{
    const tlr_cluster_shape *s = w->shape;
    const uint32_t low = at->chassis < chassis ? at->chassis : chassis,
                   high = at->chassis + chassis - low;
    const uint64_t pair = ((uint64_t)at->group * s->sizes[1] + low) * s->sizes[1] + high;
    pass(w, s->links_from[BLACK] + pair * s->sizes[2] + at->blade, at->chassis > chassis,
         s->parallel[1]);
    at->chassis = chassis;
}

/* From group to group: group j is linked with blade j of the first chassis of each other group. */
static void change_group(const shape_walk *w, fly_place *at, uint32_t group)
{
    const tlr_cluster_shape *s = w->shape;
    if (at->blade != group) {
        limit_router(w, at);
        pass_green(w, at, group);
    }
    if (at->chassis) {
        limit_router(w, at);
        pass_black(w, at, 0);
    }
    const uint32_t low = at->group < group ? at->group : group, high = at->group + group - low;
    pass(w, s->links_from[BLUE] + (uint64_t)low * s->sizes[0] + high, at->group > group,
         s->parallel[0]);
    limit_router(w, at);
    *at = (fly_place){group, 0, at->group};
}

/* The shortest way; what SimGrid's routes do in their last chassis is repeated as it is: the way to
 * another blade of a group leads through the group's first chassis. */
static void pass_dragonfly(const shape_walk *w, uint32_t from, uint32_t to)
{
    const tlr_cluster_shape *s = w->shape;
    fly_place at = place_in_fly(s, from);
    const fly_place end = place_in_fly(s, to);
    pass_limiter(w, from);
    pass(w, from, 0, 1);
    if (at.group != end.group)
        change_group(w, &at, end.group);
    if (at.blade != end.blade) {
        limit_router(w, &at);
        pass_green(w, &at, end.blade);
        at.chassis = 0;
    }
    if (at.chassis != end.chassis) {
        limit_router(w, &at);
        pass_black(w, &at, end.chassis);
    }
    limit_router(w, &end);
    pass(w, to, 1, 1);
    pass_limiter(w, to);
}

void tlr_shape_visit(const tlr_zones *z, const tlr_zone *zone, uint32_t from, uint32_t to,
                     tlr_link_visitor *visit, void *arg)
{
    const tlr_cluster_shape *s = zone->shape;
    const shape_walk w = {s, s->first_link + 2 * s->n_boxes, visit, arg};
    if (from == to && from < s->n_hosts && s->has_loopback)
        pass_loopback(&w, from);
    else if (zone->routing == TLR_ROUTING_FLAT)
        pass_flat(z, &w, from, to);
    else if (zone->routing == TLR_ROUTING_TORUS)
        pass_torus(&w, from, to);
    else if (zone->routing == TLR_ROUTING_FAT_TREE)
        pass_fat_tree(&w, from, to);
    else
        pass_dragonfly(&w, from, to);
}

/* ---- the ends of a link ---- */

static void end_torus(const tlr_cluster_shape *s, uint64_t number, uint64_t ends[2])
{
    const unsigned dimension = (unsigned)(number % s->n);
    uint64_t step = 1;
    for (unsigned i = 0; i < dimension; i++)
        step *= s->sizes[i];
    ends[0] = number / s->n;
    const uint64_t place = ends[0] / step % s->sizes[dimension];
    ends[1] = ends[0] - place * step + (place + 1) % s->sizes[dimension] * step;
}

static void end_tree(const tlr_cluster_shape *s, uint64_t number, uint64_t ends[2])
{
    unsigned level = 0;
    uint64_t low = 1; /* how many boxes of the level differ only in the digits below it */
    for (; level + 1 < s->n && number >= s->links_from[level + 1]; level++)
        low *= s->parents[level];
    const uint64_t branch = number - s->links_from[level], n_parents = s->parents[level];
    const uint64_t box = branch / (n_parents * s->parallel[level]);
    const uint64_t above = branch % n_parents + box / low / s->sizes[level] * n_parents;
    ends[0] = s->boxes_from[level] + box;
    ends[1] = s->boxes_from[level + 1] + above * low + box % low;
}

static void end_fly(const tlr_cluster_shape *s, uint64_t number, uint64_t ends[2])
{
    const uint64_t groups = s->sizes[0], chassis = s->sizes[1], blades = s->sizes[2];
    if (number < s->n_hosts) {
        ends[0] = number;
        ends[1] = s->n_hosts + number / s->sizes[3];
    } else if (number < s->links_from[BLACK]) {
        const uint64_t green = number - s->links_from[GREEN],
                       first = green / blades / blades * blades;
        ends[0] = s->n_hosts + first + green / blades % blades;
        ends[1] = s->n_hosts + first + green % blades;
    } else if (number < s->links_from[BLUE]) {
        const uint64_t black = number - s->links_from[BLACK], pair = black / blades;
        const uint64_t first = pair / chassis / chassis * chassis;
        ends[0] = s->n_hosts + (first + pair / chassis % chassis) * blades + black % blades;
        ends[1] = s->n_hosts + (first + pair % chassis) * blades + black % blades;
    } else {
        const uint64_t low = (number - s->links_from[BLUE]) / groups;
        const uint64_t high = (number - s->links_from[BLUE]) % groups;
        ends[0] = s->n_hosts + low * chassis * blades + high;
        ends[1] = s->n_hosts + high * chassis * blades + low;
    }
}

bool tlr_shape_ends(const tlr_zone *zone, uint64_t id, uint64_t ends[2])
{
    const tlr_cluster_shape *s = zone->shape;
    const uint64_t first = s->first_link + 2 * s->n_boxes;
    if (id < first || id - first >= 2 * s->n_links)
        return 0;
    if (zone->routing == TLR_ROUTING_TORUS)
        end_torus(s, (id - first) / 2, ends);
    else if (zone->routing == TLR_ROUTING_FAT_TREE)
        end_tree(s, (id - first) / 2, ends);
    else
        end_fly(s, (id - first) / 2, ends);
    return 1;
}
