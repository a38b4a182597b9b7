/* fit_candidates.c - the expressions that may explain a value: texts in the language of skeletons,
 * the simple ones first. */
#include "config.h"

#include "fit.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

bool fit_differs(const char *text)
{
    for (const char *at = text; (at = strstr(at, "rank")); at += 4)
        if (at[4] != 's' || at[5] == '_')
            return true;
    return strstr(text, "coord") || strstr(text, "neighbour") || strstr(text, "around");
}

size_t fit_add(fitting *f, unsigned use, unsigned variables, const char *format, ...)
{
    char text[FIT_MAX_CANDIDATE];
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size + 1 >= (int)sizeof text) /* of parameters with long names */
        return 0;
    fit_candidate *made = skel_push(&f->candidates, sizeof *made);
    if (!made || !(made->text = strdup(text)))
        fit_out_of_memory(f);
    if (made) {
        made->use = use;
        made->is_wide = f->adds_wide;
        made->variables = variables;
        made->by_rank = fit_differs(text);
        for (size_t i = 0; i < FIT_N_GRIDS; i++)
            made->grids |= fit_grid_uses(text, &fit_grids[i]) ? 1U << i : 0;
    }
    return f->candidates.n - 1;
}

static void add_sizes(fitting *f)
{
    enum { NUMBER = FIT_NUMBER | FIT_LAW };
    for (size_t i = 0; i < f->n_names; i++)
        fit_add(f, NUMBER, 0, "%s", f->names[i]);
    fit_add(f, NUMBER, 0, "ranks");
    f->rank = fit_add(f, FIT_NUMBER, 0, "rank");
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        fit_add(f, FIT_NUMBER, 1U << d, "i%u", d);
    fit_add(f, NUMBER, 0, "bits(ranks - 1)");
    /* Before the roots: that of 8 or 16 ranks is rounded. */
    fit_add(f, FIT_NUMBER, 0, "bits(dims(ranks, 2, 0) - 1)");
    fit_add(f, NUMBER, 0, "root(ranks, 2)");
    fit_add(f, NUMBER, 0, "root(ranks, 3)");
    fit_add(f, FIT_NUMBER, 0, "bits(rank)");
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i];
        fit_add(f, NUMBER, 0, "%s / ranks", n);
        fit_add(f, FIT_NUMBER, 0, "(%s + ranks - 1) / ranks", n);
        fit_add(f, NUMBER, 0, "local(%s, 1, rank, ranks)", n);
        fit_add(f, FIT_NUMBER, 0, "(rank + 1) * %s / ranks - rank * %s / ranks", n, n);
        fit_add(f, NUMBER, 0, "%s * bits(%s)", n, n);
        fit_add(f, NUMBER, 0, "bits(%s)", n);
    }
    for (int k = 2; k <= 3; k++)
        for (int d = 0; d < k; d++)
            fit_add(f, NUMBER, 0, "dims(ranks, %d, %d)", k, d);
    fit_add(f, FIT_NUMBER, 0, "rank + ranks");
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        fit_add(f, FIT_NUMBER, 1U << d, "ranks + i%u", d);
}

/* What a rank has of a parameter's elements along a dimension of a grid. */
static void add_local(fitting *f, const fit_grid *g)
{
    char size[3][40];
    for (int d = 0; d < g->n_dimensions; d++)
        fit_grid_size(g, d, size[d]);
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i], *name = g->name;
        for (int d = 0; d < g->n_dimensions; d++) {
            fit_add(f, FIT_NUMBER | FIT_LAW, 0, "local(%s, 1, coord(%s, %d), %s)", n, name, d,
                    size[d]);
            fit_add(f, FIT_NUMBER, 0, "(coord(%s, %d) + 1) * %s / %s - coord(%s, %d) * %s / %s",
                    name, d, n, size[d], name, d, n, size[d]);
        }
        for (int d = 0; d < g->n_dimensions; d++)
            for (int e = d + 1; e < g->n_dimensions; e++)
                fit_add(f, FIT_NUMBER | FIT_LAW, 0,
                        "local(%s, 1, coord(%s, %d), %s) * local(%s, 1, coord(%s, %d), %s)", n,
                        name, d, size[d], n, name, e, size[e]);
    }
}

