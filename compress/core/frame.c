/* frame.c - chunks of the file: header, checksums, zstd. */
#include "frame.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

/* On these streams, zstd levels above 3 gain nearly nothing. The window is the frame. */
enum { ZSTD_LEVEL = 3, ZSTD_WINDOW_LOG = 16, ZSTD_HASH_LOG = 14, ZSTD_CHAIN_LOG = 14 };

struct tl_packer {
    ZSTD_CCtx *zstd;
};

struct tl_hash {
    XXH64_state_t state;
};

tl_packer *tl_packer_new_strong(int level, int window_log)
{
    tl_packer *p = malloc(sizeof *p);
    if (!p)
        return NULL;
    p->zstd = ZSTD_createCCtx();
    if (!p->zstd) {
        free(p);
        return NULL;
    }
    /* None of these calls can fail on a new context with valid values. */
    ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_windowLog, window_log);
    return p;
}

tl_packer *tl_packer_new(void)
{
    tl_packer *p = tl_packer_new_strong(ZSTD_LEVEL, ZSTD_WINDOW_LOG);
    if (!p)
        return NULL;
    ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_hashLog, ZSTD_HASH_LOG);
    ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_chainLog, ZSTD_CHAIN_LOG);
    return p;
}

void tl_packer_free(tl_packer *p)
{
    if (!p)
        return;
    ZSTD_freeCCtx(p->zstd);
    free(p);
}

static bool expansion_allowed(uint64_t raw_bytes, uint64_t stored_bytes)
{
    return raw_bytes <= TL_FREE_RAW_BYTES || raw_bytes <= stored_bytes * TL_MAX_EXPANSION;
}

static void store_header(const tl_chunk *c, uint64_t seed, uint8_t *h)
{
    memcpy(h, TL_CHUNK_MAGIC, TL_CHUNK_MAGIC_BYTES);
    h[4] = c->type;
    h[5] = c->packing;
    tl_store16(h + 6, c->reserved);
    tl_store32(h + 8, c->rank);
    tl_store32(h + 12, c->sequence);
    tl_store64(h + 16, c->first_event);
    tl_store64(h + 24, c->volume);
    tl_store32(h + 32, c->n_events);
    tl_store32(h + 36, c->raw_bytes);
    tl_store32(h + 40, c->stored_bytes);
    tl_store32(h + 44, (uint32_t)XXH64(h, 44, seed));
}

tl_status tl_chunk_append(tl_packer *p, tl_chunk *chunk, const uint8_t *raw, size_t raw_bytes,
                          uint64_t seed, tl_buffer *out)
{
    if (raw_bytes > TL_MAX_CHUNK_RAW_BYTES)
        return TL_ERR_LIMIT;
    if (!tl_buffer_reserve(out, TL_CHUNK_HEADER_BYTES + ZSTD_compressBound(raw_bytes)))
        return TL_ERR_MEMORY;
    uint8_t *header = out->data + out->size;
    uint8_t *payload = header + TL_CHUNK_HEADER_BYTES;
    size_t stored = ZSTD_compress2(
        p->zstd, payload, out->capacity - out->size - TL_CHUNK_HEADER_BYTES, raw, raw_bytes);
    chunk->packing = TL_PACKING_ZSTD;
    if (ZSTD_isError(stored) || stored >= raw_bytes || !expansion_allowed(raw_bytes, stored)) {
        chunk->packing = TL_PACKING_NONE;
        stored = raw_bytes;
        memcpy(payload, raw, raw_bytes);
    }
    chunk->raw_bytes = (uint32_t)raw_bytes;
    chunk->stored_bytes = (uint32_t)stored;
    store_header(chunk, seed, header);

    XXH64_state_t state;
    XXH64_reset(&state, seed);
    XXH64_update(&state, header, TL_CHUNK_HASHED_BYTES);
    XXH64_update(&state, payload, stored);
    chunk->checksum = XXH64_digest(&state);
    tl_store64(header + TL_CHUNK_HASHED_BYTES, chunk->checksum);
    out->size += TL_CHUNK_HEADER_BYTES + stored;
    return TL_OK;
}

bool tl_chunk_parse(const uint8_t *h, uint64_t seed, tl_chunk *out)
{
    if (memcmp(h, TL_CHUNK_MAGIC, TL_CHUNK_MAGIC_BYTES) != 0 ||
        tl_load32(h + 44) != (uint32_t)XXH64(h, 44, seed))
        return false;
    *out = (tl_chunk){.type = h[4],
                      .packing = h[5],
                      .reserved = tl_load16(h + 6),
                      .rank = tl_load32(h + 8),
                      .sequence = tl_load32(h + 12),
                      .first_event = tl_load64(h + 16),
                      .volume = tl_load64(h + 24),
                      .n_events = tl_load32(h + 32),
                      .raw_bytes = tl_load32(h + 36),
                      .stored_bytes = tl_load32(h + 40),
                      .checksum = tl_load64(h + 48)};
    return true;
}

const char *tl_chunk_violation(const tl_chunk *c)
{
    if (c->reserved)
        return "a reserved field is set";
    if (c->packing > TL_PACKING_ZSTD)
        return "its packing is unknown";
    if (c->raw_bytes > TL_MAX_CHUNK_RAW_BYTES || c->stored_bytes > TL_MAX_CHUNK_RAW_BYTES)
        return "it is larger than the format allows";
    if (c->packing == TL_PACKING_NONE ? c->raw_bytes != c->stored_bytes
                                      : !expansion_allowed(c->raw_bytes, c->stored_bytes))
        return "its sizes contradict each other";
    if (c->type == TL_CHUNK_EVENTS && (!c->n_events || c->n_events > TL_MAX_FRAME_EVENTS))
        return "its number of events is impossible";
    if (c->type == TL_CHUNK_BLOCK && c->raw_bytes > TL_MAX_BLOCK_BYTES)
        return "its block is too large";
    if (c->type == TL_CHUNK_END && c->raw_bytes != TL_END_PAYLOAD_BYTES)
        return "an end of the wrong size";
    return NULL;
}

bool tl_chunk_unpack(const tl_chunk *chunk, const uint8_t *stored, uint8_t *raw)
{
    if (chunk->packing == TL_PACKING_NONE) {
        memcpy(raw, stored, chunk->raw_bytes);
        return true;
    }
    /* A context takes about 100 KiB; it exists only while a frame is unpacked. */
    return ZSTD_decompress(raw, chunk->raw_bytes, stored, chunk->stored_bytes) == chunk->raw_bytes;
}

tl_hash *tl_hash_new(void)
{
    return malloc(sizeof(tl_hash));
}

void tl_hash_free(tl_hash *h)
{
    free(h);
}

void tl_hash_reset(tl_hash *h, uint64_t seed)
{
    XXH64_reset(&h->state, seed);
}

void tl_hash_update(tl_hash *h, const void *data, size_t size)
{
    XXH64_update(&h->state, data, size);
}

uint64_t tl_hash_digest(const tl_hash *h)
{
    return XXH64_digest(&h->state);
}

uint64_t tl_hash_of(const void *data, size_t size, uint64_t seed)
{
    return XXH64(data, size, seed);
}
