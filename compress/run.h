/* run.h - the header of the file: what run it is. */
#ifndef TL_RUN_H
#define TL_RUN_H

#include "bytes.h"
#include "timeless.h"

/* A tl_run that owns its strings. */
typedef struct tl_run_header {
    tl_run run;
    uint32_t bytes; /* of the header in the file */
    uint64_t seed;  /* its checksum, which seeds the checksums of the chunks */
    char *text;     /* all strings */
} tl_run_header;

tl_status tl_run_encode(const tl_run *run, tl_buffer *out, tl_error *err);
/* Reads the header of an open file; `path` is for messages. */
tl_status tl_run_read(int fd, const char *path, tl_run_header *out, tl_error *err);
void tl_run_free(tl_run_header *header);

/* Reads exactly `size` bytes; TL_ERR_TRUNCATED at the end of the file. */
tl_status tl_read_at(int fd, uint64_t offset, void *data, size_t size);
/* Writes everything or fails with TL_ERR_SYSTEM and errno; one write() unless it is interrupted. */
tl_status tl_write_all(int fd, const void *data, size_t size);

#endif
