/* fit_holes.c - values that no expression has: they are copied from the capture whose sizes are
 * nearest, call site by call site (doc/SKELETON.md, "Holes").
 *
 * At a number of ranks that no capture has, a copied message must still have two ends. Calls whose
 * messages meet, and the waits for them, are therefore copied together, with all that differs
 * between their ranks. A value that is the same for all ranks of each capture harms no message, and
 * is copied alone. */
#include "config.h"

#include "fit.h"

#include "actions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_names[] = {"calls", "peers", "sizes", "tags"};
enum { N_PARTS = sizeof part_names / sizeof *part_names };

/* ---- the rows of values ---- */

typedef struct copied_row {
    fit_text text;
    int64_t last, times;
} copied_row;

static void end_run(fitting *f, copied_row *r)
{
    if (!r->times)
        return;
    fit_print(f, &r->text, "%s", r->text.size ? ", " : "");
    if (r->last == SKEL_NULL)
        fit_print(f, &r->text, "null");
    else
        fit_print(f, &r->text, "%" PRId64, r->last);
    if (r->times > 1)
        fit_print(f, &r->text, " * %" PRId64, r->times);
    r->times = 0;
}

static void add_value(fitting *f, copied_row *r, int64_t value)
{
    if (r->times && value != r->last)
        end_run(f, r);
    r->last = value;
    r->times++;
}

typedef struct asked {
    const fit_node *node;
    fit_getter *get;
    const void *arg;
    fit_part part;
    bool is_distance; /* from the rank to its peer, in the world */
    uint32_t comm;    /* the peer is a rank in it */
} asked;

/* The rank of the world that is this rank of its communicator. */
static int64_t in_world(const fitting *f, uint32_t capture, uint32_t rank, uint32_t comm,
                        int64_t peer)
{
    const tl_comm *own = comm < SKEL_FIRST_COMM ? NULL : fit_comm_of(f, capture, rank, comm);
    return own && peer >= 0 && peer < own->n_members ? own->members[peer] : peer;
}

/* The values of a rank; *i goes on to the samples of the next one. The skeleton evaluates a field
 * of each call that it makes, even if MPI ignores it there. */
static void read_row(fitting *f, const asked *a, uint32_t capture, uint32_t rank, size_t *i,
                     copied_row *r)
{
    const fit_sample *all = a->node->samples.items;
    const size_t *calls = fit_calls_only(a->node, a->get) ? a->node->calls.items : NULL;
    const size_t n = calls ? a->node->calls.n : a->node->samples.n;
    fit_print(f, &r->text, "%s", "");
    for (; *i < n; ++*i) {
        const fit_sample *sample = &all[calls ? calls[*i] : *i];
        int64_t value = 0;
        if (sample->capture != capture || sample->rank != rank)
            break;
        if ((a->part != FIT_CALLS && !sample->event) || !fit_is_used(f, a->node, sample))
            continue;
        if (!a->get(a->arg, sample, &value))
            value = 0;
        if (a->is_distance && value != SKEL_NULL)
            value = in_world(f, capture, rank, a->comm, value) - rank;
        add_value(f, r, value);
    }
    end_run(f, r);
}

/* The rows of the ranks of a capture; a row that is that of the rank before is "=". */
static void read_rows(fitting *f, const asked *a, uint32_t capture, size_t *i, char **first,
                      fit_copy *c)
{
    fit_text last = {0};
    uint32_t same = 0;
    for (uint32_t rank = 0; rank < f->captures[capture].n_ranks && f->status == TL_OK; rank++) {
        copied_row r = {0};
        read_row(f, a, capture, rank, i, &r);
        const bool is_same = rank && last.text && r.text.text && !strcmp(last.text, r.text.text);
        if (same && !is_same)
            fit_print(f, &c->rows, " | = * %" PRIu32, same);
        if (!is_same)
            fit_print(f, &c->rows, "%s%s", rank ? " | " : "", r.text.text ? r.text.text : "");
        same = is_same ? same + 1 : 0;
        c->is_common &= !rank || is_same;
        if (!rank && !*first)
            *first = strdup(r.text.text ? r.text.text : "");
        c->is_fixed &= *first && r.text.text && !strcmp(*first, r.text.text);
        free(last.text);
        last = r.text;
    }
    if (same)
        fit_print(f, &c->rows, " | = * %" PRIu32, same);
    free(last.text);
}

