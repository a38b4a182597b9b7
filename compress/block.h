/* block.h - small chunks of many ranks in one (doc/FORMAT.md, "Blocks"). */
#ifndef TL_BLOCK_H
#define TL_BLOCK_H

#include "frame.h"

/* Collects chunks and appends them to a file as blocks. */
typedef struct tl_blocks {
    int fd;
    uint64_t seed;
    tl_packer *packer;
    tl_buffer raw, out;
    uint32_t first_rank, last_rank; /* least and greatest in `raw` */
    uint32_t before;                /* rank of the chunk before, 0 at first */
    uint32_t n_chunks;
} tl_blocks;

tl_status tl_blocks_open(tl_blocks *b, int fd, uint64_t seed);
tl_status tl_blocks_put(tl_blocks *b, const tl_chunk *chunk, const uint8_t *raw, size_t size);
tl_status tl_blocks_flush(tl_blocks *b);
void tl_blocks_free(tl_blocks *b);

/* Takes the next chunk out of the payload of a block: *chunk but for first_event, and its payload.
 * `before` is the rank of the one before, 0 at first.  False: the format is
 * violated. */
bool tl_block_next(tl_input *in, uint32_t before, tl_chunk *chunk, const uint8_t **payload);

#endif
