/* open_read.c - reads the events of killed ranks from TRACE.open, as chunks. */
#include "config.h"

#include "core/error.h"
#include "core/open.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct recovery {
    tl_reader *r;
    int fd;
    uint64_t bytes; /* of the file */
    tl_packer *packer;
    tl_codec *codec, *encoder;
    tl_buffer encoded[TL_N_STREAMS]; /* what the encoder writes of an event */
    tl_buffer areas[TL_OPEN_N_AREAS];
    tl_buffer raw, list;
} recovery;

/* Opens TRACE.open; -1 if there is none of this run. */
static int open_beside(const tl_reader *r, uint64_t *bytes, uint32_t *n_slots)
{
    uint8_t header[TL_OPEN_HEADER_BYTES];
    struct stat st;
    size_t size = strlen(r->path) + sizeof TL_OPEN_SUFFIX;
    char *path = malloc(size);
    if (!path)
        return -1;
    snprintf(path, size, "%s%s", r->path, TL_OPEN_SUFFIX);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    free(path);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || tl_read_at(fd, 0, header, sizeof header) ||
        memcmp(header, TL_OPEN_MAGIC, sizeof TL_OPEN_MAGIC - 1) != 0 ||
        tl_load32(header + 8) != TL_OPEN_VERSION || tl_load32(header + 12) != TL_OPEN_SLOT_BYTES ||
        tl_load64(header + 16) != r->header.seed) {
        close(fd);
        return -1;
    }
    *bytes = (uint64_t)st.st_size;
    *n_slots = tl_load32(header + 24);
    return fd;
}

/* Reads the valid state of the slot at `at`; false if there is none. */
static bool read_state(const recovery *f, uint64_t at, uint32_t *rank, tl_open_state *state)
{
    uint8_t lead[TL_OPEN_LEAD_BYTES];
    if (tl_read_at(f->fd, at, lead, sizeof lead))
        return false;
    uint64_t n = tl_load64(lead + TL_OPEN_COMMITS);
    const uint8_t *p = lead + TL_OPEN_STATES + (n & 1) * TL_OPEN_STATE_BYTES;
    *rank = tl_load32(lead + TL_OPEN_RANK);
    *state = (tl_open_state){.sequence = tl_load32(p),
                             .n_events = tl_load32(p + 4),
                             .first_event = tl_load64(p + 8),
                             .volume = tl_load64(p + 16),
                             .definitions_bytes = tl_load32(p + 24),
                             .control_bytes = tl_load32(p + 28),
                             .run = tl_load32(p + 32),
                             .volumes_bytes = tl_load32(p + 36),
                             .same_volumes = tl_load32(p + 40),
                             .check = tl_load64(p + 48)};
    return n && state->n_events <= TL_FRAME_EVENTS && state->run <= state->n_events &&
           state->same_volumes <= state->n_events &&
           state->definitions_bytes <= TL_OPEN_STREAM_BYTES &&
           state->control_bytes <= TL_OPEN_STREAM_BYTES &&
           state->volumes_bytes <= TL_OPEN_STREAM_BYTES;
}

/* Reads as much of an area as the file contains. */
static bool read_area(recovery *f, uint64_t slot, unsigned i, size_t size)
{
    tl_buffer *area = &f->areas[i];
    const uint64_t at = slot + tl_open_area(i), left = at < f->bytes ? f->bytes - at : 0;
    area->size = size < left ? size : (size_t)left;
    return !tl_read_at(f->fd, at, area->data, area->size);
}

static bool append(recovery *f, tl_chunk *chunk, const tl_buffer *raw, tl_buffer *out)
{
    bool done = !tl_chunk_append(f->packer, chunk, raw->data, raw->size, f->r->header.seed, out);
    chunk->sequence++;
    return done;
}

/* Encodes an event again, for the hash of the frame. */
static bool encode(recovery *f, const tl_event *e)
{
    const tl_call_info *row = tl_call_by_code(e->call);
    for (unsigned i = 0; i < TL_N_STREAMS; i++)
        f->encoded[i].size = 0;
    return row &&
           tl_buffer_reserve(&f->encoded[TL_STREAM_LISTS],
                             (size_t)e->list_len * TL_VARINT_MAX_BYTES) &&
           tl_codec_put(f->encoder, f->encoded, e, row);
}

