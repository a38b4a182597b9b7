/* Programs that are made while the LogGOPS engine simulates them: a poll is answered at its moment,
 * and what follows depends on the answer. */
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

enum { RANKS = 1200, TAG = 7 };

/* The odd ranks work for a while, look for a message of the rank before, and work for a long time
 * before they receive it if it is not there. */
typedef struct player {
    loggops_op ops[4];
    int n_calls, answer;
} player;

typedef struct game {
    player players[RANKS];
    uint64_t asks_at_ps, bytes;
    int fails_at; /* rank whose program cannot go on; negative: none */
} game;

static const uint64_t long_ps = 1000000000, sends_at_ps = 20000000;

static int more(void *context, uint32_t rank, loggops_program *program)
{
    game *g = context;
    player *p = &g->players[rank];
    const int is_sender = rank % 2 == 0;
    loggops_op *op = p->ops;
    const int call = p->n_calls++;
    memset(p->ops, 0, sizeof p->ops);
    if ((int)rank == g->fails_at && call)
        return 0;
    if (is_sender) {
        *op++ = (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = sends_at_ps};
        *op = (loggops_op){.kind = LOGGOPS_SEND, .peer = 1, .tag = TAG, .amount = g->bytes};
    } else if (!call) {
        *op++ = (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = g->asks_at_ps};
        *op++ = (loggops_op){.kind = LOGGOPS_POLL, .peer = RANKS - 1, .tag = TAG};
        *op = (loggops_op){.kind = LOGGOPS_MORE};
    } else {
        assert_true(p->answer >= 0);
        if (!p->answer)
            *op++ = (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = long_ps};
        *op = (loggops_op){.kind = LOGGOPS_RECV, .peer = RANKS - 1, .tag = TAG};
    }
    program->ops = p->ops;
    return 1;
}

static void take_answer(void *context, uint32_t rank, bool is_there)
{
    game *g = context;
    g->players[rank].answer = is_there;
}

static tl_status why(void *context, tl_error *e)
{
    (void)context;
    return tl_fail(e, TL_ERR_INPUT, "the program ends here");
}

/* Plays it; NULL nodes: there are none. */
static tl_status play(game *g, const char *params, const loggops_nodes *nodes, unsigned n_threads,
                      loggops_rank_result *ranks)
{
    static loggops_op at_first[] = {{.kind = LOGGOPS_MORE}};
    static loggops_program programs[RANKS];
    static uint32_t program_of[RANKS];
    static uint64_t compute_ps[RANKS];
    loggops_network network;
    loggops_comm world = {RANKS, NULL, NULL, 0};
    const loggops_feed feed = {g, more, take_answer, why};
    assert_int_equal(loggops_parse_network(params, &network, &err), TL_OK);
    for (uint32_t r = 0; r < RANKS; r++) {
        g->players[r] = (player){.answer = -1};
        programs[r] = (loggops_program){.ops = at_first, .n_requests = 1};
        program_of[r] = r;
    }
    const loggops_run run = {RANKS, RANKS, programs, program_of, 1,         &world,
                             0,     NULL,  nodes,    &feed,      compute_ps};
    loggops_result result = {.ranks = ranks};
    return loggops_simulate(&run, &network.params, NULL, n_threads, &result, &err);
}

static const char params[] = "L=5us,o=2us,g=1us,G=1ns,O=0,S=1000";

/* The envelope comes o + L after the send, of a long message as of a short one. */
static void polls_see_what_has_arrived(void **state)
{
    (void)state;
    static game g;
    static loggops_rank_result ranks[RANKS];
    const uint64_t arrives_ps = sends_at_ps + 7000000;
    g.fails_at = -1;
    for (int is_long = 0; is_long < 2; is_long++)
        for (int late = -1; late <= 1; late++) {
            g.bytes = is_long ? 5001 : 1;
            g.asks_at_ps = arrives_ps + (uint64_t)(int64_t)late;
            assert_int_equal(play(&g, params, NULL, 1, ranks), TL_OK);
            for (uint32_t r = 1; r < RANKS; r += 2) {
                const uint64_t receives_ps = late < 0 ? g.asks_at_ps + long_ps : g.asks_at_ps;
                assert_int_equal(g.players[r].answer, late >= 0);
                if (!is_long)
                    continue;
                /* What can be seen is not here: the sender waits for the receive. */
                assert_int_equal(ranks[r].end_ps, receives_ps + 2000000 + 5000000);
                assert_int_equal(ranks[r - 1].end_ps, receives_ps + 7000000);
            }
        }
}

