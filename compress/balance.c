/* balance.c - checks whether a part of a run contains both sides of every message and collective.
 *
 * Messages are counted, not listed. The memory depends on the number of communicating pairs of
 * ranks, not on the number of messages. */
#include "balance.h"

#include "actions.h"
#include "core/bytes.h"
#include "core/error.h"

#include <inttypes.h>

static uint64_t hash_group(const int32_t *members, uint32_t n, uint64_t seed)
{
    return tl_hash_of(members, n * sizeof *members, seed + n);
}

/* The value is the same on all members. The groups of an intercommunicator have no member in
 * common, and may each have made it from a communicator of their own. */
static uint64_t key_of_groups(const tl_balance *b, const tl_comm *c)
{
    if (!c->n_remote) {
        const uint64_t *parent = tl_map_find(&b->identities, c->parent);
        const uint64_t predefined = c->parent <= TL_COMM_SELF ? c->parent : TL_COMM_NULL;
        return hash_group(c->members, c->n_members, parent ? *parent : predefined);
    }
    bool own_first = c->n_members && c->members[0] < c->remote[0];
    uint64_t first =
        own_first ? hash_group(c->members, c->n_members, 0) : hash_group(c->remote, c->n_remote, 0);
    return own_first ? hash_group(c->remote, c->n_remote, first)
                     : hash_group(c->members, c->n_members, first);
}

/* Without a tag it is the number of the releases that wrote no tags, because an index contains it.
 */
static uint64_t key_of(const tl_balance *b, const tl_comm *c)
{
    const uint64_t key = key_of_groups(b, c), mark = tl_tag_mark(c);
    return mark ? tl_hash_of(&mark, sizeof mark, key) : key;
}

/* Communicators with the same members, parent and tag are distinguished by their order (see
 * tl_comm). */
tl_status tl_balance_begin_rank(tl_balance *b, uint32_t rank, tl_error *err)
{
    tl_map_free(&b->identities);
    tl_map_free(&b->own_numbers);
    b->n_own = 0;
    b->rank = rank;
    const tl_comm *comms;
    size_t n = tl_reader_comms(b->r, rank, &comms);
    tl_map before = {0};
    tl_status status = TL_OK;
    for (size_t i = 0; i < n && !status; i++) {
        uint64_t key = key_of(b, &comms[i]);
        uint64_t *same = tl_map_at(&before, key);
        uint64_t *identity = tl_map_at(&b->identities, comms[i].id);
        if (!same || !identity) {
            status = tl_no_memory(err, b->r->path);
            break;
        }
        *identity = tl_hash_of(same, sizeof *same, key);
        ++*same;
    }
    tl_map_free(&before);
    return status;
}

static tl_status identify(const tl_balance *b, uint32_t comm, uint64_t *out, tl_error *err)
{
    const uint64_t *known = tl_map_find(&b->identities, comm);
    *out = known ? *known : comm;
    if (known || comm == TL_COMM_WORLD)
        return TL_OK;
    return tl_fail(err, TL_ERR_CORRUPT,
                   "%s: rank %" PRIu32 " uses communicator %" PRIu32
                   ", which it has not defined; record the run again",
                   b->r->path, b->rank, comm);
}

