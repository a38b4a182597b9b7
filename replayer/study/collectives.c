/* collectives.c - all algorithms of a collective side by side, as text, CSV and JSON. */
#include "config.h"

#include "collectives.h"

#include "ompi.h"
#include "results/json_text.h"
#include "text_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static const struct {
    const char *name;
    tl_action action;
} operations[] = {{"allgather", TL_ACTION_ALLGATHER}, {"allreduce", TL_ACTION_ALLREDUCE},
                  {"alltoall", TL_ACTION_ALLTOALL},   {"barrier", TL_ACTION_BARRIER},
                  {"bcast", TL_ACTION_BCAST},         {"gather", TL_ACTION_GATHER},
                  {"reduce", TL_ACTION_REDUCE},       {"reduce_scatter", TL_ACTION_REDUCE_SCATTER},
                  {"scatter", TL_ACTION_SCATTER}};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

static tl_action find_operation(const char *name)
{
    for (size_t i = 0; i < N_OPERATIONS; i++)
        if (!strcmp(operations[i].name, name))
            return operations[i].action;
    return TL_ACTION_NONE;
}

int tlr_study_has(const char *operation)
{
    return find_operation(operation) != TL_ACTION_NONE;
}

/* ---- cases ---- */

const tlr_point *study_point(const tlr_study *study, size_t ranks, size_t bytes, size_t algorithm)
{
    const tlr_axis *axes = study->sweep->axes;
    return &study->sweep
                ->points[(ranks * axes[TLR_STUDY_BYTES].n + bytes) * axes[TLR_STUDY_ALGORITHM].n +
                         algorithm];
}

/* 0: no algorithm serves the case. */
static size_t best_algorithm(const tlr_study *study, size_t ranks, size_t bytes)
{
    size_t best = 0;
    for (size_t k = 1; k < study->sweep->axes[TLR_STUDY_ALGORITHM].n; k++) {
        const tlr_point *point = study_point(study, ranks, bytes, k);
        if (tlr_point_has_time(point) &&
            (!best || point->makespan_s < study_point(study, ranks, bytes, best)->makespan_s))
            best = k;
    }
    return best;
}

/* The makespan of a case in makespans of the best; NAN: it has none. */
static double ratio_to_best(const tlr_study *study, size_t ranks, size_t bytes, size_t algorithm)
{
    const size_t best = best_algorithm(study, ranks, bytes);
    const tlr_point *point = study_point(study, ranks, bytes, algorithm);
    if (!best || !tlr_point_has_time(point))
        return NAN;
    const double best_s = study_point(study, ranks, bytes, best)->makespan_s;
    return best_s > 0 ? point->makespan_s / best_s : 1;
}

double study_number(const tlr_study *study, int axis, size_t i)
{
    return strtod(study->sweep->axes[axis].values[i], NULL);
}

const char *study_algorithm(const tlr_study *study, size_t k)
{
    return study->sweep->axes[TLR_STUDY_ALGORITHM].values[k];
}

const char *study_shown_algorithm(const tlr_study *study, size_t k)
{
    const char *whole = study_algorithm(study, k), *name = tlr_base_name(whole);
    for (size_t i = 1; i < study->sweep->axes[TLR_STUDY_ALGORITHM].n; i++)
        if (i != k && !strcmp(tlr_base_name(study_algorithm(study, i)), name))
            return whole;
    return name;
}

/* The rule's own choice, where Timeless knows it; otherwise "". */
static const char *rule_choice(const tlr_study *study, size_t ranks, size_t bytes)
{
    const tl_action action = find_operation(study->operation);
    const uint32_t n_ranks = (uint32_t)study_number(study, TLR_STUDY_RANKS, ranks);
    uint64_t n_bytes = (uint64_t)study_number(study, TLR_STUDY_BYTES, bytes);
    if (!tlr_ompi_has(study->rule))
        return "";
    if (action == TL_ACTION_REDUCE_SCATTER)
        n_bytes *= n_ranks;
    return tlr_ompi_name(tlr_ompi_choose(action, n_ranks, n_bytes, n_bytes));
}

/* ---- text ---- */

static void print_time(FILE *out, double seconds)
{
    static const struct {
        double factor;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && fabs(seconds) < units[i].factor)
        i++;
    fprintf(out, "%8.4g %-2s", seconds / units[i].factor, units[i].unit);
}

