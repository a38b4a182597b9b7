/* Messages of one sender match in the order in which they were sent, whatever their sizes, in the
 * LogGOPS engine, against closed formulas. */
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

enum { N = 4, US = 1000000, LONG = 15001, RENDEZVOUS = 30001 };

/* In an adapter, 15,001 bytes are 46 us; on the way, 105 us; for the CPU that receives, 34 us. */
static const char moving[] = "L=5us,o=2us,g=1us,G=3ns,O=1ns,B=7ns,or=4us,Or=2ns,S=20000;"
                             "local:L=1us,o=1us,g=0,G=0,O=1ns,B=2ns,or=3us,Or=1ns";
static const uint32_t apart[N] = {0, 1, 2, 3}, together[N] = {0};

/* What goes from rank 0 to rank 1 and, once something has come, on to rank 2. */
static loggops_op to(int32_t tag, uint64_t bytes)
{
    return (loggops_op){.kind = LOGGOPS_SEND, .peer = 1, .tag = tag, .amount = bytes};
}

static loggops_op from(int32_t tag)
{
    return (loggops_op){.kind = LOGGOPS_RECV, .peer = N - 1, .tag = tag};
}

static const loggops_op computes_100_us = {.kind = LOGGOPS_COMPUTE, .amount = UINT64_C(100) * US};

/* Runs the ranks' programs with one thread and with two, and returns when rank 2 ends. */
static uint64_t end_of_2(const char *text, const uint32_t *node_of, loggops_op *const ops[N])
{
    static int64_t lists[] = {0, 1, 1, 1, 2}; /* of request 1, of request 2 */
    loggops_network network;
    loggops_program programs[N];
    uint32_t program_of[N];
    const loggops_comm world = {N, NULL, NULL, 0};
    assert_int_equal(loggops_parse_network(text, &network, &err), TL_OK);
    loggops_nodes nodes = {.n_nodes = N,
                           .node_of = (uint32_t *)node_of,
                           .between = network.between,
                           .within = network.within,
                           .move_bytes = network.move_bytes};
    for (uint32_t r = 0; r < N; r++) {
        programs[r] = (loggops_program){ops[r], lists, 0, 5, 3};
        program_of[r] = r;
    }
    const loggops_run run = {.n_ranks = N,
                             .n_programs = N,
                             .programs = programs,
                             .program_of = program_of,
                             .n_comms = 1,
                             .comms = (loggops_comm *)&world,
                             .nodes = node_of ? &nodes : NULL};
    loggops_rank_result ranks[2][N];
    for (unsigned i = 0; i < 2; i++) {
        loggops_result result = {.ranks = ranks[i]};
        memset(ranks[i], 0, sizeof ranks[i]);
        assert_int_equal(loggops_simulate(&run, &network.params, NULL, i + 1, &result, &err),
                         TL_OK);
    }
    assert_memory_equal(ranks[0], ranks[1], sizeof ranks[0]);
    return ranks[0][2].end_ps;
}

/* Rank 0 sends two messages to rank 1, which receives twice, and in between sends a byte to rank 2;
 * it may begin later. */
static uint64_t end_of_relay(const char *text, const uint32_t *node_of, loggops_op first,
                             loggops_op second, loggops_op receive, loggops_op receive_second,
                             int is_late)
{
    loggops_op sends[] = {first, second, {0}};
    loggops_op relays[] = {computes_100_us, receive, to(5, 1), receive_second, {0}};
    loggops_op receives[] = {from(5), {0}}, nothing[] = {{0}};
    sends[0].request = 1; /* a rendezvous does not hold up what follows */
    loggops_op *const ops[N] = {sends, is_late ? relays : relays + 1, receives, nothing};
    return end_of_2(text, node_of, ops);
}

static uint64_t end_of_two(const char *text, const uint32_t *node_of, loggops_op first,
                           loggops_op second, int32_t tag)
{
    return end_of_relay(text, node_of, first, second, from(tag), from(first.tag + second.tag - tag),
                        0);
}

/* 2 + 15 us until it is sent, 5 + 105 us until it is there, 34 us; 2 + 5 + 4 us to rank 2.  Within
 * a node: 1 + 15, 1 + 30, 3 + 15; 1 + 1 + 3 us. */
enum { FIRST_LONG = (17 + 110 + 34 + 11) * US, FIRST_LONG_WITHIN = (16 + 31 + 18 + 5) * US };

static void requests_do_not_overtake(void **state)
{
    (void)state;
    assert_int_equal(end_of_two(moving, apart, to(0, LONG), to(0, RENDEZVOUS), 0), FIRST_LONG);
    assert_int_equal(end_of_two(moving, together, to(0, LONG), to(0, RENDEZVOUS), 0),
                     FIRST_LONG_WITHIN);
}

