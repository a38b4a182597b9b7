/* index.c - reads and makes the index of a rank. */
#include "config.h"

#include "index.h"

#include "core/block.h"
#include "core/format.h"

#include <stdlib.h>
#include <string.h>

/* A place takes at most this share of the events between it and the place before. */
enum { EVENTS_OF_BYTE = 16, INDEX_VERSION = 1 };
/* The bytes of the shortest place. */
enum { LEAST_PLACE = 27 };
/* All places of a rank have at most so many bytes: a chunk has room for 64 MiB. */
enum { MOST_BYTES = 32 << 20 };

/* ---- reading ---- */

static const tl_extra_ref *find_index_chunk(const tl_reader *r, uint32_t rank)
{
    const tl_part *part = tl_reader_part(r, rank);
    for (size_t i = part ? part->n_extras : 0; i-- > 0;)
        if (r->extras[part->first_extra + i].type == TL_CHUNK_INDEX)
            return &r->extras[part->first_extra + i];
    return NULL;
}

static bool read_place(tl_input *in, tl_index_place *out)
{
    const uint64_t size = tl_get_varint(in);
    if (in->bad || size > (size_t)(in->end - in->p))
        return false;
    tl_input own = {.p = in->p, .end = in->p + size};
    *out = (tl_index_place){.state = in->p, .size = (size_t)size};
    out->number = tl_get_varint(&own);
    out->n_sections = tl_get_varint(&own);
    if (size < LEAST_PLACE || out->n_sections > out->number)
        return false;
    out->in_region = tl_get_varint(&own) != 0;
    out->level = (int32_t)tl_unzigzag(tl_get_varint(&own));
    out->levels = own.p;
    in->p += size;
    return !own.bad;
}

/* Numbers of events by key. *sum gets their sum. False: they break the format, or are more events
 * than the rank has. */
static bool skip_pairs(tl_input *in, uint64_t most, tl_input *pairs, uint64_t *n, uint64_t *sum)
{
    *n = tl_get_varint(in);
    *sum = 0;
    pairs->p = in->p;
    for (uint64_t i = 0; i < *n && !in->bad; i++) {
        tl_get_varint(in);
        const uint64_t events = tl_get_varint(in);
        if (events > most - *sum)
            return false;
        *sum += events;
    }
    pairs->end = in->p;
    return !in->bad;
}

/* The codes are those of calls, in ascending order; the kernels are the events of one call. */
static bool are_calls(const tl_index *x, uint64_t n_user_events)
{
    tl_input in = x->counts;
    uint64_t users = 0;
    for (uint64_t i = 0, before = 0; i < x->n_calls; i++) {
        const uint64_t code = tl_get_varint(&in), n = tl_get_varint(&in);
        if (code >= TL_CALL_LIMIT || !tl_call_by_code((unsigned)code) || (i && code <= before))
            return false;
        users = code == TL_KERNEL_user ? n : users;
        before = code;
    }
    in = x->users;
    for (uint64_t i = 0; i < x->n_users; i++) {
        if (tl_get_varint(&in) > UINT32_MAX)
            return false;
        tl_get_varint(&in);
    }
    return users == n_user_events;
}

/* Whether the places can follow each other in the events of the rank. */
static bool are_in_order(const tl_index *x, uint64_t n_events)
{
    uint64_t number = 0, n_sections = 0;
    for (size_t i = 0; i < x->n_places; i++) {
        const tl_index_place *place = &x->places[i];
        if ((i && place->number <= number) || place->n_sections < n_sections ||
            place->n_sections - n_sections > place->number - number)
            return false;
        number = place->number;
        n_sections = place->n_sections;
    }
    return number <= n_events && n_sections <= x->n_sections &&
           x->n_sections - n_sections <= n_events - number;
}

