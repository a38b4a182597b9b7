/* sweep_file.c - results of a sweep as CSV and JSON. */
#include "config.h"

#include "sweep.h"

#include "results/json_text.h"
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The columns behind those of the axes. */
enum column { MAKESPAN, WITHOUT_NOISE, COMPUTE, EVENTS, ERROR, KEY, N_COLUMNS };
static const char *const columns[] = {
    "makespan_s", "makespan_without_noise_s", "mean_compute_s", "events", "error", "key"};

/* ---- writing ---- */

static void put_field(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\n")]) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (const char *p = text; *p; p++)
        fprintf(out, *p == '"' ? "\"\"" : "%c", *p);
    putc('"', out);
}

static void put_header(const tlr_sweep *sweep, FILE *out)
{
    for (size_t a = 0; a < sweep->n_axes; a++) {
        put_field(out, sweep->axes[a].name);
        putc(',', out);
    }
    for (int c = 0; c < N_COLUMNS; c++)
        fprintf(out, "%s%c", columns[c], c + 1 < N_COLUMNS ? ',' : '\n');
}

static void put_row(const tlr_sweep *sweep, size_t i, FILE *out)
{
    const tlr_point *point = &sweep->points[i];
    for (size_t a = 0; a < sweep->n_axes; a++) {
        put_field(out, tlr_sweep_value(sweep, i, a));
        putc(',', out);
    }
    if (point->error[0]) {
        fputs(",,,,", out);
        put_field(out, point->error);
    } else {
        fprintf(out, "%.17g,", point->makespan_s);
        if (point->quiet_s > 0)
            fprintf(out, "%.17g", point->quiet_s);
        fprintf(out, ",%.17g,%" PRIu64 ",", point->compute_s, point->n_events);
    }
    fprintf(out, ",%016" PRIx64 "\n", point->key);
}

void tlr_sweep_write_csv(const tlr_sweep *sweep, FILE *out)
{
    put_header(sweep, out);
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].known)
            put_row(sweep, i, out);
}

tl_status tlr_sweep_append(const tlr_sweep *sweep, size_t point, const char *path, tl_error *err)
{
    char *text = NULL;
    size_t size = 0;
    tl_status status = TL_OK;
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    FILE *out = open_memstream(&text, &size);
    struct stat about;
    if (file < 0 || !out || fstat(file, &about) != 0) {
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", path,
                         strerror(errno));
        goto cleanup;
    }
    if (!about.st_size)
        put_header(sweep, out);
    put_row(sweep, point, out);
    fflush(out);
    if (write(file, text, size) != (ssize_t)size)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
cleanup:
    if (out)
        fclose(out);
    free(text);
    if (file >= 0)
        close(file);
    return status;
}

static json_t *value_of(const char *text)
{
    char *rest;
    const double number = strtod(text, &rest);
    if (rest == text || *rest || number - number != 0)
        return tlr_json_text(text);
    return number == (double)(json_int_t)number ? json_integer((json_int_t)number)
                                                : json_real(number);
}

static json_t *point_json(const tlr_sweep *sweep, size_t i)
{
    const tlr_point *point = &sweep->points[i];
    json_t *at = json_object(), *out = json_object();
    for (size_t a = 0; a < sweep->n_axes; a++)
        json_object_set_new(at, sweep->axes[a].name, value_of(tlr_sweep_value(sweep, i, a)));
    json_object_set_new(out, "at", at);
    if (point->error[0]) {
        json_object_set_new(out, columns[ERROR], tlr_json_text(point->error));
        return out;
    }
    json_object_set_new(out, columns[MAKESPAN], json_real(point->makespan_s));
    if (point->quiet_s > 0)
        json_object_set_new(out, columns[WITHOUT_NOISE], json_real(point->quiet_s));
    json_object_set_new(out, columns[COMPUTE], json_real(point->compute_s));
    json_object_set_new(out, columns[EVENTS], json_integer((json_int_t)point->n_events));
    return out;
}

tl_status tlr_sweep_write_json(const tlr_sweep *sweep, FILE *out, tl_error *err)
{
    json_t *root = json_object(), *points = json_array();
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].known)
            json_array_append_new(points, point_json(sweep, i));
    json_object_set_new(root, "points", points);
    const int failed = json_dumpf(root, out, JSON_SORT_KEYS | JSON_INDENT(1)) != 0;
    putc('\n', out);
    json_decref(root);
    return failed ? tl_fail(err, TL_ERR_SYSTEM, "the JSON cannot be written") : TL_OK;
}

/* ---- reading ---- */

/* Cuts the field at *at off, without its quotes; returns whether another follows in the line, whose
 * end is a zero. */
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
    *at = from + more;
    return more;
}

/* The last columns of a row; returns whether there are so many. */
static int split_row(char *line, char *fields[N_COLUMNS])
{
    size_t n = 0;
    for (int more = 1; more; n++) {
        if (n >= N_COLUMNS)
            memmove(fields, fields + 1, (N_COLUMNS - 1) * sizeof *fields);
        more = next_field(&line, &fields[n < N_COLUMNS ? n : N_COLUMNS - 1]);
    }
    return n >= N_COLUMNS;
}

static void take_fields(tlr_point *point, char *const fields[N_COLUMNS])
{
    point->known = 1;
    point->makespan_s = strtod(fields[MAKESPAN], NULL);
    point->quiet_s = strtod(fields[WITHOUT_NOISE], NULL);
    point->compute_s = strtod(fields[COMPUTE], NULL);
    point->n_events = strtoull(fields[EVENTS], NULL, 10);
    snprintf(point->error, sizeof point->error, "%.*s", (int)sizeof point->error - 1,
             fields[ERROR]);
}

/* The points that have no result yet, by their keys. */
typedef struct open_points {
    size_t n;
    tlr_point **points;
} open_points;

static int compare_keys(const void *a, const void *b)
{
    const tlr_point *x = *(tlr_point *const *)a, *y = *(tlr_point *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static int find_open(tlr_sweep *sweep, open_points *out)
{
    out->points = malloc((sweep->n_points + 1) * sizeof(tlr_point *));
    if (!out->points)
        return 0;
    for (size_t i = 0; i < sweep->n_points; i++)
        if (!sweep->points[i].known || sweep->points[i].error[0])
            out->points[out->n++] = &sweep->points[i];
    qsort(out->points, out->n, sizeof(tlr_point *), compare_keys);
    return 1;
}

static void take_row(const open_points *open, char *line, int with_errors)
{
    char *fields[N_COLUMNS], *rest;
    if (!split_row(line, fields) || strlen(fields[KEY]) != 16)
        return;
    const uint64_t key = strtoull(fields[KEY], &rest, 16);
    if (*rest || (fields[ERROR][0] && !with_errors))
        return;
    size_t low = 0, high = open->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (open->points[middle]->key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < open->n && open->points[low]->key == key; low++)
        if (!open->points[low]->known || open->points[low]->error[0])
            take_fields(open->points[low], fields);
}

tl_status tlr_sweep_read(tlr_sweep *sweep, const char *path, int with_errors, tl_error *err)
{
    char *text = NULL;
    open_points open = {0};
    if (access(path, F_OK) != 0)
        return TL_OK;
    tl_status status = tlr_read_text(path, &text, NULL, err);
    if (status == TL_OK && !find_open(sweep, &open))
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory for the points of the sweep");
    for (char *line = text, *end; status == TL_OK && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (line == text && !strstr(line, columns[MAKESPAN]))
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s:1: is no results file of a sweep; give another with -o", path);
        else
            take_row(&open, line, with_errors);
    }
    free(open.points);
    free(text);
    return status;
}
