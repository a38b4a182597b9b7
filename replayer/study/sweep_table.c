/* sweep_table.c - reads and checks the rows of the results file of a sweep. */
#include "config.h"

#include "sweep_table.h"

#include "core/room.h"
#include "text_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A result of a point. */
typedef struct column {
    const char *name;
    enum { TEXT, NUMBER, WHOLE, FLAG } kind; /* double; uint64_t; bool, "1" or "" */
    enum { ALWAYS, IF_ABOVE_0, IF_SET } when;
    size_t offset, flag; /* in tlr_point; flag: IF_SET, of a bool */
} column;

#define AT(member) offsetof(tlr_point, member)
static const column columns[TLR_N_RESULTS] = {
    [TLR_MAKESPAN] = {"makespan_s", NUMBER, ALWAYS, AT(makespan_s), 0},
    [TLR_WITHOUT_NOISE] = {"makespan_without_noise_s", NUMBER, IF_ABOVE_0, AT(quiet_s), 0},
    [TLR_COMPUTE] = {"mean_compute_s", NUMBER, ALWAYS, AT(compute_s), 0},
    [TLR_EVENTS] = {"events", WHOLE, ALWAYS, AT(n_events), 0},
    [TLR_INTERVAL] = {"half_interval_90_s", NUMBER, IF_ABOVE_0, AT(half_s), 0},
    [TLR_ENERGY] = {"job_energy_j", NUMBER, IF_SET, AT(job_j), AT(has_energy)},
    [TLR_AT_LEAST] = {"energy_is_at_least", FLAG, IF_SET, AT(is_at_least), AT(is_at_least)},
    [TLR_COST] = {"job_cost", NUMBER, IF_SET, AT(cost), AT(has_cost)},
    [TLR_BALANCE] = {"load_balance", NUMBER, IF_SET, AT(efficiency.balance), AT(has_efficiency)},
    [TLR_SERIALISATION] = {"serialisation", NUMBER, IF_SET, AT(efficiency.serialisation),
                           AT(has_efficiency)},
    [TLR_TRANSFER] = {"transfer", NUMBER, IF_SET, AT(efficiency.transfer), AT(has_efficiency)},
    [TLR_CROWDED] = {"ranks_that_share_cores", WHOLE, ALWAYS, AT(n_crowded), 0},
    [TLR_ERROR] = {"error", TEXT, ALWAYS, 0, 0},
    [TLR_COMMAND] = {"command", TEXT, ALWAYS, 0, 0},
    [TLR_KEY] = {"key", TEXT, ALWAYS, 0, 0}};

bool tlr_sweep_has_column(const tlr_sweep *sweep, int i)
{
    return sweep->has_efficiency || i < TLR_BALANCE || i > TLR_CROWDED;
}

char *tlr_sweep_header(const tlr_sweep *sweep)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t a = 0; a < sweep->n_axes; a++) {
        tl_put_csv(out, sweep->axes[a].name, 0);
        putc(',', out);
    }
    for (int c = 0; c < TLR_N_RESULTS; c++)
        if (tlr_sweep_has_column(sweep, c))
            fprintf(out, "%s%s", columns[c].name, c + 1 < TLR_N_RESULTS ? "," : "");
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- values ---- */

static double number_at(const tlr_point *point, const column *c)
{
    return *(const double *)((const char *)point + c->offset);
}

static uint64_t whole_at(const tlr_point *point, const column *c)
{
    return *(const uint64_t *)((const char *)point + c->offset);
}

static bool has_value(const tlr_point *point, const column *c)
{
    return c->when == ALWAYS ||
           (c->when == IF_ABOVE_0 ? number_at(point, c) > 0
                                  : *(const bool *)((const char *)point + c->flag));
}

void tlr_sweep_put_results(const tlr_sweep *sweep, const tlr_point *point, FILE *out)
{
    for (int i = 0; i < TLR_ERROR; i++) {
        const column *c = &columns[i];
        if (!tlr_sweep_has_column(sweep, i))
            continue;
        if (!point->error[0] && has_value(point, c)) {
            if (c->kind == NUMBER)
                fprintf(out, "%.17g", number_at(point, c));
            else
                fprintf(out, "%" PRIu64, c->kind == WHOLE ? whole_at(point, c) : 1);
        }
        putc(',', out);
    }
}

