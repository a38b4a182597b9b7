/* cpu_repetitions.c - the durations of consecutive bursts of a class. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

#include <timeless_source.h>

/* The number of classes, and the number of bursts of a rank in each of them. */
enum { MAX_TOLD = 12, MAX_BURSTS = 20000, N_SLOTS = 1 << 12, SITE_BYTES = 1024 };

/* The class of a pair of a rank's call sites. A pair that finds no place in the cache is looked up
 * each time. */
typedef struct slot {
    int is_used, place; /* of the class among those told; -1: another */
    uint32_t from, to;
} slot;

typedef struct told {
    size_t n;
    const tlp_burst_class *classes[MAX_TOLD];
    size_t counts[MAX_TOLD]; /* of the rank */
    slot slots[N_SLOTS];
} told;

/* The classes that take most time, the longest first. */
static void choose_classes(const tlp_burst_rates *rates, told *t)
{
    for (size_t i = 0; i < rates->n; i++) {
        const tlp_burst_class *next = &rates->classes[i];
        if (t->n == MAX_TOLD && next->seconds <= t->classes[MAX_TOLD - 1]->seconds)
            continue;
        size_t at = t->n < MAX_TOLD ? t->n++ : MAX_TOLD - 1;
        for (; at > 0 && t->classes[at - 1]->seconds < next->seconds; at--)
            t->classes[at] = t->classes[at - 1];
        t->classes[at] = next;
    }
}

/* "exchange (halo.c:66) .. main (main.c:12)": the innermost functions. */
static void name_place(tl_reader *timed, uint32_t rank, uint32_t from, uint32_t to, char *place,
                       size_t size)
{
    char from_name[SITE_BYTES], to_name[SITE_BYTES];
    tl_site_name(timed, rank, from, from_name, sizeof from_name);
    tl_site_name(timed, rank, to, to_name, sizeof to_name);
    char *from_caller = strstr(from_name, " < "), *to_caller = strstr(to_name, " < ");
    if (from_caller)
        *from_caller = '\0';
    if (to_caller)
        *to_caller = '\0';
    if (strchr(from_name, '(') || strchr(to_name, '('))
        snprintf(place, size, "%.120s .. %.120s", from_name, to_name);
}

static int find_class(tl_reader *timed, uint32_t rank, uint32_t from, uint32_t to, told *t,
                      tlp_repetitions *classes)
{
    slot *s = &t->slots[(from * 31 + to) % N_SLOTS];
    if (s->is_used && s->from == from && s->to == to)
        return s->place;
    char from_text[SITE_BYTES], to_text[SITE_BYTES];
    tl_site_text(timed, rank, from, from_text, sizeof from_text);
    tl_site_text(timed, rank, to, to_text, sizeof to_text);
    *s = (slot){1, -1, from, to};
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->classes[i]->from, from_text) && !strcmp(t->classes[i]->to, to_text))
            s->place = (int)i;
    if (s->place >= 0 && !classes[s->place].place[0])
        name_place(timed, rank, from, to, classes[s->place].place, sizeof classes->place);
    return s->place;
}

static tl_status read_rank(tl_reader *timed, uint32_t rank, told *t, tlp_repetition_list *out,
                           size_t first, tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    uint32_t from = 0;
    memset(t->slots, 0, sizeof t->slots);
    memset(t->counts, 0, sizeof t->counts);
    tl_status status = tl_cursor_open(timed, rank, &cursor, err);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK) {
        const int place =
            event.volume ? find_class(timed, rank, from, event.site, t, &out->items[first]) : -1;
        if (place >= 0 && t->counts[place]++ < MAX_BURSTS &&
            tlp_add_repetition(&out->items[first + (size_t)place], rank,
                               1e-9 * (double)event.volume) != TL_OK) {
            tl_cursor_close(cursor);
            return tl_no_memory(err, "bursts");
        }
        from = event.site;
    }
    if (status != TL_END && status != TL_OK && cursor && err)
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

tl_status tlp_burst_repetitions(tl_reader *timed, const tlp_burst_rates *rates,
                                tlp_repetition_list *out, tl_error *err)
{
    told *t = calloc(1, sizeof *t);
    const size_t first = out->n;
    tl_status status = t ? TL_OK : TL_ERR_MEMORY;
    if (t)
        choose_classes(rates, t);
    for (size_t i = 0; status == TL_OK && i < t->n; i++) {
        char name[96];
        snprintf(name, sizeof name, "%.44s .. %.44s", t->classes[i]->from, t->classes[i]->to);
        if (!tlp_begin_repetitions(out, name, "s"))
            status = TL_ERR_MEMORY;
    }
    if (status != TL_OK)
        tl_error_set(err, status, "out of memory for the bursts");
    for (uint32_t r = 0; r < tl_reader_run(timed)->n_ranks && status == TL_OK; r++)
        status = read_rank(timed, r, t, out, first, err);
    free(t);
    return status;
}