bool fit_copy_value(fitting *f, const fit_node *node, fit_getter *get, const void *arg,
                    fit_part part, char text[FIT_MAX_TEXT])
{
    const fit_symbol *s = &f->symbols[f->order[node->low]];
    const bool is_peer = part == FIT_PEERS, is_root = is_peer && !tl_is_message(s->row->action);
    const bool is_world =
        s->comm == SKEL_WORLD || (s->comm >= SKEL_FIRST_COMM && fit_comm_at(f, s->comm)->is_world);
    const asked a = {node, get, arg, part, is_peer && !is_root && s->comm != SKEL_SELF, s->comm};
    fit_copy *made = f->copies_now ? skel_push(&f->copies, sizeof *made) : NULL;
    if (!made)
        return false;
    size_t at = 0;
    char *first = NULL;
    bool is_first = true;
    *made = (fit_copy){.low = node->low,
                       .high = node->high,
                       .symbol = f->order[node->low],
                       .part = part,
                       .is_common = true,
                       .is_fixed = true};
    for (uint32_t c = 0; c < f->n_captures; c++)
        if (fit_uses(f, c)) {
            fit_print(f, &made->rows, "%s", is_first ? "" : " : ");
            is_first = false;
            read_rows(f, &a, c, &at, &first, made);
        }
    free(first);
    const size_t number = f->copies.n - 1;
    const unsigned comm = s->comm - SKEL_FIRST_COMM;
    if (a.is_distance && is_world)
        snprintf(text, FIT_MAX_TEXT, "partner(copy%zu)", number);
    else if (a.is_distance)
        snprintf(text, FIT_MAX_TEXT, "partner(copy%zu, comm%u)", number, comm);
    else if (is_root && is_world)
        snprintf(text, FIT_MAX_TEXT, "copied(copy%zu) %% ranks", number);
    else if (is_root && s->comm != SKEL_SELF)
        snprintf(text, FIT_MAX_TEXT, "copied(copy%zu) %% ranks_in(comm%u)", number, comm);
    else
        snprintf(text, FIT_MAX_TEXT, "copied(copy%zu)", number);
    return f->status == TL_OK;
}

static bool get_gate(const void *arg, const fit_sample *sample, int64_t *out)
{
    (void)arg;
    *out = sample->trips > 0;
    return true;
}

bool fit_copy_gate(fitting *f, const fit_node *node, char text[FIT_MAX_TEXT])
{
    const fit_sample *all = node->samples.items;
    const size_t n_copies = f->copies.n;
    bool any = false, every = true;
    for (size_t i = 0; i < node->samples.n; i++) {
        any |= all[i].trips > 0;
        every &= all[i].trips > 0;
    }
    if (!any || every || !fit_copy_value(f, node, get_gate, NULL, FIT_CALLS, text))
        return false;
    if (((fit_copy *)f->copies.items)[n_copies].is_common)
        return true;
    fit_copies_forget(f, n_copies);
    return false;
}

/* Notes what is copied of each call. A list that is the same in all captures is an expression. */
static void mark(fitting *f)
{
    const fit_copy *all = f->copies.items;
    for (size_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].copied = 0;
    for (size_t i = 0; i < f->copies.n; i++)
        for (uint32_t k = all[i].low; k <= all[i].high && !all[i].is_fixed; k++)
            f->symbols[f->order[k]].copied |= 1U << all[i].part;
}

/* ---- which calls are copied together ---- */

void fit_copies_forget(fitting *f, size_t first)
{
    fit_copy *all = f->copies.items;
    for (size_t i = first; i < f->copies.n; i++)
        free(all[i].rows.text);
    f->copies.n = first;
}