static void short_messages_do_not_overtake(void **state)
{
    (void)state;
    assert_int_equal(end_of_two(moving, apart, to(0, LONG), to(0, 1), 0), FIRST_LONG);
    assert_int_equal(end_of_two(moving, together, to(0, LONG), to(0, 1), 0), FIRST_LONG_WITHIN);
    /* the first one takes 50 us of latency: the other one reaches the adapter before it */
    static const char far[] = "L=5us,o=2us,g=0,G=0,O=0,B=7ns,or=4us,Or=2ns,S=20000;"
                              "from=10000,L=50us;local:L=1us";
    assert_int_equal(end_of_two(far, apart, to(0, LONG), to(0, 1), 0),
                     (2 + 50 + 105 + 34 + 11) * US);
}

/* The byte is sent at 19 us, but leaves the adapter after the other one, at 63 us. */
static void other_tags_do_not_wait(void **state)
{
    (void)state;
    assert_int_equal(end_of_two(moving, apart, to(1, LONG), to(2, 1), 2), (63 + 5 + 4 + 11) * US);
    assert_int_equal(end_of_two(moving, apart, to(1, LONG), to(2, 1), 1), FIRST_LONG);
    assert_int_equal(end_of_two(moving, together, to(1, LONG), to(2, 1), 2), (17 + 1 + 3 + 5) * US);
}

static void any_tag_takes_the_first(void **state)
{
    (void)state;
    const loggops_op any = from(LOGGOPS_ANY);
    loggops_op any_source = from(LOGGOPS_ANY), of_any_source = from(0);
    any_source.peer = of_any_source.peer = LOGGOPS_ANY;
    for (int is_late = 0; is_late < 2; is_late++) { /* the receive; 100 us are less than 127 us */
        assert_int_equal(end_of_relay(moving, apart, to(1, LONG), to(2, 1), any, from(2), is_late),
                         FIRST_LONG);
        assert_int_equal(
            end_of_relay(moving, apart, to(1, LONG), to(2, 1), any_source, any_source, is_late),
            FIRST_LONG);
        assert_int_equal(end_of_relay(moving, apart, to(0, LONG), to(0, RENDEZVOUS), of_any_source,
                                      of_any_source, is_late),
                         FIRST_LONG);
        assert_int_equal(
            end_of_relay(moving, apart, to(1, LONG), to(2, RENDEZVOUS), any, any, is_late),
            FIRST_LONG);
    }
}

/* The byte takes the receive of its own tag, which was posted first. */
static void any_tag_leaves_what_an_earlier_receive_takes(void **state)
{
    (void)state;
    loggops_op sends[] = {to(1, LONG), to(2, 1), {0}};
    loggops_op relays[] = {from(2),
                           from(LOGGOPS_ANY),
                           {.kind = LOGGOPS_WAIT, .list = 1},
                           to(5, 1),
                           {.kind = LOGGOPS_WAIT, .list = 3},
                           {0}};
    loggops_op receives[] = {from(5), {0}}, nothing[] = {{0}};
    relays[0].request = 1;
    relays[1].request = 2;
    loggops_op *const ops[N] = {sends, relays, receives, nothing};
    assert_int_equal(end_of_2(moving, apart, ops), (63 + 5 + 4 + 11) * US);
}

static void other_senders_do_not_wait(void **state)
{
    (void)state;
    loggops_op any = from(LOGGOPS_ANY);
    any.peer = LOGGOPS_ANY;
    loggops_op sends[] = {to(1, LONG), to(1, 1), {0}}, relays[] = {any, to(5, 1), any, any, {0}},
               receives[] = {from(5), {0}}, byte[] = {to(1, 1), {0}};
    byte[0].peer = 2;
    loggops_op *const ops[N] = {sends, relays, receives, byte};
    assert_int_equal(end_of_2(moving, apart, ops), (2 + 5 + 4 + 11) * US);
}

/* Without adapters that move the bytes, where long messages take more latency. */
static void latencies_do_not_matter(void **state)
{
    (void)state;
    static const char text[] = "L=5us,o=2us,g=0,G=0,O=0;from=10000,L=50us;local:L=1us";
    /* both take the CPU of rank 1 before it sends */
    assert_int_equal(end_of_two(text, apart, to(0, LONG), to(0, 1), 0), (52 + 2 + 2 + 7 + 2) * US);
    assert_int_equal(end_of_two(text, apart, to(1, LONG), to(2, 1), 2), (2 + 7 + 2 + 7 + 2) * US);
}

/* Rank 1 has a request when its CPU is free, at 120 us.  It takes a byte of rank 3, which keeps the
 * interface busy until 220 us, and posts its receive.  The byte of rank 0, which is there as well,
 * is not what that takes, but keeps the interface busy until 320 us. */
