/* replace.c - writes a file that replaces another one when it is complete. */
#include "config.h"

#include "timeless_files.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The empty file to write. A file that an interrupted command left there is removed. */
static bool create_part(const char *part, bool exists, const struct stat *old)
{
    struct stat left;
    if (lstat(part, &left) == 0 && (S_ISREG(left.st_mode) || S_ISLNK(left.st_mode)))
        unlink(part);
    const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0600 : 0666);
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

tl_status tl_replace_begin(const char *path, const char *suffix, tl_replacement *out, tl_error *err)
{
    bool exists = false;
    struct stat there;
    tl_status status = TL_OK;
    *out = (tl_replacement){.target = find_target(path, &exists, &there)};
    if (!out->target)
        return refuse(path, "written", "check the path", err);
    const size_t size = strlen(out->target) + strlen(suffix) + 1;
    if (exists && !S_ISREG(there.st_mode))
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%s: is not a regular file, and is not replaced; give another file", path);
    else if (exists && access(out->target, W_OK) != 0)
        status = refuse(path, "written", "check its rights, or give another file", err);
    else if (!(out->part = malloc(size)))
        status = tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
    if (!status) {
        snprintf(out->part, size, "%s%s", out->target, suffix);
        if (!create_part(out->part, exists, &there))
            status = errno == EEXIST
                         ? refuse(out->part, "created", "remove it", err)
                         : refuse(path, "written", "check the folder and its rights", err);
    }
    if (status) {
        free(out->target);
        free(out->part);
        *out = (tl_replacement){0};
    }
    return status;
}

/* The new file must be on the disk before it replaces the old one, or a crash of the system could
 * lose both. */
static bool put_in_place(const tl_replacement *r)
{
    const int fd = open(r->part, O_RDONLY | O_CLOEXEC);
    const bool done = fd >= 0 && fsync(fd) == 0 && rename(r->part, r->target) == 0;
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
    free(replacement->target);
    free(replacement->part);
    *replacement = (tl_replacement){0};
    return status;
}
