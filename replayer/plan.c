/* plan.c - what a pass over the whole trace finds before the trace is replayed. */
#include "actions.h"
#include "core/room.h"
#include "machine/rank_model.h"
#include "parallel.h"
#include "plan.h"
#include "validate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the pass collects on its way. */
typedef struct survey {
    tl_reader *trace;
    tlr_plan *plan;
    const tlr_options *options;
    tl_error *err;
    uint64_t n_unmodelled[TL_CALL_LIMIT]; /* by call */
    bool has_volume;
    size_t splits_room;
    int enters; /* the last event was an Enter */
    tlr_validation validation;
} survey;

int32_t tlr_plan_find_comm(const tlr_plan *plan, uint32_t rank, uint32_t id)
{
    const tlr_plan_rank *r = plan->ranks[rank];
    return id < r->n_comms ? r->comms[id] : TLR_PLAN_NO_COMM;
}

static bool needs_comm(const tl_call_info *info)
{
    return (info->slots & TL_SLOT_COMM) && info->action != TL_ACTION_COMM_FREE &&
           info->action != TL_ACTION_ABORT;
}

/* On a communicator that came from an opaque call nothing is known of a call but its name. */
static bool is_opaque(const tl_event *event, const tl_call_info *info)
{
    return info->action == TL_ACTION_OPAQUE || (needs_comm(info) && event->comm == TL_COMM_NULL);
}

bool tlr_plan_is_modelled(const tlr_plan *plan, uint32_t rank, const tl_event *event,
                          const tl_call_info *info)
{
    if (is_opaque(event, info))
        return 0;
    const int32_t comm = tlr_plan_find_comm(plan, rank, event->comm);
    return comm < 0 || !plan->comms[comm].n_first || tl_is_known_between_groups(info->action);
}

/* Calls that the engine makes of messages need a communicator for them. */
static void note_twin(tlr_plan *plan, const tl_call_info *info, int32_t comm)
{
    if (comm >= 0 && tl_is_collective(info->action) &&
        (plan->comms[comm].n_first || tl_meaning_of(info->action)->kind == TL_KIND_NEIGHBORHOOD))
        plan->comms[comm].needs_twin = 1;
}

tlr_plan_site *tlr_plan_find_site(tlr_plan_rank *rank, uint16_t call, uint32_t site)
{
    for (size_t i = 0; i < rank->n_sites; i++)
        if (rank->sites[i].site == site && rank->sites[i].call == call)
            return &rank->sites[i];
    return NULL;
}

static tl_status add_mark(survey *s, tlr_plan_rank *rank, const tl_event *event, size_t *room)
{
    tlr_plan_site *site = tlr_plan_find_site(rank, event->call, event->site);
    if (!site) {
        if (!tl_make_room(&rank->sites, rank->n_sites, room, sizeof *rank->sites))
            return tl_no_memory(s->err, "reading the trace");
        site = &rank->sites[rank->n_sites++];
        *site = (tlr_plan_site){.call = event->call, .site = event->site};
    }
    site->count++;
    return TL_OK;
}

/* Notes which group this rank gets into by the ordinal-th split of `parent`. */
static tl_status add_split(survey *s, uint32_t rank, int32_t parent, uint32_t ordinal,
                           int32_t child)
{
    tlr_plan *plan = s->plan;
    if (parent < 0 || plan->comms[parent].n_first)
        return TL_OK;
    plan->comms[parent].needs_twin = 1;
    if (child < 0)
        return TL_OK;
    if (!tl_make_room(&plan->splits, plan->n_splits, &s->splits_room, sizeof *plan->splits))
        return tl_no_memory(s->err, "reading the trace");
    plan->splits[plan->n_splits++] = (tlr_plan_split){
        .parent = (uint32_t)parent,
        .ordinal = ordinal,
        .parent_rank = (uint32_t)tlr_plan_rank_in(&plan->comms[parent], (int32_t)rank),
        .child = (uint32_t)child};
    return TL_OK;
}

