/* scan.c - one pass over the chunks of a file: checks them, makes an index, and finds the next
 * chunk after damage. */
#include "config.h"

#include "scan.h"

#include "core/block.h"
#include "core/error.h"
#include "core/open.h"
#include "owned.h"

#include <inttypes.h>
#include <stdio.h>

enum { BLOCK_BYTES = 1 << 16, MAX_DAMAGES = 100 };

typedef struct scan {
    tl_reader *r;
    tl_error *err;
    uint64_t end; /* of the bytes that are scanned: the file, or what was recovered behind it */
    tl_hash *hash, *payload_hash;
    uint8_t *block;        /* BLOCK_BYTES */
    tl_buffer stored, raw; /* payloads that are read while scanning: definitions and ends */
    tl_buffer unpacked;    /* a block */
    /* The current frame: its hashes without and with volumes and clocks, and whether it refers to a
     * frame that does not exist. */
    uint64_t content[2];
    bool is_lost;
    tl_map shared;   /* definitions by their hash: index + 1 */
    uint64_t wasted; /* bytes hashed for chunks that turned out damaged */
} scan;

static tl_status read_failed(scan *s, tl_status status, uint64_t offset)
{
    if (status == TL_ERR_TRUNCATED)
        return tl_fail(s->err, status,
                       "%s:%" PRIu64 ": the file became shorter while it was read; try again",
                       s->r->path, offset);
    return tl_fail_errno(s->err, "%s:%" PRIu64 ": cannot be read", s->r->path, offset);
}

/* ---- damages ---- */

static tl_status add_damage(scan *s, const tl_error *damage)
{
    tl_reader *r = s->r;
    if (r->n_damages == MAX_DAMAGES)
        return TL_OK;
    if (!tl_make_room(&r->damages, r->n_damages, &r->damages_capacity, sizeof *r->damages))
        return tl_no_memory(s->err, s->r->path);
    r->damages[r->n_damages++] = *damage;
    return TL_OK;
}

/* Bytes that belong to no intact chunk. */
static tl_status add_region(scan *s, uint64_t from, uint64_t to, const tl_error *damage)
{
    tl_reader *r = s->r;
    if (r->n_damages == MAX_DAMAGES)
        return TL_OK;
    if (!tl_make_room(&r->regions, r->n_regions, &r->regions_capacity, sizeof *r->regions))
        return tl_no_memory(s->err, s->r->path);
    r->regions[r->n_regions++] = (tl_region){.from = from, .to = to};
    return add_damage(s, damage);
}

/* Marks the rank as damaged: its events from here on are lost. */
static tl_status damage_part(scan *s, tl_part *part, tl_status status, uint64_t offset,
                             const char *what)
{
    if (part->damage)
        return TL_OK;
    tl_error damage;
    tl_error_set(&damage, status,
                 "%s:%" PRIu64 ": rank %" PRIu32 " %s after event %" PRIu64
                 "; what comes before is intact, record the run again for the rest",
                 s->r->path, offset, part->rank, what, part->summary.n_events);
    part->summary.end = TL_END_NONE;
    part->summary.clock_ns = 0;
    part->damage = tl_copy_error(&damage);
    if (!part->damage)
        return tl_no_memory(s->err, s->r->path);
    return part->named ? TL_OK : add_damage(s, &damage);
}

/* ---- parts ---- */

static bool has_room_for_rank(tl_reader *r, uint32_t rank)
{
    if (rank < r->n_part_of_rank)
        return true;
    size_t n = r->n_part_of_rank ? r->n_part_of_rank : 64;
    while (n <= rank)
        n *= 2;
    uint32_t *wider = calloc(n, sizeof *wider);
    if (!wider)
        return false;
    if (r->n_part_of_rank)
        memcpy(wider, r->part_of_rank, r->n_part_of_rank * sizeof *wider);
    free(r->part_of_rank);
    r->part_of_rank = wider;
    r->n_part_of_rank = n;
    return true;
}

