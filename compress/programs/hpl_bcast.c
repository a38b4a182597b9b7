/* hpl_bcast.c - the broadcast of a panel along a process row: HPL_bcast_1ring, _1rinM, _2ring,
 * _2rinM, _blong and _blonM.
 *
 * The ring broadcasts poll: between pieces of its own work, a rank tests for its message by
 * MPI_Iprobe. When the message is there, the rank receives it and passes it on. The long broadcasts
 * block. */
#include "hpl.h"

static void send_panel(hpl_rank *r, const hpl_panel *panel, uint16_t call, int32_t to)
{
    hpl_message_in_row(r, call, HPL_AT_BCAST, to, panel->length, panel->tag);
}

/* ---- rings ---- */

/* The distances from the root of the ranks before and after this one in the ring; 0: none. */
typedef struct ring {
    int32_t from;
    int32_t to[3];
    int n_to;
} ring;

static ring ring_root(int kind, int32_t size, int32_t second)
{
    const bool is_modified = kind == HPL_1RING_M || kind == HPL_2RING_M;
    ring at = {.to = {1}, .n_to = 1};
    if (size <= 2)
        return at;
    if (is_modified && (kind == HPL_1RING_M || second != 2))
        at.to[at.n_to++] = 2;
    if (kind == HPL_2RING || kind == HPL_2RING_M)
        at.to[at.n_to++] = second;
    return at;
}

static ring ring_at(int kind, int32_t size, int32_t distance)
{
    const bool is_double = kind == HPL_2RING || kind == HPL_2RING_M;
    const bool is_modified = kind == HPL_1RING_M || kind == HPL_2RING_M;
    const int32_t second = is_double ? (size + 1) / 2 % size : 0, next = distance + 1;
    if (distance == 0)
        return ring_root(kind, size, second);
    const int from_root = distance == 1 || (is_double && distance == second) ||
                          (is_modified && distance == 2 && size > 2);
    const int passes_on =
        next < size && !(is_modified && distance == 1) && !(is_double && next == second);
    return (ring){.from = from_root ? 0 : distance - 1, .to = {next}, .n_to = passes_on};
}

static void ring_pass(hpl_rank *r, const hpl_panel *panel)
{
    const int32_t size = r->p->o.q, distance = hpl_subtract(r->col, panel->pcol, size);
    const ring at = ring_at(r->p->o.bcast, size, distance);
    if (distance)
        send_panel(r, panel, TL_MPI_Recv, hpl_add(panel->pcol, at.from, size));
    for (int i = 0; i < at.n_to; i++)
        send_panel(r, panel, TL_MPI_Send, hpl_add(panel->pcol, at.to[i], size));
}

/* ---- long: spread the pieces along a binomial tree, then roll them ---- */

/* The ranks that take part, numbered from the root. In the modified form, the rank after the root
 * does not take part, because it has already received the panel. */
typedef struct circle {
    int32_t size, own, pcol, q;
    bool is_modified;
} circle;

static int32_t circle_column(const circle *c, int32_t member)
{
    return hpl_add(c->pcol, member && c->is_modified ? member + 1 : member, c->q);
}

static void pass_piece(hpl_rank *r, const hpl_panel *panel, uint16_t call, int32_t column,
                       int64_t doubles)
{
    hpl_message_in_row(r, call, HPL_AT_BCAST, column, doubles > 0 ? doubles : 0, panel->tag);
}

static void spread_pieces(hpl_rank *r, const hpl_panel *panel, const circle *c, int64_t piece)
{
    int32_t bit = c->size > 1 ? hpl_power_of_two(c->size - 1) : 1, mask = 2 * bit - 1;
    int32_t left = c->own, first = bit;
    while (bit > 0) {
        mask ^= bit;
        if (!(c->own & mask)) {
            int64_t doubles = panel->length - first * piece;
            if (first + bit < c->size && doubles > bit * piece)
                doubles = bit * piece;
            const int32_t partner = c->own ^ bit;
            if (c->own & bit)
                pass_piece(r, panel, TL_MPI_Recv, circle_column(c, partner), doubles);
            else if (partner < c->size)
                pass_piece(r, panel, TL_MPI_Ssend, circle_column(c, partner), doubles);
        }
        if (left < bit) {
            bit >>= 1;
            first -= bit;
        } else {
            left -= bit;
            bit >>= 1;
            first += bit;
        }
    }
}

static int64_t piece_doubles(const hpl_panel *panel, const circle *c, int32_t i, int64_t piece)
{
    const int64_t from = i * piece, to = i == c->size - 1 ? panel->length : from + piece;
    return (to < panel->length ? to : panel->length) - from;
}

