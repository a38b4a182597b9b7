/* frame.h - chunks of the file: header, checksums, zstd. */
#ifndef TL_FRAME_H
#define TL_FRAME_H

#include "bytes.h"
#include "format.h"
#include "timeless.h"

#include <stdbool.h>

typedef struct tl_chunk {
    uint8_t type; /* TL_CHUNK_* */
    uint8_t packing;
    uint16_t reserved;
    uint32_t rank;
    uint32_t sequence;    /* number of the chunk within its rank */
    uint64_t first_event; /* events of the rank before this chunk; of a block: its last rank */
    uint64_t volume;      /* sum of the volumes of its events, modulo 2^64 */
    uint32_t n_events;
    uint32_t raw_bytes, stored_bytes;
    uint64_t checksum;
} tl_chunk;

typedef struct tl_packer tl_packer;

/* For chunks that are written while the program runs. */
tl_packer *tl_packer_new(void);
/* With this level of zstd and a window of 2^window_log bytes. */
tl_packer *tl_packer_new_strong(int level, int window_log);
void tl_packer_free(tl_packer *p);

/* Appends header and payload to `out`; fills the rest of *chunk (packing, sizes, checksum). */
tl_status tl_chunk_append(tl_packer *p, tl_chunk *chunk, const uint8_t *raw, size_t raw_bytes,
                          uint64_t seed, tl_buffer *out);

/* Parses a header of TL_CHUNK_HEADER_BYTES. False if its magic or its own checksum is wrong. */
bool tl_chunk_parse(const uint8_t *header, uint64_t seed, tl_chunk *out);
/* The rule of the format that the header breaks, or NULL. */
const char *tl_chunk_violation(const tl_chunk *chunk);
/* Unpacks a payload into `raw`, which has room for chunk->raw_bytes. */
bool tl_chunk_unpack(const tl_chunk *chunk, const uint8_t *stored, uint8_t *raw);

/* The checksum of header and payload in steps: tl_hash_update adds the payload. */
typedef struct tl_hash tl_hash;
tl_hash *tl_hash_new(void);
void tl_hash_free(tl_hash *h);
void tl_hash_reset(tl_hash *h, uint64_t seed);
void tl_hash_update(tl_hash *h, const void *data, size_t size);
uint64_t tl_hash_digest(const tl_hash *h);
uint64_t tl_hash_of(const void *data, size_t size, uint64_t seed);

/* Bytes of the chunk header that the checksum covers. */
enum { TL_CHUNK_HASHED_BYTES = 48 };

#endif
