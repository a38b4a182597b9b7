/* poll_pieces.c - work that a program does in pieces while it polls, and whose rest it does at
 * once.
 *
 * A trace contains both forms: pieces in front of the block, and the rest behind it. They are the
 * same kernels in the same order, and each kernel differs in one size. */
#include "config.h"

#include "poll.h"

#include <string.h>

/* The only size in which two calls of a kernel differ; -1 if they differ in none, in several, or
 * otherwise. */
int smpi_differing_dimension(const tl_event *a, const tl_event *b)
{
    int found = -1;
    if (a->call != b->call || a->list_len != b->list_len || a->tag != b->tag)
        return -1;
    for (uint32_t i = 0; i < a->list_len; i++)
        if (a->list[i] != b->list[i]) {
            if (found >= 0)
                return -1;
            found = (int)i;
        }
    return found;
}

/* Whether a kernel is the first one again, except for one size. */
static int is_more_of(const tl_event *first, const tl_event *e, uint32_t dimension)
{
    const int differing = smpi_differing_dimension(first, e);
    if (differing >= 0)
        return (uint32_t)differing == dimension;
    return e->call == first->call && e->list_len == first->list_len &&
           memcmp(e->list, first->list, e->list_len * sizeof *e->list) == 0;
}

/* The size of the work at `at`; 0 if it is no work in pieces, or if is_more and it does not
 * continue the work at the beginning of the window. */
static int64_t extent(smpi_window *w, const smpi_sweep *s, size_t at, int is_more)
{
    int64_t n = 0;
    for (size_t i = 0; i < s->period; i++) {
        const smpi_waiting *item = smpi_peek(w, at + i);
        if (!item || item->event.call != s->call[i] || s->dimension[i] >= item->event.list_len)
            return 0;
        if (i == 0 && item->site != s->piece_site && item->site != s->rest_site)
            return 0;
        const tl_event *e = &item->event;
        if ((is_more && !is_more_of(&smpi_peek(w, i)->event, e, s->dimension[i])) ||
            (i && e->list[s->dimension[i]] != n))
            return 0;
        n = e->list[s->dimension[i]];
    }
    return n;
}

int smpi_merge_pieces(smpi_window *w)
{
    const smpi_waiting *item = smpi_peek(w, 0);
    const smpi_sweep *s = item ? smpi_polls_sweep(w->polls, item->site) : NULL;
    if (!s || !extent(w, s, 0, 0))
        return 0;
    size_t past = s->period;
    int64_t n;
    int is_rest = item->site == s->rest_site && s->rest_site != s->piece_site;
    while (!is_rest && (n = extent(w, s, past, 1)) > 0) {
        is_rest = smpi_peek(w, past)->site == s->rest_site && s->rest_site != s->piece_site;
        for (size_t i = 0; i < s->period; i++) {
            const smpi_waiting *piece = smpi_peek(w, past + i);
            tl_event *first = &smpi_peek(w, i)->event;
            ((int64_t *)first->list)[s->dimension[i]] += n;
            first->volume += piece->event.volume;
        }
        past += s->period;
    }
    smpi_drop(w, s->period, past - s->period);
    return 1;
}

size_t smpi_cut_piece(smpi_window *w)
{
    const smpi_waiting *item = smpi_peek(w, 0);
    const smpi_sweep *s = item ? smpi_polls_sweep(w->polls, item->site) : NULL;
    const int64_t n = s ? extent(w, s, 0, 0) : 0;
    if (n <= 0)
        return 0;
    if (n <= s->unit)
        return s->period;
    smpi_repeat(w, s->period);
    for (size_t i = 0; i < s->period; i++) {
        tl_event *piece = &smpi_peek(w, i)->event, *rest = &smpi_peek(w, s->period + i)->event;
        ((int64_t *)piece->list)[s->dimension[i]] = s->unit;
        ((int64_t *)rest->list)[s->dimension[i]] -= s->unit;
        rest->volume = 0;
        rest->polls = 0;
    }
    return s->period;
}
