/* sweep_table.c - reads and checks the rows of results files of sweeps, and decides which of them
 * are valid. */
#include "config.h"

#include "sweep_table.h"

#include "core/room.h"
#include "text_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Keeps the memory until the table is freed; returns NULL if `memory` is NULL or cannot be kept. */
static void *keep(tlr_table *table, void *memory)
{
    void **more = memory ? realloc(table->kept, (table->n_kept + 1) * sizeof *table->kept) : NULL;
    if (!more) {
        free(memory);
        return NULL;
    }
    table->kept = more;
    return table->kept[table->n_kept++] = memory;
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

/* The fields of a line; the line itself is cut into them. NULL without memory. */
static char **split(tlr_table *table, char *line, size_t *n)
{
    size_t most = 1;
    for (const char *p = line; *p; p++)
        most += *p == ',';
    char **fields = keep(table, calloc(most, sizeof *fields));
    *n = 0;
    for (int more = 1; fields && more; ++*n)
        more = next_field(&line, &fields[*n]);
    return fields;
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

static tl_status add_row(tlr_table *table, const tlr_sweep *sweep, char **fields, size_t n,
                         const char *path, size_t line, tl_error *err)
{
    tlr_table_row row = {.values = fields};
    size_t column = sweep->n_axes;
    for (int i = 0; i < TLR_N_RESULTS; i++)
        if (!tlr_has_column(sweep, i))
            row.texts[i] = (char *)"";
        else if (column < n)
            row.texts[i] = fields[column++];
        else
            column = n + 1;
    if (n != column)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: has %zu columns, which are not those of the header; correct or "
                       "remove the line",
                       path, line, n);
    const int wrong = read_result(row.texts, &row.result);
    if (wrong < TLR_N_RESULTS)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: '%.40s' is not a %s of a result; correct or remove the line", path,
                       line, row.texts[wrong], tlr_result_columns[wrong]);
    if (!tl_make_room(&table->rows, table->n_rows, &table->room, sizeof row))
        return tl_no_memory(err, "results of the sweep");
    table->rows[table->n_rows++] = row;
    return TL_OK;
}

static tl_status refuse_columns(const char *path, const char *header, tl_error *err)
{
    const char *results = strstr(header, tlr_result_columns[TLR_MAKESPAN]);
    return tl_fail(err, TL_ERR_INPUT,
                   "%s:1: has other columns than the results of a sweep over %.*s; give another "
                   "file with -o",
                   path, results > header ? (int)(results - header - 1) : 0, header);
}

/* The line numbered `number`, from 1 on, whose end is a zero. */
static tl_status add_line(tlr_table *table, const tlr_sweep *sweep, char *line, size_t number,
                          const char *path, bool is_part, const char *header, tl_error *err)
{
    size_t n = 0;
    if (!strcmp(line, header))
        return TL_OK; /* a part has one wherever another sweep went on with it */
    if (number == 1)
        return refuse_columns(path, header, err);
    char **fields = split(table, line, &n);
    if (!fields)
        return tl_no_memory(err, "results of the sweep");
    const tl_status status = add_row(table, sweep, fields, n, path, number, err);
    return status == TL_ERR_INPUT && is_part ? TL_OK : status;
}

tl_status tlr_table_read(tlr_table *table, const char *path, const tlr_sweep *sweep, bool is_part,
                         tl_error *err)
{
    char *text = NULL;
    if (access(path, F_OK) != 0)
        return TL_OK;
    char *header = tlr_sweep_header(sweep);
    tl_status status =
        header ? tlr_read_text(path, &text, NULL, err) : tl_no_memory(err, "results of the sweep");
    if (status == TL_OK && !(text = keep(table, text)))
        status = tl_no_memory(err, "results of the sweep");
    if (header)
        header[strcspn(header, "\n")] = '\0';
    size_t number = 1;
    for (char *line = text, *end; status == TL_OK && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        status = add_line(table, sweep, line, number++, path, is_part, header, err);
    }
    free(header);
    return status;
}

/* ---- which rows count ---- */

/* The values and the command of a row or of a point. */
typedef struct label {
    char *text;
    size_t row; /* SIZE_MAX: a point of the sweep */
} label;

static char *label_of_row(const tlr_table_row *row, size_t n_axes)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < n_axes; i++)
        fprintf(out, "%s\037", row->values[i]);
    fputs(row->texts[TLR_COMMAND], out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static char *label_of_point(const tlr_sweep *sweep, size_t i, char **room)
{
    tlr_table_row row = {.values = room};
    for (size_t a = 0; a < sweep->n_axes; a++)
        room[a] = (char *)tlr_sweep_value(sweep, i, a);
    row.texts[TLR_COMMAND] = (char *)sweep->command;
    return label_of_row(&row, sweep->n_axes);
}

/* Points precede rows; rows are in their order. */
static int by_text(const void *a, const void *b)
{
    const label *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : (x->row + 1 > y->row + 1) - (x->row + 1 < y->row + 1);
}

tl_status tlr_table_reduce(tlr_table *table, const tlr_sweep *sweep, tl_error *err)
{
    label *labels = calloc(sweep->n_points + table->n_rows + 1, sizeof *labels);
    char **room = calloc(sweep->n_axes + 1, sizeof *room);
    char *stays = calloc(table->n_rows + 1, 1);
    int failed = !labels || !room || !stays;
    size_t used = 0, kept = 0;
    for (size_t i = 0; !failed && i < sweep->n_points; i++)
        if (sweep->points[i].known) {
            labels[used++] = (label){label_of_point(sweep, i, room), SIZE_MAX};
            failed |= !labels[used - 1].text;
        }
    for (size_t i = 0; !failed && i < table->n_rows; i++) {
        labels[used++] = (label){label_of_row(&table->rows[i], sweep->n_axes), i};
        failed |= !labels[used - 1].text;
    }
    if (!failed)
        qsort(labels, used, sizeof *labels, by_text);
    for (size_t i = 0; !failed && i < used; i++)
        if (labels[i].row != SIZE_MAX && (!i || strcmp(labels[i].text, labels[i - 1].text) != 0))
            stays[labels[i].row] = 1;
    for (size_t i = 0; !failed && i < table->n_rows; i++)
        if (stays[i])
            table->rows[kept++] = table->rows[i];
    if (!failed)
        table->n_rows = kept;
    for (size_t i = 0; labels && i < used; i++)
        free(labels[i].text);
    free(labels);
    free(room);
    free(stays);
    return failed ? tl_no_memory(err, "results of the sweep") : TL_OK;
}

void tlr_table_free(tlr_table *table)
{
    for (size_t i = 0; i < table->n_kept; i++)
        free(table->kept[i]);
    free(table->kept);
    free(table->rows);
    *table = (tlr_table){0};
}
