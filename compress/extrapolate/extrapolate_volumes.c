/* extrapolate_volumes.c - chooses whose volumes a new rank gets (doc/EXTRAPOLATION.md, "Volumes").
 */
#include "draw.h"
#include "extrapolate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The place of a rank along a dimension. All places of a periodic dimension are alike. */
enum { PLACE_FIRST, PLACE_INNER, PLACE_LAST, PLACE_ANY, PLACE_ONLY, N_PLACES };

/* The things that are drawn; each has a sequence of random numbers of its own. */
enum { DRAW_REST = 1, DRAW_ORDER, DRAW_LIKE };

/* ---- typical ranks ---- */

typedef struct load {
    uint64_t volume;
    uint32_t rank;
} load;

static int compare_loads(const void *a, const void *b)
{
    const load *x = a, *y = b;
    if (x->volume != y->volume)
        return x->volume < y->volume ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The rank with the median volume; of two middle ranks, the one closer to the median of all ranks.
 * Sorts the loads. */
static uint32_t find_typical(const tl_extrapolating *x, load *loads, size_t n)
{
    qsort(loads, n, sizeof *loads, compare_loads);
    size_t at = (n - 1) / 2;
    if (distance(loads[n / 2].volume, x->median) < distance(loads[at].volume, x->median))
        at = n / 2;
    while (at > 0 && loads[at - 1].volume == loads[at].volume)
        at--;
    return loads[at].rank;
}

static size_t collect_loads(const tl_extrapolating *x, const tl_like_ranks *group, load *loads)
{
    for (uint32_t i = 0; i < group->n_ranks; i++) {
        const uint32_t rank = x->done.members[group->first + i];
        loads[i] = (load){x->done.recorded[rank].volume, rank};
    }
    return group->n_ranks;
}

/* ---- ranks that can stand for each other ---- */

static int place_along(const tl_extrapolating *x, uint32_t rank, int dim)
{
    const int32_t at = tl_grid_coords(&x->from, rank).at[dim], size = x->from.size[dim];
    if (x->from.periodic[dim])
        return PLACE_ANY;
    if (size == 1)
        return PLACE_ONLY;
    if (at == 0)
        return PLACE_FIRST;
    return at == size - 1 ? PLACE_LAST : PLACE_INNER;
}

static uint64_t place_key(const tl_extrapolating *x, uint32_t rank)
{
    uint64_t key = x->done.recorded[rank].script;
    for (int d = 0; d < x->from.n_dims; d++)
        key = tl_mix(key, (uint64_t)place_along(x, rank, d));
    return key;
}

static bool name_place(const tl_extrapolating *x, uint32_t rank, tl_like_ranks *group)
{
    static const char *const names[N_PLACES] = {"first", "inner", "last", "any", "only"};
    char place[TL_MAX_DIMS * sizeof "first "] = "";
    size_t used = 0;
    for (int d = 0; d < x->from.n_dims && used < sizeof place; d++)
        used += (size_t)snprintf(place + used, sizeof place - used, "%s%s", d ? " " : "",
                                 names[place_along(x, rank, d)]);
    return (group->place = strdup(place)) != NULL;
}

static tl_status add_groups(tl_extrapolating *x)
{
    tl_map known = {0};
    size_t capacity = 0;
    bool ok = true;
    for (uint32_t rank = 0; rank < x->n_ranks && ok; rank++) {
        uint64_t *group = tl_map_at(&known, place_key(x, rank));
        ok = group &&
             tl_make_room(&x->done.groups, x->done.n_groups, &capacity, sizeof *x->done.groups);
        if (ok && !*group) {
            x->done.groups[x->done.n_groups] = (tl_like_ranks){.n_ranks = 0};
            ok = name_place(x, rank, &x->done.groups[x->done.n_groups]);
            *group = ++x->done.n_groups;
        }
        if (ok) {
            x->done.recorded[rank].group = (uint32_t)(*group - 1);
            x->done.groups[*group - 1].n_ranks++;
        }
    }
    tl_map_free(&known);
    return ok ? TL_OK : tl_no_memory(x->err, tl_reader_path(x->r));
}

/* Lists the members of each group, one group after the other. */
static void list_members(tl_extrapolating *x)
{
    uint32_t first = 0;
    for (size_t i = 0; i < x->done.n_groups; i++) {
        x->done.groups[i].first = first;
        first += x->done.groups[i].n_ranks;
        x->done.groups[i].n_ranks = 0;
    }
    for (uint32_t rank = 0; rank < x->n_ranks; rank++) {
        tl_like_ranks *group = &x->done.groups[x->done.recorded[rank].group];
        x->done.members[group->first + group->n_ranks++] = rank;
    }
}

/* A rank that is alone at its place can only be compared with all others. */
static double relative_volume(const tl_extrapolating *x, uint32_t rank)
{
    const tl_like_ranks *group = &x->done.groups[x->done.recorded[rank].group];
    const uint64_t typical = group->n_ranks > 1 ? group->median : x->median;
    const uint64_t volume = x->done.recorded[rank].volume;
    return volume == typical ? 1 : (double)volume / (double)typical;
}

static void measure_groups(tl_extrapolating *x, load *loads)
{
    for (uint32_t rank = 0; rank < x->n_ranks; rank++)
        loads[rank] = (load){x->done.recorded[rank].volume, rank};
    qsort(loads, x->n_ranks, sizeof *loads, compare_loads);
    x->median = loads[(x->n_ranks - 1) / 2].volume;
    for (size_t i = 0; i < x->done.n_groups; i++) {
        tl_like_ranks *group = &x->done.groups[i];
        const size_t n = collect_loads(x, group, loads);
        group->typical = find_typical(x, loads, n);
        group->least = loads[0].volume;
        group->most = loads[n - 1].volume;
        group->median = x->done.recorded[group->typical].volume;
    }
    for (uint32_t rank = 0; rank < x->n_ranks; rank++)
        x->done.recorded[rank].relative = relative_volume(x, rank);
}

tl_status tl_groups_find(tl_extrapolating *x)
{
    tl_status status = add_groups(x);
    load *loads = calloc(x->n_ranks, sizeof *loads);
    x->done.members = calloc(x->n_ranks, sizeof *x->done.members);
    if (!status && (!loads || !x->done.members))
        status = tl_no_memory(x->err, tl_reader_path(x->r));
    if (!status) {
        list_members(x);
        measure_groups(x, loads);
    }
    free(loads);
    return status;
}

/* ---- draws ---- */

static uint64_t sequence(const tl_extrapolating *x, uint64_t what)
{
    return tl_draw(x->options->seed, what);
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t c = *a;
    *a = *b;
    *b = c;
}

/* Shuffles n numbers, the last place first (Fisher and Yates). */
static void shuffle(uint64_t seed, uint32_t *numbers, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--)
        swap(&numbers[i - 1], &numbers[tl_draw_below(seed, i, i)]);
}