bool fit_is_copied_whole(const fitting *f, const fit_node *node)
{
    for (uint32_t i = node->low; f->order && i <= node->high; i++)
        if (f->symbols[f->order[i]].is_copied_whole)
            return true;
    return false;
}

static bool copy_whole(fitting *f, uint32_t symbol)
{
    const bool is_new = !f->symbols[symbol].is_copied_whole;
    f->symbols[symbol].is_copied_whole = true;
    return is_new;
}

/* Whether the calls whose messages meet, and the waits for them, have expressions for all but their
 * sizes. */
static bool lacks_only_sizes(const fitting *f, uint32_t symbol)
{
    const fit_copy *all = f->copies.items;
    const fit_symbol *own = &f->symbols[symbol];
    for (size_t i = 0; i < f->copies.n; i++)
        for (uint32_t k = all[i].low; k <= all[i].high && !all[i].is_common; k++) {
            const uint32_t other = f->order[k];
            if (all[i].part != FIT_SIZES && (f->groups[other] == f->groups[symbol] ||
                                             f->symbols[other].request == own->request))
                return false;
        }
    return !own->is_copied_whole;
}

/* The size of a collective is drawn: the ranks, or pairs of them, draw the same. So is that of a
 * message in a loop over partners, which would have the captured iterations otherwise. */
static bool may_be_drawn(const fitting *f, const fit_copy *c)
{
    const uint32_t symbol = f->order[c->low];
    const fit_symbol *s = &f->symbols[symbol];
    return c->part == FIT_SIZES &&
           (tl_is_collective(s->row->action) ||
            (s->has_partners && tl_is_message(s->row->action) && lacks_only_sizes(f, symbol)));
}

/* The calls whose messages meet those that are copied, and the waits for them, are copied, too. */
static void copy_ends(fitting *f)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < f->n_symbols; i++)
            for (uint32_t k = 0; f->symbols[i].is_copied_whole && k < f->n_symbols; k++)
                if (f->groups[i] == f->groups[k] || f->symbols[i].request == f->symbols[k].request)
                    again |= copy_whole(f, k);
    }
}

/* True: the next pass copies or draws more. */
static bool copy_more(fitting *f)
{
    const fit_copy *all = f->copies.items;
    bool more = false;
    for (size_t i = 0; i < f->copies.n; i++) {
        if (all[i].is_common)
            continue;
        const bool may_draw = may_be_drawn(f, &all[i]);
        if (may_draw && fit_draw_add(f, f->order[all[i].low]))
            more = true;
        else if (may_draw && fit_draw_of(f, f->order[all[i].low]))
            continue;
        else if (all[i].part != FIT_SIZES ||
                 tl_is_message(f->symbols[f->order[all[i].low]].row->action))
            for (uint32_t k = all[i].low; k <= all[i].high; k++)
                more |= copy_whole(f, f->order[k]);
    }
    if (more)
        copy_ends(f);
    return more;
}

/* ---- the arrangement that copies least ---- */

static double count_copied(const fitting *f)
{
    double n = 0;
    for (size_t c = 0; c < f->n_captures; c++)
        for (size_t i = 0; fit_uses(f, c) && i < f->captures[c].n_events; i++) {
            const uint32_t symbol = f->captures[c].events[i].symbol;
            n += f->symbols[symbol].copied || fit_draw_of(f, symbol);
        }
    return n;
}

static bool explain(fitting *f, int arrangement)
{
    fit_copies_forget(f, 0);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].has_partners = false;
    f->copied_lack = (fit_lack){0};
    f->copies_now = true;
    f->shared = ~0U;
    const bool ok = fit_arrange(f, arrangement);
    if (ok)
        mark(f);
    return ok;
}

/* With another parameter. */
static bool start_again(fitting *f)
{
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].is_copied_whole = false;
    return fit_comms(f) && fit_with_holes(f);
}

/* The arrangement that copies least with the short list of expressions. */
static int find_arrangement(fitting *f)
{
    double least = -1;
    int best = 0;
    f->is_wide = false;
    fit_limit_samples(f);
    for (int i = 0; i < 2 * FIT_N_SHAPES && f->status == TL_OK; i++) {
        const bool ok = explain(f, i);
        const double n = count_copied(f);
        if (ok && (least < 0 || n < least)) {
            least = n;
            best = i;
        }
        fit_loops_free(f);
    }
    f->is_wide = true;
    f->skipped = 0;
    return best;
}

