/* ompi.c - the algorithm that Open MPI 4.1 chooses for a collective. */
#include "ompi.h"

static uint32_t power_of_two_in(uint32_t n)
{
    return n ? UINT32_C(1) << (31 - (unsigned)__builtin_clz(n)) : 0;
}

/* The decision that an algorithm of coll_base makes before it begins. */
static tlr_ompi left_to(tlr_ompi algorithm, uint32_t n_ranks, uint64_t count)
{
    const uint32_t core = power_of_two_in(n_ranks);
    switch (algorithm) {
    case OMPI_ALLREDUCE_RING:
        return count < n_ranks ? OMPI_ALLREDUCE_RECURSIVE_DOUBLING : algorithm;
    case OMPI_ALLREDUCE_RABENSEIFNER: return count < core ? OMPI_ALLREDUCE_LINEAR : algorithm;
    case OMPI_REDUCE_RABENSEIFNER: return count < core ? OMPI_REDUCE_LINEAR : algorithm;
    case OMPI_BCAST_SPLIT_BINARY_TREE: return count < 2 ? OMPI_BCAST_CHAIN : algorithm;
    case OMPI_ALLGATHER_RECURSIVE_DOUBLING:
        return n_ranks != core ? OMPI_ALLGATHER_BRUCK : algorithm;
    case OMPI_ALLGATHER_NEIGHBOR: return n_ranks % 2 ? OMPI_ALLGATHER_RING : algorithm;
    default: return algorithm;
    }
}

tlr_ompi tlr_ompi_choose(tl_action family, uint32_t n_ranks, uint64_t count, uint64_t bytes)
{
    static const struct {
        tl_action family;
        uint32_t ranks, bytes;
        tlr_ompi algorithm;
    } rules[] = {
#define OMPI_RULE(action, ranks, bytes, id)                                                        \
    {TL_ACTION_##action, ranks, bytes, OMPI_##action##_##id},
#include "ompi_rules.def"
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].family == family && (!rules[i].ranks || n_ranks < rules[i].ranks) &&
            (!rules[i].bytes || bytes < rules[i].bytes))
            return left_to(rules[i].algorithm, n_ranks, count);
    return OMPI_NONE;
}

const char *tlr_ompi_name(tlr_ompi algorithm)
{
    static const char *const names[] = {
        [OMPI_NONE] = "",
#define OMPI_ALGORITHM(action, id, name) [OMPI_##action##_##id] = (name),
#include "ompi_rules.def"
    };
    return names[algorithm];
}
