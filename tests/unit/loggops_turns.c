/* Eager messages whose packets take turns in the LogGOPS engine, against closed formulas. */
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

/* No overheads; g = 0, and a byte takes 1 ns in an adapter and on the way; long ones take 10 us. */
static const char text[] = "L=2us,o=0,g=0,G=1ns,O=0,B=1ns,or=0,Or=0,S=20000;local:L=2us,o=0,g=0,"
                           "G=0,O=0,B=0,or=0,Or=0";
enum { N = 4, TURNS = 4000, LATENCY_PS = 2000000, BYTE_PS = 1000, MOST_OPS = 160 };

/* What each rank does; each has a node of its own, unless `node_of` says otherwise. */
typedef struct scene {
    loggops_op ops[N][MOST_OPS];
    size_t n_ops[N];
    uint32_t node_of[N];
    uint64_t turns_bytes;
    unsigned n_threads;
    uint64_t marks_ps[MOST_OPS][N];
    loggops_rank_result ranks[N];
} scene;

static scene *begin(void)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (uint32_t r = 0; r < N; r++)
        s->node_of[r] = r;
    s->turns_bytes = TURNS;
    s->n_threads = 1;
    return s;
}

static void add(scene *s, uint32_t rank, loggops_op op)
{
    assert_true(s->n_ops[rank] + 1 < MOST_OPS);
    s->ops[rank][s->n_ops[rank]++] = op;
}

static void send(scene *s, uint32_t from, uint32_t to, uint64_t bytes)
{
    add(s, from,
        (loggops_op){
            .kind = LOGGOPS_SEND, .peer = (int32_t)((to + N - from) % N), .amount = bytes});
}

/* Receives, and marks the moment. */
static void receive(scene *s, uint32_t to, uint32_t from, uint64_t bytes, uint64_t mark)
{
    add(s, to,
        (loggops_op){
            .kind = LOGGOPS_RECV, .peer = (int32_t)((from + N - to) % N), .amount = bytes});
    add(s, to, (loggops_op){.kind = LOGGOPS_MARK, .amount = mark});
}

static void compute(scene *s, uint32_t rank, uint64_t ps)
{
    add(s, rank, (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = ps});
}

static void run(scene *s)
{
    loggops_network network;
    loggops_program programs[N];
    uint32_t program_of[N];
    loggops_comm world = {N, NULL, NULL, 0};
    assert_int_equal(loggops_parse_network(text, &network, &err), TL_OK);
    loggops_nodes nodes = {.n_nodes = N,
                           .node_of = s->node_of,
                           .between = network.between,
                           .within = network.within,
                           .move_bytes = 1,
                           .turns_bytes = s->turns_bytes};
    for (uint32_t r = 0; r < N; r++) {
        programs[r] = (loggops_program){s->ops[r], NULL, 0, 0, 9};
        program_of[r] = r;
    }
    const loggops_run all = {.n_ranks = N,
                             .n_programs = N,
                             .programs = programs,
                             .program_of = program_of,
                             .n_comms = 1,
                             .comms = &world,
                             .n_marks = MOST_OPS,
                             .nodes = &nodes};
    loggops_result result = {.ranks = s->ranks, .marks_ps = &s->marks_ps[0][0]};
    assert_int_equal(loggops_simulate(&all, &network.params, NULL, s->n_threads, &result, &err),
                     TL_OK);
}

/* When a message arrives whose last byte leaves after so many bytes. */
static uint64_t after(uint64_t bytes)
{
    return LATENCY_PS + BYTE_PS * bytes;
}

static void assert_at(const scene *s, uint32_t rank, uint64_t mark, uint64_t ps)
{
    assert_int_equal(s->marks_ps[mark][rank], ps);
}

/* 4,001 bytes have the time of 4,000: k = s - 1. */
static void messages_to_several_ranks_arrive_together(void **state)
{
    (void)state;
    scene *s = begin();
    for (uint32_t to = 1; to < N; to++) {
        send(s, 0, to, 8001);
        receive(s, to, 0, 8001, 0);
    }
    run(s);
    for (uint32_t to = 1; to < N; to++)
        assert_at(s, to, 0, after(24000));
    free(s);
}

static void messages_below_the_size_leave_in_order(void **state)
{
    (void)state;
    scene *s = begin();
    for (uint32_t to = 1; to < N; to++) {
        send(s, 0, to, TURNS - 1);
        receive(s, to, 0, TURNS - 1, 0);
    }
    run(s);
    for (uint64_t to = 1; to < N; to++)
        assert_at(s, (uint32_t)to, 0, after(to * (TURNS - 2)));
    free(s);
}