/* False: it is another version's, of another trace, or breaks the format. */
static tl_status parse_index(const tl_reader *r, uint64_t n_events, tl_index *x, bool *ok)
{
    tl_input in = {.p = x->raw.data, .end = x->raw.data + x->raw.size};
    *ok = tl_get_varint(&in) == INDEX_VERSION && in.end - in.p >= 8 &&
          tl_load64(in.p) == r->header.seed;
    if (!*ok)
        return TL_OK;
    in.p += 8;
    uint64_t sum = 0, n_user_events = 0;
    *ok = skip_pairs(&in, n_events, &x->counts, &x->n_calls, &sum) && sum == n_events &&
          skip_pairs(&in, n_events, &x->users, &x->n_users, &n_user_events) &&
          are_calls(x, n_user_events);
    x->clock_ns = tl_get_varint(&in);
    x->n_sections = tl_get_varint(&in);
    const uint64_t n = tl_get_varint(&in);
    *ok = *ok && !in.bad && n <= (size_t)(in.end - in.p) / LEAST_PLACE;
    if (!*ok)
        return TL_OK;
    x->places = calloc((size_t)n + 1, sizeof *x->places);
    if (!x->places)
        return TL_ERR_MEMORY;
    for (; *ok && x->n_places < n; x->n_places++)
        *ok = read_place(&in, &x->places[x->n_places]);
    *ok = *ok && in.p == in.end && are_in_order(x, n_events);
    return TL_OK;
}

tl_status tl_index_open(const tl_reader *r, uint32_t rank, tl_index *out)
{
    tl_index x = {.n_places = 0};
    *out = x;
    const tl_extra_ref *ref = find_index_chunk(r, rank);
    if (!ref || tl_reader_part(r, rank)->damage)
        return TL_OK;
    uint64_t n_read = 0;
    bool ok = true;
    tl_inner inner;
    tl_status status = tl_payload_read(r, ref->payload.offset, &x.raw, &n_read);
    if (!status && ref->payload.in_block) {
        if (!tl_block_find(x.raw.data, x.raw.size, ref->payload.index, &inner)) {
            status = TL_ERR_CORRUPT;
        } else {
            x.raw.size = (size_t)(inner.payload.end - inner.payload.p);
            memmove(x.raw.data, inner.payload.p, x.raw.size);
        }
    }
    if (!status)
        status = parse_index(r, tl_reader_part(r, rank)->summary.n_events, &x, &ok);
    if (status || !ok)
        tl_index_close(&x);
    else
        *out = x;
    return status;
}

void tl_index_close(tl_index *index)
{
    free(index->places);
    tl_buffer_free(&index->raw);
    *index = (tl_index){.n_places = 0};
}

const tl_index_place *tl_index_before(const tl_index *index, uint64_t event)
{
    size_t n = index->n_places;
    while (n && index->places[n - 1].number > event)
        n--;
    return n ? &index->places[n - 1] : NULL;
}

uint64_t tl_place_regions(const tl_index_place *place, int32_t level)
{
    tl_input in = {.p = place->levels, .end = place->state + place->size};
    for (uint64_t n = tl_get_varint(&in); n && !in.bad; n--) {
        const int32_t this = (int32_t)tl_unzigzag(tl_get_varint(&in));
        const uint64_t regions = tl_get_varint(&in);
        if (this == level)
            return regions;
    }
    return 0;
}

int tl_reader_counts(tl_reader *r, uint32_t rank, tl_call_counts *out)
{
    tl_index index;
    *out = (tl_call_counts){.n_events = 0};
    if (r->kind || tl_index_open(r, rank, &index) != TL_OK)
        return 0;
    if (index.raw.data)
        out->users = calloc((size_t)index.n_users + 1, sizeof *out->users);
    const bool ok = out->users != NULL;
    for (uint64_t i = 0; ok && i < index.n_calls; i++) {
        const uint64_t code = tl_get_varint(&index.counts);
        out->calls[code] = tl_get_varint(&index.counts);
        out->n_events += out->calls[code];
    }
    for (; ok && out->n_users < index.n_users; out->n_users++) {
        out->users[out->n_users].id = (uint32_t)tl_get_varint(&index.users);
        out->users[out->n_users].n = tl_get_varint(&index.users);
    }
    out->clock_ns = index.clock_ns;
    tl_index_close(&index);
    return ok;
}

void tl_call_counts_free(tl_call_counts *counts)
{
    if (!counts)
        return;
    free(counts->users);
    *counts = (tl_call_counts){.n_events = 0};
}

/* ---- making ---- */

