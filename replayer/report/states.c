/* states.c - the states of the ranks as a page needs them: short, and quickly decoded. */
#include "config.h"

#include "states.h"

#include "results/details.h"
#include "results/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If there are more states than this, short consecutive states are shown as one. */
enum { MAX_STATES = 400000 };

typedef struct row {
    uint8_t *bytes;
    size_t n, room;
    uint64_t tick;                               /* where the last state ended */
    double begin_s, end_s, kind_s[TLR_N_STATES]; /* of the states that become one */
    uint32_t n_merged, kind;                     /* kind: of the last of them */
} row;

typedef struct report {
    const tl_reader *trace;
    uint64_t n_states;
    double tick_s, merge_s; /* states shorter than merge_s are merged */
    uint32_t n_rows;
    row *rows; /* by rank */
    json_t *names, *name_index, *sites, *site_index;
    int failed; /* no memory */
} report;

static void put_number(report *r, row *to, uint64_t value)
{
    if (to->n + 10 > to->room) {
        const size_t room = 2 * to->room + 256;
        uint8_t *bytes = realloc(to->bytes, room);
        if (!bytes) {
            r->failed = 1;
            return;
        }
        to->bytes = bytes;
        to->room = room;
    }
    for (; value > 127; value >>= 7)
        to->bytes[to->n++] = (uint8_t)(value | 128);
    to->bytes[to->n++] = (uint8_t)value;
}

/* The index of a text in the list. A new text is added to the list. */
static uint64_t place_of(report *r, json_t *list, json_t *index, const char *text, json_t *item)
{
    json_t *place = json_object_get(index, text);
    if (place) {
        json_decref(item);
        return (uint64_t)json_integer_value(place);
    }
    const size_t i = json_array_size(list);
    if (json_array_append_new(list, item) != 0 ||
        json_object_set_new_nocheck(index, text, json_integer((json_int_t)i)) != 0)
        r->failed = 1;
    return i;
}

static void put_state(report *r, row *to, const tlr_state *s, const char *name, const char *site)
{
    char key[400];
    snprintf(key, sizeof key, "%u %.380s", s->kind, name);
    const uint64_t begin = (uint64_t)llround(s->begin_s / r->tick_s);
    const uint64_t end = (uint64_t)llround(s->end_s / r->tick_s);
    put_number(r, to, begin > to->tick ? begin - to->tick : 0);
    put_number(r, to, end > begin ? end - begin : 0);
    put_number(r, to,
               place_of(r, r->names, r->name_index, key,
                        json_pack("[o, i]", tlr_json_text(name), (int)s->kind)));
    put_number(r, to, place_of(r, r->sites, r->site_index, site, tlr_json_text(site)));
    put_number(r, to, s->bytes > 0 ? (uint64_t)s->bytes : 0);
    put_number(r, to, s->peer >= 0 ? (uint64_t)s->peer + 1 : 0);
    to->tick = end;
}

static void end_merge(report *r, row *to, uint32_t rank)
{
    if (!to->n_merged)
        return;
    unsigned kind = to->kind; /* if none of them took any time */
    for (unsigned k = 0; k < TLR_N_STATES; k++)
        if (to->kind_s[k] > to->kind_s[kind])
            kind = k;
    char name[64];
    snprintf(name, sizeof name, "short states, %s most of the time", tlr_state_kind_name(kind));
    const tlr_state merged = {.begin_s = to->begin_s,
                              .end_s = to->end_s,
                              .rank = rank,
                              .peer = -1,
                              .kind = (uint8_t)kind};
    put_state(r, to, &merged, name, "");
    memset(to->kind_s, 0, sizeof to->kind_s);
    to->n_merged = 0;
}

