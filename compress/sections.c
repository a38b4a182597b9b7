/* sections.c - the beginning and end of the sections and regions of a run on each rank. */
#include "core/error.h"
#include "index.h"

#include <inttypes.h>

void tl_span_free(tl_span *span)
{
    if (!span)
        return;
    free(span->first);
    free(span->past);
    *span = (tl_span){0};
}

static tl_status span_alloc(const tl_reader *r, tl_span *out, tl_error *err)
{
    uint32_t n = r->header.run.n_ranks;
    *out = (tl_span){
        .n_ranks = n, .first = calloc(n, sizeof *out->first), .past = calloc(n, sizeof *out->past)};
    if (out->first && out->past)
        return TL_OK;
    tl_span_free(out);
    return tl_no_memory(err, r->path);
}

static bool has_clock(const tl_event *e)
{
    return tl_call_by_code(e->call)->traits & TL_TRAIT_MARK;
}

/* ---- the list ---- */

typedef struct section_list {
    tl_section *items;
    size_t n, capacity;
} section_list;

static bool add_section(section_list *list)
{
    if (!tl_make_room(&list->items, list->n, &list->capacity, sizeof *list->items))
        return false;
    list->items[list->n++] = (tl_section){0};
    return true;
}

static void close_section(tl_section *s, uint64_t n_events, uint64_t begin_ns, uint64_t end_ns)
{
    s->n_events += n_events;
    if (end_ns > begin_ns && end_ns - begin_ns > s->clock_ns)
        s->clock_ns = end_ns - begin_ns;
}

/* Adds one rank's part of each section. Rank 0 makes the list; a rank that ends earlier shortens
 * it. */
static tl_status add_rank(tl_reader *r, uint32_t rank, section_list *list, tl_error *err)
{
    tl_cursor *c;
    TL_TRY(tl_cursor_open(r, rank, &c, err));
    tl_status status = TL_OK;
    size_t i = 0;
    uint64_t begin = 0, begin_ns = 0, clock_ns = 0;
    bool begin_unknown = false; /* the opening call has no clock: count from the next that has */
    tl_event e;
    if (rank == 0 && !add_section(list))
        status = tl_no_memory(err, r->path);
    while (!status && (status = tl_cursor_next(c, &e)) == TL_OK) {
        uint64_t number = tl_cursor_position(c) - 1;
        if (has_clock(&e)) {
            clock_ns = e.clock_ns;
            if (begin_unknown)
                begin_ns = clock_ns;
            begin_unknown = false;
        }
        if (!tl_opens_section(r, rank, &e))
            continue;
        close_section(&list->items[i], number - begin, begin_ns, clock_ns);
        begin = number;
        begin_ns = clock_ns;
        begin_unknown = !has_clock(&e);
        if (rank == 0) {
            if (!add_section(list)) {
                status = tl_no_memory(err, r->path);
                break;
            }
            list->items[i + 1].call = e.call;
            list->items[i + 1].site = e.site;
            list->items[i + 1].first_event = number;
        }
        if (++i == list->n) /* rank 0 ended earlier */
            break;
    }
    /* Damage that was found when the trace was opened ends the list like the end of the run. */
    if ((status == TL_ERR_CORRUPT || status == TL_ERR_TRUNCATED) && tl_reader_n_damages(r))
        status = TL_END;
    if (status == TL_END) {
        close_section(&list->items[i], tl_cursor_position(c) - begin, begin_ns, clock_ns);
        list->n = i + 1;
        status = TL_OK;
    }
    status = tl_cursor_end(c, status, err);
    tl_cursor_close(c);
    return status;
}

tl_status tl_sections_list(tl_reader *r, tl_section **out, size_t *n, tl_error *err)
{
    section_list list = {0};
    for (uint32_t rank = 0; rank < r->header.run.n_ranks; rank++) {
        tl_status status = add_rank(r, rank, &list, err);
        if (status) {
            free(list.items);
            return status;
        }
    }
    *out = list.items;
    *n = list.n;
    return TL_OK;
}

tl_status tl_sections_count(tl_reader *r, size_t *n, tl_error *err)
{
    uint64_t least = UINT64_MAX;
    bool known = r->header.run.n_ranks > 0;
    for (uint32_t rank = 0; known && rank < r->header.run.n_ranks; rank++) {
        tl_index index;
        known = tl_index_open(r, rank, &index) == TL_OK && index.raw.data;
        if (known && index.n_sections < least)
            least = index.n_sections;
        if (known)
            tl_index_close(&index);
    }
    if (known) {
        *n = (size_t)least + 1;
        return TL_OK;
    }
    tl_section *sections;
    tl_status status = tl_sections_list(r, &sections, n, err);
    if (!status)
        free(sections);
    return status;
}

/* ---- spans ---- */

/* Finds the beginning and end of a rank's span. A step is called for every event that is not
 * skipped, and sets first, past and done. */
typedef struct search {
    tl_reader *r;
    uint32_t rank;
    size_t a, b; /* sections: first and last wanted; regions: the nth wanted */
    size_t seen; /* sections opened, or regions of this level begun */
    int level;
    bool inside, found, done;
    uint64_t first, past;
} search;

typedef struct search_kind {
    void (*step)(search *s, uint64_t number, const tl_event *e);
    /* Whether what is searched for next lies behind this place; sets the state there. */
    bool (*is_behind)(search *s, const tl_index_place *place);
} search_kind;

