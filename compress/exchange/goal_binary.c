/* goal_binary.c - reads the binary form of GOAL, which LogGOPSim's txt2bin writes.
 *
 * Little-endian, not aligned. Offsets of schedules count from byte 8.
 *
 *   u64 4223, u32 ranks, u8 last CPU, u8 last NIC
 *   for each rank: u64 begin, u64 end of its schedule
 *   a schedule: u32 operations, u32 roots, u32 for each root: its number
 *               39 bytes for each operation:
 *                 u32 operations that it requires, u8 kind (1 send, 2 receive, 3 computation),
 *                 u32 partner, u64 bytes or nanoseconds, u32 tag, u8 CPU, u8 NIC,
 *                 u32 operations that require its end, u32 index of the first one in the appendix,
 *                 u32 operations that require its beginning, u32 index of the first one
 *               appendix: u32 numbers of operations
 *
 * All of it is checked: a count or an index that a file states is never trusted. */
#include "config.h"

#include "goal.h"

#include "core/error.h"
#include "core/format.h"

#include <inttypes.h>

enum {
    MAGIC = 4223,
    COOKIE_BYTES = 8,
    HEAD_BYTES = COOKIE_BYTES + 6,
    RANK_BYTES = 16,
    NODE_BYTES = 39,
    /* In an operation. */
    AT_KIND = 4,
    AT_PEER = 5,
    AT_AMOUNT = 9,
    AT_TAG = 17,
    AT_CPU = 21,
    AT_NIC = 22,
    AT_ENDS = 23,
    AT_STARTS = 31,
    MORE = 4 /* from a number of operations to the index of the first */
};

static uint64_t get_number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static tl_status wrong(tl_goal *g, uint64_t byte, const char *what)
{
    return tl_goal_wrong(g, byte, what, "");
}

static tl_status load(tl_goal *g, uint64_t byte, void *out, size_t size)
{
    if (byte > g->size || size > g->size - byte)
        return wrong(g, g->size, "the file ends too early");
    /* to seek throws away what is read ahead */
    if ((byte != g->at && fseeko(g->in, (off_t)byte, SEEK_SET)) ||
        fread(out, 1, size, g->in) != size)
        return tl_fail_errno(g->err, "%s: byte %" PRIu64 ": cannot be read", g->name, byte);
    g->at = byte + size;
    return TL_OK;
}

tl_status tl_goal_begin_binary(tl_goal *g)
{
    uint8_t head[HEAD_BYTES] = {0};
    if (fseeko(g->in, 0, SEEK_END) || ftello(g->in) < 0)
        return tl_fail(g->err, TL_ERR_SYSTEM,
                       "%s: is no regular file, which the binary form needs; write it to one",
                       g->name);
    g->size = g->at = (uint64_t)ftello(g->in);
    TL_TRY(load(g, 0, head, sizeof head));
    if (get_number(head, COOKIE_BYTES) != MAGIC)
        return tl_fail(g->err, TL_ERR_NOT_A_TRACE,
                       "%s: byte 0: is not GOAL, whose first number is 4223; give a file of GOAL",
                       g->name);
    g->n_ranks = (uint32_t)get_number(head + COOKIE_BYTES, 4);
    g->end = (uint64_t)g->n_ranks * RANK_BYTES + HEAD_BYTES;
    if (!g->n_ranks || g->n_ranks > TL_MAX_RANKS)
        return wrong(g, COOKIE_BYTES, "the number of ranks is impossible");
    if (g->end > g->size)
        return wrong(g, g->size, "the file ends in the table of ranks");
    g->table = malloc((size_t)g->n_ranks * RANK_BYTES);
    return g->table ? load(g, HEAD_BYTES, g->table, (size_t)g->n_ranks * RANK_BYTES)
                    : tl_goal_out_of_memory(g);
}

/* Edges from operation `from` to those in the appendix. */
static tl_status read_edges(tl_goal *g, uint32_t from, const uint8_t *at, int ends,
                            const uint8_t *appendix, uint64_t n_appendix, uint64_t place)
{
    const uint64_t n = get_number(at, 4), first = get_number(at + MORE, 4);
    if (!n)
        return TL_OK;
    if (first > n_appendix || n > n_appendix - first || n > n_appendix - g->n_edges)
        return wrong(g, place, "the dependencies are beyond the end of the schedule");
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t to = (uint32_t)get_number(appendix + 4 * (first + i), 4);
        if (to >= g->n)
            return wrong(g, place, "a dependency on an operation that does not exist");
        if (!g->n_required[to]--)
            return wrong(g, place, "an operation has more dependencies than it states");
        if (!tl_make_room(&g->edges, g->n_edges, &g->edges_capacity, sizeof *g->edges))
            return tl_goal_out_of_memory(g);
        g->edges[g->n_edges++] = (tl_goal_edge){.from = from, .to = to, .ends = ends};
    }
    return TL_OK;
}