static int widest_algorithm(const tlr_study *study)
{
    size_t width = strlen("algorithm");
    for (size_t k = 1; k < study->sweep->axes[TLR_STUDY_ALGORITHM].n; k++) {
        const size_t length = strlen(study_shown_algorithm(study, k));
        width = length > width ? length : width;
    }
    return (int)width;
}

/* The best by size, and how much slower the rule is. */
static void print_best(const tlr_study *study, size_t ranks, int width, FILE *out)
{
    fprintf(out, "%10s  %-*s %11s  %-*s %11s   the rule is\n", "bytes", width, "best", "", width,
            study->rule, "");
    for (size_t b = 0; b < study->sweep->axes[TLR_STUDY_BYTES].n; b++) {
        const size_t best = best_algorithm(study, ranks, b);
        const tlr_point *rule = study_point(study, ranks, b, 0);
        fprintf(out, "%10s  ", study->sweep->axes[TLR_STUDY_BYTES].values[b]);
        if (!best) {
            fputs(rule->known ? "no algorithm serves this case\n" : "no time\n", out);
            continue;
        }
        fprintf(out, "%-*s ", width, study_shown_algorithm(study, best));
        print_time(out, study_point(study, ranks, b, best)->makespan_s);
        fprintf(out, "  %-*s ", width, rule_choice(study, ranks, b));
        if (tlr_point_has_time(rule)) {
            print_time(out, rule->makespan_s);
            const double slower = 100 * (ratio_to_best(study, ranks, b, 0) - 1);
            if (fabs(slower) < 0.05)
                fputs("   as fast\n", out);
            else
                fprintf(out, "   %.3g %% %s\n", fabs(slower), slower < 0 ? "faster" : "slower");
        } else {
            fprintf(out, "%11s\n", "failed");
        }
    }
}

/* An algorithm and how far it is from the best, over all sizes. */
typedef struct standing {
    size_t algorithm;
    double log_ratio;
} standing;

static int by_ratio(const void *a, const void *b)
{
    const standing *x = a, *y = b;
    if (x->log_ratio != y->log_ratio)
        return x->log_ratio < y->log_ratio ? -1 : 1;
    return (x->algorithm > y->algorithm) - (x->algorithm < y->algorithm);
}

/* In the order of their geometric mean; an algorithm that lacks a size comes after the others. */
static void rank_algorithms(const tlr_study *study, size_t ranks, standing *order)
{
    const size_t n = study->sweep->axes[TLR_STUDY_ALGORITHM].n;
    for (size_t k = 1; k < n; k++) {
        double sum = 0;
        for (size_t b = 0; b < study->sweep->axes[TLR_STUDY_BYTES].n; b++) {
            const double ratio = ratio_to_best(study, ranks, b, k);
            sum += isnan(ratio) ? 100 : log(ratio);
        }
        order[k - 1] = (standing){k, sum};
    }
    qsort(order, n - 1, sizeof *order, by_ratio);
}

/* All algorithms as multiples of the best. */
static void print_all(const tlr_study *study, size_t ranks, int width, FILE *out)
{
    const tlr_axis *bytes = &study->sweep->axes[TLR_STUDY_BYTES];
    const size_t n = study->sweep->axes[TLR_STUDY_ALGORITHM].n;
    standing *order = calloc(n, sizeof *order);
    if (!order)
        return;
    rank_algorithms(study, ranks, order);
    fprintf(out, "\n  times the best, by bytes (-: not possible, !: failed)\n  %-*s", width,
            "algorithm");
    for (size_t b = 0; b < bytes->n; b++)
        fprintf(out, " %8s", bytes->values[b]);
    fputs("\n", out);
    for (size_t i = 0; i + 1 < n; i++) {
        fprintf(out, "  %-*s", width, study_shown_algorithm(study, order[i].algorithm));
        for (size_t b = 0; b < bytes->n; b++) {
            const tlr_point *point = study_point(study, ranks, b, order[i].algorithm);
            const double ratio = ratio_to_best(study, ranks, b, order[i].algorithm);
            if (isnan(ratio))
                fprintf(out, " %8s",
                        !point->known                    ? "?"
                        : tlr_point_is_impossible(point) ? "-"
                                                         : "!");
            else
                fprintf(out, ratio < 100 ? " %8.2f" : " %8.0f", ratio);
        }
        fputs("\n", out);
    }
    free(order);
}

