/* cursor.c - one rank's events in order, with memory for one frame. */
#include "core/block.h"
#include "core/codec.h"
#include "core/error.h"
#include "reader.h"
#include "core/watch.h"

#include <inttypes.h>

/* A program reports this many events at once (watch.h). */
enum { STEP_EVENTS = 4096 };

typedef struct kept_block {
    tl_buffer raw;
    uint64_t offset; /* in the file */
} kept_block;

/* What reads frames. */
typedef struct frame_input {
    tl_input streams[TL_N_STREAMS];
    tl_codec codec;
} frame_input;

struct tl_cursor {
    tl_reader *r;
    void *making; /* a rank of a program that makes its events; NULL: of a file */
    uint64_t position;
    uint32_t rank;
    uint32_t left;       /* events of the current frame that are still to come */
    const tl_part *part; /* NULL: the file holds nothing of this rank */
    size_t next_frame;   /* of the part */
    uint64_t frame_offset;
    uint64_t bytes_read;
    tl_buffer raw, list;
    kept_block block, base_block; /* empty unless they are needed again */
    tl_error error;               /* sticky */
    frame_input *frames;          /* NULL: of a program */
};

/* Not calloc, as most of the codec is never touched. A rank of a program has no use for what reads
 * frames. There may be thousands, which are read by turns: one that begins a page each would drive
 * the others out of the cache. */
static tl_cursor *new_cursor(tl_reader *r, uint32_t rank)
{
    tl_cursor *c = malloc(sizeof *c);
    frame_input *frames = r->kind ? NULL : malloc(sizeof *frames);
    if (!c || (!frames && !r->kind)) {
        free(c);
        free(frames);
        return NULL;
    }
    c->r = r;
    c->making = NULL;
    c->frames = frames;
    c->part = tl_reader_part(r, rank);
    c->position = c->frame_offset = c->bytes_read = 0;
    c->rank = rank;
    c->next_frame = c->left = 0;
    c->raw = c->list = (tl_buffer){0};
    c->block = c->base_block = (kept_block){0};
    c->error.status = TL_OK;
    c->error.text[0] = 0;
    return c;
}

tl_status tl_cursor_open(tl_reader *r, uint32_t rank, tl_cursor **out, tl_error *err)
{
    *out = NULL;
    if (rank >= r->header.run.n_ranks)
        return tl_fail(err, TL_ERR_NO_RANK, "%s: there is no rank %" PRIu32 " among %" PRIu32,
                       r->path, rank, r->header.run.n_ranks);
    if (r->is_goal)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: is a schedule of GOAL, a graph without an order of calls; replay it "
                       "with --engine loggops, or import it first",
                       r->path);
    tl_cursor *c = new_cursor(r, rank);
    if (!c || (r->kind && r->kind->start(r->program, rank, &c->making) != TL_OK)) {
        tl_cursor_close(c);
        return tl_no_memory(err, r->path);
    }
    *out = c;
    if (r->kind)
        return TL_OK;
    tl_codec_init(&c->frames->codec, rank);
    if (c->part && c->part->summary.end != TL_END_NONE) {
        c->frames->codec.end_known = true;
        c->frames->codec.end_ns = c->part->summary.clock_ns;
    }
    /* Of a rank that should be there and is not, a damaged file has lost everything. */
    if (!c->part && r->n_damages)
        c->error = r->damages[0];
    return TL_OK;
}

void tl_cursor_close(tl_cursor *c)
{
    if (!c)
        return;
    if (c->r->kind)
        c->r->kind->stop(c->making);
    tl_buffer_free(&c->raw);
    tl_buffer_free(&c->block.raw);
    tl_buffer_free(&c->base_block.raw);
    tl_buffer_free(&c->list);
    free(c->frames);
    free(c);
}

static tl_status frame_failed(tl_cursor *c, tl_status status, const char *what)
{
    return tl_fail(&c->error, status, "%s:%" PRIu64 ": rank %" PRIu32 ", event %" PRIu64 ": %s",
                   c->r->path, c->frame_offset, c->part->rank, c->position, what);
}

/* Reads a block, unless it is the one that is kept. */
static tl_status read_block(tl_cursor *c, uint64_t offset, kept_block *block)
{
    if (block->raw.data && block->offset == offset)
        return TL_OK;
    block->offset = offset;
    tl_status status = tl_payload_read(c->r, offset, &block->raw, &c->bytes_read);
    if (status)
        tl_buffer_free(&block->raw);
    return status;
}

