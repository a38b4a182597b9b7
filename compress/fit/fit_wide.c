/* fit_wide.c - the rest of the list of expressions. It counts only if the captures have no skeleton
 * without it (fitting.is_wide). */
#include "config.h"

#include "fit.h"

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
    add_last(f);
    f->adds_wide = false;
}
