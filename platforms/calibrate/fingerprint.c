/* fingerprint.c - a page that shows how the repetitions of an operation are distributed, and how
 * their durations change over time (Roth, thesis, section 4.7). */
#include "config.h"

#include "repetitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

enum { WIDTH = 450, HEIGHT = 200, LEFT = 62, BOTTOM = 26, TOP = 8, RIGHT = 12 };
/* A plot shows at most this number of good repetitions, and all others. */
enum { MAX_POINTS = 2000, N_BINS = 60, N_STEPS = 400, BOX = 14, N_TICKS = 4 };

typedef struct plot {
    FILE *out;
    double x0, x1, y0, y1;
} plot;

static double px(const plot *p, double x)
{
    const double share = p->x1 > p->x0 ? (x - p->x0) / (p->x1 - p->x0) : 0.5;
    return LEFT + fmax(0, fmin(1, share)) * (WIDTH - LEFT - RIGHT);
}

static double py(const plot *p, double y)
{
    const double share = p->y1 > p->y0 ? (y - p->y0) / (p->y1 - p->y0) : 0.5;
    return HEIGHT - BOTTOM - fmax(0, fmin(1, share)) * (HEIGHT - BOTTOM - TOP);
}

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        fprintf(out, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : "%c", *text);
}

/* Axes with numbers; `to_text` converts a position on an axis to its label. */
static double same(double value)
{
    return value;
}

static double power_of_ten(double value)
{
    return pow(10, value);
}

static void begin(const plot *p, const char *title, double (*x_text)(double),
                  double (*y_text)(double))
{
    fprintf(p->out, "<figure><figcaption>%s</figcaption><svg viewBox='0 0 %d %d' width='%d'>\n",
            title, WIDTH, HEIGHT, WIDTH);
    for (int i = 0; i <= N_TICKS; i++) {
        const double x = p->x0 + (p->x1 - p->x0) * i / N_TICKS;
        const double y = p->y0 + (p->y1 - p->y0) * i / N_TICKS;
        fprintf(p->out,
                "<path class='grid' d='M%.1f %dV%dM%d %.1fH%d'/><text x='%.1f' y='%d' "
                "text-anchor='middle'>%.4g</text><text x='%d' y='%.1f' "
                "text-anchor='end'>%.4g</text>\n",
                px(p, x), TOP, HEIGHT - BOTTOM, LEFT, py(p, y), WIDTH - RIGHT, px(p, x),
                HEIGHT - BOTTOM + 15, x_text(x), LEFT - 5, py(p, y) + 4, y_text(y));
    }
}

static void end(const plot *p)
{
    fputs("</svg></figure>\n", p->out);
}

/* ---- values by repetition ---- */

static int is_shown(const tlp_repetitions *r, size_t i, int all)
{
    return all || r->categories[i] == TLP_GOOD;
}

/* The lowest and highest value on the plot; 0 if there is none. */
static int find_range(const tlp_repetitions *r, int all, double *low, double *high)
{
    int any = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!is_shown(r, i, all))
            continue;
        *low = any ? fmin(*low, r->values[i]) : r->values[i];
        *high = any ? fmax(*high, r->values[i]) : r->values[i];
        any = 1;
    }
    if (any && !(*high > *low)) {
        *low -= fabs(*low) / 10 + 1e-12;
        *high += fabs(*high) / 10 + 1e-12;
    }
    return any;
}

static void plot_order(const tlp_repetitions *r, int all, FILE *out)
{
    static const char *const classes[TLP_N_CATEGORIES] = {"first", "warm", "outlier", "good"};
    double low, high;
    unsigned last = 1;
    if (!find_range(r, all, &low, &high))
        return;
    const int is_log = all && low > 0 && high > 10 * low;
    for (size_t i = 0; i < r->n; i++)
        last = r->order[i] > last ? r->order[i] : last;
    const plot p = {out, 0, last, is_log ? log10(low) : low, is_log ? log10(high) : high};
    begin(&p, all ? "by repetition, all" : "by repetition, the good ones", same,
          is_log ? power_of_ten : same);
    for (int c = 0; c < TLP_N_CATEGORIES; c++) {
        const size_t step = c == TLP_GOOD ? 1 + r->n / MAX_POINTS : 1;
        fprintf(out, "<path class='dot %s' d='", classes[c]);
        for (size_t i = 0; i < r->n; i += step)
            if ((int)r->categories[i] == c && is_shown(r, i, all))
                fprintf(out, "M%.1f %.1fh0", px(&p, r->order[i]),
                        py(&p, is_log ? log10(r->values[i]) : r->values[i]));
        fputs("'/>\n", out);
    }
    end(&p);
}

/* ---- distribution ---- */

static void plot_histogram(const tlp_repetitions *r, int all, FILE *out)
{
    double low, high;
    size_t bins[N_BINS] = {0}, most = 1;
    if (!find_range(r, all, &low, &high))
        return;
    for (size_t i = 0; i < r->n; i++) {
        if (!is_shown(r, i, all))
            continue;
        int bin = (int)((r->values[i] - low) / (high - low) * N_BINS);
        bin = bin < N_BINS ? bin : N_BINS - 1;
        bins[bin]++;
        most = bins[bin] > most ? bins[bin] : most;
    }
    const plot p = {out, low, high, 0, (double)most};
    begin(&p, all ? "histogram, all" : "histogram, the good ones", same, same);
    fputs("<path class='bar' d='", out);
    for (int i = 0; i < N_BINS; i++)
        if (bins[i])
            fprintf(out, "M%.1f %dV%.1fH%.1fV%dZ", px(&p, low + (high - low) * i / N_BINS),
                    HEIGHT - BOTTOM, py(&p, (double)bins[i]),
                    px(&p, low + (high - low) * (i + 1) / N_BINS), HEIGHT - BOTTOM);
    fputs("'/>\n", out);
    end(&p);
}

