/* critical_path.c - one pass backwards through the states. */
#include "config.h"

#include "critical_path.h"

#include "call_path.h"
#include "chosen.h"
#include "core/room.h"
#include "samples.h"

#include <stdlib.h>

enum { MAX_SEGMENTS = 65536 };

typedef struct walk {
    const tl_reader *trace;
    const tlr_job *job;
    tlr_path *out;
    tlr_samples *samples; /* NULL: none */
    tlr_table sites, regions;
    double *pending_s; /* by rank: in the region whose beginning comes next */
    bool has_regions;
    size_t room;
    uint32_t rank; /* where the path is, and when */
    double at_s;
    int failed; /* no memory */
} walk;

const char *tlr_part_name(unsigned part)
{
    static const char *const names[TLR_N_PARTS] = {"compute",    "kernel", "message",
                                                   "collective", "io",     "other"};
    return part < TLR_N_PARTS ? names[part] : "?";
}

/* ---- segments, the last one first ---- */

/* Removes the shortest segments until half of the room is free. */
static void thin_out(tlr_path *path)
{
    if (path->left_out_s <= 0)
        path->left_out_s = path->segments[0].to_s / (32.0 * MAX_SEGMENTS);
    while (path->n_segments > MAX_SEGMENTS / 2) {
        size_t n = 0;
        path->left_out_s *= 2;
        for (size_t i = 0; i < path->n_segments; i++)
            if (path->segments[i].to_s - path->segments[i].from_s >= path->left_out_s)
                path->segments[n++] = path->segments[i];
        path->n_segments = n;
    }
}

static void begin_segment(walk *w, uint32_t rank, double to_s)
{
    tlr_path *path = w->out;
    if (path->n_segments == MAX_SEGMENTS)
        thin_out(path);
    if (tl_make_room(&path->segments, path->n_segments, &w->room, sizeof *path->segments))
        path->segments[path->n_segments++] = (tlr_segment){rank, to_s, to_s};
    else
        w->failed = 1;
}

static void reverse_segments(tlr_path *path)
{
    for (size_t i = 0; i < path->n_segments / 2; i++) {
        const tlr_segment kept = path->segments[i];
        path->segments[i] = path->segments[path->n_segments - 1 - i];
        path->segments[path->n_segments - 1 - i] = kept;
    }
}

/* ---- the walk ---- */

static void add(walk *w, tlr_table *table, const char *name, double took_s)
{
    tlr_sum *row = tlr_table_at(table, name);
    if (row) {
        row->count++;
        row->time_s += took_s;
    } else {
        w->failed = 1;
    }
}

/* Adds the time that the path was in this state. */
static void account(walk *w, const tlr_state *s, double took_s)
{
    char place[TLR_PLACE_BYTES];
    tlr_path *path = w->out;
    path->parts_s[tlr_part_of(s)] += took_s;
    path->length_s += took_s;
    path->rank_s[s->rank] += took_s;
    if (w->job->n_regions_at)
        add(w, &w->regions, tlr_region_at(w->job, s), took_s);
    else
        w->pending_s[s->rank] += took_s;
    if (tlr_samples_add(w->samples, s, took_s))
        return;
    tlr_state_place(s, w->trace, place, sizeof place);
    add(w, &w->sites, place, took_s);
}

static void add_sampled(void *walk_of, uint32_t rank, uint32_t site, double time_s, uint64_t n)
{
    walk *w = walk_of;
    char place[TLR_PLACE_BYTES];
    (void)n;
    tlr_sampled_path(w->trace, rank, site, place, sizeof place);
    add(w, &w->sites, place, time_s);
}

/* What the path did on the rank since then was in the region of this level. */
static void end_region(walk *w, uint32_t rank, int64_t level)
{
    char name[48];
    if (w->pending_s[rank] <= 0)
        return;
    tlr_region_name(level, name, sizeof name);
    add(w, &w->regions, name, w->pending_s[rank]);
    w->pending_s[rank] = 0;
}

static void go_back_to(walk *w, double at_s)
{
    w->at_s = at_s;
    w->out->segments[w->out->n_segments - 1].from_s = at_s;
}

/* The state of the path's rank lasted until the end of the state, or until the moment that the path
 * has reached. */