bool fit_with_holes(fitting *f)
{
    enum { MAX_PASSES = 20 };
    if (f->left_out == f->n_captures)
        f->arrangement = find_arrangement(f);
    for (int i = 0; i < MAX_PASSES && f->status == TL_OK; i++) {
        const bool ok = explain(f, f->arrangement), more = ok && copy_more(f);
        fit_draw_prepare(f);
        fit_loops_free(f);
        if (!more)
            return ok && fit_add_iterations(f, &f->copied_lack) ? start_again(f) : ok;
    }
    return false;
}

/* ---- whose rows other ranks have ---- */

static char *text_to_score(fitting *f)
{
    char *text = fit_whole_text(f), *all = NULL;
    if (!text || asprintf(&all, "skeleton 1\n%s", text) < 0)
        all = NULL;
    if (!all)
        fit_out_of_memory(f);
    memset(f->scores, 0, f->n_symbols * sizeof *f->scores);
    free(text);
    return all;
}

/* Compares the text with the left-out capture. */
static void score(fitting *f)
{
    char why[400], *text = text_to_score(f);
    if (text)
        fit_verify(f, text, f->left_out, why);
    free(text);
}

/* Counts the open ends at more ranks than those of a capture. */
static void score_larger(fitting *f, size_t capture)
{
    const uint32_t n = f->captures[capture].n_ranks;
    char *text = text_to_score(f);
    if (text) {
        fit_count_open(f, text, n + (n + 2) / 3, capture);
        fit_count_open(f, text, 2 * n, capture);
    }
    free(text);
}

/* Removes what the text does not have: it was written and given up. */
static void keep_written(fitting *f)
{
    fit_written *all = f->lines.items;
    size_t n = 0;
    for (size_t i = 0; i < f->lines.n; i++) {
        const char *line = f->out.text + all[i].at, *name = f->symbols[all[i].symbol].row->name;
        if (all[i].at >= f->out.size || (all[i].at && line[-1] != '\n'))
            continue;
        line += strspn(line, " ");
        if (!strncmp(line, name, strlen(name)) && strchr(" \n", line[strlen(name)]))
            all[n++] = all[i];
    }
    f->lines.n = n;
}

static void set_places(fitting *f, fit_places places)
{
    for (size_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].places = places;
}

void fit_copy_in_order(fitting *f)
{
    f->blocks = (fit_places){0};
    set_places(f, f->blocks);
}

static bool is_same(fit_places a, fit_places b)
{
    return a.grid == b.grid && a.in_blocks == b.in_blocks;
}

void fit_write_places(const fit_places *places, FILE *out)
{
    if (places->grid)
        fprintf(out, " %s %s", places->in_blocks ? "in" : "by", places->grid->name);
}

/* Whether both calls need the same members of a communicator. */
static bool share_members(const fitting *f, uint32_t a, uint32_t b)
{
    const uint32_t comm = f->symbols[a].comm, made = f->symbols[a].new_comm;
    return (comm >= SKEL_FIRST_COMM && fit_comm_at(f, comm)->is_copied &&
            (f->symbols[b].comm == comm || f->symbols[b].new_comm == comm)) ||
           (made && fit_comm_at(f, made)->is_copied && f->symbols[b].comm == made);
}

/* Calls that must have the rows of the same ranks have the same number in `part`: those whose
 * messages meet, the waits for them, those on a communicator that is copied, and those of a loop.
 */
