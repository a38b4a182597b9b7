/* tolerance_points.h - the replays of a search, kept in a file for the next run of the command. */
#ifndef CLI_TOLERANCE_POINTS_H
#define CLI_TOLERANCE_POINTS_H

#include <stdio.h>
#include <timeless.h>

typedef struct kept_point {
    double factor, makespan_s;
} kept_point;

typedef struct kept_points {
    size_t n;
    kept_point *points;
    FILE *out; /* NULL: nothing is kept */
} kept_points;

/* Reads the points in the file, which must have the same description, and opens it for more. A file
 * that does not exist is created. */
tl_status kept_points_open(const char *path, const char *description, kept_points *out,
                           tl_error *err);
/* The makespan with this factor; negative: not known. */
double kept_points_find(const kept_points *kept, double factor);
/* Keeps a point, in memory and on the disk. */
tl_status kept_points_add(kept_points *kept, double factor, double makespan_s, tl_error *err);
void kept_points_close(kept_points *kept);

#endif