static void no_message_takes_turns_without_a_size(void **state)
{
    (void)state;
    scene *s = begin();
    s->turns_bytes = 0;
    for (uint32_t to = 1; to < N; to++) {
        send(s, 0, to, 8001);
        receive(s, to, 0, 8001, 0);
    }
    run(s);
    for (uint64_t to = 1; to < N; to++)
        assert_at(s, (uint32_t)to, 0, after(to * 8000));
    free(s);
}

/* The second one begins when half of the first one has left: both share what follows. */
static void a_later_message_shares_what_is_left(void **state)
{
    (void)state;
    scene *s = begin();
    send(s, 0, 1, 8001);
    compute(s, 0, UINT64_C(4000) * BYTE_PS);
    send(s, 0, 2, 8001);
    receive(s, 1, 0, 8001, 0);
    receive(s, 2, 0, 8001, 0);
    run(s);
    assert_at(s, 1, 0, after(12000));
    assert_at(s, 2, 0, after(16000));
    free(s);
}

/* Long messages share the same adapter. Their latency begins when both sides are ready. */
static void long_messages_share_with_them(void **state)
{
    (void)state;
    scene *s = begin();
    send(s, 0, 1, 40001);
    receive(s, 1, 0, 40001, 0);
    run(s);
    const uint64_t alone_ps = s->marks_ps[0][1];
    free(s);
    s = begin();
    s->node_of[3] = 0;
    send(s, 0, 1, 40001);
    receive(s, 1, 0, 40001, 0);
    compute(s, 3, UINT64_C(10000) * BYTE_PS); /* the long one has begun */
    send(s, 3, 2, 8001);
    receive(s, 2, 3, 8001, 0);
    run(s);
    assert_at(s, 2, 0, after(26000));
    assert_at(s, 1, 0, alone_ps + UINT64_C(8000) * BYTE_PS);
    free(s);
}

/* Two messages from one rank to another are on one connection. */
static void messages_to_one_rank_leave_in_order(void **state)
{
    (void)state;
    scene *s = begin();
    for (uint64_t i = 0; i < 3; i++) {
        send(s, 0, 1, 8001);
        receive(s, 1, 0, 8001, i);
    }
    run(s);
    for (uint64_t i = 0; i < 3; i++)
        assert_at(s, 1, i, after((i + 1) * 8000));
    free(s);
}

/* Of three, two to one rank: the second of these begins when the first one is through. */
static void a_connection_has_one_turn(void **state)
{
    (void)state;
    scene *s = begin();
    send(s, 0, 1, 8001);
    send(s, 0, 1, 8001);
    send(s, 0, 2, 16001);
    receive(s, 1, 0, 8001, 0);
    receive(s, 1, 0, 8001, 1);
    receive(s, 2, 0, 16001, 0);
    run(s);
    assert_at(s, 1, 0, after(16000));
    assert_at(s, 1, 1, after(32000));
    assert_at(s, 2, 0, after(32000));
    free(s);
}

/* A short one waits behind a message to the same rank, and for no other one. */
static void a_short_message_follows_on_its_connection(void **state)
{
    (void)state;
    scene *s = begin();
    send(s, 0, 1, 8001);
    send(s, 0, 1, 101);
    send(s, 0, 2, 101);
    receive(s, 1, 0, 8001, 0);
    receive(s, 1, 0, 101, 1);
    receive(s, 2, 0, 101, 0);
    run(s);
    assert_at(s, 1, 0, after(8000));
    assert_at(s, 1, 1, after(8100));
    assert_at(s, 2, 0, after(100));
    free(s);
}

/* A message that takes turns leaves behind the short ones that were sent before it. */
static void it_follows_short_ones(void **state)
{
    (void)state;
    scene *s = begin();
    for (uint64_t i = 0; i < 50; i++) {
        send(s, 0, 1, 1001);
        receive(s, 1, 0, 1001, i);
    }
    send(s, 0, 1, 8001);
    receive(s, 1, 0, 8001, 50);
    run(s);
    for (uint64_t i = 0; i < 50; i++)
        assert_at(s, 1, i, after((i + 1) * 1000));
    assert_at(s, 1, 50, after(58000));
    free(s);
}

/* What follows it waits for it: a short one, one that takes turns, and a long one, on the same
 * connection, with the same tag. */
static void what_follows_it_waits(void **state)
{
    (void)state;
    scene *s = begin();
    for (uint64_t i = 0; i < 50; i++) {
        send(s, 0, 1, 1001);
        receive(s, 1, 0, 1001, i);
    }
    const uint64_t sizes[] = {8001, 101, 12001, 201, 40001};
    for (uint64_t i = 0; i < 5; i++) {
        send(s, 0, 1, sizes[i]);
        receive(s, 1, 0, sizes[i], 50 + i);
    }
    run(s);
    assert_at(s, 1, 50, after(58000));
    assert_at(s, 1, 51, after(58100));
    assert_at(s, 1, 52, after(70100));
    assert_at(s, 1, 53, after(70300));
    assert_true(s->marks_ps[54][1] >= after(110300));
    free(s);
}

