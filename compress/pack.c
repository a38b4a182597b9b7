/* pack.c - writes a trace again, as small as possible: with long frames, and with blocks in which
 * ranks with the same events are side by side. */
#include "config.h"

#include "core/error.h"
#include "index.h"
#include "core/open.h"
#include "pack_sites.h"
#include "quantise.h"
#include "reader.h"
#include "core/run.h"
#include "statistical.h"
#include "core/writer.h"
#include "timeless_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number of ranks that advance together, frame by frame. It limits the memory, and equal frames
 * are close to each other. */
enum { GROUP = 16 };
/* Of statistical volumes in a run without iterations. */
static const double fallback_precision = 1e-3;

/* A trace with so many events gets an index, and short frames, so that one of its events is found
 * without decoding many others. */
#define MANY_EVENTS (UINT64_C(1) << 22)
/* Of a rank, between two places of its index. */
enum { PLACE_EVENTS = TL_FRAME_EVENTS };

typedef struct lane {
    tl_cursor *cursor;
    tl_writer *writer;
    tl_quantiser quantiser;
    tl_sampler sampler;
    tl_indexer *indexer; /* or NULL */
    uint64_t n_events;
    uint32_t rank;
} lane;

typedef struct packing {
    tl_reader *r;
    const char *out_path;
    const tl_pack_options *options;
    tl_blocks blocks;
    double precision;
    tl_sampling sampling; /* n_blocks 0: every event keeps its own volume */
    lane lanes[GROUP];
    bool is_indexed;
    uint64_t spacing; /* of the places of the index */
    tl_error *err;
} packing;

/* Copies definitions, and chunks that this version does not know. */
static tl_status pass_extras(packing *p, lane *l)
{
    const tl_reader *r = p->r;
    const tl_site_sources sources = {r, p->options->find_sources, p->options->sources_of};
    tl_buffer raw = {0}, changed = {0};
    tl_status status = TL_OK;
    uint64_t n_read = 0;
    const tl_part *part = tl_reader_part(r, l->rank);
    for (size_t i = 0; part && i < part->n_extras && !status; i++) {
        const tl_extra_ref *extra = &r->extras[part->first_extra + i];
        tl_inner inner = {.index = 0};
        if (extra->type == TL_CHUNK_INDEX) /* made again */
            continue;
        status = tl_payload_read(r, extra->payload.offset, &raw, &n_read);
        if (!status && extra->payload.in_block &&
            !tl_block_find(raw.data, raw.size, extra->payload.index, &inner))
            status = TL_ERR_CORRUPT;
        if (status) {
            tl_error_set(p->err, status, "%s:%" PRIu64 ": cannot be read again; try again", r->path,
                         extra->payload.offset);
            break;
        }
        tl_input all = {.p = raw.data, .end = raw.data + raw.size};
        const tl_input *payload = extra->payload.in_block ? &inner.payload : &all;
        const uint8_t *bytes = payload->p;
        size_t size = (size_t)(payload->end - payload->p);
        if (sources.find && extra->type == TL_CHUNK_DEFINITIONS) {
            status = tl_add_sources(&sources, l->rank, payload, &changed);
            bytes = changed.data;
            size = changed.size;
        }
        if (!status)
            status = tl_writer_pass(l->writer, extra->type, bytes, size);
        if (status)
            tl_fail_write(p->err, p->out_path, status);
    }
    tl_buffer_free(&raw);
    tl_buffer_free(&changed);
    return status;
}

static tl_status begin_index(packing *p, lane *l)
{
    if (!p->is_indexed)
        return TL_OK;
    tl_writer_limit_frames(l->writer, TL_FRAME_EVENTS);
    l->indexer = malloc(sizeof *l->indexer);
    if (!l->indexer)
        return tl_fail_write(p->err, p->out_path, TL_ERR_MEMORY);
    const tl_status status = tl_indexer_begin(l->indexer, p->r, l->rank, p->spacing, p->err);
    l->indexer->bytes_are_free = p->spacing < PLACE_EVENTS;
    return status;
}

static void drop_index(lane *l)
{
    if (l->indexer)
        tl_indexer_free(l->indexer);
    free(l->indexer);
    l->indexer = NULL;
}

/* A rank whose events do not fit together has no index. */
static tl_status add_to_index(packing *p, lane *l, const tl_event *e)
{
    const tl_status status = l->indexer ? tl_indexer_add(l->indexer, e) : TL_OK;
    if (status == TL_ERR_MEMORY)
        return tl_fail_write(p->err, p->out_path, status);
    if (status)
        drop_index(l);
    return TL_OK;
}

