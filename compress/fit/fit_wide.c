/* fit_wide.c - the rest of the list of expressions. It counts only if the captures have no skeleton
 * without it (fitting.is_wide). */
#include "config.h"

#include "fit.h"

#include <stdio.h>

/* What remains of n elements, or of the blocks of another size, at an iteration of a loop. */
static void add_remainders(fitting *f)
{
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        for (size_t i = 0; i < f->n_names; i++) {
            const char *n = f->names[i];
            fit_add(f, FIT_NUMBER, 1U << d, "%s - i%u", n, d);
            fit_add(f, FIT_NUMBER, 1U << d, "%s - 1 - i%u", n, d);
            for (size_t k = 0; k < f->n_names; k++) {
                const char *w = f->names[k];
                if (k == i)
                    continue;
                fit_add(f, FIT_NUMBER, 1U << d, "%s - i%u * %s", n, d, w);
                fit_add(f, FIT_NUMBER, 1U << d, "max(0, %s - (i%u + 1) * %s)", n, d, w);
                fit_add(f, FIT_NUMBER, 1U << d, "(%s + %s - 1) / %s - i%u", n, w, w, d);
            }
        }
}

/* What an owner of blocks has of n elements, in all and from the block of an iteration on. */
static void add_owned(fitting *f, const char *owner, const char *size)
{
    for (size_t i = 0; i < f->n_names; i++)
        for (size_t k = 0; k <= f->n_names; k++) {
            const char *n = f->names[i], *w = k < f->n_names ? f->names[k] : "1";
            if (k == i)
                continue;
            if (k < f->n_names)
                fit_add(f, FIT_NUMBER, 0, "local(%s, %s, %s, %s)", n, w, owner, size);
            for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
                for (unsigned plus = 0; plus < 2; plus++)
                    fit_add(f, FIT_NUMBER, 1U << d,
                            "local(%s, %s, %s, %s) - local(min(%s, (i%u + %u) * %s), %s, %s, %s)",
                            n, w, owner, size, n, d, plus, w, w, owner, size);
        }
}

static void add_all_owned(fitting *f)
{
    add_owned(f, "rank", "ranks");
    for (size_t g = 0; g < FIT_N_PLAIN_GRIDS; g++) {
        if (fit_grids[g].n_dimensions != 2 || fit_grids[g].periodic)
            continue;
        for (int d = 0; d < 2; d++) {
            char owner[32], size[40];
            snprintf(owner, sizeof owner, "coord(%s, %d)", fit_grids[g].name, d);
            fit_grid_size(&fit_grids[g], d, size);
            add_owned(f, owner, size);
        }
    }
}

/* The rank `owner` of a grid has a block of n x n or n x n x n elements. */
static void add_blocks_of(fitting *f, unsigned variables, const fit_grid *g, const char *owner)
{
    char size[3][40], cell[3][FIT_MAX_CANDIDATE];
    const int n_dims = g->n_dimensions;
    for (int d = 0; d < n_dims; d++)
        fit_grid_size(g, d, size[d]);
    for (size_t i = 0; i < f->n_names; i++) {
        for (int d = 0; d < n_dims; d++) {
            char coord[2 * FIT_MAX_CANDIDATE] = "";
            if (d == n_dims - 1)
                snprintf(coord, sizeof coord, "%s %% %s", owner, size[d]);
            else if (d == n_dims - 2)
                snprintf(coord, sizeof coord, "%s / %s%s%s", owner, size[d + 1], d ? " % " : "",
                         d ? size[d] : "");
            else
                snprintf(coord, sizeof coord, "%s / (%s * %s)", owner, size[d + 1], size[d + 2]);
            snprintf(cell[d], sizeof cell[d], "local(%.40s, 1, %.120s, %s)", f->names[i], coord,
                     size[d]);
            fit_add(f, FIT_NUMBER, variables, "%s", cell[d]);
        }
        if (n_dims == 2)
            fit_add(f, FIT_NUMBER, variables, "%s * %s", cell[0], cell[1]);
        else
            fit_add(f, FIT_NUMBER, variables, "%s * %s * %s", cell[0], cell[1], cell[2]);
    }
}

static void add_all_blocks(fitting *f)
{
    for (size_t g = 0; g < FIT_N_PLAIN_GRIDS; g++) {
        if (fit_grids[g].n_dimensions < 2 || fit_grids[g].periodic)
            continue;
        add_blocks_of(f, 1U << FIT_EACH, &fit_grids[g], "each");
        for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
            char owner[16];
            snprintf(owner, sizeof owner, "i%u", d);
            add_blocks_of(f, 1U << d, &fit_grids[g], owner);
            snprintf(owner, sizeof owner, "(i%u + 1)", d);
            add_blocks_of(f, 1U << d, &fit_grids[g], owner);
        }
    }
}

