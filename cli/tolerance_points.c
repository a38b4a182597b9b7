/* tolerance_points.c - the replays of a search in a file: a line that describes the search, then
 * "FACTOR MAKESPAN" a line. */
#include "tolerance_points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tl_status fail(tl_error *err, tl_status status, const char *path, const char *what)
{
    tl_error_set(err, status, "%s: %s", path, what);
    return status;
}

static int remember(kept_points *kept, double factor, double makespan_s)
{
    kept_point *more = realloc(kept->points, (kept->n + 1) * sizeof *more);
    if (!more)
        return 0;
    kept->points = more;
    kept->points[kept->n++] = (kept_point){factor, makespan_s};
    return 1;
}

/* *whole_bytes: where the last whole line ends. A run that was interrupted, or had no space on the
 * disk, may leave an incomplete line behind it, which is ignored. */
static tl_status read_points(FILE *in, const char *path, const char *description, kept_points *out,
                             long *whole_bytes, tl_error *err)
{
    char *line = NULL;
    size_t capacity = 0;
    tl_status status = TL_OK;
    if (getline(&line, &capacity, in) > 0) {
        if (strchr(line, '\n'))
            *whole_bytes = ftell(in);
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, description) != 0)
            status = fail(err, TL_ERR_USAGE, path,
                          "contains the replays of another trace, platform or command; give "
                          "another --output, or remove it");
    }
    while (status == TL_OK && getline(&line, &capacity, in) > 0) {
        char *end;
        const double factor = strtod(line, &end), makespan_s = strtod(end, &end);
        if (strchr(line, '\n'))
            *whole_bytes = ftell(in);
        if (*end == '\n' && factor > 0 && makespan_s > 0 && !remember(out, factor, makespan_s))
            status = fail(err, TL_ERR_MEMORY, path, "out of memory");
    }
    free(line);
    return status;
}

tl_status kept_points_open(const char *path, const char *description, kept_points *out,
                           tl_error *err)
{
    tl_status status = TL_OK;
    FILE *in = fopen(path, "r");
    long whole_bytes = 0;
    if (in) {
        status = read_points(in, path, description, out, &whole_bytes, err);
        fclose(in);
    }
    if (status != TL_OK)
        return status;
    /* With an end, the incomplete line would look like a whole one to the next run. */
    if (in && truncate(path, whole_bytes) != 0)
        return fail(err, TL_ERR_SYSTEM, path, strerror(errno));
    out->out = fopen(path, "a");
    if (!out->out)
        return fail(err, TL_ERR_SYSTEM, path, strerror(errno));
    if (!whole_bytes)
        fprintf(out->out, "%s\n", description);
    return TL_OK;
}

double kept_points_find(const kept_points *kept, double factor)
{
    for (size_t i = 0; i < kept->n; i++)
        if (!(kept->points[i].factor < factor) && !(kept->points[i].factor > factor))
            return kept->points[i].makespan_s;
    return -1;
}

tl_status kept_points_add(kept_points *kept, double factor, double makespan_s, tl_error *err)
{
    if (!kept->out)
        return TL_OK;
    if (!remember(kept, factor, makespan_s))
        return fail(err, TL_ERR_MEMORY, "--output", "out of memory");
    fprintf(kept->out, "%.17g %.17g\n", factor, makespan_s);
    if (fflush(kept->out) != 0)
        return fail(err, TL_ERR_SYSTEM, "--output", strerror(errno));
    return TL_OK;
}

void kept_points_close(kept_points *kept)
{
    free(kept->points);
    if (kept->out)
        fclose(kept->out);
    *kept = (kept_points){0};
}
