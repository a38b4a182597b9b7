/* fit_explain.c - writes the statements of the program, with the expression of each attribute. */
#include "config.h"

#include "fit.h"

#include "actions.h"
#include "draw.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fit_node *node_at(const fitting *f, uint32_t number)
{
    return (fit_node *)f->nodes.items + number;
}

static void indent_by(fitting *f, unsigned indent)
{
    fit_print(f, &f->out, "%*s", (int)(4 * indent), "");
}

/* Begins a block that is entered if the condition holds, or none if it always does; returns the
 * indent of its statements. */
static unsigned open_if(fitting *f, const char *condition, unsigned indent)
{
    if (!strcmp(condition, "1"))
        return indent;
    indent_by(f, indent);
    fit_print(f, &f->out, "if %s {\n", condition);
    return indent + 1;
}

/* Ends the blocks from this indent of statements down to another one. */
static void close_blocks(fitting *f, unsigned from, unsigned to)
{
    while (from > to) {
        indent_by(f, --from);
        fit_print(f, &f->out, "}\n");
    }
}

/* Keeps the first reason. */
static bool unexplained(fitting *f, const fit_node *node, const char *what)
{
    char from[300], to[300];
    if (*f->why)
        return false;
    f->reached = f->out.size;
    f->lack = (fit_lack){.symbol = f->order[node->low]};
    fit_call_text(f, f->order[node->low], from);
    if (node->is_loop && node->low != node->high)
        snprintf(f->why, sizeof f->why, "the loop from %.120s to %.120s: %.130s", from,
                 fit_call_text(f, f->order[node->high], to), what);
    else
        snprintf(f->why, sizeof f->why, "%.230s: %.160s", from, what);
    return false;
}

/* Likewise of a value. `range`: of the captured ones. */
static bool has_no_expression(fitting *f, const fit_node *node, int slot, const char *name,
                              const char *range)
{
    const tl_call_info *row = f->symbols[f->order[node->low]].row;
    const bool is_first = !*f->why;
    char what[160];
    snprintf(what, sizeof what, "no expression has the values of %.30s%s", name, range);
    unexplained(f, node, what);
    if (is_first)
        f->lack.is_size = skel_may_draw(row, slot) &&
                          (row->slots & TL_SLOT_RECV_COUNT || !(row->slots & TL_SLOT_RECV_PEER));
    return false;
}

/* ---- the fields of a call ---- */

typedef struct field {
    const fitting *f;
    int slot;
    uint32_t size; /* of a kernel */
} field;

static int64_t peer_value(int32_t peer)
{
    return peer == TL_PROC_NULL ? SKEL_NULL : peer;
}

static tl_role role_of(const fitting *f, const fit_sample *sample)
{
    const tl_event *e = &sample->event->e;
    if (!tl_is_rooted(tl_call_by_code(e->call)->action))
        return TL_ROLE_OTHER;
    return tl_role_within(e->peer, fit_comm_rank(f, sample->capture, sample->rank, e->comm));
}

bool fit_has_side(const fitting *f, const fit_sample *sample, int slot)
{
    const tl_meaning *m = tl_meaning_of(tl_call_by_code(sample->event->e.call)->action);
    const tl_role role = role_of(f, sample);
    return slot == SKEL_SLOT_COUNTS ? tl_fills_sent(m, 0, role) : tl_fills_received(m, 0, role);
}

/* Sizes that MPI ignores on a rank do not matter. */
static bool is_ignored(const fitting *f, const fit_sample *sample, int slot)
{
    const tl_call_info *row = tl_call_by_code(sample->event->e.call);
    if (!tl_is_collective(row->action) || !(row->slots & (TL_SLOT_RECV_COUNT | TL_SLOT_RECV_TYPE)))
        return false;
    if (slot == TL_SLOT_COUNT || slot == TL_SLOT_TYPE)
        return !fit_has_side(f, sample, SKEL_SLOT_COUNTS);
    if (slot == TL_SLOT_RECV_COUNT || slot == TL_SLOT_RECV_TYPE)
        return !fit_has_side(f, sample, SKEL_SLOT_RECV_COUNTS);
    return false;
}