static tl_status survey_event(survey *s, uint32_t rank, const tl_event *event, uint32_t *n_splits,
                              size_t *sites_room)
{
    tlr_plan *plan = s->plan;
    tlr_plan_rank *r = plan->ranks[rank];
    const tl_call_info *info = tl_call_by_code(event->call);
    if (!info)
        return tl_fail(s->err, TL_ERR_VERSION,
                       "%s: rank %u, event %" PRIu64 ": unknown call %u; use a newer timeless",
                       tl_reader_path(s->trace), rank, r->n_events, event->call);
    if (info->action != TL_ACTION_CLOCK)
        plan->n_polls += (uint64_t)r->n_alike * event->polls;
    s->has_volume |= event->volume != 0;
    if (event->call == TL_MPI_Parallel) {
        const uint32_t n = tlr_change_threads(s->options->changes, s->options->n_changes);
        plan->n_parallel += r->n_alike;
        if (event->list_len > TL_PARALLEL_THREADS + plan->n_threads && !s->options->no_compute)
            plan->n_threads = n ? n : event->list_len - TL_PARALLEL_THREADS;
    }
    r->computes |=
        event->volume || info->action == TL_ACTION_KERNEL || event->call == TL_MPI_Parallel;
    if (event->call == TL_KERNEL_user && !tl_reader_kernel_name(s->trace, rank, event))
        return tl_fail(s->err, TL_ERR_CORRUPT,
                       "%s: rank %u, event %" PRIu64 ": kernel %d is not defined",
                       tl_reader_path(s->trace), rank, r->n_events, event->tag);
    if (info->action == TL_ACTION_KERNEL)
        tlr_plan_note_kernel(plan, s->trace, rank, event, info);
    plan->n_loose += info->action == TL_ACTION_THREAD ||
                     (tl_is_collective(info->action) && (info->traits & TL_TRAIT_PERSISTENT) != 0);
    const bool is_modelled = tlr_plan_is_modelled(plan, rank, event, info);
    if (!is_modelled) {
        plan->n_opaque += r->n_alike;
        s->n_unmodelled[event->call] += r->n_alike;
    }
    int32_t comm = TLR_PLAN_NO_COMM, child = TLR_PLAN_NO_COMM;
    if (info->slots & TL_SLOT_COMM)
        comm = tlr_plan_find_comm(plan, rank, event->comm);
    if (event->new_comm)
        child = tlr_plan_find_comm(plan, rank, event->new_comm);
    const bool is_lost = needs_comm(info) && event->comm && comm == TLR_PLAN_NO_COMM;
    if (is_lost || (event->new_comm && child == TLR_PLAN_NO_COMM))
        return tl_fail(s->err, TL_ERR_CORRUPT,
                       "%s: rank %u, event %" PRIu64 ": %s on communicator %u, which is not "
                       "defined",
                       tl_reader_path(s->trace), rank, r->n_events, info->name,
                       is_lost ? event->comm : event->new_comm);
    TL_TRY(tlr_validate(&s->validation, event, info, is_modelled));
    tl_status status = TL_OK;
    r->uses_self |= comm == TLR_PLAN_SELF;
    note_twin(plan, info, comm);
    tlr_plan_note_collective(plan, rank, event, info);
    plan->n_transfers +=
        tl_is_on_file(info->action) && tl_moves_data(info->action) ? r->n_alike : 0;
    if (is_modelled && info->action == TL_ACTION_COMM_SPLIT &&
        event->call != TL_MPI_Comm_split_type)
        status = add_split(s, rank, comm, n_splits[event->comm]++, child);
    if (s->enters && comm >= 0)
        plan->comms[comm].is_entered = 1;
    if (status == TL_OK && (info->traits & TL_TRAIT_MARK) && is_modelled && !s->enters)
        status = add_mark(s, r, event, sites_room);
    s->enters = info->action == TL_ACTION_ENTER;
    r->n_events++;
    return status;
}

