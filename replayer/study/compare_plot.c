/* compare_plot.c - a comparison as a plot: the values of each row as shares of the measured median.
 */
#include "config.h"

#include "compare.h"

#include <math.h>
#include <string.h>
#include <timeless_files.h>

enum { WIDTH = 900, LABELS = 330, MARGIN = 20, ROW = 22, TOP = 46, BOTTOM = 34 };

/* Half of the range of the axis, as a share: a round number that includes every value. */
static double half_range(const tlr_comparison *c)
{
    static const double steps[] = {0.02, 0.05, 0.1, 0.2, 0.5};
    double widest = c->tolerance > 0 ? c->tolerance : 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        const tlr_values *m = &c->rows[i].measured, *e = &c->rows[i].expected;
        const double values[] = {m->low, m->high, e->low, e->high, e->median};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            widest = fmax(widest, fabs(values[k] / m->median - 1));
    }
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (widest <= steps[k])
            return steps[k];
    return fmin(ceil(widest), 10);
}

static double x_of(double share, double half)
{
    double inside = fmax(-1, fmin(1, share / half));
    return LABELS + (WIDTH - LABELS - MARGIN) * (inside + 1) / 2;
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    tl_put_xml(out, text, strlen(text));
    fputs("</text>\n", out);
}

static void put_bar(FILE *out, const tlr_values *values, double median, double half, double y,
                    const char *colour, int round)
{
    double low = x_of(values->low / median - 1, half), high = x_of(values->high / median - 1, half);
    double at = x_of(values->median / median - 1, half);
    fprintf(out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"3\"/>\n",
            low, high, y, y, colour);
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" rx=\"%d\" fill=\"%s\"/>\n",
            at - 4, y - 4, round ? 4 : 0, colour);
}

void tlr_comparison_write_svg(const tlr_comparison *c, FILE *out)
{
    static const char *const expected[] = {"predicted", "before", "before", "predicted (A)"};
    static const char measured_colour[] = "#1f77b4", expected_colour[] = "#d62728";
    double half = half_range(c), bottom = TOP + ROW * (double)c->n_rows;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, bottom + BOTTOM);
    if (c->tolerance > 0)
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"#e8f4e8\"/>\n",
                x_of(-c->tolerance, half), TOP,
                x_of(c->tolerance, half) - x_of(-c->tolerance, half), bottom - TOP);
    for (int tick = -2; tick <= 2; tick++) {
        char text[32];
        double share = half * tick / 2, x = x_of(share, half);
        fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" stroke=\"#cccccc\"/>\n",
                x, x, TOP, bottom);
        snprintf(text, sizeof text, "%+g%%", 100 * share);
        put_text(out, x, bottom + 14, "middle", tick ? text : "measured median");
    }
    fprintf(out, "<g fill=\"%s\">", measured_colour);
    put_text(out, LABELS, 18, "start", "measured (median, all runs)");
    fprintf(out, "</g><g fill=\"%s\">", expected_colour);
    put_text(out, LABELS, 34, "start", expected[c->kind]);
    fputs("</g>\n", out);
    for (size_t i = 0; i < c->n_rows; i++) {
        const tlr_comparison_row *row = &c->rows[i];
        double y = TOP + ROW * ((double)i + 0.5);
        char label[56];
        snprintf(label, sizeof label, "%s", row->name);
        put_text(out, LABELS - 10, y + 4, "end", label);
        put_bar(out, &row->measured, row->measured.median, half, y - 4, measured_colour, 1);
        put_bar(out, &row->expected, row->measured.median, half, y + 4, expected_colour, 0);
    }
    fputs("</svg>\n", out);
}