/* A frame as it stands in a block, its streams put together from there and from the one that it
 * refers to. */
static tl_status gather_frame(tl_cursor *c, const tl_payload_ref *ref)
{
    tl_inner own, base = {.index = 0};
    TL_TRY(read_block(c, ref->offset, &c->block));
    if (!tl_block_find(c->block.raw.data, c->block.raw.size, ref->index, &own) ||
        own.chunk.type != TL_CHUNK_EVENTS || own.base_distance > ref->offset)
        return TL_ERR_CORRUPT;
    if (own.based) {
        kept_block *from = own.base_distance ? &c->base_block : &c->block;
        TL_TRY(read_block(c, ref->offset - own.base_distance, from));
        if (!tl_block_find(from->raw.data, from->raw.size, own.base_index, &base) ||
            base.chunk.type != TL_CHUNK_EVENTS || base.based)
            return TL_ERR_CORRUPT;
    }
    size_t size = 0;
    for (int i = 0; i < TL_N_STREAMS; i++) {
        if (own.based >> i & 1)
            own.streams[i] = base.streams[i];
        size += (size_t)(own.streams[i].end - own.streams[i].p);
    }
    c->raw.size = 0;
    if (!tl_buffer_reserve(&c->raw, size + 1))
        return TL_ERR_MEMORY;
    for (int i = 0; i < TL_N_STREAMS; i++) {
        const uint8_t *to = c->raw.data + c->raw.size;
        tl_buffer_put(&c->raw, own.streams[i].p, (size_t)(own.streams[i].end - own.streams[i].p));
        c->frames->streams[i] = (tl_input){.p = to, .end = c->raw.data + c->raw.size};
    }
    return TL_OK;
}

/* Unpacks the next frame into `raw`.  A block is larger than a frame: it is kept only if it holds
 * the one after, too. */
static tl_status read_frame(tl_cursor *c, const tl_frame_ref *ref)
{
    const tl_payload_ref *payload = &ref->payload;
    if (!payload->in_block) {
        TL_TRY(tl_payload_read(c->r, payload->offset, &c->raw, &c->bytes_read));
        return tl_frame_split(c->raw.data, c->raw.size, c->frames->streams) ? TL_OK
                                                                            : TL_ERR_CORRUPT;
    }
    tl_status status = gather_frame(c, payload);
    bool again = c->next_frame + 1 < c->part->n_frames && ref[1].payload.offset == payload->offset;
    if (status || !again) {
        tl_buffer_free(&c->block.raw);
        tl_buffer_free(&c->base_block.raw);
    }
    return status;
}

static tl_status load_frame(tl_cursor *c)
{
    const tl_frame_ref *ref = &c->r->frames[c->part->first_frame + c->next_frame];
    c->frame_offset = ref->payload.offset;
    tl_status status = read_frame(c, ref);
    if (status == TL_ERR_SYSTEM)
        return tl_fail_errno(&c->error, "%s:%" PRIu64 ": cannot be read", c->r->path,
                             c->frame_offset);
    if (status)
        return frame_failed(c, status, "the frame cannot be unpacked; record the run again");
    tl_codec_reset(&c->frames->codec);
    c->left = ref->n_events;
    c->next_frame++;
    tl_watch_step(ref->n_events, 0);
    return TL_OK;
}

/* Takes over why a program failed. */
static tl_status making_failed(tl_cursor *c, tl_status status)
{
    if (status == TL_ERR_MEMORY || !c->r->kind->error)
        return tl_fail(&c->error, status, "%s: out of memory", c->r->path);
    c->error = *c->r->kind->error(c->making);
    return status;
}

static tl_status make_next(tl_cursor *c, tl_event *event)
{
    const tl_status status = c->r->kind->next(c->making, event);
    if (status == TL_OK && ++c->position % STEP_EVENTS == 0)
        tl_watch_step(STEP_EVENTS, 0);
    else if (status != TL_OK && status != TL_END)
        making_failed(c, status);
    return status;
}

tl_status tl_cursor_take(tl_cursor *c, const tl_short_event **events, size_t *n)
{
    const tl_status status = c->r->kind->take(c->making, events, n);
    if (status == TL_OK) {
        c->position += *n;
        tl_watch_step(*n, 0);
    } else if (status != TL_END)
        tl_fail(&c->error, status, "%s: out of memory", c->r->path);
    return status;
}