static void add_products(fitting *f)
{
    enum { NUMBER = FIT_NUMBER | FIT_LAW };
    for (size_t i = 0; i < f->n_names; i++)
        for (size_t k = i; k < f->n_names; k++) {
            const char *a = f->names[i], *b = f->names[k];
            fit_add(f, NUMBER, 0, "%s * %s", a, b);
            fit_add(f, NUMBER, 0, "%s * %s / ranks", a, b);
            fit_add(f, NUMBER, 0, "%s * local(%s, 1, rank, ranks)", a, b);
            if (i != k)
                fit_add(f, NUMBER, 0, "%s * local(%s, 1, rank, ranks)", b, a);
            /* The largest part of a transposition; all are as large with MPI_Alltoall. */
            fit_add(f, FIT_NUMBER, 0, "((%s + ranks - 1) / ranks) * ((%s + ranks - 1) / ranks)", a,
                    b);
            if (i == k) {
                fit_add(f, NUMBER, 0, "%s * %s * %s", a, a, a);
                fit_add(f, NUMBER, 0, "%s * %s * %s / ranks", a, a, a);
                for (int d = 0; d < 2; d++)
                    fit_add(f, NUMBER, 0, "%s * %s * %s / ranks / dims(ranks, 2, %d)", a, a, a, d);
                for (int m = 1; m <= 2; m++)
                    fit_add(f, NUMBER, 0, "(%s + %d) * (%s + %d)", a, m, a, m);
                fit_add(f, NUMBER, 0, "%s / ranks * (%s / ranks)", a, a);
                fit_add(f, FIT_NUMBER, 0, "%s * %s / (ranks * ranks)", a, a);
            }
        }
}

/* What the rank `owner` has of a parameter's elements, or of rows of them: sizes of messages from
 * or to each of the other ranks in turn. */
static void add_shares_of(fitting *f, unsigned variables, const char *owner)
{
    for (size_t i = 0; i < f->n_names; i++)
        fit_add(f, FIT_NUMBER, variables, "local(%s, 1, %s, ranks)", f->names[i], owner);
    for (size_t i = 0; i < f->n_names; i++)
        for (size_t k = 0; k < f->n_names; k++)
            fit_add(f, FIT_NUMBER, variables, "%s * local(%s, 1, %s, ranks)", f->names[i],
                    f->names[k], owner);
    fit_add_shares_of(f, variables, owner, "ranks");
}

static void add_shares(fitting *f)
{
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        char owner[32];
        snprintf(owner, sizeof owner, "i%u", d);
        add_shares_of(f, 1U << d, owner);
        snprintf(owner, sizeof owner, "i%u + 1", d);
        add_shares_of(f, 1U << d, owner);
        /* A part that travels round a ring. */
        for (int k = -1; k <= 1; k++) {
            snprintf(owner, sizeof owner, "(rank - i%u%s) %% ranks", d,
                     k < 0   ? " - 1"
                     : k > 0 ? " + 1"
                             : "");
            add_shares_of(f, 1U << d, owner);
        }
    }
    fit_add(f, FIT_NUMBER, 1U << FIT_EACH, "each");
    add_shares_of(f, 1U << FIT_EACH, "each");
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i];
        fit_add(f, FIT_NUMBER, 1U << FIT_EACH, "each == rank ? 0 : %s", n);
        fit_add(f, FIT_NUMBER, 1U << FIT_EACH, "local(local(%s, 1, rank, ranks), 1, each, ranks)",
                n);
        fit_add(f, FIT_NUMBER, 1U << FIT_EACH, "local(local(%s, 1, each, ranks), 1, rank, ranks)",
                n);
        fit_add(f, FIT_NUMBER, 1U << FIT_EACH,
                "local(%s, 1, rank, ranks) * local(%s, 1, each, ranks)", n, n);
    }
}

