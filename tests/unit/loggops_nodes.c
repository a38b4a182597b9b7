/* Nodes in the LogGOPS engine against closed formulas: adapters that ranks share, messages within a
 * node, adapters that move the bytes. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "loggops/loggops.h"

static tl_error err;

static const char plain[] = "L=5us,o=2us,g=1us,G=3ns,O=1ns;local:L=1us,o=1us,g=0,G=1ns,O=1ns";
static const char moving[] = "L=5us,o=2us,g=1us,G=3ns,O=1ns,B=7ns,or=4us,Or=2ns,S=20000;"
                             "from=20000,L=90us;"
                             "local:L=1us,o=1us,g=0,G=0,O=1ns,B=2ns,or=3us,Or=1ns";

/* Runs program 0 on the first half of the ranks, program 1 on the others. */
static void run_halves(const char *text, loggops_op *const halves[2], const uint32_t *node_of,
                       uint32_t n_ranks, unsigned n_threads, loggops_rank_result *ranks)
{
    loggops_network network;
    loggops_program programs[2] = {{halves[0], NULL, 0, 0, 9}, {halves[1], NULL, 0, 0, 9}};
    loggops_comm world = {n_ranks, NULL, NULL, 0};
    uint32_t *program_of = calloc(n_ranks, sizeof *program_of);
    assert_int_equal(loggops_parse_network(text, &network, &err), TL_OK);
    loggops_nodes nodes = {.node_of = (uint32_t *)node_of,
                           .between = network.between,
                           .within = network.within,
                           .move_bytes = network.move_bytes};
    for (uint32_t r = 0; r < n_ranks; r++) {
        program_of[r] = r >= n_ranks / 2;
        if (node_of[r] >= nodes.n_nodes)
            nodes.n_nodes = node_of[r] + 1;
    }
    const loggops_run run = {n_ranks, 2,    programs, program_of, 1,   &world,
                             0,       NULL, &nodes,   NULL,       NULL};
    loggops_result result = {.ranks = ranks};
    assert_int_equal(loggops_simulate(&run, &network.params, NULL, n_threads, &result, &err),
                     TL_OK);
    free(program_of);
}

enum { N = 6 };

/* Rank i sends to rank N + i. */
static void run_pairs(const char *text, uint64_t bytes, const uint32_t *node_of,
                      loggops_rank_result ranks[2 * N])
{
    loggops_op sends[] = {{.kind = LOGGOPS_SEND, .peer = N, .amount = bytes}, {0}};
    loggops_op receives[] = {{.kind = LOGGOPS_RECV, .peer = N, .amount = bytes}, {0}};
    loggops_op *const halves[] = {sends, receives};
    run_halves(text, halves, node_of, 2 * N, 1, ranks);
}

static const uint32_t two_nodes[2 * N] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
                                    to_one_node[2 * N] = {0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6},
                                    one_node[2 * N] = {0},
                                    apart[2 * N] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* All messages leave the node at once, or reach it at once: each waits for those before. */
static void adapters_take_one_after_the_other(void **state)
{
    (void)state;
    loggops_rank_result ranks[2 * N];
    for (uint64_t bytes = 1; bytes < 100000; bytes = 7 * bytes + 1) {
        const uint64_t k = bytes - 1, gap = 1000000 + 3000 * k, hop = 9000000 + 3000 * k;
        run_pairs(plain, bytes, two_nodes, ranks);
        for (uint64_t i = 0; i < N; i++) {
            assert_int_equal(ranks[i].end_ps, 2000000 + 1000 * k);
            assert_int_equal(ranks[N + i].end_ps, i * gap + hop);
        }
        run_pairs(plain, bytes, to_one_node, ranks);
        for (uint64_t i = 0; i < N; i++)
            assert_int_equal(ranks[N + i].end_ps, i * gap + hop);
        run_pairs(plain, bytes, apart, ranks);
        for (uint64_t i = 0; i < N; i++)
            assert_int_equal(ranks[N + i].end_ps, hop);
        run_pairs(plain, bytes, one_node, ranks);
        for (uint64_t i = 0; i < N; i++)
            assert_int_equal(ranks[N + i].end_ps, 3000000 + 1000 * k);
    }
}

/* Short messages take their way from the end of the send's overhead on. */
static void adapters_move_short_messages(void **state)
{
    (void)state;
    loggops_rank_result ranks[2 * N];
    for (uint64_t bytes = 1; bytes < 20000; bytes = 7 * bytes + 1) {
        const uint64_t k = bytes - 1, gap = 1000000 + 3000 * k, sent = 2000000 + 1000 * k,
                       hop = sent + 5000000 + 7000 * k + 4000000 + 2000 * k;
        run_pairs(moving, bytes, two_nodes, ranks);
        for (uint64_t i = 0; i < N; i++) {
            assert_int_equal(ranks[i].end_ps, sent);
            assert_int_equal(ranks[N + i].end_ps, hop + i * gap);
        }
        run_pairs(moving, bytes, one_node, ranks);
        for (uint64_t i = 0; i < N; i++)
            assert_int_equal(ranks[N + i].end_ps, 5000000 + 4000 * k);
    }
}