tl_status tl_balance_message(tl_balance *b, int account, bool by_sender, uint32_t comm,
                             int32_t peer, int32_t tag, int times, tl_error *err)
{
    if (peer == TL_PROC_NULL || comm == TL_COMM_SELF)
        return TL_OK;
    uint64_t identity;
    TL_TRY(identify(b, comm, &identity, err));
    const tl_comm *defined = tl_reader_comm(b->r, b->rank, comm);
    const int32_t *members = NULL; /* those that `peer` counts; NULL: of the world */
    uint32_t n_members = b->r->header.run.n_ranks;
    if (defined) {
        members = defined->n_remote ? defined->remote : defined->members;
        n_members = defined->n_remote ? defined->n_remote : defined->n_members;
    }
    if (peer < 0 || (uint32_t)peer >= n_members)
        return tl_fail(err, TL_ERR_CORRUPT,
                       "%s: rank %" PRIu32 " has a message with rank %" PRId32
                       " of a communicator of %" PRIu32 "; record the run again",
                       b->r->path, b->rank, peer, n_members);
    uint32_t other = members ? (uint32_t)members[peer] : (uint32_t)peer;
    uint64_t key[2] = {
        by_sender ? (uint64_t)b->rank << 32 | other : (uint64_t)other << 32 | b->rank, identity};
    const uint64_t sign = by_sender ? (uint64_t)times : (uint64_t)-times;
    const uint64_t pair = tl_hash_of(key, sizeof key, 0);
    if (b->is_summed && account == TL_BEFORE) {
        b->flow += sign * pair;
        b->tags += sign * tl_hash_of(&tag, sizeof tag, pair);
        b->any_tag = b->any_tag || (!by_sender && tag == TL_ANY_TAG);
        return TL_OK;
    }
    tl_pair *p =
        tl_map_item(&b->pair_index, pair, &b->pairs, &b->n_pairs, &b->pairs_capacity, sizeof *p);
    if (!p)
        return tl_no_memory(err, b->r->path);
    p->from = (uint32_t)(key[0] >> 32);
    p->to = (uint32_t)key[0];
    struct tl_account *sum = &p->accounts[account];
    sum->surplus += (int64_t)sign;
    sum->tags += sign * tl_hash_of(&tag, sizeof tag, 0);
    sum->any_tag = sum->any_tag || (!by_sender && tag == TL_ANY_TAG);
    return TL_OK;
}

/* The collectives of the current rank on a communicator; NULL without memory. */
static tl_order *own_order(tl_balance *b, uint64_t identity)
{
    tl_order *own = tl_map_item(&b->own_numbers, identity, &b->own, &b->n_own, &b->own_capacity,
                                sizeof *b->own);
    if (own) {
        own->rank = b->rank;
        own->identity = identity;
    }
    return own;
}

tl_status tl_balance_collective(tl_balance *b, int account, const tl_event *e, tl_error *err)
{
    /* Only members of the group call Comm_create_group. */
    if (!tl_is_made_by_all(tl_call_by_code(e->call)->action) || e->comm == TL_COMM_SELF ||
        e->call == TL_MPI_Comm_create_group)
        return TL_OK;
    uint64_t identity;
    TL_TRY(identify(b, e->comm, &identity, err));
    tl_order *own = own_order(b, identity);
    if (!own)
        return tl_no_memory(err, b->r->path);
    own->n[account]++;
    own->hash[account] =
        own->hash[account] * UINT64_C(0x100000001b3) + (uint64_t)tl_call_by_code(e->call)->action;
    return TL_OK;
}

static void put_64(tl_buffer *out, uint64_t v)
{
    tl_store64(out->data + out->size, v);
    out->size += sizeof v;
}

static uint64_t get_64(tl_input *in)
{
    if (in->bad || in->end - in->p < (ptrdiff_t)sizeof(uint64_t)) {
        in->bad = true;
        return 0;
    }
    in->p += sizeof(uint64_t);
    return tl_load64(in->p - sizeof(uint64_t));
}

tl_status tl_balance_save(const tl_balance *b, tl_buffer *out)
{
    if (!tl_buffer_reserve(out, (4 + 3 * b->n_own) * (size_t)TL_VARINT_MAX_BYTES))
        return TL_ERR_MEMORY;
    put_64(out, b->flow);
    put_64(out, b->tags);
    tl_buffer_put_varint(out, b->any_tag);
    tl_buffer_put_varint(out, b->n_own);
    for (size_t i = 0; i < b->n_own; i++) {
        put_64(out, b->own[i].identity);
        put_64(out, b->own[i].hash[TL_BEFORE]);
        tl_buffer_put_varint(out, b->own[i].n[TL_BEFORE]);
    }
    return TL_OK;
}