static void add_neighbours(fitting *f, const fit_grid *g)
{
    for (int d = g->n_dimensions - 1; d >= 0; d--) {
        for (int step = -1; step <= 1; step += 2) {
            fit_add(f, FIT_PEER, 0, "neighbour(%s, %d, %d)", g->name, d, step);
            if (!g->periodic)
                fit_add(f, FIT_CONDITION, 0, "neighbour(%s, %d, %d) != null", g->name, d, step);
            if (!g->periodic)
                fit_add(f, FIT_CONDITION, 0, "neighbour(%s, %d, %d) == null", g->name, d, step);
        }
        if (g->n_dimensions > 1 && !g->periodic)
            fit_add(f, FIT_NUMBER, 0, "coord(%s, %d)", g->name, d);
    }
    if (g->n_dimensions != 2 || g->periodic)
        return;
    char size[2][40];
    for (int d = 0; d < 2; d++)
        fit_grid_size(g, d, size[d]);
    fit_add(f, FIT_PEER, 0, "coord(%s, 1) * %s + coord(%s, 0)", g->name, size[0], g->name);
    for (int y = -1; y <= 1; y += 2)
        for (int x = -1; x <= 1; x += 2)
            fit_add(f, FIT_PEER, 0,
                    "neighbour(%s, 0, %d) == null || neighbour(%s, 1, %d) == null ? null : "
                    "neighbour(%s, 0, %d) %c 1",
                    g->name, y, g->name, x, g->name, y, x < 0 ? '-' : '+');
}

/* Sizes that halve from level to level, as those of a multigrid. */
static void add_levels(fitting *f)
{
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        const unsigned v = 1U << d;
        for (size_t i = 0; i < f->n_names; i++) {
            const char *n = f->names[i];
            fit_add(f, FIT_NUMBER | FIT_LAW, v, "%s >> i%u", n, d);
            fit_add(f, FIT_NUMBER | FIT_LAW, v, "(%s >> i%u) * (%s >> i%u)", n, d, n, d);
            fit_add(f, FIT_LAW, v, "(%s >> i%u) * (%s >> i%u) * (%s >> i%u)", n, d, n, d, n, d);
            fit_add(f, FIT_NUMBER | FIT_LAW, v, "local(%s, 1, rank, ranks) >> i%u", n, d);
            fit_add(f, FIT_NUMBER | FIT_LAW, v, "%s / ranks >> i%u", n, d);
            fit_add(f, FIT_NUMBER, v, "bits(%s >> i%u)", n, d);
        }
        for (unsigned k = 1; k <= 3; k++)
            fit_add(f, FIT_NUMBER | FIT_LAW, v, "1 << %u * i%u", k, d);
    }
}

/* The points that a block of n * n * n has in common with the block at an offset. */
static void add_common_points(fitting *f, unsigned variables, unsigned d, const char *n)
{
    fit_add(f, FIT_NUMBER, variables,
            "(i%u / 9 == 1 ? %s : 1) * (i%u / 3 %% 3 == 1 ? %s : 1) * (i%u %% 3 == 1 ? %s : 1)", d,
            n, d, n, d, n);
}

/* All ranks around in a grid, by number of the offset; those of the sides are neighbours. */
static void add_around(fitting *f)
{
    for (size_t g = 0; g < FIT_N_PLAIN_GRIDS; g++) {
        const int n_offsets = fit_grids[g].n_dimensions == 3 ? 27 : 9;
        for (int k = 0; k < n_offsets && fit_grids[g].n_dimensions > 1; k++) {
            if (k == n_offsets / 2)
                continue;
            fit_add(f, FIT_PEER, 0, "around(%s, %d)", fit_grids[g].name, k);
            if (!fit_grids[g].periodic)
                fit_add(f, FIT_CONDITION, 0, "around(%s, %d) != null", fit_grids[g].name, k);
        }
        for (unsigned d = 0; d < FIT_MAX_DEPTH && fit_grids[g].n_dimensions > 1; d++)
            fit_add(f, FIT_PEER, 1U << d, "around(%s, i%u)", fit_grids[g].name, d);
    }
    static const char *const sizes[][2] = {
        {"", ""}, {"(", " + 1)"}, {"(", " - 1)"}, {"", " / 2"}, {"", " / 4"}};
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        for (size_t i = 0; i < f->n_names; i++) {
            char n[100];
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                snprintf(n, sizeof n, "%s%.80s%s", sizes[k][0], f->names[i], sizes[k][1]);
                add_common_points(f, 1U << d, d, n);
            }
            for (unsigned e = 0; e < d; e++) {
                snprintf(n, sizeof n, "(%.80s >> i%u)", f->names[i], e);
                add_common_points(f, 1U << d | 1U << e, d, n);
            }
        }
}

