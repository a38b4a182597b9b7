/* goal_load.c - reads the schedules of GOAL into a graph of all ranks. */
#include "goal.h"

#include "core/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { CPU_BITS = 16, CPU_MASK = (1 << CPU_BITS) - 1 };
#define GOAL_UNKNOWN (UINT32_MAX - 1) /* the group of a slot until its first receive */
#define OF_LARGE_TAG (UINT32_MAX - 1) /* goal_slot.from: it only gives the tag a number */

typedef struct loader {
    goal_run *run;
    size_t ops_room, places_room, edges_room, first_room, slots_room, groups_room;
    uint64_t n_edges;
    uint32_t *table; /* of slots, by hash: index + 1; open addressing */
    uint64_t table_size;
    uint64_t *counts; /* edges from each operation of the rank */
    size_t counts_room;
    int has_any; /* a receive of any source or tag */
    tl_error *err;
} loader;

static tl_status out_of_memory(const loader *l)
{
    return tl_no_memory(l->err, l->run->path);
}

/* ---- slots ---- */

/* Where a slot is in the table, or where it would be. */
static uint32_t *find_place(const loader *l, uint32_t from, uint32_t to, uint64_t tag)
{
    const uint64_t parts[] = {(uint64_t)from << 32 | to, tag};
    for (uint64_t at = XXH64(parts, sizeof parts, 0);; at++) {
        uint32_t *place = &l->table[at & (l->table_size - 1)];
        const goal_slot *s = *place ? &l->run->slots[*place - 1] : NULL;
        if (!s || (s->from == from && s->to == to && s->tag == tag))
            return place;
    }
}

static int grow_table(loader *l)
{
    l->table_size = l->table_size ? 2 * l->table_size : 1024;
    free(l->table);
    if (!(l->table = calloc(l->table_size, sizeof *l->table)))
        return 0;
    for (uint32_t i = 0; i < l->run->n_slots; i++) {
        const goal_slot *s = &l->run->slots[i];
        *find_place(l, s->from, s->to, s->tag) = i + 1;
    }
    return 1;
}

static uint32_t find_slot(loader *l, uint32_t from, uint32_t to, uint64_t tag)
{
    goal_run *run = l->run;
    if (2 * (uint64_t)run->n_slots >= l->table_size && !grow_table(l))
        return GOAL_NONE;
    uint32_t *at = find_place(l, from, to, tag);
    if (*at)
        return *at - 1;
    if (!tl_make_room(&run->slots, run->n_slots, &l->slots_room, sizeof *run->slots))
        return GOAL_NONE;
    run->slots[run->n_slots] = (goal_slot){.from = from,
                                           .to = to,
                                           .tag = tag,
                                           .first_op = run->n_ops,
                                           .lists = run->n_slots,
                                           .number = (int32_t)run->n_slots,
                                           .group = GOAL_UNKNOWN,
                                           .posted = {GOAL_NONE, GOAL_NONE},
                                           .unexpected = {GOAL_NONE, GOAL_NONE}};
    return (*at = ++run->n_slots) - 1;
}

/* ---- operations ---- */

static uint32_t find_group(loader *l, uint32_t stream, uint32_t side)
{
    goal_run *run = l->run;
    for (uint32_t i = run->streams[stream].first_group; i != GOAL_NONE; i = run->groups[i].next)
        if (run->groups[i].side == side)
            return i;
    if (!tl_make_room(&run->groups, run->n_groups, &l->groups_room, sizeof *run->groups))
        return GOAL_NONE;
    run->groups[run->n_groups] = (goal_group){.stream = stream,
                                              .side = side,
                                              .queue = {GOAL_NONE, GOAL_NONE},
                                              .next = run->streams[stream].first_group};
    return run->streams[stream].first_group = run->n_groups++;
}

