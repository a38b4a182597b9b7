/* open.c - writes the open frames of a recording. */
#include "config.h"

#include "open.h"

#include "error.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char *name_of(const char *trace_path)
{
    size_t size = strlen(trace_path) + sizeof TL_OPEN_SUFFIX;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", trace_path, TL_OPEN_SUFFIX);
    return path;
}

static size_t page_bytes(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 4096 ? (size_t)page : 4096;
}

/* ---- room on the disk ---- */

static bool fill_with_zeros(int fd, uint64_t at, size_t size)
{
    static const uint8_t zeros[4096];
    while (size) {
        size_t part = size < sizeof zeros ? size : sizeof zeros;
        ssize_t done = pwrite(fd, zeros, part, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

/* Allocates disk blocks for a range that is still empty. If the file system cannot do so (NFS
 * before 4.2), zeros are written, and fdatasync checks that they have arrived. */
static bool allocate(int fd, uint64_t at, size_t size)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
        at + size > limit.rlim_cur) {
        errno = EFBIG; /* the kernel would send a signal */
        return false;
    }
    int failed;
    do
        failed = fallocate(fd, 0, (off_t)at, (off_t)size);
    while (failed && errno == EINTR);
    if (!failed)
        return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return false;
    return fill_with_zeros(fd, at, size) && !fdatasync(fd);
}

/* On file systems that write changed pages to new places, a full disk would have no room even for
 * an existing page. */
static void write_in_place(int fd)
{
    int flags = 0;
    if (!ioctl(fd, FS_IOC_GETFLAGS, &flags)) {
        flags |= FS_NOCOW_FL;
        ioctl(fd, FS_IOC_SETFLAGS, &flags);
    }
}

/* ---- the file ---- */

/* Whether an open file is an open file of a recording; reads its header. */
static bool is_open_file(int fd, uint8_t header[TL_OPEN_HEADER_BYTES])
{
    struct stat st;
    return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
           !tl_read_at(fd, 0, header, TL_OPEN_HEADER_BYTES) &&
           !memcmp(header, TL_OPEN_MAGIC, sizeof TL_OPEN_MAGIC - 1);
}

void tl_open_remove(const char *trace_path)
{
    uint8_t header[TL_OPEN_HEADER_BYTES];
    char *path = name_of(trace_path);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    if (fd >= 0 && is_open_file(fd, header))
        unlink(path);
    if (fd >= 0)
        close(fd);
    free(path);
}

tl_status tl_open_create(const char *trace_path, uint64_t seed, tl_error *err)
{
    uint8_t header[TL_OPEN_HEADER_BYTES] = TL_OPEN_MAGIC;
    tl_status status = TL_OK;
    tl_open_remove(trace_path);
    char *path = name_of(trace_path);
    if (!path)
        return tl_no_memory(err, trace_path);
    tl_store32(header + 8, TL_OPEN_VERSION);
    tl_store32(header + 12, TL_OPEN_SLOT_BYTES);
    tl_store64(header + 16, seed);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        status = tl_fail_errno(err, "%s: cannot be created", path);
        goto cleanup;
    }
    write_in_place(fd);
    bool done = allocate(fd, 0, page_bytes()) &&
                pwrite(fd, header, sizeof header, 0) == (ssize_t)sizeof header;
    if (!done)
        status = tl_fail_errno(err, "%s: cannot be written", path);
    if (close(fd) && !status)
        status = tl_fail_errno(err, "%s: cannot be written", path);
    if (status)
        unlink(path);
cleanup:
    free(path);
    return status;
}

/* ---- a slot ---- */

static uint32_t add_at(uint8_t *file, size_t offset, uint32_t n)
{
    uint32_t *counter = (uint32_t *)(void *)(file + offset);
    return __atomic_add_fetch(counter, n, __ATOMIC_ACQ_REL);
}

enum { AT_N_SLOTS = 24, AT_N_OPEN = 28 };

/* Allocates the state and `room` bytes of each area. Allocated parts do not change. If the room is
 * not enough, all of it is freed again, because the trace needs it. */