void tlr_point_json(const tlr_point *point, json_t *out)
{
    for (int i = 0; i < TLR_BALANCE; i++) {
        const column *c = &columns[i];
        if (has_value(point, c))
            json_object_set_new(out, c->name,
                                c->kind == NUMBER  ? json_real(number_at(point, c))
                                : c->kind == WHOLE ? json_integer((json_int_t)whole_at(point, c))
                                                   : json_true());
    }
}

static uint64_t add_label(uint64_t before, const char *text)
{
    return XXH64(text, strlen(text) + 1, before);
}

uint64_t tlr_point_label(const tlr_sweep *sweep, size_t point)
{
    uint64_t label = 0;
    for (size_t a = 0; a < sweep->n_axes; a++)
        label = add_label(label, tlr_sweep_value(sweep, point, a));
    return add_label(label, sweep->command);
}

int tlr_compare_labels(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* ---- lines ---- */

/* Ends the field at *at with a zero and removes its quotes. Returns whether another field follows
 * in the line, which ends with a zero. */
static int next_field(char **at, char **field)
{
    char *to = *at, *from = *at;
    int quoted = 0;
    *field = to;
    for (; *from && (quoted || *from != ','); from++)
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    const int more = *from == ',';
    *to = '\0';
    if (**field == '\'' && strchr("=+-@", (*field)[1]) && (*field)[1]) /* tl_put_csv's */
        ++*field;
    *at = from + more;
    return more;
}

/* ---- what a row says ---- */

/* A finite number, at least 0. */
static int read_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return isdigit((unsigned char)*text) && !text[strspn(text, "0123456789.eE+-")] && !*end &&
           isfinite(*out);
}

static int read_whole(const char *text, int base, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, base);
    return isxdigit((unsigned char)*text) && !*end && !errno;
}

static int read_value(const column *c, const char *text, tlr_point *point)
{
    char *value = (char *)point + c->offset;
    bool *flag = (bool *)((char *)point + c->flag);
    if (c->when == IF_ABOVE_0 && !*text)
        return 1;
    if (c->when == IF_SET && !*text)
        return !*flag; /* set by another column */
    if (c->when == IF_SET)
        *flag = 1;
    return c->kind == NUMBER  ? read_number(text, (double *)value)
           : c->kind == WHOLE ? read_whole(text, 10, (uint64_t *)value)
                              : !strcmp(text, "1");
}

/* The first wrong column; TLR_N_RESULTS if all are right. */
static int read_result(const tlr_sweep *sweep, char *const texts[TLR_N_RESULTS], tlr_point *point)
{
    *point = (tlr_point){.known = 1};
    const int failed = texts[TLR_ERROR][0] != '\0';
    for (int c = 0; c < TLR_ERROR; c++)
        if (tlr_sweep_has_column(sweep, c) &&
            (failed ? texts[c][0] != '\0' : !read_value(&columns[c], texts[c], point)))
            return c;
    if (point->has_efficiency && !*texts[TLR_BALANCE])
        return TLR_BALANCE;
    if (point->has_efficiency)
        point->efficiency.parallel = point->compute_s / point->makespan_s;
    if (strlen(texts[TLR_KEY]) != 16 || !read_whole(texts[TLR_KEY], 16, &point->key))
        return TLR_KEY;
    snprintf(point->error, sizeof point->error, "%.*s", (int)sizeof point->error - 1,
             texts[TLR_ERROR]);
    point->status = failed ? TL_ERR_INPUT : TL_OK;
    return TLR_N_RESULTS;
}

/* ---- the rows of a file ---- */

/* A file, the points that its rows may give results: those without one, by their keys; and the
 * labels of the rows that were read before, in order. */
typedef struct reading {
    tlr_rows *rows;
    const tlr_sweep *sweep;
    const char *path;
    char **fields; /* room for those of a line */
    size_t n_open;
    tlr_point **open;
    size_t n_before;
    uint64_t *before;
} reading;

