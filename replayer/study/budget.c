/* budget.c - the interval of a makespan from the replays with one input at its bounds. */
#include "config.h"

#include "budget.h"

#include "study/normal.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* Effects are measured within the uncertainty of an input: a factor that is so much larger is no
 * longer a number to print. */
static const double MOST_CHANGE = 100;
static const double MOST_SUSPECTED = 3; /* times what a suspect is taken to be wrong by */

static double half_s(const tlr_budget_input *input)
{
    return (input->below_s + input->above_s) / 2;
}

static int compare_inputs(const void *a, const void *b)
{
    const tlr_budget_input *x = a, *y = b;
    const double dx = half_s(x), dy = half_s(y);
    return dx != dy ? (dx < dy) - (dx > dy) : strcmp(x->name, y->name);
}

void tlr_budget_finish(tlr_budget *b)
{
    double below = 0, above = 0;
    for (size_t i = 0; i < b->n; i++) {
        tlr_budget_input *input = &b->inputs[i];
        input->below_s = fmax(0, b->makespan_s - fmin(input->low_s, input->high_s));
        input->above_s = fmax(0, fmax(input->low_s, input->high_s) - b->makespan_s);
        below += input->below_s * input->below_s;
        above += input->above_s * input->above_s;
    }
    b->below_s = sqrt(below);
    b->above_s = sqrt(above);
    if (b->n)
        qsort(b->inputs, b->n, sizeof *b->inputs, compare_inputs);
}

static void set_bounds(const double *makespans_s, size_t n, double deviations, double *low_s,
                       double *high_s)
{
    const double mean = gsl_stats_mean(makespans_s, 1, n),
                 half = deviations * gsl_stats_sd_m(makespans_s, 1, n, mean);
    *low_s = fmax(0, mean - half);
    *high_s = mean + half;
}

void tlr_budget_spread(const double *makespans_s, size_t n, double *low_s, double *high_s)
{
    set_bounds(makespans_s, n, TLR_DEVIATIONS_90, low_s, high_s);
}

void tlr_budget_predict(const double *makespans_s, size_t n, double *low_s, double *high_s)
{
    set_bounds(makespans_s, n, gsl_cdf_tdist_Pinv(0.95, (double)n - 1) * sqrt(1 + 1 / (double)n),
               low_s, high_s);
}

/* The part of the input in the square of the interval. */
static double share_of(const tlr_budget *b, const tlr_budget_input *input)
{
    const double all = b->below_s * b->below_s + b->above_s * b->above_s;
    return all > 0 ? (input->below_s * input->below_s + input->above_s * input->above_s) / all : 0;
}

/* The relative half width, if the uncertainty of this input were half of it. Its square is then a
 * quarter, which takes three quarters from the sum of squares. */
static double halved(const tlr_budget *b, const tlr_budget_input *input)
{
    const double below = b->below_s * b->below_s - 0.75 * input->below_s * input->below_s,
                 above = b->above_s * b->above_s - 0.75 * input->above_s * input->above_s;
    return (sqrt(fmax(0, below)) + sqrt(fmax(0, above))) / 2 / b->makespan_s;
}

static const char *const sources[] = {"stated", "given", "assumed", "replayed", "measured"};

static void print_input(const tlr_budget *b, const tlr_budget_input *input, FILE *out)
{
    char uncertainty[32] = "";
    if (input->source != TLR_BUDGET_REPLAYED)
        snprintf(uncertainty, sizeof uncertainty, "%.3g %%", 100 * input->uncertainty);
    fprintf(out, "%-26s %8s  %-8s  %+7.2f %% %+7.2f %%  %5.1f %%\n", tl_printable(input->name),
            uncertainty, sources[input->source], -100 * input->below_s / b->makespan_s,
            100 * input->above_s / b->makespan_s, 100 * share_of(b, input));
}

/* The names of the inputs for which `is_one` holds, on a line. */
static void print_names(const tlr_budget *b, const char *title,
                        int (*is_one)(const tlr_budget *, const tlr_budget_input *), FILE *out)
{
    const char *before = title;
    for (size_t i = 0; i < b->n; i++)
        if (is_one(b, &b->inputs[i])) {
            fprintf(out, "%s %s", before, tl_printable(b->inputs[i].name));
            before = ",";
        }
    if (before != title)
        fputc('\n', out);
}

static int has_no_effect(const tlr_budget *b, const tlr_budget_input *input)
{
    (void)b;
    return input->below_s <= 0 && input->above_s <= 0;
}

static int compare_suspects(const void *a, const void *b)
{
    const tlr_budget_input *const *x = a, *const *y = b;
    const double dx = (*x)->suspect.probability, dy = (*y)->suspect.probability;
    return dx != dy ? (dx < dy) - (dx > dy) : strcmp((*x)->name, (*y)->name);
}

/* The suspects, the likeliest first; the caller frees them. NULL without memory. */
static const tlr_budget_input **sort_suspects(const tlr_budget *b, size_t *n)
{
    const tlr_budget_input **suspects = calloc(b->n + 1, sizeof *suspects);
    *n = 0;
    for (size_t i = 0; suspects && i < b->n; i++)
        if (b->inputs[i].is_suspect && b->inputs[i].suspect.probability > 0)
            suspects[(*n)++] = &b->inputs[i];
    if (suspects)
        qsort(suspects, *n, sizeof *suspects, compare_suspects);
    return suspects;
}

static void print_suspect(const tlr_budget_input *input, FILE *out)
{
    char change[32];
    const double factor = input->suspect.factor;
    if (factor < MOST_CHANGE)
        snprintf(change, sizeof change, "%+.1f %%", 100 * (factor - 1));
    else
        snprintf(change, sizeof change, "over %g x", MOST_CHANGE);
    fprintf(out, "%-26s %12s  %9.1f %%\n", tl_printable(input->name), change,
            100 * input->suspect.probability);
}

