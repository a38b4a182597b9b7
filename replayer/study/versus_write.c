/* versus_write.c - the comparison of predictions as JSON and as tables. */
#include "config.h"

#include "versus.h"

#include "results/call_path.h"
#include "results/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static const char ROUNDING[] = "rounding";

/* ---- rounding ---- */

static tlr_versus_scale scale_of(const tlr_versus *v)
{
    static const struct {
        const char *unit;
        double s;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    static const double LEAST_DIFFERENCE = 1e-3; /* relative */
    double shortest_s = INFINITY, finest_s = INFINITY;
    for (size_t i = 0; i < v->n; i++)
        if (v->sides[i].makespan_s > 0)
            shortest_s = fmin(shortest_s, v->sides[i].makespan_s);
    for (size_t i = 1; i < v->n; i++)
        if (v->sides[i].makespan_s != v->sides[0].makespan_s)
            finest_s = fmin(finest_s, fabs(v->sides[i].makespan_s - v->sides[0].makespan_s));
    finest_s = fmin(shortest_s, fmax(finest_s, LEAST_DIFFERENCE * shortest_s));
    size_t u = 0;
    while (u + 1 < sizeof units / sizeof *units && shortest_s < units[u].s)
        u++;
    const double digits = isfinite(finest_s) ? floor(log10(finest_s / units[u].s)) : 0;
    const int decimals = digits < 3 ? (int)(3 - digits) : 0;
    return (tlr_versus_scale){.quantum_s = units[u].s * pow(10, -decimals),
                              .unit = units[u].unit,
                              .unit_s = units[u].s,
                              .decimals = decimals};
}

/* The rows of a table as multiples of the quantum, [row * n + side], and one more row: what
 * rounding takes from their sum. NULL without memory. */
static long long *multiples_shown(const tlr_versus *v, const tlr_versus_table *t)
{
    const double quantum_s = scale_of(v).quantum_s;
    long long *shown = calloc((t->n_rows + 1) * v->n + 1, sizeof *shown);
    for (size_t i = 0; i < v->n && shown; i++) {
        long long *rounding = &shown[t->n_rows * v->n + i];
        *rounding = llround(v->sides[i].makespan_s / quantum_s);
        for (size_t r = 0; r < t->n_rows; r++) {
            shown[r * v->n + i] = llround(t->rows[r].s[i] / quantum_s);
            *rounding -= shown[r * v->n + i];
        }
    }
    return shown;
}

/* ---- JSON ---- */

static const char *const VIEWS[TLR_VERSUS_N_VIEWS][2] = {
    [TLR_VERSUS_PATH_PARTS] = {"critical_path", "parts"},
    [TLR_VERSUS_PATH_REGIONS] = {"critical_path", "regions"},
    [TLR_VERSUS_PATH_SITES] = {"critical_path", "sites"},
    [TLR_VERSUS_PATH_RANKS] = {"critical_path", "ranks"},
    [TLR_VERSUS_MEAN_PARTS] = {"mean_rank", "parts"},
    [TLR_VERSUS_MEAN_REGIONS] = {"mean_rank", "regions"},
    [TLR_VERSUS_MEAN_CALLS] = {"mean_rank", "calls"},
    [TLR_VERSUS_MEAN_SITES] = {"mean_rank", "sites"}};

static json_t *integers_json(const long long *values, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_integer(values[i]));
    return array;
}

/* `shown` may be NULL. */
static json_t *table_json(const tlr_versus *v, const tlr_versus_table *t, const long long *shown)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < t->n_rows; r++) {
        json_t *seconds = json_array(), *differences = json_array();
        for (size_t i = 0; i < v->n; i++) {
            json_array_append_new(seconds, json_real(t->rows[r].s[i]));
            json_array_append_new(differences, json_real(t->rows[r].s[i] - t->rows[r].s[0]));
        }
        json_t *row = json_pack("{s:o, s:o, s:o}", "name", tlr_json_text(t->rows[r].name),
                                "seconds", seconds, "difference_s", differences);
        if (shown)
            json_object_set_new(row, "shown", integers_json(&shown[r * v->n], v->n));
        json_array_append_new(rows, row);
    }
    if (shown)
        json_array_append_new(rows, json_pack("{s:s, s:o}", "name", ROUNDING, "shown",
                                              integers_json(&shown[t->n_rows * v->n], v->n)));
    return rows;
}