static void find_parts(const fitting *f, const uint32_t *first, const uint32_t *last,
                       uint32_t *part)
{
    for (uint32_t i = 0; i < f->n_symbols; i++)
        part[i] = i;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < f->n_symbols; i++)
            for (uint32_t k = 0; k < i; k++) {
                const uint32_t at = f->symbols[k].position, own = f->symbols[i].position;
                const bool meet = f->groups[i] == f->groups[k] ||
                                  f->symbols[i].request == f->symbols[k].request ||
                                  (at >= first[i] && at <= last[i]) ||
                                  (own >= first[k] && own <= last[k]) || share_members(f, i, k);
                if (!meet || part[i] == part[k])
                    continue;
                part[i] = part[k] = part[i] < part[k] ? part[i] : part[k];
                again = true;
            }
    }
}

typedef struct trial {
    fit_places best;
    uint64_t most;
    int64_t open;
} trial;

/* The sum over the symbols of a part. */
static fit_score sum_part(const fitting *f, const uint32_t *part, uint32_t p)
{
    fit_score sum = {0};
    for (uint32_t i = p; i < f->n_symbols; i++)
        if (part[i] == p) {
            sum.exact += f->scores[i].exact;
            sum.open += f->scores[i].open;
        }
    return sum;
}

/* Finds the blocks with the fewest open ends at more ranks. */
static void find_blocks(fitting *f, size_t largest)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i <= FIT_N_PLAIN_GRIDS && least > 0 && f->status == TL_OK; i++) {
        const fit_grid *grid = i ? &fit_grids[i - 1] : NULL;
        int64_t open = 0;
        if (grid && (grid->periodic || grid->n_dimensions < 2))
            continue;
        set_places(f, (fit_places){grid, grid != NULL});
        score_larger(f, largest);
        for (size_t k = 0; k < f->n_symbols; k++)
            open += f->scores[k].open;
        if (open < least) {
            least = open;
            f->blocks = f->symbols[0].places;
        }
    }
}

/* Keeps the grid for the parts of the program that have more of the capture with it. */
static void keep_better(const fitting *f, const uint32_t *part, fit_places places, trial *trials)
{
    for (uint32_t p = 0; p < f->n_symbols; p++) {
        const fit_score sum = sum_part(f, part, p);
        if (!sum.open && (sum.exact > trials[p].most || is_same(places, f->blocks)))
            trials[p] = (trial){.best = places, .most = sum.exact};
    }
}

static void try_grids(fitting *f, const uint32_t *part, trial *trials)
{
    set_places(f, f->blocks);
    score(f);
    keep_better(f, part, f->blocks, trials);
    for (size_t i = 0; i < FIT_N_GRIDS && f->status == TL_OK; i++) {
        const fit_places tried = {.grid = &fit_grids[i]};
        set_places(f, tried);
        score(f);
        keep_better(f, part, tried, trials);
    }
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].places = trials[part[i]].best;
}

/* Parts with fewer open ends at more ranks get blocks of ranks. Messages of several parts may have
 * the same tag, so those with the most open ends are the first. */
static bool use_blocks(const fitting *f, const uint32_t *part, trial *trials)
{
    int64_t most = 0;
    for (uint32_t p = 0; p < f->n_symbols; p++) {
        const int64_t more =
            is_same(trials[p].best, f->blocks) ? 0 : sum_part(f, part, p).open - trials[p].open;
        most = more > most ? more : most;
    }
    for (uint32_t p = 0; p < f->n_symbols && most; p++)
        if (!is_same(trials[p].best, f->blocks) &&
            2 * (sum_part(f, part, p).open - trials[p].open) >= most)
            trials[p].best = f->blocks;
    return most > 0;
}

/* Gives all calls blocks if ranks wait forever at more ranks, 3/2 in one direction of a grid, two
 * or both, and do not with blocks. */
static void end_larger(fitting *f, size_t capture, const uint32_t *part, const trial *trials)
{
    const uint32_t n = f->captures[capture].n_ranks, sizes[] = {n + (n + 1) / 2, 2 * n, 9 * n / 4};
    char *text = text_to_score(f);
    set_places(f, f->blocks);
    char *in_blocks = text ? text_to_score(f) : NULL;
    bool ok = true;
    for (size_t i = 0; ok && in_blocks && i < sizeof sizes / sizeof *sizes; i++)
        ok = fit_comes_to_end(f, text, sizes[i], capture) ||
             !fit_comes_to_end(f, in_blocks, sizes[i], capture);
    free(text);
    free(in_blocks);
    for (uint32_t i = 0; ok && i < f->n_symbols; i++)
        f->symbols[i].places = trials[part[i]].best;
}

