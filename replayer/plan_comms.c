/* plan_comms.c - finds the definitions of different ranks that mean the same communicator.
 *
 * The definitions of two ranks mean the same communicator if they have the same members, the same
 * parent, the same tag, and the same index among the definitions of their rank with these members,
 * this parent and this tag; those of MPI_Comm_create_group are counted apart (timeless.h, tl_comm).
 */
#include "plan.h"

#include "actions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MAX_GAP = 1024 };

/* Properties that distinguish communicators with equal members. */
typedef struct origin {
    int32_t parent;
    uint32_t ordinal;
    uint64_t tag; /* tl_tag_mark */
    uint8_t kind; /* tlr_kind, and MADE_BY_GROUP */
} origin;

typedef struct claims {
    origin from;
    uint32_t n;    /* ranks that have the communicator */
    uint32_t last; /* 1 + the last of them */
} claims;

/* An open hash table from (members, origin) to the index of a communicator. */
typedef struct table {
    size_t n_slots;     /* a power of two */
    uint32_t *slots;    /* index + 1 */
    claims *claims;     /* by index */
    uint8_t *is_member; /* by rank: of the communicator that is checked; otherwise all zero */
} table;

static size_t slot_of(const table *t, const tlr_plan_comm *comm, origin from)
{
    const uint64_t rest[] = {comm->n_first, (uint64_t)from.parent, from.ordinal, from.tag,
                             from.kind};
    return XXH64(comm->members, comm->n_members * sizeof *comm->members,
                 XXH64(rest, sizeof rest, 0)) &
           (t->n_slots - 1);
}

/* The slot of this communicator, or the empty slot for it. */
static size_t find_slot(const table *t, const tlr_plan *plan, const tlr_plan_comm *comm,
                        origin from)
{
    size_t s = slot_of(t, comm, from);
    for (; t->slots[s]; s = (s + 1) & (t->n_slots - 1)) {
        const uint32_t i = t->slots[s] - 1;
        const tlr_plan_comm *other = &plan->comms[i];
        const origin *its = &t->claims[i].from;
        if (its->ordinal == from.ordinal && its->parent == from.parent && its->tag == from.tag &&
            its->kind == from.kind && other->n_members == comm->n_members &&
            other->n_first == comm->n_first &&
            !memcmp(other->members, comm->members, comm->n_members * sizeof *comm->members))
            return s;
    }
    return s;
}

int32_t tlr_plan_rank_in(const tlr_plan_comm *comm, int32_t world_rank)
{
    for (uint32_t i = 0; i < comm->n_members; i++)
        if (comm->members[i] == world_rank)
            return (int32_t)i;
    return -1;
}

/* The definition as all members see it: the two groups of an intercommunicator are in one order. */
static tl_status take_definition(const tl_comm *comm, tlr_plan_comm *out, tl_error *err)
{
    *out = (tlr_plan_comm){.n_members = comm->n_members, .members = comm->members};
    if (!comm->n_remote || !comm->n_members)
        return TL_OK;
    const int own_first = comm->members[0] < comm->remote[0];
    const size_t n = (size_t)comm->n_members + comm->n_remote;
    out->n_members = (uint32_t)n;
    out->n_first = own_first ? comm->n_members : comm->n_remote;
    out->members = out->own = malloc(n * sizeof *out->own);
    if (!out->own)
        return tl_no_memory(err, "communicators");
    memcpy(out->own, own_first ? comm->members : comm->remote, out->n_first * sizeof *out->own);
    memcpy(out->own + out->n_first, own_first ? comm->remote : comm->members,
           (n - out->n_first) * sizeof *out->own);
    return TL_OK;
}

/* The index of the parent. The two groups of an intercommunicator may each have made it from a
 * communicator of their own, unless they made it from an intercommunicator. */
static int32_t parent_of(const tlr_plan *plan, uint32_t rank, const tl_comm *comm)
{
    if (comm->parent >= comm->id)
        return TLR_PLAN_NO_COMM;
    const int32_t parent = plan->ranks[rank]->comms[comm->parent];
    return comm->n_remote && (parent < 0 || !plan->comms[parent].n_first) ? TLR_PLAN_NO_COMM
                                                                          : parent;
}

/* Members must be ranks of the trace, each of them once. */
static tl_status check_group(const table *t, const tlr_plan *plan, uint32_t rank, uint32_t id,
                             const tlr_plan_comm *comm, tl_error *err)
{
    tl_status status = TL_OK;
    uint32_t n = 0;
    for (; n < comm->n_members && status == TL_OK; n++) {
        const int32_t member = comm->members[n];
        if (member < 0 || (uint32_t)member >= plan->n_ranks)
            status =
                tl_fail(err, TL_ERR_CORRUPT,
                        "rank %u: communicator %u has a member %d that the trace does not have",
                        rank, id, member);
        else if (t->is_member[member])
            status =
                tl_fail(err, TL_ERR_CORRUPT,
                        "rank %u: communicator %u has rank %d twice as a member", rank, id, member);
        else
            t->is_member[member] = 1;
    }
    for (uint32_t i = 0; i < n; i++)
        if (comm->members[i] >= 0 && (uint32_t)comm->members[i] < plan->n_ranks)
            t->is_member[comm->members[i]] = 0;
    return status;
}

