/* reader.c - opens a trace; functions for its contents and its damage. */
#include "config.h"

#include "reader.h"

#include "core/codec.h"
#include "core/error.h"
#include "exchange/import.h"
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

tl_part *tl_reader_part(const tl_reader *r, uint32_t rank)
{
    const uint32_t index = rank < r->n_part_of_rank ? r->part_of_rank[rank] : 0;
    return index ? r->parts[index - 1] : NULL;
}

/* By rank, then in the order of the file. */
static int compare_places(uint32_t part, const tl_payload_ref *p, uint32_t other_part,
                          const tl_payload_ref *other)
{
    if (part != other_part)
        return part < other_part ? -1 : 1;
    if (p->offset != other->offset)
        return p->offset < other->offset ? -1 : 1;
    return (p->index > other->index) - (p->index < other->index);
}

static int compare_frames(const void *a, const void *b)
{
    const tl_frame_ref *x = a, *y = b;
    return compare_places(x->part, &x->payload, y->part, &y->payload);
}

static int compare_extras(const void *a, const void *b)
{
    const tl_extra_ref *x = a, *y = b;
    return compare_places(x->part, &x->payload, y->part, &y->payload);
}

static void group_by_part(tl_reader *r)
{
    size_t frame = 0, extra = 0;
    if (r->n_frames)
        qsort(r->frames, r->n_frames, sizeof *r->frames, compare_frames);
    if (r->n_extras)
        qsort(r->extras, r->n_extras, sizeof *r->extras, compare_extras);
    for (size_t i = 0; i < r->n_parts; i++) {
        r->parts[i]->first_frame = frame;
        r->parts[i]->first_extra = extra;
        frame += r->parts[i]->n_frames;
        extra += r->parts[i]->n_extras;
    }
}

/* Finds the hosts in whose bytes the damages are. *out is whether they are known: a joined file has
 * the bytes of one host after those of another. */
static tl_status find_damaged_hosts(const tl_reader *r, tl_map *hosts, bool *out)
{
    *out = *r->header.run.parts && r->n_damages == r->n_local_damages;
    for (size_t i = 0; *out && i < r->n_parts; i++) {
        const tl_part *part = r->parts[i];
        const char *host = part->definitions->host;
        if (!part->named && !part->damage)
            continue;
        uint64_t *is_damaged = host ? tl_map_at(hosts, tl_hash_of(host, strlen(host), 0)) : NULL;
        if (host && !is_damaged)
            return TL_ERR_MEMORY;
        if (is_damaged)
            *is_damaged = 1;
        *out = host != NULL;
    }
    return TL_OK;
}

/* A rank without an end in a damaged file may have lost its end, and events, in the damaged bytes,
 * unless these are the bytes of other hosts. */
static tl_status settle_parts(tl_reader *r)
{
    tl_map hosts = {0};
    bool known;
    tl_status status = find_damaged_hosts(r, &hosts, &known);
    r->complete = r->n_damages == 0 && r->n_parts == r->header.run.n_ranks;
    for (size_t i = 0; !status && i < r->n_parts; i++) {
        tl_part *part = r->parts[i];
        const char *host = part->definitions->host;
        r->complete = r->complete &&
                      (part->summary.end == TL_END_FINALIZED || part->summary.end == TL_END_CUT);
        if (part->damage || part->summary.end != TL_END_NONE || !r->n_damages)
            continue;
        const uint64_t *other =
            known && host ? tl_map_at(&hosts, tl_hash_of(host, strlen(host), 0)) : NULL;
        if (!(other && !*other) && !(part->damage = tl_copy_error(&r->damages[0])))
            status = TL_ERR_MEMORY;
    }
    tl_map_free(&hosts);
    return status;
}

/* Finds ranks with the same events. They follow the lowest of them. */
static tl_status find_leaders(tl_reader *r, int with_volumes)
{
    tl_map first = {0}; /* rank + 1 by likeness */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->n_parts; i++) {
            tl_part *part = r->parts[i];
            part->leader[with_volumes] = part->rank;
            if (part->damage)
                continue;
            uint64_t *least = tl_map_at(&first, part->alike[with_volumes]);
            if (!least) {
                tl_map_free(&first);
                return TL_ERR_MEMORY;
            }
            if (!*least || *least > part->rank)
                *least = (uint64_t)part->rank + 1;
            part->leader[with_volumes] = (uint32_t)(*least - 1);
        }
    tl_map_free(&first);
    return TL_OK;
}

