/* selection.c - which share of its time a run was recorded in full. */
#include "config.h"

#include "core/format.h"
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

/* The CPU time of threads whose computation is in no event; 0 if there is none. `names`: those of
 * the rank with the most. */
static uint64_t uncounted_ns(const tl_reader *r, const char **names, uint64_t *most_ns)
{
    static const char prefix[] = TL_COUNTER_UNCOUNTED_NAME;
    uint64_t sum_ns = 0;
    *most_ns = 0;
    for (uint32_t rank = 0; rank < r->header.run.n_ranks; rank++) {
        const tl_counter *counters;
        const size_t n = tl_reader_counters(r, rank, &counters);
        for (size_t i = 0; i < n; i++) {
            if (strncmp(counters[i].name, prefix, strlen(prefix)) != 0)
                continue;
            sum_ns += counters[i].value;
            if (counters[i].value > *most_ns) {
                *most_ns = counters[i].value;
                *names = counters[i].name + strlen(prefix);
            }
        }
    }
    return sum_ns;
}

uint64_t tl_reader_uncounted(const tl_reader *r)
{
    const char *names;
    uint64_t most_ns;
    return uncounted_ns(r, &names, &most_ns);
}

int tl_reader_recorded(const tl_reader *r, tl_recorded_share *out)
{
    char words[512];
    read_words(r->header.run.origin, words, sizeof words);
    return *words && find_shares(r, out) && !is_whole(out);
}

size_t tl_reader_selection(const tl_reader *r, char *text, size_t size)
{
    char words[512], part[640] = "all", missing[640] = "";
    const char *names = "";
    uint64_t most_ns;
    tl_recorded_share s;
    read_words(r->header.run.origin, words, sizeof words);
    const uint64_t ns = uncounted_ns(r, &names, &most_ns);
    if (*words && !find_shares(r, &s))
        snprintf(part, sizeof part, "an unknown share of the time (%s)", words);
    else if (*words && !is_whole(&s))
        snprintf(part, sizeof part, "%.3g %% of the time (%s), %.3g to %.3g %% on each rank",
                 100 * s.all, words, 100 * s.least, 100 * s.most);
    else if (!ns)
        *part = 0;
    if (ns)
        snprintf(
            missing, sizeof missing,
            "%s but %.3g s of CPU time (at most %.3g s on a rank) of threads that could not be "
            "measured%s%s",
            strcmp(part, "all") != 0 ? "," : "", 1e-9 * (double)ns, 1e-9 * (double)most_ns,
            *names ? ": " : " (they have ended)", names);
    return (size_t)snprintf(text, size, "%s%s", part, missing);
}