static int compare_keys(const void *a, const void *b)
{
    const tlr_point *x = *(tlr_point *const *)a, *y = *(tlr_point *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static int begin(reading *r)
{
    const tlr_sweep *sweep = r->sweep;
    r->fields = calloc(sweep->n_axes + TLR_N_RESULTS, sizeof *r->fields);
    r->open = malloc((sweep->n_points + 1) * sizeof(tlr_point *));
    r->before = malloc((r->rows->n + 1) * sizeof *r->before);
    if (!r->open || !r->fields || !r->before)
        return 0;
    for (; r->n_before < r->rows->n; r->n_before++)
        r->before[r->n_before] = r->rows->rows[r->n_before].label;
    qsort(r->before, r->n_before, sizeof *r->before, tlr_compare_labels);
    for (size_t i = 0; i < sweep->n_points; i++)
        if (!sweep->points[i].known || sweep->points[i].error[0])
            r->open[r->n_open++] = &sweep->points[i];
    qsort(r->open, r->n_open, sizeof(tlr_point *), compare_keys);
    return 1;
}

static void take(const reading *r, const tlr_point *result)
{
    size_t low = 0, high = r->n_open;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->open[middle]->key < result->key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < r->n_open && r->open[low]->key == result->key; low++)
        if (!r->open[low]->known || r->open[low]->error[0])
            *r->open[low] = *result;
}

static tl_status keep(tlr_rows *rows, char *line, uint64_t label, tl_error *err)
{
    if (!line || !tl_make_room(&rows->rows, rows->n, &rows->room, sizeof *rows->rows)) {
        free(line);
        return tl_no_memory(err, "results of the sweep");
    }
    rows->rows[rows->n].line = line;
    rows->rows[rows->n++].label = label;
    return TL_OK;
}

/* The line is cut into its fields. */
static tl_status read_row(reading *r, char *line, size_t number, tl_error *err)
{
    char *whole = strdup(line), *texts[TLR_N_RESULTS];
    tlr_point result;
    uint64_t label = 0;
    size_t n = 0, n_columns = r->sweep->n_axes;
    for (int c = 0; c < TLR_N_RESULTS; c++)
        n_columns += tlr_sweep_has_column(r->sweep, c);
    for (int more = 1; more && n <= n_columns; n++)
        more = next_field(&line, n < n_columns ? &r->fields[n] : &texts[0]);
    if (n != n_columns) {
        free(whole);
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: does not have the %zu columns of the header; correct or remove the "
                       "line",
                       r->path, number, n_columns);
    }
    for (n = 0; n < r->sweep->n_axes; n++)
        label = add_label(label, r->fields[n]);
    for (int c = 0; c < TLR_N_RESULTS; c++)
        texts[c] = tlr_sweep_has_column(r->sweep, c) ? r->fields[n++] : (char *)"";
    const int wrong = read_result(r->sweep, texts, &result);
    if (wrong < TLR_N_RESULTS) {
        free(whole);
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: '%.40s' is not a %s of a result; correct or remove the line",
                       r->path, number, texts[wrong], columns[wrong].name);
    }
    if (!result.error[0])
        take(r, &result);
    label = add_label(label, texts[TLR_COMMAND]);
    if (bsearch(&label, r->before, r->n_before, sizeof label, tlr_compare_labels)) {
        free(whole);
        return TL_OK;
    }
    return keep(r->rows, whole, label, err);
}

tl_status tlr_rows_read(tlr_rows *rows, const char *path, bool is_part, tlr_sweep *sweep,
                        tl_error *err)
{
    reading r = {.rows = rows, .sweep = sweep, .path = path};
    char *text = NULL, *header = tlr_sweep_header(sweep);
    size_t number = 1;
    if (access(path, F_OK) != 0) {
        free(header);
        return TL_OK;
    }
    tl_status status = tlr_read_text(path, &text, NULL, err);
    if (status == TL_OK && (!header || !begin(&r)))
        status = tl_no_memory(err, "results of the sweep");
    for (char *line = text, *end; status == TL_OK && (end = strchr(line, '\n'));
         line = end + 1, number++) {
        *end = '\0';
        if (!strcmp(line, header))
            continue; /* a part has one wherever a sweep went on with it */
        if (number == 1 && !(is_part && !strncmp(line, header, strlen(line))))
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s:1: is not a results file of this grid; give another file with -o",
                             path);
        else if ((status = read_row(&r, line, number, err)) == TL_ERR_INPUT && is_part)
            status = TL_OK;
    }
    free(text);
    free(header);
    free(r.fields);
    free(r.open);
    free(r.before);
    return status;
}

void tlr_rows_free(tlr_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        free(rows->rows[i].line);
    free(rows->rows);
    *rows = (tlr_rows){0};
}