static int add_message(loader *l, uint32_t rank, const tl_goal_operation *from, goal_op *op)
{
    const bool is_send = from->call == TL_MPI_Send;
    const uint32_t peer = from->peer == TL_ANY_SOURCE ? GOAL_NONE : (uint32_t)from->peer;
    op->kind = is_send ? GOAL_SEND : GOAL_RECV;
    op->slot = find_slot(l, is_send ? rank : peer, is_send ? peer : rank, from->tag);
    if (op->slot == GOAL_NONE)
        return 0;
    goal_slot *s = &l->run->slots[op->slot];
    (*(is_send ? &s->n_sends : &s->n_receives))++;
    l->has_any |= s->from == GOAL_NONE || s->tag == UINT64_MAX;
    return 1;
}

static tl_status too_many(const loader *l)
{
    tl_error_set(l->err, TL_ERR_LIMIT,
                 "%s: has more than 2,147,483,646 operations or streams; replay fewer ranks",
                 l->run->path);
    return TL_ERR_LIMIT;
}

static tl_status add_operations(loader *l, uint32_t rank, const tl_goal_operation *from, size_t n)
{
    goal_run *run = l->run;
    const uint64_t n_ops = run->n_ops + (uint64_t)n;
    if (n_ops >= INT32_MAX)
        return too_many(l);
    if (!tl_make_room(&run->ops, n_ops, &l->ops_room, sizeof *run->ops) ||
        !tl_make_room(&run->places, n_ops, &l->places_room, sizeof *run->places))
        return out_of_memory(l);
    for (size_t i = 0; i < n; i++) {
        goal_op *op = &run->ops[run->n_ops];
        *op = (goal_op){.kind = GOAL_CALC,
                        .amount = from[i].amount,
                        .next = GOAL_NONE,
                        .group = from[i].cpu | (uint32_t)from[i].nic << CPU_BITS};
        if (from[i].call && !add_message(l, rank, &from[i], op))
            return out_of_memory(l);
        if (!from[i].call)
            op->amount *= 1000;
        run->places[run->n_ops++] = from[i].place;
    }
    return TL_OK;
}

/* The edges of a rank in the order of the operations from which they come. */
static tl_status add_edges(loader *l, uint32_t first, size_t n, const tl_goal_edge *edges,
                           size_t n_edges)
{
    goal_run *run = l->run;
    if (!tl_make_room(&run->edges, l->n_edges + n_edges, &l->edges_room, sizeof *run->edges) ||
        !tl_make_room(&run->first_edge, first + (uint64_t)n, &l->first_room,
                      sizeof *run->first_edge) ||
        !tl_make_room(&l->counts, n, &l->counts_room, sizeof *l->counts))
        return out_of_memory(l);
    memset(l->counts, 0, (n + 1) * sizeof *l->counts);
    for (size_t i = 0; i < n_edges; i++)
        l->counts[edges[i].from]++;
    uint64_t at = l->n_edges;
    for (size_t i = 0; i < n; i++) {
        run->first_edge[first + i] = at;
        at += l->counts[i];
        l->counts[i] = run->first_edge[first + i];
    }
    run->first_edge[first + n] = at;
    for (size_t i = 0; i < n_edges; i++) {
        const uint32_t to = first + edges[i].to;
        run->edges[l->counts[edges[i].from]++] = 2 * to + (edges[i].ends != 0);
        run->ops[to].n_open++;
    }
    l->n_edges = at;
    return TL_OK;
}

/* ---- when all ranks are read ---- */

/* Receives of any source or tag compare tags: one that is too large for the simulation becomes
 * negative. */
static int number_slot(loader *l, uint32_t i)
{
    const uint64_t tag = l->run->slots[i].tag;
    const bool is_large = tag > INT32_MAX && tag != UINT64_MAX;
    const uint32_t large = is_large ? find_slot(l, OF_LARGE_TAG, l->run->slots[i].to, tag) : 0;
    l->run->slots[i].number = is_large            ? -2 - (int32_t)large
                              : tag == UINT64_MAX ? LOGGOPS_ANY
                                                  : (int32_t)tag;
    return large != GOAL_NONE;
}

