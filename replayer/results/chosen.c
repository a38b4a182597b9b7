/* chosen.c - which states a timeline keeps. */
#include "config.h"

#include "chosen.h"

#include "machine/duration.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static int read_number(const char **text, uint32_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return 0;
    const unsigned long long number = strtoull(*text, &end, 10);
    if (number > INT32_MAX)
        return 0;
    *text = end;
    *out = (uint32_t)number;
    return 1;
}

/* "0-15,100"; 0 if it is no such list. Ranks that the run does not have are counted alone. */
static int read_ranks(const char **text, tlr_chosen *out, uint32_t *last_rank)
{
    do {
        uint32_t first, last;
        if (!read_number(text, &first))
            return 0;
        last = first;
        if (**text == '-' && (++*text, !read_number(text, &last)))
            return 0;
        if (last < first)
            return 0;
        *last_rank = last > *last_rank ? last : *last_rank;
        for (uint32_t r = first; r <= last && r < out->n_ranks; r++)
            out->is_rank[r] = 1;
    } while (**text == ',' && ++*text);
    return 1;
}

/* "1s:2.5s" */
static int read_time(const char *text, tlr_chosen *out)
{
    const double s_per_ps = 1e-12;
    out->from_s = tlr_parse_ps(text, &text) * s_per_ps;
    if (isnan(out->from_s) || *text != ':')
        return 0;
    out->to_s = tlr_parse_ps(text + 1, &text) * s_per_ps;
    return !*text && out->to_s >= out->from_s;
}

tl_status tlr_chosen_read(const char *text, uint32_t n_ranks, tlr_chosen **out, tl_error *err)
{
    tlr_chosen *c = calloc(1, sizeof *c);
    if (!c)
        return tl_no_memory(err, "timeline");
    *c = (tlr_chosen){.text = strdup(text),
                      .n_ranks = n_ranks,
                      .is_rank = calloc(n_ranks, 1),
                      .to_s = INFINITY,
                      .rest = calloc(UINT16_MAX + 1, sizeof *c->rest),
                      .wait_s = calloc(n_ranks, sizeof *c->wait_s)};
    *out = c;
    if (!c->text || !c->is_rank || !c->rest || !c->wait_s)
        return tl_no_memory(err, "timeline");
    const char *at = text;
    uint32_t last = 0;
    if (!read_ranks(&at, c, &last) || (*at && (*at != '@' || !read_time(at + 1, c))))
        return tl_fail(err, TL_ERR_USAGE,
                       "--details '%s': give ranks, and perhaps a time, as 0-15,100@1s:2.5s",
                       tl_printable(text));
    if (last >= n_ranks)
        return tl_fail(err, TL_ERR_USAGE,
                       "--details '%s': there is no rank %" PRIu32 " among %" PRIu32
                       "; give ranks below that",
                       tl_printable(text), last, n_ranks);
    return TL_OK;
}

void tlr_chosen_free(tlr_chosen *chosen)
{
    if (!chosen)
        return;
    free(chosen->text);
    free(chosen->is_rank);
    free(chosen->rest);
    free(chosen->wait_s);
    free(chosen);
}

int tlr_chosen_keeps(tlr_chosen *c, const tlr_state *s)
{
    if (c->is_rank[s->rank] && s->end_s >= c->from_s && s->begin_s <= c->to_s)
        return 1;
    if (s->kind == TLR_STATE_MESSAGE)
        return 0;
    tlr_rest *rest = &c->rest[s->call];
    rest->count++;
    rest->time_s += s->end_s - s->begin_s;
    rest->wait_s[s->wait] += s->wait_s;
    rest->bytes += s->bytes;
    c->wait_s[s->rank][s->wait] += s->wait_s;
    return 0;
}

void tlr_chosen_end(tlr_chosen *chosen, double end_s, const tlr_walked *walked)
{
    if (end_s < chosen->end_s)
        return;
    chosen->end_s = end_s;
    chosen->walked = *walked;
}
