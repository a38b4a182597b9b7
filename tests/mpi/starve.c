/* starve.c - preloaded: what the tracer asks for is refused, as STARVE says: "memory" once the
 * program has set its variable fault_now, "start" from the beginning, "files" no file is opened.
 *
 * The tracer alone must be hit, which no limit of the system can do. */
#include "config.h" /* _GNU_SOURCE */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* NOLINTBEGIN(cert-dcl51-cpp): glibc's own names */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
/* NOLINTEND(cert-dcl51-cpp) */

static int from_tracer(void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libtimeless-tracer");
}

static int starved(void *caller)
{
    const char *how = getenv("STARVE");
    if (!how || !strcmp(how, "files") || !from_tracer(caller))
        return 0;
    int *now = dlsym(RTLD_DEFAULT, "fault_now");
    errno = ENOMEM;
    return !strcmp(how, "start") ? now != NULL : now && *now;
}

void *malloc(size_t size)
{
    return starved(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return starved(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return starved(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    const char *how = getenv("STARVE");
    va_list args;
    va_start(args, flags);
    int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    if (!real)
        real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (how && !strcmp(how, "files") && from_tracer(__builtin_return_address(0))) {
        errno = EMFILE;
        return -1;
    }
    return real(path, flags, mode);
}
