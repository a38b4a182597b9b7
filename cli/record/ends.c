/* ends.c - which ranks of a run on several hosts did not reach their end, and where and why. */
#include "config.h"

#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <timeless_files.h>

enum { MOST_GROUPS = 8, MOST_RANGES = 4 };

/* Ranks of one host that end alike. */
typedef struct group {
    const char *host, *remark;
    tl_end_reason end;
    uint64_t least_events, most_events;
    uint32_t n_ranks, n_ranges;
    struct {
        uint32_t first, last;
    } ranges[MOST_RANGES];
} group;

/* Whether the part of the rank is not there. */
static bool is_lost(const tl_reader *r, const tl_rank_summary *s)
{
    return *tl_reader_run(r)->parts && !*s->host && !s->n_events && s->end == TL_END_NONE;
}

uint32_t record_count_losers(const tl_reader *r)
{
    uint32_t n = 0;
    tl_rank_summary s;
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++)
        n += tl_reader_rank(r, rank, &s) == TL_OK && s.end == TL_END_NONE && !s.kept_open &&
             !is_lost(r, &s);
    return n;
}

static group *group_of(group *groups, size_t *n, const tl_rank_summary *s)
{
    size_t i = 0;
    while (i < *n && (groups[i].end != s->end || strcmp(groups[i].host, s->host) != 0))
        i++;
    if (i < *n || *n == MOST_GROUPS)
        return i < *n ? &groups[i] : NULL;
    groups[i] =
        (group){.host = s->host, .remark = s->remark, .end = s->end, .least_events = s->n_events};
    ++*n;
    return &groups[i];
}

static void add_rank(group *g, uint32_t rank, const tl_rank_summary *s)
{
    g->least_events = s->n_events < g->least_events ? s->n_events : g->least_events;
    g->most_events = s->n_events > g->most_events ? s->n_events : g->most_events;
    g->remark = *g->remark ? g->remark : s->remark;
    g->n_ranks++;
    if (g->n_ranges && g->n_ranges <= MOST_RANGES && g->ranges[g->n_ranges - 1].last + 1 == rank) {
        g->ranges[g->n_ranges - 1].last = rank;
    } else if (g->n_ranges < MOST_RANGES) {
        g->ranges[g->n_ranges].first = g->ranges[g->n_ranges].last = rank;
        g->n_ranges++;
    } else {
        g->n_ranges = MOST_RANGES + 1; /* there are more */
    }
}

const char *record_end_text(tl_end_reason end)
{
    switch (end) {
    case TL_END_EXITED: return "exited without MPI_Finalize";
    case TL_END_ABORTED: return "called MPI_Abort";
    case TL_END_FAILED: return "stopped recording";
    default: return "was killed";
    }
}

static void print_group(const group *g, bool damaged)
{
    const bool one = g->n_ranks == 1;
    fprintf(stderr, "rank%s", one ? "" : "s");
    for (uint32_t i = 0; i < g->n_ranges && i < MOST_RANGES; i++) {
        fprintf(stderr, " %" PRIu32, g->ranges[i].first);
        if (g->ranges[i].last > g->ranges[i].first)
            fprintf(stderr, "-%" PRIu32, g->ranges[i].last);
    }
    fprintf(stderr, "%s on %s ", g->n_ranges > MOST_RANGES ? " ..." : "", tl_printable(g->host));
    fputs(g->end != TL_END_NONE ? record_end_text(g->end)
          : damaged             ? (one ? "has no end" : "have no end")
          : one                 ? record_end_text(g->end)
                                : "were killed",
          stderr);
    fprintf(stderr, " after %" PRIu64, g->least_events);
    if (g->most_events > g->least_events)
        fprintf(stderr, " to %" PRIu64, g->most_events);
    fprintf(stderr, " event%s%s", g->most_events == 1 ? "" : "s", *g->remark ? ": " : "");
    fputs(tl_printable(g->remark), stderr);
}

bool record_print_ends(const tl_reader *r)
{
    group groups[MOST_GROUPS];
    size_t n = 0;
    uint32_t n_others = 0;
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++) {
        tl_rank_summary s;
        if (tl_reader_rank(r, rank, &s) != TL_OK || s.end == TL_END_FINALIZED ||
            s.end == TL_END_CUT || is_lost(r, &s))
            continue;
        group *g = group_of(groups, &n, &s);
        if (g)
            add_rank(g, rank, &s);
        else
            n_others++;
    }
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputs(", ", stderr);
        else
            fprintf(stderr, "timeless: %s: incomplete: ", tl_reader_path(r));
        print_group(&groups[i], tl_reader_n_damages(r) > 0);
    }
    if (n_others)
        fprintf(stderr, ", %" PRIu32 " more ranks have no proper end", n_others);
    return n > 0;
}
