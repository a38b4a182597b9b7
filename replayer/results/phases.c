/* phases.c - cuts the computation of the ranks into phases, and balances each of them. */
#include "config.h"

#include "phases.h"

#include <math.h>
#include <stdlib.h>

/* ---- where a phase ends ---- */

enum { A_MESSAGE = 1, A_PART = 2 }; /* given: sent to a rank; contributed at a root */

typedef enum phase_end { GOES_ON, IN_EXCHANGE, IN_SYNC } phase_end;

static phase_end end_of_collective(unsigned *given, tl_needs needs, bool has_all)
{
    switch (needs) {
    case TL_NEEDS_ALL: return has_all ? IN_SYNC : IN_EXCHANGE;
    case TL_NEEDS_ALL_AT_ROOT: *given |= A_PART; return GOES_ON;
    case TL_NEEDS_ROOT: /* after a reduction, every rank needs what all have given */
        return !(*given & A_PART) ? GOES_ON : has_all ? IN_SYNC : IN_EXCHANGE;
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
    if (p->n == p->room) {
        const size_t room = 2 * p->room + 4;
        tlr_phase *of = realloc(p->of, room * sizeof *of);
        if (!of)
            return 0;
        p->of = of;
        p->room = room;
    }
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

/* The phases of a row between two collectives of all ranks. */
typedef struct stretch {
    size_t from, n;
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
    return (stretch){from, to - from + (to < p->n)};
}

/* Makes one phase of `n` phases of each row (0: of all in its stretch), from `at` in its stretch.
 * 0: nobody computes in it. */
static int balance_phase(tlr_phases *rows, size_t n_rows, const stretch *of, size_t at, size_t n)
{
    double mean_s = 0, n_ranks = 0;
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t i = 0; i < (n ? n : of[r].n); i++)
            mean_s += rows[r].of[of[r].from + at + i].s * rows[r].n_ranks;
        n_ranks += rows[r].n_ranks;
    }
    mean_s /= n_ranks;
    for (size_t r = 0; r < n_rows; r++) {
        tlr_phase *phases = rows[r].of + of[r].from + at;
        const size_t own = n ? n : of[r].n;
        double own_s = 0;
        for (size_t i = 0; i < own; i++)
            own_s += phases[i].s;
        for (size_t i = 0; i < own; i++)
            phases[i].s = own_s > 0 ? mean_s / own_s : i ? 0 : -mean_s;
    }
    return mean_s > 0;
}

int tlr_phases_balance(tlr_phases *rows, size_t n_rows, size_t *n_phases)
{
    stretch *of = calloc(n_rows + 1, sizeof *of);
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
        bool is_alike = 1;
        goes_on = 0;
        for (size_t r = 0; r < n_rows; r++) {
            of[r] = stretch_from(&rows[r], of[r].from + of[r].n, are_synced);
            is_alike &= of[r].n == of[0].n;
            goes_on |= of[r].from + of[r].n < rows[r].n;
        }
        for (size_t i = 0; is_alike && i < of[0].n; i++)
            *n_phases += (size_t)balance_phase(rows, n_rows, of, i, 1);
        if (!is_alike)
            *n_phases += (size_t)balance_phase(rows, n_rows, of, 0, 0);
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
