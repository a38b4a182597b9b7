/* selection.c - which share of its time a run was recorded in full. */
#include "config.h"

#include "format.h"
#include "reader.h"
#include "timeless_files.h"

#include <inttypes.h>
#include <stdio.h>

/* The value of the counter that the tracer writes; false if the rank has none. */
static bool selected_ns(const tl_reader *r, uint32_t rank, uint64_t *out)
{
    const tl_counter *counters;
    const size_t n = tl_reader_counters(r, rank, &counters);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(counters[i].name, TL_COUNTER_SELECTED_NAME)) {
            *out = counters[i].value;
            return true;
        }
    return false;
}

/* The words of the selection in the origin, without the calls that are excluded. */
static void read_words(const char *origin, char *text, size_t size)
{
    static const char begin[] = "recorded in part: ", exclude[] = "exclude=";
    const char *at = strstr(origin, begin);
    size_t used = 0;
    if (size)
        *text = 0;
    for (at = at ? at + strlen(begin) : ""; *at && *at != ';'; at += *at == ' ') {
        const size_t length = strcspn(at, " ;");
        if (strncmp(at, exclude, strlen(exclude)) != 0) {
            const int n =
                snprintf(text + used, size - used, "%s%.*s", used ? " " : "", (int)length, at);
            used = n > 0 && used + (size_t)n < size ? used + (size_t)n : used;
        }
        at += length;
    }
}

/* False if a rank does not state what it recorded. */
static bool find_shares(const tl_reader *r, tl_recorded_share *out)
{
    double of_all_ns = 0, all_ns = 0;
    *out = (tl_recorded_share){.least = 1};
    for (uint32_t rank = 0; rank < r->header.run.n_ranks; rank++) {
        const tl_part *part = tl_reader_part(r, rank);
        uint64_t ns = 0;
        if (!part || !part->summary.clock_ns || !selected_ns(r, rank, &ns))
            return false;
        const double share = (double)ns / (double)part->summary.clock_ns;
        out->least = share < out->least ? share : out->least;
        out->most = share > out->most ? share : out->most;
        of_all_ns += (double)ns;
        all_ns += (double)part->summary.clock_ns;
    }
    out->all = all_ns > 0 ? of_all_ns / all_ns : 0;
    return all_ns > 0;
}

static bool is_whole(const tl_recorded_share *s)
{
    return s->least >= 1 - 1e-9;
}

int tl_reader_recorded(const tl_reader *r, tl_recorded_share *out)
{
    char words[512];
    read_words(r->header.run.origin, words, sizeof words);
    return *words && find_shares(r, out) && !is_whole(out);
}

size_t tl_reader_selection(const tl_reader *r, char *text, size_t size)
{
    char words[512];
    tl_recorded_share s;
    read_words(r->header.run.origin, words, sizeof words);
    if (size)
        *text = 0;
    if (!*words)
        return 0;
    if (!find_shares(r, &s))
        return (size_t)snprintf(text, size, "an unknown share of the time (%s)", words);
    if (is_whole(&s))
        return 0;
    return (size_t)snprintf(text, size, "%.3g %% of the time (%s), %.3g to %.3g %% on each rank",
                            100 * s.all, words, 100 * s.least, 100 * s.most);
}