/* So do those to several ranks: then they share. */
static void several_follow_short_ones(void **state)
{
    (void)state;
    scene *s = begin();
    for (uint64_t i = 0; i < 50; i++) {
        send(s, 0, 1, 1001);
        receive(s, 1, 0, 1001, i);
    }
    for (uint32_t to = 1; to < N; to++) {
        send(s, 0, to, 8001);
        receive(s, to, 0, 8001, 50);
    }
    run(s);
    for (uint32_t to = 1; to < N; to++)
        assert_at(s, to, 50, after(74000));
    free(s);
}

/* A rendezvous with the same tag takes the second receive, though its request would come first. The
 * sizes of the receives are those of the messages: the wrong one would end the first receive. */
static void a_rendezvous_does_not_overtake(void **state)
{
    (void)state;
    scene *s = begin();
    send(s, 0, 1, 16001);
    send(s, 0, 1, 40001);
    receive(s, 1, 0, 16001, 0);
    receive(s, 1, 0, 40001, 1);
    run(s);
    assert_at(s, 1, 0, after(16000));
    assert_true(s->marks_ps[1][1] >= after(16000 + 40000));
    assert_true(s->marks_ps[1][1] <= after(16000 + 40000) + UINT64_C(3) * LATENCY_PS);
    free(s);
}

/* Messages of three nodes to one: its adapter takes them one after the other, as it does others. */
static void the_receiving_adapter_takes_all(void **state)
{
    (void)state;
    scene *s = begin();
    for (uint32_t from = 1; from < N; from++) {
        send(s, from, 0, 8001);
        receive(s, 0, from, 8001, from);
    }
    run(s);
    uint64_t last_ps = 0;
    for (uint32_t from = 1; from < N; from++)
        last_ps = s->marks_ps[from][0] > last_ps ? s->marks_ps[from][0] : last_ps;
    assert_int_equal(last_ps, after(24000));
    free(s);
}

/* Random programs: what leaves a node takes at least the time of its bytes, every message arrives,
 * and neither threads nor the size from which messages take turns change the sum of the bytes. */
static void random_programs_end(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 300; round++) {
        scene *s = begin(), *again = begin();
        uint64_t sent[N] = {0};
        seed = seed * 1664525 + 1013904223;
        s->node_of[3] = seed >> 16 & 1 ? 0 : 3;
        for (int i = 0; i < 40; i++) {
            seed = seed * 1664525 + 1013904223;
            const uint32_t from = (seed >> 8) % N, to = (from + 1 + (seed >> 12) % (N - 1)) % N;
            const uint64_t bytes = 1 + (seed >> 10) % 30000;
            send(s, from, to, bytes);
            add(s, to,
                (loggops_op){
                    .kind = LOGGOPS_RECV, .peer = (int32_t)((from + N - to) % N), .amount = bytes});
            if (s->node_of[from] != s->node_of[to])
                sent[s->node_of[from]] += bytes - 1;
        }
        memcpy(again->ops, s->ops, sizeof s->ops);
        memcpy(again->n_ops, s->n_ops, sizeof s->n_ops);
        memcpy(again->node_of, s->node_of, sizeof s->node_of);
        again->n_threads = 2;
        run(s);
        run(again);
        uint64_t end_ps = 0;
        for (uint32_t r = 0; r < N; r++) {
            assert_int_equal(s->ranks[r].end_ps, again->ranks[r].end_ps);
            end_ps = s->ranks[r].end_ps > end_ps ? s->ranks[r].end_ps : end_ps;
        }
        for (uint32_t node = 0; node < N; node++)
            assert_true(end_ps >= sent[node] * BYTE_PS);
        free(s);
        free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_to_several_ranks_arrive_together),
        cmocka_unit_test(messages_below_the_size_leave_in_order),
        cmocka_unit_test(no_message_takes_turns_without_a_size),
        cmocka_unit_test(a_later_message_shares_what_is_left),
        cmocka_unit_test(long_messages_share_with_them),
        cmocka_unit_test(messages_to_one_rank_leave_in_order),
        cmocka_unit_test(a_connection_has_one_turn),
        cmocka_unit_test(a_short_message_follows_on_its_connection),
        cmocka_unit_test(it_follows_short_ones),
        cmocka_unit_test(what_follows_it_waits),
        cmocka_unit_test(several_follow_short_ones),
        cmocka_unit_test(a_rendezvous_does_not_overtake),
        cmocka_unit_test(the_receiving_adapter_takes_all),
        cmocka_unit_test(random_programs_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
