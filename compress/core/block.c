/* block.c - stores small chunks of many ranks in one chunk; equal streams are stored once. */
#include "block.h"

#include "append.h"
#include "run.h"

/* Ranks with the same events are stored together. A cursor unpacks a whole block for each of its
 * frames. */
enum { SMALL_BLOCK_BYTES = 128 * 1024, LARGE_BLOCK_BYTES = 256 * 1024, FEW_CHUNKS = 32 };
enum { BLOCK_ZSTD_LEVEL = 19, BLOCK_WINDOW_LOG = 20 };
enum { HEAD_BYTES = 1 + (8 + TL_N_STREAMS) * TL_VARINT_MAX_BYTES };
/* Frames to which later frames may refer. If there are too many, only some of the latest are kept.
 */
enum { STORED_BITS = 14 };

enum { N_SECTIONS = 2 + TL_N_STREAMS };

tl_status tl_blocks_open(tl_blocks *b, int fd, uint64_t offset, uint64_t seed)
{
    *b = (tl_blocks){.fd = fd, .offset = offset, .seed = seed};
    b->packer = tl_packer_new_strong(BLOCK_ZSTD_LEVEL, BLOCK_WINDOW_LOG);
    b->stored = calloc(1 << STORED_BITS, sizeof *b->stored);
    return b->packer && b->stored ? TL_OK : TL_ERR_MEMORY;
}

void tl_blocks_free(tl_blocks *b)
{
    tl_packer_free(b->packer);
    tl_buffer_free(&b->heads);
    tl_buffer_free(&b->others);
    for (int i = 0; i < TL_N_STREAMS; i++)
        tl_buffer_free(&b->streams[i]);
    tl_buffer_free(&b->raw);
    tl_buffer_free(&b->out);
    free(b->stored);
}

static size_t bytes_of(const tl_blocks *b)
{
    size_t size = b->heads.size + b->others.size;
    for (int i = 0; i < TL_N_STREAMS; i++)
        size += b->streams[i].size;
    return size;
}

static tl_status write_chunk(tl_blocks *b, tl_chunk *chunk, const tl_buffer *raw)
{
    b->out.size = 0;
    tl_status status = tl_chunk_append(b->packer, chunk, raw->data, raw->size, b->seed, &b->out);
    if (!status)
        status = tl_write_all(b->fd, b->out.data, b->out.size);
    b->offset += b->out.size;
    return status;
}

static bool join_sections(tl_blocks *b)
{
    const tl_buffer *sections[N_SECTIONS] = {&b->heads, &b->others};
    for (int i = 0; i < TL_N_STREAMS; i++)
        sections[2 + i] = &b->streams[i];
    b->raw.size = 0;
    if (!tl_buffer_reserve(&b->raw, bytes_of(b) + (size_t)N_SECTIONS * TL_VARINT_MAX_BYTES))
        return false;
    for (int i = 0; i < N_SECTIONS; i++)
        tl_buffer_put_varint(&b->raw, sections[i]->size);
    for (int i = 0; i < N_SECTIONS; i++)
        tl_buffer_put(&b->raw, sections[i]->data, sections[i]->size);
    return true;
}

tl_status tl_blocks_flush(tl_blocks *b)
{
    if (!b->n_chunks)
        return TL_OK;
    if (!join_sections(b))
        return TL_ERR_MEMORY;
    tl_chunk block = {.type = TL_CHUNK_BLOCK, .rank = b->first_rank, .first_event = b->last_rank};
    tl_status status = write_chunk(b, &block, &b->raw);
    b->heads.size = b->others.size = 0;
    for (int i = 0; i < TL_N_STREAMS; i++)
        b->streams[i].size = 0;
    b->n_chunks = b->before = 0;
    b->end_ns = 0;
    return status;
}

/* Makes room for a chunk, in this block or the next one, and writes the beginning of its head. */
static tl_status begin_chunk(tl_blocks *b, const tl_chunk *chunk, size_t size)
{
    if (bytes_of(b) + size > LARGE_BLOCK_BYTES)
        TL_TRY(tl_blocks_flush(b));
    if (!tl_buffer_reserve(&b->heads, HEAD_BYTES))
        return TL_ERR_MEMORY;
    if (!b->n_chunks)
        b->first_rank = b->last_rank = chunk->rank;
    if (chunk->rank < b->first_rank)
        b->first_rank = chunk->rank;
    if (chunk->rank > b->last_rank)
        b->last_rank = chunk->rank;
    b->heads.data[b->heads.size++] = chunk->type;
    tl_buffer_put_varint(&b->heads, tl_zigzag((uint64_t)chunk->rank - b->before));
    tl_buffer_put_varint(&b->heads, chunk->sequence);
    b->before = chunk->rank;
    return TL_OK;
}

