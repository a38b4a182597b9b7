/* writer.c - the part of one rank, appended frame by frame. */
#include "config.h"

#include "writer.h"

#include "block.h"
#include "codec.h"
#include "definitions.h"
#include "error.h"
#include "frame.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

struct tl_writer {
    int fd;              /* -1 if it writes into blocks */
    tl_blocks *blocks;   /* or NULL */
    uint64_t max_events; /* of a frame */
    uint32_t rank, n_ranks;
    uint64_t seed;
    tl_status status; /* sticky */
    uint32_t sequence;
    uint64_t first_event; /* of the frame that is being filled */
    uint64_t volume;      /* of the events in it */
    uint32_t n_events;    /* in it */
    tl_buffer definitions;
    tl_buffer streams[TL_N_STREAMS];
    tl_buffer raw, out;
    tl_packer *packer;
    tl_codec *codec;
};

tl_status tl_trace_create(const char *path, const tl_run *run, tl_error *err)
{
    tl_buffer header = {0};
    tl_status status = tl_run_encode(run, &header, err);
    if (status)
        goto cleanup;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        status = tl_fail_errno(err, "%s: cannot be created", path);
        goto cleanup;
    }
    status = tl_write_all(fd, header.data, header.size);
    if (status)
        tl_error_set_errno(err, "%s:0: cannot be written", path);
    if (close(fd) && !status)
        status = tl_fail_errno(err, "%s: cannot be written", path);
cleanup:
    tl_buffer_free(&header);
    return status;
}

static tl_status append_chunk(tl_writer *w, uint8_t type, const uint8_t *raw, size_t size)
{
    tl_chunk chunk = {
        .type = type, .rank = w->rank, .sequence = w->sequence, .first_event = w->first_event};
    if (type == TL_CHUNK_EVENTS) {
        chunk.n_events = w->n_events;
        chunk.volume = w->volume;
    }
    tl_status status;
    if (w->blocks)
        status = tl_blocks_put(w->blocks, &chunk, raw, size);
    else
        status = tl_chunk_append(w->packer, &chunk, raw, size, w->seed, &w->out);
    if (!status)
        w->sequence++;
    return status;
}

static tl_status prepare(tl_writer *w, uint32_t rank, uint32_t n_ranks)
{
    w->rank = rank;
    w->n_ranks = n_ranks;
    w->codec = malloc(sizeof *w->codec);
    bool ok = w->codec != NULL;
    for (int i = 0; ok && i < TL_N_STREAMS; i++)
        ok = tl_buffer_reserve(&w->streams[i], TL_EVENT_MAX_BYTES);
    if (!ok)
        return TL_ERR_MEMORY;
    tl_codec_init(w->codec, rank);
    return TL_OK;
}

tl_status tl_writer_open(const char *path, uint32_t rank, const char *host, tl_writer **out,
                         tl_error *err)
{
    *out = NULL;
    tl_run_header header = {0};
    tl_status status = TL_OK;
    tl_writer *w = calloc(1, sizeof *w);
    if (!w)
        return tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
    w->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (w->fd < 0) {
        status = tl_fail_errno(err, "%s: cannot be opened for writing", path);
        goto cleanup;
    }
    status = tl_run_read(w->fd, path, &header, err);
    if (status)
        goto cleanup;
    if (rank >= header.run.n_ranks) {
        status = tl_fail(err, TL_ERR_NO_RANK, "%s: there is no rank %" PRIu32 " among %" PRIu32,
                         path, rank, header.run.n_ranks);
        goto cleanup;
    }
    w->seed = header.seed;
    status = prepare(w, rank, header.run.n_ranks);
    if (!status && (strlen(host) > TL_MAX_TEXT_BYTES || !tl_define_host(&w->definitions, host)))
        status = TL_ERR_MEMORY;
    w->packer = tl_packer_new();
    if (status || !w->packer) {
        status = tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
        goto cleanup;
    }
    w->max_events = TL_FRAME_EVENTS;
    *out = w;
    w = NULL;
cleanup:
    tl_run_free(&header);
    tl_writer_abandon(w);
    return status;
}

tl_status tl_writer_open_in_blocks(tl_blocks *blocks, uint32_t rank, uint32_t n_ranks,
                                   tl_writer **out)
{
    tl_writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return TL_ERR_MEMORY;
    w->fd = -1;
    w->blocks = blocks;
    w->max_events = TL_MAX_FRAME_EVENTS;
    tl_status status = prepare(w, rank, n_ranks);
    if (status)
        tl_writer_abandon(w);
    else
        *out = w;
    return status;
}

void tl_writer_foresee_end(tl_writer *w, uint64_t clock_ns)
{
    w->codec->end_known = true;
    w->codec->end_ns = clock_ns;
}

tl_status tl_writer_pass(tl_writer *w, uint8_t type, const uint8_t *payload, size_t size)
{
    return w->status = append_chunk(w, type, payload, size);
}

uint32_t tl_writer_n_chunks(const tl_writer *w)
{
    return w->sequence;
}

void tl_writer_abandon(tl_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    for (int i = 0; i < TL_N_STREAMS; i++)
        tl_buffer_free(&w->streams[i]);
    tl_buffer_free(&w->definitions);
    tl_buffer_free(&w->raw);
    tl_buffer_free(&w->out);
    tl_packer_free(w->packer);
    free(w->codec);
    free(w);
}

/* ---- chunks ---- */