static void add_state(report *r, const tlr_state *s)
{
    row *to = &r->rows[s->rank];
    const double took_s = s->end_s - s->begin_s;
    r->n_states++;
    if (took_s < r->merge_s) {
        if (!to->n_merged++)
            to->begin_s = s->begin_s;
        to->end_s = s->end_s;
        to->kind_s[s->kind] += took_s;
        to->kind = s->kind;
        if (to->end_s - to->begin_s >= r->merge_s)
            end_merge(r, to, s->rank);
        return;
    }
    char site[TLR_SITE_BYTES] = "";
    end_merge(r, to, s->rank);
    if (s->site)
        tl_site_name(r->trace, s->rank, s->site, site, sizeof site);
    put_state(r, to, s, tlr_state_name(s, r->trace), site);
}

static json_t *base64(const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(4 * (n / 3 + 1) + 1), *end = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < n; i += 3) {
        const uint32_t group = (uint32_t)bytes[i] << 16 |
                               (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (i + 2 < n ? bytes[i + 2] : 0);
        *end++ = digits[group >> 18];
        *end++ = digits[group >> 12 & 63];
        *end++ = i + 1 < n ? digits[group >> 6 & 63] : '=';
        *end++ = i + 2 < n ? digits[group & 63] : '=';
    }
    json_t *value = json_stringn(text, (size_t)(end - text));
    free(text);
    return value;
}

/* The segments of the critical path, in ticks. */
static json_t *path_json(report *r, const tlr_path *path)
{
    json_t *ranks = json_array(), *from = json_array(), *to = json_array();
    for (size_t i = 0; i < path->n_segments; i++) {
        const tlr_segment *s = &path->segments[i];
        if (json_array_append_new(ranks, json_integer(s->rank)) != 0 ||
            json_array_append_new(from, json_integer(llround(s->from_s / r->tick_s))) != 0 ||
            json_array_append_new(to, json_integer(llround(s->to_s / r->tick_s))) != 0)
            r->failed = 1;
    }
    return json_pack("{s:o, s:o, s:o, s:f}", "ranks", ranks, "from", from, "to", to, "left_out_s",
                     path->left_out_s);
}

static json_t *timeline_json(report *r, const tlr_path *path)
{
    json_t *rows = json_array(), *kinds = json_array();
    for (uint32_t rank = 0; rank < r->n_rows; rank++) {
        end_merge(r, &r->rows[rank], rank);
        if (json_array_append_new(rows, base64(r->rows[rank].bytes, r->rows[rank].n)) != 0)
            r->failed = 1;
    }
    for (unsigned k = 0; k < TLR_STATE_MESSAGE; k++)
        json_array_append_new(kinds, json_string(tlr_state_kind_name(k)));
    return json_pack("{s:o, s:f, s:f, s:I, s:O, s:O, s:o, s:o}", "path", path_json(r, path),
                     "tick_s", r->tick_s, "merge_s", r->merge_s, "n_states",
                     (json_int_t)r->n_states, "names", r->names, "sites", r->sites, "kinds", kinds,
                     "ranks", rows);
}

json_t *tlr_states_json(const tl_reader *trace, const tlr_prediction *p, const tlr_state *states,
                        size_t n)
{
    report r = {.trace = trace,
                .tick_s = p->makespan_s > 0 ? ldexp(p->makespan_s, -36) : 1,
                .merge_s = n > MAX_STATES ? p->makespan_s * p->n_ranks / MAX_STATES : 0,
                .n_rows = p->n_ranks,
                .rows = calloc(p->n_ranks + 1, sizeof *r.rows),
                .names = json_array(),
                .name_index = json_object(),
                .sites = json_array(),
                .site_index = json_object()};
    for (size_t i = 0; i < n && r.rows && !r.failed; i++)
        if (states[i].kind != TLR_STATE_MESSAGE)
            add_state(&r, &states[i]);
    json_t *json = r.rows ? timeline_json(&r, p->details->path) : NULL;
    if (r.failed) {
        json_decref(json);
        json = NULL;
    }
    for (uint32_t rank = 0; r.rows && rank < r.n_rows; rank++)
        free(r.rows[rank].bytes);
    free(r.rows);
    json_decref(r.names);
    json_decref(r.name_index);
    json_decref(r.sites);
    json_decref(r.site_index);
    return json;
}