static void try_blocks(fitting *f, size_t largest, const uint32_t *part, trial *trials)
{
    set_places(f, f->blocks);
    score_larger(f, largest);
    for (uint32_t p = 0; p < f->n_symbols; p++)
        trials[p].open = sum_part(f, part, p).open;
    do {
        for (uint32_t i = 0; i < f->n_symbols; i++)
            f->symbols[i].places = trials[part[i]].best;
        score_larger(f, largest);
    } while (f->status == TL_OK && use_blocks(f, part, trials));
    bool are_blocks = true;
    for (uint32_t i = 0; i < f->n_symbols; i++)
        are_blocks &= is_same(f->symbols[i].places, f->blocks);
    if (!are_blocks)
        end_larger(f, largest, part, trials);
}

/* Copies the calls whose messages and collectives are incomplete at each larger number of ranks
 * although the captured ranks repeat in blocks: their expressions hold at the captured sizes alone.
 * Programs for powers of two, squares or even numbers are complete at one of these sizes. False:
 * there is no such call. The calls keep their places. */
static bool copy_open(fitting *f, size_t largest, trial *trials)
{
    const uint32_t n = f->captures[largest].n_ranks, sizes[] = {n + (n + 2) / 3, 2 * n, 4 * n};
    const size_t n_sizes = sizeof sizes / sizeof *sizes;
    bool more = false;
    set_places(f, f->blocks);
    for (size_t k = 0; k < n_sizes && f->status == TL_OK; k++) {
        char *text = text_to_score(f);
        if (text)
            fit_count_open(f, text, sizes[k], largest);
        free(text);
        for (uint32_t i = 0; i < f->n_symbols; i++)
            trials[i].open += sum_part(f, f->groups, f->groups[i]).open != 0;
    }
    for (uint32_t i = 0; i < f->n_symbols; i++)
        if (trials[i].open == (int64_t)n_sizes)
            more |= copy_whole(f, i);
    if (more)
        copy_ends(f);
    f->has_copied_open |= more;
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].places = trials[i].best;
    return more;
}

bool fit_keep_open(fitting *f)
{
    if (!f->has_copied_open || f->keeps_open || f->left_out != f->n_captures)
        return false;
    f->keeps_open = true;
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].is_copied_whole = false;
    return true;
}

/* Finds the blocks, in place of those so far; `trials` has the other places of the calls. */
static void change_blocks(fitting *f, size_t largest, trial *trials)
{
    const fit_places before = f->blocks;
    for (uint32_t i = 0; i < f->n_symbols; i++)
        trials[i].best = f->symbols[i].places;
    find_blocks(f, largest);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        if (is_same(trials[i].best, before))
            trials[i].best = f->blocks;
}

bool fit_copy_places(fitting *f, size_t largest)
{
    bool again = false;
    const fit_copy *all = f->copies.items;
    const size_t n = f->n_symbols + 1;
    f->scores = calloc(n, sizeof *f->scores);
    uint32_t *part = calloc(3 * n, sizeof *part);
    trial *trials = calloc(n, sizeof *trials);
    f->counts = true;
    if (f->scores && part && trials) {
        uint32_t *first = part + n, *last = first + n;
        for (uint32_t i = 0; i < f->n_symbols; i++)
            first[i] = last[i] = f->symbols[i].position;
        for (size_t i = 0; i < f->copies.n; i++)
            last[all[i].symbol] =
                all[i].high > last[all[i].symbol] ? all[i].high : last[all[i].symbol];
        find_parts(f, first, last, part);
        keep_written(f);
        change_blocks(f, largest, trials);
        again = f->left_out == f->n_captures && !f->keeps_open && copy_open(f, largest, trials);
        if (f->left_out == largest)
            try_grids(f, part, trials);
        else if (!again)
            try_blocks(f, largest, part, trials);
    } else {
        fit_out_of_memory(f);
    }
    f->counts = false;
    free(f->scores);
    free(part);
    free(trials);
    f->scores = NULL;
    return again;
}