static bool is_in_own_group(const tl_comm *definition, uint32_t rank)
{
    for (uint32_t i = 0; i < definition->n_members; i++)
        if ((uint32_t)definition->members[i] == rank)
            return 1;
    return 0;
}

enum { MADE_BY_GROUP = 0x80 };

tlr_kind tlr_kind_made(tl_action action)
{
    return action == TL_ACTION_WIN_CREATE  ? TLR_KIND_WINDOW
           : action == TL_ACTION_FILE_OPEN ? TLR_KIND_FILE
                                           : TLR_KIND_COMM;
}

tlr_kind tlr_kind_of(const tl_comm *definition)
{
    const tl_call_info *maker = definition ? tl_call_by_code(definition->call) : NULL;
    return tlr_kind_made(maker ? maker->action : TL_ACTION_NONE);
}

static tl_status say_no_maker(uint32_t rank, uint32_t id, tl_error *err)
{
    return tl_fail(err, TL_ERR_CORRUPT,
                   "rank %u: does not say what its communicator %u was made from", rank, id);
}

/* The members of a communicator must be members of its parent. A window or a file must have all
 * members of its parent, in the same order. */
static tl_status check_maker(const table *t, const tlr_plan *plan, uint32_t rank,
                             const tl_comm *definition, const tlr_plan_comm *comm, int32_t parent,
                             tl_error *err)
{
    const uint32_t id = definition->id;
    const tl_call_info *maker = tl_call_by_code(definition->call);
    if (parent == TLR_PLAN_NO_COMM && tlr_kind_of(definition) != TLR_KIND_COMM)
        return say_no_maker(rank, id, err);
    if (parent == TLR_PLAN_NO_COMM)
        return TL_OK;
    const int32_t own = (int32_t)rank;
    const int32_t *members = parent == TLR_PLAN_SELF ? &own : plan->comms[parent].members;
    const uint32_t n = parent == TLR_PLAN_SELF ? 1 : plan->comms[parent].n_members;
    bool is_part = 1;
    if (tlr_kind_of(definition) != TLR_KIND_COMM) {
        is_part = comm->n_members == n && !memcmp(comm->members, members, n * sizeof *members) &&
                  tlr_kind_of(plan->ranks[rank]->definitions[definition->parent]) == TLR_KIND_COMM;
    } else if (members != plan->world) {
        for (uint32_t i = 0; i < n; i++)
            t->is_member[members[i]] = 1;
        for (uint32_t i = 0; i < comm->n_members; i++)
            is_part &= t->is_member[comm->members[i]];
        for (uint32_t i = 0; i < n; i++)
            t->is_member[members[i]] = 0;
    }
    return is_part ? TL_OK
                   : tl_fail(err, TL_ERR_CORRUPT,
                             "rank %u: number %u (%s) has other members than communicator %u, from "
                             "which it was made",
                             rank, id, maker->name, definition->parent);
}

/* Finds the communicator, or adds it, and assigns it to the rank under this id. Parts of *comm that
 * the plan takes over are removed from *comm. */
static tl_status enter(table *t, tlr_plan *plan, uint32_t rank, const tl_comm *definition,
                       tlr_plan_comm *comm, tl_error *err)
{
    const uint32_t id = definition->id;
    const int32_t parent = parent_of(plan, rank, definition);
    origin from = {
        .parent = parent, .tag = tl_tag_mark(definition), .kind = (uint8_t)tlr_kind_of(definition)};
    /* MPI_Comm_create_group is collective over the group, not over the parent: members may call it
     * before or after another constructor (MPI 3.1, section 6.4.2). */
    if (definition->call == TL_MPI_Comm_create_group)
        from.kind |= MADE_BY_GROUP;
    tl_status status = TL_OK;
    if (!is_in_own_group(definition, rank))
        return tl_fail(err, TL_ERR_CORRUPT, "rank %u: is no member of its communicator %u", rank,
                       id);
    if (!tl_call_by_code(definition->call))
        return say_no_maker(rank, id, err);
    /* The first number that this rank does not use yet. */
    size_t s = find_slot(t, plan, comm, from);
    while (t->slots[s] && t->claims[t->slots[s] - 1].last == rank + 1) {
        from.ordinal++;
        s = find_slot(t, plan, comm, from);
    }
    if (!t->slots[s]) {
        if ((status = check_group(t, plan, rank, id, comm, err)) != TL_OK ||
            (status = check_maker(t, plan, rank, definition, comm, parent, err)) != TL_OK)
            return status;
        plan->comms[plan->n_comms] = *comm;
        plan->comms[plan->n_comms].parent = parent;
        comm->own = NULL;
        t->claims[plan->n_comms].from = from;
        t->slots[s] = (uint32_t)++plan->n_comms;
    }
    t->claims[t->slots[s] - 1].n++;
    t->claims[t->slots[s] - 1].last = rank + 1;
    plan->ranks[rank]->comms[id] = (int32_t)(t->slots[s] - 1);
    return TL_OK;
}