static bool get_field(const void *arg, const fit_sample *sample, int64_t *out)
{
    const field *which = arg;
    if (!sample->event || is_ignored(which->f, sample, which->slot))
        return false;
    const tl_event *e = &sample->event->e;
    switch (which->slot) {
    case TL_SLOT_COUNT: *out = e->count; break;
    case TL_SLOT_TYPE: *out = e->type_bytes; break;
    case TL_SLOT_RECV_COUNT: *out = e->recv_count; break;
    case TL_SLOT_RECV_TYPE: *out = e->recv_type_bytes; break;
    case TL_SLOT_PEER: *out = peer_value(e->peer); break;
    case TL_SLOT_RECV_PEER: *out = peer_value(e->recv_peer); break;
    case TL_SLOT_TAG: *out = e->tag; break;
    case TL_SLOT_RECV_TAG: *out = e->recv_tag; break;
    default: *out = e->list[which->size];
    }
    return true;
}

/* False: it is not drawn. */
static bool write_draw(fitting *f, const fit_node *node, int slot, const char *name)
{
    const uint32_t symbol = f->order[node->low];
    const fit_draw *d = skel_may_draw(f->symbols[symbol].row, slot) ? fit_draw_of(f, symbol) : NULL;
    if (d)
        fit_print(f, &f->out, " %s=%s", name, d->size);
    return d != NULL;
}

static bool write_field(fitting *f, const fit_node *node, field which, const char *name)
{
    char text[400], range[80];
    const bool is_peer = which.slot == TL_SLOT_PEER || which.slot == TL_SLOT_RECV_PEER;
    const unsigned use = is_peer ? FIT_PEER | FIT_NUMBER : FIT_NUMBER;
    if (write_draw(f, node, which.slot, name))
        return true;
    const fit_part part = is_peer                                                       ? FIT_PEERS
                          : which.slot == TL_SLOT_TAG || which.slot == TL_SLOT_RECV_TAG ? FIT_TAGS
                                                                                        : FIT_SIZES;
    /* The other end is a rank of the same block, or at its place in the grid, and no fixed one. */
    const bool has_partner = is_peer && f->copies_now && fit_is_copied_whole(f, node) &&
                             tl_is_message(f->symbols[f->order[node->low]].row->action);
    if ((has_partner || !fit_attribute(f, node, use, get_field, &which, text)) &&
        !fit_copy_value(f, node, get_field, &which, part, text)) {
        fit_range_text(f, node, get_field, &which, range);
        return has_no_expression(f, node, which.slot, name, range);
    }
    fit_print(f, &f->out, " %s=%s", name, text);
    return true;
}

static bool write_sizes(fitting *f, const fit_node *node, const char *names)
{
    bool ok = true;
    for (uint32_t i = 0; ok && *names; i++) {
        char name[40];
        const size_t size = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)size, names);
        ok = write_field(f, node, (field){f, TL_SLOT_LIST, i}, name);
        names += size + (names[size] == ' ');
    }
    return ok;
}

static bool get_flag(const void *arg, const fit_sample *sample, int64_t *out)
{
    const uint16_t *mask = arg;
    *out = sample->event && sample->event->e.flags & *mask;
    return sample->event != NULL;
}

/* Nothing if no rank has it. */
static bool write_flag(fitting *f, const fit_node *node, uint16_t mask, const char *name)
{
    char text[400], what[100];
    if (!(f->symbols[f->order[node->low]].row->slots & TL_SLOT_FLAGS))
        return true;
    snprintf(what, sizeof what, "no condition holds for the ranks with %s", name);
    if (!fit_condition(f, node, get_flag, &mask, text) &&
        !fit_copy_value(f, node, get_flag, &mask, FIT_TAGS, text))
        return unexplained(f, node, what);
    if (strcmp(text, "0") != 0)
        fit_print(f, &f->out, " %s=%s", name, text);
    return true;
}