static tl_status survey_rank(survey *s, uint32_t rank)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    size_t sites_room = 0;
    uint32_t *n_splits = calloc(s->plan->ranks[rank]->n_comms, sizeof *n_splits);
    if (!n_splits)
        return tl_no_memory(s->err, "reading the trace");
    tl_status status = tlr_validation_open(&s->validation, s->trace, s->plan, rank, s->err);
    if (status == TL_OK)
        status = tlr_plan_read_kernel_volumes(s->plan, s->trace, rank, s->err);
    if (status == TL_OK)
        status = tl_cursor_open(s->trace, rank, &cursor, s->err);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK)
        status = survey_event(s, rank, &event, n_splits, &sites_room);
    if (status == TL_END)
        status = TL_OK;
    else if (status != TL_OK && cursor && tl_cursor_error(cursor)->status != TL_OK && s->err)
        *s->err = *tl_cursor_error(cursor);
    s->plan->n_events += s->plan->ranks[rank]->n_alike * s->plan->ranks[rank]->n_events;
    s->plan->n_loose += s->validation.n_loose;
    tlr_validation_close(&s->validation, s->plan->ranks[rank]);
    tl_cursor_close(cursor);
    free(n_splits);
    return status;
}

/* A program says what it uses, and makes nothing that an engine does not know. */
static tl_status survey_program(survey *s, const tl_program_call *calls, size_t n)
{
    for (uint32_t rank = 0; rank < s->plan->n_ranks; rank++) {
        tlr_plan_rank *r = s->plan->ranks[rank];
        size_t room = 0;
        r->computes = 1;
        for (size_t i = 0; i < n; i++) {
            const tl_event mark = {.call = calls[i].call, .site = calls[i].site};
            s->plan->kernels.n_calls[calls[i].call] += !calls[i].n_marks;
            if (calls[i].n_marks && add_mark(s, r, &mark, &room) != TL_OK)
                return tl_no_memory(s->err, "reading the trace");
        }
        for (size_t i = 0; i < n; i++)
            if (calls[i].n_marks)
                tlr_plan_find_site(r, calls[i].call, calls[i].site)->count = calls[i].n_marks;
    }
    return TL_OK;
}

static tl_status survey_all(survey *s)
{
    size_t n = 0;
    const tl_program_call *calls = tl_reader_calls(s->trace, &n);
    tl_status status = TL_OK;
    if (calls)
        return survey_program(s, calls, n);
    for (uint32_t r = 0; r < s->plan->n_ranks && status == TL_OK; r++)
        if (s->plan->ranks[r]->first == r)
            status = survey_rank(s, r);
    return status;
}

static tl_status refuse_opaque(const survey *s)
{
    char names[300] = "";
    size_t used = 0;
    for (unsigned code = 0; code < TL_CALL_LIMIT && used < sizeof names - 60; code++) {
        const tl_call_info *info = tl_call_by_code(code);
        if (s->n_unmodelled[code])
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s %" PRIu64 "x",
                                     used ? ", " : "", info->name, s->n_unmodelled[code]);
    }
    return tl_fail(
        s->err, TL_ERR_UNSUPPORTED,
        "%s: has calls that are not modelled (%s); with --allow-opaque they take no time",
        tl_reader_path(s->trace), names);
}

/* Every kernel and the unit of volume must have a rate. */
static tl_status check_model(const survey *s, const tlr_model *model)
{
    const char *trace = tl_reader_path(s->trace);
    const char *unit = tl_reader_run(s->trace)->volume_unit;
    char units[200];
    if (!model)
        return tl_fail(s->err, TL_ERR_INPUT,
                       "%s: contains computation in %s, but the platform has no compute model "
                       "(model.conf), which gives its time; give a platform that has one, --model "
                       "FILE, or --no-compute",
                       trace, *unit && strcmp(unit, "none") != 0 ? unit : "kernels");
    if (s->has_volume && tlr_model_unit_s(model, unit) < 0)
        return tl_fail(s->err, TL_ERR_INPUT,
                       "%s: has no rate for the unit '%s' of %s (it has: %s); %swrite one (man "
                       "timeless-model), or give --no-compute",
                       model->path, unit, trace, tlr_model_units(model, units, sizeof units),
                       strcmp(unit, "instructions") != 0
                           ? ""
                           : "measure it with 'timeless calibrate cpu TIMED COUNTED', ");
    return tlr_plan_check_kernels(s->plan, s->trace, model, s->options, s->err);
}

