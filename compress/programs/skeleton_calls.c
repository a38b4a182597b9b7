/* skeleton_calls.c - parses the calls of a skeleton: a line of 'timeless dump', with expressions in
 * place of numbers. */
#include "config.h"

#include "skeleton.h"

#include "actions.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

bool skel_knows(const tl_call_info *row)
{
    switch (row->action) {
    case TL_ACTION_SEND:
    case TL_ACTION_SENDRECV:
    case TL_ACTION_ISEND:
    case TL_ACTION_REGION:
    case TL_ACTION_SLEEP: return true;
    case TL_ACTION_RECV: return row->code == TL_MPI_Recv;
    case TL_ACTION_IRECV: return row->code == TL_MPI_Irecv;
    case TL_ACTION_WAIT: return row->code == TL_MPI_Wait || row->code == TL_MPI_Waitall;
    case TL_ACTION_KERNEL:
        return row->dimensions && *row->dimensions && row->code != TL_KERNEL_user;
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_COMM_SPLIT:
    case TL_ACTION_COMM_CREATE: return !(row->traits & TL_TRAIT_NB);
    case TL_ACTION_COMM_FREE:
    case TL_ACTION_WIN_FREE:
    case TL_ACTION_WIN_FENCE:
    case TL_ACTION_WIN_LOCK_ALL:
    case TL_ACTION_WIN_UNLOCK_ALL:
    case TL_ACTION_WIN_FLUSH:
    case TL_ACTION_WIN_FLUSH_ALL: return true;
    case TL_ACTION_WIN_CREATE: return row->code != TL_MPI_Win_create_dynamic;
    case TL_ACTION_PUT:
    case TL_ACTION_GET:
    case TL_ACTION_ACCUMULATE: return !(row->traits & TL_TRAIT_NB);
    default:
        return row->action >= TL_ACTION_BARRIER && row->action <= TL_ACTION_IEXSCAN &&
               !(row->traits & TL_TRAIT_PERSISTENT) &&
               tl_meaning_of(row->action)->sent != TL_SIZE_BYTES;
    }
}

bool skel_has_counts(const tl_call_info *row, int slot)
{
    const tl_meaning *m = tl_meaning_of(row->action);
    return tl_is_collective(row->action) && row->slots & TL_SLOT_LIST &&
           (slot == SKEL_SLOT_COUNTS ? m->sent : m->received) == TL_SIZE_LIST;
}

static const tl_call_info *find_call(skel_parser *p)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", p->token.size < 60 ? (int)p->token.size : 60,
             p->token.start);
    const tl_call_info *row = tl_call_by_name(name);
    if (!row)
        skel_wrong(p, p->token.line,
                   "'%s' is no statement and no call; write a statement of doc/SKELETON.md, or a "
                   "call as 'timeless dump' prints it",
                   name);
    else if (row->action == TL_ACTION_INIT || row->action == TL_ACTION_FINALIZE)
        skel_wrong(p, p->token.line,
                   "%s belongs to every rank without a statement; remove the line", name);
    else if (!skel_knows(row))
        skel_wrong(p, p->token.line,
                   "%s is not in the language; doc/SKELETON.md lists the calls that are", name);
    return p->status == TL_OK ? row : NULL;
}

/* Fields that are no slot of an event. */
static const struct {
    const char *name;
    int slot;
    bool is_list;
} others[] = {{"in_place", SKEL_SLOT_IN_PLACE, false},
              {"noncommutative", SKEL_SLOT_NONCOMMUTATIVE, false},
              {"counts", SKEL_SLOT_COUNTS, true},
              {"recv_counts", SKEL_SLOT_RECV_COUNTS, true}};

/* The slot of a field of this call; 0: it has no such field. */
static int slot_of(const tl_call_info *row, const skel_token *name)
{
    for (size_t i = 0; i < TL_N_TEXT_FIELDS; i++) {
        const char *known = tl_text_field_name(&tl_text_fields[i], row);
        if (row->slots & tl_text_fields[i].slot && strlen(known) == name->size &&
            !memcmp(known, name->start, name->size))
            return (int)tl_text_fields[i].slot;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].name) == name->size &&
            !memcmp(others[i].name, name->start, name->size) &&
            (others[i].is_list ? skel_has_counts(row, others[i].slot)
                               : tl_is_collective(row->action) && row->slots & TL_SLOT_FLAGS))
            return others[i].slot;
    return 0;
}

