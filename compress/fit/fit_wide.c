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

void fit_add_wide(fitting *f)
{
    f->adds_wide = true;
    add_remainders(f);
    add_all_owned(f);
    add_last(f);
    f->adds_wide = false;
}
