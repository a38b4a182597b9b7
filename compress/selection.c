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

size_t tl_reader_selection(const tl_reader *r, char *text, size_t size)
{
    char words[512];
    double least = 1, most = 0, of_all_ns = 0, all_ns = 0;
    bool known = r->header.run.n_ranks > 0;
    read_words(r->header.run.origin, words, sizeof words);
    if (size)
        *text = 0;
    if (!*words)
        return 0;
    for (uint32_t rank = 0; rank < r->header.run.n_ranks && known; rank++) {
        const tl_part *part = tl_reader_part(r, rank);
        uint64_t ns = 0;
        known = part && part->summary.clock_ns && selected_ns(r, rank, &ns);
        if (!known)
            break;
        const double share = (double)ns / (double)part->summary.clock_ns;
        least = share < least ? share : least;
        most = share > most ? share : most;
        of_all_ns += (double)ns;
        all_ns += (double)part->summary.clock_ns;
    }
    if (!known)
        return (size_t)snprintf(text, size, "an unknown share of the time (%s)", words);
    if (least >= 1 - 1e-9)
        return 0;
    return (size_t)snprintf(text, size, "%.3g %% of the time (%s), %.3g to %.3g %% on each rank",
                            100 * of_all_ns / all_ns, words, 100 * least, 100 * most);
}
