/* export_comms.c - communicators, for targets without any: a partner becomes its rank in
 * MPI_COMM_WORLD. A tag that two communicators use gets another number in one of them, so that no
 * receive takes a message of another communicator. */
#include "actions.h"
#include "core/bytes.h"
#include "export.h"
#include "core/frame.h"

#include <string.h>

enum { OF_WORLD = 1, OF_SELF = 2 };

struct tl_export_tag {
    uint64_t comm; /* the same number on all of its ranks */
    int32_t tag, written;
};

/* ---- the same communicator on all ranks (FORMAT.md, Communicators) ---- */

static uint64_t hash_group(const int32_t *members, uint32_t n, uint64_t seed)
{
    return tl_hash_of(members, n * sizeof *members, seed + n);
}

static uint64_t number_of(const tl_export *x, uint32_t comm)
{
    if (comm == TL_COMM_WORLD || comm == TL_COMM_SELF)
        return comm == TL_COMM_WORLD ? OF_WORLD : OF_SELF;
    const uint64_t *index = tl_map_find(&x->comm_index, comm);
    return index && *index ? x->comm_numbers[*index - 1] : 0;
}

static uint64_t hash_comm(const tl_export *x, const tl_comm *c)
{
    uint64_t parts[5] = {0, 0, c->call == TL_MPI_Comm_create_group, tl_tag_mark(c), 0};
    parts[0] = hash_group(c->members, c->n_members, 0);
    if (!c->n_remote) {
        parts[1] = number_of(x, c->parent);
    } else {
        const uint64_t remote = hash_group(c->remote, c->n_remote, 0);
        const bool first = c->n_members && c->members[0] < c->remote[0];
        parts[1] = first ? remote : parts[0];
        parts[0] = first ? parts[0] : remote;
        const tl_comm *parent = tl_export_find_comm(x, c->parent);
        if (parent && parent->n_remote) /* of a single communicator on both sides */
            parts[4] = number_of(x, c->parent);
    }
    return tl_hash_of(parts, sizeof parts, 0);
}

bool tl_export_begin_comms(tl_export *x)
{
    tl_map n_alike = {0}; /* definitions so far with the same members and parent */
    x->n_comms = tl_reader_comms(x->r, x->rank, &x->comms);
    tl_map_free(&x->comm_index);
    x->comm_index = (tl_map){0};
    bool done = true;
    for (size_t i = 0; i < x->n_comms && done; i++) {
        const uint64_t hash = hash_comm(x, &x->comms[i]);
        uint64_t *n = tl_map_at(&n_alike, hash), *index = NULL;
        done = n && tl_make_room(&x->comm_numbers, i, &x->comms_capacity, sizeof *x->comm_numbers);
        if (done)
            x->comm_numbers[i] = tl_hash_of(&hash, sizeof hash, ++*n);
        done = done && (index = tl_map_at(&x->comm_index, x->comms[i].id)) != NULL;
        if (done)
            *index = i + 1;
    }
    tl_map_free(&n_alike);
    return done;
}

const tl_comm *tl_export_find_comm(const tl_export *x, uint32_t comm)
{
    const uint64_t *index = tl_map_find(&x->comm_index, comm);
    return index && *index ? &x->comms[*index - 1] : NULL;
}

/* ---- partners ---- */

bool tl_export_find_rank(const tl_export *x, uint32_t comm, int32_t *peer)
{
    if (comm == TL_COMM_WORLD)
        return *peer >= 0 && (uint32_t)*peer < x->n_ranks;
    if (comm == TL_COMM_SELF) {
        const bool is_own = *peer == 0;
        *peer = (int32_t)x->rank;
        return is_own;
    }
    const tl_comm *c = tl_export_find_comm(x, comm);
    const uint32_t n = !c ? 0 : c->n_remote ? c->n_remote : c->n_members;
    if (*peer < 0 || (uint32_t)*peer >= n)
        return false;
    *peer = c->n_remote ? c->remote[*peer] : c->members[*peer];
    return *peer >= 0 && (uint32_t)*peer < x->n_ranks;
}

/* ---- tags ---- */

static uint64_t key_of(uint64_t comm, int32_t tag)
{
    const uint64_t parts[2] = {comm, (uint64_t)(int64_t)tag};
    return tl_hash_of(parts, sizeof parts, 0);
}

bool tl_export_write_tag(tl_export *x, uint32_t comm, bool is_neighbourhood, int32_t *tag)
{
    const uint64_t number = is_neighbourhood ? ~number_of(x, comm) : number_of(x, comm);
    if (x->out && number == OF_WORLD)
        return true;
    const size_t n = x->n_tags;
    struct tl_export_tag *t = tl_map_item(&x->tag_index, key_of(number, *tag), &x->tags, &x->n_tags,
                                          &x->tags_capacity, sizeof *x->tags);
    if (!t)
        return false;
    if (x->n_tags > n) /* the first pass */
        *t = (struct tl_export_tag){number, *tag, *tag};
    *tag = t->written;
    return true;
}

