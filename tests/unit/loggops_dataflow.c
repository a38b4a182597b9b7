/* What the collective algorithms move: who hears of whom, and how many bytes come to which rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "loggops/loggops.h"

/* ---- what collectives move ---- */

enum { MAX_RANKS = 40, MAX_MESSAGES = 4096 };

/* A rank of an execution without time: what it has heard of, by rank. */
typedef struct listener {
    uint64_t knows;
    uint32_t step;
    int32_t open[2 * MAX_RANKS]; /* ranks whose messages it waits for */
    int n_open;
} listener;

typedef struct carried {
    uint64_t knows;
    int32_t from, to;
    int taken;
} carried;

static struct {
    listener ranks[MAX_RANKS];
    carried messages[MAX_MESSAGES];
    int n_messages;
    uint64_t bytes, largest, moved[MAX_RANKS][MAX_RANKS]; /* in all; of a message; from, to */
    const int64_t *list;
} play;

static int take(int32_t from, int32_t to, uint64_t *knows)
{
    for (int i = 0; i < play.n_messages; i++)
        if (!play.messages[i].taken && play.messages[i].from == from && play.messages[i].to == to) {
            play.messages[i].taken = 1;
            *knows |= play.messages[i].knows;
            return 1;
        }
    return 0;
}

/* Does the rank's next step; returns 0 when it cannot, -1 when it is done. */
static int advance(const tlr_collective *op, uint32_t me, uint32_t size)
{
    listener *l = &play.ranks[me];
    const tlr_message step = tlr_collective_step(op, play.list, me, size, l->step);
    if (step.kind == LOGGOPS_END) {
        assert_int_equal(l->n_open, 0);
        return -1;
    }
    if (step.kind == LOGGOPS_SEND) {
        assert_in_range(step.peer, 0, size - 1);
        if (op->algorithm != TLR_ALLTOALL_SCATTERED)
            assert_int_not_equal(step.peer, me);
        assert_true(play.n_messages < MAX_MESSAGES);
        play.messages[play.n_messages++] = (carried){l->knows, (int32_t)me, step.peer, 0};
        play.bytes += step.bytes;
        play.largest = step.bytes > play.largest ? step.bytes : play.largest;
        play.moved[me][step.peer] += step.bytes;
    } else if (step.kind == LOGGOPS_RECV) {
        l->open[l->n_open++] = step.peer;
    } else {
        while (l->n_open) {
            if (!take(l->open[0], (int32_t)me, &l->knows))
                return 0;
            memmove(l->open, l->open + 1, (size_t)--l->n_open * sizeof *l->open);
        }
    }
    l->step++;
    return 1;
}

/* Plays the collective; every message must find its receive. */
static void play_collective(uint8_t algorithm, uint32_t size, int32_t root, uint64_t bytes)
{
    const tlr_collective op = {.algorithm = algorithm, .root = root, .amount = bytes};
    memset(play.ranks, 0, sizeof play.ranks);
    memset(play.moved, 0, sizeof play.moved);
    play.n_messages = 0;
    play.bytes = play.largest = 0;
    for (uint32_t r = 0; r < size; r++)
        play.ranks[r].knows = UINT64_C(1) << r;
    for (int moved = 1, n_done = 0; moved;) {
        moved = n_done = 0;
        for (uint32_t r = 0; r < size; r++) {
            int did;
            while ((did = advance(&op, r, size)) > 0)
                moved = 1;
            n_done += did < 0;
        }
        assert_true(moved || n_done == (int)size);
    }
    for (int i = 0; i < play.n_messages; i++)
        assert_true(play.messages[i].taken);
}

/* Who must have heard of whom. */
static void check_knowledge(tl_action action, uint32_t size, int32_t root)
{
    const uint64_t all = (UINT64_C(1) << size) - 1;
    for (uint32_t r = 0; r < size; r++)
        switch (action) {
        case TL_ACTION_BCAST:
        case TL_ACTION_SCATTER: assert_true(play.ranks[r].knows >> root & 1); break;
        case TL_ACTION_SCAN: assert_int_equal(play.ranks[r].knows, (UINT64_C(2) << r) - 1); break;
        case TL_ACTION_REDUCE:
        case TL_ACTION_GATHER:
            if ((int32_t)r == root)
                assert_int_equal(play.ranks[r].knows, all);
            break;
        default: assert_int_equal(play.ranks[r].knows, all);
        }
}

