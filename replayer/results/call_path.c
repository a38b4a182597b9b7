/* call_path.c - from call sites to the functions on their paths. */
#include "config.h"

#include "call_path.h"

#include "timeless_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_site(const void *key, const void *element)
{
    const uint32_t id = *(const uint32_t *)key, other = ((const tl_site *)element)->id;
    return (id > other) - (id < other);
}

static const tl_site *find_site(const tl_reader *trace, uint32_t rank, uint32_t id)
{
    const tl_site *sites;
    const size_t n = tl_reader_sites(trace, rank, &sites);
    return n ? bsearch(&id, sites, n, sizeof *sites, compare_site) : NULL;
}

void tlr_call_path_at(const tl_reader *trace, uint32_t rank, uint32_t id, tlr_call_path *out)
{
    out->n = 0;
    out->until = NULL;
    for (int depth = 0; id && depth <= TL_MAX_CALLERS; depth++) {
        const tl_site *site = find_site(trace, rank, id);
        if (!site)
            break;
        for (uint32_t i = 0; i < site->n_sources && out->n < TLR_MAX_LEVELS; i++)
            out->levels[out->n++] = (tlr_level){&site->sources[i], site};
        if (!site->n_sources && out->n < TLR_MAX_LEVELS)
            out->levels[out->n++] = (tlr_level){NULL, site};
        id = site->caller;
    }
    for (size_t i = 0; i < out->n / 2; i++) {
        const tlr_level kept = out->levels[i];
        out->levels[i] = out->levels[out->n - 1 - i];
        out->levels[out->n - 1 - i] = kept;
    }
}

static bool is_same_function(const tlr_level *a, const tlr_level *b)
{
    if (!a->source || !b->source || !*a->source->function)
        return !a->source && !b->source && a->site->offset == b->site->offset &&
               !strcmp(a->site->object, b->site->object);
    return !strcmp(a->source->function, b->source->function);
}

static bool is_same_place(const tlr_level *a, const tlr_level *b)
{
    return is_same_function(a, b) && (!a->source || a->source->line == b->source->line);
}

/* Shortens `a` to the functions that both are in: they have been entered from the same lines. */
static void keep_common(tlr_call_path *a, const tlr_call_path *b)
{
    size_t n = 0;
    while (n < a->n && n < b->n && is_same_function(&a->levels[n], &b->levels[n])) {
        n++;
        if (!is_same_place(&a->levels[n - 1], &b->levels[n - 1]))
            break;
    }
    a->n = n;
}

void tlr_call_path_of(const tl_reader *trace, const tlr_state *state, tlr_call_path *out)
{
    tlr_call_path after;
    if (state->kind != TLR_STATE_COMPUTE || state->site) {
        tlr_call_path_at(trace, state->rank, state->site, out);
        return;
    }
    tlr_call_path_at(trace, state->rank, state->before ? state->before : state->after, out);
    tlr_call_path_at(trace, state->rank, state->after ? state->after : state->before, &after);
    keep_common(out, &after);
    if (out->n)
        out->until = after.levels[out->n - 1].source;
}

const char *tlr_region_at(const tlr_job *job, const tlr_state *state)
{
    tlr_call_path path;
    tlr_call_path_of(job->trace, state, &path);
    while (path.n-- > 0)
        for (size_t i = 0; i < job->n_regions_at && path.levels[path.n].source; i++)
            if (!strcmp(job->regions_at[i], path.levels[path.n].source->function))
                return job->regions_at[i];
    return "elsewhere";
}

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void cut_middle(const char *name, size_t width, char *text)
{
    static const char gap[] = "..";
    const size_t length = strlen(name);
    if (length <= width) {
        memcpy(text, name, length + 1);
        return;
    }
    size_t head = (width - (sizeof gap - 1)) / 2, tail = length - (width - (sizeof gap - 1) - head);
    while (head && is_inside_character(name[head]))
        head--;
    while (is_inside_character(name[tail]))
        tail++;
    memcpy(text, name, head);
    memcpy(text + head, gap, sizeof gap - 1);
    memcpy(text + head + sizeof gap - 1, name + tail, length - tail + 1);
}

/* The place after which computation ends, as in "compute sum < main .. max < main"; NULL: a call.
 */
static const char *place_after(const char *name)
{
    static const char until[] = " .. ", cut[] = " < .. ";
    for (const char *at = strstr(name, until); at; at = strstr(at + 1, until))
        if (at - name < 2 || strncmp(at - 2, cut, sizeof cut - 1) != 0)
            return at + sizeof until - 1;
    return NULL;
}

/* Both places lose their middle, the longer one first. */
static void cut_places(const char *name, const char *after, size_t width, char *text)
{
    char before[4096];
    size_t rest = strlen(after);
    snprintf(before, sizeof before, "%.*s", (int)(after - name), name);
    rest = rest < width / 2 ? rest : width / 2;
    cut_middle(before, width - rest, text);
    cut_middle(after, width - strlen(text), text + strlen(text));
}

static void shorten(const char *name, size_t width, char *text)
{
    static const char caller[] = " < ", rest[] = " < ..";
    const size_t length = strlen(name);
    if (width >= TLR_SHORT_NAME)
        width = TLR_SHORT_NAME - 1;
    if (length <= width) {
        memcpy(text, name, length + 1);
        return;
    }
    const char *after = place_after(name);
    if (after) {
        cut_places(name, after, width, text);
        return;
    }
    size_t kept = 0; /* up to a caller */
    for (const char *at = strstr(name, caller); at; at = strstr(at + 1, caller))
        if ((size_t)(at - name) + sizeof rest - 1 <= width)
            kept = (size_t)(at - name);
    if (kept) {
        memcpy(text, name, kept);
        memcpy(text + kept, rest, sizeof rest);
        return;
    }
    cut_middle(name, width, text);
}

static const char between[] = " < ";

/* Computation lies between two call paths, "compute f < g .. h < main". */
static bool is_between(const char *at)
{
    return !strncmp(at, between, sizeof between - 1) || !strncmp(at, " .. ", 4);
}

/* Where the part of a call path begins in which it first differs from another one; 0: they are
 * equal, or they differ in the call itself. */
static size_t first_difference(const char *name, const char *other)
{
    size_t at = 0, part = 0;
    for (; name[at] && name[at] == other[at]; at++)
        if (is_between(name + at))
            part = at;
    return name[at] == other[at] ? 0 : part;
}

void tlr_shorten_apart(const char *name, const char *const *names, size_t n, size_t width,
                       char *text)
{
    char other[TLR_SHORT_NAME];
    const char *caller = strstr(name, between);
    size_t part = 0;
    shorten(name, width, text);
    for (size_t i = 0; i < n && caller; i++) {
        shorten(names[i], width, other);
        const size_t at = strcmp(text, other) != 0 ? 0 : first_difference(name, names[i]);
        part = at > part ? at : part;
    }
    char apart[4096];
    if (!caller || part < (size_t)(caller - name) || strlen(name) + sizeof " < .." > sizeof apart)
        return;
    size_t length = 1;
    while (name[part + length] && !is_between(name + part + length))
        length++;
    const int used = snprintf(apart, sizeof apart, "%.*s%s", (int)(caller - name), name,
                              name + part > caller ? " < .." : "");
    snprintf(apart + used, sizeof apart - (size_t)used, "%s", name + part);
    width = width < TLR_SHORT_NAME ? width : TLR_SHORT_NAME - 1;
    shorten(apart, width, text);
    if (strlen(text) >= (size_t)used + length)
        return;
    apart[(size_t)used + length] = '\0'; /* the caller in which they differ has the room */
    cut_middle(apart, width, text);
}
