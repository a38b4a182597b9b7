/* scaling.c - a study of scaling, as text and JSON. */
#include "config.h"

#include "scaling.h"

#include "results/details_json.h"
#include "results/json_text.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_time(const tlr_point *point)
{
    return tlr_point_has_time(point) && point->makespan_s > 0;
}

/* The first point with a result; n_points: there is none. */
static size_t find_first(const tlr_scaling *study)
{
    size_t i = 0;
    while (i < study->sweep->n_points && !has_time(&study->sweep->points[i]))
        i++;
    return i;
}

/* What is computed at a point: by all ranks, or by the mean rank of a problem that grows. */
static double work_at(const tlr_scaling *study, size_t i)
{
    return study->sweep->points[i].compute_s * (study->is_weak ? 1 : study->n_ranks[i]);
}

static const char *find_limit(const tlr_efficiency *e, double computation)
{
    const struct {
        const char *name;
        double factor;
    } factors[] = {{"load balance", e->balance},
                   {"serialisation", e->serialisation},
                   {"transfer", e->transfer},
                   {"computation", computation}};
    size_t least = 0;
    for (size_t i = 1; i < sizeof factors / sizeof *factors; i++)
        if (factors[i].factor < factors[least].factor)
            least = i;
    return factors[least].factor < 0.99 ? factors[least].name : NULL;
}

int tlr_scaling_at(const tlr_scaling *study, size_t i, tlr_scaled *out)
{
    const tlr_point *point = &study->sweep->points[i];
    const size_t first = find_first(study);
    if (!has_time(point))
        return 0;
    const double growth = (double)study->n_ranks[i] / study->n_ranks[first];
    *out = (tlr_scaled){
        .speed_up = study->sweep->points[first].makespan_s / point->makespan_s,
        .computation = work_at(study, i) > 0 ? work_at(study, first) / work_at(study, i) : NAN};
    out->efficiency = out->speed_up / (study->is_weak ? 1 : growth);
    if (point->has_efficiency)
        out->limit = find_limit(&point->efficiency, out->computation);
    return 1;
}

/* The point with a result before point i; n_points: there is none. */
static size_t find_before(const tlr_scaling *study, size_t i)
{
    while (i-- > 0)
        if (has_time(&study->sweep->points[i]))
            return i;
    return study->sweep->n_points;
}

static int takes_longer(const tlr_scaling *study, size_t i)
{
    const tlr_point *points = study->sweep->points;
    const size_t before = find_before(study, i);
    return !study->is_weak && before < study->sweep->n_points &&
           points[i].makespan_s > points[before].makespan_s;
}

/* The first point that has an efficiency below 50 %, or (strong) a longer makespan than the point
 * before; n_points: there is none. */
static size_t scaling_end(const tlr_scaling *study)
{
    tlr_scaled at;
    for (size_t i = 0; i < study->sweep->n_points; i++)
        if (tlr_scaling_at(study, i, &at) && (at.efficiency < 0.5 || takes_longer(study, i)))
            return i;
    return study->sweep->n_points;
}

/* ---- what was assumed ---- */

/* The first point at which ranks share cores; n_points: there is none. */
static size_t find_crowd(const tlr_scaling *study)
{
    size_t i = 0;
    while (i < study->sweep->n_points && !study->sweep->points[i].n_crowded)
        i++;
    return i;
}

static void note_points(const tlr_scaling *study, json_t *notes)
{
    const size_t n = study->sweep->n_points, crowd = find_crowd(study);
    size_t n_unknown = 0;
    for (size_t i = 0; i < n; i++)
        n_unknown += has_time(&study->sweep->points[i]) && !study->sweep->points[i].has_efficiency;
    if (n_unknown)
        json_array_append_new(
            notes,
            json_sprintf(
                "%zu of %zu numbers of ranks have no split of their efficiency: no rank computes, "
                "or ranks compute on several threads or with noise",
                n_unknown, n));
    if (crowd < n)
        json_array_append_new(
            notes,
            json_sprintf(
                "from %" PRIu32 " ranks on, ranks share cores, as there are fewer cores than "
                "ranks%s",
                study->n_ranks[crowd],
                study->ignores_crowd && study->sweep->points[crowd].compute_s > 0
                    ? "; in the engine loggops each computes as if it had one alone: use --engine "
                      "smpi, or fewer --ranks-per-host"
                    : ""));
}

