/* budget.c - the interval of a makespan from the replays with one input at its bounds. */
#include "config.h"

#include "budget.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static const double LEAST_DIFFERENCE = 1e-6; /* of two makespans, relative: below it is rounding */

static double half_of(const tlr_budget_input *input)
{
    return (input->below + input->above) / 2;
}

static int compare_inputs(const void *a, const void *b)
{
    const tlr_budget_input *x = a, *y = b;
    const double dx = half_of(x), dy = half_of(y);
    return dx != dy ? (dx < dy) - (dx > dy) : strcmp(x->name, y->name);
}

void tlr_budget_finish(tlr_budget *b)
{
    double below = 0, above = 0;
    for (size_t i = 0; i < b->n; i++) {
        tlr_budget_input *input = &b->inputs[i];
        input->below = fmax(0, b->value - fmin(input->low, input->high));
        input->above = fmax(0, fmax(input->low, input->high) - b->value);
        below += input->below * input->below;
        above += input->above * input->above;
    }
    b->below = sqrt(below);
    b->above = sqrt(above);
    if (b->n)
        qsort(b->inputs, b->n, sizeof *b->inputs, compare_inputs);
}

static void set_bounds(const double *values, size_t n, double deviations, double *low, double *high)
{
    const double mean = gsl_stats_mean(values, 1, n),
                 half = deviations * gsl_stats_sd_m(values, 1, n, mean);
    *low = fmax(0, mean - half);
    *high = mean + half;
}

void tlr_budget_spread(const double *values, size_t n, double *low, double *high)
{
    set_bounds(values, n, TLR_DEVIATIONS_90, low, high);
}

void tlr_budget_predict(const double *values, size_t n, double *low, double *high)
{
    set_bounds(values, n, gsl_cdf_tdist_Pinv(0.95, (double)n - 1) * sqrt(1 + 1 / (double)n), low,
               high);
}

/* The part of the input in the square of the interval. */
static double share_of(const tlr_budget *b, const tlr_budget_input *input)
{
    const double all = b->below * b->below + b->above * b->above;
    return all > 0 ? (input->below * input->below + input->above * input->above) / all : 0;
}

/* The relative half width, if the uncertainty of this input were half of it. Its square is then a
 * quarter, which takes three quarters from the sum of squares. */
static double halved(const tlr_budget *b, const tlr_budget_input *input)
{
    const double below = b->below * b->below - 0.75 * input->below * input->below,
                 above = b->above * b->above - 0.75 * input->above * input->above;
    return (sqrt(fmax(0, below)) + sqrt(fmax(0, above))) / 2 / b->value;
}

static const char *const sources[] = {"stated", "given", "assumed", "replayed", "measured"};

static void print_input(const tlr_budget *b, const tlr_budget_input *input, FILE *out)
{
    char uncertainty[32] = "";
    if (input->source != TLR_BUDGET_REPLAYED)
        snprintf(uncertainty, sizeof uncertainty, "%.3g %%", 100 * input->uncertainty);
    fprintf(out, "%-26s %8s  %-8s  %+7.2f %% %+7.2f %%  %5.1f %%\n", tl_printable(input->name),
            uncertainty, sources[input->source], -100 * input->below / b->value,
            100 * input->above / b->value, 100 * share_of(b, input));
}

/* The names of the inputs for which `is_one` holds, on a line. */
static void print_names(const tlr_budget *b, const char *title,
                        bool (*is_one)(const tlr_budget *, const tlr_budget_input *), FILE *out)
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

static bool has_no_effect(const tlr_budget *b, const tlr_budget_input *input)
{
    (void)b;
    return input->below <= 0 && input->above <= 0;
}

/* And it counts: it has 1 % of the square of the interval or more (a choice). */
static bool is_assumed(const tlr_budget *b, const tlr_budget_input *input)
{
    return input->source == TLR_BUDGET_ASSUMED && share_of(b, input) >= 0.01;
}

