/* fit_comms.c - the colour and the key of each communicator, from the members that the ranks of all
 * captures have recorded. */
#include "config.h"

#include "fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tl_comm *fit_comm_of(const fitting *f, uint32_t capture, uint32_t rank, uint32_t number)
{
    const fit_capture *c = &f->captures[capture];
    return c->comms[(size_t)rank * f->comms.n + number - SKEL_FIRST_COMM];
}

uint32_t fit_comm_size(const fitting *f, uint32_t capture, uint32_t rank, uint32_t number)
{
    if (number < SKEL_FIRST_COMM)
        return number == SKEL_SELF ? 1 : f->captures[capture].n_ranks;
    const tl_comm *own = fit_comm_of(f, capture, rank, number);
    return own ? own->n_members : 0;
}

int32_t fit_comm_rank(const fitting *f, uint32_t capture, uint32_t rank, uint32_t number)
{
    if (number < SKEL_FIRST_COMM)
        return number == SKEL_SELF ? 0 : (int32_t)rank;
    const tl_comm *own = fit_comm_of(f, capture, rank, number);
    for (uint32_t i = 0; own && i < own->n_members; i++)
        if (own->members[i] == (int32_t)rank)
            return (int32_t)i;
    return -1;
}

/* ---- samples: one for each rank ---- */

static bool take_samples(fitting *f, skel_array *samples)
{
    for (uint32_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0; fit_uses(f, c) && rank < f->captures[c].n_ranks; rank++) {
            fit_sample *made = skel_push(samples, sizeof *made);
            if (!made) {
                fit_out_of_memory(f);
                return false;
            }
            *made = (fit_sample){.capture = c, .rank = rank};
        }
    return samples->n > 0;
}

typedef struct asked {
    const fitting *f;
    uint32_t number;
} asked;

static const tl_comm *comm_of(const asked *a, const fit_sample *s)
{
    return fit_comm_of(a->f, s->capture, s->rank, a->number);
}

static bool get_membership(const void *arg, const fit_sample *sample, int64_t *out)
{
    *out = comm_of(arg, sample) != NULL;
    return true;
}

/* ---- colour and key ---- */

/* Whether the ranks with the same value are those of one group. */
static bool divides(const asked *a, size_t candidate, const skel_array *samples, int64_t *values)
{
    const fit_sample *all = samples->items;
    for (size_t i = 0; i < samples->n; i++) {
        const tl_comm *own = comm_of(a, &all[i]);
        if (own && (!fit_value(a->f, candidate, &all[i], &values[i]) || values[i] == SKEL_NULL))
            return false;
        for (size_t k = i; own && k-- > 0 && all[k].capture == all[i].capture;) {
            const tl_comm *other = comm_of(a, &all[k]);
            if (other && (values[k] == values[i]) != (other->members[0] == own->members[0]))
                return false;
        }
    }
    return true;
}

/* Whether the members are in the order of the values, then of their ranks. */
static bool orders(const asked *a, size_t candidate, const skel_array *samples)
{
    const fit_sample *all = samples->items;
    for (size_t i = 0; i < samples->n; i++) {
        const tl_comm *own = comm_of(a, &all[i]);
        int64_t last = 0, key;
        for (uint32_t k = 0; own && k < own->n_members; k++, last = key) {
            fit_sample at = all[i];
            at.rank = (uint32_t)own->members[k];
            if (!fit_value(a->f, candidate, &at, &key) || key == SKEL_NULL ||
                (k && (key < last || (key == last && own->members[k] < own->members[k - 1]))))
                return false;
        }
    }
    return true;
}

/* Candidates may have the communicators before this one. */
static bool may_have(const fit_candidate *c, const asked *a)
{
    return !c->variables && !(c->grids & a->f->without) && (a->f->is_wide || !c->is_wide) &&
           (!c->comm || c->comm < a->number) && c->use & (FIT_NUMBER | FIT_COLOUR);
}