static bool has_computation(const survey *s)
{
    for (unsigned code = 0; code < TL_CALL_LIMIT; code++)
        if (s->plan->kernels.n_calls[code])
            return 1;
    return s->has_volume;
}

static int compare_splits(const void *a, const void *b)
{
    const tlr_plan_split *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->ordinal != y->ordinal)
        return x->ordinal < y->ordinal ? -1 : 1;
    return x->parent_rank < y->parent_rank ? -1 : x->parent_rank > y->parent_rank;
}

/* Leaves one entry for each group of each split: that of its member with the smallest rank in the
 * parent. A program may make a communicator again. */
static tl_status tidy_splits(tlr_plan *plan, tl_error *err)
{
    if (!plan->n_splits)
        return TL_OK;
    qsort(plan->splits, plan->n_splits, sizeof *plan->splits, compare_splits);
    uint32_t *seen = calloc(plan->n_comms, sizeof *seen); /* 1 + the latest split, by child */
    if (!seen)
        return tl_no_memory(err, "reading the trace");
    size_t kept = 0;
    for (size_t i = 0; i < plan->n_splits; i++) {
        if (seen[plan->splits[i].child] == plan->splits[i].ordinal + 1)
            continue;
        seen[plan->splits[i].child] = plan->splits[i].ordinal + 1;
        plan->splits[kept++] = plan->splits[i];
    }
    plan->n_splits = kept;
    free(seen);
    return TL_OK;
}