/* The ranks around in grids that are periodic in some dimensions only. Those along one dimension
 * are neighbours in a grid that is periodic in all dimensions or in none, so that they are on the
 * list. */
static void add_mixed_grids(fitting *f)
{
    for (size_t i = FIT_N_PLAIN_GRIDS; i < FIT_N_GRIDS; i++) {
        const fit_grid *g = &fit_grids[i];
        const int n_offsets = g->n_dimensions == 3 ? 27 : 9;
        for (int k = 0; k < n_offsets; k++) {
            if ((k % 3 != 1) + (k / 3 % 3 != 1) + (n_offsets == 27 && k / 9 != 1) < 2)
                continue;
            fit_add(f, FIT_PEER, 0, "around(%s, %d)", g->name, k);
            fit_add(f, FIT_CONDITION, 0, "around(%s, %d) != null", g->name, k);
        }
        for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
            char guard[80];
            fit_add(f, FIT_PEER, 1U << d, "around(%s, i%u)", g->name, d);
            snprintf(guard, sizeof guard, "K != %d && around(%s, K) != null", n_offsets / 2,
                     g->name);
            fit_add_range(f, d, "0", n_offsets == 27 ? "26" : "8", 1, guard);
        }
    }
}

/* Neighbours in the order of their ranks, as programs have them in a list: of a line, and those
 * along the dimensions of a grid without edges in common. */
static void add_sorted_neighbours(fitting *f)
{
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        fit_add_range(f, d, "rank - 1", "rank + 1", 1, "K >= 0 && K < ranks && K != rank");
        for (size_t i = 0; i < FIT_N_PLAIN_GRIDS; i++) {
            const fit_grid *g = &fit_grids[i];
            char guard[160];
            if (g->n_dimensions == 2)
                snprintf(guard, sizeof guard, "K %% 2 == 1 && around(%s, K) != null", g->name);
            else
                snprintf(guard, sizeof guard,
                         "abs(K / 9 - 1) + abs(K / 3 %% 3 - 1) + abs(K %% 3 - 1) == 1 && "
                         "around(%s, K) != null",
                         g->name);
            if (g->n_dimensions > 1)
                fit_add_range(f, d, "0", g->n_dimensions == 3 ? "26" : "8", 1, guard);
        }
    }
}

/* The last iteration, and those with a block behind them. */
static void add_last(fitting *f)
{
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        for (size_t i = 0; i < f->n_names; i++) {
            const char *n = f->names[i];
            fit_add(f, FIT_CONDITION, 1U << d, "i%u == %s - 1", d, n);
            fit_add(f, FIT_CONDITION, 1U << d, "i%u < %s - 1", d, n);
            for (size_t k = 0; k < f->n_names; k++)
                if (k != i)
                    fit_add(f, FIT_CONDITION, 1U << d, "(i%u + 1) * %s < %s", d, f->names[k], n);
        }
}

/* The largest square of ranks by rows and columns, and the ranks behind it, as of a program that
 * gives a solver of matrices as many ranks as it can use. */
static void add_largest_square(fitting *f)
{
    fit_add(f, FIT_CONDITION, 0, "rank < root(ranks, 2) * root(ranks, 2)");
    fit_add(f, FIT_CONDITION, 0, "root(ranks, 2) > 1");
    fit_add(f, FIT_COLOUR, 0, "rank < root(ranks, 2) * root(ranks, 2) ? 0 : 1");
    fit_add(f, FIT_COLOUR | FIT_SOME, 0, "rank / root(ranks, 2)");
    fit_add(f, FIT_COLOUR | FIT_SOME, 0, "rank %% root(ranks, 2)");
}

/* Rows and columns of ranks, a times as many columns as rows: the rank at the transposed place,
 * each of `a` parts of what its row and its column have, and sums along a row by exchanges at
 * distances that halve. CG of the NAS benchmarks has one or two times as many. */
static void add_rows(fitting *f, const fit_grid *g)
{
    char rows[40], columns[40], times[90], own[240];
    fit_grid_size(g, 0, rows);
    fit_grid_size(g, 1, columns);
    snprintf(times, sizeof times, "(%s / %s)", columns, rows);
    fit_add(f, FIT_PEER, 0, "coord(%s, 1) / %s * %s + coord(%s, 0) * %s + coord(%s, 1) %% %s",
            g->name, times, columns, g->name, times, g->name, times);
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        fit_add(f, FIT_PEER, 1U << d, "rank ^ %s >> 1 + i%u", columns, d);
    for (size_t i = 0; i < 2 * f->n_names; i++) {
        snprintf(own, sizeof own, "local(%.40s, 1, coord(%.20s, %zu)%s%s, %s)", f->names[i / 2],
                 g->name, i % 2, i % 2 ? " / " : "", i % 2 ? times : "", rows);
        fit_add(f, FIT_NUMBER, 0, "(%s + rank %% %s) / %s", own, times, times);
        fit_add(f, FIT_NUMBER, 0, "(%s + %s - 1 - rank %% %s) / %s", own, times, times, times);
    }
}