void tl_cursor_expand(tl_cursor *c, const tl_short_event *from, tl_event *event)
{
    c->r->kind->expand(c->making, from, event);
}

tl_status tl_cursor_next(tl_cursor *c, tl_event *event)
{
    if (c->error.status != TL_OK)
        return c->error.status;
    if (c->making)
        return make_next(c, event);
    if (!c->left) {
        if (!c->part)
            return TL_END;
        if (c->next_frame == c->part->n_frames) {
            if (c->part->damage)
                c->error = *c->part->damage;
            return c->error.status != TL_OK ? c->error.status : TL_END;
        }
        TL_TRY(load_frame(c));
    }
    tl_status status = tl_codec_get(&c->frames->codec, c->frames->streams, event, &c->list);
    if (!status && c->left == 1 && !tl_codec_is_used_up(&c->frames->codec, c->frames->streams))
        status = TL_ERR_CORRUPT;
    if (status)
        return frame_failed(c, status,
                            status == TL_ERR_VERSION
                                ? "a call, or a value of one, that this version of timeless does "
                                  "not know; use the version that wrote the trace"
                                : "the events break the format; record the run again");
    c->left--;
    c->position++;
    return TL_OK;
}

/* The frame of the part that holds an event. */
static size_t find_frame(const tl_cursor *c, uint64_t event)
{
    const tl_frame_ref *frames = &c->r->frames[c->part->first_frame];
    size_t low = 0, high = c->part->n_frames;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (frames[middle].first_event <= event)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes the events before again, if they have passed. */
static tl_status make_up_to(tl_cursor *c, uint64_t event)
{
    const tl_program_kind *kind = c->r->kind;
    tl_status status = TL_OK;
    tl_event passed;
    if (event < c->position) {
        void *again = NULL;
        if (kind->start(c->r->program, c->rank, &again) != TL_OK) {
            kind->stop(again);
            return tl_no_memory(&c->error, c->r->path);
        }
        kind->stop(c->making);
        c->making = again;
        c->position = 0;
    }
    while (status == TL_OK && c->position < event)
        status = make_next(c, &passed);
    return status;
}

static tl_status make_from(tl_cursor *c, uint64_t event)
{
    const uint64_t before = c->position;
    const tl_status status = make_up_to(c, event);
    if (status == TL_END)
        make_up_to(c, before);
    return status;
}

tl_status tl_cursor_seek(tl_cursor *c, uint64_t event)
{
    if (c->making)
        return make_from(c, event);
    uint64_t n_events = c->part ? c->part->summary.n_events : 0;
    if (event > n_events)
        return TL_END;
    if (!c->part)
        return TL_OK;
    c->error.status = TL_OK;
    if (event == n_events) {
        c->next_frame = c->part->n_frames;
        c->left = 0;
        c->position = event;
        return TL_OK;
    }
    bool is_ahead = c->left && event >= c->position && event - c->position < c->left;
    if (!is_ahead) {
        c->next_frame = find_frame(c, event);
        c->position = c->r->frames[c->part->first_frame + c->next_frame].first_event;
        c->left = 0;
    }
    tl_event passed;
    tl_status status = TL_OK;
    while (!status && c->position < event)
        status = tl_cursor_next(c, &passed);
    return status;
}

uint64_t tl_cursor_bytes_read(const tl_cursor *c)
{
    return c->bytes_read;
}

uint64_t tl_cursor_position(const tl_cursor *c)
{
    return c->position;
}

void tl_cursor_set_asker(tl_cursor *c, tl_asker *ask, void *arg)
{
    if (c->making && c->r->kind->set_asker)
        c->r->kind->set_asker(c->making, ask, arg);
}

void tl_cursor_look_ahead(tl_cursor *c, uint32_t n_probes)
{
    if (c->making && c->r->kind->look_ahead)
        c->r->kind->look_ahead(c->making, n_probes);
}

tl_status tl_cursor_end(const tl_cursor *c, tl_status status, tl_error *err)
{
    if (status && status == c->error.status && err)
        *err = c->error;
    return status == TL_END ? TL_OK : status;
}

const tl_error *tl_cursor_error(const tl_cursor *c)
{
    return &c->error;
}
