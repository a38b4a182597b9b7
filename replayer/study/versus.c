/* versus.c - the tables that explain by what the makespans of several predictions differ. */
#include "config.h"

#include "versus.h"

#include "core/room.h"
#include "results/json_text.h"
#include "text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- rows ---- */

/* A table while its rows are gathered. */
typedef struct gathering {
    const tlr_versus *versus;
    tlr_versus_table *table;
    json_t *index; /* of rows, by name */
    size_t room;
    int failed; /* no memory */
} gathering;

static tlr_versus_row *row_of(gathering *g, const char *name)
{
    tlr_versus_table *t = g->table;
    const json_t *known = json_object_get(g->index, name);
    if (known)
        return &t->rows[json_integer_value(known)];
    if (!tl_make_room(&t->rows, t->n_rows, &g->room, sizeof *t->rows))
        return NULL;
    tlr_versus_row *row = &t->rows[t->n_rows];
    *row = (tlr_versus_row){.name = strdup(name), .s = calloc(g->versus->n, sizeof *row->s)};
    if (!row->name || !row->s ||
        json_object_set_new_nocheck(g->index, name, json_integer((json_int_t)t->n_rows)) != 0) {
        free(row->name);
        free(row->s);
        return NULL;
    }
    t->n_rows++;
    return row;
}

static void add(gathering *g, const char *name, size_t side, double seconds)
{
    tlr_versus_row *row = g->failed ? NULL : row_of(g, name);
    if (row)
        row->s[side] += seconds;
    else
        g->failed = 1;
}

static double sum_of(const tlr_versus_table *t, size_t side)
{
    double sum = 0;
    for (size_t i = 0; i < t->n_rows; i++)
        sum += t->rows[i].s[side];
    return sum;
}

/* Adds what the rows lack to reach the makespan, as a row. */
static void complete(gathering *g, const char *name)
{
    static const double ROUNDING = 1e-12;
    for (size_t i = 0; i < g->versus->n; i++) {
        const double makespan_s = g->versus->sides[i].makespan_s;
        const double missing_s = makespan_s - sum_of(g->table, i);
        if (fabs(missing_s) > ROUNDING * makespan_s)
            add(g, name, i, missing_s);
    }
}

static int compare_rows(const void *a, const void *b)
{
    const tlr_versus_row *x = a, *y = b;
    if (x->difference_s != y->difference_s)
        return x->difference_s > y->difference_s ? -1 : 1;
    if (x->s[0] != y->s[0])
        return x->s[0] > y->s[0] ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void sort_rows(const tlr_versus *v, tlr_versus_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++)
        for (size_t k = 1; k < v->n; k++)
            t->rows[i].difference_s =
                fmax(t->rows[i].difference_s, fabs(t->rows[i].s[k] - t->rows[i].s[0]));
    if (t->n_rows)
        qsort(t->rows, t->n_rows, sizeof *t->rows, compare_rows);
}

/* ---- the critical path ---- */

static void gather_path_parts(gathering *g, size_t side, const json_t *details)
{
    static const char *const parts[][2] = {
        {"compute_s", "compute"},        {"kernel_s", "kernels"}, {"message_s", "messages"},
        {"collective_s", "collectives"}, {"io_s", "files"},       {"other_s", "other calls"}};
    const json_t *path = json_object_get(json_object_get(details, "critical_path"), "parts");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add(g, parts[i][1], side, number(path, parts[i][0]));
}

/* The sums of an array of objects with the members "name" and "time_s", each divided by `by`. */
static void gather_sums(gathering *g, size_t side, const json_t *sums, double by)
{
    for (size_t i = 0; i < json_array_size(sums); i++) {
        const json_t *row = json_array_get(sums, i);
        add(g, text_of(row, "name"), side, number(row, "time_s") / by);
    }
}

static void gather_path_ranks(gathering *g, size_t side, const json_t *details)
{
    const json_t *ranks = json_object_get(json_object_get(details, "critical_path"), "ranks_s");
    for (size_t r = 0; r < json_array_size(ranks); r++) {
        const double seconds = json_number_value(json_array_get(ranks, r));
        char name[32];
        snprintf(name, sizeof name, "rank %zu", r);
        if (seconds != 0)
            add(g, name, side, seconds);
    }
}

/* ---- the mean of the ranks ---- */

static double mean_of(const json_t *ranks, const char *key)
{
    double sum = 0;
    for (size_t r = 0; r < json_array_size(ranks); r++)
        sum += number(json_array_get(ranks, r), key);
    return sum / (double)json_array_size(ranks);
}

/* Waiting for nonblocking collectives is a part of the time in these calls. */
static double waits_for_collectives(const json_t *details, double n_ranks)
{
    const json_t *calls = json_object_get(details, "calls");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *call = json_array_get(calls, i);
        const char *name = text_of(call, "name");
        if (!strncmp(name, "MPI_Wait", 8) || !strncmp(name, "MPI_Test", 8))
            sum += number(call, "collective_wait_s");
    }
    return sum / n_ranks;
}