tl_status tl_indexer_begin(tl_indexer *x, tl_reader *r, uint32_t rank, uint64_t place_events,
                           tl_error *err)
{
    *x = (tl_indexer){.next = place_events, .place_events = place_events};
    x->balance = (tl_balance){.r = r, .is_summed = true};
    x->past = (tl_past){.r = r, .rank = rank, .account = TL_BEFORE};
    return tl_balance_begin_rank(&x->balance, rank, err);
}

/* Drops every second place, because there are too many. */
static void thin_places(tl_indexer *x)
{
    tl_input in = {.p = x->places.data, .end = x->places.data + x->places.size};
    uint8_t *to = x->places.data;
    uint64_t n = 0;
    for (uint64_t i = 0; i < x->n_places; i++) {
        const uint8_t *place = in.p;
        const uint64_t size = tl_get_varint(&in);
        in.p += size;
        if (i % 2 == 0)
            continue;
        memmove(to, place, (size_t)(in.p - place));
        to += in.p - place;
        n++;
    }
    x->places.size = (size_t)(to - x->places.data);
    x->n_places = n;
    x->place_events *= 2;
}

static tl_status add_place(tl_indexer *x)
{
    tl_buffer state = {0};
    tl_status status = tl_past_save(&x->past, x->number, &state);
    while (!status && x->n_places && x->places.size + state.size > MOST_BYTES)
        thin_places(x);
    if (!status && !tl_buffer_reserve(&x->places, state.size + TL_VARINT_MAX_BYTES))
        status = TL_ERR_MEMORY;
    if (!status && state.size > MOST_BYTES) {
        x->next = UINT64_MAX;
    } else if (!status) {
        tl_buffer_put_varint(&x->places, state.size);
        tl_buffer_put(&x->places, state.data, state.size);
        x->n_places++;
        const uint64_t fair = x->bytes_are_free ? 0 : EVENTS_OF_BYTE * (uint64_t)state.size;
        x->next = x->number + (fair > x->place_events ? fair : x->place_events);
    }
    tl_buffer_free(&state);
    return status;
}

tl_status tl_indexer_add(tl_indexer *x, const tl_event *e)
{
    tl_status status = TL_OK;
    x->past.balance = &x->balance; /* the indexer may have moved */
    if (x->number >= x->next && !x->past.match.call)
        status = add_place(x);
    x->past.requests.next_serial = x->number++;
    x->calls[e->call]++;
    if (!status && e->call == TL_KERNEL_user) {
        uint64_t *n = tl_map_at(&x->users, (uint64_t)(uint32_t)e->tag);
        if (!n)
            return TL_ERR_MEMORY;
        ++*n;
    }
    return status ? status : tl_past_follow(&x->past, e);
}

tl_status tl_indexer_end(tl_indexer *x, uint64_t seed, tl_buffer *out)
{
    uint64_t n_calls = 0;
    for (unsigned code = 0; code < TL_CALL_LIMIT; code++)
        n_calls += x->calls[code] > 0;
    const size_t n_varints = 8 + 2 * (size_t)n_calls + 2 * x->users.n;
    out->size = 0;
    if (!tl_buffer_reserve(out, n_varints * TL_VARINT_MAX_BYTES + x->places.size))
        return TL_ERR_MEMORY;
    tl_buffer_put_varint(out, INDEX_VERSION);
    tl_store64(out->data + out->size, seed);
    out->size += sizeof seed;
    tl_buffer_put_varint(out, n_calls);
    for (unsigned code = 0; code < TL_CALL_LIMIT; code++)
        if (x->calls[code]) {
            tl_buffer_put_varint(out, code);
            tl_buffer_put_varint(out, x->calls[code]);
        }
    tl_buffer_put_varint(out, x->users.n);
    for (size_t i = 0; i < x->users.capacity; i++)
        if (x->users.entries[i].used) {
            tl_buffer_put_varint(out, x->users.entries[i].key);
            tl_buffer_put_varint(out, x->users.entries[i].value);
        }
    tl_buffer_put_varint(out, x->past.clock_ns);
    tl_buffer_put_varint(out, x->past.n_sections);
    tl_buffer_put_varint(out, x->n_places);
    tl_buffer_put(out, x->places.data, x->places.size);
    return TL_OK;
}

void tl_indexer_free(tl_indexer *x)
{
    tl_past_free(&x->past);
    tl_balance_free(&x->balance);
    tl_map_free(&x->users);
    tl_buffer_free(&x->places);
}
