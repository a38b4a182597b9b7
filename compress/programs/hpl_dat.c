/* hpl_dat.c - HPL.dat: the combinations that HPL would run, in HPL's order. */
#include "hpl.h"

#include "core/error.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

enum { MAX_VALUES = 256, MAX_LINE = 4096, N_LINES = 31 };

/* The numbers of one line. */
typedef struct values {
    int n;
    int64_t at[MAX_VALUES];
} values;

typedef struct dat {
    const char *path;
    char lines[N_LINES + 1][MAX_LINE]; /* from 1, as people count */
    int n_lines;
    tl_error *err;
} dat;

static tl_status read_lines(dat *d)
{
    FILE *in = fopen(d->path, "r");
    if (!in)
        return tl_fail(d->err, TL_ERR_SYSTEM,
                       "%s: cannot be opened: %s; give the path of an "
                       "HPL.dat",
                       d->path, strerror(errno));
    while (d->n_lines < N_LINES && fgets(d->lines[d->n_lines + 1], MAX_LINE, in))
        d->n_lines++;
    fclose(in);
    return TL_OK;
}

static tl_status fail_at(const dat *d, int line, const char *what)
{
    return tl_fail(d->err, TL_ERR_INPUT, "%s:%d: %s", d->path, line, what);
}

/* The first n numbers of a line. The rest of the line is a comment. */
static tl_status read_values(const dat *d, int line, int n, int64_t min, int64_t max, values *out)
{
    const char *at = d->lines[line];
    out->n = n;
    for (int i = 0; i < n; i++) {
        char *end = NULL;
        const long long value = strtoll(at, &end, 10);
        if (end == at || value < min || value > max) {
            char what[200];
            snprintf(what, sizeof what,
                     "number %d of %d is no whole number from %lld to %lld; correct the line",
                     i + 1, n, (long long)min, (long long)max);
            return fail_at(d, line,
                           line > d->n_lines ? "the file ends before this line; give an HPL.dat"
                                             : what);
        }
        out->at[i] = value;
        at = end;
    }
    return TL_OK;
}

/* Reads a line with a count, and a line with that many numbers. */
static tl_status read_list(const dat *d, int line, int64_t min, int64_t max, values *out)
{
    values count;
    const tl_status status = read_values(d, line, 1, 1, MAX_VALUES, &count);
    return status == TL_OK ? read_values(d, line + 1, (int)count.at[0], min, max, out) : status;
}

/* The axes of HPL's loops, the outermost first. */
typedef struct loops {
    values p, q, n, nb, depth, bcast, rfact, pfact, nbmin, ndiv;
    tl_hpl common;
} loops;

static tl_status read_common(const dat *d, tl_hpl *o)
{
    static const int lines[] = {9, 26, 27, 28, 29, 30};
    int64_t at[6];
    for (int i = 0; i < 6; i++) {
        values v;
        const tl_status status = read_values(d, lines[i], 1, 0, INT_MAX, &v);
        if (status != TL_OK)
            return status;
        at[i] = v.at[0];
    }
    tl_hpl_default(o);
    o->column_major = at[0] != 0;
    o->swap = at[1] > HPL_SWAP_MIX ? HPL_SWAP_MIX : (int32_t)at[1];
    o->threshold = at[2];
    o->l1_no_transpose = at[3] != 0;
    o->u_no_transpose = at[4] != 0;
    o->equilibrate = at[5] != 0;
    return TL_OK;
}

static tl_status read_plan(const dat *d, loops *out)
{
    const struct {
        int line;
        int64_t min, max;
        values *to;
    } lists[] = {{5, 0, INT_MAX - 1, &out->n},
                 {7, 1, HPL_MAX_NB, &out->nb},
                 {10, 1, 65535, &out->p},
                 {14, 0, 2, &out->pfact},
                 {16, 1, HPL_MAX_NB, &out->nbmin},
                 {18, 2, HPL_MAX_NB, &out->ndiv},
                 {20, 0, 2, &out->rfact},
                 {22, 0, 5, &out->bcast},
                 {24, 0, HPL_MAX_DEPTH, &out->depth}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const tl_status status =
            read_list(d, lists[i].line, lists[i].min, lists[i].max, lists[i].to);
        if (status != TL_OK)
            return status;
    }
    const tl_status status = read_values(d, 12, out->p.n, 1, 65535, &out->q);
    return status == TL_OK ? read_common(d, &out->common) : status;
}

/* The i-th combination. The innermost loops change fastest. */
static tl_hpl combination(const loops *plan, size_t i)
{
    tl_hpl o = plan->common;
    const struct {
        const values *from;
        int32_t *to;
    } fast[] = {{&plan->ndiv, &o.ndiv},   {&plan->nbmin, &o.nbmin}, {&plan->pfact, &o.pfact},
                {&plan->rfact, &o.rfact}, {&plan->bcast, &o.bcast}, {&plan->depth, &o.depth},
                {&plan->nb, &o.nb}};
    for (size_t k = 0; k < sizeof fast / sizeof *fast; k++) {
        *fast[k].to = (int32_t)fast[k].from->at[i % (size_t)fast[k].from->n];
        i /= (size_t)fast[k].from->n;
    }
    o.n = plan->n.at[i % (size_t)plan->n.n];
    i /= (size_t)plan->n.n;
    o.p = (int32_t)plan->p.at[i];
    o.q = (int32_t)plan->q.at[i];
    return o;
}

static tl_status combine(const dat *d, const loops *plan, tl_hpl **out, size_t *n)
{
    const values *all[] = {&plan->p,     &plan->n,     &plan->nb,    &plan->depth, &plan->bcast,
                           &plan->rfact, &plan->pfact, &plan->nbmin, &plan->ndiv};
    enum { MAX_COMBINATIONS = 1000000 };
    size_t count = 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((count *= (size_t)all[i]->n) > MAX_COMBINATIONS)
            return tl_fail(d->err, TL_ERR_INPUT,
                           "%s: more than a million combinations; shorten the lists", d->path);
    *out = malloc(count * sizeof **out);
    if (!*out)
        return tl_no_memory(d->err, d->path);
    *n = 0;
    for (size_t i = 0; i < count; i++) {
        (*out)[*n] = combination(plan, i);
        *n += (*out)[*n].n > 0; /* HPL solves nothing there, and prints no row */
    }
    return TL_OK;
}

tl_status tl_hpl_read_dat(const char *path, tl_hpl **out, size_t *n, tl_error *err)
{
    dat *d = calloc(1, sizeof *d);
    loops *p = calloc(1, sizeof *p);
    tl_status status = TL_ERR_MEMORY;
    if (!d || !p) {
        tl_error_set(err, status, "%s: out of memory", path);
        goto cleanup;
    }
    d->path = path;
    d->err = err;
    status = read_lines(d);
    if (status == TL_OK)
        status = read_plan(d, p);
    if (status == TL_OK)
        status = combine(d, p, out, n);
cleanup:
    free(d);
    free(p);
    return status;
}