static tl_part *part_of(scan *s, uint32_t rank)
{
    static const tl_definitions none;
    tl_reader *r = s->r;
    if (rank < r->n_part_of_rank && r->part_of_rank[rank])
        return r->parts[r->part_of_rank[rank] - 1];
    if (!has_room_for_rank(r, rank) ||
        !tl_make_room(&r->parts, r->n_parts, &r->parts_capacity, sizeof *r->parts))
        return NULL;
    tl_part *part = calloc(1, sizeof *part);
    if (!part)
        return NULL;
    part->rank = rank;
    part->definitions = &none;
    r->parts[r->n_parts++] = part;
    r->part_of_rank[rank] = (uint32_t)r->n_parts;
    return part;
}

static uint32_t index_of(const scan *s, const tl_part *part)
{
    return s->r->part_of_rank[part->rank] - 1;
}

static tl_status add_frame(scan *s, const tl_chunk *chunk, const tl_payload_ref *ref, tl_part *part)
{
    tl_reader *r = s->r;
    if (!tl_make_room(&r->frames, r->n_frames, &r->frames_capacity, sizeof *r->frames))
        return tl_no_memory(s->err, s->r->path);
    r->frames[r->n_frames++] = (tl_frame_ref){.payload = *ref,
                                              .first_event = part->summary.n_events,
                                              .part = index_of(s, part),
                                              .n_events = chunk->n_events};
    part->n_frames++;
    part->summary.n_events += chunk->n_events;
    part->summary.volume += chunk->volume;
    return TL_OK;
}

static tl_status add_extra(scan *s, const tl_chunk *chunk, const tl_payload_ref *ref, tl_part *part)
{
    tl_reader *r = s->r;
    if (!tl_make_room(&r->extras, r->n_extras, &r->extras_capacity, sizeof *r->extras))
        return tl_no_memory(s->err, s->r->path);
    r->extras[r->n_extras++] =
        (tl_extra_ref){.payload = *ref, .part = index_of(s, part), .type = chunk->type};
    part->n_extras++;
    return TL_OK;
}

/* ---- intact chunks ---- */

/* Reads a payload and unpacks it into `raw`. *ok is whether it could be unpacked. */
static tl_status load_payload(scan *s, const tl_chunk *chunk, uint64_t offset, tl_buffer *raw,
                              bool *ok)
{
    s->stored.size = raw->size = 0;
    if (!tl_buffer_reserve(&s->stored, chunk->stored_bytes + 1) ||
        !tl_buffer_reserve(raw, chunk->raw_bytes + 1))
        return tl_no_memory(s->err, s->r->path);
    uint64_t at = offset + TL_CHUNK_HEADER_BYTES;
    tl_status status = tl_reader_read_at(s->r, at, s->stored.data, chunk->stored_bytes);
    if (status)
        return read_failed(s, status, at);
    *ok = tl_chunk_unpack(chunk, s->stored.data, raw->data);
    raw->size = chunk->raw_bytes;
    return TL_OK;
}

static tl_status take_definitions(scan *s, const tl_chunk *chunk, const tl_payload_ref *ref,
                                  const uint8_t *payload, tl_part *part)
{
    tl_status status =
        payload ? tl_owned_read(s->r, &s->shared, part, payload, chunk->raw_bytes) : TL_ERR_CORRUPT;
    if (status == TL_ERR_MEMORY)
        return tl_no_memory(s->err, s->r->path);
    if (status == TL_ERR_LIMIT)
        return damage_part(s, part, status, ref->offset,
                           "defines more members of communicators than a file of this size can "
                           "mean,");
    if (status)
        return damage_part(s, part, status, ref->offset, "has definitions that break the format");
    return add_extra(s, chunk, ref, part);
}