/* The rank's CPU may be busy when the message arrives, and it may belong to somebody else. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    static game g;
    static loggops_rank_result one[RANKS], several[RANKS];
    static uint32_t node_of[RANKS];
    loggops_network network;
    const char moving[] = "L=5us,o=2us,g=1us,G=1ns,O=0,S=1000,or=1us;local:L=1us,o=1us";
    assert_int_equal(loggops_parse_network(moving, &network, &err), TL_OK);
    for (uint32_t r = 0; r < RANKS; r++)
        node_of[r] = r / 15;
    const loggops_nodes nodes = {RANKS / 15, node_of, network.between, network.within, 1};
    g.fails_at = -1;
    for (uint64_t at_ps = 20000000; at_ps < 60000000; at_ps += 3333333) {
        g.asks_at_ps = at_ps;
        g.bytes = 10000;
        for (int k = 0; k < 2; k++) {
            const loggops_nodes *where = k ? &nodes : NULL;
            const char *text = k ? moving : params;
            assert_int_equal(play(&g, text, where, 1, one), TL_OK);
            assert_int_equal(play(&g, text, where, 2, several), TL_OK);
            assert_memory_equal(one, several, sizeof one);
        }
    }
}

static void programs_that_fail(void **state)
{
    (void)state;
    static game g;
    static loggops_rank_result ranks[RANKS];
    g.asks_at_ps = 1;
    g.bytes = 1;
    g.fails_at = 501;
    assert_int_equal(play(&g, params, NULL, 1, ranks), TL_ERR_INPUT);
    assert_string_equal(err.text, "the program ends here");
    assert_int_equal(play(&g, params, NULL, 2, ranks), TL_ERR_INPUT);
}

/* ---- an exchange is a receive, a send and a wait ---- */

enum { PARTNERS = 64, ROUNDS = 40 };

/* Ranks exchange messages with partners near and far, work between, and sometimes only send. */
typedef struct dance {
    int is_fused;
    uint64_t bytes;
    int round[PARTNERS];
    loggops_op ops[PARTNERS][8];
} dance;

static int next_round(void *context, uint32_t rank, loggops_program *program)
{
    static int64_t lists[] = {0, 1, 1};
    dance *d = context;
    loggops_op *op = d->ops[rank];
    const int round = d->round[rank]++;
    const uint32_t partner = rank ^ (uint32_t)(1 << round % 6);
    memset(op, 0, sizeof d->ops[rank]);
    program->ops = op;
    program->lists = lists;
    if (round == ROUNDS)
        return 1;
    *op++ = (loggops_op){.kind = LOGGOPS_COMPUTE,
                         .amount = (rank * 7919u + 977u * (unsigned)round) % 4000000};
    const loggops_op message = {.peer = (int32_t)((partner + PARTNERS - rank) % PARTNERS),
                                .tag = TAG,
                                .amount = (d->bytes + UINT64_C(37) * (unsigned)round) % 3000,
                                .request = 1};
    if (d->is_fused) {
        *op = message;
        op++->kind = LOGGOPS_EXCHANGE;
    } else {
        loggops_op *receive = op++, *send = op++;
        *receive = *send = message;
        receive->kind = LOGGOPS_RECV;
        receive->amount = 0;
        send->kind = LOGGOPS_SEND;
        send->request = 0;
        *op++ = (loggops_op){.kind = LOGGOPS_WAIT, .list = 1};
    }
    *op = (loggops_op){.kind = LOGGOPS_MORE};
    return 1;
}

