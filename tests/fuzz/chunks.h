/* chunks.h - a file made of what stands between the checksums, which are made right.
 *
 * Input: number of ranks - 1 (low 3 bits), then chunks: type (low 2 bits) and rank (next 3), number
 * of events, bytes of the payload (low byte, high byte), payload.  With bit 7 of the type the
 * chunks that follow of this rank count an event too few; with bit 5 it is a block of all ranks;
 * with bit 6 it is an index, in front of which version and seed are put. */
#ifndef TEST_FUZZ_CHUNKS_H
#define TEST_FUZZ_CHUNKS_H

#include "fuzz.h"

#include "../../compress/core/format.h"
#include "../../compress/core/frame.h"
#include "../../compress/core/run.h"

static inline void fuzz_write_chunks(const uint8_t *data, size_t size, const char *path)
{
    fuzz_input in = {.p = data, .end = data + size};
    tl_error err;
    tl_run run = {.n_ranks = 1 + (fuzz_byte(&in) & 7u), .volume_unit = "none"};
    tl_buffer file = {0};
    FUZZ_CHECK(!tl_run_encode(&run, &file, &err));
    uint64_t seed = tl_load64(file.data + file.size - 8);
    tl_packer *packer = tl_packer_new();
    FUZZ_CHECK(packer);
    uint32_t sequence[8] = {0};
    uint64_t n_events[8] = {0};
    while (in.p < in.end) {
        uint8_t kind = fuzz_byte(&in), events = fuzz_byte(&in);
        size_t length = fuzz_byte(&in);
        length |= (size_t)fuzz_byte(&in) << 8;
        if (length > (size_t)(in.end - in.p))
            length = (size_t)(in.end - in.p);
        unsigned rank = kind >> 2 & 7;
        tl_chunk chunk = {.type = TL_CHUNK_BLOCK, .first_event = 7};
        if (!(kind & 0x20)) {
            chunk = (tl_chunk){.type = kind & 3,
                               .rank = rank,
                               .sequence = sequence[rank]++,
                               .first_event = n_events[rank],
                               .n_events = (kind & 3) == 2 ? events : 0};
        }
        tl_buffer payload = {0};
        FUZZ_CHECK(tl_buffer_reserve(&payload, length + 9) && payload.data);
        if ((kind & 0x60) == 0x40) {
            chunk.type = TL_CHUNK_INDEX;
            chunk.n_events = 0;
            payload.data[0] = 1;
            tl_store64(payload.data + 1, seed);
            payload.size = 9;
        }
        if (length)
            memcpy(payload.data + payload.size, in.p, length);
        payload.size += length;
        n_events[rank] += kind & 0x20 ? 0 : chunk.n_events - (kind >> 7);
        FUZZ_CHECK(!tl_chunk_append(packer, &chunk, payload.data, payload.size, seed, &file));
        tl_buffer_free(&payload);
        in.p += length;
    }
    fuzz_write_file(path, file.data, file.size);
    tl_packer_free(packer);
    tl_buffer_free(&file);
}

#endif
