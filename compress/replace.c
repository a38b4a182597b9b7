/* replace.c - writes a file that replaces another one when it is complete, and no input. */
#include "config.h"

#include "timeless_files.h"

#include "core/error.h"
#include "core/map.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- inputs, which no output replaces ---- */

static tl_map inputs;
static pthread_mutex_t inputs_lock = PTHREAD_MUTEX_INITIALIZER;

/* Two files of one disk differ in the number of the inode, which is far below 2^48. */
static uint64_t identity(const struct stat *file)
{
    return (uint64_t)file->st_ino ^ (uint64_t)file->st_dev << 48;
}

void tl_input_note(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return;
    pthread_mutex_lock(&inputs_lock);
    uint64_t *seen = tl_map_at(&inputs, identity(&file));
    if (seen)
        *seen = 1;
    pthread_mutex_unlock(&inputs_lock);
}

static bool is_input(const struct stat *file)
{
    pthread_mutex_lock(&inputs_lock);
    const bool found = tl_map_find(&inputs, identity(file)) != NULL;
    pthread_mutex_unlock(&inputs_lock);
    return found;
}

/* ---- files that are being written ---- */

enum { MAX_UNFINISHED = 64 };
static struct {
    _Atomic(char *) part;
    pid_t pid; /* of the writer: its children have this table, too */
} unfinished[MAX_UNFINISHED];

static void note_unfinished(char *part)
{
    for (int i = 0; i < MAX_UNFINISHED; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&unfinished[i].part, &none, part)) {
            unfinished[i].pid = getpid();
            return;
        }
    }
}

static void forget_unfinished(char *part)
{
    for (int i = 0; i < MAX_UNFINISHED; i++)
        if (atomic_load(&unfinished[i].part) == part)
            atomic_store(&unfinished[i].part, NULL);
}

void tl_replace_abandon(void)
{
    for (int i = 0; i < MAX_UNFINISHED; i++) {
        const char *part = atomic_load(&unfinished[i].part);
        if (part && unfinished[i].pid == getpid())
            unlink(part);
    }
}

/* The target of the symbolic link `path`, which need not exist; NULL with errno. */
static char *follow_link(const char *path, size_t link_bytes)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *link = malloc(link_bytes + 1), *target = malloc(folder + link_bytes + 1);
    ssize_t n = link ? readlink(path, link, link_bytes + 1) : -1;
    if (n > (ssize_t)link_bytes) { /* it changed meanwhile */
        errno = EAGAIN;
        n = -1;
    }
    if (n < 0 || !target) {
        free(link);
        free(target);
        return NULL;
    }
    link[n] = '\0';
    const size_t kept = *link == '/' ? 0 : folder;
    memcpy(target, path, kept);
    memcpy(target + kept, link, (size_t)n + 1);
    free(link);
    return target;
}

/* The file to which `path` leads: *exists and *there describe it. NULL with errno. */
static char *find_target(const char *path, bool *exists, struct stat *there)
{
    enum { MOST_LINKS = 40, LONGEST_LINK = 1 << 16 };
    char *target = strdup(path);
    for (int i = 0; target && i <= MOST_LINKS; i++) {
        *exists = lstat(target, there) == 0;
        if (!*exists && errno != ENOENT)
            break;
        if (!*exists || !S_ISLNK(there->st_mode))
            return target;
        /* Links of /proc have no size. */
        char *next = follow_link(target, there->st_size > 0 && there->st_size < LONGEST_LINK
                                             ? (size_t)there->st_size
                                             : 4096);
        free(target);
        target = next;
        if (i == MOST_LINKS)
            errno = ELOOP;
    }
    const int number = errno;
    free(target);
    errno = number;
    return NULL;
}

/* Gives the new file the owner and permissions of the old one. A user who may not change the owner
 * keeps the file, and does not give access to a group that the old file did not admit. */
static bool take_permissions(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & 07777;
    struct stat new;
    if (fstat(fd, &new) != 0)
        return false;
    if (new.st_uid != old->st_uid && fchown(fd, old->st_uid, (gid_t)-1) != 0)
        mode &= 0777;
    if (new.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= 0707;
    return fchmod(fd, mode) == 0;
}

/* Makes the empty file to write. Its name has the number of the process, and a number that no other
 * file has: several writers of one target do not disturb each other. */
static bool create_part(char *part, size_t size, const char *target, bool exists,
                        const struct stat *old)
{
    int fd = -1;
    for (unsigned i = 0; fd < 0 && (!i || errno == EEXIST); i++) {
        snprintf(part, size, "%s.%ld-%u.part", target, (long)getpid(), i);
        fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0600 : 0666);
    }
    if (fd < 0)
        return false;
    const bool done = !exists || take_permissions(fd, old);
    const int number = errno;
    close(fd);
    if (!done)
        unlink(part);
    errno = number;
    return done;
}