/* What follows from the suspects, the likeliest first. An input that has hardly an effect explains
 * the runs as well as none does, so it must be clearly likelier than none. */
static void print_verdict(const tlr_budget *b, const tlr_budget_input *const *suspects, size_t n,
                          FILE *out)
{
    const tlr_budget_input *first = n ? suspects[0] : NULL;
    if (!first || first->suspect.probability <= 1.1 * b->no_suspect) {
        fputs("\nmost likely, no input is wrong by more than is stated\n", out);
        return;
    }
    if (fabs(log(first->suspect.factor)) >
        MOST_SUSPECTED * log1p(TLR_SUSPECT_TIMES * first->uncertainty))
        fprintf(out,
                "\n%s would be wrong by far more than %d times its uncertainty: check that these "
                "are seconds of the same run\n",
                tl_printable(first->name), TLR_SUSPECT_TIMES);
    fprintf(out, "\nmeasure first: %s\n", first->remedy);
}

static void print_suspects(const tlr_budget *b, FILE *out)
{
    size_t n;
    char range[64];
    const tlr_budget_input **suspects = sort_suspects(b, &n);
    if (b->n_runs == 1)
        snprintf(range, sizeof range, "%.4g", b->least_ratio);
    else
        snprintf(range, sizeof range, "%.4g to %.4g", b->least_ratio, b->most_ratio);
    fprintf(out,
            "\nmeasured: %zu run%s, %s times the prediction. If one input is wrong by more than is "
            "stated:\n\n%-26s %12s  %11s\n",
            b->n_runs, b->n_runs == 1 ? "" : "s", range, "suspect", "would be", "probability");
    for (size_t i = 0; suspects && i < n; i++)
        print_suspect(suspects[i], out);
    fprintf(out, "%-26s %12s  %9.1f %%\n", "none", "", 100 * b->no_suspect);
    if (suspects)
        print_verdict(b, suspects, n, out);
    free(suspects);
}

/* And it counts: it has 1 % of the square of the interval or more (a choice). */
static int is_assumed(const tlr_budget *b, const tlr_budget_input *input)
{
    return input->source == TLR_BUDGET_ASSUMED && share_of(b, input) >= 0.01;
}

void tlr_budget_print(const tlr_budget *b, FILE *out)
{
    fprintf(out, "makespan %.4g s, 90 %% interval %.4g s to %.4g s (-%.2f %%, +%.2f %%)\n",
            b->makespan_s, b->makespan_s - b->below_s, b->makespan_s + b->above_s,
            100 * b->below_s / b->makespan_s, 100 * b->above_s / b->makespan_s);
    if (b->below_s + b->above_s > 0)
        fprintf(out, "\n%-26s %8s  %-8s  %9s %9s  %7s\n", "input", "+-", "from", "faster", "slower",
                "share");
    for (size_t i = 0; i < b->n; i++)
        if (!has_no_effect(b, &b->inputs[i]))
            print_input(b, &b->inputs[i], out);
    fputc('\n', out);
    print_names(b, "no effect:", has_no_effect, out);
    print_names(b, "assumed, state them with --uncertain NAME=PERCENT:", is_assumed, out);
    for (size_t i = 0; i < b->n_notes; i++)
        fprintf(out, "%s\n", tl_printable(b->notes[i].text));
    if (b->n && !has_no_effect(b, &b->inputs[0]))
        fprintf(out,
                "next: %s\n      (with half of the uncertainty of %s, the interval is +-%.2f %%)\n",
                b->inputs[0].remedy, tl_printable(b->inputs[0].name),
                100 * halved(b, &b->inputs[0]));
    if (b->n_runs)
        print_suspects(b, out);
}

static json_t *input_of(const tlr_budget *b, const tlr_budget_input *input)
{
    json_t *o = json_pack(
        "{s:s, s:o, s:s, s:f, s:f, s:f, s:s}", "input", input->name, "uncertainty",
        input->source == TLR_BUDGET_REPLAYED ? json_null() : json_real(input->uncertainty), "from",
        sources[input->source], "low_s", input->low_s, "high_s", input->high_s, "share",
        share_of(b, input), "remedy", input->remedy);
    if (input->n_runs)
        json_object_set_new(o, "runs", json_integer((json_int_t)input->n_runs));
    if (input->is_suspect)
        json_object_update_new(o, json_pack("{s:f, s:f}", "suspected_factor", input->suspect.factor,
                                            "suspicion", input->suspect.probability));
    return o;
}

static json_t *notes_of(const tlr_budget *b)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < b->n_notes; i++)
        json_array_append_new(notes, json_string(tl_printable(b->notes[i].text)));
    return notes;
}

tl_status tlr_budget_write_json(const tlr_budget *b, FILE *out, tl_error *err)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < b->n; i++)
        json_array_append_new(inputs, input_of(b, &b->inputs[i]));
    json_t *root = json_pack("{s:f, s:f, s:f, s:f, s:o}", "makespan_s", b->makespan_s, "interval",
                             0.9, "low_s", b->makespan_s - b->below_s, "high_s",
                             b->makespan_s + b->above_s, "inputs", inputs);
    if (b->n_notes)
        json_object_set_new(root, "notes", notes_of(b));
    if (b->n_runs)
        json_object_update_new(root,
                               json_pack("{s:I, s:f, s:f, s:f}", "measured_runs",
                                         (json_int_t)b->n_runs, "least_ratio", b->least_ratio,
                                         "most_ratio", b->most_ratio, "no_suspect", b->no_suspect));
    const int failed = !root || json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? tl_fail(err, TL_ERR_SYSTEM, "the budget cannot be written") : TL_OK;
}