static void note_problem(const tlr_scaling *study, json_t *notes)
{
    const char *note = NULL;
    if (!study->program)
        note = study->is_weak
                   ? "the traces are runs of one program, whose problem grows with the ranks"
                   : "the traces are runs of one program with the same problem";
    else if (!study->is_weak)
        note = "the problem is the same on each number of ranks";
    else if (!study->n_grown)
        note = "no parameter grows (--grow): the program itself keeps the work of a rank";
    if (note)
        json_array_append_new(notes, json_string(note));
    for (size_t k = 0; k < study->n_grown; k++) {
        char text[200];
        snprintf(text, sizeof text, "%.60s = %.120s", study->grown[k].name,
                 study->grown[k].expression);
        json_array_append_new(notes, tlr_json_text(text));
    }
}

/* In weak scaling, a rank that computes more or less than before makes the efficiency misleading.
 */
static void note_work(const tlr_scaling *study, json_t *notes)
{
    tlr_scaled at;
    size_t worst = study->sweep->n_points;
    double most = log(1.1);
    for (size_t i = 0; study->is_weak && i < study->sweep->n_points; i++)
        if (tlr_scaling_at(study, i, &at) && fabs(log(at.computation)) > most) {
            most = fabs(log(at.computation));
            worst = i;
        }
    if (worst == study->sweep->n_points)
        return;
    tlr_scaling_at(study, worst, &at);
    json_array_append_new(
        notes, json_sprintf("weak scaling keeps the computation of a rank, but at %" PRIu32
                            " ranks it is %.3g times that of the first row; %s",
                            study->n_ranks[worst], 1 / at.computation,
                            study->program ? "give another --grow"
                                           : "give traces of other problems, or --strong"));
}

static json_t *find_notes(const tlr_scaling *study)
{
    json_t *notes = json_array();
    note_problem(study, notes);
    note_work(study, notes);
    note_points(study, notes);
    return notes;
}

/* ---- text ---- */

/* Of the points that were replayed now; a file of points does not keep it. Traces may be of several
 * MPI libraries. */
static void print_collectives(const tlr_scaling *study, FILE *out)
{
    const char *before = "";
    for (size_t i = 0; i < study->sweep->n_points; i++) {
        const char *own = study->sweep->points[i].collectives;
        if (*own && strcmp(own, before) != 0) {
            fprintf(out, "  collectives %s\n", tl_printable(own));
            before = own;
        }
    }
}

static void print_head(const tlr_scaling *study, FILE *out)
{
    fprintf(out, "%s scaling of %s, %s\n\n", study->is_weak ? "weak" : "strong",
            study->program ? study->program : "traces", study->place);
    fprintf(out, "%8s", "");
    for (size_t k = 0; k < study->n_grown; k++)
        fprintf(out, " %10s", "");
    fprintf(out, " %12s%s %10s %9s %8s %9s %9s %9s %9s\n%8s", "",
            study->is_weak ? "" : "          ", "", "parallel", "load", "seriali-", "", "communi-",
            "compu-", "ranks");
    for (size_t k = 0; k < study->n_grown; k++)
        fprintf(out, " %10.10s", study->grown[k].name);
    fprintf(out, " %12s%s %10s %9s %8s %9s %9s %9s %9s  limited by\n", "makespan [s]",
            study->is_weak ? "" : "  speed-up", "efficiency", "effic.", "balance", "sation",
            "transfer", "cation", "tation");
}

static void print_share(FILE *out, int width, double share)
{
    if (isfinite(share))
        fprintf(out, " %*.1f %%", width - 2, 100 * share);
    else
        fprintf(out, " %*s", width, "-");
}

static void print_split(const tlr_point *point, FILE *out)
{
    static const tlr_efficiency unknown = {NAN, NAN, NAN, NAN};
    const tlr_efficiency e = point->has_efficiency ? point->efficiency : unknown;
    print_share(out, 9, e.parallel);
    print_share(out, 8, e.balance);
    print_share(out, 9, e.serialisation);
    print_share(out, 9, e.transfer);
    print_share(out, 9, e.serialisation * e.transfer);
}

static void print_row(const tlr_scaling *study, size_t i, FILE *out)
{
    tlr_scaled at;
    const tlr_point *point = &study->sweep->points[i];
    fprintf(out, "%8" PRIu32, study->n_ranks[i]);
    for (size_t k = 0; k < study->n_grown; k++)
        fprintf(out, " %10" PRId64, study->grown[k].values[i]);
    if (!tlr_scaling_at(study, i, &at)) {
        fputs(point->error[0] ? "  failed\n" : "  takes no time\n", out);
        return;
    }
    fprintf(out, " %12.4g", point->makespan_s);
    if (!study->is_weak)
        fprintf(out, " %9.4g", at.speed_up);
    print_share(out, 10, at.efficiency);
    print_split(point, out);
    print_share(out, 9, at.computation);
    fprintf(out, "  %s\n", at.limit ? at.limit : "-");
}