static bool write_counts(fitting *f, const fit_node *node, int slot, const char *name)
{
    char text[400], range[80];
    if (!skel_has_counts(f->symbols[f->order[node->low]].row, slot))
        return true;
    if (write_draw(f, node, slot, name))
        return true;
    if (!fit_counts(f, node, slot, text)) {
        fit_counts_range_text(f, node, slot, range);
        return has_no_expression(f, node, slot, name, range);
    }
    fit_print(f, &f->out, " %s=%s", name, text);
    return true;
}

/* Writes the fields of a call. */
static bool explain_fields(fitting *f, const fit_node *node)
{
    static const int slots[] = {TL_SLOT_PEER,      TL_SLOT_COUNT,     TL_SLOT_TYPE,
                                TL_SLOT_TAG,       TL_SLOT_RECV_PEER, TL_SLOT_RECV_COUNT,
                                TL_SLOT_RECV_TYPE, TL_SLOT_RECV_TAG};
    const fit_symbol *s = &f->symbols[f->order[node->low]];
    bool ok = true;
    fit_print(f, &f->out, "%s", s->row->name);
    if (s->row->action == TL_ACTION_KERNEL)
        return write_sizes(f, node, s->row->dimensions);
    for (size_t i = 0; ok && i < sizeof slots / sizeof *slots; i++) {
        const char *name = NULL;
        for (size_t k = 0; k < TL_N_TEXT_FIELDS; k++)
            if ((int)tl_text_fields[k].slot == slots[i])
                name = tl_text_field_name(&tl_text_fields[k], s->row);
        if (name && s->row->slots & (uint32_t)slots[i])
            ok = write_field(f, node, (field){f, slots[i], 0}, name);
    }
    ok = ok && write_flag(f, node, TL_IN_PLACE, "in_place") &&
         write_flag(f, node, TL_NONCOMMUTATIVE, "noncommutative") &&
         write_counts(f, node, SKEL_SLOT_COUNTS, "counts") &&
         write_counts(f, node, SKEL_SLOT_RECV_COUNTS, "recv_counts");
    if (s->comm == SKEL_SELF)
        fit_print(f, &f->out, " comm=self");
    else if (s->comm >= SKEL_FIRST_COMM)
        fit_print(f, &f->out, " comm=comm%" PRIu32, s->comm - SKEL_FIRST_COMM);
    if (s->new_comm)
        fit_print(f, &f->out, " new_comm=comm%" PRIu32, s->new_comm - SKEL_FIRST_COMM);
    if (s->row->slots & TL_SLOT_REQUEST || s->row->code == TL_MPI_Waitall)
        fit_print(f, &f->out, " request=r%" PRIu32, s->request);
    return ok;
}

/* ---- calls and loops ---- */

bool fit_presence(const void *arg, const fit_sample *sample, int64_t *out)
{
    (void)arg;
    *out = sample->event ? 1 : sample->trips;
    return true;
}

static bool get_trips(const void *arg, const fit_sample *sample, int64_t *out)
{
    *out = sample->trips;
    return !arg || sample->trips > 0;
}

/* The call that is written next. What was written behind this place has been given up. */
static void note_call(fitting *f, uint32_t symbol)
{
    const fit_written *all = f->lines.items;
    while (f->lines.n && all[f->lines.n - 1].at >= f->out.size)
        f->lines.n--;
    fit_written *made = fit_new(f, &f->lines, sizeof *made);
    if (made)
        *made = (fit_written){f->out.size, symbol};
}

static bool explain_call(fitting *f, const fit_node *node, unsigned indent)
{
    char condition[400];
    if (!fit_condition(f, node, fit_presence, NULL, condition) &&
        !fit_copy_value(f, node, fit_presence, NULL, FIT_CALLS, condition))
        return unexplained(f, node, "no condition holds for the ranks and iterations that call it");
    if (!strcmp(condition, "0"))
        return true;
    const unsigned inner = open_if(f, condition, indent);
    fit_volume(f, node, inner);
    if (f->symbols[f->order[node->low]].row->action != TL_ACTION_FINALIZE) {
        note_call(f, f->order[node->low]);
        indent_by(f, inner);
        if (!explain_fields(f, node))
            return false;
        fit_print(f, &f->out, "\n");
    }
    close_blocks(f, inner, indent);
    return true;
}

