/* block.h - small chunks of many ranks in one (doc/FORMAT.md, "Block"). */
#ifndef TL_BLOCK_H
#define TL_BLOCK_H

#include "codec.h"
#include "frame.h"

#include <stdbool.h>

/* A frame in the file to which other frames can refer. */
typedef struct tl_stored {
    uint64_t same[2]; /* hash of the streams that tell all but volumes and clocks */
    uint64_t streams[TL_N_STREAMS - TL_N_SAME_STREAMS]; /* hashes of the others */
    uint64_t offset;                                    /* of its block; 0: none */
    uint32_t index;                                     /* in it */
} tl_stored;

/* Collects chunks and appends them to a file as blocks. */
typedef struct tl_blocks {
    int fd;
    uint64_t seed;
    uint64_t offset; /* of the next block in the file */
    tl_packer *packer;
    tl_buffer heads, others, streams[TL_N_STREAMS];
    tl_buffer raw, out;
    tl_stored *stored; /* by hash; a later one takes the place of an earlier one */
    bool repeats; /* many frames have the volumes of one of several others: look for that one */
    uint32_t first_rank, last_rank; /* least and greatest */
    uint32_t before;                /* rank of the chunk before, 0 at first */
    uint32_t n_chunks;
    uint64_t end_ns; /* clock of the end before, 0 at first */
} tl_blocks;

/* Blocks are appended to `fd`, whose next byte has the offset `offset`. */
tl_status tl_blocks_open(tl_blocks *b, int fd, uint64_t offset, uint64_t seed);
/* Adds a chunk without events. */
tl_status tl_blocks_put(tl_blocks *b, const tl_chunk *chunk, const uint8_t *raw, size_t size);
tl_status tl_blocks_put_frame(tl_blocks *b, const tl_chunk *chunk,
                              const tl_buffer streams[TL_N_STREAMS]);
tl_status tl_blocks_flush(tl_blocks *b);
void tl_blocks_free(tl_blocks *b);

/* A chunk in a block. */
typedef struct tl_inner {
    tl_chunk chunk; /* but for first_event */
    uint32_t index;
    tl_input payload; /* of definitions, and of what is not known */
    uint8_t end[TL_END_PAYLOAD_BYTES];
    tl_input streams[TL_N_STREAMS]; /* if it has; those of `based` are empty */
    uint32_t based;                 /* bits of streams that are those of another frame: */
    uint64_t base_distance; /* so many bytes before the block a block begins, 0: this one, */
    uint32_t base_index;    /* and there it has this number */
} tl_inner;

/* Reads the chunks of a block one after the other. */
typedef struct tl_block {
    tl_input heads, others, streams[TL_N_STREAMS];
    uint32_t rank, n_chunks;
    uint64_t end_ns;
} tl_block;

bool tl_block_open(tl_block *b, const uint8_t *raw, size_t size);
static inline bool tl_block_is_at_end(const tl_block *b)
{
    return b->heads.p == b->heads.end;
}
/* Reads the next chunk, which must exist. False: the block violates the format. */
bool tl_block_next(tl_block *b, tl_inner *out);
/* Whether all sections are used up, at the end. */
bool tl_block_is_used_up(const tl_block *b);
/* Reads chunk number `index`. False: there is none, or the block violates the format. */
bool tl_block_find(const uint8_t *raw, size_t size, uint32_t index, tl_inner *out);

/* A hash of the streams that determine everything except volumes and clocks. */
uint64_t tl_hash_same_streams(const tl_input streams[TL_N_STREAMS], uint64_t seed);

#endif
