/* sweep_table.c - reads and checks the rows of results files of sweeps, and decides which of them
 * are valid. */
#include "config.h"

#include "sweep_table.h"

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

/* Columns of results that a file of before, or of no scaling, may lack: bits. */
enum {
    LACKS_INTERVAL = 1,
    LACKS_COMMAND = 2,
    LACKS_ENERGY = 4,
    LACKS_EFFICIENCY = 8,
    PAST_LACKS = 16
};

static bool is_there(unsigned lacks, int column)
{
    static const unsigned bits[TLR_N_RESULTS] = {
        [TLR_INTERVAL] = LACKS_INTERVAL,   [TLR_ENERGY] = LACKS_ENERGY,
        [TLR_AT_LEAST] = LACKS_ENERGY,     [TLR_COST] = LACKS_ENERGY,
        [TLR_BALANCE] = LACKS_EFFICIENCY,  [TLR_SERIALISATION] = LACKS_EFFICIENCY,
        [TLR_TRANSFER] = LACKS_EFFICIENCY, [TLR_CROWDED] = LACKS_EFFICIENCY,
        [TLR_COMMAND] = LACKS_COMMAND};
    return !(lacks & bits[column]);
}

static size_t count_columns(unsigned lacks)
{
    size_t n = 0;
    for (int i = 0; i < TLR_N_RESULTS; i++)
        n += is_there(lacks, i) != 0;
    return n;
}

/* The columns of a file. */
typedef struct header {
    size_t n_axes, n_columns;
    unsigned lacks;
    char **names;
} header;

static bool is_header_of(char *const *fields, size_t n, unsigned lacks, header *out)
{
    const size_t n_results = count_columns(lacks);
    if (n < n_results)
        return 0;
    size_t column = n - n_results;
    for (int i = 0; i < TLR_N_RESULTS; i++)
        if (is_there(lacks, i) && strcmp(fields[column++], tlr_result_columns[i]) != 0)
            return 0;
    *out =
        (header){.n_axes = n - n_results, .n_columns = n, .lacks = lacks, .names = (char **)fields};
    return 1;
}

static bool is_header(char *const *fields, size_t n, header *out)
{
    for (unsigned lacks = 0; lacks < PAST_LACKS; lacks++)
        if (is_header_of(fields, n, lacks, out))
            return 1;
    return 0;
}

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

static tl_status add_row(tlr_table *table, const header *h, char **fields, size_t n,
                         const char *path, size_t line, tl_error *err)
{
    tlr_table_row row = {.n_axes = h->n_axes, .names = h->names, .values = fields};
    if (n != h->n_columns)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: has %zu columns, the header has %zu; correct or remove the line",
                       path, line, n, h->n_columns);
    size_t column = h->n_axes;
    for (int i = 0; i < TLR_N_RESULTS; i++)
        row.texts[i] = is_there(h->lacks, i) ? fields[column++] : (char *)"";
    const int wrong = read_result(row.texts, &row.result);
    if (wrong < TLR_N_RESULTS)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: '%.40s' is not a %s of a result; correct or remove the line", path,
                       line, row.texts[wrong], tlr_result_columns[wrong]);
    if ((table->n_rows & (table->n_rows - 1)) == 0) { /* the rooms are powers of two */
        const size_t room = table->n_rows ? 2 * table->n_rows : 1;
        tlr_table_row *more = realloc(table->rows, room * sizeof *more);
        if (!more)
            return tl_no_memory(err, "results of the sweep");
        table->rows = more;
    }
    table->rows[table->n_rows++] = row;
    return TL_OK;
}

tl_status tlr_table_read(tlr_table *table, const char *path, bool is_part, tl_error *err)
{
    char *text = NULL;
    header h = {0};
    size_t n = 0, number = 1;
    if (access(path, F_OK) != 0)
        return TL_OK;
    tl_status status = tlr_read_text(path, &text, NULL, err);
    if (status == TL_OK && !(text = keep(table, text)))
        status = tl_no_memory(err, "results of the sweep");
    for (char *line = text, *end; status == TL_OK && (end = strchr(line, '\n'));
         line = end + 1, number++) {
        *end = '\0';
        char **fields = split(table, line, &n);
        if (!fields)
            return tl_no_memory(err, "results of the sweep");
        if (is_header(fields, n, &h))
            continue; /* a part has one wherever another sweep went on with it */
        if (h.n_columns)
            status = add_row(table, &h, fields, n, path, number, err);
        else if (!is_part)
            status =
                tl_fail(err, TL_ERR_INPUT,
                        "%s:1: is not a results file of a sweep; give another file with -o", path);
        if (status == TL_ERR_INPUT && is_part)
            status = TL_OK;
    }
    return status;
}

/* ---- which rows count ---- */

/* The axes of a row with their values, in the order of their names, and its command. */
typedef struct label {
    char *text;
    size_t row; /* SIZE_MAX: a point of the grid */
} label;

typedef struct pair {
    const char *name, *value;
} pair;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const pair *)a)->name, ((const pair *)b)->name);
}

/* Rows of earlier versions, without a command, match a point with any command. */
static char *label_text(pair *pairs, size_t n, const char *command)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    qsort(pairs, n, sizeof *pairs, by_name);
    for (size_t i = 0; i < n; i++)
        if (*pairs[i].value)
            fprintf(out, "%s\037%s\036", pairs[i].name, pairs[i].value);
    fputs(command, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static char *label_of_row(const tlr_table_row *row, pair *room)
{
    for (size_t i = 0; i < row->n_axes; i++)
        room[i] = (pair){row->names[i], row->values[i]};
    return label_text(room, row->n_axes, row->texts[TLR_COMMAND]);
}

static char *label_of_point(const tlr_sweep *sweep, size_t i, const char *command, pair *room)
{
    for (size_t a = 0; a < sweep->n_axes; a++)
        room[a] = (pair){sweep->axes[a].name, tlr_sweep_value(sweep, i, a)};
    return label_text(room, sweep->n_axes, command);
}

/* Points precede rows; rows are in their order. */
static int by_text(const void *a, const void *b)
{
    const label *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : (x->row + 1 > y->row + 1) - (x->row + 1 < y->row + 1);
}

static size_t most_axes(const tlr_table *table, const tlr_sweep *sweep)
{
    size_t most = sweep->n_axes;
    for (size_t i = 0; i < table->n_rows; i++)
        most = table->rows[i].n_axes > most ? table->rows[i].n_axes : most;
    return most;
}

tl_status tlr_table_reduce(tlr_table *table, const tlr_sweep *sweep, tl_error *err)
{
    const size_t n = 2 * sweep->n_points + table->n_rows;
    label *labels = calloc(n + 1, sizeof *labels);
    pair *room = calloc(most_axes(table, sweep) + 1, sizeof *room);
    char *stays = calloc(table->n_rows + 1, 1);
    int failed = !labels || !room || !stays;
    size_t used = 0, kept = 0;
    for (size_t i = 0; !failed && i < sweep->n_points; i++)
        for (int with_command = 0; sweep->points[i].known && with_command < 2; with_command++) {
            labels[used++] = (label){
                label_of_point(sweep, i, with_command ? sweep->command : "", room), SIZE_MAX};
            failed |= !labels[used - 1].text;
        }
    for (size_t i = 0; !failed && i < table->n_rows; i++) {
        labels[used++] = (label){label_of_row(&table->rows[i], room), i};
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