static void collectives_do_their_work(void **state)
{
    (void)state;
    static const struct {
        uint8_t algorithm;
        tl_action action;
    } table[] = {
#define TLR_ALGORITHM(id, action, name) {TLR_##id, TL_ACTION_##action},
#include "collectives/algorithms.def"
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint32_t size = 2; size < MAX_RANKS; size++) {
            const int is_rooted =
                table[i].action == TL_ACTION_BCAST || table[i].action == TL_ACTION_REDUCE ||
                table[i].action == TL_ACTION_GATHER || table[i].action == TL_ACTION_SCATTER;
            for (int32_t root = 0; root < (is_rooted ? (int32_t)size : 1); root++) {
                play_collective(table[i].algorithm, size, root, 1000);
                check_knowledge(table[i].action, size, root);
            }
        }
}

/* Blocks of different sizes: rank r's has r + 1 bytes. */
static void play_blocks(uint8_t algorithm, uint32_t size, uint64_t expected)
{
    int64_t list[1 + MAX_RANKS] = {size};
    for (uint32_t r = 0; r < size; r++)
        list[1 + r] = r + 1;
    play.list = list;
    play_collective(algorithm, size, 0, 0);
    play.list = NULL;
    assert_int_equal(play.bytes, expected);
}

/* Algorithms that cut what each rank has into pieces; 1000 bytes are no multiple of most sizes. */
static void check_divided_buffers(uint32_t size)
{
    uint32_t n_core = 1;
    while (2 * n_core <= size)
        n_core *= 2;
    const uint64_t n_extra = size - n_core, to_core = n_extra * 1000;
    /* Halving sends all but a rank's own part, doubling as much again. */
    play_collective(TLR_ALLREDUCE_RABENSEIFNER, size, 0, 1000);
    assert_int_equal(play.bytes, 2 * to_core + 2 * (uint64_t)(n_core - 1) * 1000);
    play_collective(TLR_ALLREDUCE_REDBCAST, size, 0, 1000);
    assert_int_equal(play.bytes, 2 * (uint64_t)(size - 1) * 1000);
    play_collective(TLR_ALLREDUCE_TREES, size, 0, 1000);
    assert_int_equal(play.bytes, 2 * (uint64_t)(size - 1) * 1000);
    /* An odd rank of a pair passes its neighbour's block on. */
    play_collective(TLR_REDUCE_SCATTER_HALVING, size, 0, 1000);
    assert_int_equal(play.bytes,
                     n_extra * size * 1000 + (uint64_t)(n_core - 1) * size * 1000 + n_extra * 1000);
    /* Each block goes the bits of its way. */
    uint64_t bits = 0;
    for (uint32_t way = 1; way < size; way++)
        bits += (uint64_t)__builtin_popcount(way);
    play_collective(TLR_ALLTOALL_BRUCK, size, 0, 1000);
    assert_int_equal(play.bytes, size * bits * 1000);
    /* Down a tree, where the piece of rank v passes as many edges as v has bits, and round the
     * ring.
     */
    const uint64_t piece = (1000 + size - 1) / size;
    uint64_t down = 0;
    for (uint64_t v = 1; v < size; v++) {
        const uint64_t at = v * piece, rest = at < 1000 ? 1000 - at : 0;
        down += (uint64_t)__builtin_popcountll(v) * (rest < piece ? rest : piece);
    }
    play_collective(TLR_BCAST_SCATTER_RING, size, 1, 1000);
    assert_int_equal(play.bytes, down + (uint64_t)(size - 1) * 1000);
    /* Halving, then half of the core's parts in each round; rank 1 is beside the core, if any is.
     */
    play_collective(TLR_REDUCE_SCATTER_GATHER, size, 1, 1000);
    if (1000 % n_core == 0)
        assert_int_equal(play.bytes,
                         to_core + (uint64_t)(n_core - 1) * 1000 +
                             ((uint64_t)__builtin_ctz(n_core) * n_core / 2 + (n_extra > 0)) *
                                 (1000 / n_core));
}

