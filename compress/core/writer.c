/* writer.c - writes the part of one rank, frame by frame. */
#include "config.h"

#include "writer.h"

#include "append.h"
#include "block.h"
#include "codec.h"
#include "definitions.h"
#include "error.h"
#include "frame.h"
#include "open.h"
#include "run.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    END_BYTES = 512, /* what a rank's end takes, with its remark */
    MAX_SPARE_BYTES = 64 * 1024,
    FINISH_BYTES = 2 * TL_VARINT_MAX_BYTES + 2 /* what the codec holds back */
};

struct tl_writer {
    tl_appender file;    /* its fd is -1 if it writes into blocks */
    tl_blocks *blocks;   /* or NULL */
    tl_open_slot *open;  /* where the frame under way survives the process, or NULL */
    uint64_t max_events; /* of a frame */
    size_t max_bytes;    /* likewise; a frame ends behind the event that reaches one of both */
    size_t n_kept[2];    /* bytes of definitions and of the lists that are in the slot */
    uint64_t check;      /* hash of these definitions */
    uint32_t rank, n_ranks;
    uint64_t seed;
    tl_status status; /* sticky */
    tl_error error;   /* what it was */
    uint32_t sequence;
    uint32_t written_sequence; /* what has reached the file */
    uint64_t written_events;
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
    struct stat st;
    /* O_NONBLOCK: opening a named pipe must not block the caller. */
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd < 0 || fstat(fd, &st)) {
        tl_error_set_errno(err, "%s: cannot be created", path);
        status = TL_ERR_SYSTEM;
        goto cleanup;
    }
    if (!S_ISREG(st.st_mode)) {
        close(fd);
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%s: is not a regular file, to which ranks can append; give another file",
                         path);
        goto cleanup;
    }
    status = tl_write_all(fd, header.data, header.size);
    if (status)
        tl_error_set_errno(err, "%s:0: cannot be written", path);
    if (close(fd) && !status)
        status = tl_fail_errno(err, "%s: cannot be written", path);
    if (status)
        unlink(path); /* a regular file, or a link to one */
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
    if (w->blocks && type == TL_CHUNK_EVENTS)
        status = tl_blocks_put_frame(w->blocks, &chunk, w->streams);
    else if (w->blocks)
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
        ok = tl_buffer_reserve(&w->streams[i], (size_t)TL_FRAME_BYTES + TL_EVENT_MAX_BYTES);
    if (!ok)
        return TL_ERR_MEMORY;
    tl_codec_init(w->codec, rank);
    w->max_bytes = TL_FRAME_BYTES;
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
        return tl_no_memory(err, path);
    w->file.fd = -1;
    status = tl_appender_open(&w->file, path, err);
    if (status)
        goto cleanup;
    status = tl_run_read(w->file.fd, path, &header, err);
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
    if (!status && !tl_buffer_reserve(&w->out, 4 * (size_t)END_BYTES))
        status = TL_ERR_MEMORY;
    if (status || !w->packer) {
        status = tl_no_memory(err, path);
        goto cleanup;
    }
    w->max_events = TL_FRAME_EVENTS;
    w->codec->no_times = true;
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
    w->file.fd = -1;
    w->blocks = blocks;
    w->max_events = TL_MAX_FRAME_EVENTS;
    tl_status status = prepare(w, rank, n_ranks);
    if (status)
        tl_writer_abandon(w);
    else
        *out = w;
    return status;
}

tl_status tl_blocks_create(tl_blocks *blocks, const char *path, const tl_run *run, tl_error *err)
{
    tl_run_header header = {0};
    *blocks = (tl_blocks){.fd = -1};
    tl_status status = tl_trace_create(path, run, err);
    if (status)
        return status;
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return tl_fail_errno(err, "%s: cannot be opened for writing", path);
    status = tl_run_read(fd, path, &header, err);
    if (!status) {
        status = tl_blocks_open(blocks, fd, header.bytes, header.seed);
        if (status)
            tl_error_set(err, status, "%s: out of memory", path);
    } else {
        close(fd);
    }
    tl_run_free(&header);
    return status;
}

