/* sweep_table.c - reads and checks the rows of the results file of a sweep. */
#include "config.h"

#include "sweep_table.h"

#include "core/room.h"
#include "text_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *const tlr_result_columns[TLR_N_RESULTS] = {[TLR_MAKESPAN] = "makespan_s",
                                                       [TLR_WITHOUT_NOISE] =
                                                           "makespan_without_noise_s",
                                                       [TLR_COMPUTE] = "mean_compute_s",
                                                       [TLR_EVENTS] = "events",
                                                       [TLR_INTERVAL] = "half_interval_90_s",
                                                       [TLR_ENERGY] = "job_energy_j",
                                                       [TLR_AT_LEAST] = "energy_is_at_least",
                                                       [TLR_COST] = "job_cost",
                                                       [TLR_BALANCE] = "load_balance",
                                                       [TLR_SERIALISATION] = "serialisation",
                                                       [TLR_TRANSFER] = "transfer",
                                                       [TLR_CROWDED] = "ranks_that_share_cores",
                                                       [TLR_ERROR] = "error",
                                                       [TLR_COMMAND] = "command",
                                                       [TLR_KEY] = "key"};

bool tlr_sweep_has_column(const tlr_sweep *sweep, int column)
{
    return sweep->has_efficiency || column < TLR_BALANCE || column > TLR_CROWDED;
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
            fprintf(out, "%s%s", tlr_result_columns[c], c + 1 < TLR_N_RESULTS ? "," : "");
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
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

/* The energy of the job and its cost: empty, or numbers. Returns the first wrong column;
 * TLR_N_RESULTS if all are right. */
static int read_energy(char *const texts[TLR_N_RESULTS], tlr_point *point)
{
    point->has_energy = texts[TLR_ENERGY][0] != '\0';
    point->is_at_least = !strcmp(texts[TLR_AT_LEAST], "1");
    point->has_cost = texts[TLR_COST][0] != '\0';
    if (point->has_energy && !read_number(texts[TLR_ENERGY], &point->job_j))
        return TLR_ENERGY;
    if (texts[TLR_AT_LEAST][0] && !point->is_at_least)
        return TLR_AT_LEAST;
    if (point->has_cost && !read_number(texts[TLR_COST], &point->cost))
        return TLR_COST;
    return TLR_N_RESULTS;
}

/* The same of the columns of scaling. */
static int read_efficiency(char *const texts[TLR_N_RESULTS], tlr_point *point)
{
    tlr_efficiency *e = &point->efficiency;
    double *const factors[] = {&e->balance, &e->serialisation, &e->transfer};
    uint64_t n_crowded = 0;
    point->has_efficiency = texts[TLR_BALANCE][0] != '\0';
    for (int i = TLR_BALANCE; point->has_efficiency && i < TLR_CROWDED; i++)
        if (!read_number(texts[i], factors[i - TLR_BALANCE]))
            return i;
    if (texts[TLR_CROWDED][0] &&
        (!read_whole(texts[TLR_CROWDED], 10, &n_crowded) || n_crowded > UINT32_MAX))
        return TLR_CROWDED;
    point->n_crowded = (uint32_t)n_crowded;
    if (point->has_efficiency)
        e->parallel = point->compute_s / point->makespan_s;
    return TLR_N_RESULTS;
}

/* The first wrong column; TLR_N_RESULTS if all are right. */
static int read_result(char *const texts[TLR_N_RESULTS], tlr_point *point)
{
    *point = (tlr_point){.known = 1};
    const int failed = texts[TLR_ERROR][0] != '\0';
    for (int i = TLR_MAKESPAN; i < TLR_ERROR; i++)
        if (failed && texts[i][0])
            return i;
    if (!failed && !read_number(texts[TLR_MAKESPAN], &point->makespan_s))
        return TLR_MAKESPAN;
    if (texts[TLR_WITHOUT_NOISE][0] && !read_number(texts[TLR_WITHOUT_NOISE], &point->quiet_s))
        return TLR_WITHOUT_NOISE;
    if (!failed && !read_number(texts[TLR_COMPUTE], &point->compute_s))
        return TLR_COMPUTE;
    if (!failed && !read_whole(texts[TLR_EVENTS], 10, &point->n_events))
        return TLR_EVENTS;
    if (texts[TLR_INTERVAL][0] && !read_number(texts[TLR_INTERVAL], &point->half_s))
        return TLR_INTERVAL;
    int wrong = read_energy(texts, point);
    if (wrong == TLR_N_RESULTS)
        wrong = read_efficiency(texts, point);
    if (wrong < TLR_N_RESULTS)
        return wrong;
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
    const int wrong = read_result(texts, &result);
    if (wrong < TLR_N_RESULTS) {
        free(whole);
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: '%.40s' is not a %s of a result; correct or remove the line",
                       r->path, number, texts[wrong], tlr_result_columns[wrong]);
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
