/* segments.c - reads values that depend on the size of a message. */
#include "config.h"

#include "machine/segments.h"

#include <math.h>
#include <stdlib.h>

typedef struct segment {
    double from_bytes, value, per_byte;
} segment;

static int compare(const void *a, const void *b)
{
    const double x = ((const segment *)a)->from_bytes, y = ((const segment *)b)->from_bytes;
    return x < y ? -1 : x > y;
}

/* Returns the end of the segment; NULL if its form is wrong. */
static const char *read_segment(const char *at, tlr_segment_values values, segment *out)
{
    char *end;
    *out = (segment){.from_bytes = strtod(at, &end)};
    if (end == at || *end != ':' || !(out->from_bytes >= 0))
        return NULL;
    at = end + 1;
    out->value = strtod(at, &end);
    if (values == TLR_OVERHEADS) {
        if (end == at || *end != ':')
            return NULL;
        at = end + 1;
        out->per_byte = strtod(at, &end);
    }
    const bool is_number = end != at && isfinite(out->value) && isfinite(out->per_byte);
    return is_number && (!*end || *end == ';') ? end : NULL;
}

tl_status tlr_segments_read(const char *option, const char *text, tlr_segment_values values,
                            tlr_segments *out, tl_error *err)
{
    segment all[TLR_MAX_SEGMENTS];
    unsigned n = 0;
    out->n = 0;
    for (const char *at = text ? text : ""; *at; at += *at == ';') {
        const char *end = n < TLR_MAX_SEGMENTS ? read_segment(at, values, &all[n]) : NULL;
        if (!end)
            return tl_fail(err, TL_ERR_INPUT,
                           "option %s: '%s' is not a list of %s, separated by ';' (at most %d); "
                           "correct the value",
                           option, text,
                           values == TLR_FACTORS ? "BYTES:FACTOR"
                                                 : "BYTES:SECONDS:SECONDS_PER_BYTE",
                           TLR_MAX_SEGMENTS);
        segment *s = &all[n++];
        if (values == TLR_OVERHEADS && s->value <= 0 && s->per_byte <= 0)
            s->value = s->per_byte = 0;
        if (s->value < 0 || s->per_byte < 0)
            return tl_fail(err, TL_ERR_INPUT,
                           "option %s: '%s' has a negative value from %.0f bytes on; write 0 where "
                           "there is no cost",
                           option, text, s->from_bytes);
        at = end;
    }
    qsort(all, n, sizeof *all, compare);
    for (out->n = 0; out->n < n; out->n++) {
        out->from_bytes[out->n] = all[out->n].from_bytes;
        out->value[out->n] = all[out->n].value;
        out->per_byte[out->n] = all[out->n].per_byte;
    }
    return TL_OK;
}

static int append(tlr_segments *s, double from_bytes, double value, double per_byte)
{
    if (s->n == TLR_MAX_SEGMENTS)
        return 0;
    s->from_bytes[s->n] = from_bytes;
    s->value[s->n] = value;
    s->per_byte[s->n++] = per_byte;
    return 1;
}

tl_status tlr_overheads_continue(const char *option, tlr_segments *s, tl_error *err)
{
    const tlr_segments old = *s;
    double most = 0; /* of shorter messages */
    int fits = 1;
    s->n = 0;
    for (unsigned i = 0; i < old.n; i++) {
        const double from = old.from_bytes[i], value = old.value[i], per_byte = old.per_byte[i],
                     to = i + 1 < old.n ? old.from_bytes[i + 1] : INFINITY,
                     rises_at = per_byte > 0 ? (most - value) / per_byte : INFINITY;
        if (value + per_byte * from < most)
            fits &= append(s, from, most, 0);
        if (value + per_byte * from >= most)
            fits &= append(s, from, value, per_byte);
        else if (rises_at < to)
            fits &= append(s, rises_at, value, per_byte);
        if (to < INFINITY)
            most = fmax(most, value + per_byte * to);
    }
    return fits ? TL_OK
                : tl_fail(err, TL_ERR_INPUT, "option %s: more than %d segments; give fewer", option,
                          TLR_MAX_SEGMENTS);
}