static tl_status read_header(tl_reader *r, tl_error *err)
{
    struct stat st;
    if (fstat(r->fd, &st))
        return tl_fail_errno(err, "%s: cannot be examined", r->path);
    if (S_ISDIR(st.st_mode))
        return tl_fail(err, TL_ERR_NOT_A_TRACE,
                       "%s: is a folder; give a file that 'timeless record' wrote", r->path);
    if (!S_ISREG(st.st_mode))
        return tl_fail(err, TL_ERR_NOT_A_TRACE,
                       "%s: is not a regular file; give a file that 'timeless record' wrote",
                       r->path);
    r->file_bytes = (uint64_t)st.st_size;
    return tl_run_read(r->fd, r->path, &r->header, err);
}

static tl_status open_file(tl_reader *r, tl_error *err)
{
    /* O_NONBLOCK: opening a named pipe must not block the caller. */
    r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd < 0)
        return tl_fail_errno(err, "%s: cannot be opened", r->path);
    tl_status status = read_header(r, err);
    if (status != TL_ERR_NOT_A_TRACE)
        return status;
    int fd = -1;
    const tl_status converted = tl_simgrid_convert(r->path, &fd, err);
    if (converted || fd < 0)
        return converted ? converted : status;
    close(r->fd);
    r->fd = fd;
    return read_header(r, err);
}

static const tl_run not_recorded = {.volume_unit = "none",
                                    .volume_source = "none",
                                    .program = "",
                                    .mpi_library = "",
                                    .writer = "timeless " PACKAGE_VERSION,
                                    .origin = "",
                                    .run_id = "",
                                    .parts = "",
                                    .folding = "",
                                    .untraced = "",
                                    .parameters = "",
                                    .volume_sample = "",
                                    .volume_bursts = ""};

/* Events that are made on demand need no scan. */
static tl_status open_program(tl_reader *r, const char *parameters, tl_error *err)
{
    TL_TRY(r->kind->open(parameters, &r->program, err));
    r->face = r->kind->face(r->program);
    r->header.run = not_recorded;
    r->header.run.n_ranks = r->face.n_ranks;
    r->header.run.program = r->face.text;
    if (r->face.unit) {
        r->header.run.volume_unit = r->face.unit;
        r->header.run.volume_source = "skeleton";
    }
    if (r->face.mpi)
        r->header.run.mpi_library = r->face.mpi;
    r->complete = true;
    return TL_OK;
}

/* NULL without memory. */
static tl_reader *new_reader(const char *path)
{
    tl_reader *r = calloc(1, sizeof *r);
    if (r && (r->path = strdup(path))) {
        r->fd = -1;
        return r;
    }
    free(r);
    return NULL;
}

/* The reader, or NULL after a failure. */
static tl_status finish_open(tl_reader *r, tl_status status, tl_reader **out)
{
    if (status)
        tl_reader_close(r);
    *out = status ? NULL : r;
    return status;
}

tl_status tl_reader_open_goal(const char *path, tl_reader **out, tl_error *err)
{
    struct stat st;
    tl_goal *goal;
    *out = NULL;
    TL_TRY(tl_goal_open(path, &goal, err));
    const uint32_t n_ranks = tl_goal_ranks(goal);
    tl_goal_close(goal);
    tl_reader *r = new_reader(path);
    if (!r)
        return tl_no_memory(err, path);
    r->header.run = not_recorded;
    r->header.run.n_ranks = n_ranks;
    r->header.run.program = "a schedule of GOAL";
    r->header.run.volume_unit = "cpu-ns";
    r->complete = r->is_goal = true;
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &st))
        return finish_open(r, tl_fail_errno(err, "%s: cannot be opened", path), out);
    r->file_bytes = (uint64_t)st.st_size;
    return finish_open(r, TL_OK, out);
}

int tl_reader_is_goal(const tl_reader *r)
{
    return r->is_goal;
}

static tl_status open_trace(tl_reader *r, tl_error *err)
{
    TL_TRY(open_file(r, err));
    r->pool.n_ranks = r->header.run.n_ranks;
    r->pool.max_expanded_members = 16384 + 16 * r->file_bytes;
    TL_TRY(tl_scan(r, err));
    group_by_part(r);
    return settle_parts(r) || find_leaders(r, 0) || find_leaders(r, 1) ? tl_no_memory(err, r->path)
                                                                       : TL_OK;
}