/* The index follows the events. */
static tl_status write_index(packing *p, lane *l)
{
    tl_buffer payload = {0};
    if (!l->indexer)
        return TL_OK;
    tl_status status = tl_writer_flush(l->writer);
    if (!status)
        status = tl_indexer_end(l->indexer, p->blocks.seed, &payload);
    if (!status)
        status = tl_writer_pass(l->writer, TL_CHUNK_INDEX, payload.data, payload.size);
    tl_buffer_free(&payload);
    return status;
}

static tl_status open_lane(packing *p, lane *l, uint32_t rank)
{
    *l = (lane){.rank = rank, .quantiser = {.precision = p->precision}};
    if (!tl_reader_part(p->r, rank))
        return TL_OK;
    TL_TRY(tl_cursor_open(p->r, rank, &l->cursor, p->err));
    tl_status status =
        tl_writer_open_in_blocks(&p->blocks, rank, p->r->header.run.n_ranks, &l->writer);
    if (status)
        return tl_fail_write(p->err, p->out_path, status);
    tl_rank_summary summary;
    tl_reader_rank(p->r, rank, &summary);
    l->n_events = summary.n_events;
    if (summary.end != TL_END_NONE)
        tl_writer_foresee_end(l->writer, summary.clock_ns);
    TL_TRY(begin_index(p, l));
    if (p->sampling.n_blocks)
        TL_TRY(tl_sampler_open(&l->sampler, &p->sampling, p->r, rank, p->err));
    return pass_extras(p, l);
}

static void close_lane(lane *l)
{
    tl_cursor_close(l->cursor);
    tl_writer_abandon(l->writer);
    tl_quantiser_free(&l->quantiser);
    tl_sampler_free(&l->sampler);
    drop_index(l);
    *l = (lane){0};
}

static tl_status end_lane(packing *p, lane *l)
{
    tl_rank_summary summary;
    tl_reader_rank(p->r, l->rank, &summary);
    tl_status status = write_index(p, l);
    if (status) {
        /* the caller stops */
    } else if (summary.end == TL_END_NONE) {
        status = tl_writer_flush(l->writer);
    } else {
        status = tl_writer_close(l->writer, summary.end, summary.clock_ns);
        l->writer = NULL;
    }
    close_lane(l);
    return status ? tl_fail_write(p->err, p->out_path, status) : TL_OK;
}

/* Writes an event, with its volume and clock as the options want them. */
static tl_status put_event(packing *p, lane *l, tl_event *e)
{
    tl_status status = TL_OK;
    if (p->sampling.n_blocks) {
        if (tl_sampler_begins(&l->sampler))
            status = tl_writer_flush(l->writer);
        if (!status && !tl_sampler_apply(&l->sampler, e))
            status = TL_ERR_MEMORY;
    } else if (p->precision > 0 &&
               !tl_quantise(&l->quantiser, e, tl_cursor_position(l->cursor) == l->n_events)) {
        status = TL_ERR_MEMORY;
    }
    if (!status)
        status = tl_writer_put(l->writer, e);
    return status ? tl_fail_write(p->err, p->out_path, status) : TL_OK;
}

/* Moves events until a frame is full, or until the rank ends, which closes the lane. */
static tl_status advance(packing *p, lane *l)
{
    uint32_t n_chunks = tl_writer_n_chunks(l->writer);
    while (tl_writer_n_chunks(l->writer) == n_chunks) {
        tl_event e;
        const tl_status status = tl_cursor_next(l->cursor, &e);
        if (status == TL_END)
            return end_lane(p, l);
        TL_TRY(tl_cursor_end(l->cursor, status, p->err));
        TL_TRY(put_event(p, l, &e));
        TL_TRY(add_to_index(p, l, &e));
    }
    return TL_OK;
}