static tl_status read_operation(tl_goal *g, const uint8_t *at, uint64_t place)
{
    static const uint16_t calls[] = {0, TL_MPI_Send, TL_MPI_Recv, 0};
    tl_goal_operation o = {.amount = get_number(at + AT_AMOUNT, 8),
                           .place = place,
                           .cpu = at[AT_CPU],
                           .nic = at[AT_NIC]};
    const uint32_t kind = at[AT_KIND], peer = (uint32_t)get_number(at + AT_PEER, 4);
    if (kind < 1 || kind > 3)
        return wrong(g, place + AT_KIND, "no operation of GOAL");
    o.call = calls[kind];
    if (o.amount > UINT64_C(1) << 53)
        return wrong(g, place + AT_AMOUNT, "an impossible size or time");
    if (o.call) {
        const uint32_t tag = (uint32_t)get_number(at + AT_TAG, 4);
        const bool is_receive = o.call == TL_MPI_Recv;
        o.peer = peer == UINT32_MAX ? TL_ANY_SOURCE : (int32_t)peer;
        o.tag = tag == UINT32_MAX ? UINT64_MAX : tag;
        if (peer >= g->n_ranks && !(is_receive && peer == UINT32_MAX))
            return wrong(g, place + AT_PEER, "the partner is no rank");
        if (tag == UINT32_MAX && !is_receive)
            return wrong(g, place + AT_TAG, "a send with any tag, which only a receive can have");
    }
    g->operations[g->n++] = o;
    g->n_required[g->n - 1] = (uint32_t)get_number(at, 4);
    return TL_OK;
}

static tl_status read_block(tl_goal *g, uint64_t begin, uint64_t size)
{
    const uint64_t n = get_number(g->block, 4), n_roots = get_number(g->block + 4, 4);
    const uint64_t nodes_at = 8 + 4 * n_roots, appendix_at = nodes_at + NODE_BYTES * n;
    if (appendix_at > size || n > INT32_MAX)
        return wrong(g, begin, "there are more operations than the schedule has room for");
    const uint8_t *nodes = g->block + nodes_at, *appendix = g->block + appendix_at;
    const uint64_t n_appendix = (size - appendix_at) / 4;
    if (!tl_make_room(&g->operations, n, &g->capacity, sizeof *g->operations) ||
        !tl_make_room(&g->n_required, n, &g->required_capacity, sizeof *g->n_required))
        return tl_goal_out_of_memory(g);
    tl_status status = TL_OK;
    for (uint64_t i = 0; i < n && !status; i++)
        status = read_operation(g, nodes + NODE_BYTES * i, begin + nodes_at + NODE_BYTES * i);
    for (uint64_t i = 0; i < n && !status; i++) {
        const uint8_t *node = nodes + NODE_BYTES * i;
        const uint64_t place = g->operations[i].place;
        status =
            read_edges(g, (uint32_t)i, node + AT_ENDS, 1, appendix, n_appendix, place + AT_ENDS);
        if (!status)
            status = read_edges(g, (uint32_t)i, node + AT_STARTS, 0, appendix, n_appendix,
                                place + AT_STARTS);
    }
    for (uint64_t i = 0; i < n && !status; i++)
        if (g->n_required[i])
            status = wrong(g, g->operations[i].place,
                           "an operation has fewer dependencies than it states");
    return status;
}

/* Schedules are in the order of the ranks. So no byte is read twice. */
tl_status tl_goal_read_binary(tl_goal *g)
{
    const uint64_t entry_at = HEAD_BYTES + (uint64_t)g->rank * RANK_BYTES;
    const uint8_t *entry = g->table + (size_t)g->rank * RANK_BYTES;
    const uint64_t begin = get_number(entry, 8), end = get_number(entry + 8, 8);
    if (begin > end || end > g->size - COOKIE_BYTES || end - begin < 8)
        return wrong(g, entry_at, "the schedule of a rank is beyond the end of the file");
    if (begin + COOKIE_BYTES < g->end)
        return wrong(g, entry_at, "the schedules of two ranks overlap");
    g->end = end + COOKIE_BYTES;
    if (!tl_make_room(&g->block, end - begin, &g->block_capacity, 1))
        return tl_goal_out_of_memory(g);
    TL_TRY(load(g, begin + COOKIE_BYTES, g->block, end - begin));
    return read_block(g, begin + COOKIE_BYTES, end - begin);
}