/* Groups of neighbouring ranks, and of every m-th rank. */
static void add_colours(fitting *f)
{
    for (size_t i = 0; i < f->n_names; i++) {
        fit_add(f, FIT_COLOUR, 0, "rank / %s", f->names[i]);
        fit_add(f, FIT_COLOUR, 0, "rank %% %s", f->names[i]);
        fit_add(f, FIT_COLOUR, 0, "rank / (ranks / %s)", f->names[i]);
        fit_add(f, FIT_COLOUR, 0, "rank %% (ranks / %s)", f->names[i]);
    }
    for (int m = 2; m <= 16; m++) {
        fit_add(f, FIT_COLOUR, 0, "rank / %d", m);
        fit_add(f, FIT_COLOUR, 0, "rank %% %d", m);
        fit_add(f, FIT_PEER, 0, "rank - rank %% %d", m);
        fit_add(f, FIT_CONDITION, 0, "rank %% %d == 0", m);
        fit_add(f, FIT_CONDITION, 0, "rank %% %d != 0", m);
    }
    fit_add(f, FIT_COLOUR, 0, "2 * rank / ranks");
    fit_add(f, FIT_COLOUR, 0, "-rank");
    for (size_t g = 0; g < FIT_N_PLAIN_GRIDS; g++)
        for (int d = 0; fit_grids[g].n_dimensions == 3 && !fit_grids[g].periodic && d < 3; d++)
            fit_add(f, FIT_COLOUR, 0, "coord(%s, %d) * ranks + coord(%s, %d)", fit_grids[g].name,
                    d == 0, fit_grids[g].name, d == 2 ? 1 : 2);
}

/* Ranks and sizes within a communicator. */
static void add_comm(fitting *f, uint32_t number)
{
    const size_t first = f->candidates.n;
    const unsigned k = number - SKEL_FIRST_COMM;
    char size[40];
    snprintf(size, sizeof size, "ranks_in(comm%u)", k);
    fit_add(f, FIT_CONDITION, 0, "rank_in(comm%u) != null", k);
    fit_add(f, FIT_CONDITION, 0, "rank_in(comm%u) == 0", k);
    fit_add(f, FIT_CONDITION, 0, "rank_in(comm%u) != null && rank_in(comm%u) > 0", k, k);
    fit_add(f, FIT_NUMBER, 0, "rank_in(comm%u)", k);
    fit_add(f, FIT_NUMBER | FIT_LAW, 0, "%s", size);
    for (int step = 1; step <= 2; step++) {
        fit_add(f, FIT_PEER, 0, "(rank_in(comm%u) + %d) %% %s", k, step, size);
        fit_add(f, FIT_PEER, 0, "(rank_in(comm%u) - %d) %% %s", k, step, size);
        fit_add(f, FIT_PEER, 0, "rank_in(comm%u) + %d < %s ? rank_in(comm%u) + %d : null", k, step,
                size, k, step);
        fit_add(f, FIT_PEER, 0, "rank_in(comm%u) >= %d ? rank_in(comm%u) - %d : null", k, step, k,
                step);
    }
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i];
        fit_add(f, FIT_NUMBER | FIT_LAW, 0, "%s / %s", n, size);
        fit_add(f, FIT_NUMBER | FIT_LAW, 0, "local(%s, 1, rank_in(comm%u), %s)", n, k, size);
        fit_add(f, FIT_NUMBER, 1U << FIT_EACH, "local(%s, 1, each, %s)", n, size);
        for (size_t m = 0; m < f->n_names; m++) {
            fit_add(f, FIT_NUMBER, 1U << FIT_EACH, "%s * local(%s, 1, each, %s)", f->names[m], n,
                    size);
            fit_add(f, FIT_NUMBER, 1U << FIT_EACH,
                    "local(%s, 1, rank_in(comm%u), %s) * local(%s, 1, each, %s)", n, k, size,
                    f->names[m], size);
        }
    }
    fit_add_owners(f, size);
    for (size_t i = first; i < f->candidates.n; i++)
        ((fit_candidate *)f->candidates.items)[i].comm = number;
}