tl_status tl_blocks_close(tl_blocks *blocks, const char *path, tl_status status, tl_error *err)
{
    if (!status && (status = tl_blocks_flush(blocks)))
        tl_fail_write(err, path, status);
    tl_blocks_free(blocks);
    if (blocks->fd >= 0 && close(blocks->fd) && !status)
        status = tl_fail_errno(err, "%s: cannot be written", path);
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

void tl_writer_limit_frames(tl_writer *w, uint64_t max_events)
{
    w->max_events = max_events;
}

uint32_t tl_writer_n_chunks(const tl_writer *w)
{
    return w->sequence;
}

void tl_writer_abandon(tl_writer *w)
{
    if (!w)
        return;
    tl_appender_close(&w->file);
    for (int i = 0; i < TL_N_STREAMS; i++)
        if (!w->open || i == TL_STREAM_LISTS)
            tl_buffer_free(&w->streams[i]);
    tl_open_forget(w->open);
    tl_buffer_free(&w->definitions);
    tl_buffer_free(&w->raw);
    tl_buffer_free(&w->out);
    tl_packer_free(w->packer);
    free(w->codec);
    free(w);
}

/* ---- the frame under way, where the process cannot lose it ---- */

tl_status tl_trace_keep_open(const char *path, tl_error *err)
{
    tl_run_header header = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return tl_fail_errno(err, "%s: cannot be opened", path);
    tl_status status = tl_run_read(fd, path, &header, err);
    if (!status)
        status = tl_open_create(path, header.seed, err);
    close(fd);
    tl_run_free(&header);
    return status;
}

void tl_trace_remove(const char *path)
{
    unlink(path);
    tl_open_remove(path);
}

/* The most bytes of a frame: even if all of them go into one area, they fit. */
static size_t max_open_bytes(const tl_open_slot *open)
{
    size_t fits = open->room - TL_EVENT_MAX_BYTES - FINISH_BYTES;
    return fits < TL_FRAME_BYTES ? fits : TL_FRAME_BYTES;
}

static void copy_to_slot(tl_writer *w, unsigned area, size_t *n_kept, const tl_buffer *from)
{
    memcpy(tl_open_data(w->open, area) + *n_kept, from->data + *n_kept, from->size - *n_kept);
    *n_kept = from->size;
}

static void keep(tl_writer *w)
{
    const tl_buffer *lists = &w->streams[TL_STREAM_LISTS];
    if (w->definitions.size != w->n_kept[0]) {
        w->check = tl_open_mix(w->check, &w->definitions, w->n_kept[0]);
        copy_to_slot(w, TL_OPEN_DEFINITIONS, &w->n_kept[0], &w->definitions);
    }
    if (lists->size != w->n_kept[1])
        copy_to_slot(w, TL_STREAM_LISTS, &w->n_kept[1], lists);
    const tl_open_state state = {
        .first_event = w->first_event,
        .volume = w->volume,
        .sequence = w->sequence,
        .n_events = w->n_events,
        .definitions_bytes = (uint32_t)w->definitions.size,
        .control_bytes = (uint32_t)w->streams[TL_STREAM_CONTROL].size,
        .volumes_bytes = (uint32_t)w->streams[TL_STREAM_VOLUMES].size,
        .run = (uint32_t)w->codec->run,
        .same_volumes = (uint32_t)w->codec->same_volumes,
        .check = tl_open_check(w->check, w->codec->check),
    };
    tl_open_commit(w->open, &state);
}

tl_status tl_writer_keep_open(tl_writer *w, tl_error *err)
{
    if (w->open || w->n_events || w->status || w->file.fd < 0)
        return tl_fail(err, TL_ERR_USAGE, "%s: is already written", w->file.path);
    tl_status status = tl_open_join(w->file.path, w->seed, w->rank, &w->open, err);
    if (status)
        return status;
    if (w->definitions.size > w->open->room) {
        tl_open_leave(w->open);
        tl_open_forget(w->open);
        w->open = NULL;
        return tl_fail(err, TL_ERR_LIMIT, "%s: has too many definitions", w->file.path);
    }
    for (unsigned i = 0; i < TL_N_STREAMS; i++)
        if (i != TL_STREAM_LISTS) {
            tl_buffer_free(&w->streams[i]);
            w->streams[i] =
                (tl_buffer){.data = tl_open_data(w->open, i), .capacity = TL_OPEN_STREAM_BYTES};
        }
    w->max_bytes = max_open_bytes(w->open);
    keep(w);
    return TL_OK;
}

/* Whether the slot has, or gets, room for this many bytes of each kind. */
static bool fits_in_slot(tl_writer *w, size_t bytes)
{
    while (bytes >= w->max_bytes) {
        if (w->max_bytes == TL_FRAME_BYTES || !tl_open_grow(w->open))
            return false;
        w->max_bytes = max_open_bytes(w->open);
    }
    return true;
}

/* ---- chunks ---- */

/* Puts the pending data into `out` as chunks: definitions precede the events that use them. */
static tl_status gather_chunks(tl_writer *w)
{
    if (w->definitions.size)
        TL_TRY(append_chunk(w, TL_CHUNK_DEFINITIONS, w->definitions.data, w->definitions.size));
    w->definitions.size = 0;
    if (!w->n_events)
        return TL_OK;
    tl_codec_finish(w->codec, w->streams);
    if (!w->blocks && !tl_frame_join(w->streams, &w->raw))
        return TL_ERR_MEMORY;
    TL_TRY(append_chunk(w, TL_CHUNK_EVENTS, w->raw.data, w->raw.size));
    w->first_event += w->n_events;
    tl_watch_step(0, w->n_events);
    w->n_events = 0;
    w->volume = 0;
    for (int i = 0; i < TL_N_STREAMS; i++)
        w->streams[i].size = 0;
    tl_codec_reset(w->codec);
    return TL_OK;
}

/* The room for the ends of all ranks, so that they can be written even when nothing else can. */
static size_t spare_bytes(const tl_writer *w)
{
    return w->n_ranks < MAX_SPARE_BYTES / END_BYTES ? (size_t)w->n_ranks * END_BYTES
                                                    : (size_t)MAX_SPARE_BYTES;
}

static tl_status write_out(tl_writer *w, size_t spare)
{
    if (!w->out.size)
        return TL_OK;
    tl_status status = tl_append(&w->file, w->out.data, w->out.size, spare, &w->error);
    w->out.size = 0;
    if (!status) {
        w->written_sequence = w->sequence;
        w->written_events = w->first_event;
    }
    return status;
}

static tl_status fail(tl_writer *w, tl_status status)
{
    if (status != TL_ERR_SYSTEM)
        tl_error_set(&w->error, status, "%s: %s", w->file.path ? w->file.path : "trace",
                     tl_status_text(status));
    return w->status = status;
}

tl_status tl_writer_flush(tl_writer *w)
{
    if (w->status)
        return w->status;
    tl_status status = gather_chunks(w);
    if (!status)
        status = write_out(w, spare_bytes(w));
    if (status)
        return fail(w, status);
    if (w->open) {
        w->check = w->n_kept[0] = w->n_kept[1] = 0;
        keep(w);
    }
    return TL_OK;
}

const tl_error *tl_writer_error(const tl_writer *w)
{
    return &w->error;
}

/* Writes the pending data and the end. */
static tl_status finish(tl_writer *w, tl_end_reason reason, uint64_t clock_ns, size_t spare)
{
    uint8_t end[TL_END_PAYLOAD_BYTES];
    tl_store32(end, (uint32_t)reason);
    tl_store64(end + 4, clock_ns);
    if (w->status)
        tl_define_remark(&w->definitions, w->error.text);
    tl_status status = gather_chunks(w);
    if (!status)
        status = append_chunk(w, TL_CHUNK_END, end, sizeof end);
    return status ? status : write_out(w, spare);
}

/* Returns to the state of the file. */
static void drop_pending(tl_writer *w)
{
    w->sequence = w->written_sequence;
    w->first_event = w->written_events;
    w->n_events = 0;
    w->out.size = 0;
    w->definitions.size = 0;
}

/* The end is written even after a failure. Without the lost events, it gives the reason why the
 * part stops. */
tl_status tl_writer_close(tl_writer *w, tl_end_reason reason, uint64_t clock_ns)
{
    if (!w)
        return TL_OK;
    tl_status status = w->status;
    if (status != TL_ERR_SYSTEM)
        status = finish(w, status ? TL_END_FAILED : reason, clock_ns, spare_bytes(w));
    if (status && !w->status)
        fail(w, status);
    if (status && !w->blocks) {
        drop_pending(w);
        finish(w, TL_END_FAILED, clock_ns, 0);
    }
    status = w->status;
    if (tl_appender_close(&w->file) && !status)
        status = TL_ERR_SYSTEM;
    tl_open_leave(w->open);
    tl_writer_abandon(w);
    return status;
}

tl_status tl_writer_move_on(tl_writer *w, tl_end_reason reason, uint64_t clock_ns, uint32_t rank)
{
    if (w->status)
        return w->status;
    tl_status status = finish(w, reason, clock_ns, 0);
    if (status)
        return fail(w, status);
    w->rank = w->codec->rank = rank;
    w->codec->end_known = false;
    w->sequence = 0;
    w->first_event = 0;
    return TL_OK;
}

/* ---- definitions and events ---- */

/* What follows each definition. `ok` is false if there was no memory for it. */
static tl_status defined(tl_writer *w, bool ok)
{
    if (!ok)
        return fail(w, TL_ERR_MEMORY);
    if (w->definitions.size >= TL_FRAME_BYTES || (w->open && !fits_in_slot(w, w->definitions.size)))
        return tl_writer_flush(w);
    if (w->open)
        keep(w);
    return TL_OK;
}
#define DEFINE(w, is_valid, define, item)                                                          \
    ((w)->status   ? (w)->status                                                                   \
     : !(is_valid) ? fail(w, TL_ERR_USAGE)                                                         \
                   : defined(w, define(&(w)->definitions, item)))

static bool is_short(const char *text)
{
    return strlen(text) <= TL_MAX_TEXT_BYTES;
}

static bool is_valid_comm(const tl_writer *w, const tl_comm *comm)
{
    bool valid = comm->id >= TL_COMM_FIRST && comm->n_members <= w->n_ranks;
    for (uint32_t i = 0; valid && i < comm->n_members; i++)
        valid = comm->members[i] >= 0 && (uint32_t)comm->members[i] < w->n_ranks;
    return valid;
}

tl_status tl_writer_define_comm(tl_writer *w, const tl_comm *comm)
{
    return DEFINE(w, is_valid_comm(w, comm), tl_define_comm, comm);
}

static bool is_valid_site(const tl_site *site)
{
    bool valid = site->id && site->caller < site->id && is_short(site->object) &&
                 site->n_sources <= TL_MAX_SOURCES;
    for (uint32_t i = 0; valid && i < site->n_sources; i++)
        valid = is_short(site->sources[i].function) && is_short(site->sources[i].file);
    return valid;
}

tl_status tl_writer_define_site(tl_writer *w, const tl_site *site)
{
    return DEFINE(w, is_valid_site(site), tl_define_site, site);
}

tl_status tl_writer_define_object(tl_writer *w, const tl_object *object)
{
    return DEFINE(w, is_short(object->name) && is_short(object->path) && is_short(object->build_id),
                  tl_define_object, object);
}

tl_status tl_writer_define_kernel(tl_writer *w, const tl_user_kernel *kernel)
{
    return DEFINE(w, kernel->id && kernel->id <= INT32_MAX && is_short(kernel->name),
                  tl_define_kernel, kernel);
}

tl_status tl_writer_define_counter(tl_writer *w, const tl_counter *counter)
{
    return DEFINE(w, counter->id && is_short(counter->name), tl_define_counter, counter);
}

tl_status tl_writer_remark(tl_writer *w, const char *text)
{
    return DEFINE(w, strlen(text) < sizeof w->error.text, tl_define_remark, text);
}

tl_status tl_writer_clock(tl_writer *w, const char *reason)
{
    return DEFINE(w, strlen(reason) < sizeof w->error.text, tl_define_clock, reason);
}

void tl_writer_keep_times(tl_writer *w)
{
    w->codec->no_times = false;
}

tl_status tl_writer_put(tl_writer *w, const tl_event *event)
{
    if (w->status)
        return w->status;
    const tl_call_info *row = tl_call_by_code(event->call);
    if (!row)
        return fail(w, TL_ERR_USAGE);
    if (event->list_len > TL_MAX_LIST)
        return fail(w, TL_ERR_LIMIT);
    /* All other streams have room for a frame. */
    if (!tl_buffer_reserve(&w->streams[TL_STREAM_LISTS],
                           (size_t)event->list_len * TL_VARINT_MAX_BYTES))
        return fail(w, TL_ERR_MEMORY);
    if (!tl_codec_put(w->codec, w->streams, event, row)) {
        /* There are too many call sites for one frame. The next frame starts with room for all. */
        if (tl_writer_flush(w))
            return w->status;
        tl_codec_put(w->codec, w->streams, event, row);
    }
    w->n_events++;
    w->volume += event->volume;
    if (w->n_events >= w->max_events)
        return tl_writer_flush(w);
    if (!w->open)
        return w->codec->n_bytes >= TL_FRAME_BYTES ? tl_writer_flush(w) : TL_OK;
    if (w->codec->n_bytes >= w->max_bytes && !fits_in_slot(w, w->codec->n_bytes))
        return tl_writer_flush(w);
    keep(w);
    return TL_OK;
}