/* ---- the text ---- */

static void write_capture(const fitting *f, const fit_capture *c, FILE *out)
{
    const fit_iterations *iterations = f->iterations.items;
    fprintf(out, "capture ranks = %" PRIu32, c->n_ranks);
    for (size_t k = 0; k < f->n_names; k++)
        fprintf(out, ", %s = %" PRId64, f->names[k], c->values[k]);
    for (size_t k = 0; k < f->iterations.n; k++)
        if (f->out.text && fit_word_uses(f->out.text, iterations[k].name))
            fprintf(out, ", %s = %" PRId64, iterations[k].name,
                    iterations[k].lack.trips[c - f->captures]);
    fputc('\n', out);
}

void fit_capture_statements(const fitting *f, FILE *out)
{
    for (size_t i = 0; i < f->n_captures; i++)
        if (fit_uses(f, i))
            write_capture(f, &f->captures[i], out);
}

void fit_copy_statements(const fitting *f, FILE *out)
{
    const fit_copy *all = f->copies.items;
    if (f->copies.n && !fit_copies_comms(f))
        fit_capture_statements(f, out);
    for (size_t i = 0; i < f->copies.n; i++) {
        fprintf(out, "copies copy%zu", i);
        fit_write_places(&f->symbols[all[i].symbol].places, out);
        fprintf(out, " = %s\n", all[i].rows.text);
    }
}

typedef struct copied_share {
    double calls, bytes;
} copied_share;

/* What the symbols of [low, high) have, of all captures. */
static copied_share share_of(const fitting *f, uint32_t low, uint32_t high)
{
    copied_share sum = {0};
    for (size_t c = 0; c < f->n_captures; c++)
        for (size_t i = 0; i < f->captures[c].n_events; i++) {
            const fit_event *event = &f->captures[c].events[i];
            if (event->symbol < low || event->symbol >= high)
                continue;
            sum.calls++;
            sum.bytes += fit_bytes(&event->e);
        }
    return sum;
}

static void report_hole(const fitting *f, uint32_t symbol, copied_share share, FILE *out)
{
    const fit_symbol *s = &f->symbols[symbol];
    const char *separator = "";
    char text[300];
    fputs("# hole: ", out);
    for (unsigned p = 0; p < N_PARTS; p++)
        if (s->copied & 1U << p) {
            fprintf(out, "%s%s", separator, part_names[p]);
            separator = ", ";
        }
    fprintf(out, " of %s: %.1f %% of the calls, %.1f %% of the bytes%s%s\n",
            fit_call_text(f, symbol, text), 100 * share.calls, 100 * share.bytes,
            !s->places.grid       ? ""
            : s->places.in_blocks ? "; in blocks of the grid "
                                  : "; by places in the grid ",
            s->places.grid ? s->places.grid->name : "");
}

void fit_copy_report(const fitting *f, FILE *out)
{
    static const double least = 0.001;
    const copied_share all = share_of(f, 0, UINT32_MAX);
    copied_share copied = {0};
    unsigned n_small = 0;
    for (uint32_t k = 0; k < f->n_symbols; k++) {
        if (!f->symbols[k].copied)
            continue;
        copied_share own = share_of(f, k, k + 1);
        own.calls /= all.calls;
        own.bytes = all.bytes > 0 ? own.bytes / all.bytes : 0;
        copied.calls += own.calls;
        copied.bytes += own.bytes;
        if (own.calls >= least || own.bytes >= least)
            report_hole(f, k, own, out);
        else
            n_small++;
    }
    if (n_small)
        fprintf(out, "# other holes, each with less than %g %% of the calls and bytes: %u\n",
                100 * least, n_small);
    if (f->copies.n)
        fprintf(
            out,
            "# holes: %.1f %% of the calls with %.1f %% of the bytes have values that are copied "
            "from the nearest capture\n",
            100 * copied.calls, 100 * copied.bytes);
}