/* The colour of a member; NULL: none. `some`: not all ranks are members. */
static const char *find_colour(const asked *a, const skel_array *samples, bool some)
{
    const fit_candidate *all = a->f->candidates.items;
    const fit_sample *s = samples->items;
    const char *found = NULL;
    bool is_one = true;
    int64_t *values = calloc(samples->n + 1, sizeof *values);
    for (size_t i = 0; i < samples->n; i++)
        for (size_t k = i; k-- > 0 && s[k].capture == s[i].capture;)
            is_one &= !comm_of(a, &s[i]) || !comm_of(a, &s[k]) ||
                      comm_of(a, &s[i])->members[0] == comm_of(a, &s[k])->members[0];
    if (is_one)
        found = "0";
    for (int only_some = some; values && only_some >= 0; only_some--)
        for (size_t i = 0; !found && i < a->f->candidates.n; i++)
            if ((!only_some || all[i].use & FIT_SOME) && may_have(&all[i], a) &&
                divides(a, i, samples, values))
                found = all[i].text;
    free(values);
    return found;
}

/* "" for the order of the ranks; NULL: none. */
static const char *find_key(const asked *a, const skel_array *samples)
{
    const fit_candidate *all = a->f->candidates.items;
    for (size_t i = 0; i < a->f->candidates.n; i++)
        if (may_have(&all[i], a) && orders(a, i, samples))
            return !strcmp(all[i].text, "rank") || orders(a, a->f->rank, samples) ? ""
                                                                                  : all[i].text;
    return NULL;
}

/* A duplicate has the members of its communicator, also where no rank makes it. */
static bool is_duplicate(const fitting *f, uint32_t number)
{
    const fit_symbol *maker = &f->symbols[fit_comm_at(f, number)->symbol];
    return maker->row->action == TL_ACTION_COMM_DUP && maker->comm != SKEL_SELF &&
           maker->comm < number;
}

/* The groups have no expression: each is known by its first member. Blocks have groups of their
 * own; ranks at the same place in a grid have one. */
static void write_copied(const fitting *f, uint32_t number, FILE *out)
{
    const unsigned k = number - SKEL_FIRST_COMM;
    const fit_places *places = &f->symbols[fit_comm_at(f, number)->symbol].places;
    const bool by_grid = places->grid && !places->in_blocks;
    const char *separator = "";
    uint32_t of = number;
    while (is_duplicate(f, of)) /* a capture without the duplicate may have its members */
        of = f->symbols[fit_comm_at(f, of)->symbol].comm;
    fprintf(out, "copies group%u", k);
    fit_write_places(places, out);
    fputs(" = ", out);
    for (uint32_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0; fit_uses(f, c) && rank < f->captures[c].n_ranks; rank++) {
            const tl_comm *own = fit_comm_of(f, c, rank, of);
            fputs(rank ? " | " : separator, out);
            separator = " : ";
            if (own)
                fprintf(out, "%" PRId64, own->members[0] - (by_grid ? 0 : (int64_t)rank));
            else
                fputs("null", out);
        }
    fprintf(out, "\ncomm comm%u = %s(group%u)\n", k, by_grid ? "copied" : "partner", k);
}

bool fit_copies_comms(const fitting *f)
{
    const fit_comm *all = f->comms.items;
    bool any = false;
    for (size_t i = 0; i < f->comms.n; i++)
        any |= all[i].is_copied;
    return any;
}

void fit_comm_statements(const fitting *f, FILE *out)
{
    const fit_comm *all = f->comms.items;
    for (uint32_t i = 0; i < f->comms.n; i++)
        if (all[i].is_copied)
            write_copied(f, SKEL_FIRST_COMM + i, out);
        else
            fprintf(out, "comm comm%" PRIu32 " = %s\n", i, *all[i].text ? all[i].text : "0");
}

void fit_comm_report(const fitting *f, FILE *out)
{
    const fit_comm *all = f->comms.items;
    char text[300];
    for (size_t i = 0; i < f->comms.n; i++)
        if (all[i].is_copied && !is_duplicate(f, SKEL_FIRST_COMM + (uint32_t)i))
            fprintf(out, "# hole: members of the communicators of %s\n",
                    fit_call_text(f, all[i].symbol, text));
}

static void explain_duplicate(const fitting *f, fit_comm *comm)
{
    const uint32_t of = f->symbols[comm->symbol].comm;
    const uint32_t symbol = comm->symbol;
    if (of >= SKEL_FIRST_COMM)
        *comm = *fit_comm_at(f, of);
    else
        *comm = (fit_comm){.is_world = true, .text = "0"};
    comm->symbol = symbol;
}

