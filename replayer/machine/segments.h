/* segments.h - values that depend on the size of a message, in the notation of SMPI's options:
 * "BYTES:VALUE;..." for factors, "BYTES:SECONDS:SECONDS_PER_BYTE;..." for overheads. */
#ifndef TLR_MACHINE_SEGMENTS_H
#define TLR_MACHINE_SEGMENTS_H

#include "timeless.h"

enum { TLR_MAX_SEGMENTS = 64 };

typedef enum tlr_segment_values { TLR_FACTORS, TLR_OVERHEADS } tlr_segment_values;

/* The segments in ascending order of their bytes. */
typedef struct tlr_segments {
    unsigned n;
    double from_bytes[TLR_MAX_SEGMENTS], value[TLR_MAX_SEGMENTS];
    double per_byte[TLR_MAX_SEGMENTS]; /* of overheads; else 0 */
} tlr_segments;

/* Reads the text of an option; NULL and "" have no segments. As in SMPI, segments may have any
 * order, and an overhead whose values are not positive is 0. TL_ERR_INPUT: the text has another
 * form, more than TLR_MAX_SEGMENTS segments, or a negative value. */
tl_status tlr_segments_read(const char *option, const char *text, tlr_segment_values values,
                            tlr_segments *out, tl_error *err);

/* The last segment that begins below the size, as in SMPI; -1 if there is none. */
static inline int tlr_segment_at(const tlr_segments *s, double bytes)
{
    int found = -1;
    for (unsigned i = 0; i < s->n && s->from_bytes[i] < bytes; i++)
        found = (int)i;
    return found;
}

/* 1 if no segment begins below the size. */
static inline double tlr_factor_at(const tlr_segments *s, double bytes)
{
    const int i = tlr_segment_at(s, bytes);
    return i < 0 ? 1 : s->value[i];
}

/* The segment of an overhead: the first one if none begins below the size; -1: no segments. */
static inline int tlr_overhead_segment(const tlr_segments *s, double bytes)
{
    const int i = tlr_segment_at(s, bytes);
    return i < 0 && s->n ? 0 : i;
}

/* Seconds. */
static inline double tlr_overhead_s(const tlr_segments *s, double bytes)
{
    const int i = tlr_overhead_segment(s, bytes);
    return i < 0 ? 0 : s->value[i] + s->per_byte[i] * bytes;
}

/* Raises overheads so that a longer message never has less than a shorter one. */
tl_status tlr_overheads_continue(const char *option, tlr_segments *s, tl_error *err);

/* smpi/bw-factor and smpi/lat-factor of platforms that do not state them: the defaults of SimGrid
 * 3.32, which its authors fitted to a cluster with Ethernet of 1 Gb/s. */
#define TLR_BANDWIDTH_FACTORS                                                                      \
    "0:0.812084;257:0.338112;732:0.341987;1426:0.608902;3484:0.77493;5776:1.08739;9376:0.58729;"   \
    "15424:0.697866;65472:0.940694"
#define TLR_LATENCY_FACTORS                                                                        \
    "0:2.01467;257:1.95341;732:1.9503;1426:1.61075;3484:1.88101;5776:2.18796;9376:2.59299;"        \
    "15424:3.48845;65472:11.6436"

#endif
