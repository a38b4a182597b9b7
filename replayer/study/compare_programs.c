/* compare_programs.c - predictions of two versions of a program: their traces have no marks in
 * common, so the rows are sums by kind, region, call and call site (versus.h). */
#include "config.h"

#include "compare_programs.h"
#include "versus.h"

#include "results/call_path.h"
#include "results/prediction_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tl_status keep_only(char **list, const char *name, tl_error *err)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "\n" : "", name) < 0)
        return tl_no_memory(err, "comparing predictions");
    free(*list);
    *list = longer;
    return TL_OK;
}

/* ---- call sites whose lines have moved ---- */

/* What one prediction has of a row. */
typedef struct place {
    char *key; /* its name without lines */
    const char *name;
    int side;
    double s;
} place;

/* The digits of a line at `text`, which begins with a colon: "f (app.c:8) < main:20". */
static size_t digits_at(const char *text)
{
    const size_t n = *text == ':' ? strspn(text + 1, "0123456789") : 0;
    return n && strchr(") ", text[1 + n]) ? n : 0; /* strchr finds the end of the text, too */
}

static void remove_lines(char *name)
{
    char *to = name;
    for (const char *from = name; *from;) {
        const size_t digits = digits_at(from);
        if (digits)
            from += 1 + digits;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

/* The lines of a name, and their number. */
static size_t read_lines(const char *name, long lines[TLR_MAX_LEVELS])
{
    size_t n = 0;
    for (; *name && n < TLR_MAX_LEVELS; name++)
        if (digits_at(name))
            lines[n++] = strtol(name + 1, NULL, 10);
    return n;
}

/* The order in the program: the outermost caller decides first. */
static int compare_lines(const char *a, const char *b)
{
    long x[TLR_MAX_LEVELS], y[TLR_MAX_LEVELS];
    size_t n = read_lines(a, x), m = read_lines(b, y);
    while (n && m)
        if (x[--n] != y[--m])
            return x[n] < y[m] ? -1 : 1;
    return strcmp(a, b);
}

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const int keys = strcmp(x->key, y->key);
    return keys ? keys : x->side != y->side ? x->side - y->side : compare_lines(x->name, y->name);
}

/* Both predictions have as many places of one key: the first one of A is the first one of B, whose
 * name with its lines remains. Otherwise their sums are one row. */
static void take_group(const place *places, size_t n, size_t n_first, tlr_versus_table *out)
{
    const bool is_pairs = 2 * n_first == n;
    const size_t n_rows = is_pairs ? n_first : 1;
    for (size_t i = 0; i < n_rows; i++) {
        const char *name = is_pairs ? places[n_first + i].name : places[0].key;
        out->rows[out->n_rows + i] = (tlr_versus_row){strdup(name), calloc(2, sizeof(double)), 0};
    }
    for (size_t i = 0; i < n; i++) {
        const size_t k = places[i].side ? i - n_first : i;
        const tlr_versus_row *row = &out->rows[out->n_rows + (is_pairs ? k : 0)];
        if (row->s)
            row->s[places[i].side] += places[i].s;
    }
    out->n_rows += n_rows;
}

static void free_places(place *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(places[i].key);
    free(places);
}

static int compare_differences(const void *a, const void *b)
{
    const tlr_versus_row *x = a, *y = b;
    return x->difference_s != y->difference_s ? (x->difference_s < y->difference_s ? 1 : -1)
                                              : strcmp(x->name, y->name);
}

/* The rows of the table, of which those are one that are the same place in both versions. */
static tl_status match_rows(const tlr_versus_table *t, tlr_versus_table *out, tl_error *err)
{
    size_t n = 0;
    int failed = 0;
    place *places = calloc(2 * t->n_rows + 1, sizeof *places);
    out->rows = calloc(2 * t->n_rows + 1, sizeof *out->rows);
    failed = !places || !out->rows;
    for (size_t i = 0; i < 2 * t->n_rows && !failed; i++) {
        const tlr_versus_row *row = &t->rows[i / 2];
        if (!(row->s[i % 2] > 0))
            continue;
        places[n] = (place){strdup(row->name), row->name, (int)(i % 2), row->s[i % 2]};
        failed = !places[n].key;
        if (!failed)
            remove_lines(places[n++].key);
    }
    if (!failed)
        qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 0, size; i < n && !failed; i += size) {
        size_t n_first = 0;
        for (size = 0; i + size < n && !strcmp(places[i].key, places[i + size].key); size++)
            n_first += !places[i + size].side;
        take_group(&places[i], size, n_first, out);
    }
    for (size_t i = 0; i < out->n_rows; i++)
        failed |= !out->rows[i].name || !out->rows[i].s;
    for (size_t i = 0; i < out->n_rows && !failed; i++)
        out->rows[i].difference_s = fabs(out->rows[i].s[1] - out->rows[i].s[0]);
    if (!failed)
        qsort(out->rows, out->n_rows, sizeof *out->rows, compare_differences);
    free_places(places, n);
    return failed ? tl_no_memory(err, "comparing predictions") : TL_OK;
}

