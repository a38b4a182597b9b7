/* index.c - reads and makes the index of a rank. */
#include "config.h"

#include "index.h"

#include "block.h"
#include "format.h"

#include <stdlib.h>

/* A place takes at most this share of the events between it and the place before. */
enum { PLACE_EVENTS = TL_FRAME_EVENTS, EVENTS_OF_BYTE = 16, INDEX_VERSION = 1 };

/* ---- reading ---- */

static const tl_extra_ref *find(const tl_reader *r, uint32_t rank)
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
    out->in_region = tl_get_varint(&own) != 0;
    out->level = (int32_t)tl_unzigzag(tl_get_varint(&own));
    out->levels = own.p;
    in->p += size;
    return !own.bad;
}

static bool skip_pairs(tl_input *in, tl_input *pairs, uint64_t *n)
{
    *n = tl_get_varint(in);
    pairs->p = in->p;
    for (uint64_t i = 0; i < *n && !in->bad; i++) {
        tl_get_varint(in);
        tl_get_varint(in);
    }
    pairs->end = in->p;
    return !in->bad;
}

/* False: it is another version's, of another trace, or breaks the format. */
static tl_status parse(const tl_reader *r, tl_index *x, bool *ok)
{
    tl_input in = {.p = x->raw.data, .end = x->raw.data + x->raw.size};
    *ok = tl_get_varint(&in) == INDEX_VERSION && in.end - in.p >= 8 &&
          tl_load64(in.p) == r->header.seed;
    if (!*ok)
        return TL_OK;
    in.p += 8;
    *ok = skip_pairs(&in, &x->counts, &x->n_calls) && skip_pairs(&in, &x->users, &x->n_users);
    x->clock_ns = tl_get_varint(&in);
    x->n_sections = tl_get_varint(&in);
    const uint64_t n = tl_get_varint(&in);
    *ok = *ok && !in.bad && n <= (size_t)(in.end - in.p);
    if (!*ok)
        return TL_OK;
    x->places = malloc((size_t)(n + 1) * sizeof *x->places);
    if (!x->places)
        return TL_ERR_MEMORY;
    for (; *ok && x->n_places < n; x->n_places++)
        *ok = read_place(&in, &x->places[x->n_places]) &&
              (!x->n_places || x->places[x->n_places - 1].number < x->places[x->n_places].number);
    *ok = *ok && in.p == in.end;
    return TL_OK;
}

tl_status tl_index_open(const tl_reader *r, uint32_t rank, tl_index *out)
{
    *out = (tl_index){.n_places = 0};
    const tl_extra_ref *ref = find(r, rank);
    if (!ref)
        return TL_OK;
    uint64_t n_read = 0;
    bool ok = true;
    tl_inner inner;
    tl_status status = tl_payload_read(r, ref->payload.offset, &out->raw, &n_read);
    if (!status && ref->payload.in_block) {
        if (!tl_block_find(out->raw.data, out->raw.size, ref->payload.index, &inner)) {
            status = TL_ERR_CORRUPT;
        } else {
            out->raw.size = (size_t)(inner.payload.end - inner.payload.p);
            memmove(out->raw.data, inner.payload.p, out->raw.size);
        }
    }
    if (!status)
        status = parse(r, out, &ok);
    if (status || !ok)
        tl_index_close(out);
    return status;
}

void tl_index_close(tl_index *index)
{
    tl_buffer_free(&index->raw);
    free(index->places);
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
    uint64_t n_events = 0;
    bool ok = index.raw.data != NULL;
    out->users = ok ? calloc((size_t)index.n_users + 1, sizeof *out->users) : NULL;
    ok = out->users != NULL;
    for (uint64_t i = 0; ok && i < index.n_calls; i++) {
        const uint64_t code = tl_get_varint(&index.counts), n = tl_get_varint(&index.counts);
        ok = code < TL_CALL_LIMIT;
        if (ok)
            out->calls[code] = n;
        n_events += n;
    }
    for (; ok && out->n_users < index.n_users; out->n_users++) {
        out->users[out->n_users].id = (uint32_t)tl_get_varint(&index.users);
        out->users[out->n_users].n = tl_get_varint(&index.users);
    }
    out->n_events = n_events;
    out->clock_ns = index.clock_ns;
    tl_index_close(&index);
    const tl_part *part = tl_reader_part(r, rank);
    ok = ok && !part->damage && part->summary.n_events == n_events;
    if (!ok)
        tl_call_counts_free(out);
    return ok;
}

void tl_call_counts_free(tl_call_counts *counts)
{
    free(counts->users);
    *counts = (tl_call_counts){.n_events = 0};
}

/* ---- making ---- */

tl_status tl_indexer_begin(tl_indexer *x, tl_reader *r, uint32_t rank, tl_error *err)
{
    *x = (tl_indexer){.next = PLACE_EVENTS};
    x->balance = (tl_balance){.r = r, .is_summed = true};
    x->past = (tl_past){.r = r, .rank = rank, .account = TL_BEFORE};
    return tl_balance_begin_rank(&x->balance, rank, err);
}

static tl_status add_place(tl_indexer *x)
{
    tl_buffer state = {0};
    tl_status status = tl_past_save(&x->past, x->number, &state);
    if (!status && !tl_buffer_reserve(&x->places, state.size + TL_VARINT_MAX_BYTES))
        status = TL_ERR_MEMORY;
    if (!status) {
        tl_buffer_put_varint(&x->places, state.size);
        memcpy(x->places.data + x->places.size, state.data, state.size);
        x->places.size += state.size;
        x->n_places++;
        const uint64_t fair = EVENTS_OF_BYTE * (uint64_t)state.size;
        x->next = x->number + (fair > PLACE_EVENTS ? fair : PLACE_EVENTS);
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
    if (x->places.size)
        memcpy(out->data + out->size, x->places.data, x->places.size);
    out->size += x->places.size;
    return TL_OK;
}

void tl_indexer_free(tl_indexer *x)
{
    tl_past_free(&x->past);
    tl_balance_free(&x->balance);
    tl_map_free(&x->users);
    tl_buffer_free(&x->places);
}
