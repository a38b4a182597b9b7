/* run.h - the header of the file: the description of the run. */
#ifndef TL_RUN_H
#define TL_RUN_H

#include "bytes.h"
#include "timeless.h"

#include <stdbool.h>

/* A tl_run with its own copies of the strings. */
typedef struct tl_run_header {
    tl_run run;
    uint32_t bytes; /* of the header in the file */
    uint64_t seed;  /* its checksum, which seeds the checksums of the chunks */
    char *text;     /* all strings */
} tl_run_header;

/* The texts of a tl_run, in the order in which they are written. */
typedef struct tl_run_field {
    const char *key;
    size_t offset; /* in tl_run */
    bool optional; /* left out where it is empty */
} tl_run_field;
enum { TL_N_RUN_FIELDS = 13 };
extern const tl_run_field tl_run_fields[TL_N_RUN_FIELDS];
/* The i-th text; "" for NULL. */
const char *tl_run_text(const tl_run *run, size_t i);

tl_status tl_run_encode(const tl_run *run, tl_buffer *out, tl_error *err);
/* Reads the header of an open file; `path` is for messages. */
tl_status tl_run_read(int fd, const char *path, tl_run_header *out, tl_error *err);
void tl_run_free(tl_run_header *header);

/* Reads exactly `size` bytes; TL_ERR_TRUNCATED at the end of the file. */
tl_status tl_read_at(int fd, uint64_t offset, void *data, size_t size);

#endif