static tl_status take_end(scan *s, const tl_payload_ref *ref, const uint8_t *payload, tl_part *part)
{
    uint32_t reason = payload ? tl_load32(payload) : TL_END_NONE;
    if (reason == TL_END_NONE || reason > TL_END_CUT)
        return damage_part(s, part, TL_ERR_CORRUPT, ref->offset, "has an unknown kind of end");
    part->summary.end = (tl_end_reason)reason;
    part->summary.clock_ns = tl_load64(payload + 4);
    return TL_OK;
}

/* The rule that a chunk breaks at this place; NULL if none. */
static const char *find_violation(scan *s, const tl_chunk *chunk, bool in_block, tl_part *part)
{
    if (chunk->sequence != part->next_sequence ||
        (!in_block && chunk->first_event != part->summary.n_events)) {
        part->named = part->named || s->r->n_damages; /* by bytes that have been reported */
        return "has lost something";
    }
    if (part->summary.end != TL_END_NONE)
        return "goes on behind its end";
    return tl_chunk_violation(chunk) ? "breaks the format" : NULL;
}

/* Ranks that are stored with the same bytes have the same events. */
static void add_likeness(const scan *s, tl_part *part, const tl_chunk *chunk)
{
    for (int i = 0; i < 2; i++) {
        uint64_t mixed[] = {part->alike[i], chunk->n_events, s->content[i]};
        part->alike[i] = tl_hash_of(mixed, sizeof mixed, 0);
    }
}

/* Adds a chunk of one rank. `payload`: its place in an unpacked block; NULL: it is in the file. */
static tl_status take_chunk(scan *s, const tl_chunk *chunk, const tl_payload_ref *ref,
                            const uint8_t *payload)
{
    tl_reader *r = s->r;
    if (chunk->rank >= r->header.run.n_ranks) {
        tl_error damage;
        tl_error_set(&damage, TL_ERR_CORRUPT,
                     "%s:%" PRIu64 ": a part of rank %" PRIu32 ", but the run has %" PRIu32
                     " ranks; record the run again",
                     r->path, ref->offset, chunk->rank, r->header.run.n_ranks);
        return add_damage(s, &damage);
    }
    tl_part *part = part_of(s, chunk->rank);
    if (!part)
        return tl_no_memory(s->err, s->r->path);
    if (part->damage)
        return TL_OK;
    if (ref->offset >= r->file_bytes) {
        part->kept_open = true;
        part->n_recovered += chunk->n_events;
    }
    if ((!chunk->type || chunk->type > TL_CHUNK_END) && !(chunk->type & TL_CHUNK_OPTIONAL))
        return tl_fail(s->err, TL_ERR_VERSION,
                       "%s:%" PRIu64
                       ": has a chunk of type %u, which this version of timeless does "
                       "not know; use the version that wrote it",
                       r->path, ref->offset, chunk->type);
    const char *violation = find_violation(s, chunk, payload != NULL, part);
    if (violation)
        return damage_part(s, part, TL_ERR_CORRUPT, ref->offset, violation);
    part->next_sequence++;
    if (chunk->type == TL_CHUNK_EVENTS) {
        if (ref->in_block && s->is_lost)
            return damage_part(s, part, TL_ERR_CORRUPT, ref->offset,
                               "refers to a part of the file that is lost,");
        add_likeness(s, part, chunk);
        return add_frame(s, chunk, ref, part);
    }
    if (chunk->type & TL_CHUNK_OPTIONAL)
        return add_extra(s, chunk, ref, part);
    if (!payload) {
        bool ok = false;
        tl_status status = load_payload(s, chunk, ref->offset, &s->raw, &ok);
        if (status)
            return status;
        payload = ok ? s->raw.data : NULL;
    }
    return chunk->type == TL_CHUNK_END ? take_end(s, ref, payload, part)
                                       : take_definitions(s, chunk, ref, payload, part);
}

/* A block with a correct checksum breaks the rules. The rest of its content, and its ranks, are
 * unknown. */
static tl_status refuse_block(scan *s, uint64_t offset)
{
    tl_error damage;
    tl_error_set(&damage, TL_ERR_CORRUPT,
                 "%s:%" PRIu64 ": a block of several ranks breaks the format; record the run again",
                 s->r->path, offset);
    return add_damage(s, &damage);
}

