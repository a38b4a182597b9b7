/* phases.c - cuts the computation of the ranks into phases, and balances each of them. */
#include "config.h"

#include "phases.h"

#include "core/room.h"

#include <math.h>
#include <stdlib.h>

/* ---- where a phase ends ---- */

enum { A_MESSAGE = 1, A_PART = 2 }; /* given: sent to a rank; contributed at a root */

typedef enum phase_end { GOES_ON, IN_EXCHANGE, IN_SYNC } phase_end;

static phase_end end_of_collective(unsigned *given, tl_needs needs, bool has_all)
{
    switch (needs) {
    case TL_NEEDS_ALL: return has_all ? IN_SYNC : IN_EXCHANGE;
    case TL_NEEDS_ALL_AT_ROOT: /* it waits for all: what follows is another phase */
        *given |= A_PART;
        return has_all ? IN_SYNC : GOES_ON;
    case TL_NEEDS_ROOT: /* all wait for it; after a reduction, they need what all have given */
        return has_all ? IN_SYNC : *given & A_PART ? IN_EXCHANGE : GOES_ON;
    case TL_NEEDS_LOWER:
    case TL_NEEDS_NEIGHBOURS: return IN_EXCHANGE;
    default: return GOES_ON;
    }
}

static phase_end end_of_call(unsigned *given, uint16_t call, bool has_all)
{
    const tl_call_info *info = tl_call_by_code(call);
    if (!info || info->traits & TL_TRAIT_PERSISTENT)
        return GOES_ON;
    const tl_meaning *meaning = tl_meaning_of(info->action);
    if (meaning->kind == TL_KIND_SEND || info->action == TL_ACTION_START ||
        (info->traits & TL_TRAIT_NB && tl_is_collective(info->action))) {
        *given |= A_MESSAGE;
        return GOES_ON;
    }
    if (info->traits & TL_TRAIT_NB)
        return GOES_ON;
    if (meaning->kind == TL_KIND_SENDRECV)
        return IN_EXCHANGE;
    if (meaning->kind == TL_KIND_RECEIVE || info->action == TL_ACTION_WAIT)
        return *given & A_MESSAGE ? IN_EXCHANGE : GOES_ON;
    return end_of_collective(given, meaning->needs, has_all);
}

static phase_end pass_call(unsigned *given, uint16_t call, bool has_all)
{
    const phase_end end = end_of_call(given, call, has_all);
    if (end != GOES_ON)
        *given = 0;
    return end;
}

/* ---- the phases of a program ---- */

static int begin_phase(tlr_phases *p)
{
    if (!tl_make_room(&p->of, p->n, &p->room, sizeof *p->of))
        return 0;
    p->of[p->n++] = (tlr_phase){0};
    return 1;
}

int tlr_phases_compute(tlr_phases *p, double computed_s)
{
    if (!p->n && !begin_phase(p))
        return 0;
    p->of[p->n - 1].s += computed_s;
    return 1;
}

int tlr_phases_call(tlr_phases *p, uint16_t call, bool has_all)
{
    const phase_end end = pass_call(&p->given, call, has_all);
    if (end == GOES_ON)
        return 1;
    if (!tlr_phases_compute(p, 0))
        return 0;
    p->of[p->n - 1].is_synced = end == IN_SYNC;
    return begin_phase(p);
}

void tlr_phases_free(tlr_phases *rows, size_t n_rows)
{
    for (size_t i = 0; rows && i < n_rows; i++)
        free(rows[i].of);
    free(rows);
}

/* ---- in balance ---- */

/* The phases of a row between two collectives of all ranks, or some of these. */
typedef struct stretch {
    size_t from, n;
    double least_s; /* what a phase that works takes: other phases are between two exchanges with
                       different ranks, of which ranks at a border have fewer */
} stretch;

static size_t count_syncs(const tlr_phases *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        n += (size_t)p->of[i].is_synced;
    return n;
}

static stretch stretch_from(const tlr_phases *p, size_t from, bool are_synced)
{
    size_t to = from;
    while (to < p->n && !(p->of[to].is_synced && are_synced))
        to++;
    stretch all = {from, to - from + (to < p->n), 0};
    for (size_t i = 0; i < all.n; i++)
        all.least_s += 0.1 * p->of[from + i].s / (double)all.n;
    return all;
}

static size_t count_works(const tlr_phases *p, const stretch *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += p->of[s->from + i].s > s->least_s;
    return n;
}

