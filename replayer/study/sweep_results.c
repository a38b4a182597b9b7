/* sweep_results.c - the results file of a sweep, to which several sweeps and processes may write.
 */
#include "config.h"

#include "sweep.h"

#include "sweep_table.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <timeless_files.h>
#include <unistd.h>

struct tlr_results {
    char *path, *part;
    int file;        /* the part, locked; -1: none */
    bool has_header; /* this process has written one */
    size_t n_processes;
};

/* ---- locks ---- */

/* Opens and locks the file of this name, although another process may remove it at the same time.
 * `how` is that of flock(). If the file system has no locks, the file is opened without one. -1
 * with errno: EWOULDBLOCK if another process has the lock. */
static int open_locked(const char *path, int flags, int how)
{
    for (;;) {
        struct stat open_one, named;
        const int file = open(path, flags | O_CLOEXEC, 0666);
        if (file < 0)
            return -1;
        int failed = 0;
        while ((failed = flock(file, how)) != 0 && errno == EINTR)
            ;
        const int number = errno;
        if (failed && number == EWOULDBLOCK) {
            close(file);
            errno = number;
            return -1;
        }
        if (fstat(file, &open_one) == 0 && stat(path, &named) == 0 &&
            open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev)
            return file;
        close(file);
    }
}

/* If the last line of a file has no end, it is the rest of an interrupted write. */
static int ends_line(int file)
{
    char last = '\n';
    const off_t size = lseek(file, 0, SEEK_END);
    return size <= 0 || (pread(file, &last, 1, size - 1) == 1 && last == '\n') ||
           write(file, "\n", 1) == 1;
}

/* Opens the first part that no other process holds: the part of this rank, or an abandoned one. */
static tl_status open_part(tlr_results *r, size_t rank, tl_error *err)
{
    enum { MOST_PARTS = 1 << 20 };
    for (size_t i = 0; r->file < 0 && i < MOST_PARTS; i++) {
        const size_t number = rank + i * r->n_processes;
        const bool has_number = r->n_processes > 1 || number;
        free(r->part);
        r->part = NULL;
        if ((has_number ? asprintf(&r->part, "%s.part.%zu", r->path, number)
                        : asprintf(&r->part, "%s.part", r->path)) < 0) {
            r->part = NULL;
            return tl_no_memory(err, "results of the sweep");
        }
        r->file = open_locked(r->part, O_RDWR | O_APPEND | O_CREAT, LOCK_EX | LOCK_NB);
        if (r->file < 0 && errno != EWOULDBLOCK)
            break;
    }
    if (r->file < 0 || !ends_line(r->file))
        return tl_fail(err, TL_ERR_SYSTEM,
                       "%s: cannot be written: %s; check the folder and its rights", r->path,
                       strerror(errno));
    return TL_OK;
}

tl_status tlr_results_open(const char *path, size_t rank, size_t n_processes, tlr_results **out,
                           tl_error *err)
{
    struct stat there;
    tlr_results *r = calloc(1, sizeof *r);
    if (!r)
        return tl_no_memory(err, "results of the sweep");
    *r = (tlr_results){.path = strdup(path), .file = -1, .n_processes = n_processes};
    tl_status status = r->path ? TL_OK : tl_no_memory(err, "results of the sweep");
    if (status == TL_OK && stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%s: is not a regular file; without -o the table goes to standard output",
                         path);
    if (status == TL_OK)
        status = open_part(r, rank, err);
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
        if (r->part && fstat(r->file, &about) == 0 && !about.st_size)
            unlink(r->part);
        close(r->file);
    }
    free(r->path);
    free(r->part);
    free(r);
}

/* ---- reading ---- */

/* The text after ".part" in the name of a part: nothing, or ".12". */
static bool is_part(const char *end)
{
    return !*end || (*end == '.' && end[1] && !end[1 + strspn(end + 1, "0123456789")]);
}

/* A pattern for glob(): the literal path, then ".part*". */
static char *part_pattern(const char *path)
{
    char *pattern = malloc(2 * strlen(path) + sizeof ".part*"), *end = pattern;
    for (const char *p = path; pattern && *p; p++) {
        if (strchr("*?[]\\", *p))
            *end++ = '\\';
        *end++ = *p;
    }
    if (pattern)
        memcpy(end, ".part*", sizeof ".part*");
    return pattern;
}