/* From errno. */
static tl_status refuse(const char *path, const char *what, const char *remedy, tl_error *err)
{
    char reason[128];
    return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be %s: %s; %s", path, what,
                   strerror_r(errno, reason, sizeof reason), remedy);
}

tl_status tl_replace_begin(const char *path, tl_replacement *out, tl_error *err)
{
    bool exists = false;
    struct stat there;
    tl_status status = TL_OK;
    *out = (tl_replacement){.target = find_target(path, &exists, &there)};
    if (!out->target)
        return refuse(path, "written", "check the path", err);
    const size_t size = strlen(out->target) + sizeof ".-.part" + 40;
    if (exists && !S_ISREG(there.st_mode))
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%s: is not a regular file, and is not replaced; give another file", path);
    else if (exists && is_input(&there))
        status = tl_fail(err, TL_ERR_USAGE,
                         "%s: is an input of this command, and is not overwritten; give another "
                         "file",
                         path);
    else if (exists && access(out->target, W_OK) != 0)
        status = refuse(path, "written", "check its rights, or give another file", err);
    else if (!(out->part = malloc(size)))
        status = tl_no_memory(err, path);
    if (!status && !create_part(out->part, size, out->target, exists, &there))
        status = refuse(path, "written", "check the folder and its rights", err);
    if (!status)
        note_unfinished(out->part);
    if (status) {
        free(out->target);
        free(out->part);
        *out = (tl_replacement){0};
    }
    return status;
}

/* The new file must be on the disk before it replaces an old one, or a crash of the system could
 * lose both. */
static bool put_in_place(const tl_replacement *r)
{
    const int fd = open(r->part, O_RDONLY | O_CLOEXEC);
    const bool is_new = access(r->target, F_OK) != 0;
    const bool done = fd >= 0 && (is_new || fsync(fd) == 0) && rename(r->part, r->target) == 0;
    const int number = errno;
    if (fd >= 0)
        close(fd);
    errno = number;
    return done;
}

tl_status tl_replace_end(tl_replacement *replacement, tl_status status, tl_error *err)
{
    if (!replacement->part)
        return status;
    if (!status && !put_in_place(replacement))
        status = refuse(replacement->target, "written", "check the folder and the disk", err);
    if (status)
        unlink(replacement->part);
    forget_unfinished(replacement->part);
    free(replacement->target);
    free(replacement->part);
    *replacement = (tl_replacement){0};
    return status;
}

/* ---- outputs of a command ---- */

/* Whether the file is our standard output, which has what was printed before. */
static bool is_standard_output(const struct stat *file)
{
    struct stat printed;
    return fstat(STDOUT_FILENO, &printed) == 0 && printed.st_dev == file->st_dev &&
           printed.st_ino == file->st_ino;
}

tl_status tl_output_open(const char *path, tl_output *out, tl_error *err)
{
    struct stat there;
    tl_status status = TL_OK;
    int fd = -1;
    *out = (tl_output){.file = path ? NULL : stdout};
    if (!path)
        return TL_OK;
    const bool exists = stat(path, &there) == 0;
    if (exists && is_standard_output(&there)) {
        fflush(stdout);
        fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    } else {
        const bool is_direct = exists && !S_ISREG(there.st_mode);
        status = is_direct ? TL_OK : tl_replace_begin(path, &out->replacement, err);
        if (status)
            return status;
        fd = open(is_direct ? path : out->replacement.part, O_WRONLY | O_CLOEXEC);
    }
    out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out->file)
        return TL_OK;
    status = refuse(path, "written", "check the path", err);
    if (fd >= 0)
        close(fd);
    return tl_replace_end(&out->replacement, status, err);
}

tl_status tl_output_close(tl_output *out, const char *path, tl_status status, tl_error *err)
{
    if (!out->file || out->file == stdout)
        return tl_replace_end(&out->replacement, status, err);
    const bool is_lost = ferror(out->file) != 0;
    if ((fclose(out->file) != 0 || is_lost) && !status)
        status = refuse(path, "written", "check the disk", err);
    out->file = NULL;
    return tl_replace_end(&out->replacement, status, err);
}

tl_status tl_output_write(const char *path, tl_writing write, const void *arg, tl_error *err)
{
    tl_output out;
    TL_TRY(tl_output_open(path, &out, err));
    return tl_output_close(&out, path, write(arg, out.file, err), err);
}
