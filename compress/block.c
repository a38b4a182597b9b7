/* block.c - small chunks of many ranks in one: what is the same on all ranks is stored once. */
#include "block.h"

#include "append.h"
#include "run.h"

/* Ranks that do the same lie together; a cursor unpacks a whole block for each of its frames. */
enum { SMALL_BLOCK_BYTES = 64 * 1024, LARGE_BLOCK_BYTES = 256 * 1024, FEW_CHUNKS = 32 };
enum { BLOCK_ZSTD_LEVEL = 19, BLOCK_WINDOW_LOG = 20 };
enum { CHUNK_HEAD_BYTES = 1 + 5 * TL_VARINT_MAX_BYTES };

tl_status tl_blocks_open(tl_blocks *b, int fd, uint64_t seed)
{
    *b = (tl_blocks){.fd = fd, .seed = seed};
    b->packer = tl_packer_new_strong(BLOCK_ZSTD_LEVEL, BLOCK_WINDOW_LOG);
    return b->packer ? TL_OK : TL_ERR_MEMORY;
}

void tl_blocks_free(tl_blocks *b)
{
    tl_packer_free(b->packer);
    tl_buffer_free(&b->raw);
    tl_buffer_free(&b->out);
}

/* A chunk that is large by itself has nothing to gain from a block. */
static tl_status put_alone(tl_blocks *b, const tl_chunk *chunk, const uint8_t *raw, size_t size)
{
    tl_chunk alone = *chunk;
    tl_status status = tl_blocks_flush(b);
    b->out.size = 0;
    if (!status)
        status = tl_chunk_append(b->packer, &alone, raw, size, b->seed, &b->out);
    return status ? status : tl_write_all(b->fd, b->out.data, b->out.size);
}

tl_status tl_blocks_put(tl_blocks *b, const tl_chunk *chunk, const uint8_t *raw, size_t size)
{
    if (size > LARGE_BLOCK_BYTES)
        return put_alone(b, chunk, raw, size);
    if (b->raw.size + size > LARGE_BLOCK_BYTES) {
        tl_status status = tl_blocks_flush(b);
        if (status)
            return status;
    }
    if (!tl_buffer_reserve(&b->raw, CHUNK_HEAD_BYTES + size))
        return TL_ERR_MEMORY;
    if (!b->n_chunks++)
        b->first_rank = b->last_rank = chunk->rank;
    if (chunk->rank < b->first_rank)
        b->first_rank = chunk->rank;
    if (chunk->rank > b->last_rank)
        b->last_rank = chunk->rank;
    b->raw.data[b->raw.size++] = chunk->type;
    tl_buffer_put_varint(&b->raw, tl_zigzag((uint64_t)chunk->rank - b->before));
    tl_buffer_put_varint(&b->raw, chunk->sequence);
    if (chunk->type == TL_CHUNK_EVENTS) {
        tl_buffer_put_varint(&b->raw, chunk->n_events);
        tl_buffer_put_varint(&b->raw, chunk->volume);
    }
    tl_buffer_put_varint(&b->raw, size);
    memcpy(b->raw.data + b->raw.size, raw, size);
    b->raw.size += size;
    b->before = chunk->rank;
    bool full = b->raw.size >= (b->n_chunks < FEW_CHUNKS ? LARGE_BLOCK_BYTES : SMALL_BLOCK_BYTES);
    return full ? tl_blocks_flush(b) : TL_OK;
}

tl_status tl_blocks_flush(tl_blocks *b)
{
    if (!b->n_chunks)
        return TL_OK;
    tl_chunk block = {.type = TL_CHUNK_BLOCK, .rank = b->first_rank, .first_event = b->last_rank};
    b->out.size = 0;
    tl_status status =
        tl_chunk_append(b->packer, &block, b->raw.data, b->raw.size, b->seed, &b->out);
    if (!status)
        status = tl_write_all(b->fd, b->out.data, b->out.size);
    b->raw.size = 0;
    b->n_chunks = b->before = 0;
    return status;
}

bool tl_block_next(tl_input *in, uint32_t before, tl_chunk *chunk, const uint8_t **payload)
{
    uint8_t type = *in->p++;
    uint64_t rank = before + tl_unzigzag(tl_get_varint(in)), sequence = tl_get_varint(in);
    uint64_t n_events = 0, volume = 0;
    if (type == TL_CHUNK_EVENTS) {
        n_events = tl_get_varint(in);
        volume = tl_get_varint(in);
    }
    uint64_t size = tl_get_varint(in);
    if (in->bad || rank > UINT32_MAX || sequence > UINT32_MAX || n_events > TL_MAX_FRAME_EVENTS ||
        size > (size_t)(in->end - in->p))
        return false;
    *chunk = (tl_chunk){.type = type,
                        .rank = (uint32_t)rank,
                        .sequence = (uint32_t)sequence,
                        .volume = volume,
                        .n_events = (uint32_t)n_events,
                        .raw_bytes = (uint32_t)size,
                        .stored_bytes = (uint32_t)size};
    *payload = in->p;
    in->p += size;
    return true;
}