static tl_status pack_group(packing *p, uint32_t first, uint32_t n)
{
    tl_status status = TL_OK;
    for (uint32_t i = 0; i < n && !status; i++)
        status = open_lane(p, &p->lanes[i], first + i);
    bool any = true;
    while (any && !status) {
        any = false;
        for (uint32_t i = 0; i < n && !status; i++) {
            if (!p->lanes[i].writer)
                continue;
            status = advance(p, &p->lanes[i]);
            any = true;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        close_lane(&p->lanes[i]);
    return status;
}

static tl_status pack_all(packing *p)
{
    uint32_t n_ranks = p->r->header.run.n_ranks;
    tl_status status = TL_OK;
    for (uint32_t first = 0; first < n_ranks && !status; first += GROUP)
        status = pack_group(p, first, n_ranks - first < GROUP ? n_ranks - first : GROUP);
    return status;
}

/* Writes the packed trace under `path`. */
static tl_status write_packed(packing *p, const char *path)
{
    tl_run run = p->r->header.run;
    if (p->options->origin)
        run.origin = p->options->origin;
    char sample[32], bursts[96];
    const tl_sampling *s = &p->sampling;
    if (s->n_blocks) {
        snprintf(sample, sizeof sample, "%" PRIu32 " of %" PRIu32, s->n_kept, s->n_blocks);
        run.volume_sample = sample;
    }
    if (s->n_bursts) {
        snprintf(bursts, sizeof bursts, "%" PRIu64 " sampled, %" PRIu64 " rounded, of %" PRIu64,
                 s->n_sampled, s->n_blocks ? 0 : s->n_bursts, s->n_bursts);
        run.volume_bursts = bursts;
    }
    tl_status status = tl_blocks_create(&p->blocks, path, &run, p->err);
    p->blocks.repeats = p->sampling.n_blocks != 0;
    if (!status)
        status = pack_all(p);
    return tl_blocks_close(&p->blocks, path, status, p->err);
}

/* Volumes that are a sample already are not sampled again: the header could not state both. */
static tl_status plan_sample(packing *p, uint64_t n_events, bool has_volumes)
{
    const tl_pack_options *o = p->options;
    const tl_run *run = &p->r->header.run;
    char *remark = o->remark;
    const size_t size = remark ? o->remark_bytes : 0;
    snprintf(remark, size, "%s", "");
    p->precision = 0;
    if (*run->volume_sample || *run->volume_bursts) {
        snprintf(remark, size, "its volumes are statistical already, and stay as they are");
        return TL_OK;
    }
    if (!has_volumes) {
        snprintf(remark, size, "has no volumes that could be sampled");
        return TL_OK;
    }
    tl_sampling *s = &p->sampling;
    const tl_status status = tl_sampling_plan(p->r, s, p->err);
    if (status || s->n_sampled)
        return status;
    if (s->n_blocks) {
        snprintf(remark, size,
                 "no volumes are sampled: all %" PRIu32 " blocks of iterations keep their own",
                 s->n_blocks);
        return TL_OK;
    }
    p->precision = fallback_precision;
    s->n_bursts = n_events;
    snprintf(remark, size,
             "no volumes are sampled: %s; all %" PRIu64 " volumes are rounded by at most %g "
             "of their size instead",
             s->has_anchors ? "no iterations have the same calls"
                            : "there is no call that all ranks make equally often, at least 16 "
                              "times",
             n_events, fallback_precision);
    return TL_OK;
}

tl_status tl_pack(tl_reader *r, const tl_pack_options *options, const char *out_path, tl_error *err)
{
    return tl_pack_indexed(r, options, MANY_EVENTS, PLACE_EVENTS, out_path, err);
}

tl_status tl_pack_indexed(tl_reader *r, const tl_pack_options *options, uint64_t many_events,
                          uint64_t spacing, const char *out_path, tl_error *err)
{
    static const tl_pack_options lossless = {0};
    if (options && !(options->volume_precision >= 0 && options->volume_precision <= 0.5))
        return tl_fail(err, TL_ERR_USAGE,
                       "volumes cannot have a precision of %g; give one from 0 to 0.5",
                       options->volume_precision);
    if (r->n_damages)
        return tl_fail(err, r->damages[0].status, "%s", r->damages[0].text);
    if (r->kind)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: is a program, and has no file to pack; write its trace by 'timeless "
                       "make', which is packed",
                       r->path);
    tl_replacement file; /* the trace may replace itself */
    TL_TRY(tl_replace_begin(out_path, &file, err));
    tl_status status = TL_OK;
    uint64_t n_events = 0;
    bool has_volumes = false;
    for (size_t i = 0; i < r->n_parts; i++) {
        n_events += r->parts[i]->summary.n_events;
        has_volumes |= r->parts[i]->summary.volume > 0;
    }
    packing p = {.is_indexed = n_events >= many_events,
                 .spacing = spacing,
                 .r = r,
                 .out_path = out_path,
                 .options = options ? options : &lossless,
                 .err = err};
    p.precision = p.options->volume_precision;
    if (p.options->statistical)
        status = plan_sample(&p, n_events, has_volumes);
    if (!status)
        status = write_packed(&p, file.part);
    tl_sampling_free(&p.sampling);
    status = tl_replace_end(&file, status, err);
    if (!status)
        tl_open_remove(out_path); /* what it held of this trace is packed too */
    return status;
}