static bool explain_body(fitting *f, const fit_node *node, unsigned indent)
{
    return fit_explain(f, node->body, indent);
}

/* `text`: what was written last. */
static bool is_same_for_all(const fitting *f, const char *text)
{
    const fit_copy *last = f->copies.n ? (fit_copy *)f->copies.items + f->copies.n - 1 : NULL;
    return strncmp(text, "copied", 6) ? !fit_differs(text) : last && last->is_common;
}

static void write_for(fitting *f, const fit_node *node, const char *trips, unsigned indent)
{
    indent_by(f, indent);
    fit_print(f, &f->out,
              fit_is_weak(trips) ? "for i%" PRIu32 " = 0 to (%s) - 1 {\n"
                                 : "for i%" PRIu32 " = 0 to %s - 1 {\n",
              node->depth, trips);
}

static bool explain_loop(fitting *f, const fit_node *node, unsigned indent)
{
    char trips[400] = "", condition[400] = "1";
    bool found = fit_attribute(f, node, FIT_NUMBER, get_trips, NULL, trips);
    if (!found && fit_condition(f, node, fit_presence, NULL, condition))
        found = fit_attribute(f, node, FIT_NUMBER, get_trips, f, trips);
    /* A loop over partners that are copied has those of the capture. */
    const bool grows = found && f->copies_now && strstr(trips, "ranks");
    const bool has_partners = grows && fit_is_copied_whole(f, node);
    for (uint32_t i = node->low; grows && i <= node->high; i++)
        f->symbols[f->order[i]].has_partners = true;
    found &= !has_partners;
    if (!found)
        snprintf(condition, sizeof condition, "1");
    if (!found && !has_partners && f->copies_now)
        fit_note_iterations(f, node, &f->copied_lack);
    if (!found && !fit_copy_value(f, node, get_trips, NULL, FIT_CALLS, trips)) {
        char range[80], what[140];
        fit_range_text(f, node, get_trips, NULL, range);
        snprintf(what, sizeof what, "no expression has the numbers of iterations%s", range);
        const bool is_first = !*f->why;
        unexplained(f, node, what);
        if (is_first)
            fit_note_iterations(f, node, &f->lack);
        return false;
    }
    const size_t start = f->out.size;
    const unsigned inner = open_if(f, condition, indent) + 1;
    write_for(f, node, trips, inner - 1);
    const size_t body = f->out.size;
    const unsigned shared = f->shared;
    if (!is_same_for_all(f, condition) || !is_same_for_all(f, trips))
        f->shared &= ~(1U << node->depth);
    const bool ok = explain_body(f, node, inner);
    f->shared = shared;
    if (!ok)
        return false;
    if (f->out.size == body) { /* no call of it is made */
        f->out.size = start;
        return true;
    }
    close_blocks(f, inner, indent);
    return true;
}

/* The number of iterations, the same for all samples, of a loop that may become a list; else -1. */
static int64_t constant_trips(const fitting *f, const fit_node *node)
{
    const fit_sample *samples = node->samples.items;
    int64_t trips = -1;
    for (size_t i = 0; i < node->samples.n; i++) {
        if (!fit_is_used(f, node, &samples[i]))
            continue;
        if (trips >= 0 && samples[i].trips != trips)
            return -1;
        trips = samples[i].trips;
    }
    return trips <= FIT_MAX_UNROLL ? trips : -1;
}

static bool explain_unrolled(fitting *f, const fit_node *node, unsigned indent)
{
    const int64_t n = constant_trips(f, node);
    bool ok = n > 0;
    for (int64_t i = 0; ok && i < n; i++) {
        f->fixed[node->depth] = i;
        ok = explain_body(f, node, indent);
    }
    f->fixed[node->depth] = -1;
    return ok;
}