static void collectives_move_their_bytes(void **state)
{
    (void)state;
    for (uint32_t size = 2; size < MAX_RANKS; size++) {
        const uint64_t others = size - 1;
        play_collective(TLR_BCAST_BINOMIAL, size, 1, 1000);
        assert_int_equal(play.bytes, others * 1000);
        play_collective(TLR_GATHER_LINEAR, size, 1, 1000);
        assert_int_equal(play.bytes, others * 1000);
        const uint64_t all = size * (size + 1) / 2;
        play_blocks(TLR_SCATTER_LINEAR, size, all - 1);
        play_blocks(TLR_ALLGATHER_RING, size, all * others);
        play_blocks(TLR_ALLTOALL_RING, size, all * others);
        play_blocks(TLR_ALLTOALL_LINEAR, size, all * others);
        play_blocks(TLR_REDUCE_SCATTER_PAIRWISE, size, all * others);
        play_collective(TLR_ALLGATHER_RING, size, 0, 1000);
        assert_int_equal(play.bytes, size * others * 1000);
        play_collective(TLR_ALLTOALL_RING, size, 0, 1000);
        assert_int_equal(play.bytes, size * others * 1000);
        play_collective(TLR_ALLGATHER_BRUCK, size, 0, 1000);
        assert_int_equal(play.bytes, size * others * 1000);
        play_collective(TLR_ALLGATHER_DOUBLING, size, 0, 1000);
        assert_int_equal(play.bytes, size * others * 1000);
        play_collective(TLR_ALLTOALL_PAIR, size, 0, 1000);
        assert_int_equal(play.bytes, size * others * 1000);
        play_blocks(TLR_ALLGATHER_BRUCK, size, all * others);
        play_blocks(TLR_ALLGATHER_DOUBLING, size, all * others);
        play_blocks(TLR_ALLTOALL_PAIR, size, all * others);
        check_divided_buffers(size);
        /* Each rank's block crosses one edge for every level of the tree that it is under. */
        uint64_t depths = 0;
        for (uint32_t v = 1; v < size; v++)
            depths += (uint64_t)__builtin_popcount(v);
        play_collective(TLR_SCATTER_BINOMIAL, size, 1, 1000);
        assert_int_equal(play.bytes, depths * 1000);
        play_collective(TLR_GATHER_BINOMIAL, size, 1, 1000);
        assert_int_equal(play.bytes, depths * 1000);
    }
}

/* ---- bytes by destination ---- */

static uint64_t into(uint32_t r)
{
    uint64_t sum = 0;
    for (uint32_t from = 0; from < MAX_RANKS; from++)
        sum += play.moved[from][r];
    return sum;
}

static uint64_t out_of(uint32_t r)
{
    uint64_t sum = 0;
    for (uint32_t to = 0; to < MAX_RANKS; to++)
        sum += play.moved[r][to];
    return sum;
}

/* Blocks of r + 1 bytes for rank r: each pair of ranks exchanges no others than its own. */
static void check_blocks_for_each(uint32_t size)
{
    static const uint8_t direct[] = {TLR_ALLTOALL_RING, TLR_ALLTOALL_LINEAR, TLR_ALLTOALL_PAIR,
                                     TLR_REDUCE_SCATTER_PAIRWISE};
    static const uint8_t gathering[] = {TLR_ALLGATHER_RING, TLR_ALLGATHER_DOUBLING,
                                        TLR_ALLGATHER_BRUCK};
    const uint64_t all = (uint64_t)size * (size + 1) / 2;
    for (size_t i = 0; i < sizeof direct; i++) {
        play_blocks(direct[i], size, all * (size - 1));
        for (uint32_t from = 0; from < size; from++)
            for (uint32_t to = 0; to < size; to++)
                assert_int_equal(play.moved[from][to], from == to ? 0 : to + 1);
    }
    for (size_t i = 0; i < sizeof gathering; i++) {
        play_blocks(gathering[i], size, all * (size - 1));
        for (uint32_t r = 0; r < size; r++)
            assert_int_equal(into(r), all - (r + 1));
    }
    play_blocks(TLR_SCATTER_LINEAR, size, all - 1);
    for (uint32_t r = 1; r < size; r++)
        assert_int_equal(play.moved[0][r], r + 1);
}