static void requests_are_not_overtaken(void **state)
{
    (void)state;
    static const char text[] = "L=5us,o=2us,g=100us,G=0,O=0,S=100";
    loggops_op sends[] = {to(0, 100), to(0, 1), {0}},
               relays[] = {{.kind = LOGGOPS_COMPUTE, .amount = UINT64_C(120) * US},
                           from(0),
                           to(5, 1),
                           from(0),
                           {0}},
               receives[] = {from(5), {0}}, byte[] = {to(9, 1), {0}};
    sends[0].request = 1;
    byte[0].peer = 2;
    loggops_op *const ops[N] = {sends, relays, receives, byte};
    assert_int_equal(end_of_2(text, NULL, ops), (120 + 100 + 100 + 2 + 7 + 2) * US);
    assert_int_equal(end_of_2(text, apart, ops), (120 + 100 + 100 + 2 + 7 + 2) * US);
}

/* ---- many messages ---- */

enum { RANKS = 24, MESSAGES = 2000 };
enum { ONE_TAG, TAG_OF_ITS_OWN, ANY_TAG, N_WAYS };

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

/* Sends that do not block and receives that do, between random ranks.  A rank receives what one
 * sender sends it in that order: by tags of their own, or because messages do not overtake. */
static void run_random(uint64_t seed, int way, unsigned n_threads, loggops_rank_result *ranks)
{
    static const uint64_t sizes[] = {1, 500, 3000, 9000, 15001, 19999, 20000, 60000};
    static loggops_op ops[RANKS][3 * MESSAGES];
    size_t n_ops[RANKS] = {0};
    int32_t n_sent[RANKS][RANKS] = {{0}};
    uint32_t node_of[RANKS], program_of[RANKS];
    loggops_program programs[RANKS];
    loggops_comm world = {RANKS, NULL, NULL, 0};
    loggops_network network;
    assert_int_equal(loggops_parse_network("L=5us,o=2us,g=1us,G=3ns,O=1ns,B=7ns,or=4us,Or=2ns,"
                                           "S=20000;from=8000,L=40us;local:L=1us,g=0,B=2ns",
                                           &network, &err),
                     TL_OK);
    for (int i = 0; i < MESSAGES; i++) {
        const uint32_t source = draw(&seed, RANKS),
                       to = (source + 1 + draw(&seed, RANKS - 1) % 5) % RANKS;
        const int32_t tag = way == ONE_TAG ? 0 : n_sent[source][to]++;
        if (!draw(&seed, 4))
            ops[source][n_ops[source]++] = (loggops_op){
                .kind = LOGGOPS_COMPUTE, .amount = draw(&seed, 200) * UINT64_C(1000000)};
        ops[source][n_ops[source]++] =
            (loggops_op){.kind = LOGGOPS_SEND,
                         .peer = (int32_t)((to + RANKS - source) % RANKS),
                         .tag = tag,
                         .request = 1,
                         .amount = sizes[draw(&seed, 8)]};
        ops[to][n_ops[to]++] = (loggops_op){.kind = LOGGOPS_RECV,
                                            .peer = (int32_t)((source + RANKS - to) % RANKS),
                                            .tag = way == ANY_TAG ? LOGGOPS_ANY : tag};
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        ops[r][n_ops[r]] = (loggops_op){.kind = LOGGOPS_END};
        programs[r] = (loggops_program){ops[r], NULL, 0, 0, 2};
        program_of[r] = r;
        node_of[r] = r / 4;
    }
    const loggops_nodes nodes = {.n_nodes = RANKS / 4,
                                 .node_of = node_of,
                                 .between = network.between,
                                 .within = network.within,
                                 .move_bytes = network.move_bytes};
    const loggops_run run = {.n_ranks = RANKS,
                             .n_programs = RANKS,
                             .programs = programs,
                             .program_of = program_of,
                             .n_comms = 1,
                             .comms = &world,
                             .nodes = &nodes};
    loggops_result result = {.ranks = ranks};
    assert_int_equal(loggops_simulate(&run, &network.params, NULL, n_threads, &result, &err),
                     TL_OK);
}

static void order_is_as_tags_of_their_own(void **state)
{
    (void)state;
    static loggops_rank_result wanted[RANKS], ranks[RANKS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        memset(wanted, 0, sizeof wanted);
        run_random(seed, TAG_OF_ITS_OWN, 1, wanted);
        for (int way = 0; way < N_WAYS; way++)
            for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
                memset(ranks, 0, sizeof ranks);
                run_random(seed, way, n_threads, ranks);
                assert_memory_equal(wanted, ranks, sizeof wanted);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_do_not_overtake),
        cmocka_unit_test(short_messages_do_not_overtake),
        cmocka_unit_test(other_tags_do_not_wait),
        cmocka_unit_test(any_tag_takes_the_first),
        cmocka_unit_test(any_tag_leaves_what_an_earlier_receive_takes),
        cmocka_unit_test(other_senders_do_not_wait),
        cmocka_unit_test(latencies_do_not_matter),
        cmocka_unit_test(requests_are_not_overtaken),
        cmocka_unit_test(order_is_as_tags_of_their_own),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
