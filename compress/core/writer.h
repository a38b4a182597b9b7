/* writer.h - writers of a packed trace. */
#ifndef TL_WRITER_H
#define TL_WRITER_H

#include "block.h"
#include "timeless.h"

/* A writer of one rank whose chunks go into blocks, with the longest frames that the format allows.
 * It writes no host; tl_writer_pass adds definitions. */
tl_status tl_writer_open_in_blocks(tl_blocks *blocks, uint32_t rank, uint32_t n_ranks,
                                   tl_writer **out);
/* Creates a file for them. The second function ends the file; `status` is the status so far. */
tl_status tl_blocks_create(tl_blocks *blocks, const char *path, const tl_run *run, tl_error *err);
tl_status tl_blocks_close(tl_blocks *blocks, const char *path, tl_status status, tl_error *err);
/* Ends the part of the writer's rank and begins that of another rank. */
tl_status tl_writer_move_on(tl_writer *w, tl_end_reason reason, uint64_t clock_ns, uint32_t rank);
/* The clock at the rank's end, which is known in advance. */
void tl_writer_foresee_end(tl_writer *w, uint64_t clock_ns);
/* Appends a chunk unchanged. */
tl_status tl_writer_pass(tl_writer *w, uint8_t type, const uint8_t *payload, size_t size);
/* Frames have at most this many events. */
void tl_writer_limit_frames(tl_writer *w, uint64_t max_events);
/* The number of chunks appended so far. It grows when a frame is full. */
uint32_t tl_writer_n_chunks(const tl_writer *w);

#endif