/* MPI_COMM_WORLD keeps its tags, every other communicator those that are free. */
bool tl_export_choose_tags(tl_export *x)
{
    tl_map used = {0};
    int32_t next = 0;
    bool done = true;
    for (int world = 1; world >= 0; world--)
        for (size_t i = 0; i < x->n_tags && done; i++) {
            struct tl_export_tag *t = &x->tags[i];
            if ((t->comm == OF_WORLD) != world)
                continue;
            uint64_t *taken = tl_map_at(&used, (uint64_t)(int64_t)t->tag);
            while (taken && *taken) {
                t->written = next++;
                taken = tl_map_at(&used, (uint64_t)(int64_t)t->written);
            }
            if ((done = taken != NULL))
                *taken = 1;
        }
    tl_map_free(&used);
    return done;
}

/* ---- neighbourhood collectives ---- */

/* The message from or to number `i` of the neighbours; false: none, or refused. */
static bool describe(tl_export *x, const tl_event *e, const tl_side *side, uint32_t i, int32_t peer,
                     tl_transfer *t)
{
    *t = (tl_transfer){.peer = peer, .is_recv = t->is_recv, .used = true, .active = true};
    if (peer == TL_PROC_NULL)
        return false;
    if (__builtin_mul_overflow(tl_count_at(side, i), side->type_bytes, &t->bytes) || t->bytes < 0 ||
        t->bytes > INT64_C(1) << 53) {
        tl_export_refuse(x, "with an impossible size");
        return false;
    }
    if (!tl_export_find_rank(x, e->comm, &t->peer)) {
        tl_export_refuse(x, "with a partner that is not in the run");
        return false;
    }
    if (!tl_export_write_tag(x, e->comm, true, &t->tag))
        x->status = TL_ERR_MEMORY;
    return !x->status;
}

/* All receives begin, then all sends. */
void tl_export_neighbours(tl_export *x, const tl_event *e, const tl_call_info *row)
{
    const tl_comm *c = tl_export_find_comm(x, e->comm);
    if (!c || c->n_remote) {
        tl_export_refuse(x, "on a communicator without neighbours");
        return;
    }
    const tl_extent extent = {.n_to = c->n_destinations, .n_from = c->n_sources};
    const size_t n = (size_t)c->n_sources + c->n_destinations;
    tl_side sent, received;
    tl_transfer *all = calloc(n + 1, sizeof *all), **begun = calloc(n + 1, sizeof *begun);
    if (!all || !begun)
        x->status = TL_ERR_MEMORY;
    else if (!tl_take_sides(e, tl_meaning_of(row->action), &extent, TL_ROLE_OTHER, &sent,
                            &received))
        tl_export_refuse(x, "with a list of another length");
    else {
        uint32_t n_begun = 0;
        for (size_t i = 0; i < n; i++) {
            const bool is_recv = all[i].is_recv = i < c->n_sources;
            const uint32_t k = (uint32_t)(is_recv ? i : i - c->n_sources);
            if (!describe(x, e, is_recv ? &received : &sent, k,
                          is_recv ? c->sources[k] : c->destinations[k], &all[i]))
                continue;
            x->target->begin(x, &all[i]);
            begun[n_begun++] = &all[i];
        }
        if (n_begun)
            x->target->wait(x, begun, n_begun);
    }
    free(all);
    free(begun);
}

/* ---- other collectives ---- */

static tl_transfer transfer_of(tl_export *x, const tl_event *e, const tl_collective_step *step)
{
    tl_transfer t = {.peer = step->peer,
                     .bytes = step->bytes,
                     .is_recv = step->action == TL_ACTION_IRECV,
                     .used = true,
                     .active = true};
    if (!tl_export_write_tag(x, e->comm, true, &t.tag))
        x->status = TL_ERR_MEMORY;
    return t;
}

void tl_export_steps(tl_export *x, const tl_event *e)
{
    const tl_collective_step *steps;
    size_t n;
    uint32_t n_begun = 0;
    int32_t tag = 0;
    if (!x->out) {
        if (!tl_export_write_tag(x, e->comm, true, &tag))
            x->status = TL_ERR_MEMORY;
        return;
    }
    x->status = x->algorithms->steps(x->algorithms->context, x->rank, e, &steps, &n, x->err);
    if (x->status)
        return;
    tl_transfer *all = calloc(n + 1, sizeof *all), **begun = calloc(n + 1, sizeof *begun);
    if (!all || !begun)
        x->status = TL_ERR_MEMORY;
    for (size_t i = 0; i < n && !x->status; i++) {
        if (steps[i].action == TL_ACTION_WAIT) {
            if (n_begun)
                x->target->wait(x, begun, n_begun);
            n_begun = 0;
            continue;
        }
        all[i] = transfer_of(x, e, &steps[i]);
        x->target->begin(x, &all[i]);
        begun[n_begun++] = &all[i];
    }
    if (n_begun)
        x->target->wait(x, begun, n_begun);
    free(all);
    free(begun);
}

void tl_export_free_comms(tl_export *x)
{
    tl_map_free(&x->comm_index);
    tl_map_free(&x->tag_index);
    free(x->comm_numbers);
    free(x->tags);
}