static uint64_t dance_all(dance *d, const char *text, int has_nodes, const tlr_noise *noise,
                          loggops_rank_result *ranks)
{
    static loggops_op at_first[] = {{.kind = LOGGOPS_MORE}};
    loggops_program programs[PARTNERS];
    uint32_t program_of[PARTNERS], node_of[PARTNERS];
    uint64_t compute_ps[PARTNERS] = {0};
    loggops_network network;
    loggops_comm world = {PARTNERS, NULL, NULL, 0};
    const loggops_feed feed = {d, next_round, take_answer, why};
    assert_int_equal(loggops_parse_network(text, &network, &err), TL_OK);
    for (uint32_t r = 0; r < PARTNERS; r++) {
        programs[r] = (loggops_program){.ops = at_first, .n_requests = 2};
        program_of[r] = r;
        node_of[r] = r / 4;
        d->round[r] = 0;
    }
    const loggops_nodes nodes = {PARTNERS / 4, node_of, network.between, network.within,
                                 network.move_bytes};
    const loggops_run run = {
        PARTNERS, PARTNERS,  programs, program_of, 1, &world, 0, NULL, has_nodes ? &nodes : NULL,
        &feed,    compute_ps};
    loggops_result result = {.ranks = ranks};
    memset(ranks, 0, PARTNERS * sizeof *ranks);
    assert_int_equal(loggops_simulate(&run, &network.params, noise, 1, &result, &err), TL_OK);
    return result.n_operations;
}

static void exchanges_are_their_parts(void **state)
{
    static const char *const networks[] = {
        "L=5us,o=2us,g=1us,G=1ns,O=0.1ns,S=1000",
        "L=5us,o=2us,g=1us,G=1ns,O=0.1ns,S=1000;local:L=1us",
        "L=1us,o=0.5us,g=1us,G=1ns,O=0.1ns,S=100000,or=1us,Or=0.1ns;local:L=1us,o=1us",
        "L=1us,o=0.5us,g=1us,G=1ns,O=0.1ns,S=1000,or=1us,Or=0.1ns;local:L=1us,o=1us",
    };
    static dance d;
    loggops_rank_result whole[PARTNERS], parts[PARTNERS];
    tlr_noise *noise = NULL;
    (void)state;
    assert_int_equal(tlr_noise_read("10kHz:5us", 1, &noise, &err), TL_OK);
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (int k = 0; k < 4; k++) {
            const int has_nodes = i > 0;
            d.bytes = UINT64_C(1000) * (unsigned)k;
            d.is_fused = 0;
            const uint64_t n = dance_all(&d, networks[i], has_nodes, k % 2 ? noise : NULL, parts);
            d.is_fused = 1;
            assert_int_equal(n, dance_all(&d, networks[i], has_nodes, k % 2 ? noise : NULL, whole));
            assert_memory_equal(whole, parts, sizeof whole);
            assert_true(parts[0].wait_ps > 0 && parts[0].p2p_ps > 0);
        }
    tlr_noise_free(noise);
}

/* ---- polls in one go ---- */

enum { PIECES = 12, OTHER_TAG = 8, WORK_PS = 20000000 };

/* A ring like that of HPL's panels: a rank works in pieces, polls behind each, and as soon as the
 * message is there receives it, passes it on and does the rest.  All have sent a short message to a
 * rank of another node before, which is received at the end. */
typedef struct relay {
    uint32_t ahead; /* polls in one go */
    uint64_t bytes, first_ps;
    struct {
        uint32_t n_no, done;
        int is_there, phase;
        loggops_op ops[2 * PIECES + 2];
    } ranks[PARTNERS];
} relay;

static void note_answer(void *context, uint32_t rank, bool is_there)
{
    relay *y = context;
    y->ranks[rank].n_no += !is_there;
    y->ranks[rank].is_there = is_there;
}

static uint64_t piece_ps(uint32_t rank, uint32_t piece)
{
    return WORK_PS + (rank * 7919u + piece * 104729u) % 300000;
}

static loggops_op relay_message(uint8_t kind, uint32_t to_next, int32_t tag, uint64_t bytes)
{
    return (loggops_op){.kind = kind, .peer = (int32_t)to_next, .tag = tag, .amount = bytes};
}