/* The slots of a rank that receives from any source or with any tag match as one. */
static tl_status join_lists(loader *l)
{
    goal_run *run = l->run;
    const uint32_t n_slots = run->n_slots;
    for (uint32_t i = 0; i < n_slots; i++) {
        const uint32_t to = run->slots[i].to;
        const bool is_any = run->slots[i].from == GOAL_NONE || run->slots[i].tag == UINT64_MAX;
        if (is_any && run->ranks[to].lists == GOAL_NONE &&
            (run->ranks[to].lists = find_slot(l, GOAL_NONE, to, UINT64_MAX)) == GOAL_NONE)
            return out_of_memory(l);
    }
    for (uint32_t i = 0; i < n_slots; i++) {
        const uint32_t lists = run->ranks[run->slots[i].to].lists;
        if (lists == GOAL_NONE)
            continue;
        if (!number_slot(l, i))
            return out_of_memory(l);
        goal_slot *s = &run->slots[i], *all = &run->slots[s->lists = lists];
        if (s == all)
            continue;
        all->n_sends += s->n_sends;
        all->n_receives += s->n_receives;
        if (all->first_op > s->first_op)
            all->first_op = s->first_op;
    }
    return TL_OK;
}

static tl_status check_slots(const loader *l)
{
    const goal_run *run = l->run;
    for (uint32_t i = 0; i < run->n_slots; i++) {
        const goal_slot *s = &run->slots[i];
        const uint64_t place = run->places[s->first_op];
        if (s->lists != i || s->n_sends == s->n_receives)
            continue;
        if (s->from == GOAL_NONE)
            tl_error_set(l->err, TL_ERR_INPUT,
                         "%s:%" PRIu64 ": rank %" PRIu32 " receives %" PRIu32
                         " messages, and %" PRIu32 " are sent to it; correct the schedule",
                         run->path, place, s->to, s->n_receives, s->n_sends);
        else
            tl_error_set(l->err, TL_ERR_INPUT,
                         "%s:%" PRIu64 ": rank %" PRIu32 " sends %" PRIu32
                         " messages to rank %" PRIu32 " with tag %" PRIu64
                         ", which receives %" PRIu32 "; correct the schedule",
                         run->path, place, s->from, s->n_sends, s->to, s->tag, s->n_receives);
        return TL_ERR_INPUT;
    }
    return TL_OK;
}

static void count_lanes(goal_run *run, uint32_t rank, uint32_t *n_cpus, uint32_t *n_nics)
{
    *n_cpus = *n_nics = 1;
    for (uint32_t i = run->first_op[rank]; i < run->first_op[rank + 1]; i++) {
        const uint32_t cpu = run->ops[i].group & CPU_MASK, nic = run->ops[i].group >> CPU_BITS;
        *n_cpus = cpu >= *n_cpus ? cpu + 1 : *n_cpus;
        *n_nics = nic >= *n_nics ? nic + 1 : *n_nics;
    }
}

static tl_status make_streams(loader *l)
{
    goal_run *run = l->run;
    uint64_t n_streams = 0, n_sides = 0;
    uint32_t n_cpus, n_nics;
    for (uint32_t rank = 0; rank < run->n_ranks && n_streams + n_sides < INT32_MAX; rank++) {
        count_lanes(run, rank, &n_cpus, &n_nics);
        n_streams += n_cpus;
        n_sides += 2 * (uint64_t)n_nics;
        run->ranks[rank + 1].first_stream = (uint32_t)n_streams;
        run->ranks[rank + 1].first_side = (uint32_t)n_sides;
    }
    if (n_streams + n_sides >= INT32_MAX)
        return too_many(l);
    run->n_streams = (uint32_t)n_streams;
    run->n_sides = (uint32_t)n_sides;
    run->streams = malloc((n_streams + 1) * sizeof *run->streams);
    run->side_free_ps = calloc(n_sides + 1, sizeof *run->side_free_ps);
    if (!run->streams || !run->side_free_ps)
        return out_of_memory(l);
    for (uint32_t rank = 0, i = 0; rank < run->n_ranks; rank++)
        for (; i < run->ranks[rank + 1].first_stream; i++)
            run->streams[i] =
                (goal_stream){.wake_ps = UINT64_MAX, .rank = rank, .first_group = GOAL_NONE};
    return TL_OK;
}