static void gather_mean_parts(gathering *g, size_t side, const json_t *details)
{
    const json_t *ranks = json_object_get(g->versus->sides[side].prediction, "ranks");
    const double compute_s = mean_of(ranks, "compute_s"), kernel_s = mean_of(ranks, "kernel_s");
    const double p2p_s = mean_of(ranks, "p2p_s"), wait_s = mean_of(ranks, "wait_s");
    const double collective_s = mean_of(ranks, "collective_s"), io_s = mean_of(ranks, "io_s");
    const double end_s = mean_of(ranks, "end_s");
    add(g, "compute", side, compute_s - kernel_s);
    add(g, "kernels", side, kernel_s);
    if (g->versus->has_details) {
        const json_t *waits = json_object_get(details, "ranks");
        const double sender_s = mean_of(waits, "late_sender_s");
        const double receiver_s = mean_of(waits, "late_receiver_s");
        const double at_collective_s = mean_of(waits, "collective_wait_s");
        const double in_wait_s = waits_for_collectives(details, g->versus->n_ranks);
        add(g, "messages", side, p2p_s + wait_s - sender_s - receiver_s - in_wait_s);
        add(g, "late sender", side, sender_s);
        add(g, "late receiver", side, receiver_s);
        add(g, "collectives", side, collective_s - (at_collective_s - in_wait_s));
        add(g, "wait at collective", side, at_collective_s);
    } else {
        add(g, "point to point", side, p2p_s);
        add(g, "waits", side, wait_s);
        add(g, "collectives", side, collective_s);
    }
    add(g, "files", side, io_s);
    const double other_s = end_s - compute_s - p2p_s - wait_s - collective_s - io_s;
    if (other_s > 1e-9 * end_s) /* more than rounding */
        add(g, "other calls", side, other_s);
}

/* The time after the end of a rank is no part of what its calls take. */
static void gather_end(gathering *g, size_t side, const char *rest)
{
    const tlr_versus_side *s = &g->versus->sides[side];
    const double end_s = mean_of(json_object_get(s->prediction, "ranks"), "end_s");
    double sum = sum_of(g->table, side);
    if (rest && end_s - sum > 1e-9 * s->makespan_s)
        add(g, rest, side, end_s - sum);
    if (s->makespan_s - end_s > 0)
        add(g, "after the end of a rank", side, s->makespan_s - end_s);
}

static void gather(gathering *g, tlr_versus_view view, size_t side)
{
    static const char *const keys[TLR_VERSUS_N_VIEWS] = {[TLR_VERSUS_PATH_REGIONS] = "regions",
                                                         [TLR_VERSUS_PATH_SITES] = "sites",
                                                         [TLR_VERSUS_MEAN_REGIONS] = "regions",
                                                         [TLR_VERSUS_MEAN_CALLS] = "calls",
                                                         [TLR_VERSUS_MEAN_SITES] = "sites"};
    const json_t *details = json_object_get(g->versus->sides[side].prediction, "details");
    const json_t *path = json_object_get(details, "critical_path");
    switch (view) {
    case TLR_VERSUS_PATH_PARTS: gather_path_parts(g, side, details); return;
    case TLR_VERSUS_PATH_RANKS: gather_path_ranks(g, side, details); return;
    case TLR_VERSUS_PATH_REGIONS:
    case TLR_VERSUS_PATH_SITES: gather_sums(g, side, json_object_get(path, keys[view]), 1); return;
    case TLR_VERSUS_MEAN_PARTS:
        gather_mean_parts(g, side, details);
        gather_end(g, side, NULL);
        return;
    default: break;
    }
    gather_sums(g, side, json_object_get(details, keys[view]), g->versus->n_ranks);
    if (g->table->n_rows)
        gather_end(g, side,
                   view == TLR_VERSUS_MEAN_SITES ? "computation, and calls without a site" : NULL);
}

static int differs(const tlr_versus *v, const char *key)
{
    for (size_t i = 1; i < v->n; i++)
        if (strcmp(text_of(v->sides[i].prediction, key), text_of(v->sides[0].prediction, key)) != 0)
            return 1;
    return 0;
}

static int make_table(tlr_versus *v, tlr_versus_view view)
{
    gathering g = {.versus = v, .table = &v->tables[view], .index = json_object()};
    if (!v->has_details && view != TLR_VERSUS_MEAN_PARTS) {
        json_decref(g.index);
        return 1;
    }
    for (size_t i = 0; i < v->n; i++)
        gather(&g, view, i);
    if (g.table->n_rows)
        complete(&g, "other");
    if (view != TLR_VERSUS_PATH_PARTS && view != TLR_VERSUS_MEAN_PARTS) {
        if (differs(v, "trace_hash") && !g.failed)
            g.failed = !tlr_versus_match(g.table, v->n);
        sort_rows(v, g.table);
    }
    json_decref(g.index);
    return !g.failed;
}

/* ---- names ---- */

static size_t count_hosts(const json_t *prediction)
{
    const json_t *ranks = json_object_get(prediction, "ranks");
    json_t *seen = json_object();
    for (size_t r = 0; r < json_array_size(ranks); r++)
        json_object_set_new_nocheck(seen, text_of(json_array_get(ranks, r), "host"), json_true());
    const size_t n = json_object_size(seen);
    json_decref(seen);
    return n;
}