/* The name of the next size of a kernel. */
static bool is_next_size(const tl_call_info *row, unsigned n, const skel_token *name)
{
    const char *at = row->dimensions;
    for (unsigned i = 0; at && i < n; i++) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    const size_t size = at ? strcspn(at, " ") : 0;
    return size && size == name->size && !memcmp(at, name->start, size);
}

static void read_request(skel_parser *p, uint32_t number)
{
    const skel_token token = p->token;
    const char *const *names = p->s->requests.items;
    size_t i = 0;
    char text[64];
    if (token.kind != SKEL_T_NAME || (skel_is_reserved(&token) && !skel_is(p, "all"))) {
        skel_wrong(p, token.line, "%s instead of the name of a request; choose a name",
                   skel_found(p, text));
        return;
    }
    if (skel_is(p, "all")) {
        if (skel_statement_at(p, number)->row->code != TL_MPI_Waitall)
            skel_wrong(p, token.line, "only MPI_Waitall takes request=all; give a name");
        skel_advance(p);
        return;
    }
    while (i < p->s->requests.n &&
           (strlen(names[i]) != token.size || memcmp(names[i], token.start, token.size) != 0))
        i++;
    if (i == p->s->requests.n && !skel_keep(p, &token, &p->s->requests))
        return;
    skel_statement_at(p, number)->request = (uint32_t)i + 1;
    skel_advance(p);
    if (skel_accept(p, "[")) {
        const uint32_t index = skel_expression(p);
        skel_statement_at(p, number)->index = index;
        skel_expect(p, "]", "request=NAME[NUMBER]");
    }
}

/* Adds the field with the expression that was parsed last. */
static void add_field(skel_parser *p, uint32_t number, int slot, uint32_t expression)
{
    skel_field *field = skel_new(p, &p->s->fields, sizeof *field);
    if (!field)
        return;
    *field = (skel_field){slot, expression, p->draw};
    skel_statement_at(p, number)->n_fields++;
}

/* The number of a communicator. */
static uint32_t named_comm(skel_parser *p)
{
    char text[64];
    const skel_name *name = skel_name_of(p, SKEL_A_COMM);
    uint32_t number = SKEL_WORLD;
    if (skel_is(p, "self"))
        number = SKEL_SELF;
    else if (name)
        number = SKEL_FIRST_COMM + name->slot;
    else if (!skel_is(p, "world"))
        skel_wrong(p, p->token.line,
                   "%s is not a communicator; write world or self, or define one: comm NAME = "
                   "COLOUR, KEY",
                   skel_found(p, text));
    skel_advance(p);
    return number;
}

static void read_comm(skel_parser *p, uint32_t number)
{
    const uint32_t line = p->token.line, comm = named_comm(p);
    if (comm < SKEL_FIRST_COMM && skel_statement_at(p, number)->row->action == TL_ACTION_COMM_FREE)
        skel_wrong(p, line, "world and self cannot be freed; give another communicator");
    skel_statement_at(p, number)->comm = comm;
}

static void read_new_comm(skel_parser *p, uint32_t number)
{
    const uint32_t line = p->token.line, comm = named_comm(p);
    if (p->status != TL_OK)
        return;
    skel_comm *made =
        comm < SKEL_FIRST_COMM ? NULL : (skel_comm *)p->s->comms.items + comm - SKEL_FIRST_COMM;
    if (!made || made->maker) {
        skel_wrong(p, line, "%s exists already; define another communicator",
                   made ? made->name : "this communicator");
        return;
    }
    made->maker = number;
    skel_statement_at(p, number)->new_comm = comm;
}

/* A list of counts: an expression of `each`. */
static uint32_t count_of_each(skel_parser *p)
{
    static const char each[] = "each";
    skel_name *name = skel_new(p, &p->names, sizeof *name);
    if (!name)
        return 0;
    *name = (skel_name){.start = each, .size = sizeof each - 1, .slot = SKEL_EACH};
    const uint32_t node = skel_expression(p);
    p->names.n--;
    return node;
}