static bool explain_comm(fitting *f, uint32_t number, const skel_array *samples)
{
    const asked a = {f, number};
    const fit_node node = {.samples = *samples};
    fit_comm *comm = fit_comm_at(f, number);
    char condition[400], text[300];
    if (is_duplicate(f, number)) {
        explain_duplicate(f, comm);
        return true;
    }
    const bool has_condition = fit_condition(f, &node, get_membership, &a, condition);
    const char *colour = find_colour(&a, samples, has_condition && strcmp(condition, "1") != 0);
    const char *key = find_key(&a, samples), *lacks = NULL;
    if (!has_condition)
        lacks = "no condition holds for the members of its communicator";
    else if (!colour)
        lacks = "no expression has the groups of its communicators (colour)";
    else if (!key)
        lacks = "no expression has the order of the members of its communicator (key)";
    comm->is_copied = lacks && f->may_copy && orders(&a, f->rank, samples);
    if (comm->is_copied)
        return true;
    if (lacks) {
        snprintf(f->why, sizeof f->why, "%.300s: %s", fit_call_text(f, comm->symbol, text), lacks);
        return false;
    }
    const bool are_all = !strcmp(condition, "1");
    comm->is_world = are_all && !strcmp(colour, "0") && !*key;
    if (are_all)
        snprintf(comm->text, sizeof comm->text, "%s%s%s", colour, *key ? ", " : "", key);
    else
        snprintf(comm->text, sizeof comm->text, "(%s) ? %s : null%s%s", condition, colour,
                 *key ? ", " : "", key);
    return true;
}

/* Whether the expressions that have the communicator must be parsed again. `was`: as they were
 * parsed; then, all communicators from this one on are unknown. */
static bool is_changed(const fitting *f, uint32_t i, fit_comm *was)
{
    const fit_comm *now = fit_comm_at(f, SKEL_FIRST_COMM + i);
    const char *a = *was[i].text ? was[i].text : "0", *b = *now->text ? now->text : "0";
    if (!now->is_copied && !was[i].is_copied && !strcmp(a, b))
        return false;
    memset(was + i, 0, (f->comms.n - i) * sizeof *was);
    was[i] = *now;
    return true;
}

bool fit_comms(fitting *f)
{
    skel_array samples = {0};
    bool found = !f->comms.n || take_samples(f, &samples);
    fit_comm *was = calloc(f->comms.n + 1, sizeof *was);
    if (!was) {
        fit_out_of_memory(f);
        free(samples.items);
        return false;
    }
    for (uint32_t i = 0; i < f->comms.n; i++) {
        was[i] = *fit_comm_at(f, SKEL_FIRST_COMM + i);
        *fit_comm_at(f, SKEL_FIRST_COMM + i) = (fit_comm){.symbol = was[i].symbol};
    }
    for (uint32_t i = 0; found && i < f->comms.n && f->status == TL_OK; i++) {
        f->unknown = SKEL_FIRST_COMM + i;
        found = explain_comm(f, f->unknown, &samples);
        if (found && is_changed(f, i, was))
            fit_candidates_again(f);
    }
    f->unknown = 0;
    if (!found) /* those behind are unknown now */
        fit_candidates_again(f);
    free(was);
    free(samples.items);
    return found && f->status == TL_OK;
}

/* ---- comparison ---- */

bool fit_same_comms(const fitting *f, const skeleton *s, uint32_t capture, char why[400])
{
    char text[300];
    for (uint32_t i = 0; i < f->comms.n; i++)
        for (uint32_t rank = 0; rank < f->captures[capture].n_ranks; rank++) {
            const tl_comm *own = fit_comm_of(f, capture, rank, SKEL_FIRST_COMM + i);
            const skel_comm *made = skel_comm_at(s, SKEL_FIRST_COMM + i);
            const uint32_t n = own ? own->n_members : 0;
            if (!own && is_duplicate(f, SKEL_FIRST_COMM + i))
                continue;
            if (n == made->size[rank] &&
                (!n || !memcmp(own->members, made->members + made->first[rank],
                               n * sizeof *own->members)))
                continue;
            fit_call_text(f, fit_comm_at(f, SKEL_FIRST_COMM + i)->symbol, text);
            snprintf(why, 400, "rank %" PRIu32 ": %.250s: other members", rank, text);
            return false;
        }
    return true;
}