static tl_status end_chunk(tl_blocks *b)
{
    b->n_chunks++;
    bool full = b->n_chunks == TL_MAX_BLOCK_CHUNKS ||
                bytes_of(b) >= (b->n_chunks < FEW_CHUNKS || b->repeats ? LARGE_BLOCK_BYTES
                                                                       : SMALL_BLOCK_BYTES);
    return full ? tl_blocks_flush(b) : TL_OK;
}

tl_status tl_blocks_put(tl_blocks *b, const tl_chunk *chunk, const uint8_t *raw, size_t size)
{
    if (size > LARGE_BLOCK_BYTES) {
        tl_chunk alone = *chunk;
        tl_buffer payload = {.data = (uint8_t *)(uintptr_t)raw, .size = size};
        TL_TRY(tl_blocks_flush(b));
        return write_chunk(b, &alone, &payload);
    }
    TL_TRY(begin_chunk(b, chunk, size));
    if (chunk->type == TL_CHUNK_END) {
        uint64_t clock_ns = tl_load64(raw + 4);
        tl_buffer_put_varint(&b->heads, tl_load32(raw));
        tl_buffer_put_varint(&b->heads, tl_zigzag(clock_ns - b->end_ns));
        b->end_ns = clock_ns;
    } else {
        tl_buffer_put_varint(&b->heads, size);
        if (!tl_buffer_put(&b->others, raw, size))
            return TL_ERR_MEMORY;
    }
    return end_chunk(b);
}

/* ---- frames ---- */

uint64_t tl_hash_same_streams(const tl_input streams[TL_N_STREAMS], uint64_t seed)
{
    for (int i = 0; i < TL_N_SAME_STREAMS; i++)
        seed = tl_hash_of(streams[i].p, (size_t)(streams[i].end - streams[i].p), seed);
    return seed;
}

static tl_stored describe(const tl_buffer streams[TL_N_STREAMS])
{
    tl_input in[TL_N_STREAMS];
    tl_stored s = {.offset = 0};
    for (int i = 0; i < TL_N_STREAMS; i++)
        in[i] = (tl_input){.p = streams[i].data, .end = streams[i].data + streams[i].size};
    for (int i = 0; i < 2; i++)
        s.same[i] = tl_hash_same_streams(in, (uint64_t)i);
    for (int i = TL_N_SAME_STREAMS; i < TL_N_STREAMS; i++)
        s.streams[i - TL_N_SAME_STREAMS] = tl_hash_of(streams[i].data, streams[i].size, 2);
    return s;
}

/* The streams that the frame of `stored` has in common with this one, as bits. */
static uint32_t compare(const tl_stored *stored, const tl_stored *now)
{
    if (!stored->offset || stored->same[0] != now->same[0] || stored->same[1] != now->same[1])
        return 0;
    uint32_t based = (1U << TL_N_SAME_STREAMS) - 1;
    for (int i = TL_N_SAME_STREAMS; i < TL_N_STREAMS; i++)
        if (stored->streams[i - TL_N_SAME_STREAMS] == now->streams[i - TL_N_SAME_STREAMS])
            based |= 1U << i;
    return based;
}

/* The place of the frame to which this one could refer. */
static tl_stored *find_stored(tl_blocks *b, const tl_stored *now)
{
    uint64_t hash = now->same[0];
    if (b->repeats)
        hash = tl_hash_of(&now->streams[0], sizeof now->streams[0], hash);
    return &b->stored[hash >> (64 - STORED_BITS)];
}

static tl_status put_alone(tl_blocks *b, const tl_chunk *chunk,
                           const tl_buffer streams[TL_N_STREAMS])
{
    tl_chunk alone = *chunk;
    TL_TRY(tl_blocks_flush(b));
    return tl_frame_join(streams, &b->raw) ? write_chunk(b, &alone, &b->raw) : TL_ERR_MEMORY;
}

tl_status tl_blocks_put_frame(tl_blocks *b, const tl_chunk *chunk,
                              const tl_buffer streams[TL_N_STREAMS])
{
    size_t size = 0;
    for (int i = 0; i < TL_N_STREAMS; i++)
        size += streams[i].size;
    if (size > LARGE_BLOCK_BYTES)
        return put_alone(b, chunk, streams);
    tl_stored now = describe(streams);
    tl_stored *stored = find_stored(b, &now);
    TL_TRY(begin_chunk(b, chunk, size));
    uint32_t based = compare(stored, &now);
    if (b->repeats && !(based >> TL_STREAM_VOLUMES & 1))
        based = 0;
    tl_buffer_put_varint(&b->heads, chunk->n_events);
    tl_buffer_put_varint(&b->heads, chunk->volume);
    tl_buffer_put_varint(&b->heads, based);
    if (based) {
        tl_buffer_put_varint(&b->heads, b->offset - stored->offset);
        tl_buffer_put_varint(&b->heads, stored->index);
    } else {
        now.offset = b->offset;
        now.index = b->n_chunks;
        *stored = now;
    }
    for (int i = 0; i < TL_N_STREAMS; i++) {
        if (based >> i & 1)
            continue;
        tl_buffer_put_varint(&b->heads, streams[i].size);
        if (!tl_buffer_put(&b->streams[i], streams[i].data, streams[i].size))
            return TL_ERR_MEMORY;
    }
    return end_chunk(b);
}

