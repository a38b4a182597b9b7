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
    tlp_measured_stack stack = {.row = m->rows[m->n_rows - 1].number,
                                .weight =
                                    (uint32_t)strtoul(line + sizeof head - 1, &functions, 10)};
    if (!(stack.functions = strdup(functions + (*functions == ' '))) ||
        !tl_make_room(&m->stacks, m->n_stacks, &m->stacks_room, sizeof *m->stacks)) {
        free(stack.functions);
        return tl_no_memory(err, "samples of the stack");
    }
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
static bool count_stack(table *t, tlp_measured_stack *stack, size_t number, int kind)
{
    char *rest = stack->functions;
    t->samples[kind] += stack->weight;
    for (char *name; (name = strsep(&rest, "|"));)
        if (*name && !count_function(t, name, number, kind, stack->weight))
            return 0;
    return 1;
}

/* The repetition of each row of the file; the rows have been sorted. SIZE_MAX: it was left out. */
static void find_repetitions(const tlp_measured *m, size_t *of)
{
    for (size_t i = 0; i < m->n_read; i++)
        of[i] = SIZE_MAX;
    for (size_t i = 0; i < m->n_rows; i++)
        if (tlp_measured_category(m, i / m->n_together) >= TLP_OUTLIER)
            of[m->rows[i].number] = i / m->n_together;
}

/* A sample makes a repetition longer, so those with samples are compared with each other: outliers
 * take twice the time of the faster ones, as the slow ones have more samples. */
static void find_kinds(const tlp_measured *m, const tlp_measured_case *c, double *room, int *kinds)
{
    size_t n = 0;
    for (size_t i = c->first; i < c->first + c->n; i++)
        if (kinds[i] >= 0)
            room[n++] = m->seconds[i];
    gsl_sort(room, 1, n);
    const double most_s = n ? 2 * fmax(c->median_s, room[n / 10]) : 0;
    for (size_t i = c->first; i < c->first + c->n; i++)
        if (kinds[i] >= 0)
            kinds[i] = m->seconds[i] >= most_s ? OF_OUTLIERS : OF_GOOD;
}

static bool count_all(const tlp_measured *m, table *t)
{
    const size_t n = tlp_measured_repetitions(m);
    size_t *of = malloc((m->n_read + 1) * sizeof *of);
    double *room = malloc((n + 1) * sizeof *room);
    int *kinds = malloc((n + 1) * sizeof *kinds);
    bool good = of && room && kinds;
    if (good) {
        find_repetitions(m, of);
        memset(kinds, -1, n * sizeof *kinds);
        for (size_t i = 0; i < m->n_stacks; i++)
            if (of[m->stacks[i].row] < n)
                kinds[of[m->stacks[i].row]] = 0;
        for (size_t k = 0; k < m->n_cases; k++)
            find_kinds(m, &m->cases[k], room, kinds);
    }
    for (size_t i = 0; i < m->n_stacks && good; i++) {
        tlp_measured_stack *stack = &m->stacks[i];
        if (of[stack->row] == SIZE_MAX)
            continue;
        const int kind = kinds[of[stack->row]];
        t->n_sampled[kind] += !i || stack->row != stack[-1].row;
        good = count_stack(t, stack, i, kind);
    }
    free(of);
    free(room);
    free(kinds);
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
