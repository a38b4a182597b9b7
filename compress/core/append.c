/* append.c - appends bytes to a file without damaging its content or the process. */
#include "config.h"

#include "append.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A write beyond RLIMIT_FSIZE also makes the kernel send SIGXFSZ, which would end the program. */
static ssize_t write_without_signal(int fd, const void *data, size_t size)
{
    sigset_t limit, pending, old;
    const struct timespec no_time = {0};
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigemptyset(&pending);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &old);
    ssize_t done = write(fd, data, size);
    int number = errno;
    if (done < 0 && number == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &no_time);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = number;
    return done;
}

/* Why a write was incomplete. */
static int reason_of(int fd)
{
    struct rlimit limit;
    struct stat st;
    return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && !fstat(fd, &st) &&
                   (uint64_t)st.st_size >= limit.rlim_cur
               ? EFBIG
               : ENOSPC;
}

tl_status tl_write_all(int fd, const void *data, size_t size)
{
    for (;;) {
        ssize_t done = write_without_signal(fd, data, size);
        if (done == (ssize_t)size)
            return TL_OK;
        if (done < 0 && errno == EINTR)
            continue;
        /* Another rank may have appended behind an incomplete write. The rest can then not follow
         * it. */
        if (done >= 0)
            errno = reason_of(fd);
        return TL_ERR_SYSTEM;
    }
}

/* Asks for the room before writing. If the file system cannot answer, the write itself will fail.
 */
static tl_status make_room(int fd, uint64_t at, size_t size)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
        at + size > limit.rlim_cur) {
        errno = EFBIG;
        return TL_ERR_SYSTEM;
    }
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size) &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        return TL_ERR_SYSTEM;
    return TL_OK;
}

tl_status tl_appender_open(tl_appender *a, const char *path, tl_error *err)
{
    enum { OUT_OF_THE_WAY = 512 };
    struct stat st;
    *a = (tl_appender){.fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC), .path = strdup(path)};
    if (!a->path) {
        tl_appender_close(a);
        return tl_no_memory(err, path);
    }
    if (a->fd < 0 || fstat(a->fd, &st)) {
        tl_error_set_errno(err, "%s: cannot be opened for writing", path);
        tl_appender_close(a);
        return TL_ERR_SYSTEM;
    }
    int high = fcntl(a->fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    if (high >= 0) {
        close(a->fd);
        a->fd = high;
    }
    a->device = (uint64_t)st.st_dev;
    a->inode = (uint64_t)st.st_ino;
    return TL_OK;
}

/* Programs close descriptors that they do not know, and get the same numbers for files of their
 * own. */
static bool is_ours(const tl_appender *a, struct stat *st)
{
    return a->fd >= 0 && !fstat(a->fd, st) && (uint64_t)st->st_dev == a->device &&
           (uint64_t)st->st_ino == a->inode;
}

tl_status tl_append(tl_appender *a, const void *data, size_t size, size_t spare_bytes,
                    tl_error *err)
{
    struct stat st;
    if (!is_ours(a, &st))
        return tl_fail(err, TL_ERR_SYSTEM, "%s: was closed by the program", a->path);
    uint64_t at = (uint64_t)st.st_size;
    if (!st.st_nlink)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: was removed while it was written", a->path);
    if (at < a->seen_bytes)
        return tl_fail(err, TL_ERR_SYSTEM, "%s:%" PRIu64 ": was cut short while it was written",
                       a->path, at);
    if (make_room(a->fd, at, size + spare_bytes) || tl_write_all(a->fd, data, size)) {
        tl_error_set_errno(err, "%s:%" PRIu64 ": cannot be written", a->path, at);
        return TL_ERR_SYSTEM;
    }
    a->seen_bytes = at + size;
    return TL_OK;
}

tl_status tl_appender_close(tl_appender *a)
{
    struct stat st;
    bool ours = a->path ? is_ours(a, &st) : a->fd >= 0;
    tl_status status = ours && close(a->fd) ? TL_ERR_SYSTEM : TL_OK;
    free(a->path);
    *a = (tl_appender){.fd = -1};
    return status;
}