/* Puts what is pending into `out` as chunks: definitions ahead of the events that use them. */
static tl_status gather_chunks(tl_writer *w)
{
    if (w->definitions.size) {
        tl_status status =
            append_chunk(w, TL_CHUNK_DEFINITIONS, w->definitions.data, w->definitions.size);
        if (status)
            return status;
        w->definitions.size = 0;
    }
    if (w->n_events) {
        tl_codec_finish(w->codec, w->streams);
        if (!tl_frame_join(w->streams, &w->raw))
            return TL_ERR_MEMORY;
        tl_status status = append_chunk(w, TL_CHUNK_EVENTS, w->raw.data, w->raw.size);
        if (status)
            return status;
        w->first_event += w->n_events;
        w->n_events = 0;
        w->volume = 0;
        for (int i = 0; i < TL_N_STREAMS; i++)
            w->streams[i].size = 0;
        tl_codec_reset(w->codec);
    }
    return TL_OK;
}

static tl_status write_out(tl_writer *w)
{
    tl_status status = w->out.size ? tl_write_all(w->fd, w->out.data, w->out.size) : TL_OK;
    w->out.size = 0;
    return status;
}

tl_status tl_writer_flush(tl_writer *w)
{
    if (!w->status)
        w->status = gather_chunks(w);
    if (!w->status)
        w->status = write_out(w);
    return w->status;
}

tl_status tl_writer_close(tl_writer *w, tl_end_reason reason, uint64_t clock_ns)
{
    if (!w)
        return TL_OK;
    if (!w->status)
        w->status = gather_chunks(w);
    if (!w->status) {
        uint8_t end[TL_END_PAYLOAD_BYTES];
        tl_store32(end, (uint32_t)reason);
        tl_store64(end + 4, clock_ns);
        w->status = append_chunk(w, TL_CHUNK_END, end, sizeof end);
    }
    if (!w->status)
        w->status = write_out(w);
    tl_status status = w->status;
    if (w->fd >= 0 && close(w->fd) && !status)
        status = TL_ERR_SYSTEM;
    w->fd = -1;
    tl_writer_abandon(w);
    return status;
}

/* ---- definitions and events ---- */

static tl_status defined(tl_writer *w, bool ok)
{
    if (!ok)
        return w->status = TL_ERR_MEMORY;
    return w->definitions.size < TL_FRAME_BYTES ? TL_OK : tl_writer_flush(w);
}

tl_status tl_writer_define_comm(tl_writer *w, const tl_comm *comm)
{
    if (w->status)
        return w->status;
    if (comm->id < TL_COMM_FIRST || comm->n_members > w->n_ranks)
        return w->status = TL_ERR_USAGE;
    for (uint32_t i = 0; i < comm->n_members; i++)
        if (comm->members[i] < 0 || (uint32_t)comm->members[i] >= w->n_ranks)
            return w->status = TL_ERR_USAGE;
    return defined(w, tl_define_comm(&w->definitions, comm));
}

tl_status tl_writer_define_site(tl_writer *w, const tl_site *site)
{
    if (w->status)
        return w->status;
    if (!site->id || strlen(site->object) > TL_MAX_TEXT_BYTES)
        return w->status = TL_ERR_USAGE;
    return defined(w, tl_define_site(&w->definitions, site));
}

tl_status tl_writer_define_kernel(tl_writer *w, const tl_user_kernel *kernel)
{
    if (w->status)
        return w->status;
    if (!kernel->id || kernel->id > INT32_MAX || strlen(kernel->name) > TL_MAX_TEXT_BYTES)
        return w->status = TL_ERR_USAGE;
    return defined(w, tl_define_kernel(&w->definitions, kernel));
}

tl_status tl_writer_define_counter(tl_writer *w, const tl_counter *counter)
{
    if (w->status)
        return w->status;
    if (!counter->id || strlen(counter->name) > TL_MAX_TEXT_BYTES)
        return w->status = TL_ERR_USAGE;
    return defined(w, tl_define_counter(&w->definitions, counter));
}

static bool reserve_streams(tl_writer *w, const tl_event *event)
{
    bool ok = true;
    for (int i = 0; i < TL_N_STREAMS; i++)
        ok = ok && tl_buffer_reserve(&w->streams[i], TL_EVENT_MAX_BYTES);
    return ok && tl_buffer_reserve(&w->streams[TL_STREAM_LISTS],
                                   (size_t)event->list_len * TL_VARINT_MAX_BYTES);
}

static size_t frame_bytes(const tl_writer *w)
{
    size_t size = 0;
    for (int i = 0; i < TL_N_STREAMS; i++)
        size += w->streams[i].size;
    return size;
}

tl_status tl_writer_put(tl_writer *w, const tl_event *event)
{
    if (w->status)
        return w->status;
    const tl_call_info *row = tl_call_by_code(event->call);
    if (!row)
        return w->status = TL_ERR_USAGE;
    if (event->list_len > TL_MAX_LIST)
        return w->status = TL_ERR_LIMIT;
    if (!reserve_streams(w, event))
        return w->status = TL_ERR_MEMORY;
    if (!tl_codec_put(w->codec, w->streams, event, row)) {
        /* Too many call sites for one frame; the next one starts with room for all. */
        if (tl_writer_flush(w))
            return w->status;
        tl_codec_put(w->codec, w->streams, event, row);
    }
    w->n_events++;
    w->volume += event->volume;
    return frame_bytes(w) < TL_FRAME_BYTES && w->n_events < w->max_events ? TL_OK
                                                                          : tl_writer_flush(w);
}
