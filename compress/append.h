/* append.h - put bytes at the end of a file that other ranks write to as well. */
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

/* Opens a file to append to it and to read it, on a descriptor out of the way of the program's own.
 */
tl_status tl_appender_open(tl_appender *a, const char *path, tl_error *err);

/* Appends everything, or nothing as far as that can be known before: a file system that is full, a
 * limit on the size of files, a file that someone has removed or cut short, a descriptor that is
 * another file's by now.  `spare_bytes` must be free behind it, so that the ranks can still write
 * their ends when there is no room for more. */
tl_status tl_append(tl_appender *a, const void *data, size_t size, size_t spare_bytes,
                    tl_error *err);

/* TL_ERR_SYSTEM: what was written may be lost. */
tl_status tl_appender_close(tl_appender *a);

/* Writes everything or fails with TL_ERR_SYSTEM and errno.  A limit on the size of files is an
 * error like others, not a signal. */
tl_status tl_write_all(int fd, const void *data, size_t size);

#endif