static void roll_pieces(hpl_rank *r, const hpl_panel *panel, const circle *c, int64_t piece)
{
    const int32_t size = c->size;
    for (int32_t k = 0; k < size - 1; k++) {
        const hpl_turn turn = hpl_turn_of(c->own, k, size);
        const int32_t partner = circle_column(c, turn.partner);
        pass_piece(r, panel, TL_MPI_Issend, partner, piece_doubles(panel, c, turn.sent, piece));
        pass_piece(r, panel, TL_MPI_Recv, partner, piece_doubles(panel, c, turn.received, piece));
        hpl_wait(r, HPL_AT_BCAST);
    }
}

static void long_pass(hpl_rank *r, const hpl_panel *panel)
{
    const int32_t q = r->p->o.q, distance = hpl_subtract(r->col, panel->pcol, q);
    circle c = {.size = q,
                .own = distance,
                .pcol = panel->pcol,
                .q = q,
                .is_modified = r->p->o.bcast == HPL_LONG_M};
    if (c.is_modified) {
        if (distance == 0)
            send_panel(r, panel, TL_MPI_Ssend, hpl_add(panel->pcol, 1, q));
        if (distance == 1)
            send_panel(r, panel, TL_MPI_Recv, panel->pcol);
        if (distance == 1 || q == 2)
            return;
        c.size--;
        c.own -= c.own > 0;
    }
    const int64_t piece = panel->length / c.size > 1 ? panel->length / c.size : 1;
    spread_pieces(r, panel, &c, piece);
    roll_pieces(r, panel, &c, piece);
}

void hpl_broadcast(hpl_rank *r, hpl_panel *panel)
{
    if (r->p->o.q <= 1)
        return;
    if (r->p->o.bcast >= HPL_LONG)
        long_pass(r, panel);
    else
        ring_pass(r, panel);
}

/* ---- polling ---- */

/* MPI_Iprobe for the panel, in a ring. */
static void probe_for(const hpl_rank *r, const hpl_panel *panel, hpl_item *probe)
{
    const int32_t size = r->p->o.q, distance = hpl_subtract(r->col, panel->pcol, size);
    const ring at = ring_at(r->p->o.bcast, size, distance);
    const int32_t column = hpl_add(panel->pcol, at.from, size);
    *probe = (hpl_item){.call = TL_MPI_Iprobe,
                        .site = HPL_AT_BCAST,
                        .peer = r->p->o.column_major ? column * r->p->o.p + r->row
                                                     : r->row * size + column,
                        .tag = panel->tag};
}

static int ask(hpl_rank *r, const hpl_item *probe)
{
    tl_event event;
    hpl_event(r, probe, &event);
    return r->ask(r->ask_arg, &event);
}

/* The root has the panel, and the long broadcasts do not look for it. */
static bool needs_no_probe(const hpl_rank *r, const hpl_panel *panel)
{
    return r->col == panel->pcol || r->p->o.bcast >= HPL_LONG;
}

/* Without a replay, the panel comes after the share of the columns that the parameters give. */
static bool is_asked(const hpl_rank *r)
{
    return r->ask && r->p->o.receive < 0;
}

/* Whether the panel has come. The replay decides this, or gets the probe first (negative). */
static int has_come(hpl_rank *r, const hpl_panel *panel)
{
    if (needs_no_probe(r, panel))
        return 1;
    if (!is_asked(r)) {
        const double share = r->p->o.receive >= 0 ? r->p->o.receive : TL_HPL_RECEIVE;
        return (double)r->columns_done >= share * (double)r->columns;
    }
    hpl_item probe;
    probe_for(r, panel, &probe);
    const int answer = r->ahead ? -1 : ask(r, &probe);
    if (answer < 0)
        *hpl_next_item(r) = probe;
    return answer;
}

static void pass_on(hpl_rank *r)
{
    hpl_broadcast(r, r->pending);
    r->pending = NULL;
}

enum { LOOK, ANSWERED };

static int poll(hpl_rank *r, hpl_task *t)
{
    if (t->state == ANSWERED) {
        hpl_take_answer(r);
        return 1;
    }
    const int is_there = has_come(r, t->panel);
    if (is_there < 0) {
        t->state = r->ahead ? ANSWERED : LOOK;
        return 0;
    }
    if (is_there)
        pass_on(r);
    return 1;
}

int hpl_polls_ahead(const hpl_rank *r)
{
    return r->ahead && r->pending && is_asked(r) && !needs_no_probe(r, r->pending);
}

void hpl_put_probe(hpl_rank *r)
{
    probe_for(r, r->pending, hpl_next_item(r));
}

int hpl_take_answer(hpl_rank *r)
{
    hpl_item probe;
    probe_for(r, r->pending, &probe);
    const int is_there = ask(r, &probe) > 0;
    if (is_there)
        pass_on(r);
    return is_there;
}

void hpl_poll(hpl_rank *r)
{
    if (r->pending)
        hpl_begin(r, poll)->panel = r->pending;
}
