/* measured_inside.c - the functions in which outliers spend more of their time than good
 * repetitions: of the samples of the stack in them, the share that has the function. */
#include "config.h"

#include "measured.h"

#include "core/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

enum { OF_OUTLIERS, OF_GOOD, N_KINDS };

tl_status tlp_measured_take_line(void *all, const char *line, tl_error *err)
{
    static const char head[] = "# inside ";
    tlp_measured *m = all;
    char *functions;
    if (strncmp(line, head, sizeof head - 1) != 0 || !m->n_rows)
        return TL_OK;
    tlp_measured_row *row = &m->rows[m->n_rows - 1];
    tlp_measured_stack stack = {.weight =
                                    (uint32_t)strtoul(line + sizeof head - 1, &functions, 10)};
    if (!(stack.functions = strdup(functions + (*functions == ' '))) ||
        !tl_make_room(&m->stacks, m->n_stacks, &m->stacks_room, sizeof *m->stacks)) {
        free(stack.functions);
        return tl_no_memory(err, "samples of the stack");
    }
    row->first_stack = row->n_stacks++ ? row->first_stack : m->n_stacks;
    m->stacks[m->n_stacks++] = stack;
    return TL_OK;
}

/* What is counted of a function. */
typedef struct counted {
    const char *name;
    double of[N_KINDS];
    size_t last; /* the sample in which it was counted last; + 1 */
} counted;

typedef struct table {
    counted *functions;
    size_t n, room;
    double samples[N_KINDS];
    size_t n_sampled[N_KINDS]; /* rows with samples */
} table;

static bool count_function(table *t, const char *name, size_t sample, int kind, double weight)
{
    size_t i = 0;
    while (i < t->n && strcmp(t->functions[i].name, name) != 0)
        i++;
    if (i == t->n) {
        if (!tl_make_room(&t->functions, t->n, &t->room, sizeof *t->functions))
            return 0;
        t->functions[t->n++] = (counted){.name = name};
    }
    counted *f = &t->functions[i];
    f->of[kind] += f->last == sample + 1 ? 0 : weight;
    f->last = sample + 1;
    return 1;
}

/* Counts each function once. The text is cut at its bars, and the names stay in it. */
static bool count_stack(const tlp_measured *m, size_t i, int kind, table *t)
{
    char *rest = m->stacks[i].functions;
    t->samples[kind] += m->stacks[i].weight;
    for (char *name; (name = strsep(&rest, "|"));)
        if (*name && !count_function(t, name, i, kind, m->stacks[i].weight))
            return 0;
    return 1;
}

static bool is_sampled(const tlp_measured *m, size_t repetition)
{
    const tlp_measured_row *rows = &m->rows[repetition * m->n_together];
    size_t n = 0;
    for (unsigned r = 0; r < m->n_together; r++)
        n += rows[r].n_stacks;
    return n && tlp_measured_category(m, repetition) >= TLP_OUTLIER;
}

static bool count_repetition(const tlp_measured *m, size_t repetition, int kind, table *t)
{
    const tlp_measured_row *rows = &m->rows[repetition * m->n_together];
    for (unsigned r = 0; r < m->n_together; r++) {
        t->n_sampled[kind] += rows[r].n_stacks > 0;
        for (size_t i = 0; i < rows[r].n_stacks; i++)
            if (!count_stack(m, rows[r].first_stack + i, kind, t))
                return 0;
    }
    return 1;
}

/* A sample makes a repetition longer, so those with samples are compared with each other: outliers
 * take twice the time of the faster ones, as the slow ones have more samples. */
static bool count_case(const tlp_measured *m, const tlp_measured_case *c, double *room, table *t)
{
    size_t n = 0;
    bool good = 1;
    for (size_t i = c->first; i < c->first + c->n; i++)
        if (is_sampled(m, i))
            room[n++] = m->seconds[i];
    gsl_sort(room, 1, n);
    const double most_s = n ? 2 * fmax(c->median_s, room[n / 10]) : 0;
    for (size_t i = c->first; i < c->first + c->n && good; i++)
        if (is_sampled(m, i))
            good = count_repetition(m, i, m->seconds[i] >= most_s ? OF_OUTLIERS : OF_GOOD, t);
    return good;
}

static bool count_all(const tlp_measured *m, table *t)
{
    double *room = malloc((m->n_rows + 1) * sizeof *room);
    bool good = room != NULL;
    for (size_t k = 0; k < m->n_cases && good; k++)
        good = count_case(m, &m->cases[k], room, t);
    free(room);
    return good;
}

/* The difference is clear of chance. The samples of a row are alike, so rows are counted. */
static bool is_clear(const table *t, const tlp_function *f)
{
    const double all = (f->outliers + f->good) / 2, more = f->outliers - f->good;
    const double error =
        sqrt(all * (1 - all) *
             (1 / (double)t->n_sampled[OF_OUTLIERS] + 1 / (double)t->n_sampled[OF_GOOD]));
    return more >= TLP_FUNCTION_SHARE && more >= TLP_FUNCTION_ERRORS * error;
}

static int by_difference(const void *a, const void *b)
{
    const tlp_function *x = a, *y = b;
    const double p = x->outliers - x->good, q = y->outliers - y->good;
    return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

tl_status tlp_find_functions(tlp_measured *m, tlp_functions *out, tl_error *err)
{
    table t = {0};
    *out = (tlp_functions){0};
    bool good = !m->n_stacks || count_all(m, &t);
    good = good && (out->functions = calloc(t.n + 1, sizeof *out->functions));
    out->n_outliers = t.n_sampled[OF_OUTLIERS];
    out->n_good = t.n_sampled[OF_GOOD];
    for (size_t i = 0; i < t.n && good && out->n_outliers >= TLP_LEAST_OUTLIERS && out->n_good;
         i++) {
        const counted *c = &t.functions[i];
        tlp_function *f = &out->functions[out->n];
        *f = (tlp_function){c->name, c->of[OF_OUTLIERS] / t.samples[OF_OUTLIERS],
                            c->of[OF_GOOD] / t.samples[OF_GOOD]};
        out->n += is_clear(&t, f);
    }
    if (good)
        qsort(out->functions, out->n, sizeof *out->functions, by_difference);
    free(t.functions);
    return good ? TL_OK : tl_no_memory(err, "the functions");
}