/* What identifies a prediction, without what it has by rank, mark, call, ... */
static json_t *side_json(const tlr_versus *v, size_t i)
{
    const char letter[] = {(char)('A' + i), '\0'};
    json_t *side = json_object(), *value;
    const char *key;
    json_object_foreach(v->sides[i].prediction, key, value)
    {
        if (!json_is_array(value) && strcmp(key, "details") != 0 && strcmp(key, "spread") != 0)
            json_object_set(side, key, value);
    }
    json_object_set_new(side, "letter", json_string(letter));
    json_object_set_new(side, "name", tlr_json_text(v->sides[i].name));
    return side;
}

static json_t *rank_json(const tlr_versus *v, uint32_t rank)
{
    json_t *busy = json_array(), *end = json_array();
    for (size_t i = 0; i < v->n; i++) {
        const json_t *ranks = json_object_get(v->sides[i].prediction, "ranks");
        json_array_append_new(busy, json_real(tlr_versus_busy_s(v, i, rank)));
        json_array_append(end, json_object_get(json_array_get(ranks, rank), "end_s"));
    }
    return json_pack("{s:o, s:o}", "busy_s", busy, "end_s", end);
}

static json_t *scale_json(const tlr_versus *v)
{
    const tlr_versus_scale scale = scale_of(v);
    return json_pack("{s:s, s:f, s:i}", "unit", scale.unit, "quantum_s", scale.quantum_s,
                     "decimals", scale.decimals);
}

json_t *tlr_versus_json(const tlr_versus *v, bool is_page)
{
    json_t *sides = json_array(), *ranks = json_array();
    for (size_t i = 0; i < v->n; i++)
        json_array_append_new(sides, side_json(v, i));
    for (uint32_t r = 0; r < v->n_ranks; r++)
        json_array_append_new(ranks, rank_json(v, r));
    json_t *root =
        json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "format", "timeless-versus-1", "timeless",
                  tl_version(), "has_details", v->has_details, "predictions", sides, "ranks", ranks,
                  "critical_path", json_object(), "mean_rank", json_object());
    for (unsigned view = 0; view < TLR_VERSUS_N_VIEWS; view++) {
        const tlr_versus_table *t = &v->tables[view];
        long long *shown = is_page ? multiples_shown(v, t) : NULL;
        if (t->n_rows)
            json_object_set_new(json_object_get(root, VIEWS[view][0]), VIEWS[view][1],
                                table_json(v, t, shown));
        free(shown);
    }
    if (is_page)
        json_object_set_new(root, "scale", scale_json(v));
    return root;
}

/* ---- tables ---- */

enum { LEAST_NAME = 44, MOST_NAME = 74, N_ROWS = 8 };

/* The width of the first column: that of the longest name that is printed, within limits. */
static int width_of(const tlr_versus *v)
{
    size_t width = LEAST_NAME;
    for (int view = 0; view < TLR_VERSUS_N_VIEWS; view++)
        for (size_t r = 0; r < v->tables[view].n_rows && r < N_ROWS; r++) {
            const size_t length = strlen(v->tables[view].rows[r].name) + 2;
            width = length > MOST_NAME ? MOST_NAME : length > width ? length : width;
        }
    return (int)width;
}

static void print_value(const tlr_versus_scale *scale, long long shown, bool is_difference,
                        FILE *out)
{
    fprintf(out, is_difference ? " %+12.*f" : " %12.*f", scale->decimals,
            (double)shown * pow(10, -scale->decimals));
}

static void print_row(const tlr_versus *v, const char *name, const long long *shown, FILE *out)
{
    const tlr_versus_scale scale = scale_of(v);
    fprintf(out, "%-*s", width_of(v), tl_printable(name));
    for (size_t i = 0; i < v->n; i++)
        print_value(&scale, shown[i], 0, out);
    for (size_t i = 1; i < v->n; i++)
        print_value(&scale, shown[i] - shown[0], 1, out);
    fputc('\n', out);
}