/* What a rank does not keep it passes on. */
static void check_trees(uint32_t size, uint32_t root)
{
    for (int linear = 0; linear < 2; linear++) {
        play_collective(linear ? TLR_SCATTER_LINEAR : TLR_SCATTER_BINOMIAL, size, (int32_t)root,
                        1000);
        for (uint32_t r = 0; r < size; r++)
            assert_int_equal(r == root ? out_of(r) - into(r) : into(r) - out_of(r),
                             r == root ? (size - 1) * 1000 : 1000);
        play_collective(linear ? TLR_GATHER_LINEAR : TLR_GATHER_BINOMIAL, size, (int32_t)root,
                        1000);
        for (uint32_t r = 0; r < size; r++)
            assert_int_equal(r == root ? into(r) - out_of(r) : out_of(r) - into(r),
                             r == root ? (size - 1) * 1000 : 1000);
        play_collective(linear ? TLR_BCAST_LINEAR : TLR_BCAST_BINOMIAL, size, (int32_t)root, 1000);
        for (uint32_t r = 0; r < size; r++)
            assert_int_equal(into(r), r == root ? 0 : 1000);
        play_collective(linear ? TLR_REDUCE_LINEAR : TLR_REDUCE_BINOMIAL, size, (int32_t)root,
                        1000);
        for (uint32_t r = 0; r < size; r++)
            assert_int_equal(out_of(r), r == root ? 0 : 1000);
    }
    play_collective(TLR_BCAST_SCATTER_RING, size, (int32_t)root, 1000);
    for (uint32_t r = 0; r < size; r++)
        assert_true(r == root || into(r) >= 1000);
}

/* Of a broadcast every rank but the root hears of each byte once, in messages of at most a segment
 * and no more messages than it takes. */
static void check_segments(uint8_t algorithm, uint32_t size, uint32_t root, uint64_t bytes,
                           uint64_t segment_bytes)
{
    play_collective(algorithm, size, (int32_t)root, bytes);
    for (uint32_t r = 0; r < size; r++)
        assert_int_equal(into(r), r == root ? 0 : bytes);
    assert_true(play.largest <= segment_bytes);
    assert_int_equal(play.n_messages, (size - 1) * ((bytes + segment_bytes - 1) / segment_bytes));
}

static void check_chains(uint32_t size, uint32_t root)
{
    static const uint8_t whole[] = {TLR_BCAST_CHAIN, TLR_BCAST_BINARY, TLR_BCAST_KNOMIAL};
    for (size_t i = 0; i < sizeof whole; i++)
        check_segments(whole[i], size, root, 1000, 1000);
    check_segments(TLR_BCAST_CHAIN, size, root, 1 << 20, 1 << 20);
    for (uint32_t r = 0; r < size; r++) /* down the chain */
        assert_int_equal(play.moved[(root + r) % size][(root + r + 1) % size],
                         r + 1 < size ? 1 << 20 : 0);
    /* SMPI's segments: by ranks and bytes. */
    const uint64_t KIB = 1024, bytes = 300000;
    check_segments(TLR_BCAST_PIPELINE, size, root, bytes,
                   size < 3    ? 128 * KIB /* 0.484 + 2.11 */
                   : size < 10 ? 16 * KIB  /* 0.964 + 8.79; 0.71 + 1.18 is below 2 */
                               : 128 * KIB);
}

