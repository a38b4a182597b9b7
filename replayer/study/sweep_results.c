/* sweep_results.c - the results file of a sweep. */
#include "config.h"

#include "sweep.h"

#include "sweep_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <timeless_files.h>
#include <unistd.h>

struct tlr_results {
    char *path, *part;
    int file;        /* the part, locked; -1: none */
    bool has_header; /* this process has written one */
    tlr_rows rows;   /* that were there before */
};

/* If the last line of a file has no end, it is the rest of an interrupted write. */
static int ends_line(int file)
{
    char last = '\n';
    const off_t size = lseek(file, 0, SEEK_END);
    return size <= 0 || (pread(file, &last, 1, size - 1) == 1 && last == '\n') ||
           write(file, "\n", 1) == 1;
}

/* Whether another sweep has the file. The processes of a sweep that was killed have it for a moment
 * longer. A file system without locks is used without one. */
static bool is_taken(int file)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    int tries = 0;
    while (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (++tries == 100)
            return 1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* Whether the open file still has this path: a sweep that ends removes its part. */
static bool is_at(int file, const char *path)
{
    struct stat own, there;
    if (fstat(file, &own) != 0)
        return 1;
    if (stat(path, &there) != 0)
        return errno != ENOENT;
    return own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

static tl_status open_part(tlr_results *r, tl_error *err)
{
    bool has_other = 0;
    do {
        if (r->file >= 0)
            close(r->file);
        r->file = open(r->part, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        has_other = r->file >= 0 && is_taken(r->file);
    } while (r->file >= 0 && !has_other && !is_at(r->file, r->part));
    if (has_other) {
        close(r->file);
        r->file = -1;
        return tl_fail(err, TL_ERR_SYSTEM,
                       "%s: is written by another sweep; wait for it, or give another file with -o",
                       r->path);
    }
    if (r->file < 0 || !ends_line(r->file))
        return tl_fail(err, TL_ERR_SYSTEM,
                       "%s: cannot be written: %s; check the folder and its rights", r->path,
                       strerror(errno));
    return TL_OK;
}

tl_status tlr_results_open(const char *path, tlr_results **out, tl_error *err)
{
    struct stat there;
    tlr_results *r = calloc(1, sizeof *r);
    if (!r)
        return tl_no_memory(err, "results of the sweep");
    r->file = -1;
    r->path = strdup(path);
    if (!r->path || asprintf(&r->part, "%s.part", path) < 0) {
        free(r->path);
        free(r);
        return tl_no_memory(err, "results of the sweep");
    }
    const tl_status status =
        stat(path, &there) == 0 && !S_ISREG(there.st_mode)
            ? tl_fail(err, TL_ERR_SYSTEM,
                      "%s: is not a regular file; without -o the table goes to standard output",
                      path)
            : open_part(r, err);
    if (status == TL_OK)
        *out = r;
    else
        tlr_results_close(r);
    return status;
}

void tlr_results_close(tlr_results *r)
{
    struct stat about;
    if (!r)
        return;
    if (r->file >= 0) {
        if (fstat(r->file, &about) == 0 && !about.st_size)
            unlink(r->part);
        close(r->file);
    }
    tlr_rows_free(&r->rows);
    free(r->path);
    free(r->part);
    free(r);
}

/* The part comes first: its rows are newer. */
tl_status tlr_results_read(tlr_results *r, tlr_sweep *sweep, tl_error *err)
{
    TL_TRY(tlr_rows_read(&r->rows, r->part, 1, sweep, err));
    return tlr_rows_read(&r->rows, r->path, 0, sweep, err);
}

/* One write for each row: a row is there, or not. */
tl_status tlr_results_add(tlr_results *r, const tlr_sweep *sweep, size_t point, tl_error *err)
{
    char *text = NULL, *header = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out || (!r->has_header && !(header = tlr_sweep_header(sweep)))) {
        if (out)
            fclose(out);
        free(text);
        return tl_no_memory(err, "results of the sweep");
    }
    if (header)
        fprintf(out, "%s\n", header);
    free(header);
    r->has_header = 1;
    tlr_sweep_write_row(sweep, point, out);
    tl_status status = fclose(out) == 0 ? TL_OK : tl_no_memory(err, "results of the sweep");
    if (status == TL_OK && write(r->file, text, size) != (ssize_t)size)
        status =
            tl_fail(err, TL_ERR_SYSTEM, "the results file cannot be written: %s", strerror(errno));
    free(text);
    return status;
}

tl_status tlr_results_write(tlr_results *r, const tlr_sweep *sweep, tl_error *err)
{
    tl_output out;
    tl_status status = tl_output_open(r->path, &out, err);
    if (status == TL_OK)
        status = tl_output_close(&out, r->path, tlr_sweep_write_csv(sweep, &r->rows, out.file, err),
                                 err);
    if (status == TL_OK)
        unlink(r->part);
    return status;
}