/* The platform, and what else differs between the predictions. */
static int name_side(const tlr_versus *v, tlr_versus_side *side)
{
    static const char *const keys[][2] = {{"engine", ""},
                                          {"engine_version", ""},
                                          {"network_model", "network model "},
                                          {"coll_selector", "collectives "},
                                          {"model", "model "},
                                          {"changes", ""},
                                          {"options", ""},
                                          {"timeless", "timeless "}};
    size_t hosts = count_hosts(side->prediction), equal_hosts = 1, size;
    FILE *out = open_memstream(&side->name, &size);
    if (!out)
        return 0;
    fputs(tlr_base_name(text_of(side->prediction, "platform")), out);
    /* Another platform or engine has another network model, whose text is long. */
    const bool is_named = differs(v, "platform") || differs(v, "engine");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = text_of(side->prediction, keys[i][0]);
        if (is_named && !strcmp(keys[i][0], "network_model"))
            continue;
        if (*value && differs(v, keys[i][0]))
            fprintf(out, ", %s%s", keys[i][1], value);
    }
    if (differs(v, "trace_hash"))
        fprintf(out, ", %s", tlr_base_name(text_of(side->prediction, "trace")));
    for (size_t i = 0; i < v->n; i++)
        equal_hosts &= count_hosts(v->sides[i].prediction) == hosts;
    if (!equal_hosts)
        fprintf(out, ", %zu host%s", hosts, hosts == 1 ? "" : "s");
    return fclose(out) == 0;
}

/* ---- the whole ---- */

static tl_status check_sides(const tlr_versus *v, const char *const *sources, tl_error *err)
{
    for (size_t i = 0; i < v->n; i++) {
        const json_t *p = v->sides[i].prediction;
        const json_t *waits = json_object_get(json_object_get(p, "details"), "ranks");
        const size_t n_ranks = json_array_size(json_object_get(p, "ranks"));
        if (!v->n_ranks || n_ranks != v->n_ranks)
            return tl_fail(err, TL_ERR_INPUT,
                           "%s: a prediction of %zu ranks, and %s of %" PRIu32
                           "; give predictions of one trace, or of traces with equally many ranks",
                           sources[i], n_ranks, sources[0], v->n_ranks);
        if (json_object_get(p, "details") && json_array_size(waits) != v->n_ranks)
            return tl_fail(err, TL_ERR_INPUT, "%s: a prediction with something missing or wrong",
                           sources[i]);
    }
    return TL_OK;
}

tl_status tlr_versus_make(json_t *const *predictions, const char *const *sources, size_t n,
                          tlr_versus **out, tl_error *err)
{
    tlr_versus *v = calloc(1, sizeof *v);
    if (v)
        v->sides = calloc(n + 1, sizeof *v->sides);
    if (!v || !v->sides) {
        for (size_t i = 0; i < n; i++)
            json_decref(predictions[i]);
        free(v);
        return tl_no_memory(err, "comparing predictions");
    }
    v->n = n;
    v->has_details = 1;
    for (size_t i = 0; i < n; i++) {
        v->sides[i] = (tlr_versus_side){.prediction = predictions[i],
                                        .makespan_s = number(predictions[i], "makespan_s")};
        v->has_details &= json_object_get(predictions[i], "details") != NULL;
    }
    v->n_ranks = (uint32_t)json_array_size(json_object_get(v->sides[0].prediction, "ranks"));
    tl_status status = check_sides(v, sources, err);
    int good = status == TL_OK;
    for (size_t i = 0; i < n && good; i++)
        good = name_side(v, &v->sides[i]);
    for (unsigned view = 0; view < TLR_VERSUS_N_VIEWS && good; view++)
        good = make_table(v, view);
    if (status == TL_OK && !good)
        status = tl_no_memory(err, "comparing predictions");
    if (status == TL_OK)
        *out = v;
    else
        tlr_versus_free(v);
    return status;
}

void tlr_versus_free_rows(tlr_versus_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        free(t->rows[i].name);
        free(t->rows[i].s);
    }
    free(t->rows);
}

void tlr_versus_free(tlr_versus *v)
{
    if (!v)
        return;
    for (unsigned view = 0; view < TLR_VERSUS_N_VIEWS; view++)
        tlr_versus_free_rows(&v->tables[view]);
    for (size_t i = 0; i < v->n; i++) {
        free(v->sides[i].name);
        json_decref(v->sides[i].prediction);
    }
    free(v->sides);
    free(v);
}

double tlr_versus_busy_s(const tlr_versus *v, size_t side, uint32_t rank)
{
    const json_t *p = v->sides[side].prediction;
    const json_t *own = json_array_get(json_object_get(p, "ranks"), rank);
    const json_t *waits =
        json_array_get(json_object_get(json_object_get(p, "details"), "ranks"), rank);
    if (!v->has_details)
        return number(own, "compute_s");
    return number(own, "end_s") - number(waits, "late_sender_s") -
           number(waits, "late_receiver_s") - number(waits, "collective_wait_s");
}