/* A frame in a block: remembers its hashes, or finds them at the frame to which it refers. */
static tl_status take_frame(scan *s, const tl_inner *inner, const tl_payload_ref *ref)
{
    static const uint8_t nothing[1];
    static const uint32_t same = (1U << TL_N_SAME_STREAMS) - 1;
    tl_reader *r = s->r;
    const tl_input *volumes = &inner->streams[TL_STREAM_VOLUMES];
    tl_base now = {.offset = ref->offset, .index = ref->index};
    s->is_lost = false;
    now.same = tl_hash_same_streams(inner->streams, 0);
    now.volumes = tl_hash_of(volumes->p, (size_t)(volumes->end - volumes->p), 0);
    if (inner->based) {
        const tl_base *base =
            inner->base_distance > ref->offset
                ? NULL
                : tl_reader_base(r, ref->offset - inner->base_distance, inner->base_index);
        s->is_lost = !base;
        if (base && inner->based >> TL_STREAM_VOLUMES & 1)
            now.volumes = base->volumes;
        if (base && (inner->based & same) == same)
            now.same = base->same;
        else
            now.same = tl_hash_of((uint64_t[]){ref->offset, ref->index}, 16, 1); /* like no other */
    } else {
        if (!tl_make_room(&r->bases, r->n_bases, &r->bases_capacity, sizeof *r->bases))
            return tl_no_memory(s->err, s->r->path);
        r->bases[r->n_bases++] = now;
    }
    s->content[0] = now.same;
    s->content[1] = now.same ^ tl_hash_of(&now.volumes, sizeof now.volumes, now.same);
    return take_chunk(s, &inner->chunk, ref, nothing);
}

static tl_status take_block(scan *s, const tl_chunk *block, uint64_t offset)
{
    bool ok = !tl_chunk_violation(block);
    tl_status status = ok ? load_payload(s, block, offset, &s->unpacked, &ok) : TL_OK;
    if (status || !ok)
        return status ? status : refuse_block(s, offset);
    tl_block parts;
    if (!tl_block_open(&parts, s->unpacked.data, block->raw_bytes))
        return refuse_block(s, offset);
    while (!tl_block_is_at_end(&parts)) {
        tl_inner inner;
        if (!tl_block_next(&parts, &inner) || inner.chunk.rank < block->rank ||
            inner.chunk.rank > block->first_event)
            return refuse_block(s, offset);
        tl_payload_ref ref = {.offset = offset, .index = inner.index, .in_block = true};
        if (inner.chunk.type == TL_CHUNK_EVENTS)
            status = take_frame(s, &inner, &ref);
        else if (inner.chunk.type == TL_CHUNK_END)
            status = take_chunk(s, &inner.chunk, &ref, inner.end);
        else
            status = take_chunk(s, &inner.chunk, &ref, inner.payload.p);
        if (status)
            return status;
    }
    return tl_block_is_used_up(&parts) ? TL_OK : refuse_block(s, offset);
}

/* ---- damaged regions ---- */

/* The next place at or after `from` where a chunk may begin; the size of the file if there is none.
 */
static tl_status find_magic(scan *s, uint64_t from, uint64_t *found)
{
    tl_reader *r = s->r;
    while (from + TL_CHUNK_MAGIC_BYTES <= s->end) {
        size_t size = s->end - from < BLOCK_BYTES ? s->end - from : BLOCK_BYTES;
        tl_status status = tl_reader_read_at(r, from, s->block, size);
        if (status)
            return read_failed(s, status, from);
        const uint8_t *hit = memmem(s->block, size, TL_CHUNK_MAGIC, TL_CHUNK_MAGIC_BYTES);
        if (hit) {
            *found = from + (uint64_t)(hit - s->block);
            return TL_OK;
        }
        from += size - (TL_CHUNK_MAGIC_BYTES - 1);
    }
    *found = s->end;
    return TL_OK;
}