static int next_leg(void *context, uint32_t rank, loggops_program *program)
{
    relay *y = context;
    uint32_t *done = &y->ranks[rank].done;
    loggops_op *op = y->ranks[rank].ops;
    program->ops = op;
    memset(op, 0, sizeof y->ranks[rank].ops);
    if (y->ranks[rank].phase == 0) {
        y->ranks[rank].phase = 1;
        *op++ = relay_message(LOGGOPS_SEND, 5, OTHER_TAG, 100 + rank);
        if (rank == 0)
            *op++ = (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = y->first_ps};
        *op = (loggops_op){.kind = LOGGOPS_MORE};
        return 1;
    }
    *done += y->ranks[rank].n_no + (y->ranks[rank].is_there != 0);
    if (rank && !y->ranks[rank].is_there && *done < PIECES) {
        y->ranks[rank].n_no = 0;
        for (uint32_t k = 0; k < y->ahead && *done + k < PIECES; k++) {
            *op++ = (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = piece_ps(rank, *done + k)};
            *op++ = relay_message(LOGGOPS_POLL, PARTNERS - 1, TAG, 0);
        }
        *op = (loggops_op){.kind = LOGGOPS_MORE};
        return 1;
    }
    if (rank)
        *op++ = relay_message(LOGGOPS_RECV, PARTNERS - 1, TAG, 0);
    if (rank < PARTNERS - 1)
        *op++ = relay_message(LOGGOPS_SEND, 1, TAG, y->bytes);
    *op++ = (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = UINT64_C(100000) * (PIECES - *done)};
    *op = relay_message(LOGGOPS_RECV, PARTNERS - 5, OTHER_TAG, 0);
    return 1;
}

static uint64_t run_relay(relay *y, const char *text, int has_nodes, unsigned n_threads,
                          loggops_rank_result *ranks)
{
    static loggops_op at_first[] = {{.kind = LOGGOPS_MORE}};
    loggops_program programs[PARTNERS];
    uint32_t program_of[PARTNERS], node_of[PARTNERS];
    uint64_t compute_ps[PARTNERS] = {0};
    loggops_network network;
    loggops_comm world = {PARTNERS, NULL, NULL, 0};
    const loggops_feed feed = {y, next_leg, note_answer, why};
    assert_int_equal(loggops_parse_network(text, &network, &err), TL_OK);
    memset(y->ranks, 0, sizeof y->ranks);
    for (uint32_t r = 0; r < PARTNERS; r++) {
        programs[r] = (loggops_program){.ops = at_first, .n_requests = 1};
        program_of[r] = r;
        node_of[r] = r / 4;
    }
    const loggops_nodes nodes = {PARTNERS / 4, node_of, network.between, network.within,
                                 network.move_bytes};
    const loggops_run run = {
        PARTNERS, PARTNERS,  programs, program_of, 1, &world, 0, NULL, has_nodes ? &nodes : NULL,
        &feed,    compute_ps};
    loggops_result result = {.ranks = ranks};
    memset(ranks, 0, PARTNERS * sizeof *ranks);
    assert_int_equal(loggops_simulate(&run, &network.params, NULL, n_threads, &result, &err),
                     TL_OK);
    return result.n_operations;
}

/* Whether polls come one by one or several at a time, before the first of them is answered. */
static void polls_in_one_go_are_polls(void **state)
{
    static const char *const networks[] = {
        "L=5us,o=2us,g=1us,G=1ns,O=0.1ns,S=1000",
        "L=1us,o=0.5us,g=1us,G=1ns,O=0.1ns,S=1000,or=1us,Or=0.1ns;local:L=1us,o=1us",
    };
    static relay y;
    loggops_rank_result one_by_one[PARTNERS], ahead[PARTNERS];
    int n_early = 0, n_late = 0;
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint64_t bytes = 500; bytes <= 50000; bytes *= 10)
            for (y.first_ps = 1; y.first_ps < 300000000; y.first_ps += 13000003) {
                y.bytes = bytes;
                y.ahead = 1;
                const uint64_t n = run_relay(&y, networks[i], i > 0, 1, one_by_one);
                for (uint32_t r = 1; r < PARTNERS; r++) {
                    n_early += y.ranks[r].done < PIECES;
                    n_late += y.ranks[r].done == PIECES;
                }
                for (y.ahead = 2; y.ahead <= PIECES; y.ahead += 5) {
                    assert_int_equal(n, run_relay(&y, networks[i], i > 0, 1, ahead));
                    assert_memory_equal(one_by_one, ahead, sizeof ahead);
                }
            }
    assert_true(n_early > 100 && n_late > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polls_see_what_has_arrived), cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(programs_that_fail),         cmocka_unit_test(exchanges_are_their_parts),
        cmocka_unit_test(polls_in_one_go_are_polls),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
