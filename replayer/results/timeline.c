/* timeline.c - the file that holds the states of a replay. */
#include "config.h"

#include "timeline.h"

#include "chosen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <timeless_files.h>
#include <unistd.h>

struct tlr_timeline {
    FILE *file;
    tlr_chosen *chosen; /* NULL: all states */
    void *mapped;
    size_t mapped_bytes;
};

/* A file without a name. */
static tl_status open_file(FILE **out, tl_error *err)
{
    char *path;
    int fd;
    TL_TRY(tl_temporary_file("timeline", &path, &fd, err));
    unlink(path);
    free(path);
    *out = fdopen(fd, "w+b");
    if (*out)
        return TL_OK;
    close(fd);
    return tl_no_memory(err, "timeline");
}

tl_status tlr_timeline_create(tlr_timeline **out, tl_error *err)
{
    tlr_timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline)
        return tl_no_memory(err, "timeline");
    const tl_status status = open_file(&timeline->file, err);
    if (status == TL_OK)
        *out = timeline;
    else
        free(timeline);
    return status;
}

static void forget_mapping(tlr_timeline *timeline)
{
    if (timeline->mapped)
        munmap(timeline->mapped, timeline->mapped_bytes);
    timeline->mapped = NULL;
}

void tlr_timeline_free(tlr_timeline *timeline)
{
    if (!timeline)
        return;
    forget_mapping(timeline);
    fclose(timeline->file);
    tlr_chosen_free(timeline->chosen);
    free(timeline);
}

void tlr_timeline_choose(tlr_timeline *timeline, tlr_chosen *chosen)
{
    timeline->chosen = chosen;
}

tlr_chosen *tlr_timeline_chosen(const tlr_timeline *timeline)
{
    return timeline->chosen;
}

void tlr_timeline_put(tlr_timeline *timeline, const tlr_state *state)
{
    if (!timeline->chosen || tlr_chosen_keeps(timeline->chosen, state))
        fwrite(state, sizeof *state, 1, timeline->file);
}

int tlr_timeline_restart(tlr_timeline *timeline)
{
    rewind(timeline->file);
    return !ftruncate(fileno(timeline->file), 0);
}

tl_status tlr_timeline_finish(tlr_timeline *timeline, tl_error *err)
{
    const int failed = fflush(timeline->file) == EOF;
    if (failed || ferror(timeline->file))
        return tl_fail(err, TL_ERR_SYSTEM,
                       "the timeline cannot be written: %s; set TMPDIR to a folder with room",
                       strerror(errno));
    return TL_OK;
}

tl_status tlr_timeline_read(tlr_timeline *timeline, const tlr_state **out, size_t *n, tl_error *err)
{
    const off_t bytes = lseek(fileno(timeline->file), 0, SEEK_END);
    *out = NULL;
    *n = bytes > 0 ? (size_t)bytes / sizeof **out : 0;
    if (*n && !timeline->mapped) {
        void *mapped = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fileno(timeline->file), 0);
        if (mapped == MAP_FAILED)
            return tl_fail(err, TL_ERR_SYSTEM, "the timeline cannot be read: %s", strerror(errno));
        timeline->mapped = mapped;
        timeline->mapped_bytes = (size_t)bytes;
    }
    *out = timeline->mapped;
    return TL_OK;
}

/* A state in the file. */
typedef struct place {
    double end_s;
    size_t index;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->end_s != y->end_s)
        return x->end_s < y->end_s ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

tl_status tlr_timeline_sort(tlr_timeline *timeline, tl_error *err)
{
    const tlr_state *states;
    size_t n;
    tlr_timeline sorted = {0};
    tl_status status = tlr_timeline_read(timeline, &states, &n, err);
    if (status != TL_OK || (status = open_file(&sorted.file, err)) != TL_OK)
        return status;
    place *places = malloc((n + 1) * sizeof *places);
    for (size_t i = 0; places && i < n; i++)
        places[i] = (place){states[i].end_s, i};
    if (!places) {
        fclose(sorted.file);
        return tl_no_memory(err, "timeline");
    }
    qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 0; i < n; i++)
        tlr_timeline_put(&sorted, &states[places[i].index]);
    free(places);
    forget_mapping(timeline);
    fclose(timeline->file);
    timeline->file = sorted.file;
    return tlr_timeline_finish(timeline, err);
}