static bool allocate_slot(const tl_open_slot *slot, int fd, size_t room)
{
    bool done = room > slot->page || allocate(fd, slot->offset, slot->page);
    for (unsigned i = 0; done && i < TL_OPEN_N_AREAS; i++)
        done = allocate(fd, slot->offset + tl_open_area(i) + slot->room, room - slot->room);
    const int error = errno;
    for (unsigned i = 0; !done && i < TL_OPEN_N_AREAS; i++)
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)(slot->offset + tl_open_area(i) + slot->room), (off_t)(room - slot->room));
    errno = error;
    return done;
}

static tl_status map_slot(tl_open_slot *slot, int fd, uint64_t seed, tl_error *err)
{
    uint8_t header[TL_OPEN_HEADER_BYTES];
    struct stat st;
    if (fstat(fd, &st) || !is_open_file(fd, header) || tl_load64(header + 16) != seed)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: is another run's", slot->path);
    slot->device = (uint64_t)st.st_dev;
    slot->inode = (uint64_t)st.st_ino;
    void *file = mmap(NULL, slot->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED)
        return tl_fail_errno(err, "%s: cannot be mapped", slot->path);
    slot->file = file;
    uint32_t index = add_at(slot->file, AT_N_SLOTS, 1) - 1;
    slot->offset = (1 + (uint64_t)index) * TL_OPEN_SLOT_BYTES;
    if (!allocate_slot(slot, fd, slot->page))
        return tl_fail_errno(err, "%s: cannot be written", slot->path);
    slot->room = slot->page;
    void *data =
        mmap(NULL, TL_OPEN_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)slot->offset);
    if (data == MAP_FAILED)
        return tl_fail_errno(err, "%s: cannot be mapped", slot->path);
    slot->data = data;
    return TL_OK;
}

tl_status tl_open_join(const char *trace_path, uint64_t seed, uint32_t rank, tl_open_slot **out,
                       tl_error *err)
{
    *out = NULL;
    tl_open_slot *slot = calloc(1, sizeof *slot);
    tl_status status = TL_ERR_MEMORY;
    int fd = -1;
    if (slot)
        slot->path = name_of(trace_path);
    if (!slot || !slot->path) {
        tl_error_set(err, status, "%s: out of memory", trace_path);
        goto cleanup;
    }
    slot->page = page_bytes();
    fd = open(slot->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    status = fd < 0 ? tl_fail_errno(err, "%s: cannot be opened", slot->path)
                    : map_slot(slot, fd, seed, err);
    if (status)
        goto cleanup;
    tl_store32(slot->data + TL_OPEN_RANK, rank);
    add_at(slot->file, AT_N_OPEN, 1);
    *out = slot;
    slot = NULL;
cleanup:
    if (fd >= 0)
        close(fd);
    tl_open_forget(slot);
    return status;
}

static bool is_ours(const tl_open_slot *slot, const struct stat *st)
{
    return (uint64_t)st->st_dev == slot->device && (uint64_t)st->st_ino == slot->inode;
}

bool tl_open_grow(tl_open_slot *slot)
{
    struct stat st;
    size_t room = 4 * slot->room < TL_OPEN_STREAM_BYTES ? 4 * slot->room : TL_OPEN_STREAM_BYTES;
    if (slot->room == TL_OPEN_STREAM_BYTES)
        return false;
    /* The descriptor is closed again, because programs close descriptors that they do not know. */
    int fd = open(slot->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return false;
    bool done = !fstat(fd, &st) && is_ours(slot, &st) && allocate_slot(slot, fd, room);
    close(fd);
    if (done)
        slot->room = room;
    return done;
}

void tl_open_leave(tl_open_slot *slot)
{
    struct stat st;
    if (!slot)
        return;
    /* The name may now belong to the file of a later run. */
    if (!add_at(slot->file, AT_N_OPEN, UINT32_MAX) && !lstat(slot->path, &st) && is_ours(slot, &st))
        unlink(slot->path);
}

void tl_open_forget(tl_open_slot *slot)
{
    if (!slot)
        return;
    if (slot->data)
        munmap(slot->data, TL_OPEN_SLOT_BYTES);
    if (slot->file)
        munmap(slot->file, slot->page);
    free(slot->path);
    free(slot);
}