static void free_rows(tlr_versus_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        free(t->rows[i].name);
        free(t->rows[i].s);
    }
    free(t->rows);
}

/* ---- rows ---- */

/* Rows that a table has only to be complete, and computation, which the kinds of time contain. */
static bool is_remainder(const tlr_versus_row *row)
{
    static const char *const names[] = {"compute", "other", "after the end of a rank",
                                        "computation, and calls without a site"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(row->name, names[i]))
            return 1;
    return 0;
}

/* The rows that both have become rows of the comparison. */
static tl_status add_rows(const tlr_versus_table *t, const char *prefix, tlr_comparison *c,
                          tlr_runs *measured, tlr_runs *expected, tl_error *err)
{
    tl_status status = TL_OK;
    const bool is_parts = !strcmp(prefix, "by kind: ");
    for (size_t i = 0; i < t->n_rows && status == TL_OK; i++) {
        const tlr_versus_row *row = &t->rows[i];
        if (!is_parts && is_remainder(row))
            continue;
        char *name = NULL;
        if (asprintf(&name, "%s%s", prefix, row->name) < 0)
            return tl_no_memory(err, "comparing predictions");
        if (row->s[0] > 0 && row->s[1] > 0) {
            status = tlr_runs_add(expected, name, row->s[0], err);
            if (status == TL_OK)
                status = tlr_runs_add(measured, name, row->s[1], err);
        } else if (row->s[0] > 0 || row->s[1] > 0) {
            status = keep_only(row->s[0] > 0 ? &c->only_a : &c->only_b, name, err);
        }
        free(name);
    }
    return status;
}

static tl_status add_table(const tlr_versus_table *t, const char *prefix, tlr_comparison *c,
                           tlr_runs *measured, tlr_runs *expected, tl_error *err)
{
    tlr_versus_table matched = {0};
    tl_status status = match_rows(t, &matched, err);
    if (status == TL_OK)
        status = add_rows(&matched, prefix, c, measured, expected, err);
    free_rows(&matched);
    return status;
}

tl_status tlr_compare_programs(const char *path, const char *versus_path, tlr_comparison *c,
                               tlr_runs *measured, tlr_runs *expected, tl_error *err)
{
    static const struct {
        tlr_versus_view view;
        const char *prefix;
    } views[] = {{TLR_VERSUS_MEAN_PARTS, "by kind: "},
                 {TLR_VERSUS_MEAN_REGIONS, "region "},
                 {TLR_VERSUS_MEAN_CALLS, "call "},
                 {TLR_VERSUS_MEAN_SITES, "site "}};
    const char *sources[] = {path, versus_path};
    json_t *sides[2] = {NULL};
    tlr_versus *versus = NULL;
    tl_status status = tlr_prediction_load_json(path, &sides[0], err);
    if (status == TL_OK)
        status = tlr_prediction_load_json(versus_path, &sides[1], err);
    if (status != TL_OK) {
        json_decref(sides[0]);
        return status;
    }
    status = tlr_versus_make(sides, sources, 2, &versus, err);
    for (size_t i = 0; i < sizeof views / sizeof *views && status == TL_OK; i++)
        status =
            add_table(&versus->tables[views[i].view], views[i].prefix, c, measured, expected, err);
    if (status == TL_OK)
        status = tlr_runs_add(expected, "makespan", versus->sides[0].makespan_s, err);
    if (status == TL_OK)
        status = tlr_runs_add(measured, "makespan", versus->sides[1].makespan_s, err);
    if (status == TL_OK) {
        c->are_programs = 1;
        c->has_sites = versus->has_details;
    }
    tlr_versus_free(versus);
    return status;
}