/* Takes NAME=EXPRESSION; returns its slot. */
static int read_field(skel_parser *p, uint32_t number, int seen, unsigned *n_sizes)
{
    const tl_call_info *row = skel_statement_at(p, number)->row;
    const skel_token name = p->token;
    char text[64], sizes[100] = "";
    int slot = name.kind == SKEL_T_NAME ? slot_of(row, &name) : 0;
    if (row->action == TL_ACTION_KERNEL)
        snprintf(sizes, sizeof sizes, "; write its sizes in the order %s", row->dimensions);
    if (row->action == TL_ACTION_KERNEL && is_next_size(row, *n_sizes, &name))
        slot = TL_SLOT_LIST;
    if (row->code == TL_MPI_Waitall && skel_is(p, "request"))
        slot = TL_SLOT_REQUEST;
    if (!slot)
        skel_wrong(p, name.line, "%s is not a field of %s%s", skel_found(p, text), row->name,
                   *sizes ? sizes : "; give the fields that 'timeless dump' prints");
    else if (seen & slot && slot != TL_SLOT_LIST)
        skel_wrong(p, name.line, "the field %s appears twice; remove one", skel_found(p, text));
    skel_advance(p);
    skel_expect(p, "=", "FIELD=EXPRESSION");
    if (p->status != TL_OK)
        return 0;
    *n_sizes += slot == TL_SLOT_LIST;
    p->may_draw = skel_may_draw(row, slot);
    if (slot == TL_SLOT_REQUEST)
        read_request(p, number);
    else if (slot == TL_SLOT_COMM)
        read_comm(p, number);
    else if (slot == TL_SLOT_NEW_COMM)
        read_new_comm(p, number);
    else if (skel_is(p, "any") && !skel_find_name(p, &p->token))
        skel_wrong(p, name.line,
                   "'any' is not in the language; give the rank and the tag of the "
                   "message that arrives");
    else if (slot == SKEL_SLOT_COUNTS || slot == SKEL_SLOT_RECV_COUNTS)
        add_field(p, number, slot, count_of_each(p));
    else
        add_field(p, number, slot, skel_expression(p));
    p->may_draw = false;
    return slot;
}

uint32_t skel_read_call(skel_parser *p)
{
    static const struct {
        int slot;
        const char *name;
    } needed[] = {{TL_SLOT_COUNT, "count"},
                  {TL_SLOT_PEER, "peer"},
                  {TL_SLOT_RECV_PEER, "recv_peer"},
                  {TL_SLOT_REQUEST, "request"},
                  {TL_SLOT_NEW_COMM, "new_comm"}};
    const tl_call_info *row = find_call(p);
    const uint32_t line = p->token.line, number = row ? skel_add(p, SKEL_CALL, line) : 0;
    int seen = 0;
    unsigned n_sizes = 0;
    if (!number)
        return 0;
    skel_statement_at(p, number)->row = row;
    skel_statement_at(p, number)->first_field = p->s->fields.n;
    skel_statement_at(p, number)->site = (uint32_t)++p->s->n_sites;
    skel_advance(p);
    while (p->status == TL_OK && p->token.kind != SKEL_T_LINE && p->token.kind != SKEL_T_END &&
           !skel_is(p, "}"))
        seen |= read_field(p, number, seen, &n_sizes);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (row->slots & (uint32_t)needed[i].slot && !(seen & needed[i].slot))
            skel_wrong(p, line, "%s has no %s; add %s=...", row->name, needed[i].name,
                       needed[i].name);
    for (int slot = SKEL_SLOT_COUNTS; slot <= SKEL_SLOT_RECV_COUNTS; slot *= 2)
        if (skel_has_counts(row, slot) && !(seen & slot))
            skel_wrong(p, line, "%s has no %scounts; add %scounts=...", row->name,
                       slot == SKEL_SLOT_COUNTS ? "" : "recv_",
                       slot == SKEL_SLOT_COUNTS ? "" : "recv_");
    skel_check_draws(p, number, seen);
    const skel_statement *st = skel_statement_at(p, number);
    if (st->new_comm)
        ((skel_comm *)p->s->comms.items)[st->new_comm - SKEL_FIRST_COMM].parent = st->comm;
    const bool is_made = row->slots & TL_SLOT_NEW_COMM;
    if ((row->action == TL_ACTION_COMM_FREE || (tl_is_on_window(row->action) && !is_made)) &&
        !(seen & TL_SLOT_COMM))
        skel_wrong(p, line, "%s has no comm; add comm=...", row->name);
    if (row->code == TL_MPI_Waitall && !(seen & TL_SLOT_REQUEST))
        skel_wrong(p, line, "MPI_Waitall has no request; add request=NAME, or request=all");
    if (row->action == TL_ACTION_REGION && !(seen & TL_SLOT_TAG))
        skel_wrong(p, line, "%s has no level; add level=...", row->name);
    if (row->action == TL_ACTION_KERNEL && n_sizes < tl_text_n_dimensions(row))
        skel_wrong(p, line, "%s has too few sizes; give %s", row->name, row->dimensions);
    return number;
}