/* Draws every recorded rank equally often, give or take one, in a random order (Davison, Hinkley
 * and Schechtman, "Efficient bootstrap simulation", 1986). */
static tl_status draw_ranks(tl_extrapolating *x, uint32_t n_new)
{
    uint32_t *rest = calloc(x->n_ranks, sizeof *rest);
    if (!rest)
        return tl_no_memory(x->err, tl_reader_path(x->r));
    for (uint32_t i = 0; i < x->n_ranks; i++)
        rest[i] = i;
    shuffle(sequence(x, DRAW_REST), rest, x->n_ranks);
    const uint32_t whole = n_new - n_new % x->n_ranks;
    for (uint32_t i = 0; i < whole; i++)
        x->drawn[i] = i % x->n_ranks;
    for (uint32_t i = whole; i < n_new; i++)
        x->drawn[i] = rest[i - whole];
    shuffle(sequence(x, DRAW_ORDER), x->drawn, n_new);
    free(rest);
    return TL_OK;
}

tl_status tl_volumes_begin(tl_extrapolating *x)
{
    const uint32_t n_new = (uint32_t)tl_grid_n_ranks(&x->to);
    x->done.sources = calloc(n_new, sizeof *x->done.sources);
    x->drawn = calloc(n_new, sizeof *x->drawn);
    if (!x->done.sources || !x->drawn)
        return tl_no_memory(x->err, tl_reader_path(x->r));
    return x->options->volumes == TL_VOLUMES_DRAW ? draw_ranks(x, n_new) : TL_OK;
}

/* The corner for which the recorded rank can stand; -1 if there is none. */
static int corner_like(const tl_extrapolating *x, const tl_likeness *like, uint32_t rank)
{
    for (int i = 0; i < like->n; i++)
        if ((like->shown & 1U << i) &&
            x->done.recorded[like->ranks[i]].group == x->done.recorded[rank].group)
            return i;
    return -1;
}

/* The volume of a rank divided by that of the typical rank at its place; 0: unknown. */
static double load_of(const tl_extrapolating *x, uint32_t rank)
{
    const uint64_t typical = x->done.groups[x->done.recorded[rank].group].median;
    return typical ? (double)x->done.recorded[rank].volume / (double)typical : 0;
}

/* The groups of the corners, each once, and the number of their ranks. */
static uint64_t count_like(const tl_extrapolating *x, const tl_likeness *like,
                           const tl_like_ranks *groups[TL_MAX_CORNERS], int *n_groups)
{
    uint64_t n = 0;
    *n_groups = 0;
    for (int i = 0; i < like->n; i++)
        if ((like->shown & 1U << i) && corner_like(x, like, like->ranks[i]) == i) {
            const tl_like_ranks *group = &x->done.groups[x->done.recorded[like->ranks[i]].group];
            groups[(*n_groups)++] = group;
            n += group->n_ranks;
        }
    return n;
}

