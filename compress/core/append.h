/* append.h - appends bytes to a file to which other ranks write, too. */
#ifndef TL_APPEND_H
#define TL_APPEND_H

#include "timeless.h"

typedef struct tl_appender {
    int fd; /* -1: not open */
    char *path;
    uint64_t device,
        inode;           /* what stands behind the descriptor, unless the program has closed it */
    uint64_t seen_bytes; /* the file had at least so many */
} tl_appender;

/* Opens a file for appending and reading, on a descriptor that does not collide with the program's
 * own. */
tl_status tl_appender_open(tl_appender *a, const char *path, tl_error *err);

/* Appends all bytes, or none if it can detect before that writing will fail: the file system is
 * full, the size of files is limited, someone has removed or truncated the file, the descriptor now
 * belongs to another file. `spare_bytes` must be free behind the bytes, so that the ranks can still
 * write their ends when there is no more room. */
tl_status tl_append(tl_appender *a, const void *data, size_t size, size_t spare_bytes,
                    tl_error *err);

/* TL_ERR_SYSTEM: the written bytes may be lost. */
tl_status tl_appender_close(tl_appender *a);

/* Writes all bytes or fails with TL_ERR_SYSTEM and errno. A limit on the size of files is an
 * ordinary error, not a signal. */
tl_status tl_write_all(int fd, const void *data, size_t size);

#endif
