/* hinder.c - preloaded: files whose names end in ".part" are on a disk that is full (HINDER=full),
 * or on one that never answers (HINDER=wait). */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_part(int fd)
{
    char link[64], name[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, sizeof name);
    return n > 5 && !memcmp(name + n - 5, ".part", 5);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    const char *hinder = getenv("HINDER");
    if (!hinder || !is_part(fd))
        return next(fd, bytes, size);
    while (!strcmp(hinder, "wait"))
        pause();
    errno = ENOSPC;
    return -1;
}
