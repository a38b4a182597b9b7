/* cursor.c - one rank's events in order, with memory for one frame. */
#include "codec.h"
#include "error.h"
#include "reader.h"

#include <inttypes.h>

struct tl_cursor {
    tl_reader *r;
    const tl_part *part; /* NULL: the file holds nothing of this rank */
    size_t next_frame;   /* of the part */
    uint64_t position;
    uint32_t left; /* events of the current frame that are still to come */
    uint64_t frame_offset;
    tl_buffer raw;
    tl_input streams[TL_N_STREAMS];
    tl_codec codec;
    tl_buffer list;
    tl_error error; /* sticky */
};

tl_status tl_cursor_open(tl_reader *r, uint32_t rank, tl_cursor **out, tl_error *err)
{
    *out = NULL;
    if (rank >= r->header.run.n_ranks)
        return tl_fail(err, TL_ERR_NO_RANK, "%s: there is no rank %" PRIu32 " among %" PRIu32,
                       r->path, rank, r->header.run.n_ranks);
    /* Not calloc: most of the codec is never touched. */
    tl_cursor *c = malloc(sizeof *c);
    if (!c)
        return tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", r->path);
    c->r = r;
    c->part = tl_reader_part(r, rank);
    c->next_frame = 0;
    c->position = 0;
    c->left = 0;
    c->frame_offset = 0;
    c->raw = c->list = (tl_buffer){0};
    c->error.status = TL_OK;
    c->error.text[0] = 0;
    /* Of a rank that should be there and is not, a damaged file has lost everything. */
    if (!c->part && r->n_damages)
        c->error = r->damages[0];
    *out = c;
    return TL_OK;
}

void tl_cursor_close(tl_cursor *c)
{
    if (!c)
        return;
    tl_buffer_free(&c->raw);
    tl_buffer_free(&c->list);
    free(c);
}

static tl_status frame_failed(tl_cursor *c, tl_status status, const char *what)
{
    return tl_fail(&c->error, status, "%s:%" PRIu64 ": rank %" PRIu32 ", event %" PRIu64 ": %s",
                   c->r->path, c->frame_offset, c->part->rank, c->position, what);
}

/* Reads a chunk again: the file may have changed since it was opened. */
static tl_status read_frame(tl_cursor *c, const tl_frame_ref *ref, tl_chunk *chunk,
                            uint8_t **stored)
{
    uint8_t header[TL_CHUNK_HEADER_BYTES];
    tl_status status = tl_read_at(c->r->fd, ref->offset, header, sizeof header);
    if (status)
        return status;
    if (!tl_chunk_parse(header, c->r->header.seed, chunk) || tl_chunk_violation(chunk) ||
        chunk->type != TL_CHUNK_EVENTS || chunk->n_events != ref->n_events)
        return TL_ERR_CORRUPT;
    *stored = malloc(chunk->stored_bytes + 1);
    if (!*stored)
        return TL_ERR_MEMORY;
    return tl_read_at(c->r->fd, ref->offset + sizeof header, *stored, chunk->stored_bytes);
}

static tl_status load_frame(tl_cursor *c)
{
    const tl_frame_ref *ref = &c->r->frames[c->part->first_frame + c->next_frame];
    c->frame_offset = ref->offset;
    tl_chunk chunk;
    uint8_t *stored = NULL;
    tl_status status = read_frame(c, ref, &chunk, &stored);
    if (status)
        goto cleanup;
    c->raw.size = 0;
    if (!tl_buffer_reserve(&c->raw, chunk.raw_bytes + 1)) {
        status = TL_ERR_MEMORY;
        goto cleanup;
    }
    if (!tl_chunk_unpack(&chunk, stored, c->raw.data) ||
        !tl_frame_split(c->raw.data, chunk.raw_bytes, c->streams)) {
        status = TL_ERR_CORRUPT;
        goto cleanup;
    }
    tl_codec_reset(&c->codec, c->part->rank);
    c->left = ref->n_events;
    c->next_frame++;
cleanup:
    free(stored);
    if (status == TL_ERR_SYSTEM)
        return tl_fail_errno(&c->error, "%s:%" PRIu64 ": cannot be read", c->r->path, ref->offset);
    return status ? frame_failed(c, status, "the frame cannot be unpacked; record the run again")
                  : TL_OK;
}

tl_status tl_cursor_next(tl_cursor *c, tl_event *event)
{
    if (c->error.status != TL_OK)
        return c->error.status;
    if (!c->left) {
        if (!c->part)
            return TL_END;
        if (c->next_frame == c->part->n_frames) {
            c->error = c->part->damage;
            return c->error.status != TL_OK ? c->error.status : TL_END;
        }
        tl_status status = load_frame(c);
        if (status)
            return status;
    }
    tl_status status = tl_codec_get(&c->codec, c->streams, event, &c->list);
    if (!status && c->left == 1 && !tl_codec_is_used_up(&c->codec, c->streams))
        status = TL_ERR_CORRUPT;
    if (status)
        return frame_failed(c, status,
                            status == TL_ERR_VERSION
                                ? "a call that this version of timeless does not know; use the "
                                  "version that wrote the trace"
                                : "the events break the format; record the run again");
    c->left--;
    c->position++;
    return TL_OK;
}

uint64_t tl_cursor_position(const tl_cursor *c)
{
    return c->position;
}

const tl_error *tl_cursor_error(const tl_cursor *c)
{
    return &c->error;
}