typedef enum verdict { CHUNK_INTACT, CHUNK_DAMAGED, CHUNK_CUT_SHORT } verdict;

/* Checks the chunk that may begin at `offset`. *known: its header is correct, so its rank is known.
 */
static tl_status examine(scan *s, uint64_t offset, tl_chunk *chunk, bool *known, verdict *out)
{
    tl_reader *r = s->r;
    uint64_t left = s->end - offset;
    uint8_t header[TL_CHUNK_HEADER_BYTES];
    *known = false;
    *out = CHUNK_CUT_SHORT;
    if (left < sizeof header)
        return TL_OK;
    tl_status status = tl_reader_read_at(r, offset, header, sizeof header);
    if (status)
        return read_failed(s, status, offset);
    *out = CHUNK_DAMAGED;
    if (!tl_chunk_parse(header, r->header.seed, chunk))
        return TL_OK;
    *known = true;
    left -= sizeof header;
    if (chunk->stored_bytes > left) {
        *out = CHUNK_CUT_SHORT;
        return TL_OK;
    }
    tl_hash_reset(s->hash, r->header.seed);
    tl_hash_update(s->hash, header, TL_CHUNK_HASHED_BYTES);
    tl_hash_reset(s->payload_hash, 0);
    uint64_t at = offset + sizeof header;
    for (uint32_t rest = chunk->stored_bytes; rest;) {
        uint32_t size = rest < BLOCK_BYTES ? rest : BLOCK_BYTES;
        status = tl_reader_read_at(r, at, s->block, size);
        if (status)
            return read_failed(s, status, at);
        tl_hash_update(s->hash, s->block, size);
        tl_hash_update(s->payload_hash, s->block, size);
        at += size;
        rest -= size;
    }
    s->content[0] = s->content[1] = tl_hash_digest(s->payload_hash);
    if (tl_hash_digest(s->hash) == chunk->checksum)
        *out = CHUNK_INTACT;
    else
        s->wasted += chunk->stored_bytes;
    return TL_OK;
}

/* Names the ranks whose bytes are lost. `bad` is NULL if no correct header names them. */
static tl_status name_ranks(scan *s, const tl_chunk *bad, char *whose, size_t size)
{
    tl_reader *r = s->r;
    whose[0] = 0;
    if (!bad || bad->rank >= r->header.run.n_ranks)
        return TL_OK;
    if (bad->type == TL_CHUNK_BLOCK) {
        snprintf(whose, size, " of ranks %" PRIu32 " to %" PRIu64, bad->rank, bad->first_event);
        for (size_t i = 0; i < r->n_parts; i++)
            if (r->parts[i]->rank >= bad->rank && r->parts[i]->rank <= bad->first_event)
                r->parts[i]->named = true;
        return TL_OK;
    }
    snprintf(whose, size, " of rank %" PRIu32, bad->rank);
    tl_part *part = part_of(s, bad->rank);
    if (!part)
        return tl_no_memory(s->err, s->r->path);
    part->named = true;
    return TL_OK;
}

static tl_status report_region(scan *s, uint64_t from, uint64_t to, const tl_chunk *bad,
                               bool cut_short)
{
    tl_reader *r = s->r;
    char whose[64];
    TL_TRY(name_ranks(s, bad, whose, sizeof whose));
    tl_error damage;
    if (cut_short)
        tl_error_set(&damage, TL_ERR_TRUNCATED,
                     "%s:%" PRIu64 ": the file ends within a part%s; what comes before is intact, "
                     "record the run again for the rest",
                     r->path, from, whose);
    else
        tl_error_set(&damage, TL_ERR_CORRUPT,
                     "%s:%" PRIu64 ": %" PRIu64 " bytes%s are damaged; the other parts are intact, "
                     "record the run again for the rest",
                     r->path, from, to - from, whose);
    /* The frames of a block are of ranks of several hosts. */
    r->n_local_damages += *whose && bad->type != TL_CHUNK_BLOCK && r->n_damages < MAX_DAMAGES;
    return add_region(s, from, to, &damage);
}