/* Long ones do when the receiver is ready as well: in L, of which the question and the answer take
 * two windows of 2 us (the smallest L + o) where it is long enough.  They share the adapter.  The
 * send ends when the bytes are there. */
static void adapters_move_long_messages(void **state)
{
    (void)state;
    loggops_rank_result ranks[2 * N];
    const uint64_t bytes = 20001, k = bytes - 1, gap = 1000000 + 3000 * k,
                   there = 2000000 + 1000 * k + 90000000 + (N - 1) * gap + 7000 * k;
    run_pairs(moving, bytes, two_nodes, ranks);
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(ranks[i].end_ps, there);
        assert_int_equal(ranks[N + i].end_ps, there + 4000000 + 2000 * k);
    }
    const uint64_t local = 1000000 + 1000 * k + 1000000 + 2000 * k;
    run_pairs(moving, bytes, one_node, ranks);
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(ranks[i].end_ps, local);
        assert_int_equal(ranks[N + i].end_ps, local + 3000000 + 1000 * k);
    }
}

/* The question, the answer and the data of a long message take L together, also where short
 * messages take longer because of their overhead.  A synchronous send is such a message at any
 * size. */
static void overheads_do_not_delay_long_messages(void **state)
{
    (void)state;
    static const char text[] = "L=1us,o=50us,g=0,G=0,O=0,B=1ns,or=4us,Or=0,S=8192;"
                               "from=8192,o=2us;local:L=0.6us,o=50us,B=1ns;local:from=8192,o=2us";
    loggops_rank_result ranks[2 * N];
    for (uint64_t bytes = 8192; bytes < 100000; bytes += 30000) {
        const uint64_t there = 2000000 + 1000000 + 1000 * (bytes - 1);
        run_pairs(text, bytes, apart, ranks);
        assert_int_equal(ranks[0].end_ps, there);
        assert_int_equal(ranks[N].end_ps, there + 4000000);
        run_pairs(text, bytes, one_node, ranks);
        assert_int_equal(ranks[0].end_ps, there - 400000);
        assert_int_equal(ranks[N].end_ps, there - 400000 + 4000000);
    }
    loggops_op sends[] = {{.kind = LOGGOPS_SEND, .peer = N, .amount = 1, .is_synchronous = 1}, {0}};
    loggops_op receives[] = {{.kind = LOGGOPS_RECV, .peer = N}, {0}};
    loggops_op *const halves[] = {sends, receives};
    run_halves(text, halves, apart, 2 * N, 1, ranks);
    assert_int_equal(ranks[0].end_ps, 50000000 + 1000000);
    run_halves(text, halves, one_node, 2 * N, 1, ranks);
    assert_int_equal(ranks[0].end_ps, 50000000 + 600000);
}

/* Short messages do not wait for long ones that pass the adapter at the same time. */
static void short_messages_pass_long_ones(void **state)
{
    (void)state;
    static const uint32_t node_of[] = {0, 0, 1, 1};
    loggops_rank_result ranks[4];
    const uint64_t bytes = 1000001, k = bytes - 1, sent = 2000000 + 1000 * k + 2000000;
    loggops_op sends[] = {
        {.kind = LOGGOPS_SEND, .peer = 2, .tag = 1, .amount = bytes, .request = 1},
        {.kind = LOGGOPS_SEND, .peer = 2, .tag = 2, .amount = 1},
        {0}};
    loggops_op receives[] = {{.kind = LOGGOPS_RECV, .peer = 2, .tag = 1, .request = 1},
                             {.kind = LOGGOPS_RECV, .peer = 2, .tag = 2},
                             {0}};
    loggops_op *const halves[] = {sends, receives};
    run_halves(moving, halves, node_of, 4, 1, ranks);
    assert_int_equal(ranks[2].end_ps, sent + 5000000 + 4000000);
    assert_int_equal(ranks[3].end_ps, sent + 5000000 + 4000000 + 1000000);
}

/* All ranks are in one collective with blocks of a byte, those of the second node 100 us later:
 * what the first node sends is there before. */
static void run_late(const char *text, uint8_t algorithm, loggops_rank_result ranks[4])
{
    static const uint32_t node_of[] = {0, 0, 1, 1};
    loggops_op early[] = {
        {.kind = LOGGOPS_COLLECTIVE, .algorithm = algorithm, .amount = 1}, {0}, {0}};
    loggops_op late[] = {{.kind = LOGGOPS_COMPUTE, .amount = 100000000}, early[0], {0}};
    loggops_op *const halves[] = {early, late};
    run_halves(text, halves, node_of, 4, 1, ranks);
}