/* ---- reading ---- */

static bool take_section(tl_input *in, uint64_t size, tl_input *out)
{
    if (in->bad || size > (size_t)(in->end - in->p))
        return false;
    *out = (tl_input){.p = in->p, .end = in->p + size};
    in->p += size;
    return true;
}

bool tl_block_open(tl_block *b, const uint8_t *raw, size_t size)
{
    tl_input in = {.p = raw, .end = raw + size};
    uint64_t sizes[N_SECTIONS];
    *b = (tl_block){0};
    for (int i = 0; i < N_SECTIONS; i++)
        sizes[i] = tl_get_varint(&in);
    bool ok = take_section(&in, sizes[0], &b->heads) && take_section(&in, sizes[1], &b->others);
    for (int i = 0; i < TL_N_STREAMS; i++)
        ok = ok && take_section(&in, sizes[2 + i], &b->streams[i]);
    return ok && in.p == in.end;
}

static bool next_frame(tl_block *b, tl_inner *out)
{
    uint64_t n_events = tl_get_varint(&b->heads), volume = tl_get_varint(&b->heads);
    uint64_t based = tl_get_varint(&b->heads), index = 0;
    if (n_events > TL_MAX_FRAME_EVENTS || based >> TL_N_STREAMS)
        return false;
    if (based) {
        out->base_distance = tl_get_varint(&b->heads);
        index = tl_get_varint(&b->heads);
        if (index >= (out->base_distance ? TL_MAX_BLOCK_CHUNKS : b->n_chunks))
            return false;
    }
    out->based = (uint32_t)based;
    out->base_index = (uint32_t)index;
    out->chunk.n_events = (uint32_t)n_events;
    out->chunk.volume = volume;
    for (int i = 0; i < TL_N_STREAMS; i++)
        if (!(based >> i & 1) &&
            !take_section(&b->streams[i], tl_get_varint(&b->heads), &out->streams[i]))
            return false;
    return true;
}

static bool next_end(tl_block *b, tl_inner *out)
{
    uint64_t reason = tl_get_varint(&b->heads);
    b->end_ns += tl_unzigzag(tl_get_varint(&b->heads));
    if (reason > UINT32_MAX)
        return false;
    tl_store32(out->end, (uint32_t)reason);
    tl_store64(out->end + 4, b->end_ns);
    out->chunk.raw_bytes = out->chunk.stored_bytes = TL_END_PAYLOAD_BYTES;
    return true;
}

static bool next_other(tl_block *b, tl_inner *out)
{
    if (!take_section(&b->others, tl_get_varint(&b->heads), &out->payload))
        return false;
    out->chunk.raw_bytes = out->chunk.stored_bytes = (uint32_t)(out->payload.end - out->payload.p);
    return true;
}

bool tl_block_next(tl_block *b, tl_inner *out)
{
    *out = (tl_inner){.index = b->n_chunks};
    uint8_t type = *b->heads.p++;
    uint64_t rank = b->rank + tl_unzigzag(tl_get_varint(&b->heads));
    uint64_t sequence = tl_get_varint(&b->heads);
    if (rank > UINT32_MAX || sequence > UINT32_MAX || b->n_chunks == TL_MAX_BLOCK_CHUNKS)
        return false;
    out->chunk.type = type;
    out->chunk.rank = b->rank = (uint32_t)rank;
    out->chunk.sequence = (uint32_t)sequence;
    bool ok = type == TL_CHUNK_EVENTS ? next_frame(b, out)
              : type == TL_CHUNK_END  ? next_end(b, out)
                                      : next_other(b, out);
    b->n_chunks++;
    return ok && !b->heads.bad;
}

bool tl_block_is_used_up(const tl_block *b)
{
    bool used_up = b->others.p == b->others.end;
    for (int i = 0; i < TL_N_STREAMS; i++)
        used_up = used_up && b->streams[i].p == b->streams[i].end;
    return used_up;
}

bool tl_block_find(const uint8_t *raw, size_t size, uint32_t index, tl_inner *out)
{
    tl_block b;
    if (!tl_block_open(&b, raw, size))
        return false;
    do {
        if (tl_block_is_at_end(&b) || !tl_block_next(&b, out))
            return false;
    } while (out->index != index);
    return true;
}