/* From here, all up to the second phase that works. */
static stretch next_work(const tlr_phases *p, const stretch *s, size_t from)
{
    size_t to = from, n = 0;
    for (; to < s->from + s->n; to++)
        if (p->of[to].s > s->least_s && ++n == 2)
            break;
    return (stretch){from, to - from, 0};
}

/* Makes one phase of the part of each row. 0: nobody computes in it. */
static int balance_phase(tlr_phases *rows, size_t n_rows, const stretch *part)
{
    double mean_s = 0, n_ranks = 0;
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t i = 0; i < part[r].n; i++)
            mean_s += rows[r].of[part[r].from + i].s * rows[r].n_ranks;
        n_ranks += rows[r].n_ranks;
    }
    mean_s /= n_ranks;
    for (size_t r = 0; r < n_rows; r++) {
        tlr_phase *phases = rows[r].of + part[r].from;
        double own_s = 0;
        for (size_t i = 0; i < part[r].n; i++)
            own_s += phases[i].s;
        for (size_t i = 0; i < part[r].n; i++)
            phases[i].s = own_s > 0 ? mean_s / own_s : i ? 0 : -mean_s;
    }
    return mean_s > 0;
}

/* The number of phases that work, the least of all rows; 0 if it differs by more than what a rank
 * computes at its ends. */
static size_t count_common_works(const tlr_phases *rows, size_t n_rows, const stretch *of)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t r = 0; r < n_rows; r++) {
        const size_t n = count_works(&rows[r], &of[r]);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    return most - least > 2 || most - least > least / 10 ? 0 : least;
}

/* Balances a stretch of each row: phase by phase, if they have as many; otherwise those that work,
 * if they have as many; otherwise it is one phase. Returns their number. */
static size_t balance_stretch(tlr_phases *rows, size_t n_rows, const stretch *of, stretch *part)
{
    const size_t n_works = count_common_works(rows, n_rows, of);
    bool is_alike = 1;
    size_t n = 0;
    for (size_t r = 1; r < n_rows; r++)
        is_alike &= of[r].n == of[0].n;
    const size_t n_parts = is_alike ? of[0].n : n_works ? n_works : 1;
    for (size_t k = 0; k < n_parts; k++) {
        for (size_t r = 0; r < n_rows; r++) {
            const size_t from = k ? part[r].from + part[r].n : of[r].from;
            part[r] = is_alike          ? (stretch){from, 1, 0}
                      : k < n_parts - 1 ? next_work(&rows[r], &of[r], from)
                                        : (stretch){from, of[r].from + of[r].n - from, 0};
        }
        n += (size_t)balance_phase(rows, n_rows, part);
    }
    return n;
}

int tlr_phases_balance(tlr_phases *rows, size_t n_rows, size_t *n_phases)
{
    stretch *of = calloc(2 * n_rows + 1, sizeof *of);
    const size_t n_syncs = n_rows ? count_syncs(&rows[0]) : 0;
    bool are_synced = 1, goes_on = n_rows > 0;
    if (!of)
        return 0;
    *n_phases = 0;
    for (size_t r = 0; r < n_rows; r++) {
        if (!tlr_phases_compute(&rows[r], 0)) {
            free(of);
            return 0;
        }
        are_synced &= count_syncs(&rows[r]) == n_syncs;
    }
    while (goes_on) {
        goes_on = 0;
        for (size_t r = 0; r < n_rows; r++) {
            of[r] = stretch_from(&rows[r], of[r].from + of[r].n, are_synced);
            goes_on |= of[r].from + of[r].n < rows[r].n;
        }
        *n_phases += balance_stretch(rows, n_rows, of, of + n_rows);
    }
    free(of);
    return 1;
}

/* ---- the clock ---- */

void tlr_phases_start(const tlr_phases *p, tlr_clocks *clocks)
{
    clocks->s[CLOCK_BALANCE] += fmax(0, -p->of[0].s);
}

void tlr_phases_computed(const tlr_phases *p, const tlr_phase_place *at, double took_s,
                         tlr_clocks *clocks)
{
    clocks->s[CLOCK_BALANCE] += took_s * (at->phase < p->n ? fmax(0, p->of[at->phase].s) : 1);
}

void tlr_phases_called(const tlr_phases *p, tlr_phase_place *at, uint16_t call, bool has_all,
                       tlr_clocks *clocks)
{
    if (pass_call(&at->given, call, has_all) != GOES_ON && ++at->phase < p->n)
        clocks->s[CLOCK_BALANCE] += fmax(0, -p->of[at->phase].s);
}