/* Decodes the frame to find the ends of its streams, because bytes of an incomplete event may
 * follow. */
static bool cut_streams(recovery *f, const tl_open_state *state, uint32_t rank)
{
    tl_input in[TL_N_STREAMS];
    uint64_t volume = 0;
    for (unsigned i = 0; i < TL_N_STREAMS; i++)
        in[i] = (tl_input){.p = f->areas[i].data, .end = f->areas[i].data + f->areas[i].size};
    tl_codec_init(f->codec, rank);
    tl_codec_init(f->encoder, rank);
    for (uint32_t n = 0; n < state->n_events; n++) {
        tl_event e;
        if (tl_codec_get(f->codec, in, &e, &f->list) || (state->check && !encode(f, &e)))
            return false;
        volume += e.volume;
    }
    for (unsigned i = 0; i < TL_N_STREAMS; i++)
        if (i != TL_STREAM_CONTROL && i != TL_STREAM_VOLUMES)
            in[i].end = in[i].p;
    bool whole = volume == state->volume && tl_codec_is_used_up(f->codec, in);
    for (unsigned i = 0; i < TL_N_STREAMS; i++)
        f->areas[i].size = (size_t)(in[i].p - f->areas[i].data);
    return whole;
}

/* Rebuilds the frame as it would have been written. */
static bool rebuild_frame(recovery *f, uint64_t slot, const tl_open_state *state, uint32_t rank)
{
    for (unsigned i = 0; i < TL_N_STREAMS; i++)
        if (!read_area(f, slot, i, TL_OPEN_STREAM_BYTES))
            return false;
    tl_buffer *control = &f->areas[TL_STREAM_CONTROL], *volumes = &f->areas[TL_STREAM_VOLUMES];
    if (control->size < state->control_bytes || volumes->size < state->volumes_bytes)
        return false;
    control->size = state->control_bytes;
    volumes->size = state->volumes_bytes;
    f->codec->run = state->run;
    f->codec->same_volumes = state->same_volumes;
    tl_codec_finish(f->codec, f->areas);
    return cut_streams(f, state, rank) && tl_frame_join(f->areas, &f->raw);
}

/* The pending chunks of a slot: definitions, then events. A rank that is killed while it writes
 * them leaves some of them in the file, and its state is still that of before. */
static uint32_t n_pending(const tl_open_state *state)
{
    return (state->definitions_bytes != 0) + (uint32_t)(state->n_events != 0);
}

/* How many of the pending chunks the file has; UINT32_MAX if the rank has an end, or if the slot
 * does not continue where its part in the file stops. */
static uint32_t count_written(const tl_part *part, const tl_open_state *state)
{
    const uint32_t sequence = part ? part->next_sequence : 0;
    const uint64_t n_events = part ? part->summary.n_events : 0;
    const uint32_t n = sequence - state->sequence;
    if ((part && (part->summary.end != TL_END_NONE || part->damage)) || n > n_pending(state))
        return UINT32_MAX;
    const bool has_events = n == n_pending(state);
    return n_events - state->first_event == (has_events ? state->n_events : 0) ? n : UINT32_MAX;
}

static bool append_definitions(recovery *f, uint64_t at, const tl_open_state *state,
                               tl_chunk *chunk, tl_buffer *out)
{
    tl_buffer *definitions = &f->areas[TL_OPEN_DEFINITIONS];
    chunk->type = TL_CHUNK_DEFINITIONS;
    return read_area(f, at, TL_OPEN_DEFINITIONS, state->definitions_bytes) &&
           definitions->size == state->definitions_bytes && append(f, chunk, definitions, out);
}

static bool append_events(recovery *f, uint64_t at, const tl_open_state *state, tl_chunk *chunk,
                          tl_buffer *out)
{
    chunk->type = TL_CHUNK_EVENTS;
    chunk->n_events = state->n_events;
    chunk->volume = state->volume;
    return rebuild_frame(f, at, state, chunk->rank) && append(f, chunk, &f->raw, out);
}