static void add_peers(fitting *f)
{
    for (int step = 1; step <= 3; step++) {
        fit_add(f, FIT_PEER, 0, "(rank + %d) %% ranks", step);
        fit_add(f, FIT_PEER, 0, "(rank - %d) %% ranks", step);
    }
    for (int bit = 1; bit <= 32; bit *= 2)
        fit_add(f, FIT_PEER, 0, "rank ^ %d", bit);
    fit_add(f, FIT_PEER, 0, "(rank + ranks / 2) %% ranks");
    fit_add(f, FIT_PEER, 0, "rank - (1 << bits(rank) - 1)");
    fit_add(f, FIT_PEER, 0, "rank & rank - 1");
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        const unsigned v = 1U << d;
        static const char *const with[] = {"(rank + i%u) %% ranks",
                                           "(rank - i%u) %% ranks",
                                           "(rank + i%u + 1) %% ranks",
                                           "(rank - i%u - 1) %% ranks",
                                           "i%u + 1",
                                           "(rank + (1 << i%u)) %% ranks",
                                           "(rank - (1 << i%u)) %% ranks",
                                           "rank + (1 << i%u)",
                                           "rank - (1 << i%u)",
                                           "rank ^ (1 << i%u)",
                                           "rank ^ i%u",
                                           "rank ^ i%u + 1",
                                           "rank ^ ranks >> 1 + i%u"};
        for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
            char text[80];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof text, with[i], d);
#pragma GCC diagnostic pop
            fit_add(f, FIT_PEER, v, "%s", text);
        }
        fit_add(f, FIT_PEER, v, "i%u + (i%u >= rank ? 1 : 0)", d, d);
    }
}

static void add_conditions(fitting *f)
{
    static const char *const simple[] = {
        "rank == 0",        "rank > 0",         "rank < ranks - 1", "rank == ranks - 1",
        "rank % 2 == 0",    "rank % 2 == 1",    "ranks > 1",        "rank + 1 < ranks / 2 * 2",
        "rank < ranks / 2", "rank >= ranks / 2"};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        fit_add(f, FIT_CONDITION, 0, "%s", simple[i]);
    for (size_t i = 0; i < f->n_names; i++)
        for (unsigned m = 2; m <= 16; m++)
            for (int k = 0; k < 2; k++)
                fit_add(f, FIT_CONDITION, 0, "%s %% %u %s 0", f->names[i], m, k ? "==" : "!=");
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        fit_add(f, FIT_CONDITION, 1U << d, "i%u == 0", d);
        fit_add(f, FIT_CONDITION, 1U << d, "i%u > 0", d);
    }
    /* Every N-th iteration. */
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        for (size_t i = 0; i < f->n_names; i++) {
            const char *n = f->names[i];
            fit_add(f, FIT_CONDITION, 1U << d, "i%u %% %s == 0", d, n);
            fit_add(f, FIT_CONDITION, 1U << d, "(i%u + 1) %% %s == 0", d, n);
            fit_add(f, FIT_CONDITION, 1U << d, "i%u %% %s != 0", d, n);
        }
    /* The ranks in turn: one gives, the first one takes. */
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        fit_add(f, FIT_CONDITION, 1U << d, "i%u == rank", d);
        fit_add(f, FIT_CONDITION, 1U << d, "i%u + 1 == rank", d);
        fit_add(f, FIT_CONDITION, 1U << d, "i%u < ranks - 1", d);
    }
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        for (unsigned m = 2; m <= 32; m++)
            fit_add(f, FIT_CONDITION, 1U << d, "i%u %% %u != 0", d, m);
        for (unsigned m = 2; m <= 32; m++)
            for (unsigned r = 0; r < m; r += r ? m - r > 1 ? m - r - 1 : 1 : 1)
                fit_add(f, FIT_CONDITION, 1U << d, "i%u %% %u == %u", d, m, r);
    }
}