/* Continues at the last place of the index that is before what is searched for next. */
static tl_status skip_events(search *s, const search_kind *kind, const tl_index *index,
                             tl_cursor *c)
{
    for (size_t i = index->n_places; i-- > 0;) {
        const tl_index_place *place = &index->places[i];
        if (place->number <= tl_cursor_position(c))
            return TL_OK;
        if (kind->is_behind(s, place))
            return tl_cursor_seek(c, place->number);
    }
    return TL_OK;
}

static tl_status search_rank(search *s, const search_kind *kind, tl_error *err)
{
    tl_cursor *c;
    tl_index index;
    TL_TRY(tl_cursor_open(s->r, s->rank, &c, err));
    if (tl_index_open(s->r, s->rank, &index) != TL_OK)
        index = (tl_index){.n_places = 0};
    tl_event e;
    tl_status status = skip_events(s, kind, &index, c);
    while (!status && !s->done && (status = tl_cursor_next(c, &e)) == TL_OK) {
        const bool was_found = s->found;
        kind->step(s, tl_cursor_position(c) - 1, &e);
        if (s->found && !was_found && !s->done)
            status = skip_events(s, kind, &index, c);
    }
    if (status == TL_END)
        s->past = tl_cursor_position(c);
    status = tl_cursor_end(c, status, err);
    tl_index_close(&index);
    tl_cursor_close(c);
    return status;
}

/* From the collective that opens the first section to the one that closes the last section, both
 * included. The computation before the closing collective belongs to the section. */
static void section_step(search *s, uint64_t number, const tl_event *e)
{
    if (!tl_opens_section(s->r, s->rank, e))
        return;
    s->seen++;
    if (s->seen == s->a) {
        s->first = number;
        s->found = true;
    }
    if (s->seen == s->b + 1) {
        s->past = number + 1;
        s->done = true;
    }
}

static bool section_is_behind(search *s, const tl_index_place *place)
{
    if (place->n_sections >= (s->found ? s->b + 1 : s->a))
        return false;
    s->seen = (size_t)place->n_sections;
    return true;
}

static void region_step(search *s, uint64_t number, const tl_event *e)
{
    if (e->call != TL_MPI_Pcontrol)
        return;
    if (!s->inside && e->tag == s->level) {
        s->inside = true;
        if (s->seen++ == s->a) {
            s->first = number;
            s->found = true;
        }
    } else if (s->inside && e->tag != s->level) {
        s->inside = false;
        if (s->found) {
            s->past = number + 1;
            s->done = true;
        }
    }
}

/* The end of a region is behind a place if the region is still open there. */
static bool region_is_behind(search *s, const tl_index_place *place)
{
    const uint64_t n = tl_place_regions(place, s->level);
    const bool inside = place->in_region && place->level == s->level;
    if (s->found ? n != s->seen || !inside : n > s->a)
        return false;
    s->seen = (size_t)n;
    s->inside = inside;
    return true;
}

static tl_status search_all(const search *wanted, const search_kind *kind, tl_span *out,
                            tl_error *err)
{
    tl_reader *r = wanted->r;
    TL_TRY(span_alloc(r, out, err));
    tl_status status = TL_OK;
    for (uint32_t rank = 0; !status && rank < out->n_ranks; rank++) {
        search s = *wanted;
        s.rank = rank;
        status = search_rank(&s, kind, err);
        if (!status && !s.found)
            status = tl_fail(err, TL_ERR_USAGE,
                             "%s: rank %" PRIu32 " has no such part; 'timeless info --sections' "
                             "lists the sections, 'timeless dump' prints MPI_Pcontrol",
                             r->path, rank);
        out->first[rank] = s.first;
        out->past[rank] = s.past;
    }
    if (status)
        tl_span_free(out);
    return status;
}

tl_status tl_span_of_sections(tl_reader *r, size_t first, size_t last, tl_span *out, tl_error *err)
{
    if (first > last)
        return tl_fail(err, TL_ERR_USAGE, "sections %zu:%zu: the first comes after the last", first,
                       last);
    search wanted = {.r = r, .a = first, .b = last, .found = first == 0};
    static const search_kind kind = {section_step, section_is_behind};
    return search_all(&wanted, &kind, out, err);
}

tl_status tl_span_of_region(tl_reader *r, int level, unsigned nth, tl_span *out, tl_error *err)
{
    search wanted = {.r = r, .a = nth, .level = level};
    static const search_kind kind = {region_step, region_is_behind};
    return search_all(&wanted, &kind, out, err);
}

tl_status tl_span_of_events(tl_reader *r, uint64_t first, uint64_t past, tl_span *out,
                            tl_error *err)
{
    if (first >= past)
        return tl_fail(err, TL_ERR_USAGE, "events %" PRIu64 ":%" PRIu64 " are none", first, past);
    TL_TRY(span_alloc(r, out, err));
    for (uint32_t rank = 0; rank < out->n_ranks; rank++) {
        tl_rank_summary s = {0};
        tl_reader_rank(r, rank, &s);
        out->first[rank] = first < s.n_events ? first : s.n_events;
        out->past[rank] = past < s.n_events ? past : s.n_events;
    }
    return TL_OK;
}