/* A rank has as many cells as there are columns of ranks, one of them at the edge: the faces of the
 * others, and a face with room for what remains (BT of the NAS benchmarks). */
static void add_faces_of_cells(fitting *f, const fit_grid *g)
{
    char size[40];
    fit_grid_size(g, 1, size);
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i];
        fit_add(f, FIT_NUMBER, 0, "(%s - 1) * (%s / %s) * (%s / %s)", size, n, size, n, size);
        fit_add(f, FIT_NUMBER, 0, "(%s / %s + 1) * (%s / %s + 1)", n, size, n, size);
    }
}

/* The text with coordinates in place of R and C, and a step in place of S. */
static void place_of(const char *pattern, const char *grid, const char *step, char text[120])
{
    size_t used = 0;
    for (*text = '\0'; *pattern && used < 90; pattern++)
        if (*pattern == 'S')
            used += (size_t)snprintf(text + used, 120 - used, "%s", step);
        else if (*pattern == 'R' || *pattern == 'C')
            used += (size_t)snprintf(text + used, 120 - used, "coord(%.20s, %d)", grid,
                                     *pattern == 'C');
        else
            used += (size_t)snprintf(text + used, 120 - used, "%c", *pattern);
}

/* The inner points of a face of the rank's cell at a step of a sweep through such cells, in each of
 * three dimensions, there and back (SP). C: column, R: row, S: step. */
static void add_sweeps(fitting *f, const fit_grid *g, unsigned d)
{
    static const char *const cells[][2] = {
        {"R + C - S", "S - C"}, {"R + C - S", "R - S"}, {"C + S", "R - S"}};
    static const char *const steps[] = {"i%u", "(i%u + 1)", "(-1 - i%u)", "(-2 - i%u)"};
    char size[40], step[16], side[2][120];
    fit_grid_size(g, 0, size);
    for (size_t k = 0; k < sizeof steps / sizeof *steps * 3; k++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(step, sizeof step, steps[k / 3], d);
#pragma GCC diagnostic pop
        for (int i = 0; i < 2; i++)
            place_of(cells[k % 3][i], g->name, step, side[i]);
        for (size_t i = 0; i < f->n_names; i++)
            fit_add(f, FIT_NUMBER, 1U << d,
                    "(%s / %s - ((%s + 1) %% %s < 2)) * (%s / %s - ((%s + 1) %% %s < 2))",
                    f->names[i], size, side[0], size, f->names[i], size, side[1], size);
    }
}

/* What a rank of a grid has of n elements, without the first and the last one. */
static void add_inner(fitting *f, const fit_grid *g)
{
    for (size_t i = 0; i < f->n_names; i++)
        for (int d = 0; d < g->n_dimensions; d++) {
            char at[32], size[40];
            snprintf(at, sizeof at, "coord(%s, %d)", g->name, d);
            fit_grid_size(g, d, size);
            fit_add(f, FIT_NUMBER, 0, "local(%s, 1, %s, %s) - (%s == 0) - (%s == %s - 1)",
                    f->names[i], at, size, at, at, size);
        }
}

static void add_inner_of_grids(fitting *f)
{
    for (size_t i = 0; i < FIT_N_PLAIN_GRIDS; i++) {
        const fit_grid *g = &fit_grids[i];
        for (unsigned d = 0; g->n_dimensions == 2 && g->periodic && d < FIT_MAX_DEPTH; d++)
            add_sweeps(f, g, d);
        if (g->n_dimensions < 2 || g->periodic)
            continue;
        add_inner(f, g);
        if (g->n_dimensions == 2 && g->smallest_first)
            add_rows(f, g);
        if (g->n_dimensions == 2 && g->smallest_first)
            add_faces_of_cells(f, g);
    }
}

void fit_add_wide(fitting *f)
{
    f->adds_wide = true;
    add_remainders(f);
    add_all_owned(f);
    add_all_blocks(f);
    add_mixed_grids(f);
    add_sorted_neighbours(f);
    add_last(f);
    add_largest_square(f);
    add_inner_of_grids(f);
    f->adds_wide = false;
}