tl_status tl_balance_load(tl_balance *b, tl_input *in)
{
    b->flow += get_64(in);
    b->tags += get_64(in);
    b->any_tag |= tl_get_varint(in) != 0;
    for (uint64_t n = tl_get_varint(in); n && !in->bad; n--) {
        tl_order *own = own_order(b, get_64(in));
        if (!own)
            return TL_ERR_MEMORY;
        own->hash[TL_BEFORE] = get_64(in);
        own->n[TL_BEFORE] = tl_get_varint(in);
    }
    return in->bad ? TL_ERR_CORRUPT : TL_OK;
}

/* The ranks of a communicator are compared with the first of them that has an event in the part or
 * knows the communicator. */
static tl_status compare_order(tl_balance *b, uint64_t identity, tl_error *err)
{
    const uint64_t *mine = tl_map_find(&b->own_numbers, identity);
    tl_order order = mine && *mine ? b->own[*mine - 1] : (tl_order){.rank = b->rank};
    const size_t n = b->n_orders;
    tl_order *first = tl_map_item(&b->order_index, identity, &b->orders, &b->n_orders,
                                  &b->orders_capacity, sizeof *b->orders);
    if (!first)
        return tl_no_memory(err, b->r->path);
    if (b->n_orders > n)
        *first = order;
    for (int i = 0; i < TL_N_ACCOUNTS; i++)
        if (first->n[i] != order.n[i] || first->hash[i] != order.hash[i])
            return tl_fail(err, TL_ERR_UNSUPPORTED,
                           "%s: %s the part rank %" PRIu32 " has %" PRIu64
                           " collective calls on a communicator and rank %" PRIu32 " has %" PRIu64
                           "%s; cut at a synchronising collective (--section)",
                           b->r->path, i == TL_BEFORE ? "before" : "in", first->rank, first->n[i],
                           b->rank, order.n[i], first->n[i] == order.n[i] ? " others" : "");
    return TL_OK;
}

tl_status tl_balance_end_rank(tl_balance *b, tl_error *err)
{
    tl_status status = compare_order(b, TL_COMM_WORLD, err);
    const tl_comm *comms;
    size_t n = tl_reader_comms(b->r, b->rank, &comms);
    for (size_t i = 0; i < n && !status; i++)
        status = compare_order(b, *tl_map_find(&b->identities, comms[i].id), err);
    return status;
}

static tl_status refuse_pair(const tl_balance *b, const tl_pair *p, int account, tl_error *err)
{
    int64_t surplus = p->accounts[account].surplus;
    if (account == TL_BEFORE)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: a message from rank %" PRIu32 " to rank %" PRIu32
                       " is under way where the part begins; begin where none is (--section)",
                       b->r->path, p->from, p->to);
    if (surplus)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: %" PRId64 " messages from rank %" PRIu32 " to rank %" PRIu32
                       " have only their %s in the part; end where none is under way (--section)",
                       b->r->path, surplus < 0 ? -surplus : surplus, p->from, p->to,
                       surplus < 0 ? "receive" : "send");
    return tl_fail(err, TL_ERR_UNSUPPORTED,
                   "%s: the messages from rank %" PRIu32 " to rank %" PRIu32
                   " in the part differ in their tags; cut where none is under way (--section)",
                   b->r->path, p->from, p->to);
}

tl_status tl_balance_check(const tl_balance *b, tl_error *err)
{
    if (b->flow || b->tags || b->any_tag)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: a message is under way where the part begins; begin where none is "
                       "(--section)",
                       b->r->path);
    for (size_t i = 0; i < b->n_pairs; i++) {
        for (int k = 0; k < TL_N_ACCOUNTS; k++) {
            const struct tl_account *sum = &b->pairs[i].accounts[k];
            if (sum->surplus || (sum->tags && !sum->any_tag))
                return refuse_pair(b, &b->pairs[i], k, err);
        }
    }
    return TL_OK;
}

void tl_balance_free(tl_balance *b)
{
    tl_map_free(&b->pair_index);
    tl_map_free(&b->order_index);
    tl_map_free(&b->identities);
    tl_map_free(&b->own_numbers);
    free(b->pairs);
    free(b->orders);
    free(b->own);
}
