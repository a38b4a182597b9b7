/* volume_page.c - the progress of another process, which keeps a count of 8 bytes in a file. The
 * volume of a burst is what the count gains meanwhile. 'timeless calibrate cpu --interfere' sees so
 * what a program does to a loop on another core. */
#include "config.h"

#include "volume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[4096];
static volatile const uint64_t *page;
static TLT_PER_THREAD uint64_t marked;

static const char *choose_file(const char *file)
{
    if (strlen(file) >= sizeof name)
        return "the name of the file is too long";
    snprintf(name, sizeof name, "%s", file);
    return NULL;
}

static const char *map(int fd)
{
    struct stat s;
    if (fstat(fd, &s) != 0 || s.st_size < (off_t)sizeof *page)
        return "the file has fewer than 8 bytes";
    void *address = mmap(NULL, sizeof *page, PROT_READ, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED)
        return "the file cannot be mapped";
    page = address;
    return NULL;
}

static const char *start(void)
{
    if (page)
        return NULL;
    if (!*name)
        return "no file is given; write page:FILE";
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return strerror(errno);
    const char *reason = map(fd);
    close(fd);
    return reason;
}

static void mark(int after_poll)
{
    (void)after_poll;
    marked = *page;
}

static uint64_t since_mark(void)
{
    const uint64_t before = marked;
    mark(0);
    return marked - before;
}

static void stop(void)
{
}

const tlt_volume_source tlt_volume_page = {.option = "page",
                                           .name = "page",
                                           .unit = "counts",
                                           .is_per_thread = true,
                                           .choose_event = choose_file,
                                           .start = start,
                                           .mark = mark,
                                           .since_mark = since_mark,
                                           .stop = stop};