static void step(walk *w, const tlr_state *s)
{
    const tlr_state gap = {.rank = s->rank, .kind = TLR_STATE_OTHER};
    if (s->end_s < w->at_s) {
        account(w, &gap, w->at_s - s->end_s);
        go_back_to(w, s->end_s);
    }
    if (s->end_s > w->at_s || s->cause_rank < 0 || s->cause_s >= s->end_s) {
        account(w, s, w->at_s - s->begin_s);
        go_back_to(w, s->begin_s);
        return;
    }
    account(w, s, s->end_s - s->cause_s);
    if ((uint32_t)s->cause_rank == s->rank) {
        go_back_to(w, s->cause_s);
        return;
    }
    w->rank = (uint32_t)s->cause_rank;
    w->at_s = s->cause_s;
    w->out->n_jumps++;
    begin_segment(w, w->rank, w->at_s);
}

static void walk_back(walk *w, const tlr_state *states, size_t n, size_t job)
{
    for (size_t i = n; i > 0 && !w->failed; i--) {
        const tlr_state *s = &states[i - 1];
        if (s->job != job || s->kind == TLR_STATE_MESSAGE)
            continue;
        if (s->rank == w->rank && s->begin_s < w->at_s)
            step(w, s);
        if (s->call == TL_MPI_Pcontrol) {
            end_region(w, s->rank, s->tag);
            w->has_regions = 1;
        }
    }
    for (uint32_t r = 0; r < w->out->n_ranks && w->has_regions; r++)
        end_region(w, r, TLR_NO_LEVEL);
}

/* The parts alone are known of a timeline without all states. */
static tl_status take_walked(const tlr_chosen *chosen, tlr_path **out, tl_error *err)
{
    tlr_path *path = calloc(1, sizeof *path);
    if (!path)
        return tl_no_memory(err, "critical path");
    for (unsigned i = 0; i < TLR_N_PARTS; i++)
        path->length_s += path->parts_s[i] = chosen->walked.parts_s[i];
    path->n_jumps = chosen->walked.n_jumps;
    *out = path;
    return TL_OK;
}

tl_status tlr_path_make(tlr_timeline *timeline, const tlr_job *jobs, size_t job, tlr_path **out,
                        tl_error *err)
{
    const tlr_state *states;
    size_t n;
    if (tlr_timeline_chosen(timeline))
        return take_walked(tlr_timeline_chosen(timeline), out, err);
    TL_TRY(tlr_timeline_read(timeline, &states, &n, err));
    tl_status status = TL_OK;
    const uint32_t n_ranks = tl_reader_run(jobs[job].trace)->n_ranks;
    walk w = {.trace = jobs[job].trace,
              .job = &jobs[job],
              .out = calloc(1, sizeof *w.out),
              .pending_s = calloc(n_ranks + 1, sizeof *w.pending_s)};
    if (w.out)
        w.out->rank_s = calloc(n_ranks + 1, sizeof *w.out->rank_s);
    status = tlr_samples_open(w.trace, &w.samples, err);
    w.failed = !w.out || !w.out->rank_s || !w.pending_s || status != TL_OK;
    if (!w.failed) {
        w.out->n_ranks = n_ranks;
        for (size_t i = 0; i < n; i++)
            if (states[i].job == job && states[i].end_s > w.at_s) {
                w.at_s = states[i].end_s;
                w.rank = states[i].rank;
            }
        begin_segment(&w, w.rank, w.at_s);
        walk_back(&w, states, n, job);
        tlr_samples_share(w.samples, add_sampled, &w);
    }
    if (w.failed || w.sites.failed || w.regions.failed) {
        status = tl_no_memory(err, "critical path");
    } else {
        tlr_table_take(&w.sites, &w.out->sites);
        tlr_table_take(&w.regions, &w.out->regions);
        reverse_segments(w.out);
        *out = w.out;
        w.out = NULL;
    }
    tlr_table_close(&w.sites);
    tlr_table_close(&w.regions);
    tlr_samples_free(w.samples);
    free(w.pending_s);
    tlr_path_free(w.out);
    return status;
}

void tlr_path_free(tlr_path *path)
{
    if (!path)
        return;
    tlr_sums_free(path->sites.rows, path->sites.n);
    tlr_sums_free(path->regions.rows, path->regions.n);
    free(path->rank_s);
    free(path->segments);
    free(path);
}