/* The empirical distribution function up to a little above the 95 % quantile, and a box with
 * whiskers over the quantiles of the table. */
static void plot_distribution(const double *sorted, size_t n, FILE *out)
{
    const double low = sorted[0], top = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.95);
    const double high = fmin(sorted[n - 1], top + (top - low) / 10);
    const plot p = {out, low, high, 0, 1};
    double q[5];
    static const double shares[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
    begin(&p, "share of repetitions that are no longer (ECDF); box: 5, 25, 50, 75, 95 %", same,
          same);
    fprintf(out, "<path class='line' d='M%.1f %.1f", px(&p, low), py(&p, 0));
    for (size_t i = 0; i < n && sorted[i] <= high; i += 1 + n / N_STEPS)
        fprintf(out, "H%.1fV%.1f", px(&p, sorted[i]), py(&p, (double)(i + 1) / (double)n));
    fputs("'/>\n", out);
    for (int i = 0; i < 5; i++)
        q[i] = px(&p, gsl_stats_quantile_from_sorted_data(sorted, 1, n, shares[i]));
    const int y = HEIGHT - BOTTOM - BOX - 4;
    fprintf(out,
            "<path class='box' d='M%.1f %dH%.1fM%.1f %dV%dH%.1fV%dZM%.1f %dV%dM%.1f %dH%.1f'/>\n",
            q[0], y + BOX / 2, q[1], q[1], y, y + BOX, q[3], y, q[2], y, y + BOX, q[3], y + BOX / 2,
            q[4]);
    end(&p);
}

static void print_quantiles(const tlp_repetitions *r, const double *sorted, FILE *out)
{
    static const double shares[] = {0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1};
    size_t counts[TLP_N_CATEGORIES] = {0};
    for (size_t i = 0; i < r->n; i++)
        counts[r->categories[i]]++;
    fputs("<table><tr><th>repetitions</th>", out);
    for (int c = 0; c < TLP_N_CATEGORIES; c++)
        fprintf(out, "<th>%s</th>", tlp_category_name((tlp_category)c));
    fputs("<th>mean</th><th>minimum</th><th>1 %</th><th>5 %</th><th>25 %</th><th>median</th>"
          "<th>75 %</th><th>95 %</th><th>99 %</th><th>maximum</th></tr>\n",
          out);
    fprintf(out, "<tr><td>%zu</td>", r->n);
    for (int c = 0; c < TLP_N_CATEGORIES; c++)
        fprintf(out, "<td>%zu</td>", counts[c]);
    fprintf(out, "<td>%.4g</td>", gsl_stats_mean(sorted, 1, r->n));
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        fprintf(out, "<td>%.4g</td>",
                gsl_stats_quantile_from_sorted_data(sorted, 1, r->n, shares[i]));
    fputs("</tr></table>\n", out);
}

static void print_operation(const tlp_repetitions *r, FILE *out)
{
    double *sorted = malloc((r->n + 1) * sizeof *sorted);
    fputs("<h2>", out);
    put_text(out, r->name);
    fprintf(out, " <small>%s", r->unit);
    if (r->n_groups > 1)
        fprintf(out, "; %zu groups", r->n_groups);
    fputs("</small></h2>\n", out);
    if (r->n && sorted) {
        memcpy(sorted, r->values, r->n * sizeof *sorted);
        gsl_sort(sorted, 1, r->n);
        print_quantiles(r, sorted, out);
        plot_order(r, 1, out);
        plot_order(r, 0, out);
        plot_histogram(r, 1, out);
        plot_histogram(r, 0, out);
        plot_distribution(sorted, r->n, out);
    }
    free(sorted);
}

void tlp_write_fingerprint(const tlp_repetition_list *list, const char *title, const char *notes,
                           FILE *out)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'/><title>%s</title>"
            "<style>\n"
            "body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 62em; }\n"
            "figure { display: inline-block; margin: 0; } figcaption { font-size: 13px; }\n"
            "svg { display: block; } text { font: 11px sans-serif; fill: #444; }\n"
            "path { fill: none; } .grid { stroke: #ddd; } .line { stroke: #a00; }\n"
            ".bar { fill: #27a; } .box { stroke: #444; fill: #fff; fill-opacity: .7; }\n"
            ".dot { stroke-width: 2.5; stroke-linecap: round; } .good { stroke: #27a; }\n"
            ".first { stroke: #000; stroke-width: 5; } .warm { stroke: #e80; } "
            ".outlier { stroke: #c00; }\n"
            "td, th { padding: .1em .5em; text-align: right; font-size: 13px; }\n"
            "pre { font-size: 12px; white-space: pre-wrap; } small { font-weight: normal; }\n"
            "</style></head><body>\n<h1>%s</h1>\n"
            "<p>Every repetition is the first (black), warm-up (orange), an outlier (red) or good "
            "(blue). Warm-up ends at the first repetition from the tenth on at which the minimum "
            "so far falls by a tenth of the median or more, if there is one; outliers take at "
            "least twice the median (Roth, section 4.5). Groups, which are cores or ranks, have "
            "each their own.</p>\n<pre>",
            title, title);
    put_text(out, notes);
    fputs("</pre>\n", out);
    for (size_t i = 0; i < list->n; i++)
        print_operation(&list->items[i], out);
    fputs("</body></html>\n", out);
}