static void print_heading(const tlr_versus *v, FILE *out)
{
    char title[64];
    snprintf(title, sizeof title, "all times in %s", scale_of(v).unit);
    fprintf(out, "\n%-*s", width_of(v), title);
    for (size_t i = 0; i < v->n; i++)
        fprintf(out, " %12c", (char)('A' + i));
    for (size_t i = 1; i < v->n; i++)
        fprintf(out, " %8s%c - A", "", (char)('A' + i));
    fputc('\n', out);
}

static bool is_zero(const long long *shown, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (shown[i])
            return 0;
    return 1;
}

static void print_table(const tlr_versus *v, tlr_versus_view view, const char *title, FILE *out)
{
    const tlr_versus_table *t = &v->tables[view];
    const bool is_long = t->n_rows > N_ROWS && view != TLR_VERSUS_MEAN_PARTS;
    const size_t n_rows = is_long ? N_ROWS : t->n_rows;
    long long *shown = multiples_shown(v, t), others[TLR_VERSUS_MOST] = {0};
    char name[MOST_NAME + 1] = "  ";
    if (!t->n_rows || !shown) {
        free(shown);
        return;
    }
    const char **names = malloc(n_rows * sizeof *names);
    for (size_t r = 0; r < n_rows && names; r++)
        names[r] = t->rows[r].name;
    fprintf(out, "%s\n", title);
    for (size_t r = 0; r < n_rows; r++) {
        tlr_shorten_apart(t->rows[r].name, names, names ? n_rows : 0, MOST_NAME - 2, name + 2);
        if (!is_zero(&shown[r * v->n], v->n))
            print_row(v, name, &shown[r * v->n], out);
    }
    for (size_t r = n_rows; r <= t->n_rows; r++) /* and the rounding */
        for (size_t i = 0; i < v->n; i++)
            others[i] += shown[r * v->n + i];
    if (is_long)
        snprintf(name, sizeof name, "  %zu others", t->n_rows - n_rows);
    else
        snprintf(name, sizeof name, "  %s", ROUNDING);
    if (is_long || !is_zero(others, v->n))
        print_row(v, name, others, out);
    free(names);
    free(shown);
}

/* Of the job, from predictions for platforms that state watts. */
static void print_energy(const json_t *prediction, FILE *out)
{
    const json_t *energy = json_object_get(prediction, "energy");
    const json_t *cost = json_object_get(prediction, "cost");
    const char *at_least = json_is_true(json_object_get(energy, "at_least")) ? "at least " : "";
    if (energy)
        fprintf(out, ", %s%.4g J", at_least, json_number_value(json_object_get(energy, "job_j")));
    if (cost)
        fprintf(out, ", cost %s%.4g", at_least, json_number_value(json_object_get(cost, "total")));
}

static void print_sides(const tlr_versus *v, FILE *out)
{
    const json_t *first = v->sides[0].prediction;
    bool are_equal = 1;
    for (size_t i = 1; i < v->n; i++)
        are_equal &= json_equal(json_object_get(first, "trace_hash"),
                                json_object_get(v->sides[i].prediction, "trace_hash"));
    for (size_t i = 0; i < (are_equal ? 1 : v->n); i++) {
        const json_t *p = v->sides[i].prediction;
        fprintf(out, "%-18s%s", "trace",
                tl_printable(json_string_value(json_object_get(p, "trace"))));
        fprintf(out, ", xxh64 %s, %" PRIu32 " ranks\n",
                tl_printable(json_string_value(json_object_get(p, "trace_hash"))), v->n_ranks);
    }
    for (size_t i = 0; i < v->n; i++) {
        const double first_s = v->sides[0].makespan_s, own_s = v->sides[i].makespan_s;
        const bool has_ratio = i && first_s > 0 && own_s > 0;
        fprintf(out, "%c                 %s, %.4g s", (char)('A' + i),
                tl_printable(v->sides[i].name), own_s);
        if (has_ratio && first_s >= own_s)
            fprintf(out, ", %.4g times as fast as A", first_s / own_s);
        else if (has_ratio)
            fprintf(out, ", takes %.4g times as long as A", own_s / first_s);
        print_energy(v->sides[i].prediction, out);
        fputc('\n', out);
    }
}

/* ---- ranks ---- */

typedef struct busy_rank {
    double busy_s;
    uint32_t rank;
} busy_rank;

