/* fit_nest.c - two loops in each other around the same calls. Their calls are those of one loop, so
 * its number of iterations is what two loops have together: 1 + 2 + ... + A, or A * B. What the
 * calls do then decides between the directions in which the loops count. */
#include "config.h"

#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_END = 2 * FIT_MAX_TEXT }; /* characters of an end of a loop */

typedef enum inner_trips { RISING, FALLING, EQUAL } inner_trips;

/* A way in which the loops count. The outer one counts from 0 to A - 1, the inner one has a + 1,
 * A - a or B iterations; its first and last value are texts with A, a, and B for them. */
typedef struct fashion {
    inner_trips trips;
    int step;
    const char *first, *last;
} fashion;

static const fashion fashions[] = {{RISING, -1, "a", "0"},      {RISING, 1, "0", "a"},
                                   {FALLING, 1, "0", "A1 - a"}, {FALLING, -1, "A1 - a", "0"},
                                   {FALLING, 1, "a", "A1"},     {FALLING, -1, "A1", "a"},
                                   {EQUAL, 1, "0", "B1"},       {EQUAL, -1, "B1", "0"}};

/* The expressions of the numbers of iterations. */
typedef struct nest {
    const fitting *f;
    const fit_node *node;
    char a[FIT_MAX_TEXT], b[FIT_MAX_TEXT]; /* texts; b: of EQUAL */
    fit_line of_a, of_b;                   /* of EQUAL */
} nest;

static fit_node *node_at(const fitting *f, uint32_t number)
{
    return (fit_node *)f->nodes.items + number;
}

/* ---- how many iterations ---- */

/* A of A * (A + 1) / 2. */
static bool triangular_root(int64_t value, int64_t *root)
{
    if (value < 0 || value > INT64_C(1) << 40)
        return false;
    *root = (int64_t)((sqrt(8.0 * (double)value + 1) - 1) / 2 + 0.5);
    return *root * (*root + 1) / 2 == value;
}

static bool get_root(const void *arg, const fit_sample *sample, int64_t *out)
{
    (void)arg;
    return triangular_root(sample->trips, out);
}

static bool get_trips(const void *arg, const fit_sample *sample, int64_t *out)
{
    (void)arg;
    *out = sample->trips;
    return true;
}

/* Whether the loop may be a triangle: all numbers are triangular, and some are different. */
static bool is_triangle(const fitting *f, const fit_node *node)
{
    const fit_sample *all = node->samples.items;
    int64_t root, first = -1;
    bool varies = false;
    for (size_t i = 0; i < node->samples.n; i++) {
        if (!fit_is_used(f, node, &all[i]))
            continue;
        if (!triangular_root(all[i].trips, &root))
            return false;
        varies |= first >= 0 && all[i].trips != first;
        first = all[i].trips;
    }
    return varies;
}

/* A and B of one time at which the loop is reached. */
static bool sizes_of(const nest *n, inner_trips trips, const fit_sample *loop, int64_t *a,
                     int64_t *b)
{
    if (trips != EQUAL)
        return triangular_root(loop->trips, a);
    return fit_line_value(n->f, &n->of_a, loop, a) && fit_line_value(n->f, &n->of_b, loop, b) &&
           *a >= 0 && *b >= 0 && *a * *b == loop->trips;
}

/* ---- the variables of the calls ---- */

static void set_index(const nest *n, size_t iteration, unsigned d, int64_t value)
{
    for (uint32_t at = n->node->body; at; at = node_at(n->f, at)->next)
        ((fit_sample *)node_at(n->f, at)->samples.items)[iteration].index[d] = (int32_t)value;
}

static int64_t end_of(const char *text, int64_t a, int64_t i, int64_t b)
{
    if (!strcmp(text, "a"))
        return i;
    if (!strcmp(text, "A1"))
        return a - 1;
    if (!strcmp(text, "B1"))
        return b - 1;
    return strcmp(text, "A1 - a") ? 0 : a - 1 - i;
}

/* Gives the variables of both loops their values. */
static bool assign(const nest *n, const fashion *way)
{
    const fit_sample *loops = n->node->samples.items;
    const unsigned d = n->node->depth;
    size_t start = 0;
    for (size_t i = 0; i < n->node->samples.n; start += (size_t)loops[i++].trips) {
        int64_t a, b = 0;
        size_t at = start;
        if (!fit_is_used(n->f, n->node, &loops[i]))
            continue;
        if (!sizes_of(n, way->trips, &loops[i], &a, &b))
            return false;
        for (int64_t k = 0; k < a; k++) {
            const int64_t first = end_of(way->first, a, k, b), last = end_of(way->last, a, k, b);
            for (int64_t j = first; way->step > 0 ? j <= last : j >= last; j += way->step) {
                set_index(n, at, d, k);
                set_index(n, at++, d + 1, j);
            }
        }
    }
    return true;
}

/* Back to 0, 1, 2... of one loop. */
static void restore(const nest *n)
{
    const fit_sample *loops = n->node->samples.items;
    size_t start = 0;
    for (size_t i = 0; i < n->node->samples.n; i++)
        for (int64_t k = 0; k < loops[i].trips; k++) {
            set_index(n, start, n->node->depth, k);
            if (n->node->depth + 1 < FIT_MAX_DEPTH)
                set_index(n, start, n->node->depth + 1, 0);
            start++;
        }
}

static void deepen_body(const nest *n, int by)
{
    for (uint32_t at = n->node->body; at; at = node_at(n->f, at)->next)
        node_at(n->f, at)->depth += (uint32_t)by;
}