/* The parts of the file. */
static tl_status find_parts(const tlr_results *r, glob_t *found, tl_error *err)
{
    const size_t length = strlen(r->path) + strlen(".part");
    char *pattern = part_pattern(r->path);
    if (!pattern)
        return tl_no_memory(err, "results of the sweep");
    glob(pattern, 0, NULL, found); /* without a match there are none */
    free(pattern);
    size_t n = 0;
    for (size_t i = 0; i < found->gl_pathc; i++) {
        char *path = found->gl_pathv[i];
        if (!is_part(path + length))
            continue;
        found->gl_pathv[i] = found->gl_pathv[n];
        found->gl_pathv[n++] = path;
    }
    /* The other names are kept behind the first n, for globfree. */
    for (size_t i = n; i < found->gl_pathc; i++)
        found->gl_pathv[i][0] = '\0';
    return TL_OK;
}

/* Parts come first, because they are removed when their rows are in the file. */
tl_status tlr_results_read(const tlr_results *r, tlr_sweep *sweep, int with_errors, tl_error *err)
{
    glob_t parts = {0};
    tlr_table of_parts = {0}, of_file = {0};
    tl_status status = find_parts(r, &parts, err);
    for (size_t i = 0; i < parts.gl_pathc && status == TL_OK; i++)
        if (parts.gl_pathv[i][0])
            status = tlr_table_read(&of_parts, parts.gl_pathv[i], 1, err);
    if (status == TL_OK)
        status = tlr_sweep_take(sweep, &of_parts, with_errors, err);
    if (status == TL_OK)
        status = tlr_table_read(&of_file, r->path, 0, err);
    if (status == TL_OK)
        status = tlr_sweep_take(sweep, &of_file, 0, err);
    globfree(&parts);
    tlr_table_free(&of_parts);
    tlr_table_free(&of_file);
    return status;
}

/* ---- writing ---- */

tl_status tlr_results_add(tlr_results *r, const tlr_sweep *sweep, size_t point, tl_error *err)
{
    const int with_header = !r->has_header;
    r->has_header = 1;
    return tlr_sweep_append(sweep, point, with_header, r->file, err);
}

static tl_status write_table(const tlr_results *r, const tlr_sweep *sweep, const tlr_table *others,
                             tl_error *err)
{
    tl_output out;
    const tl_status status = tl_output_open(r->path, &out, err);
    return status ? status
                  : tl_output_close(&out, r->path,
                                    tlr_sweep_write_csv(sweep, others, out.file, err), err);
}

/* Parts that no other process holds, each of them locked. locks[i] is the lock of parts[i], or -1.
 */
static int *lock_parts(const tlr_results *r, const glob_t *parts)
{
    int *locks = calloc(parts->gl_pathc + 1, sizeof *locks);
    for (size_t i = 0; locks && i < parts->gl_pathc; i++) {
        const char *path = parts->gl_pathv[i];
        locks[i] = -1;
        if (*path && strcmp(path, r->part) != 0)
            locks[i] = open_locked(path, O_RDONLY, LOCK_EX | LOCK_NB);
    }
    return locks;
}

static tl_status merge(tlr_results *r, const tlr_sweep *sweep, tl_error *err)
{
    glob_t parts = {0};
    tlr_table others = {0};
    tl_status status = find_parts(r, &parts, err);
    int *locks = status == TL_OK ? lock_parts(r, &parts) : NULL;
    if (status == TL_OK && !locks)
        status = tl_no_memory(err, "results of the sweep");
    for (size_t i = 0; i < parts.gl_pathc && status == TL_OK; i++)
        if (locks[i] >= 0 || !strcmp(parts.gl_pathv[i], r->part))
            status = tlr_table_read(&others, parts.gl_pathv[i], 1, err);
    if (status == TL_OK)
        status = tlr_table_read(&others, r->path, 0, err);
    if (status == TL_OK)
        status = tlr_table_reduce(&others, sweep, err);
    if (status == TL_OK)
        status = write_table(r, sweep, &others, err);
    for (size_t i = 0; i < parts.gl_pathc && locks; i++)
        if (locks[i] >= 0) {
            if (status == TL_OK && r->n_processes == 1)
                unlink(parts.gl_pathv[i]);
            close(locks[i]);
        }
    if (status == TL_OK && r->n_processes == 1)
        unlink(r->part);
    free(locks);
    globfree(&parts);
    tlr_table_free(&others);
    return status;
}

/* FILE.lock exists only while a process writes. */
tl_status tlr_results_write(tlr_results *r, const tlr_sweep *sweep, tl_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s.lock", r->path) < 0)
        return tl_no_memory(err, "results of the sweep");
    const int lock = open_locked(path, O_RDWR | O_CREAT, LOCK_EX);
    const tl_status status =
        lock >= 0 ? merge(r, sweep, err)
                  : tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be locked: %s", path, strerror(errno));
    if (lock >= 0) {
        unlink(path);
        close(lock);
    }
    free(path);
    return status;
}