static void print_end(const tlr_scaling *study, FILE *out)
{
    tlr_scaled at;
    const size_t n = study->sweep->n_points, end = scaling_end(study);
    const size_t before = find_before(study, end);
    if (find_first(study) == n)
        return;
    fputs("\n", out);
    if (end == n)
        fprintf(out, "scaling does not end up to %" PRIu32 " ranks\n",
                study->n_ranks[find_before(study, n)]);
    else if (tlr_scaling_at(study, end, &at) && takes_longer(study, end))
        fprintf(out, "scaling ends at %" PRIu32 " ranks: they take longer than %" PRIu32 " ranks\n",
                study->n_ranks[end], study->n_ranks[before]);
    else
        fprintf(out, "scaling ends at %" PRIu32 " ranks: the efficiency is below 50 %%\n",
                study->n_ranks[end]);
}

void tlr_scaling_print(const tlr_scaling *study, FILE *out)
{
    const size_t n = study->sweep->n_points, first = find_first(study);
    json_t *notes = find_notes(study);
    print_head(study, out);
    for (size_t i = 0; i < n; i++)
        print_row(study, i, out);
    print_end(study, out);
    if (first < n)
        fprintf(out,
                "\n%sefficiency and computation: against the first row%s; efficiency = "
                "%s\nparallel efficiency = load balance x serialisation x transfer, the metrics of "
                "POP; communication = serialisation x transfer\n",
                study->is_weak ? "" : "speed-up, ", first ? " with a result" : "",
                study->is_weak ? "makespan there / makespan" : "speed-up / growth of the ranks");
    fputs("assumed:\n", out);
    print_collectives(study, out);
    for (size_t i = 0; i < json_array_size(notes); i++)
        fprintf(out, "  %s\n", json_string_value(json_array_get(notes, i)));
    json_decref(notes);
}

/* ---- JSON ---- */

static void set_share(json_t *object, const char *key, double value)
{
    if (isfinite(value))
        json_object_set_new(object, key, json_real(value));
}

static json_t *row_json(const tlr_scaling *study, size_t i)
{
    tlr_scaled at;
    const tlr_point *point = &study->sweep->points[i];
    json_t *out = json_pack("{s:I}", "ranks", (json_int_t)study->n_ranks[i]);
    json_t *parameters = json_object();
    if (!study->program)
        json_object_set_new(out, "trace", tlr_json_text(study->sweep->axes[0].values[i]));
    for (size_t k = 0; k < study->n_grown; k++)
        json_object_set_new(parameters, study->grown[k].name,
                            json_integer((json_int_t)study->grown[k].values[i]));
    if (study->n_grown)
        json_object_set(out, "parameters", parameters);
    json_decref(parameters);
    if (point->error[0])
        json_object_set_new(out, "error", tlr_json_text(point->error));
    if (!tlr_scaling_at(study, i, &at))
        return out;
    json_object_set_new(out, "makespan_s", json_real(point->makespan_s));
    if (!study->is_weak)
        json_object_set_new(out, "speed_up", json_real(at.speed_up));
    json_object_set_new(out, "efficiency", json_real(at.efficiency));
    set_share(out, "computation", at.computation);
    if (point->has_efficiency)
        json_object_set_new(out, "parallel_efficiency", tlr_efficiency_json(&point->efficiency));
    if (at.limit)
        json_object_set_new(out, "limit", json_string(at.limit));
    return out;
}

json_t *tlr_scaling_json(const tlr_scaling *study)
{
    const size_t end = scaling_end(study);
    json_t *root = json_object(), *rows = json_array();
    for (size_t i = 0; i < study->sweep->n_points; i++)
        json_array_append_new(rows, row_json(study, i));
    json_object_set_new(root, "format", json_string("timeless-study-scaling-1"));
    json_object_set_new(root, "scaling", json_string(study->is_weak ? "weak" : "strong"));
    if (study->program)
        json_object_set_new(root, "program", tlr_json_text(study->program));
    json_object_set_new(root, "place", tlr_json_text(study->place));
    json_object_set_new(root, "rows", rows);
    if (end < study->sweep->n_points)
        json_object_set_new(root, "ends_at_ranks", json_integer((json_int_t)study->n_ranks[end]));
    json_object_set_new(root, "assumed", find_notes(study));
    return root;
}