/* A message that is there before its receive takes the CPU when the collective waits, not before
 * the collective has sent: the late ranks send at o, 2 o, ... after 100 us. */
static void collectives_send_before_they_receive(void **state)
{
    (void)state;
    const uint64_t late = 100000000, o = 2000000, L = 5000000, or_ = 4000000, g = 1000000,
                   local_o = 1000000, local_L = 1000000, local_or = 3000000, R = 500000;
    loggops_rank_result ranks[4];
    run_late(moving, TLR_ALLTOALL_LINEAR, ranks);
    /* Rank 3 sends to 0, 1 and 2, rank 2 to 3, 0 and 1. */
    assert_int_equal(ranks[0].end_ps, late + o + L + 2 * or_);
    assert_int_equal(ranks[1].end_ps, late + 2 * o + L + 2 * or_);
    assert_int_equal(ranks[2].end_ps, late + local_o + 2 * o + 2 * or_ + local_or);
    assert_int_equal(ranks[3].end_ps, late + local_o + 2 * o + 2 * or_ + local_or);
    /* Recursive doubling: within the nodes, then between them; what comes is combined. */
    static char combining[sizeof moving + 8] = "R=500ns,";
    run_late(strcat(combining, moving), TLR_ALLREDUCE_DOUBLING, ranks);
    const uint64_t second = late + local_o + local_L + local_or + R;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ranks[i].end_ps, second + o + L + or_ + R + (uint64_t)i * g);
        assert_int_equal(ranks[2 + i].end_ps, second + o + or_ + R);
    }
}

/* The outcome does not depend on the threads; nodes are never divided. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    enum { RANKS = 1536 };
    static uint32_t node_of[RANKS];
    static loggops_rank_result one[RANKS], several[RANKS];
    loggops_op ops[64] = {{0}};
    size_t n = 0;
    for (int i = 0; i < 15; i++) {
        const int32_t distance = (1 + 37 * i * i) % RANKS;
        const uint64_t bytes = (uint64_t)(1 + 977 * i * i % 40000);
        ops[n++] =
            (loggops_op){.kind = LOGGOPS_RECV, .peer = RANKS - distance, .tag = i, .request = 1};
        ops[n++] = (loggops_op){.kind = LOGGOPS_SEND, .peer = distance, .tag = i, .amount = bytes};
        ops[n++] = (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = 1234567};
    }
    ops[n++] = (loggops_op){.kind = LOGGOPS_COLLECTIVE, .algorithm = TLR_BARRIER_DISSEMINATION};
    loggops_op *const both[] = {ops, ops};
    for (int round = 0; round < 4; round++) {
        const uint32_t per_node = round & 1 ? 24 : 8;
        const char *text = round & 2 ? moving : plain;
        for (uint32_t r = 0; r < RANKS; r++)
            node_of[r] = r / per_node;
        run_halves(text, both, node_of, RANKS, 1, one);
        for (unsigned n_threads = 2; n_threads < 4; n_threads++) {
            memset(several, 0, sizeof several);
            run_halves(text, both, node_of, RANKS, n_threads, several);
            assert_memory_equal(one, several, sizeof one);
        }
    }
}

static void wrong_networks(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "local:L=1us,o=1us,g=0,G=0,O=0",              /* nothing between nodes */
        "L=1us,o=1us,g=0,G=0,O=0;from=0,L=2us",       /* sizes do not ascend */
        "L=1us,o=1us,g=0,G=0,O=0;local:from=5,L=2us", /* nor begin at 0 */
        "L=1us,o=1us,g=0,G=0,O=0;local:L=0,o=0",      /* no time passes */
        "L=1us,o=1us,g=0,G=0,O=0;remote:L=0",
        "L=1us,o=1us,g=0,G=0,O=0,of=1us"};
    loggops_network network;
    loggops_params params;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(loggops_parse_network(wrong[i], &network, &err), TL_ERR_USAGE);
    assert_int_equal(loggops_parse_params(moving, &params, &err), TL_OK);
    assert_int_equal(params.L_ps, 5000000);
    assert_int_equal(params.S_bytes, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adapters_take_one_after_the_other),
        cmocka_unit_test(adapters_move_short_messages),
        cmocka_unit_test(adapters_move_long_messages),
        cmocka_unit_test(overheads_do_not_delay_long_messages),
        cmocka_unit_test(short_messages_pass_long_ones),
        cmocka_unit_test(collectives_send_before_they_receive),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(wrong_networks),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