/* A rank that is killed while it writes leaves an incomplete chunk, and its events in TRACE.open.
 * The chunks of a rank are numbered, so nothing is lost if each rank goes on to its end, or to its
 * slot in TRACE.open. The part of a host has nothing of the ranks of other hosts. */
static bool nothing_is_lost(const scan *s)
{
    const tl_reader *r = s->r;
    bool all = r->n_damages == r->n_regions &&
               (r->n_parts == r->header.run.n_ranks || *r->header.run.parts);
    bool killed = false;
    for (size_t i = 0; all && i < r->n_parts; i++) {
        const tl_part *part = r->parts[i];
        all = !part->damage && (part->summary.end != TL_END_NONE || part->kept_open);
        killed |= part->kept_open;
    }
    return all && killed;
}

/* The chunk at `from` is damaged. Finds the next intact one, or the end of the file, and reports
 * the bytes between. */
static tl_status skip_damage(scan *s, uint64_t from, const tl_chunk *bad, bool known,
                             bool cut_short, uint64_t *next)
{
    uint64_t at = from + 1, stored = known ? bad->stored_bytes : 0;
    for (;;) {
        /* Protects from hostile files: when many bytes have been hashed in vain, the lengths in
         * headers are trusted. */
        if (s->wasted > (UINT64_C(64) << 20) + 8 * s->end)
            at += stored;
        tl_status status = at < s->end ? find_magic(s, at, &at) : TL_OK;
        if (status)
            return status;
        if (at >= s->end)
            break;
        tl_chunk chunk;
        bool header_known;
        verdict what;
        status = examine(s, at, &chunk, &header_known, &what);
        if (status)
            return status;
        if (what == CHUNK_INTACT)
            break;
        stored = header_known ? chunk.stored_bytes : 0;
        cut_short = cut_short || what == CHUNK_CUT_SHORT;
        at++;
    }
    *next = at < s->end ? at : s->end;
    return report_region(s, from, *next, known ? bad : NULL, cut_short && *next == s->end);
}

static tl_status scan_chunks(scan *s, uint64_t at)
{
    while (at < s->end) {
        tl_chunk chunk = {0};
        bool known;
        verdict what;
        tl_status status = examine(s, at, &chunk, &known, &what);
        if (!status && what == CHUNK_INTACT) {
            tl_payload_ref ref = {.offset = at};
            status = chunk.type == TL_CHUNK_BLOCK ? take_block(s, &chunk, at)
                                                  : take_chunk(s, &chunk, &ref, NULL);
            at += TL_CHUNK_HEADER_BYTES + (uint64_t)chunk.stored_bytes;
        } else if (!status) {
            status = skip_damage(s, at, &chunk, known, what == CHUNK_CUT_SHORT, &at);
        }
        if (status)
            return status;
    }
    return TL_OK;
}

tl_status tl_scan(tl_reader *r, tl_error *err)
{
    scan s = {.r = r, .err = err, .block = malloc(BLOCK_BYTES)};
    s.hash = tl_hash_new();
    s.payload_hash = tl_hash_new();
    bool ok = s.hash && s.payload_hash && s.block;
    s.end = r->file_bytes;
    tl_status status = ok ? scan_chunks(&s, r->header.bytes) : tl_no_memory(s.err, s.r->path);
    if (!status)
        status = tl_open_recover(r, err);
    if (!status) {
        r->pool.max_expanded_members += 16 * r->recovered.size;
        s.end += r->recovered.size;
        status = scan_chunks(&s, r->file_bytes);
    }
    if (!status && nothing_is_lost(&s))
        r->n_damages = 0;
    tl_hash_free(s.hash);
    tl_hash_free(s.payload_hash);
    free(s.block);
    tl_buffer_free(&s.stored);
    tl_buffer_free(&s.raw);
    tl_buffer_free(&s.unpacked);
    tl_map_free(&s.shared);
    return status;
}