/* Draws one of the ranks to which the new one is like. */
static uint32_t draw_like(const tl_extrapolating *x, uint32_t rank, const tl_likeness *like)
{
    const tl_like_ranks *groups[TL_MAX_CORNERS] = {NULL};
    int n_groups;
    const uint64_t n = count_like(x, like, groups, &n_groups);
    uint64_t at = tl_draw_below(sequence(x, DRAW_LIKE), rank, n);
    for (int i = 0; i < n_groups; at -= groups[i++]->n_ranks)
        if (at < groups[i]->n_ranks)
            return x->done.members[groups[i]->first + at];
    return like->ranks[0];
}

static tl_status find_typical_like(const tl_extrapolating *x, const tl_likeness *like,
                                   uint32_t *typical)
{
    const tl_like_ranks *groups[TL_MAX_CORNERS] = {NULL};
    int n_groups;
    const uint64_t n = count_like(x, like, groups, &n_groups);
    *typical = n_groups ? groups[0]->typical : like->ranks[0];
    if (n_groups <= 1)
        return TL_OK;
    load *loads = calloc(n, sizeof *loads);
    if (!loads)
        return tl_no_memory(x->err, tl_reader_path(x->r));
    size_t used = 0;
    for (int i = 0; i < n_groups; i++)
        used += collect_loads(x, groups[i], loads + used);
    *typical = find_typical(x, loads, used);
    free(loads);
    return TL_OK;
}

/* ---- the volumes of a new rank ---- */

/* The new rank gets the volumes of `source`, times a factor. The other corners only give the places
 * of their calls. */
static void take_volumes(const tl_extrapolating *x, uint32_t source, double factor,
                         tl_likeness *like)
{
    const double wanted = factor * (double)x->done.recorded[source].volume;
    like->source = corner_like(x, like, source);
    like->sources[like->source] = source;
    for (int i = 0; i < like->n; i++) {
        const uint64_t volume = x->done.recorded[like->sources[i]].volume;
        like->scale[i] = i == like->source || !volume ? factor : wanted / (double)volume;
    }
}

/* A rank that was drawn at another place gives only its load. */
static tl_new_rank draw_source(const tl_extrapolating *x, uint32_t rank, const tl_likeness *like)
{
    tl_new_rank source = {.drawn = x->drawn[rank], .source = x->drawn[rank], .factor = 1};
    if (corner_like(x, like, source.drawn) >= 0)
        return source;
    source.source = draw_like(x, rank, like);
    const double drawn = load_of(x, source.drawn), own = load_of(x, source.source);
    if (drawn > 0 && own > 0)
        source.factor = drawn / own;
    return source;
}

static void repeat_volumes(tl_extrapolating *x, const tl_likeness *like, tl_new_rank *source)
{
    *source = (tl_new_rank){like->ranks[0], like->n == 1 ? like->ranks[0] : TL_MEAN, 1};
    for (int i = 0; i < like->n; i++)
        if (like->shown & 1U << i) {
            x->done.recorded[like->ranks[i]].n_new++;
            x->done.groups[x->done.recorded[like->ranks[i]].group].n_new++;
        }
}

/* The computation of a rank that is alone at its place belongs to the place. It counts where the
 * rank is copied, not where it was drawn. */
static void count_source(tl_extrapolating *x, const tl_new_rank *source)
{
    tl_recorded_rank *drawn = &x->done.recorded[source->drawn],
                     *copied = &x->done.recorded[source->source];
    x->done.groups[copied->group].n_new++;
    if (x->done.groups[drawn->group].n_ranks > 1)
        drawn->n_new++;
    if (x->done.groups[copied->group].n_ranks == 1)
        copied->n_new++;
}

tl_status tl_volumes_choose(tl_extrapolating *x, uint32_t rank, tl_likeness *like)
{
    tl_new_rank *source = &x->done.sources[rank];
    like->source = -1;
    for (int i = 0; i < like->n; i++) {
        like->sources[i] = like->ranks[i];
        like->scale[i] = 1;
    }
    if (x->options->volumes == TL_VOLUMES_REPEAT) {
        repeat_volumes(x, like, source);
        return TL_OK;
    }
    if (x->options->volumes == TL_VOLUMES_DRAW) {
        *source = draw_source(x, rank, like);
    } else {
        tl_status status = find_typical_like(x, like, &source->source);
        if (status)
            return status;
        source->drawn = source->source;
        source->factor = 1;
    }
    take_volumes(x, source->source, source->factor, like);
    count_source(x, source);
    return TL_OK;
}