tl_status tl_reader_open(const char *path, tl_reader **out, tl_error *err)
{
    const char *parameters = NULL;
    *out = NULL;
    tl_reader *r = new_reader(path);
    if (!r)
        return tl_no_memory(err, path);
    r->kind = tl_program_find(path, &parameters);
    return finish_open(r, r->kind ? open_program(r, parameters, err) : open_trace(r, err), out);
}

void tl_reader_close(tl_reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    if (r->kind)
        r->kind->close(r->program);
    for (size_t i = 0; i < r->n_parts; i++) {
        free(r->parts[i]->damage);
        free(r->parts[i]);
    }
    for (size_t i = 0; i < r->n_definitions; i++) {
        tl_definitions_free(&r->definitions[i]->d);
        free(r->definitions[i]);
    }
    free(r->definitions);
    free(r->parts);
    free(r->frames);
    free(r->extras);
    free(r->bases);
    free(r->damages);
    free(r->regions);
    free(r->part_of_rank);
    tl_buffer_free(&r->recovered);
    tl_pool_free(&r->pool);
    tl_run_free(&r->header);
    free(r->path);
    free(r);
}

const tl_run *tl_reader_run(const tl_reader *r)
{
    return &r->header.run;
}

const char *tl_reader_path(const tl_reader *r)
{
    return r->path;
}

uint64_t tl_reader_file_bytes(const tl_reader *r)
{
    return r->file_bytes;
}

int tl_reader_complete(const tl_reader *r)
{
    return r->complete;
}

size_t tl_reader_n_damages(const tl_reader *r)
{
    return r->n_damages;
}

const tl_error *tl_reader_damage(const tl_reader *r, size_t i)
{
    return i < r->n_damages ? &r->damages[i] : NULL;
}

tl_status tl_reader_hash(tl_reader *r, uint64_t *out, tl_error *err)
{
    enum { BLOCK_BYTES = 1 << 16 };
    if (r->kind) {
        *out = tl_hash_of(r->face.text, strlen(r->face.text), r->face.hash);
        return TL_OK;
    }
    uint8_t *block = malloc(BLOCK_BYTES);
    tl_hash *hash = tl_hash_new();
    tl_status status = TL_OK;
    if (!block || !hash) {
        status = tl_no_memory(err, r->path);
        goto cleanup;
    }
    tl_hash_reset(hash, 0);
    const uint64_t end = r->file_bytes + r->recovered.size;
    for (uint64_t at = 0; at < end; at += BLOCK_BYTES) {
        size_t size = end - at < BLOCK_BYTES ? end - at : BLOCK_BYTES;
        status = tl_reader_read_at(r, at, block, size);
        if (status == TL_ERR_TRUNCATED)
            tl_error_set(err, status, "%s:%" PRIu64 ": the file became shorter while it was read",
                         r->path, at);
        else if (status)
            tl_error_set_errno(err, "%s:%" PRIu64 ": cannot be read", r->path, at);
        if (status)
            goto cleanup;
        tl_hash_update(hash, block, size);
    }
    *out = tl_hash_digest(hash);
cleanup:
    tl_hash_free(hash);
    free(block);
    return status;
}

tl_status tl_reader_rank(const tl_reader *r, uint32_t rank, tl_rank_summary *out)
{
    if (rank >= r->header.run.n_ranks)
        return TL_ERR_NO_RANK;
    const tl_part *part = tl_reader_part(r, rank);
    *out = (tl_rank_summary){
        .host = "", .remark = "", .clock = "", .end = r->kind ? TL_END_FINALIZED : TL_END_NONE};
    if (!part)
        return TL_OK;
    out->n_events = part->summary.n_events;
    out->volume = part->summary.volume;
    out->clock_ns = part->summary.clock_ns;
    out->end = part->summary.end;
    out->kept_open = part->kept_open;
    out->n_recovered = part->n_recovered;
    if (part->definitions->host)
        out->host = part->definitions->host;
    if (part->definitions->remark)
        out->remark = part->definitions->remark;
    if (part->definitions->clock)
        out->clock = part->definitions->clock;
    return TL_OK;
}

/* The reason from the header. Older recordings have no other reason. */
static size_t reason_of_run(const tl_run *run, char *text, size_t size)
{
    if (*run->folding)
        return (size_t)snprintf(text, size, "%s", run->folding);
    if (!strncmp(run->volume_source, "exact", strlen("exact")))
        return (size_t)snprintf(text, size, "the ranks ran in an emulator (%s)",
                                run->volume_source);
    return 0;
}

