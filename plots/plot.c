/* plot.c - a picture as a script of gnuplot: layout, axes, legend, series. */
#include "config.h"

#include "script.h"

#include <math.h>
#include <string.h>

/* Pixels. The margins of a panel hold the labels of its axes. */
enum {
    PANEL_WIDTH = 560,
    PANEL_HEIGHT = 420,
    TITLE_HEIGHT = 34,
    PANEL_TITLE = 30,
    LEFT = 96,
    RIGHT = 22,
    BOTTOM = 62,
    TOP = 14,
    LETTER_WIDTH = 8,
    TITLE_LETTER = 9,
    KEY_SAMPLE = 84,
    KEY_LINE = 22,
    MOST_LETTERS = 28, /* of a name below the x axis, and beside the y axis */
    MOST_LETTERS_Y = 68,
    TALL = 800, /* a panel of this height has its x axis at the top, too */
    TOP_AXIS = 44,
    N_COLOURS = 8
};

static const char *const colours[N_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#8c564b", "#707070"};

/* The heights of crosses, as shares of the panel. */
#define CROSS_FIRST 0.02
#define CROSS_STEP 0.025
/* Of a block, in steps of the y axis. */
#define BLOCK_HEIGHT 0.84

/* ---- layout ---- */

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t longest_name(const tlg_axis *axis, size_t limit)
{
    size_t longest = 0;
    for (size_t i = 0; i < axis->n_names; i++)
        longest = most(longest, tlg_letters(axis->names[i], limit));
    return longest;
}

static bool is_in_key(const tlg_series *s)
{
    return s->name && s->name[0];
}

/* Whether an earlier panel or series has the same entry of the legend. */
static bool is_repeated(const tlg_picture *p, size_t panel, size_t series)
{
    const tlg_series *self = &p->panels[panel].series[series];
    for (size_t i = 0; i <= panel; i++)
        for (size_t k = 0; k < (i < panel ? p->panels[i].n_series : series); k++) {
            const tlg_series *s = &p->panels[i].series[k];
            if (is_in_key(s) && s->number == self->number && s->look == self->look &&
                !strcmp(s->name, self->name))
                return 1;
        }
    return 0;
}

static layout lay_out(const tlg_picture *p)
{
    layout l = {.columns = p->n_columns ? p->n_columns : (unsigned)p->n_panels,
                .width = p->width ? p->width : PANEL_WIDTH,
                .height = p->height ? p->height : PANEL_HEIGHT,
                .left = LEFT,
                .bottom = BOTTOM,
                .top = p->title ? TITLE_HEIGHT : 0};
    size_t letters = 0, n_keys = 0, names = 0;
    l.rows = ((unsigned)p->n_panels + l.columns - 1) / l.columns;
    for (size_t i = 0; i < p->n_panels; i++) {
        const tlg_panel *panel = &p->panels[i];
        const size_t x_name = longest_name(&panel->x, MOST_LETTERS);
        const double step = panel->x.n_names ? (l.width - LEFT - RIGHT) / (double)panel->x.n_names
                                             : (double)l.width;
        if (LETTER_WIDTH * (x_name + 1.0) > step) {
            l.is_steep = 1;
            l.bottom = fmax(l.bottom, BOTTOM + 0.72 * LETTER_WIDTH * (double)x_name);
            l.left = fmax(l.left, 0.72 * LETTER_WIDTH * (double)x_name - step / 2 + LETTER_WIDTH);
        }
        names = most(names, longest_name(&panel->y, MOST_LETTERS_Y));
        for (size_t k = 0; k < panel->n_series; k++)
            if (is_in_key(&panel->series[k]) && !is_repeated(p, i, k)) {
                letters = most(letters, tlg_letters(panel->series[k].name, 1000));
                n_keys++;
            }
    }
    l.left = fmax(l.left, LETTER_WIDTH * (double)names + 3 * LETTER_WIDTH);
    l.above = l.height > TALL ? TOP_AXIS : 0;
    l.height += l.bottom - BOTTOM + l.above;
    l.width += l.left - LEFT;
    l.key = n_keys ? KEY_SAMPLE + LETTER_WIDTH * (double)letters : 0;
    l.total_width = l.columns * l.width + l.key;
    l.total_height = fmax(l.top + l.rows * l.height, l.top + KEY_LINE * ((double)n_keys + 2));
    return l;
}

/* ---- axes ---- */

/* A linear axis of one of these units gets a prefix, which divides its values. */
static scale choose_scale(const tlg_axis *axis, double low, double high)
{
    static const struct {
        const char *unit, *text;
        double factor;
    } prefixes[] = {{"s", "ns", 1e-9},     {"s", "µs", 1e-6},    {"s", "ms", 1e-3},
                    {"s", "s", 1},         {"B", "B", 1},        {"B", "kB", 1e3},
                    {"B", "MB", 1e6},      {"B", "GB", 1e9},     {"B/s", "B/s", 1},
                    {"B/s", "MB/s", 1e6},  {"B/s", "GB/s", 1e9}, {"1/s", "1/s", 1},
                    {"1/s", "10⁶/s", 1e6}, {"1/s", "10⁹/s", 1e9}};
    scale s = {.low = low, .high = high, .factor = 1, .unit = axis->unit};
    const double largest = fmax(fabs(low), fabs(high));
    for (size_t i = 0; !axis->is_log && i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strcmp(prefixes[i].unit, axis->unit) &&
            (largest >= prefixes[i].factor || s.unit == axis->unit)) {
            s.factor = prefixes[i].factor;
            s.unit = prefixes[i].text;
        }
    s.low /= s.factor;
    s.high /= s.factor;
    return s;
}

static void widen(double value, const tlg_axis *axis, double *low, double *high)
{
    if (!isfinite(value) || (axis->is_log && value <= 0))
        return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void find_data(const tlg_panel *panel, bool is_x, double *low, double *high)
{
    const tlg_axis *axis = is_x ? &panel->x : &panel->y;
    for (size_t k = 0; k < panel->n_series; k++) {
        const tlg_series *s = &panel->series[k];
        const double *values = is_x ? s->x : s->y;
        for (size_t i = 0; i < s->n; i++) {
            if (is_x || s->look != TLG_CROSSES)
                widen(values[i], axis, low, high);
            if (is_x && s->look == TLG_BLOCKS) {
                widen(s->low[i], axis, low, high);
                widen(s->high[i], axis, low, high);
            }
        }
    }
}

/* The largest number of crosses one above the other. */
static double count_crosses(const tlg_panel *panel)
{
    double n = 0;
    for (size_t k = 0; k < panel->n_series; k++)
        for (size_t i = 0; i < panel->series[k].n && panel->series[k].look == TLG_CROSSES; i++)
            if (isfinite(panel->series[k].y[i]))
                n = fmax(n, panel->series[k].y[i] + 1);
    return n;
}

/* Crosses have a strip of their own below the data. */
static void make_strip(const tlg_panel *panel, double n, double *low, double high)
{
    if (!(n > 0))
        return;
    const double share = fmin(0.5, CROSS_FIRST + CROSS_STEP * (n + 1));
    *low = panel->y.is_log ? *low / pow(high / *low, share / (1 - share))
                           : *low - (high - *low) * share / (1 - share);
}

/* At least two decades are marked. */
static void round_log(double *low, double *high)
{
    const double first = ceil(log10(*low) - 1e-9), last = floor(log10(*high) + 1e-9);
    if (last - first < 1) {
        *low = pow(10, floor(log10(*low) + 1e-9));
        *high = pow(10, ceil(log10(*high) - 1e-9));
        if (*high < 10 * *low)
            *high = 10 * *low;
    }
    *low /= 1.3;
    *high *= 1.3;
}

/* Of panels that have the same axis: that of the first. */
static scale find_scale(const tlg_panel *panels, size_t n_panels, bool is_x)
{
    const tlg_axis *axis = is_x ? &panels->x : &panels->y;
    double low = INFINITY, high = -INFINITY, n_crosses = 0;
    if (axis->n_names && !axis->places)
        return (scale){-0.5, (double)axis->n_names - 0.5, 1, axis->unit};
    for (size_t i = 0; i < n_panels; i++) {
        find_data(&panels[i], is_x, &low, &high);
        n_crosses = fmax(n_crosses, is_x ? 0 : count_crosses(&panels[i]));
    }
    if (!(low <= high)) {
        low = axis->is_log ? 1 : 0;
        high = axis->is_log ? 10 : 1;
    }
    if (axis->low != 0 || axis->high != 0)
        return choose_scale(axis, axis->low, axis->high);
    if (axis->is_log && axis->n_names) {
        low /= 1.3;
        high *= 1.3;
    } else if (axis->is_log) {
        round_log(&low, &high);
    } else {
        const double room = high > low ? 0.04 * (high - low) : fmax(fabs(high) / 10, 1e-12);
        low = axis->from_zero || (low == 0 && !is_x) ? 0 : low - room;
        high += room;
    }
    make_strip(panels, n_crosses, &low, high);
    return choose_scale(axis, low, high);
}

/* Few whole numbers, such as numbers of ranks: ticks between them would mean nothing. */
static bool has_whole_numbers(const tlg_panel *panel, bool is_x, const scale *s)
{
    enum { MOST_TICKS = 12 };
    const tlg_axis *axis = is_x ? &panel->x : &panel->y;
    if (axis->is_log || axis->n_names || axis->unit[0] || s->factor != 1 ||
        s->high - s->low > (is_x ? MOST_TICKS : MOST_TICKS / 2))
        return 0;
    for (size_t k = 0; k < panel->n_series; k++) {
        const double *values = is_x ? panel->series[k].x : panel->series[k].y;
        for (size_t i = 0; i < panel->series[k].n; i++)
            if (values[i] != floor(values[i]))
                return 0;
    }
    return 1;
}

static void put_label(FILE *out, const tlg_axis *axis, const scale *s)
{
    tlg_put_text(out, axis->label, 1000);
    if (s->unit[0] && !axis->is_log) /* there, each tick has its unit */
        fprintf(out, ".' [%s]'", s->unit);
    fprintf(out, ".'%s'\n", axis->is_log ? ", logarithmic" : "");
}

static void put_axis(FILE *out, char name, const tlg_axis *axis, const scale *s, bool is_steep)
{
    const double tick = axis->is_log ? log10(s->high / s->low) : 0;
    fprintf(out, "unset logscale %c\nset %ctics nomirror norotate autofreq\nset m%ctics\n", name,
            name, name);
    fprintf(out, "set %clabel ", name);
    put_label(out, axis, s);
    if (axis->n_names) {
        fprintf(out, "unset m%ctics\nset %ctics scale 0 %s (", name, name,
                is_steep && name == 'x' ? "rotate by 45 right" : "norotate");
        for (size_t i = 0; i < axis->n_names; i++) {
            fputs(i ? "," : "", out);
            tlg_put_text(out, axis->names[i], name == 'y' ? MOST_LETTERS_Y : MOST_LETTERS);
            fprintf(out, " %.9g", axis->places ? axis->places[i] : (double)i);
        }
        fprintf(out, ")\n%s", axis->is_log ? "set logscale x\n" : "");
    } else if (axis->is_log) {
        fprintf(out, "set logscale %c\nset m%ctics 10\n", name, name);
        if (tick < 13)
            fprintf(out, "set %ctics %.9g,10\n", name, pow(10, floor(log10(s->low))));
        const bool is_long = s->low >= 1 && s->high >= 1e6; /* 10 M instead of 1e+07 */
        fprintf(out, "set format %c '%s%s'\n", name, axis->unit[0] || is_long ? "%.0s %c" : "%g",
                axis->unit);
    } else {
        fprintf(out, "set format %c '%%g'\n", name);
    }
    if (axis->n_names && name == 'y')
        fprintf(out, "set yrange [%.9g:%.9g]\n", s->high, s->low);
    else
        fprintf(out, "set %crange [%.9g:%.9g]\n", name, s->low, s->high);
}

/* ---- series ---- */

/* Colours and shapes repeat after different numbers of series. */
static void put_style(FILE *out, const tlg_series *s)
{
    static const int shapes[] = {7, 5, 9, 13, 11, 4, 6, 8, 12, 10, 2, 3, 1};
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    const bool is_black = s->number < 0;
    const int number = is_black ? 0 : s->number;
    const char *colour = s->colour ? s->colour : is_black ? "#000000" : colours[number % N_COLOURS];
    const char *dash = is_black ? "2" : number / N_COLOURS % 2 ? "4" : "1";
    switch (s->look) {
    case TLG_LINE:
        fprintf(out, "with linespoints lc rgb '%s' lw %s dt %s pt %d ps %s", colour,
                s->is_strong ? "4"
                : is_black   ? "2.5"
                             : "1.6",
                dash, is_black ? 1 : shapes[number % N_SHAPES], s->is_strong ? "1.2" : "0.75");
        break;
    case TLG_CURVE: fprintf(out, "with lines lc rgb '%s' lw 2 dt %s", colour, dash); break;
    case TLG_STEPS: fprintf(out, "with steps lc rgb '%s' lw 1.6", colour); break;
    case TLG_DOTS: fprintf(out, "with lines lc rgb '%s' lw 4", colour); break;
    case TLG_BLOCKS: fprintf(out, "with boxxyerror lc rgb '%s' fs solid noborder", colour); break;
    case TLG_POINTS:
        fprintf(out, "with points lc rgb '%s' pt %d ps 0.9 lw 1.5", colour,
                is_black ? 1 : shapes[number % N_SHAPES]);
        break;
    case TLG_CROSSES: fprintf(out, "with points lc rgb '%s' pt 2 ps 0.8 lw 1.6", colour); break;
    }
}

/* Legends show a marker instead of a small dot. */
static void put_key(FILE *out, const tlg_series *s)
{
    tlg_series sample = *s;
    if (s->look == TLG_DOTS)
        sample.look = TLG_POINTS;
    fputs("keyentry ", out);
    put_style(out, &sample);
    fputs(" title ", out);
    tlg_put_text(out, s->name, 1000);
}

/* A dot is a line that is too short to be seen as one: thousands of lines are one element of an
 * SVG file, thousands of markers are not. */
static void put_dot(FILE *out, double x, double y, const scale *s, bool is_log)
{
    const double right = is_log ? x * pow(s->high / s->low, 1e-4) : x + 1e-4 * (s->high - s->low);
    fprintf(out, "%.9g %.9g\n%.9g %.9g\n\n", x, y, right, y);
}

/* The height of a cross, from the lower edge. */
static double height_of(const scale *y, bool is_log, double n_below)
{
    const double share = CROSS_FIRST + CROSS_STEP * n_below;
    return is_log ? y->low * pow(y->high / y->low, share) : y->low + share * (y->high - y->low);
}

static double inside(double value, const scale *s)
{
    return fmin(s->high, fmax(s->low, value));
}

static bool is_visible(const tlg_panel *panel, const tlg_series *s, size_t i)
{
    return isfinite(s->x[i]) && isfinite(s->y[i]) && !(panel->x.is_log && s->x[i] <= 0) &&
           !(panel->y.is_log && s->y[i] <= 0 && s->look != TLG_CROSSES);
}

static bool has_data(const tlg_panel *panel, const tlg_series *s)
{
    size_t i = 0;
    while (i < s->n && !is_visible(panel, s, i))
        i++;
    return i < s->n;
}

static void put_data(FILE *out, const tlg_panel *panel, const tlg_series *s, size_t number,
                     const scale *x, const scale *y)
{
    fprintf(out, "$d%zu << END\n", number);
    for (size_t i = 0; i < s->n; i++) {
        const double at = s->x[i] / x->factor;
        const double value =
            s->look == TLG_CROSSES ? height_of(y, panel->y.is_log, s->y[i]) : s->y[i] / y->factor;
        if (!is_visible(panel, s, i))
            fputs("\n", out);
        else if (s->look == TLG_DOTS)
            put_dot(out, at, inside(value, y), x, panel->x.is_log);
        else if (s->look == TLG_BLOCKS)
            fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", at, value,
                    inside(s->low[i] / x->factor, x), inside(s->high[i] / x->factor, x),
                    value - BLOCK_HEIGHT / 2, value + BLOCK_HEIGHT / 2);
        else
            fprintf(out, "%.9g %.9g\n", at, value);
    }
    fputs("END\n", out);
}

/* Thick lines come first, so that they hide no others. */
static void put_series(FILE *out, const tlg_panel *panel, const scale *x, const scale *y)
{
    for (size_t k = 0; k < panel->n_series; k++)
        if (has_data(panel, &panel->series[k]))
            put_data(out, panel, &panel->series[k], k, x, y);
    fputs("plot NaN notitle", out);
    for (int is_strong = 1; is_strong >= 0; is_strong--)
        for (size_t k = 0; k < panel->n_series; k++) {
            const tlg_series *s = &panel->series[k];
            if (s->is_strong != is_strong || !has_data(panel, s))
                continue;
            fprintf(out, ", $d%zu using %s ", k, s->look == TLG_BLOCKS ? "1:2:3:4:5:6" : "1:2");
            put_style(out, s);
            fputs(" notitle", out);
        }
    fputs("\n", out);
}

/* ---- the script ---- */

/* The lower axis of a tall panel is off the screen while its first rows are read. */
static void put_top_axis(FILE *out, const tlg_axis *axis, const scale *s)
{
    if (axis->is_log || axis->n_names)
        return;
    fprintf(out, "set link x2\nset x2tics nomirror norotate autofreq\nset mx2tics\nset format x2 "
                 "'%%g'\nset x2label ");
    put_label(out, axis, s);
}

static void put_panel(FILE *out, const tlg_picture *p, size_t index, const layout *l)
{
    const tlg_panel *panel = &p->panels[index];
    const size_t column = index % l->columns, row = index / l->columns, first = row * l->columns;
    const size_t n_in_row = p->n_panels - first < l->columns ? p->n_panels - first : l->columns;
    const scale x = find_scale(panel, 1, 1), y = p->shares_y
                                                     ? find_scale(&p->panels[first], n_in_row, 0)
                                                     : find_scale(panel, 1, 0);
    const double left = (double)column * l->width, top = l->top + (double)row * l->height;
    fprintf(out,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset tmargin at screen "
            "%.6f\nset bmargin at screen %.6f\nunset object\nunset arrow\n",
            (left + l->left) / l->total_width, (left + l->width - RIGHT) / l->total_width,
            1 - (top + l->above + (panel->title ? PANEL_TITLE : TOP)) / l->total_height,
            1 - (top + l->height - l->bottom) / l->total_height);
    put_axis(out, 'x', &panel->x, &x, l->is_steep);
    if (has_whole_numbers(panel, 1, &x))
        fputs("set xtics 1\nunset mxtics\n", out);
    if (l->above > 0)
        put_top_axis(out, &panel->x, &x);
    put_axis(out, 'y', &panel->y, &y, 0);
    if (has_whole_numbers(panel, 0, &y))
        fputs("set ytics 1\nunset mytics\n", out);
    fputs("set title ", out);
    tlg_put_text(out, panel->title ? panel->title : "", 1000);
    fputs(" offset 0,-0.5\n", out);
    for (size_t i = 0; i < panel->n_rules; i++) {
        const double at = panel->rules[i] / x.factor;
        if (at < x.low || at > x.high) /* it would be drawn beside the panel */
            continue;
        fprintf(out,
                "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead back lc rgb '#b06000' dt 2\n",
                at, at);
    }
    put_series(out, panel, &x, &y);
}

/* The legend is a plot of its own, without axes and data: gnuplot leaves out the lines of a legend
 * that is higher than its plot. */
static void put_legend(FILE *out, const tlg_picture *p, const layout *l)
{
    const double left = (l->total_width - l->key + 8) / l->total_width;
    const double top = 1 - (l->top + PANEL_TITLE - KEY_LINE / 2.0) / l->total_height;
    fprintf(out,
            "unset border\nunset tics\nunset xlabel\nunset x2label\nunset ylabel\nunset "
            "title\nunset object\n"
            "unset arrow\nunset grid\nunset logscale\nset lmargin at screen %.6f\nset rmargin at "
            "screen 1\nset tmargin at screen %.6f\nset bmargin at screen 0\nset xrange [0:1]\n"
            "set yrange [0:1]\nset key at screen %.6f, screen %.6f left top Left reverse vertical "
            "samplen 3 spacing 1.1\nplot NaN notitle",
            left, top, left, top);
    for (size_t i = 0; i < p->n_panels; i++)
        for (size_t k = 0; k < p->panels[i].n_series; k++)
            if (is_in_key(&p->panels[i].series[k]) && !is_repeated(p, i, k)) {
                fputs(", ", out);
                put_key(out, &p->panels[i].series[k]);
            }
    fputs("\n", out);
}

layout tlg_script(const tlg_picture *p, tlg_format format, FILE *out)
{
    const layout l = lay_out(p);
    const double width = l.total_width, height = l.total_height;
    fputs("set encoding utf8\nset micro\n", out);
    switch (format) {
    case TLG_SVG:
        fprintf(out,
                "set terminal svg size %.0f,%.0f dynamic noenhanced rounded font 'sans,13' "
                "background '#ffffff'\n",
                width, height);
        break;
    case TLG_PAGE:
        fprintf(out, "set terminal svg size %.0f,%.0f fixed noenhanced rounded font 'sans,12'\n",
                width, height);
        break;
    case TLG_PDF:
        fprintf(out, "set terminal pdfcairo size %.3fin,%.3fin noenhanced rounded font 'sans,9'\n",
                width / 100, height / 100);
        break;
    case TLG_PNG:
        fprintf(out,
                "set terminal pngcairo size %.0f,%.0f noenhanced rounded font 'sans,10' "
                "background '#ffffff'\n",
                width, height);
        break;
    }
    fputs("set border 3 lc rgb '#404040'\nset grid xtics ytics lc rgb '#dddddd' lt 1 lw 1\n"
          "set tics nomirror textcolor rgb '#202020'\nset multiplot\n",
          out);
    if (p->title) {
        fputs("set label 1 ", out);
        tlg_put_text(out, p->title, (size_t)(l.total_width / TITLE_LETTER));
        fprintf(out, " at screen %.6f, screen %.6f left font ',15'\n", 14 / width,
                1 - TITLE_HEIGHT / 2.0 / height);
    }
    fputs("unset key\n", out);
    for (size_t i = 0; i < p->n_panels; i++) {
        put_panel(out, p, i, &l);
        if (!i)
            fputs("unset label 1\n", out);
    }
    if (l.key > 0)
        put_legend(out, p, &l);
    fputs("unset multiplot\n", out);
    return l;
}