/* ---- loops whose iterations repeat: two loops of the program without a call between them ---- */

static bool get_passes(const void *arg, const fit_sample *sample, int64_t *out)
{
    const int64_t *period = arg;
    *out = sample->trips / *period;
    return true;
}

static bool are_divisible(const fitting *f, const fit_node *node, int64_t by)
{
    const fit_sample *samples = node->samples.items;
    bool any = false;
    for (size_t i = 0; i < node->samples.n; i++) {
        if (!fit_is_used(f, node, &samples[i]))
            continue;
        if (samples[i].trips % by)
            return false;
        any |= samples[i].trips > 0;
    }
    return any;
}

static bool explain_period(fitting *f, const fit_node *node, int64_t period, unsigned indent)
{
    char trips[400];
    if (!are_divisible(f, node, period) ||
        !fit_attribute(f, node, FIT_NUMBER, get_passes, &period, trips))
        return false;
    write_for(f, node, trips, indent);
    bool ok = true;
    f->period[node->depth] = period;
    for (int64_t i = 0; ok && i < period; i++) {
        f->phase[node->depth] = i;
        ok = explain_body(f, node, indent + 1);
    }
    f->period[node->depth] = 1;
    f->phase[node->depth] = 0;
    close_blocks(f, indent + 1, indent);
    return ok;
}

static bool explain_periods(fitting *f, const fit_node *node, size_t start, unsigned indent)
{
    for (int64_t period = 2; period <= FIT_MAX_PERIOD; period++) {
        f->out.size = start;
        if (explain_period(f, node, period, indent))
            return true;
    }
    return false;
}

/* ---- loops over calls, with a range that is not 0 to a number ---- */

/* Gives the variable its value in an iteration, for all calls of the body. */
static void set_index(const fitting *f, const fit_node *node, size_t iteration, int64_t value)
{
    for (uint32_t at = node->body; at; at = node_at(f, at)->next)
        ((fit_sample *)node_at(f, at)->samples.items)[iteration].index[node->depth] =
            (int32_t)value;
}

/* Likewise for all iterations of a sample of the loop. False: the range has another number of
 * values. `start`: its first iteration. */
static bool assign(const fitting *f, const fit_range *r, const fit_node *node,
                   const fit_sample *loop, size_t start)
{
    int64_t first, last, holds, n = 0;
    fit_sample at = *loop;
    if (!fit_value(f, r->first, &at, &first) || !fit_value(f, r->last, &at, &last))
        return false;
    for (int64_t k = first; r->step > 0 ? k <= last : k >= last; k += r->step) {
        at.index[r->depth] = (int32_t)k;
        if (k > INT32_MAX || k < INT32_MIN || !fit_value(f, r->guard, &at, &holds))
            return false;
        if (!holds)
            continue;
        if (n == loop->trips)
            return false;
        set_index(f, node, start + (size_t)n++, k);
    }
    return n == loop->trips;
}

/* *n: how many samples of the loop may have other values then. */
static bool assign_all(const fitting *f, const fit_range *r, const fit_node *node, size_t *n)
{
    const fit_sample *loops = node->samples.items;
    size_t start = 0;
    for (size_t i = 0; i < node->samples.n; i++) {
        const bool is_used = fit_is_used(f, node, &loops[i]);
        *n = is_used && i >= *n ? i + 1 : *n;
        if (is_used && !assign(f, r, node, &loops[i], start))
            return false;
        start += (size_t)loops[i].trips;
    }
    return true;
}

/* Back to 0, 1, 2... */
static void restore(const fitting *f, const fit_node *node, size_t n)
{
    const fit_sample *loops = node->samples.items;
    size_t start = 0;
    for (size_t i = 0; i < n; i++)
        for (int64_t k = 0; k < loops[i].trips; k++)
            set_index(f, node, start++, k);
}