static int compare_busy(const void *a, const void *b)
{
    const busy_rank *x = a, *y = b;
    if (x->busy_s != y->busy_s)
        return x->busy_s > y->busy_s ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The slowest, the typical and the fastest rank of a prediction. */
enum { N_PICKS = 3 };
static const char *const PICKS[N_PICKS] = {"slowest", "typical", "fastest"};

static int pick_ranks(const tlr_versus *v, size_t side, uint32_t picked[N_PICKS])
{
    busy_rank *ranks = calloc(v->n_ranks, sizeof *ranks);
    if (!ranks)
        return 0;
    for (uint32_t r = 0; r < v->n_ranks; r++)
        ranks[r] = (busy_rank){tlr_versus_busy_s(v, side, r), r};
    qsort(ranks, v->n_ranks, sizeof *ranks, compare_busy);
    picked[0] = ranks[0].rank;
    picked[1] = ranks[v->n_ranks / 2].rank;
    picked[2] = ranks[v->n_ranks - 1].rank;
    free(ranks);
    return 1;
}

/* A line for the rank, unless an earlier pick was the same. */
static void print_pick(const tlr_versus *v, const uint32_t *picked, size_t pick, FILE *out)
{
    const double quantum_s = scale_of(v).quantum_s;
    long long shown[TLR_VERSUS_MOST];
    char name[512];
    int length = snprintf(name, sizeof name, "  rank %" PRIu32 ":", picked[pick]);
    for (size_t i = 0; i < pick; i++)
        if (picked[i] == picked[pick])
            return;
    for (size_t i = pick; i < v->n * N_PICKS && length < LEAST_NAME; i++)
        if (picked[i] == picked[pick])
            length += snprintf(name + length, sizeof name - (size_t)length, "%s %s in %c",
                               i == pick ? "" : ",", PICKS[i % N_PICKS], (char)('A' + i / N_PICKS));
    for (size_t i = 0; i < v->n; i++)
        shown[i] = llround(tlr_versus_busy_s(v, i, picked[pick]) / quantum_s);
    print_row(v, name, shown, out);
}

static void print_ranks(const tlr_versus *v, FILE *out)
{
    uint32_t picked[TLR_VERSUS_MOST * N_PICKS];
    for (size_t i = 0; i < v->n; i++)
        if (!pick_ranks(v, i, &picked[i * N_PICKS]))
            return;
    fprintf(out, "%s\n",
            v->has_details ? "ranks, without their waiting for other ranks" : "ranks, computing");
    for (size_t pick = 0; pick < v->n * N_PICKS; pick++)
        print_pick(v, picked, pick, out);
}

void tlr_versus_print(const tlr_versus *v, FILE *out)
{
    static const char *const titles[TLR_VERSUS_N_VIEWS] = {
        [TLR_VERSUS_PATH_PARTS] = "critical path, by kind; adds up to the makespan",
        [TLR_VERSUS_PATH_REGIONS] = "critical path, by region",
        [TLR_VERSUS_PATH_SITES] = "critical path, by call site",
        [TLR_VERSUS_PATH_RANKS] = "critical path, by rank",
        [TLR_VERSUS_MEAN_PARTS] = "mean of the ranks, by kind; adds up to the makespan",
        [TLR_VERSUS_MEAN_REGIONS] = "mean of the ranks, by region",
        [TLR_VERSUS_MEAN_CALLS] = "mean of the ranks, by call",
        [TLR_VERSUS_MEAN_SITES] = "mean of the ranks, by call site"};
    const double quantum_s = scale_of(v).quantum_s;
    long long makespans[TLR_VERSUS_MOST];
    for (size_t i = 0; i < v->n; i++)
        makespans[i] = llround(v->sides[i].makespan_s / quantum_s);
    print_sides(v, out);
    print_heading(v, out);
    print_row(v, "makespan", makespans, out);
    for (unsigned view = 0; view < TLR_VERSUS_N_VIEWS; view++)
        print_table(v, (tlr_versus_view)view, titles[view], out);
    print_ranks(v, out);
    if (!v->has_details)
        fputs("Not all predictions have details (timeless replay --details): the critical path, "
              "the waiting times and the call sites are unknown.\n",
              out);
}
