/* extrapolate_grid.c - places of ranks on a grid, and the ways between them. */
#include "extrapolate.h"

#include <stdio.h>

bool tl_grid_parse(const char *text, tl_grid *out)
{
    tl_grid g = {.size = {1, 1, 1}};
    for (const char *p = text;; p++) {
        char *end;
        const long size = strtol(p, &end, 10);
        if (end == p || size < 1 || size > INT32_MAX || g.n_dims == TL_MAX_DIMS)
            return false;
        g.size[g.n_dims] = (int32_t)size;
        g.periodic[g.n_dims++] = *end == 'p';
        p = *end == 'p' ? end + 1 : end;
        if (!*p)
            break;
        if (*p != 'x')
            return false;
    }
    *out = g;
    return true;
}

void tl_grid_text(const tl_grid *g, char text[TL_GRID_TEXT_BYTES])
{
    int used = 0;
    for (int d = 0; d < g->n_dims; d++)
        used += snprintf(text + used, (size_t)(TL_GRID_TEXT_BYTES - used), "%s%d%s", d ? "x" : "",
                         g->size[d], g->periodic[d] ? "p" : "");
}

int64_t tl_grid_n_ranks(const tl_grid *g)
{
    int64_t n = 1;
    for (int d = 0; d < g->n_dims; d++) {
        if (n > INT32_MAX)
            return n;
        n *= g->size[d];
    }
    return n;
}

static int64_t greatest_prime_factor(int64_t n)
{
    int64_t greatest = 1;
    for (int64_t p = 2; p * p <= n; p++)
        while (n % p == 0) {
            greatest = p;
            n /= p;
        }
    return n > 1 ? n : greatest;
}

void tl_grid_create(int64_t n_ranks, int n_dims, int32_t size[TL_MAX_DIMS])
{
    for (int d = 0; d < TL_MAX_DIMS; d++)
        size[d] = 1;
    while (n_ranks > 1) {
        const int64_t factor = greatest_prime_factor(n_ranks);
        int least = 0;
        for (int d = 1; d < n_dims; d++)
            if (size[d] < size[least])
                least = d;
        size[least] *= (int32_t)factor;
        n_ranks /= factor;
    }
    for (int d = 1; d < n_dims; d++) /* the largest first */
        for (int e = d; e > 0 && size[e] > size[e - 1]; e--) {
            const int32_t swap = size[e];
            size[e] = size[e - 1];
            size[e - 1] = swap;
        }
}

tl_coords tl_grid_coords(const tl_grid *g, uint32_t rank)
{
    tl_coords place = {{0}};
    for (int d = g->n_dims - 1; d >= 0; d--) {
        place.at[d] = (int32_t)(rank % (uint32_t)g->size[d]);
        rank /= (uint32_t)g->size[d];
    }
    return place;
}

uint32_t tl_grid_rank(const tl_grid *g, tl_coords place)
{
    uint32_t rank = 0;
    for (int d = 0; d < g->n_dims; d++)
        rank = rank * (uint32_t)g->size[d] + (uint32_t)place.at[d];
    return rank;
}

int tl_grid_class(const tl_grid *g, uint32_t rank)
{
    const tl_coords place = tl_grid_coords(g, rank);
    int class = 0;
    for (int d = 0; d < TL_MAX_DIMS; d++) {
        const bool inner = place.at[d] > 0 && place.at[d] < g->size[d] - 1;
        int side = inner ? 1 : 2;
        if (place.at[d] == 0 || tl_grid_is_folded(g, d))
            side = 0;
        class = 3 * class + side;
    }
    return class;
}

bool tl_grid_way(const tl_grid *g, uint32_t from, uint32_t to, tl_way *out)
{
    const tl_coords a = tl_grid_coords(g, from), b = tl_grid_coords(g, to);
    *out = (tl_way){{0}};
    for (int d = 0; d < g->n_dims; d++) {
        int32_t step = b.at[d] - a.at[d];
        if (g->periodic[d] && g->size[d] > 2 && (step == g->size[d] - 1 || step == 1 - g->size[d]))
            step = step > 0 ? -1 : 1;
        if (step < -1 || step > 1)
            return false;
        out->step[d] = (int8_t)(step && tl_grid_is_folded(g, d) ? TL_EITHER : step);
        if (from == to && g->periodic[d] && g->size[d] == 1)
            out->step[d] = TL_EITHER;
    }
    return true;
}

int64_t tl_grid_go(const tl_grid *g, uint32_t from, tl_way way)
{
    tl_coords place = tl_grid_coords(g, from);
    for (int d = 0; d < g->n_dims; d++) {
        int32_t at = place.at[d] + way.step[d];
        if (g->periodic[d])
            at = (at + g->size[d]) % g->size[d];
        if (at < 0 || at >= g->size[d])
            return -1;
        place.at[d] = at;
    }
    return tl_grid_rank(g, place);
}

uint32_t tl_slice_size(const tl_grid *g, unsigned dims)
{
    uint32_t n = 1;
    for (int d = 0; d < g->n_dims; d++)
        if (dims & 1U << d)
            n *= (uint32_t)g->size[d];
    return n;
}

void tl_slice_members(const tl_grid *g, uint32_t rank, unsigned dims, int32_t *out)
{
    tl_coords place = tl_grid_coords(g, rank);
    for (int d = 0; d < g->n_dims; d++)
        if (dims & 1U << d)
            place.at[d] = 0;
    const uint32_t n = tl_slice_size(g, dims);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (int32_t)tl_grid_rank(g, place);
        for (int d = TL_MAX_DIMS - 1; d >= 0; d--) {
            if (!(dims & 1U << d))
                continue;
            if (++place.at[d] < g->size[d])
                break;
            place.at[d] = 0;
        }
    }
}

uint32_t tl_slice_index(const tl_grid *g, uint32_t rank, unsigned dims)
{
    const tl_coords place = tl_grid_coords(g, rank);
    uint32_t index = 0;
    for (int d = 0; d < g->n_dims; d++)
        if (dims & 1U << d)
            index = index * (uint32_t)g->size[d] + (uint32_t)place.at[d];
    return index;
}