void tlr_study_print(const tlr_study *study, FILE *out)
{
    const int width = widest_algorithm(study);
    fprintf(out, "%s, %zu algorithms, %s\n", study->operation,
            study->sweep->axes[TLR_STUDY_ALGORITHM].n - 1, study->place);
    for (size_t r = 0; r < study->sweep->axes[TLR_STUDY_RANKS].n; r++) {
        fprintf(out, "\n%s ranks\n", study->sweep->axes[TLR_STUDY_RANKS].values[r]);
        print_best(study, r, width, out);
        print_all(study, r, width, out);
    }
}

/* ---- files ---- */

tl_status tlr_study_write_csv(const tlr_study *study, FILE *out, tl_error *err)
{
    const tlr_axis *axes = study->sweep->axes;
    (void)err;
    fputs("operation,ranks,bytes,algorithm,makespan_s,times_best,is_best,error\n", out);
    for (size_t r = 0; r < axes[TLR_STUDY_RANKS].n; r++)
        for (size_t b = 0; b < axes[TLR_STUDY_BYTES].n; b++)
            for (size_t k = 0; k < axes[TLR_STUDY_ALGORITHM].n; k++) {
                const tlr_point *point = study_point(study, r, b, k);
                const double ratio = ratio_to_best(study, r, b, k);
                fprintf(out, "%s,%s,%s,", study->operation, axes[TLR_STUDY_RANKS].values[r],
                        axes[TLR_STUDY_BYTES].values[b]);
                if (k)
                    tl_put_csv(out, study_algorithm(study, k), 0);
                else
                    fprintf(out, "rule %s", study->rule);
                if (isnan(ratio))
                    fputs(",,,", out);
                else
                    fprintf(out, ",%.17g,%.17g,%d", point->makespan_s, ratio,
                            k && k == best_algorithm(study, r, b));
                putc(',', out);
                tl_put_csv(out, point->error, 0);
                putc('\n', out);
            }
    return TL_OK;
}

static json_t *algorithm_json(const tlr_study *study, size_t r, size_t b, size_t k)
{
    const tlr_point *point = study_point(study, r, b, k);
    json_t *out = json_object();
    if (k)
        json_object_set_new(out, "algorithm", tlr_json_text(study_algorithm(study, k)));
    if (tlr_point_has_time(point)) {
        json_object_set_new(out, "makespan_s", json_real(point->makespan_s));
        const double ratio = ratio_to_best(study, r, b, k);
        if (!isnan(ratio))
            json_object_set_new(out, "times_best", json_real(ratio));
    } else if (tlr_point_is_impossible(point)) {
        json_object_set_new(out, "not_possible",
                            tlr_json_text(point->error + sizeof TLR_NOT_POSSIBLE - 1));
    } else {
        json_object_set_new(out, "error", tlr_json_text(point->error));
    }
    return out;
}

static json_t *case_json(const tlr_study *study, size_t r, size_t b)
{
    const size_t best = best_algorithm(study, r, b);
    json_t *out = json_object(), *all = json_array(), *rule = algorithm_json(study, r, b, 0);
    json_object_set_new(out, "ranks",
                        json_integer((json_int_t)study_number(study, TLR_STUDY_RANKS, r)));
    json_object_set_new(out, "bytes",
                        json_integer((json_int_t)study_number(study, TLR_STUDY_BYTES, b)));
    for (size_t k = 1; k < study->sweep->axes[TLR_STUDY_ALGORITHM].n; k++)
        json_array_append_new(all, algorithm_json(study, r, b, k));
    json_object_set_new(out, "algorithms", all);
    if (best)
        json_object_set_new(out, "best", tlr_json_text(study_algorithm(study, best)));
    if (*rule_choice(study, r, b))
        json_object_set_new(rule, "algorithm", tlr_json_text(rule_choice(study, r, b)));
    json_object_set_new(out, "rule", rule);
    return out;
}

json_t *tlr_study_json(const tlr_study *study)
{
    json_t *root = json_object(), *cases = json_array();
    for (size_t r = 0; r < study->sweep->axes[TLR_STUDY_RANKS].n; r++)
        for (size_t b = 0; b < study->sweep->axes[TLR_STUDY_BYTES].n; b++)
            json_array_append_new(cases, case_json(study, r, b));
    json_object_set_new(root, "format", json_string("timeless-study-collectives-1"));
    json_object_set_new(root, "operation", json_string(study->operation));
    json_object_set_new(root, "rule", json_string(study->rule));
    json_object_set_new(root, "place", tlr_json_text(study->place));
    json_object_set_new(root, "cases", cases);
    return root;
}