/* Gives an operation its group, and that of its message. */
static int place(loader *l, const goal_rank *of_rank, goal_op *op)
{
    goal_run *run = l->run;
    const uint32_t cpu = op->group & CPU_MASK, side = 2 * (op->group >> CPU_BITS);
    op->group = find_group(l, of_rank->first_stream + cpu,
                           op->kind == GOAL_SEND ? of_rank->first_side + side : GOAL_NONE);
    if (op->group == GOAL_NONE || op->kind == GOAL_CALC)
        return op->group != GOAL_NONE;
    if (op->kind == GOAL_SEND)
        return 1;
    const goal_rank *to = &run->ranks[run->slots[op->slot].to];
    op->message_group = find_group(l, to->first_stream + cpu, to->first_side + side + 1);
    goal_slot *s = &run->slots[run->slots[op->slot].lists];
    if (s->group == GOAL_UNKNOWN)
        s->group = op->message_group;
    else if (s->group != op->message_group)
        s->group = GOAL_NONE;
    return op->message_group != GOAL_NONE;
}

static tl_status place_operations(loader *l)
{
    goal_run *run = l->run;
    TL_TRY(make_streams(l));
    for (uint32_t rank = 0; rank < run->n_ranks; rank++)
        for (uint32_t i = run->first_op[rank]; i < run->first_op[rank + 1]; i++)
            if (!place(l, &run->ranks[rank], &run->ops[i]))
                return out_of_memory(l);
    return TL_OK;
}

/* The operations and edges of all ranks, as the file has them. */
static tl_status read_ranks(loader *l, tl_goal *goal)
{
    goal_run *run = l->run;
    const tl_goal_operation *operations;
    const tl_goal_edge *edges;
    size_t n, n_edges;
    run->n_ranks = tl_goal_ranks(goal);
    run->first_op = calloc(run->n_ranks + (size_t)1, sizeof *run->first_op);
    run->ranks = calloc(run->n_ranks + (size_t)1, sizeof *run->ranks);
    if (!run->first_op || !run->ranks)
        return out_of_memory(l);
    for (uint32_t rank = 0; rank < run->n_ranks; rank++) {
        const uint32_t first = run->n_ops;
        TL_TRY(tl_goal_next(goal, &operations, &n, &edges, &n_edges, l->err));
        TL_TRY(add_operations(l, rank, operations, n));
        TL_TRY(add_edges(l, first, n, edges, n_edges));
        run->first_op[rank + 1] = run->n_ops;
        run->ranks[rank] =
            (goal_rank){.pending = GOAL_NONE, .n_open = run->n_ops - first, .lists = GOAL_NONE};
    }
    if (l->has_any)
        TL_TRY(join_lists(l));
    TL_TRY(check_slots(l));
    return place_operations(l);
}

tl_status goal_load(const char *path, goal_run *run, tl_error *err)
{
    *run = (goal_run){.path = path};
    loader l = {.run = run, .err = err};
    tl_goal *goal = NULL;
    tl_status status = tl_goal_open(path, &goal, err);
    if (status == TL_OK)
        status = read_ranks(&l, goal);
    tl_goal_close(goal);
    free(l.counts);
    free(l.table);
    return status;
}

void goal_free(goal_run *run)
{
    free(run->ops);
    free(run->places);
    free(run->first_edge);
    free(run->edges);
    free(run->streams);
    free(run->groups);
    free(run->side_free_ps);
    free(run->slots);
    free(run->first_op);
    free(run->ranks);
}

tl_status goal_check_end(const goal_run *run, tl_error *err)
{
    uint64_t n_open = 0;
    uint32_t first = GOAL_NONE, rank = 0;
    for (uint32_t i = run->n_ops; i-- > 0;)
        if (!(run->ops[i].is_done)) {
            n_open++;
            first = i;
        }
    if (!n_open)
        return TL_OK;
    while (run->first_op[rank + 1] <= first)
        rank++;
    return tl_fail(err, TL_ERR_INPUT,
                   "%s:%" PRIu64 ": rank %" PRIu32 " waits forever at this operation, and %" PRIu64
                   " operations do not end; correct the dependencies",
                   run->path, run->places[first], rank, n_open);
}