static void print_makespan(const tlr_budget *b, FILE *out)
{
    fprintf(out, "makespan %.4g s, 90 %% interval %.4g s to %.4g s (-%.2f %%, +%.2f %%)\n",
            b->value, b->value - b->below, b->value + b->above, 100 * b->below / b->value,
            100 * b->above / b->value);
}

/* The ratio of the makespans in per cent of that of A. */
static void print_difference(const tlr_budget *b, FILE *out)
{
    const double low = b->value - b->below, high = b->value + b->above;
    for (size_t i = 0; i < b->n_sides; i++)
        fprintf(out, "%c: makespan %.4g s%s%s\n", (int)('A' + i), b->sides[i].makespan_s,
                i ? ", with" : ",", tl_printable(b->sides[i].options));
    if (fabs(low - 1) < LEAST_DIFFERENCE && fabs(high - 1) < LEAST_DIFFERENCE) {
        fputs("A and B take the same time\n", out);
        return;
    }
    if (high < 1 || low > 1)
        fprintf(out, "B is %s than A by %.3g to %.3g %% of the time of A",
                high < 1 ? "faster" : "slower", 100 * (high < 1 ? 1 - high : low - 1),
                100 * (high < 1 ? 1 - low : high - 1));
    else
        fprintf(out,
                "B may be faster or slower than A: from %.3g %% of the time of A faster to "
                "%.3g %% slower",
                100 * (1 - low), 100 * (high - 1));
    fprintf(out, " (90 %% interval; predicted: %.3g %% %s)\n", 100 * fabs(b->value - 1),
            b->value <= 1 ? "faster" : "slower");
}

void tlr_budget_print(const tlr_budget *b, FILE *out)
{
    if (b->n_sides > 1)
        print_difference(b, out);
    else
        print_makespan(b, out);
    if (b->below + b->above > 0)
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
}

static json_t *input_of(const tlr_budget *b, const tlr_budget_input *input)
{
    const bool is_ratio = b->n_sides > 1;
    json_t *o = json_pack(
        "{s:s, s:o, s:s, s:f, s:f, s:f, s:s}", "input", input->name, "uncertainty",
        input->source == TLR_BUDGET_REPLAYED ? json_null() : json_real(input->uncertainty), "from",
        sources[input->source], is_ratio ? "low_ratio" : "low_s", input->low,
        is_ratio ? "high_ratio" : "high_s", input->high, "share", share_of(b, input), "remedy",
        input->remedy);
    if (input->n_runs)
        json_object_set_new(o, "runs", json_integer((json_int_t)input->n_runs));
    return o;
}

static json_t *notes_of(const tlr_budget *b)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < b->n_notes; i++)
        json_array_append_new(notes, json_string(tl_printable(b->notes[i].text)));
    return notes;
}

static json_t *sides_of(const tlr_budget *b)
{
    json_t *sides = json_array();
    for (size_t i = 0; i < b->n_sides; i++)
        json_array_append_new(sides, json_pack("{s:o, s:f}", "options",
                                               json_string(tl_printable(b->sides[i].options)),
                                               "makespan_s", b->sides[i].makespan_s));
    return sides;
}

json_t *tlr_budget_json(const tlr_budget *b)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < b->n; i++)
        json_array_append_new(inputs, input_of(b, &b->inputs[i]));
    const bool is_ratio = b->n_sides > 1;
    json_t *root =
        json_pack("{s:f, s:f, s:f, s:f, s:o}", is_ratio ? "ratio" : "makespan_s", b->value,
                  "interval", 0.9, is_ratio ? "low_ratio" : "low_s", b->value - b->below,
                  is_ratio ? "high_ratio" : "high_s", b->value + b->above, "inputs", inputs);
    if (is_ratio)
        json_object_set_new(root, "sides", sides_of(b));
    if (b->n_notes)
        json_object_set_new(root, "notes", notes_of(b));
    if (b->classes)
        json_object_set(root, "burst_classes", b->classes);
    return root;
}
