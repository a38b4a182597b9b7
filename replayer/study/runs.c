/* runs.c - durations of several runs, by name, from CSV files and from the history of a platform.
 */
#include "config.h"

#include "runs.h"
#include "text_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const tlr_runs_row *tlr_runs_find(const tlr_runs *runs, const char *name)
{
    for (size_t i = 0; i < runs->n_rows; i++)
        if (!strcmp(runs->rows[i].name, name))
            return &runs->rows[i];
    return NULL;
}

static tlr_runs_row *new_row(tlr_runs *runs, const char *name)
{
    tlr_runs_row *rows = reallocarray(runs->rows, runs->n_rows + 1, sizeof *rows);
    if (!rows)
        return NULL;
    runs->rows = rows;
    tlr_runs_row *row = &rows[runs->n_rows];
    *row = (tlr_runs_row){.name = strdup(name)};
    if (!row->name)
        return NULL;
    runs->n_rows++;
    return row;
}

tl_status tlr_runs_add(tlr_runs *runs, const char *name, double value, tl_error *err)
{
    const tlr_runs_row *found = tlr_runs_find(runs, name);
    tlr_runs_row *row = found ? &runs->rows[found - runs->rows] : new_row(runs, name);
    double *values = row ? reallocarray(row->values, row->n + 1, sizeof *values) : NULL;
    if (!values)
        return tl_no_memory(err, "reading measurements");
    row->values = values;
    row->values[row->n++] = value;
    return TL_OK;
}

void tlr_runs_clear(tlr_runs *runs)
{
    for (size_t i = 0; i < runs->n_rows; i++) {
        free(runs->rows[i].name);
        free(runs->rows[i].values);
    }
    free(runs->rows);
    *runs = (tlr_runs){0};
}

/* Splits "name,number" at its last comma.  1: a row, 0: nothing on this line, -1: neither. */
static int parse_line(char *line, const char *heading, char **name, double *value)
{
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length && strchr(" \t\r", line[length - 1]))
        line[--length] = '\0';
    if (!length || *line == '#' || !strcmp(line, heading))
        return 0;
    char *comma = strrchr(line, ',');
    if (!comma || comma == line)
        return -1;
    char *end;
    *value = strtod(comma + 1, &end);
    if (end == comma + 1 || *end || !isfinite(*value))
        return -1;
    *comma = '\0';
    *name = line;
    return 1;
}

tl_status tlr_runs_read(tlr_runs *runs, const char *path, tl_error *err)
{
    char *text = NULL;
    tl_status status = tlr_read_text(path, &text, NULL, err);
    size_t number = 0, n_read = 0;
    for (char *rest = text, *line; status == TL_OK && (line = strsep(&rest, "\n"));) {
        char *name;
        double seconds;
        int kind = parse_line(line, "name,seconds", &name, &seconds);
        number++;
        if (kind == 0)
            continue;
        if (kind < 0 || seconds <= 0)
            status = tl_fail(err, TL_ERR_INPUT, "%s:%zu: not a measurement; %s", path, number,
                             line[strspn(line, " \t")] == '{'
                                 ? "give a prediction without --baseline or --measured, or by "
                                   "--against"
                                 : "write NAME,SECONDS with seconds above 0");
        else {
            size_t n_rows = runs->n_rows;
            status = tlr_runs_add(runs, name, seconds, err);
            if (runs->n_rows > n_rows) {
                runs->rows[n_rows].path = path;
                runs->rows[n_rows].line = number;
            }
        }
        n_read++;
    }
    if (status == TL_OK && n_read == 0)
        status = tl_fail(err, TL_ERR_INPUT, "%s:1: no measurement; write NAME,SECONDS lines", path);
    free(text);
    return status;
}

/* ---- the history of a platform ---- */

typedef struct history_line {
    char *when, *what, *name;
    double value;
} history_line;

static tl_status read_lines(char *text, const char *path, history_line **out, size_t *n,
                            tl_error *err)
{
    size_t number = 0;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        history_line *lines = reallocarray(*out, *n + 1, sizeof *lines);
        if (!lines)
            return tl_no_memory(err, "reading measurements");
        *out = lines;
        history_line *new = &lines[*n];
        int kind = parse_line(line, "when,what,name,value", &new->when, &new->value);
        number++;
        if (kind == 0)
            continue;
        char *fields = kind > 0 ? new->when : NULL;
        if (fields) {
            strsep(&fields, ",");
            new->what = strsep(&fields, ",");
            new->name = fields;
        }
        if (kind < 0 || !new->what || !new->name)
            return tl_fail(err, TL_ERR_INPUT, "%s:%zu: not WHEN,WHAT,NAME,VALUE; remove the line",
                           path, number);
        ++*n;
    }
    return TL_OK;
}

/* The moment of the last calibration of `what`. Moments sort as text. */
static const char *last_moment(const history_line *lines, size_t n, const char *what)
{
    const char *last = "";
    for (size_t i = 0; i < n; i++)
        if (!strcmp(lines[i].what, what) && strcmp(lines[i].when, last) > 0)
            last = lines[i].when;
    return last;
}

tl_status tlr_runs_read_history(tlr_runs *before, tlr_runs *last, const char *folder, tl_error *err)
{
    char *path = NULL, *text = NULL;
    history_line *lines = NULL;
    size_t n = 0;
    tl_status status = TL_OK;
    struct stat st;
    if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: is a file; give the platform folder whose history.csv lists its "
                       "calibrations",
                       folder);
    if (asprintf(&path, "%s/history.csv", folder) < 0)
        return tl_no_memory(err, "reading measurements");
    status = tlr_read_text(path, &text, NULL, err);
    if (status == TL_OK)
        status = read_lines(text, path, &lines, &n, err);
    for (size_t i = 0; i < n && status == TL_OK; i++) {
        bool is_last = !strcmp(lines[i].when, last_moment(lines, n, lines[i].what));
        /* Of a socket; its other calibrations may lack it. */
        char *mark = strstr(lines[i].name, " (unlike the others)");
        if (mark)
            *mark = '\0';
        char *name = NULL;
        if (asprintf(&name, "%s: %s", lines[i].what, lines[i].name) < 0)
            status = tl_no_memory(err, "reading measurements");
        else
            status = tlr_runs_add(is_last ? last : before, name, lines[i].value, err);
        free(name);
    }
    if (status == TL_OK && before->n_rows == 0)
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s: nothing was calibrated twice; calibrate into this folder again", path);
    free(lines);
    free(text);
    free(path);
    return status;
}