size_t tl_reader_clock(const tl_reader *r, char *text, size_t size)
{
    const tl_run *run = &r->header.run;
    uint32_t n = 0, first = 0;
    if (size)
        *text = '\0';
    const size_t length = reason_of_run(run, text, size);
    if (length)
        return length;
    for (uint32_t rank = run->n_ranks; rank-- > 0;) {
        const tl_part *part = tl_reader_part(r, rank);
        if (!part || !part->definitions->clock || !*part->definitions->clock)
            continue;
        first = rank;
        n++;
    }
    if (!n)
        return 0;
    const char *reason = tl_reader_part(r, first)->definitions->clock;
    if (n == 1)
        return (size_t)snprintf(text, size, "rank %" PRIu32 ": %s", first, reason);
    return (size_t)snprintf(text, size, "rank %" PRIu32 ": %s; %" PRIu32 " other ranks likewise",
                            first, reason, n - 1);
}

/* The definitions of one kind in a file. */
static const tl_list *list_of(const tl_reader *r, uint32_t rank, int kind)
{
    static const tl_list none;
    const tl_part *part = tl_reader_part(r, rank);
    return part ? &part->definitions->lists[kind] : &none;
}

size_t tl_reader_comms(const tl_reader *r, uint32_t rank, const tl_comm **out)
{
    const tl_list *list = list_of(r, rank, TL_COMMS);
    if (r->kind && r->kind->comms)
        return r->kind->comms(r->program, rank, out);
    *out = list->items;
    return list->n;
}

size_t tl_reader_sites(const tl_reader *r, uint32_t rank, const tl_site **out)
{
    const tl_list *list = list_of(r, rank, TL_SITES);
    *out = r->kind ? r->face.sites : list->items;
    return r->kind ? r->face.n_sites : list->n;
}

size_t tl_reader_kernels(const tl_reader *r, uint32_t rank, const tl_user_kernel **out)
{
    const tl_list *list = list_of(r, rank, TL_KERNELS);
    *out = r->kind ? r->face.kernels : list->items;
    return r->kind ? r->face.n_kernels : list->n;
}

size_t tl_reader_objects(const tl_reader *r, uint32_t rank, const tl_object **out)
{
    const tl_list *list = list_of(r, rank, TL_OBJECTS);
    *out = list->items;
    return list->n;
}

size_t tl_reader_counters(const tl_reader *r, uint32_t rank, const tl_counter **out)
{
    const tl_list *list = list_of(r, rank, TL_COUNTERS);
    *out = list->items;
    return list->n;
}

const tl_program_call *tl_reader_calls(const tl_reader *r, size_t *n)
{
    *n = r->face.n_calls;
    return r->face.calls;
}

int tl_reader_delay(tl_reader *r, const int64_t *delays_ns)
{
    if (!r->kind || !r->kind->delay)
        return 0;
    r->kind->delay(r->program, delays_ns);
    return 1;
}

uint32_t tl_reader_leader(const tl_reader *r, uint32_t rank, int with_volumes)
{
    const tl_part *part = tl_reader_part(r, rank);
    return part ? part->leader[!!with_volumes] : rank;
}

void tl_event_move(tl_event *event, uint32_t from, uint32_t to)
{
    const tl_call_info *row = tl_call_by_code(event->call);
    if (!row || !tl_has_neighbours(event, row))
        return;
    if (event->peer >= 0)
        event->peer = (int32_t)((uint32_t)event->peer + to - from);
    if (row->slots & TL_SLOT_RECV_PEER && event->recv_peer >= 0)
        event->recv_peer = (int32_t)((uint32_t)event->recv_peer + to - from);
}

const tl_comm *tl_reader_comm(const tl_reader *r, uint32_t rank, uint32_t id)
{
    const tl_comm *comms;
    size_t n = tl_reader_comms(r, rank, &comms);
    return n ? bsearch(&id, comms, n, sizeof *comms, tl_by_id) : NULL;
}

const tl_site *tl_reader_site(const tl_reader *r, uint32_t rank, uint32_t id)
{
    const tl_site *sites;
    size_t n = tl_reader_sites(r, rank, &sites);
    return n ? bsearch(&id, sites, n, sizeof *sites, tl_by_id) : NULL;
}

const char *tl_reader_kernel_name(const tl_reader *r, uint32_t rank, const tl_event *event)
{
    const tl_user_kernel *kernels;
    uint32_t id = (uint32_t)event->tag;
    size_t n = tl_reader_kernels(r, rank, &kernels);
    const tl_user_kernel *found = n ? bsearch(&id, kernels, n, sizeof *kernels, tl_by_id) : NULL;
    return found ? found->name : NULL;
}