void fit_add_range(fitting *f, unsigned depth, const char *first, const char *last, int step,
                   const char *guard)
{
    char text[200] = "";
    size_t used = 0;
    for (const char *at = guard; *at && used + 8 < sizeof text; at++)
        used += *at == 'K' ? (size_t)snprintf(text + used, 8, "i%u", depth)
                           : (size_t)snprintf(text + used, 2, "%c", *at);
    fit_range *made = skel_push(&f->ranges, sizeof *made);
    if (!made) {
        fit_out_of_memory(f);
        return;
    }
    *made = (fit_range){.is_wide = f->adds_wide,
                        .step = step,
                        .depth = depth,
                        .first = fit_add(f, FIT_OTHER, 0, "%s", first),
                        .last = fit_add(f, FIT_OTHER, 0, "%s", last),
                        .guard = fit_add(f, FIT_OTHER, 1U << depth, "%s", text)};
}

static void add_ranges(fitting *f)
{
    static const char above[] = "rank + (1 << K) < ranks", top[] = "bits(ranks - 1) - 1";
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        fit_add_range(f, d, "bits(rank)", top, 1, above);
        fit_add_range(f, d, top, "bits(rank)", -1, above);
        fit_add_range(f, d, "0", top, 1, above);
        fit_add_range(f, d, top, "0", -1, above);
        fit_add_range(f, d, "0", top, 1, "rank >= 1 << K");
        fit_add_range(f, d, "0", top, 1, "(rank ^ 1 << K) < ranks");
        fit_add_range(f, d, "0", top, 1, "rank % (2 << K) == 0 && rank + (1 << K) < ranks");
        fit_add_range(f, d, top, "0", -1, "rank % (2 << K) == 0 && rank + (1 << K) < ranks");
        fit_add_range(f, d, "0", "ranks - 1", 1, "K != rank");
        for (size_t g = 0; g < FIT_N_PLAIN_GRIDS; g++) {
            const bool is_cube = fit_grids[g].n_dimensions == 3;
            char guard[80];
            snprintf(guard, sizeof guard, "K != %d && around(%s, K) != null", is_cube ? 13 : 4,
                     fit_grids[g].name);
            if (fit_grids[g].n_dimensions > 1)
                fit_add_range(f, d, "0", is_cube ? "26" : "8", 1, guard);
        }
        fit_add_range(f, d, "rank + 1", "ranks - 1", 1, "1");
        fit_add_range(f, d, "0", "ranks - 1", 1,
                      "(rank + K) % 2 == 0 ? rank + 1 < ranks : rank > 0");
        fit_add_range(f, d, "0", "ranks - 1", 1,
                      "(rank + K) % 2 == 1 ? rank + 1 < ranks : rank > 0");
        fit_add_range(f, d, "0", "rank - 1", 1, "1");
    }
}

void fit_candidates(fitting *f)
{
    add_sizes(f);
    add_peers(f);
    add_conditions(f);
    for (size_t i = 0; i < FIT_N_PLAIN_GRIDS; i++) {
        add_neighbours(f, &fit_grids[i]);
        if (!fit_grids[i].periodic && fit_grids[i].n_dimensions > 1)
            add_local(f, &fit_grids[i]);
        if (fit_grids[i].n_dimensions == 2)
            fit_add_grid_blocks(f, &fit_grids[i]);
    }
    add_products(f);
    /* Behind the shares of sizes: where no law fits well, the first of two similar ones wins. */
    fit_add(f, FIT_LAW, 0, "1 / ranks");
    add_shares(f);
    add_levels(f);
    add_around(f);
    add_colours(f);
    fit_add_blocks(f);
    fit_add_shares_of(f, 0, "rank", "ranks");
    fit_add_partners(f);
    fit_add_owners(f, "ranks");
    for (uint32_t i = 0; i < f->comms.n; i++)
        add_comm(f, SKEL_FIRST_COMM + i);
    add_ranges(f);
    fit_add_wide(f);
    fit_candidates_prepare(f);
}
