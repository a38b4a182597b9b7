/* goal_load.c - reads the schedules of GOAL into a graph of all ranks. */
#include "goal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct loader {
    goal_run *run;
    size_t ops_room, places_room, edges_room, first_room, streams_room, sides_room, slots_room,
        groups_room;
    uint64_t n_edges;
    uint32_t *table; /* of slots, by hash: number + 1 */
    uint64_t table_size;
    uint64_t *counts; /* edges from each operation of the rank */
    size_t counts_room;
    int no_compute;
    tl_error *err;
} loader;

/* Room for n elements. */
static int has_room(void *array, uint64_t n, size_t *room, size_t size)
{
    void **at = array;
    if (n <= *room)
        return 1;
    const uint64_t more = n + n / 2 + 16;
    void *grown = realloc(*at, more * size);
    if (!grown)
        return 0;
    *at = grown;
    *room = more;
    return 1;
}

static tl_status out_of_memory(const loader *l)
{
    tl_error_set(l->err, TL_ERR_MEMORY, "%s: out of memory", l->run->path);
    return TL_ERR_MEMORY;
}

/* ---- slots ---- */

static uint64_t hash(uint32_t from, uint32_t to, uint64_t tag)
{
    uint64_t h = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ tag) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

static int grow_table(loader *l)
{
    const uint64_t size = l->table_size ? 2 * l->table_size : 1024;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return 0;
    for (uint32_t i = 0; i < l->run->n_slots; i++) {
        const goal_slot *s = &l->run->slots[i];
        uint64_t at = hash(s->from, s->to, s->tag) & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    free(l->table);
    l->table = table;
    l->table_size = size;
    return 1;
}

static uint32_t find_slot(loader *l, uint32_t from, uint32_t to, uint64_t tag)
{
    goal_run *run = l->run;
    if (2 * (uint64_t)run->n_slots >= l->table_size && !grow_table(l))
        return GOAL_NONE;
    uint64_t at = hash(from, to, tag) & (l->table_size - 1);
    for (; l->table[at]; at = (at + 1) & (l->table_size - 1)) {
        const goal_slot *s = &run->slots[l->table[at] - 1];
        if (s->from == from && s->to == to && s->tag == tag)
            return l->table[at] - 1;
    }
    if (!has_room(&run->slots, run->n_slots + UINT64_C(1), &l->slots_room, sizeof *run->slots))
        return GOAL_NONE;
    run->slots[run->n_slots] = (goal_slot){.from = from,
                                           .to = to,
                                           .tag = tag,
                                           .first_op = run->n_ops,
                                           .posted = {GOAL_NONE, GOAL_NONE},
                                           .unexpected = {GOAL_NONE, GOAL_NONE}};
    return (l->table[at] = ++run->n_slots) - 1;
}

/* ---- operations ---- */

static uint32_t find_group(loader *l, uint32_t stream, uint32_t side)
{
    goal_run *run = l->run;
    for (uint32_t i = run->streams[stream].first_group; i != GOAL_NONE; i = run->groups[i].next)
        if (run->groups[i].side == side)
            return i;
    if (!has_room(&run->groups, run->n_groups + UINT64_C(1), &l->groups_room, sizeof *run->groups))
        return GOAL_NONE;
    run->groups[run->n_groups] = (goal_group){.stream = stream,
                                              .side = side,
                                              .queue = {GOAL_NONE, GOAL_NONE},
                                              .next = run->streams[stream].first_group};
    return run->streams[stream].first_group = run->n_groups++;
}

static int add_message(loader *l, uint32_t rank, const tl_goal_operation *from, uint32_t stream,
                       uint32_t side, goal_op *op)
{
    const uint32_t peer = (uint32_t)from->peer;
    const int is_send = from->call == TL_MPI_Send;
    op->kind = is_send ? GOAL_SEND : GOAL_RECV;
    op->slot = find_slot(l, is_send ? rank : peer, is_send ? peer : rank, from->tag);
    if (op->slot == GOAL_NONE)
        return 0;
    goal_slot *s = &l->run->slots[op->slot];
    if (is_send) {
        s->n_sends++;
        return (op->group = find_group(l, stream, side)) != GOAL_NONE;
    }
    op->message_group = find_group(l, stream, side + 1);
    if (s->n_receives++ == 0)
        s->group = op->message_group;
    else if (s->group != op->message_group)
        s->group = GOAL_NONE;
    return op->message_group != GOAL_NONE;
}

static int add_operation(loader *l, uint32_t rank, const tl_goal_operation *from)
{
    goal_run *run = l->run;
    goal_op *op = &run->ops[run->n_ops];
    const uint32_t stream = run->n_streams + from->cpu, side = run->n_sides + 2u * from->nic;
    *op = (goal_op){.amount = from->amount, .next = GOAL_NONE};
    op->group = find_group(l, stream, GOAL_NONE);
    if (!from->call)
        op->amount = l->no_compute ? 0 : 1000 * op->amount;
    if (op->group == GOAL_NONE || (from->call && !add_message(l, rank, from, stream, side, op)))
        return 0;
    run->places[run->n_ops++] = from->place;
    return 1;
}

static tl_status add_operations(loader *l, uint32_t rank, const tl_goal_operation *from, size_t n)
{
    goal_run *run = l->run;
    uint32_t n_cpus = 1, n_nics = 1;
    for (size_t i = 0; i < n; i++) {
        n_cpus = from[i].cpu >= n_cpus ? from[i].cpu + 1u : n_cpus;
        n_nics = from[i].nic >= n_nics ? from[i].nic + 1u : n_nics;
    }
    const uint64_t n_ops = run->n_ops + (uint64_t)n, n_streams = run->n_streams + (uint64_t)n_cpus,
                   n_sides = run->n_sides + 2 * (uint64_t)n_nics;
    if (n_ops >= INT32_MAX || n_streams >= INT32_MAX || n_sides >= INT32_MAX) {
        tl_error_set(l->err, TL_ERR_LIMIT,
                     "%s: has more than 2,147,483,646 operations or streams; replay fewer ranks",
                     run->path);
        return TL_ERR_LIMIT;
    }
    if (!has_room(&run->ops, n_ops, &l->ops_room, sizeof *run->ops) ||
        !has_room(&run->places, n_ops, &l->places_room, sizeof *run->places) ||
        !has_room(&run->streams, n_streams, &l->streams_room, sizeof *run->streams) ||
        !has_room(&run->side_free_ps, n_sides, &l->sides_room, sizeof *run->side_free_ps))
        return out_of_memory(l);
    for (uint64_t i = run->n_streams; i < n_streams; i++)
        run->streams[i] =
            (goal_stream){.wake_ps = UINT64_MAX, .rank = rank, .first_group = GOAL_NONE};
    memset(run->side_free_ps + run->n_sides, 0,
           (n_sides - run->n_sides) * sizeof *run->side_free_ps);
    for (size_t i = 0; i < n; i++)
        if (!add_operation(l, rank, &from[i]))
            return out_of_memory(l);
    run->n_streams = (uint32_t)n_streams;
    run->n_sides = (uint32_t)n_sides;
    return TL_OK;
}

/* The edges of a rank in the order of the operations from which they come. */
static tl_status add_edges(loader *l, uint32_t first, size_t n, const tl_goal_edge *edges,
                           size_t n_edges)
{
    goal_run *run = l->run;
    if (!has_room(&run->edges, l->n_edges + n_edges, &l->edges_room, sizeof *run->edges) ||
        !has_room(&run->first_edge, first + (uint64_t)n + 1, &l->first_room,
                  sizeof *run->first_edge) ||
        !has_room(&l->counts, n + UINT64_C(1), &l->counts_room, sizeof *l->counts))
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

static tl_status check_slots(const loader *l)
{
    const goal_run *run = l->run;
    for (uint32_t i = 0; i < run->n_slots; i++) {
        const goal_slot *s = &run->slots[i];
        if (s->n_sends == s->n_receives)
            continue;
        tl_error_set(l->err, TL_ERR_INPUT,
                     "%s:%" PRIu64 ": rank %" PRIu32 " sends %" PRIu32 " messages to rank %" PRIu32
                     " with tag %" PRIu64 ", which receives %" PRIu32 "; correct the schedule",
                     run->path, run->places[s->first_op], s->from, s->n_sends, s->to, s->tag,
                     s->n_receives);
        return TL_ERR_INPUT;
    }
    return TL_OK;
}

tl_status goal_load(const char *path, int no_compute, goal_run *run, tl_error *err)
{
    *run = (goal_run){.path = path};
    loader l = {.run = run, .no_compute = no_compute, .err = err};
    const tl_goal_operation *operations;
    const tl_goal_edge *edges;
    size_t n, n_edges;
    tl_goal *goal = NULL;
    tl_status status = tl_goal_open(path, &goal, err);
    if (status == TL_OK) {
        run->n_ranks = tl_goal_ranks(goal);
        run->first_op = calloc(run->n_ranks + (size_t)1, sizeof *run->first_op);
        run->ranks = calloc(run->n_ranks, sizeof *run->ranks);
        if (!run->first_op || !run->ranks)
            status = out_of_memory(&l);
    }
    for (uint32_t rank = 0; status == TL_OK && rank < run->n_ranks; rank++) {
        const uint32_t first = run->n_ops;
        status = tl_goal_next(goal, &operations, &n, &edges, &n_edges, err);
        if (status == TL_OK)
            status = add_operations(&l, rank, operations, n);
        if (status == TL_OK)
            status = add_edges(&l, first, n, edges, n_edges);
        run->first_op[rank + 1] = run->n_ops;
    }
    tl_goal_close(goal);
    free(l.counts);
    free(l.table);
    return status == TL_OK ? check_slots(&l) : status;
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
    free(run->heap);
    free(run->ranks);
}