/* Each half goes down its side of the tree, and from there to the other. */
static void check_split(uint32_t size, uint32_t root)
{
    static const struct {
        uint8_t algorithm;
        uint64_t bytes, largest;
    } cases[] = {{TLR_BCAST_SPLIT, 1001, 501},
                 {TLR_BCAST_SPLIT_SEGMENTS, 9001, 4501}, /* the exchange is in one piece */
                 {TLR_BCAST_SPLIT, 1, 1},                /* too little to cut */
                 {TLR_BCAST_SPLIT_SEGMENTS, 2047, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play_collective(cases[i].algorithm, size, (int32_t)root, cases[i].bytes);
        for (uint32_t r = 0; r < size; r++)
            assert_int_equal(into(r), r == root ? 0 : cases[i].bytes);
        assert_true(play.largest <= cases[i].largest);
    }
    play_collective(TLR_BCAST_SPLIT, size, (int32_t)root, 1001);
    for (uint32_t v = 1; v < size; v++) { /* 501 bytes on the odd side, 500 on the even one */
        const uint32_t other = v % 2 ? (v + 1 < size ? v + 1 : 0) : v - 1;
        assert_int_equal(play.moved[(root + other) % size][(root + v) % size], size == 2 ? 1001
                                                                               : v % 2   ? 500
                                                                                         : 501);
    }
}

/* Ranks outside of the largest power of two give all and hear of the result. */
static void check_cores(uint32_t size)
{
    uint32_t n_core = 1, rounds = 0;
    for (; 2 * n_core <= size; n_core *= 2)
        rounds++;
    const uint32_t n_paired = 2 * (size - n_core);
    play_collective(TLR_ALLREDUCE_DOUBLING, size, 0, 1000);
    for (uint32_t r = 0; r < size; r++)
        assert_int_equal(into(r), r >= n_paired ? rounds * 1000
                                  : r % 2       ? (rounds + 1) * 1000
                                                : 1000);
    /* Of 1024 bytes every part of a core is equal: all but a rank's own come in twice. */
    play_collective(TLR_ALLREDUCE_RABENSEIFNER, size, 0, 1024);
    const uint64_t twice = 2 * (UINT64_C(1024) - 1024 / n_core);
    for (uint32_t r = 0; r < size; r++)
        assert_int_equal(into(r), r >= n_paired ? twice : r % 2 ? 1024 + twice : 1024);
}

static void check_rings(uint32_t size)
{
    uint64_t bits = 0;
    for (uint32_t way = 1; way < size; way++)
        bits += (uint64_t)__builtin_popcount(way);
    play_collective(TLR_ALLREDUCE_RING, size, 0, 1000);
    for (uint32_t r = 0; r < size; r++)
        assert_int_equal(play.moved[r][(r + 1) % size],
                         2 * (uint64_t)(size - 1) * ((1000 + size - 1) / size));
    play_collective(TLR_ALLTOALL_BRUCK, size, 0, 1000);
    for (uint32_t r = 0; r < size; r++) {
        assert_int_equal(into(r), bits * 1000);
        assert_int_equal(out_of(r), bits * 1000);
    }
    play_collective(TLR_SCAN_LINEAR, size, 0, 1000);
    for (uint32_t r = 1; r < size; r++)
        assert_int_equal(play.moved[r - 1][r], into(r));
    assert_int_equal(play.bytes, (uint64_t)(size - 1) * 1000);
}

/* Recursive halving: in each round a rank hears of the half that its own block is in. */
static void check_halving(uint32_t size)
{
    uint64_t expected = 0;
    for (uint64_t half = size / 2; half; half /= 2)
        for (uint32_t r = 0; r < size; r++) {
            const uint64_t first = r & ~(half - 1);
            expected += half * (first + 1) + half * (half - 1) / 2;
        }
    play_blocks(TLR_REDUCE_SCATTER_HALVING, size, expected);
    for (uint32_t r = 0; r < size; r++) {
        uint64_t own = 0;
        for (uint64_t half = size / 2; half; half /= 2)
            own += half * ((r & ~(half - 1)) + 1) + half * (half - 1) / 2;
        assert_int_equal(into(r), own);
    }
}

static void bytes_reach_their_ranks(void **state)
{
    (void)state;
    for (uint32_t size = 2; size < MAX_RANKS; size++) {
        check_blocks_for_each(size);
        for (uint32_t root = 0; root < size; root++) {
            check_trees(size, root);
            check_chains(size, root);
            check_split(size, root);
        }
        check_cores(size);
        check_rings(size);
        if (!(size & (size - 1)))
            check_halving(size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_do_their_work),
        cmocka_unit_test(collectives_move_their_bytes),
        cmocka_unit_test(bytes_reach_their_ranks),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