static bool explain_range(fitting *f, const fit_range *r, const fit_node *node, unsigned indent,
                          size_t *n_assigned)
{
    const fit_candidate *all = f->candidates.items;
    if (!assign_all(f, r, node, n_assigned))
        return false;
    indent_by(f, indent);
    fit_print(f, &f->out, "for i%u = %s to %s%s {\n", r->depth, all[r->first].text,
              all[r->last].text, r->step < 0 ? " by -1" : "");
    const unsigned inner = open_if(f, all[r->guard].text, indent + 1);
    if (!explain_body(f, node, inner))
        return false;
    close_blocks(f, inner, indent);
    return true;
}

static bool explain_ranges(fitting *f, const fit_node *node, size_t start, unsigned indent)
{
    const fit_range *ranges = f->ranges.items;
    bool found = false;
    size_t n_assigned = 0;
    for (uint32_t at = node->body; at; at = node_at(f, at)->next)
        if (node_at(f, at)->is_loop)
            return false;
    for (size_t i = 0; i < f->ranges.n && !found; i++) {
        if (ranges[i].depth != node->depth || (ranges[i].is_wide && !f->is_wide))
            continue;
        f->out.size = start;
        found = explain_range(f, &ranges[i], node, indent, &n_assigned);
    }
    if (!found)
        restore(f, node, n_assigned);
    return found;
}

/* A loop in one of its forms. */
static bool explain_somehow(fitting *f, const fit_node *node, size_t start, unsigned indent)
{
    if (explain_loop(f, node, indent) || explain_ranges(f, node, start, indent))
        return true;
    f->out.size = start;
    if (explain_unrolled(f, node, indent) || explain_periods(f, node, start, indent))
        return true;
    f->out.size = start;
    return f->is_wide && !f->may_copy && fit_explain_nest(f, node, start, indent);
}

/* A loop that has iterations in some passes of a loop around it: the passes are copied, and the
 * loop is fitted where it has iterations. */
static bool explain_gated(fitting *f, const fit_node *node, unsigned indent)
{
    char text[400];
    if (!fit_copy_gate(f, node, text))
        return false;
    const unsigned inner = open_if(f, text, indent);
    const size_t start = f->out.size;
    f->gated = node;
    f->copies_now = false;
    bool ok = !fit_is_copied_whole(f, node) && explain_somehow(f, node, start, inner);
    f->copies_now = true;
    if (!ok) {
        f->out.size = start;
        ok = explain_loop(f, node, inner);
    }
    f->gated = NULL;
    close_blocks(f, inner, indent);
    return ok;
}

/* A loop without copies. If it failed before, it fails again where the loops around it have the
 * same iterations. */
static bool explain_alone(fitting *f, uint32_t number, size_t start, unsigned indent)
{
    const fit_node *node = node_at(f, number);
    uint64_t key = tl_draw(number, f->shared);
    if (fit_is_copied_whole(f, node))
        return false;
    for (uint32_t d = 0; d < node->depth; d++)
        key = tl_draw(tl_draw(tl_draw(key, (uint64_t)f->fixed[d]), (uint64_t)f->period[d]),
                      (uint64_t)f->phase[d]);
    if (*f->why && tl_map_find(&f->failed, key | 1))
        return false;
    const bool ok = explain_somehow(f, node, start, indent);
    if (!ok && !tl_map_at(&f->failed, key | 1))
        fit_out_of_memory(f);
    return ok;
}

bool fit_explain(fitting *f, uint32_t number, unsigned indent)
{
    bool ok = true;
    for (; ok && number && f->status == TL_OK; number = node_at(f, number)->next) {
        const fit_node *node = node_at(f, number);
        const size_t start = f->out.size;
        const bool had_reason = *f->why != '\0';
        if (!node->is_loop) {
            ok = explain_call(f, node, indent);
            continue;
        }
        const bool may_copy = f->copies_now;
        f->copies_now = false;
        ok = explain_alone(f, number, start, indent);
        f->copies_now = may_copy;
        if (!ok && may_copy) {
            f->out.size = start;
            ok = explain_gated(f, node, indent) || explain_loop(f, node, indent);
        }
        if (ok && !had_reason)
            *f->why = '\0';
    }
    return ok && f->status == TL_OK;
}
