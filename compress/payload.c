/* payload.c - reads the payload of a chunk again, after the file was scanned. */
#include "core/format.h"
#include "reader.h"

tl_status tl_reader_read_at(const tl_reader *r, uint64_t offset, void *data, size_t size)
{
    const uint64_t left = offset < r->file_bytes ? r->file_bytes - offset : 0;
    const size_t in_file = size < left ? size : (size_t)left;
    tl_status status = tl_read_at(r->fd, offset, data, in_file);
    if (status || in_file == size)
        return status;
    offset += in_file - r->file_bytes;
    size -= in_file;
    if (offset > r->recovered.size || size > r->recovered.size - offset)
        return TL_ERR_TRUNCATED;
    memcpy((uint8_t *)data + in_file, r->recovered.data + offset, size);
    return TL_OK;
}

/* Reads and checks a chunk, because the file may have changed since it was opened. */
static tl_status read_chunk(const tl_reader *r, uint64_t offset, tl_chunk *chunk, uint8_t **stored)
{
    uint8_t header[TL_CHUNK_HEADER_BYTES];
    TL_TRY(tl_reader_read_at(r, offset, header, sizeof header));
    if (!tl_chunk_parse(header, r->header.seed, chunk) || tl_chunk_violation(chunk))
        return TL_ERR_CORRUPT;
    *stored = malloc(chunk->stored_bytes + 1);
    if (!*stored)
        return TL_ERR_MEMORY;
    return tl_reader_read_at(r, offset + sizeof header, *stored, chunk->stored_bytes);
}

tl_status tl_payload_read(const tl_reader *r, uint64_t offset, tl_buffer *raw, uint64_t *n_read)
{
    tl_chunk chunk;
    uint8_t *stored = NULL;
    tl_status status = read_chunk(r, offset, &chunk, &stored);
    if (status)
        goto cleanup;
    *n_read += TL_CHUNK_HEADER_BYTES + (uint64_t)chunk.stored_bytes;
    raw->size = 0;
    if (!tl_buffer_reserve(raw, chunk.raw_bytes + 1))
        status = TL_ERR_MEMORY;
    else if (!tl_chunk_unpack(&chunk, stored, raw->data))
        status = TL_ERR_CORRUPT;
    else
        raw->size = chunk.raw_bytes;
cleanup:
    free(stored);
    return status;
}

const tl_base *tl_reader_base(const tl_reader *r, uint64_t offset, uint32_t index)
{
    size_t low = 0, high = r->n_bases;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const tl_base *base = &r->bases[middle];
        if (base->offset == offset && base->index == index)
            return base;
        if (base->offset < offset || (base->offset == offset && base->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