const tlr_plan_split *tlr_plan_find_split(const tlr_plan *plan, uint32_t parent, uint32_t ordinal,
                                          size_t *n)
{
    size_t low = 0, high = plan->n_splits;
    const tlr_plan_split wanted = {.parent = parent, .ordinal = ordinal};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_splits(&plan->splits[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t past = low;
    while (past < plan->n_splits && plan->splits[past].parent == parent &&
           plan->splits[past].ordinal == ordinal)
        past++;
    *n = past - low;
    return *n ? plan->splits + low : NULL;
}

enum { MARK_BYTES = 1024 };

/* A text that tells the call sites of a rank apart, with their callers. */
static void identify(tl_reader *trace, uint32_t rank, uint32_t site, char text[MARK_BYTES])
{
    tl_site_text(trace, rank, site, text, MARK_BYTES);
    const size_t used = strlen(text);
    tl_site_name(trace, rank, site, text + used, MARK_BYTES - used);
}

/* The site of this rank with the given call and text; NULL if there is none. */
static tlr_plan_site *find_site_by_text(tl_reader *trace, tlr_plan *plan, uint32_t rank,
                                        uint16_t call, const char *text)
{
    tlr_plan_rank *r = plan->ranks[rank];
    for (size_t i = 0; i < r->n_sites; i++) {
        char own[MARK_BYTES];
        if (r->sites[i].call != call)
            continue;
        identify(trace, rank, r->sites[i].site, own);
        if (!strcmp(own, text))
            return &r->sites[i];
    }
    return NULL;
}

/* The name of a site of rank 0 in its marks: its source, unless another site with marks of this
 * call has the same. */
static void name_marks(tl_reader *trace, const tlr_plan_rank *first, const tlr_plan_site *site,
                       char *text, size_t size)
{
    tl_site_name(trace, 0, site->site, text, size);
    for (size_t i = 0; i < first->n_sites; i++) {
        char other[256];
        if (&first->sites[i] == site || first->sites[i].call != site->call)
            continue;
        tl_site_name(trace, 0, first->sites[i].site, other, sizeof other);
        if (!strcmp(text, other)) {
            tl_site_text(trace, 0, site->site, text, size);
            return;
        }
    }
}

/* Keeps the call sites that every rank passed equally often. */
static tl_status match_marks(tl_reader *trace, tlr_plan *plan, tl_error *err)
{
    const tlr_plan_rank *first = plan->ranks[0];
    if (!first->n_sites)
        return TL_OK;
    plan->mark_sites = calloc(first->n_sites, sizeof *plan->mark_sites);
    if (!plan->mark_sites)
        return tl_no_memory(err, "reading the trace");
    for (size_t i = 0; i < first->n_sites; i++) {
        char text[MARK_BYTES], name[256];
        const tlr_plan_site *site = &first->sites[i];
        identify(trace, 0, site->site, text);
        int common = 1;
        for (uint32_t r = 0; r < plan->n_ranks && common; r++) {
            if (plan->ranks[r]->first != r)
                continue;
            const tlr_plan_site *other = find_site_by_text(trace, plan, r, site->call, text);
            common = other && other->count == site->count;
        }
        if (!common)
            continue;
        tlr_plan_marks *marks = &plan->mark_sites[plan->n_mark_sites++];
        name_marks(trace, first, site, name, sizeof name);
        *marks = (tlr_plan_marks){site->call, strdup(name), plan->n_marks, site->count};
        if (!marks->site)
            return tl_no_memory(err, "reading the trace");
        plan->n_marks += site->count;
        for (uint32_t r = 0; r < plan->n_ranks; r++)
            if (plan->ranks[r]->first == r)
                find_site_by_text(trace, plan, r, site->call, text)->marks = marks;
    }
    return TL_OK;
}

tl_status tlr_plan_make_comms(tl_reader *trace, tlr_plan **out, tl_error *err)
{
    tlr_plan *plan = calloc(1, sizeof *plan);
    tl_status status = TL_OK;
    if (plan) {
        plan->n_ranks = tl_reader_run(trace)->n_ranks;
        plan->world = malloc(plan->n_ranks * sizeof *plan->world);
    }
    if (!plan || !plan->world)
        status = tl_no_memory(err, "reading the trace");
    for (uint32_t r = 0; status == TL_OK && r < plan->n_ranks; r++)
        plan->world[r] = (int32_t)r;
    if (status == TL_OK)
        status = tlr_plan_share_ranks(trace, plan, err);
    if (status == TL_OK)
        status = tlr_plan_match_comms(trace, plan, err);
    if (status == TL_OK)
        *out = plan;
    else
        tlr_plan_free(plan);
    return status;
}

static tl_status make_plan(survey *s, const tlr_model *model)
{
    tlr_plan *plan = s->plan;
    TL_TRY(survey_all(s));
    if (plan->n_opaque && !s->options->allow_opaque)
        return refuse_opaque(s);
    TL_TRY(tlr_parallel_check(s->trace, plan->n_parallel, model, s->options, s->err));
    if (has_computation(s) && !s->options->no_compute)
        TL_TRY(check_model(s, model));
    TL_TRY(tlr_plan_check_collectives(s->trace, plan, s->err));
    TL_TRY(tidy_splits(plan, s->err));
    return match_marks(s->trace, plan, s->err);
}

tl_status tlr_plan_make(tl_reader *trace, const tlr_model *model, const tlr_options *options,
                        tlr_plan **out, tl_error *err)
{
    tlr_plan *plan = NULL;
    survey *s = calloc(1, sizeof *s);
    tl_status status =
        s ? tlr_plan_make_comms(trace, &plan, err) : tl_no_memory(err, "reading the trace");
    if (status == TL_OK) {
        *s = (survey){.trace = trace, .plan = plan, .options = options, .err = err};
        status = make_plan(s, model);
    }
    free(s);
    if (status == TL_OK)
        *out = plan;
    else
        tlr_plan_free(plan);
    return status;
}

void tlr_plan_free(tlr_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->n_mark_sites; i++)
        free(plan->mark_sites[i].site);
    free(plan->mark_sites);
    free(plan->splits);
    tlr_plan_free_kernel_volumes(plan);
    tlr_plan_free_comms(plan);
    tlr_plan_free_ranks(plan);
    free(plan->world);
    free(plan);
}