/* The states by their kind, then the kinds of waiting, and more. */
static const struct {
    const char *id, *name, *colour;
} looks[] = {
#define STATE(kind, id, name, light, dark) [TLR_STATE_##kind] = {id, name, "#" light},
#define LOOK(id, name, light, dark) {id, name, "#" light},
#include "looks.def"
};

const char *tlr_state_kind_name(unsigned kind)
{
    return kind < TLR_N_STATES ? looks[kind].id : "?";
}

const char *tlr_state_label(unsigned kind)
{
    return looks[kind].name;
}

const char *tlr_state_colour(unsigned kind)
{
    return looks[kind].colour;
}

const char *tlr_wait_name(unsigned wait)
{
    if (wait == TLR_WAIT_NONE)
        return "";
    return wait < TLR_N_WAITS ? looks[TLR_N_STATES + wait - TLR_WAIT_LATE_SENDER].name : "?";
}

const char *tlr_state_name(const tlr_state *state, const tl_reader *trace)
{
    if (!state->call)
        return "compute";
    const char *name = NULL;
    if (state->call == TL_KERNEL_user) {
        const tl_event event = {.call = state->call, .tag = state->tag};
        name = tl_reader_kernel_name(trace, state->rank, &event);
    }
    const tl_call_info *info = tl_call_by_code(state->call);
    return name ? name : info ? info->name : "?";
}

static const char between[] = " < ";

static char *last_caller(char *path)
{
    char *last = NULL;
    for (char *at = strstr(path, between); at; at = strstr(at + 1, between))
        last = at;
    return last;
}

/* Leaves of a path the call and one caller: the first, or the outermost. */
static void keep_caller(char *path, char *caller)
{
    char *first = strstr(path, between);
    if (!caller)
        return;
    if (caller != first)
        memmove(first, caller, strlen(caller) + 1);
    caller = strstr(first + 1, between);
    if (caller)
        *caller = '\0';
}

static bool is_same_call(const char *x, const char *y)
{
    const char *end = strstr(x, between);
    return end && !strncmp(x, y, (size_t)(end - x) + strlen(between));
}

/* Names computation by the calls before and after it, and by the callers in which their paths part;
 * by these callers alone if both are the same call, in a wrapper. */
static void name_between(char *before, char *after)
{
    char *x, *y;
    if (!strcmp(before, after)) {
        keep_caller(before, strstr(before, between));
        keep_caller(after, strstr(after, between));
        return;
    }
    while ((x = last_caller(before)) && (y = last_caller(after)) && !strcmp(x, y))
        *x = *y = '\0';
    keep_caller(before, last_caller(before));
    keep_caller(after, last_caller(after));
    if (!is_same_call(before, after))
        return;
    x = last_caller(before) + strlen(between);
    y = last_caller(after) + strlen(between);
    memmove(before, x, strlen(x) + 1);
    memmove(after, y, strlen(y) + 1);
}

void tlr_state_place(const tlr_state *state, const tl_reader *trace, char *text, size_t size)
{
    char site[TLR_SITE_BYTES];
    const char *name = tlr_state_name(state, trace);
    if (state->before || state->after) {
        char after[sizeof site];
        tl_site_name(trace, state->rank, state->before, site, sizeof site);
        tl_site_name(trace, state->rank, state->after, after, sizeof after);
        if (!state->before)
            strcpy(site, "(start)");
        name_between(site, after);
        snprintf(text, size, "%s %s .. %s", name, site, after);
        return;
    }
    if (!state->site) {
        snprintf(text, size, "%.300s", name);
        return;
    }
    tl_site_name(trace, state->rank, state->site, site, sizeof site);
    snprintf(text, size, "%s %s", name, site);
}
