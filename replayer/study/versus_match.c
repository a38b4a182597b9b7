/* versus_match.c - call sites that are the same place in several versions of a program, although
 * their lines have moved. */
#include "config.h"

#include "versus.h"

#include "results/call_path.h"

#include <stdlib.h>
#include <string.h>

/* What one prediction has of a row. */
typedef struct place {
    char *key; /* its name without lines */
    const char *name;
    int side;
    double s;
} place;

/* The digits of a line at `text`, which begins with a colon: "f (app.c:8) < main:20". */
static size_t digits_at(const char *text)
{
    const size_t n = *text == ':' ? strspn(text + 1, "0123456789") : 0;
    return n && strchr(") ", text[1 + n]) ? n : 0; /* strchr finds the end of the text, too */
}

static void remove_lines(char *name)
{
    char *to = name;
    for (const char *from = name; *from;) {
        const size_t digits = digits_at(from);
        if (digits)
            from += 1 + digits;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

/* The lines of a name, and their number. */
static size_t read_lines(const char *name, long lines[TLR_MAX_LEVELS])
{
    size_t n = 0;
    for (; *name && n < TLR_MAX_LEVELS; name++)
        if (digits_at(name))
            lines[n++] = strtol(name + 1, NULL, 10);
    return n;
}

/* The order in the program: the outermost caller decides first. */
static int compare_lines(const char *a, const char *b)
{
    long x[TLR_MAX_LEVELS], y[TLR_MAX_LEVELS];
    size_t n = read_lines(a, x), m = read_lines(b, y);
    while (n && m)
        if (x[--n] != y[--m])
            return x[n] < y[m] ? -1 : 1;
    return strcmp(a, b);
}

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const int keys = strcmp(x->key, y->key);
    return keys ? keys : x->side != y->side ? x->side - y->side : compare_lines(x->name, y->name);
}

/* Whether each of the predictions has `each` places of one key. */
static bool are_matched(const place *places, size_t n, size_t n_sides, size_t each)
{
    for (size_t i = 0; i < n; i++)
        if (n != n_sides * each || (size_t)places[i].side != i / each)
            return 0;
    return 1;
}

/* All predictions have as many places of one key: the first one of A is the first one of B. The
 * name in the last one, with its lines, remains. Otherwise their sums are one row. */
static void take_group(const place *places, size_t n, size_t n_sides, tlr_versus_table *out)
{
    const size_t each = n / n_sides;
    const bool is_matched = are_matched(places, n, n_sides, each);
    const size_t n_rows = is_matched ? each : 1;
    for (size_t i = 0; i < n_rows; i++) {
        const char *name = is_matched ? places[n - each + i].name : places[0].key;
        out->rows[out->n_rows + i] =
            (tlr_versus_row){strdup(name), calloc(n_sides, sizeof(double)), 0};
    }
    for (size_t i = 0; i < n; i++) {
        const tlr_versus_row *row = &out->rows[out->n_rows + (is_matched ? i % each : 0)];
        if (row->s)
            row->s[places[i].side] += places[i].s;
    }
    out->n_rows += n_rows;
}

static void free_places(place *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(places[i].key);
    free(places);
}

static place *find_places(const tlr_versus_table *t, size_t n_sides, size_t *n)
{
    place *places = calloc(n_sides * t->n_rows + 1, sizeof *places);
    *n = 0;
    for (size_t i = 0; places && i < n_sides * t->n_rows; i++) {
        const tlr_versus_row *row = &t->rows[i / n_sides];
        const double s = row->s[i % n_sides];
        if (s == 0)
            continue;
        places[*n] = (place){strdup(row->name), row->name, (int)(i % n_sides), s};
        if (!places[*n].key) {
            free_places(places, *n);
            return NULL;
        }
        remove_lines(places[(*n)++].key);
    }
    if (places)
        qsort(places, *n, sizeof *places, compare_places);
    return places;
}

int tlr_versus_match(tlr_versus_table *t, size_t n_sides)
{
    size_t n = 0;
    place *places = find_places(t, n_sides, &n);
    tlr_versus_table out = {.rows = calloc(n + 1, sizeof *out.rows)};
    int good = places && out.rows;
    for (size_t i = 0, size = 0; i < n && good; i += size) {
        for (size = 0; i + size < n && !strcmp(places[i].key, places[i + size].key);)
            size++;
        take_group(&places[i], size, n_sides, &out);
    }
    for (size_t i = 0; i < out.n_rows; i++)
        good &= out.rows[i].name && out.rows[i].s;
    if (places)
        free_places(places, n);
    tlr_versus_free_rows(good ? t : &out);
    if (good)
        *t = out;
    return good;
}