/* ---- writing ---- */

/* What an end of the inner loop is in the skeleton. */
static void end_text(const nest *n, const char *end, char text[MAX_END])
{
    const unsigned d = n->node->depth;
    if (!strcmp(end, "a"))
        snprintf(text, MAX_END, "i%u", d);
    else if (!strcmp(end, "A1"))
        snprintf(text, MAX_END, "%s - 1", n->a);
    else if (!strcmp(end, "B1"))
        snprintf(text, MAX_END, "%s - 1", n->b);
    else if (!strcmp(end, "A1 - a"))
        snprintf(text, MAX_END, "%s - 1 - i%u", n->a, d);
    else
        snprintf(text, MAX_END, "%s", end);
}

static void print_line(fitting *f, unsigned indent, const char *text)
{
    fit_print(f, &f->out, "%*s%s\n", (int)(4 * indent), "", text);
}

static bool explain(fitting *f, const nest *n, const fashion *way, unsigned indent)
{
    char first[MAX_END], last[MAX_END];
    const unsigned d = n->node->depth;
    bool ok = assign(n, way);
    if (ok) {
        end_text(n, way->first, first);
        end_text(n, way->last, last);
        fit_print(f, &f->out, "%*sfor i%u = 0 to %s - 1 {\n", (int)(4 * indent), "", d, n->a);
        fit_print(f, &f->out, "%*sfor i%u = %s to %s%s {\n", (int)(4 * indent + 4), "", d + 1,
                  first, last, way->step < 0 ? " by -1" : "");
        deepen_body(n, 1);
        ok = fit_explain(f, n->node->body, indent + 2);
        deepen_body(n, -1);
        print_line(f, indent + 1, "}");
        print_line(f, indent, "}");
    }
    restore(n);
    return ok;
}

/* All ways in which loops with these numbers of iterations count. */
static bool explain_ways(fitting *f, const nest *n, bool is_triangle, size_t start, unsigned indent)
{
    bool found = false;
    for (size_t i = 0; i < sizeof fashions / sizeof *fashions && !found; i++) {
        if ((fashions[i].trips != EQUAL) != is_triangle)
            continue;
        f->out.size = start;
        found = explain(f, n, &fashions[i], indent);
    }
    return found;
}

static void enclose(char text[FIT_MAX_TEXT])
{
    char kept[FIT_MAX_TEXT];
    snprintf(kept, sizeof kept, "%s", text);
    if (fit_is_weak(kept))
        snprintf(text, FIT_MAX_TEXT, "(%.390s)", kept);
}

static bool explain_triangle(fitting *f, nest *n, size_t start, unsigned indent)
{
    if (!is_triangle(f, n->node) || !fit_attribute(f, n->node, FIT_NUMBER, get_root, NULL, n->a))
        return false;
    enclose(n->a);
    return explain_ways(f, n, true, start, indent);
}

/* Both orders of both loops. */
static bool explain_pair(fitting *f, nest *n, const fit_pair *pair, size_t start, unsigned indent)
{
    const fit_line lines[2] = {{pair->candidate, 1, 0, 0}, pair->other};
    bool found = false;
    for (int i = 0; i < 2 && !found; i++) {
        n->of_a = lines[i];
        n->of_b = lines[1 - i];
        fit_write_line(f, &n->of_a, n->a);
        fit_write_line(f, &n->of_b, n->b);
        enclose(n->a);
        enclose(n->b);
        found = explain_ways(f, n, false, start, indent);
    }
    return found;
}

static bool explain_rectangle(fitting *f, nest *n, size_t start, unsigned indent)
{
    enum { MAX_PAIRS = 6 };
    fit_pair pairs[MAX_PAIRS];
    fit_values v;
    bool found = false;
    if (fit_collect(f, n->node, get_trips, NULL, &v)) {
        const size_t n_pairs = fit_pairs(f, &v, MAX_PAIRS, pairs);
        for (size_t i = 0; i < n_pairs && !found; i++)
            found = explain_pair(f, n, &pairs[i], start, indent);
    }
    fit_release(&v);
    return found;
}

/* ---- a loop that counts down ---- */

static bool explain_reversed(fitting *f, const nest *n, size_t start, unsigned indent)
{
    const fit_sample *loops = n->node->samples.items;
    char trips[FIT_MAX_TEXT];
    size_t at = 0;
    if (!fit_attribute(f, n->node, FIT_NUMBER, get_trips, NULL, trips))
        return false;
    enclose(trips);
    for (size_t i = 0; i < n->node->samples.n; i++)
        for (int64_t k = loops[i].trips; k-- > 0;)
            set_index(n, at++, n->node->depth, k);
    f->out.size = start;
    fit_print(f, &f->out, "%*sfor i%" PRIu32 " = %s - 1 to 0 by -1 {\n", (int)(4 * indent), "",
              n->node->depth, trips);
    const bool ok = fit_explain(f, n->node->body, indent + 1);
    print_line(f, indent, "}");
    restore(n);
    return ok;
}

bool fit_explain_nest(fitting *f, const fit_node *node, size_t start, unsigned indent)
{
    nest n = {.f = f, .node = node};
    for (uint32_t at = node->body; at; at = node_at(f, at)->next)
        if (node_at(f, at)->is_loop)
            return false;
    return explain_reversed(f, &n, start, indent) ||
           (node->depth + 1 < FIT_MAX_DEPTH &&
            (explain_triangle(f, &n, start, indent) || explain_rectangle(f, &n, start, indent)));
}
