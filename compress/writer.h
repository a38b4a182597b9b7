/* writer.h - writers of a trace that is packed. */
#ifndef TL_WRITER_H
#define TL_WRITER_H

#include "block.h"
#include "timeless.h"

/* A writer of one rank whose chunks go into blocks, with frames as long as the format allows.  It
 * writes no host: definitions come by tl_writer_pass. */
tl_status tl_writer_open_in_blocks(tl_blocks *blocks, uint32_t rank, uint32_t n_ranks,
                                   tl_writer **out);
/* The rank will end, at this clock. */
void tl_writer_foresee_end(tl_writer *w, uint64_t clock_ns);
/* Appends a chunk as it is. */
tl_status tl_writer_pass(tl_writer *w, uint8_t type, const uint8_t *payload, size_t size);
/* Chunks appended so far: grows when a frame is full. */
uint32_t tl_writer_n_chunks(const tl_writer *w);

#endif