/* Whether definitions and events, which have been decoded, are those of the state. */
static bool is_intact(recovery *f, uint64_t at, const tl_open_state *state)
{
    const tl_buffer *definitions = &f->areas[TL_OPEN_DEFINITIONS];
    if (!state->check)
        return true;
    return read_area(f, at, TL_OPEN_DEFINITIONS, state->definitions_bytes) &&
           state->check == tl_open_check(tl_open_mix(0, definitions, 0),
                                         state->n_events ? f->encoder->check : 0);
}

/* Appends the chunks of a slot to `out`; false if nothing of the slot can be used. */
static bool recover_slot(recovery *f, uint64_t at, tl_buffer *out)
{
    tl_open_state state, after;
    uint32_t rank;
    if (!read_state(f, at, &rank, &state) || rank >= f->r->header.run.n_ranks)
        return false;
    const uint32_t n_written = count_written(tl_reader_part(f->r, rank), &state);
    if (n_written > n_pending(&state))
        return false;
    tl_chunk chunk = {
        .rank = rank, .sequence = state.sequence + n_written, .first_event = state.first_event};
    if (state.definitions_bytes && !n_written && !append_definitions(f, at, &state, &chunk, out))
        return false;
    if (state.n_events && n_written < n_pending(&state) &&
        !append_events(f, at, &state, &chunk, out))
        return false;
    if (n_written < n_pending(&state) && !is_intact(f, at, &state))
        return false;
    /* If the rank is still running, it may have begun another frame in the same place. */
    if (!read_state(f, at, &rank, &after) || after.sequence != state.sequence)
        return false;
    tl_part *part = tl_reader_part(f->r, rank);
    if (part)
        part->kept_open = true;
    return true;
}

static bool prepare(recovery *f)
{
    enum { SLACK = 2 * TL_VARINT_MAX_BYTES + 2 };
    f->packer = tl_packer_new();
    f->codec = calloc(1, sizeof *f->codec);
    f->encoder = calloc(1, sizeof *f->encoder);
    bool ok = f->packer && f->codec && f->encoder;
    for (unsigned i = 0; ok && i < TL_N_STREAMS; i++)
        ok = tl_buffer_reserve(&f->encoded[i], TL_EVENT_MAX_BYTES);
    for (unsigned i = 0; ok && i < TL_OPEN_N_AREAS; i++)
        ok = tl_buffer_reserve(&f->areas[i], TL_OPEN_STREAM_BYTES + SLACK);
    return ok;
}

static bool all_have_ends(const tl_reader *r)
{
    bool all = r->n_parts == r->header.run.n_ranks;
    for (size_t i = 0; all && i < r->n_parts; i++)
        all = r->parts[i]->summary.end != TL_END_NONE;
    return all;
}

tl_status tl_open_recover(tl_reader *r, tl_error *err)
{
    recovery f = {.r = r, .fd = -1};
    uint32_t n_slots = 0;
    tl_status status = TL_OK;
    if (all_have_ends(r) || (f.fd = open_beside(r, &f.bytes, &n_slots)) < 0)
        return TL_OK;
    if (!prepare(&f))
        status = tl_no_memory(err, r->path);
    for (uint32_t i = 0; !status && i < n_slots; i++) {
        const uint64_t at = (1 + (uint64_t)i) * TL_OPEN_SLOT_BYTES;
        const size_t before = r->recovered.size;
        if (at >= f.bytes)
            break;
        if (!recover_slot(&f, at, &r->recovered))
            r->recovered.size = before;
    }
    for (unsigned i = 0; i < TL_OPEN_N_AREAS; i++)
        tl_buffer_free(&f.areas[i]);
    for (unsigned i = 0; i < TL_N_STREAMS; i++)
        tl_buffer_free(&f.encoded[i]);
    tl_buffer_free(&f.raw);
    tl_buffer_free(&f.list);
    free(f.codec);
    free(f.encoder);
    tl_packer_free(f.packer);
    close(f.fd);
    return status;
}
