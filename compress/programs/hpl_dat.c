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

/* The lists of the file. */
static const struct {
    int line;
    const char *key;
} axes[] = {{5, "N"},     {7, "NB"},     {10, "P"},     {14, "PFACT"}, {16, "NBMIN"},
            {18, "NDIV"}, {20, "RFACT"}, {22, "BCAST"}, {24, "DEPTH"}};
enum { N_AXES = sizeof axes / sizeof *axes, AXIS_N = 0, AXIS_P = 2 };

/* Numbers that are the same for all runs; larger ones mean the largest that a parameter may have.
 */
static const struct {
    int line;
    const char *key;
} commons[] = {{9, "PMAP"}, {26, "SWAP"}, {27, "THRESHOLD"}, {28, "L1"}, {29, "U"}, {30, "EQUIL"}};

typedef struct plan {
    values axes[N_AXES], q;
    tl_hpl common;
} plan;

static tl_status read_plan(const dat *d, plan *out)
{
    values v;
    for (size_t i = 0; i < N_AXES; i++) {
        const hpl_parameter *p = hpl_find_parameter(axes[i].key);
        TL_TRY(read_list(d, axes[i].line, i == AXIS_N ? 0 : p->min, p->max, &out->axes[i]));
    }
    TL_TRY(read_values(d, 12, out->axes[AXIS_P].n, 1, hpl_find_parameter("Q")->max, &out->q));
    tl_hpl_default(&out->common);
    for (size_t i = 0; i < sizeof commons / sizeof *commons; i++) {
        const hpl_parameter *p = hpl_find_parameter(commons[i].key);
        TL_TRY(read_values(d, commons[i].line, 1, 0, INT_MAX, &v));
        hpl_set(&out->common, p, v.at[0] < p->max ? v.at[0] : p->max);
    }
    return TL_OK;
}

/* The i-th combination. */
static tl_hpl combination(const plan *all, size_t i)
{
    static const size_t fastest_first[N_AXES] = {5, 4, 3, 6, 7, 8, 1, AXIS_N, AXIS_P};
    tl_hpl o = all->common;
    for (size_t k = 0; k < N_AXES; k++) {
        const values *from = &all->axes[fastest_first[k]];
        const size_t at = i % (size_t)from->n;
        hpl_set(&o, hpl_find_parameter(axes[fastest_first[k]].key), from->at[at]);
        if (fastest_first[k] == AXIS_P)
            o.q = (int32_t)all->q.at[at];
        i /= (size_t)from->n;
    }
    return o;
}

static tl_status combine(const dat *d, const plan *all, tl_hpl **out, size_t *n)
{
    enum { MAX_COMBINATIONS = 1000000 };
    size_t count = 1;
    for (size_t i = 0; i < N_AXES; i++)
        if ((count *= (size_t)all->axes[i].n) > MAX_COMBINATIONS)
            return tl_fail(d->err, TL_ERR_INPUT,
                           "%s: more than a million combinations; shorten the lists", d->path);
    *out = malloc(count * sizeof **out);
    if (!*out)
        return tl_no_memory(d->err, d->path);
    *n = 0;
    for (size_t i = 0; i < count; i++) {
        (*out)[*n] = combination(all, i);
        *n += (*out)[*n].n > 0; /* HPL solves nothing there, and prints no row */
    }
    return TL_OK;
}

static tl_status read_dat(dat *d, plan *p, tl_hpl **out, size_t *n)
{
    TL_TRY(read_lines(d));
    TL_TRY(read_plan(d, p));
    return combine(d, p, out, n);
}

tl_status tl_hpl_read_dat(const char *path, tl_hpl **out, size_t *n, tl_error *err)
{
    dat *d = calloc(1, sizeof *d);
    plan *p = calloc(1, sizeof *p);
    if (d) {
        d->path = path;
        d->err = err;
    }
    const tl_status status = d && p ? read_dat(d, p, out, n) : tl_no_memory(err, path);
    free(d);
    free(p);
    return status;
}