/* Adds one definition of a rank. */
static tl_status add_definition(table *t, tlr_plan *plan, uint32_t rank, const tl_comm *definition,
                                tl_error *err)
{
    tlr_plan_comm comm;
    tl_status status = take_definition(definition, &comm, err);
    if (status == TL_OK)
        status = enter(t, plan, rank, definition, &comm, err);
    free(comm.own);
    return status;
}

static tl_status add_rank(tl_reader *trace, table *t, tlr_plan *plan, uint32_t rank, tl_error *err)
{
    const tl_comm *comms = NULL;
    size_t n = tl_reader_comms(trace, rank, &comms);
    tlr_plan_rank *r = plan->ranks[rank];
    /* The tables are indexed by these numbers, so the numbers must not be far apart. */
    const uint64_t most = TL_COMM_FIRST + 4 * (uint64_t)n + MAX_GAP;
    if (n && comms[n - 1].id > most)
        return tl_fail(err, TL_ERR_LIMIT,
                       "rank %u: defines %zu communicators, one of them with the number %u; number "
                       "them in order",
                       rank, n, comms[n - 1].id);
    r->n_comms = (n ? comms[n - 1].id : TL_COMM_SELF) + 1;
    r->comms = malloc(r->n_comms * sizeof *r->comms);
    r->definitions = calloc(r->n_comms, sizeof *r->definitions);
    r->sequences = calloc(r->n_comms, sizeof *r->sequences);
    if (!r->comms || !r->definitions || !r->sequences)
        return tl_no_memory(err, "communicators");
    for (uint32_t i = 0; i < r->n_comms; i++)
        r->comms[i] = TLR_PLAN_NO_COMM;
    r->comms[TL_COMM_WORLD] = TLR_PLAN_WORLD;
    r->comms[TL_COMM_SELF] = TLR_PLAN_SELF;
    for (size_t i = 0; i < n; i++) {
        r->definitions[comms[i].id] = &comms[i];
        r->uses_self |= comms[i].parent == TL_COMM_SELF;
        TL_TRY(add_definition(t, plan, rank, &comms[i], err));
    }
    return TL_OK;
}

/* Every member of a communicator must have defined it: otherwise its collectives would never end.
 */
static tl_status check_claims(const table *t, const tlr_plan *plan, tl_error *err)
{
    for (size_t i = 1; i < plan->n_comms; i++) {
        const tlr_plan_comm *comm = &plan->comms[i];
        if (t->claims[i].n == comm->n_members)
            continue;
        for (uint32_t m = 0; m < comm->n_members; m++) {
            const tlr_plan_rank *r = plan->ranks[comm->members[m]];
            int has = 0;
            for (uint32_t id = 0; id < r->n_comms && !has; id++)
                has = r->comms[id] == (int32_t)i;
            if (!has)
                return tl_fail(err, TL_ERR_CORRUPT,
                               "a communicator of %u ranks (%d, ...) is known to %u of them and "
                               "not to rank %d; record the run again",
                               comm->n_members, comm->members[0], t->claims[i].n, comm->members[m]);
        }
    }
    return TL_OK;
}

void tlr_plan_free_comms(tlr_plan *plan)
{
    for (size_t i = 0; i < plan->n_comms; i++)
        free(plan->comms[i].own);
    free(plan->comms);
}

tl_status tlr_plan_match_comms(tl_reader *trace, tlr_plan *plan, tl_error *err)
{
    size_t n_definitions = 1;
    for (uint32_t r = 0; r < plan->n_ranks; r++) {
        const tl_comm *comms;
        n_definitions += tl_reader_comms(trace, r, &comms);
    }
    table t = {.n_slots = 16};
    while (t.n_slots < 2 * n_definitions)
        t.n_slots *= 2;
    t.slots = calloc(t.n_slots, sizeof *t.slots);
    t.claims = calloc(n_definitions, sizeof *t.claims);
    t.is_member = calloc(plan->n_ranks + 1u, sizeof *t.is_member);
    plan->comms = calloc(n_definitions, sizeof *plan->comms);
    tl_status status = TL_OK;
    if (!t.slots || !t.claims || !t.is_member || !plan->comms) {
        status = tl_no_memory(err, "communicators");
        goto cleanup;
    }
    /* MPI_COMM_WORLD is not in the table, because a duplicate of it is another communicator. */
    plan->comms[plan->n_comms++] =
        (tlr_plan_comm){.n_members = plan->n_ranks, .members = plan->world};
    for (uint32_t r = 0; r < plan->n_ranks && status == TL_OK; r++)
        if (plan->ranks[r]->first == r)
            status = add_rank(trace, &t, plan, r, err);
    if (status == TL_OK)
        status = check_claims(&t, plan, err);
cleanup:
    free(t.slots);
    free(t.claims);
    free(t.is_member);
    return status;
}
