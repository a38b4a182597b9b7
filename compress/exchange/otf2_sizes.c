/* otf2_sizes.c - the sizes of collectives from the bytes that Score-P counts.
 *
 * Score-P counts what a rank sends to all ranks and receives from all ranks, itself included unless
 * MPI_IN_PLACE is passed: in MPI_Allreduce of b bytes by N ranks, each rank sends and receives N b
 * bytes. */
#include "config.h"

#include "otf2_read.h"

tl_action otf2_action_of(OTF2_CollectiveOp op)
{
    static const uint8_t actions[] = {
#define OPERATION(name) [OTF2_COLLECTIVE_OP_##name] = TL_ACTION_##name,
#include "otf2_operations.def"
    };
    return op < sizeof actions ? (tl_action)actions[op] : TL_ACTION_NONE;
}

bool otf2_varies(OTF2_CollectiveOp op)
{
    switch (op) {
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_SCATTERV:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER: return true;
    default: return false;
    }
}

/* One of n equal blocks; with MPI_IN_PLACE the sum has one less. */
static int64_t block_of(uint64_t sum, uint64_t n)
{
    if (n > 1 && sum % n && sum % (n - 1) == 0)
        return (int64_t)(sum / (n - 1));
    return (int64_t)(n ? sum / n + (sum % n > 0) : 0);
}

/* What a rank that sends `sent` of `total` bytes sends to one that receives `received` of them, if
 * each rank divides its bytes in the same proportion. */
static int64_t share(uint64_t sent, uint64_t received, uint64_t total)
{
    return total ? (int64_t)((unsigned __int128)sent * received / total) : 0;
}

static bool list_blocks(const otf2_record *r, uint32_t n, uint32_t me, const otf2_sums *sums,
                        tl_buffer *list)
{
    const bool all_to_all =
        r->op == OTF2_COLLECTIVE_OP_ALLTOALLV || r->op == OTF2_COLLECTIVE_OP_ALLTOALLW;
    const size_t bytes = ((size_t)n * (all_to_all ? 2 : 1)) * sizeof(int64_t);
    if (!tl_buffer_reserve(list, bytes))
        return false;
    list->size = bytes;
    int64_t *values = (int64_t *)(void *)list->data;
    uint64_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += sums[i].received;
    for (uint32_t i = 0; i < n; i++) {
        switch (r->op) {
        case OTF2_COLLECTIVE_OP_GATHERV: values[i] = (int64_t)sums[i].sent; break;
        case OTF2_COLLECTIVE_OP_SCATTERV: values[i] = (int64_t)sums[i].received; break;
        case OTF2_COLLECTIVE_OP_ALLGATHERV: values[i] = block_of(sums[i].sent, n); break;
        case OTF2_COLLECTIVE_OP_REDUCE_SCATTER: values[i] = block_of(sums[i].received, n); break;
        default:
            values[i] = share(sums[me].sent, sums[i].received, total);
            values[n + i] = share(sums[i].sent, sums[me].received, total);
        }
    }
    return true;
}

/* The slots of the sending side, and of the receiving side. */
static void sends(tl_event *e, int64_t bytes)
{
    e->count = bytes;
    e->type_bytes = 1;
}

static void receives(tl_event *e, int64_t bytes)
{
    e->recv_count = bytes;
    e->recv_type_bytes = 1;
}

static void take_rooted(tl_event *e, const otf2_record *r, uint32_t n, bool is_root)
{
    const uint64_t sent = r->bytes, received = r->received_bytes;
    switch (r->op) {
    case OTF2_COLLECTIVE_OP_BCAST:
        sends(e, received ? (int64_t)received : block_of(sent, n));
        break;
    case OTF2_COLLECTIVE_OP_REDUCE:
        sends(e, sent || !is_root ? (int64_t)sent : block_of(received, n - 1));
        break;
    case OTF2_COLLECTIVE_OP_GATHER:
        sends(e, sent || !is_root ? (int64_t)sent : block_of(received, n - 1));
        if (is_root)
            receives(e, e->count);
        break;
    default: /* MPI_Scatter */
        receives(e, received || !is_root ? (int64_t)received : block_of(sent, n - 1));
        if (is_root)
            sends(e, e->recv_count);
    }
}

static void take_varying(tl_event *e, const otf2_record *r, uint32_t me, bool is_root,
                         const int64_t *values)
{
    switch (r->op) {
    case OTF2_COLLECTIVE_OP_GATHERV:
        sends(e, (int64_t)r->bytes);
        if (is_root)
            e->recv_type_bytes = 1;
        break;
    case OTF2_COLLECTIVE_OP_SCATTERV:
        receives(e, (int64_t)r->received_bytes);
        if (is_root)
            e->type_bytes = 1;
        break;
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
        sends(e, values[me]);
        e->recv_type_bytes = 1;
        break;
    case OTF2_COLLECTIVE_OP_ALLTOALLV: e->recv_type_bytes = 1; /* fall through */
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER: e->type_bytes = 1; break;
    default: break; /* MPI_Alltoallw has bytes */
    }
}

bool otf2_take_sizes(tl_event *e, const otf2_record *r, uint32_t n, uint32_t me,
                     const otf2_sums *sums, tl_buffer *list)
{
    const bool is_root = r->peer == me;
    switch (r->op) {
    case OTF2_COLLECTIVE_OP_BARRIER: return true;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_REDUCE:
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_SCATTER: take_rooted(e, r, n, is_root); return true;
    case OTF2_COLLECTIVE_OP_SCAN:
        sends(e, r->received_bytes ? block_of(r->received_bytes, me + UINT64_C(1))
                                   : block_of(r->bytes, n));
        return true;
    case OTF2_COLLECTIVE_OP_EXSCAN:
        sends(e, me ? (int64_t)(r->received_bytes / me) : block_of(r->bytes, n - 1));
        return true;
    default: break;
    }
    if (!otf2_varies(r->op)) {
        sends(e, block_of(r->bytes, n));
        if (r->op == OTF2_COLLECTIVE_OP_ALLTOALL || r->op == OTF2_COLLECTIVE_OP_ALLGATHER)
            receives(e, block_of(r->received_bytes, n));
        return true;
    }
    const bool lists =
        is_root || (r->op != OTF2_COLLECTIVE_OP_GATHERV && r->op != OTF2_COLLECTIVE_OP_SCATTERV);
    if (lists && !list_blocks(r, n, me, sums, list))
        return false;
    take_varying(e, r, me, is_root, (const int64_t *)(const void *)list->data);
    return true;
}
